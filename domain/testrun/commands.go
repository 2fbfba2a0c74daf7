package testrun

import (
	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/gate"
	"understudy/domain/persona"
	"understudy/domain/replay"
)

// Command is a wish to a test's stream.
//
//sumtype:decl
type Command interface{ testrunCommand() }

// Create begins a test: the wish, and what only the outside can tell of it.
type Create struct {
	TestID         string
	OrganizationID string
	Environment    domain.Environment
	Wish           Wish
	// Models are those that are served.
	Models []string
	// Inputs maps the name of a value to its ciphertext.
	Inputs map[string]string
	// CustomPersonas are the personas that the wish names, as they are now.
	CustomPersonas []persona.Persona
	// Demands is the organization's rule for the quality gate.
	Demands             gate.Rule
	EstimatedCompletion domain.Time
	Now                 domain.Time
}

// Wish is a test as it was asked for, defaults filled in.
type Wish struct {
	Name     string
	URL      string
	Task     string
	Sessions int
	Model    string
	Personas Personas
	// Criteria are scored.
	Criteria  []string
	Viewports []string
	Seed      int64
	MaxSteps  int
	Locale    string
	Success   *Success
	// Replays is Safe or Off.
	Replays string
	// Gate is the test's own rule; what it leaves open the organization says.
	Gate     gate.Rule
	Metadata map[string]string
	// InputsOrigins are where inputs may be typed besides the target's own site.
	InputsOrigins []string
	// PrivateOrigins are what sessions may reach off the public internet besides the target.
	PrivateOrigins []string
}

// Start tells that the target answered.
type Start struct{ Now domain.Time }

// RecordSessionEnd counts a session that has ended. Usable: it walked to an
// end of its own, so that its scores count.
type RecordSessionEnd struct {
	SessionID string
	Index     int
	Usable    bool
	Now       domain.Time
}

// RecordSessionEnds counts several sessions that have ended, in their order.
type RecordSessionEnds struct{ Ends []RecordSessionEnd }

// BeginReplay claims the N-th replay of a test for whoever makes it.
type BeginReplay struct {
	N         int
	SessionID string
	Cause     findings.Cause
	Now       domain.Time
}

// EndReplay tells what came of a replay that was begun.
type EndReplay struct {
	N       int
	Outcome replay.Outcome
	Now     domain.Time
}

// EndExamination tells that no more replays are made. Suspected is how many causes
// there were.
type EndExamination struct {
	Suspected int
	Now       domain.Time
}

// Complete ends the test with the report and the verdict that were built.
type Complete struct {
	ReportID        string
	AggregateScores map[string]float64
	Passed          bool
	Score           *float64
	FailedCriteria  []string
	Summary         string
	Now             domain.Time
}

// Fail ends the test with a reason.
type Fail struct {
	Code    string
	Message string
	Now     domain.Time
}

// Cancel ends a running test at somebody's request.
type Cancel struct{ Now domain.Time }

// Archive tells of the file in which the history of an ended test is kept.
type Archive struct {
	Name            string
	SHA256          string
	Events, Streams int
	Now             domain.Time
}

func (Create) testrunCommand()            {}
func (Start) testrunCommand()             {}
func (RecordSessionEnd) testrunCommand()  {}
func (RecordSessionEnds) testrunCommand() {}
func (BeginReplay) testrunCommand()       {}
func (EndReplay) testrunCommand()         {}
func (EndExamination) testrunCommand()    {}
func (Complete) testrunCommand()          {}
func (Fail) testrunCommand()              {}
func (Cancel) testrunCommand()            {}
func (Archive) testrunCommand()           {}
