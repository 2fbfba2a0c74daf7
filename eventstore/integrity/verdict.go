package integrity

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore"
)

// Known is what an auditor knows from elsewhere and holds an export against.
type Known struct {
	// Keys are the log's public keys, or one of them; nil takes those that the
	// file names, and the verdict is then only as good as they are.
	Keys *Chain
	// Head is a head that was signed before or after the export's; nil is none.
	Head *Head
	// Consistency proves that the smaller of the two heads' trees is the
	// beginning of the larger one. It is not needed when they are of one size.
	Consistency tlog.TreeProof
}

// EventName is how an event is called in verdicts.
type EventName struct {
	Index    int64
	Stream   string
	Revision uint64
	Type     string
	Position uint64
}

// String names the event for people.
func (n EventName) String() string {
	return fmt.Sprintf("%s of stream %s, revision %d, position %d", n.Type, n.Stream, n.Revision, n.Position)
}

func (e entry) name() EventName { return EventName{e.Index, e.Stream, e.Revision, e.Type, e.Position} }

// Fault is one thing that is wrong with an export.
type Fault struct {
	// Part is header, head, manifest, contents, proof, events or file.
	Part string
	// Event is the event that was hit, if it was one.
	Event *EventName
	Text  string
}

// String tells the fault in one line.
func (f Fault) String() string {
	if f.Event != nil {
		return fmt.Sprintf("event: %s %s", f.Event, f.Text)
	}
	return f.Part + ": " + f.Text
}

// Verdict is what became of a check.
type Verdict struct {
	// Faults are empty when the export is as it was signed.
	Faults []Fault
	// Manifest and Key are what was signed and by whom, Keys all that the file
	// and who checks it know of; the zero value and nil when that cannot be read.
	Manifest Manifest
	Key      *PublicKey
	Keys     *Chain
	// Events are the events of the file, in its order. They can be trusted
	// when there are no faults.
	Events []eventstore.Raw
}
