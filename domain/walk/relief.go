package walk

// ReliefKind is a way to take a barrier away, to see whether it was the reason
// why a walk failed.
type ReliefKind string

// The reliefs. Those up to First change what is perceived and nothing of the
// page; the others the browser carries out on the page before it is looked at.
const (
	See     ReliefKind = "see"     // seen by everybody, whatever its contrast and size
	Named   ReliefKind = "named"   // labelled with the words of the task
	Alone   ReliefKind = "alone"   // without others that promise as much
	Large   ReliefKind = "large"   // so large that nobody misses it
	First   ReliefKind = "first"   // on the first screen
	Reached ReliefKind = "reached" // operable without a pointer

	Uncover ReliefKind = "uncover" // what lies over it is gone
	Calm    ReliefKind = "calm"    // the layers that nobody asked for are gone
	Enable  ReliefKind = "enable"  // not disabled
)

// Relief is one barrier taken away from the element that a selector finds; Calm
// needs none.
type Relief struct {
	Kind     ReliefKind
	Selector string
}

// OnPage reports whether the browser has to carry the relief out.
func (r Relief) OnPage() bool { return r.Kind == Uncover || r.Kind == Calm || r.Kind == Enable }
