// Package report is the stream of one report, and its document.
package report

import "understudy/domain"

// StreamPrefix begins the name of every report's stream.
const StreamPrefix = "report-"

// Stream names the stream of a report.
func Stream(reportID string) string { return StreamPrefix + reportID }

// Event is a fact of a report's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	report()
}

// Generated records a report as it was built. A report never changes: what it
// says of its test is history.
type Generated struct {
	ReportID       string             `json:"report_id"`
	TestID         string             `json:"test_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	Document       Document           `json:"document"`
	At             domain.Time        `json:"at"`
}

// EventType returns the recorded literal.
func (Generated) EventType() string { return "report.generated.v1" }

func (Generated) report() {}

// Catalogue lists every event that a report's stream may hold.
var Catalogue = []domain.Entry{domain.Recordable[Generated]()}

// Command is a wish to a report's stream.
//
//sumtype:decl
type Command interface{ reportCommand() }

// Generate records a report that was built.
type Generate struct{ Report Generated }

func (Generate) reportCommand() {}

// State is what deciding needs to know: whether the report is there.
type State struct{ Exists bool }

// Decider is the report's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: func(s State, c Command) ([]Event, error) {
		switch c := c.(type) {
		case Generate:
			if s.Exists {
				return nil, nil
			}
			return []Event{c.Report}, nil
		}
		return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
	},
	Evolve: func(s State, _ Event) State { return State{Exists: true} },
	Done:   func(s State) bool { return s.Exists },
}
