package mind

import "strings"

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

// largeSide is WCAG 2.2's enhanced target size (2.5.5) in CSS px.
const largeSide = 44

// Relieve is the page as it would be perceived without the barrier. What the
// browser has to take away is left as it is.
func (m *Mind) Relieve(page Page, r Relief) Page {
	at := -1
	for i := range page.Elements {
		if page.Elements[i].Selector == r.Selector {
			at = i
			break
		}
	}
	if at < 0 || r.OnPage() {
		return page
	}
	page.Elements = append([]Element{}, page.Elements...)
	e := &page.Elements[at]
	switch r.Kind {
	case See:
		e.Contrast, e.FontSize = 21, max(e.FontSize, 18)
	case Named:
		e.Name, e.NameSource, e.Icon = m.plainly(), "text", false
	case Large:
		c := centre(e.Box)
		w, h := max(e.Box.W, largeSide), max(e.Box.H, largeSide)
		e.Box = Box{X: c.x - w/2, Y: c.y - h/2, W: w, H: h}
	case First:
		if h := float64(page.Viewport.Height); !e.InViewport && h > 0 {
			e.Box.Y, e.InViewport = h/3, true
		}
	case Reached:
		e.MouseOnly = false
	case Alone:
		s := m.subgoal()
		own := m.similar(s, e.Name)
		kept := page.Elements[:0]
		for i := range page.Elements {
			o := page.Elements[i]
			if i == at || isField(&o) || o.Name == "" || m.similar(s, o.Name) < own-0.05 {
				kept = append(kept, o)
			}
		}
		page.Elements = kept
	case Uncover, Calm, Enable: // done on the page
	}
	return page
}

// plainly says the current subgoal in the fewest words.
func (m *Mind) plainly() string {
	s := m.subgoal()
	words := append([]string{}, s.Object...)
	if s.Verb != "" {
		words = append([]string{s.Verb}, words...)
	}
	if len(words) == 0 {
		return s.Text
	}
	return strings.Join(words, " ")
}
