package testrun

import "understudy/domain"

// Command is a wish to a test's stream.
//
//sumtype:decl
type Command interface{ testrunCommand() }

// Create begins a test.
type Create struct{ Test Created }

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

// Complete ends the test with the report and the verdict that were built.
type Complete struct {
	ReportID        string
	AggregateScores map[string]float64
	Passed          bool
	Score           *float64
	FailedCriteria  []string
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

func (Create) testrunCommand()            {}
func (Start) testrunCommand()             {}
func (RecordSessionEnd) testrunCommand()  {}
func (RecordSessionEnds) testrunCommand() {}
func (Complete) testrunCommand()          {}
func (Fail) testrunCommand()              {}
func (Cancel) testrunCommand()            {}
