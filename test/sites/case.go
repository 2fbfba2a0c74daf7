package sites

import "crypto/sha256"

// Case is one faulty variant of a site and what must be found in it.
type Case struct {
	// Name is unique: site, task and the kinds of the faults.
	Name string
	// Site and Task say where the visitor is sent and what for; Task is the name
	// of one of Tasks[Site].
	Site, Task string
	// Faults lie on the way of the task. Decoys hinder nobody.
	Faults, Decoys []Fault
	// Viewports are the devices the faults are meant for: "desktop", "mobile".
	Viewports []string
}

// The halves of the table.
const (
	TuningHalf = "tuning" // detectors and ranks may be tuned on these
	TestHalf   = "test"   // and are measured on these
)

// Half is the half that a case belongs to: that of its first fault's kind on
// its site, by a hash that was fixed before anything was tuned.
func (c Case) Half() string {
	kind := ""
	if len(c.Faults) > 0 {
		kind = c.Faults[0].Kind
	}
	if sha256.Sum256([]byte(kind + "/" + c.Site))[0]%2 == 0 {
		return TuningHalf
	}
	return TestHalf
}

// Options of a site with the faults and decoys of the case.
func (c Case) Options() Options { return Options{Faults: c.Faults, Decoys: c.Decoys} }
