// Package comparison is the stream of one comparison of two tests, and what the
// comparison comes to.
package comparison

import (
	"fmt"
	"slices"

	"understudy/domain"
)

// StreamPrefix begins the name of every comparison's stream.
const StreamPrefix = "comparison-"

// Stream names the stream of a comparison.
func Stream(comparisonID string) string { return StreamPrefix + comparisonID }

// Event is a fact of a comparison's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	comparison()
}

// Created records which tests are compared. Both are there before.
type Created struct {
	ComparisonID   string             `json:"comparison_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	Name           string             `json:"name,omitempty"`
	Task           string             `json:"task"`
	A              Side               `json:"a"`
	B              Side               `json:"b"`
	Criteria       []string           `json:"criteria"`
	At             domain.Time        `json:"at"`
}

// Side is one of the tests.
type Side struct {
	TestID string `json:"test_id"`
	URL    string `json:"url"`
	// Started: the comparison started the test itself.
	Started bool `json:"started,omitempty"`
}

// Completed records what came of it. It never changes: what it says of its
// tests is history.
type Completed struct {
	Result Result      `json:"result"`
	At     domain.Time `json:"at"`
}

// Failed records why the tests cannot be compared.
type Failed struct {
	Code    string      `json:"code"`
	Message string      `json:"message"`
	At      domain.Time `json:"at"`
}

// The codes of failed comparisons.
const (
	TestFailed       = "test_failed"
	TestCancelled    = "test_cancelled"
	NothingToCompare = "nothing_to_compare"
)

// EventType returns the recorded literal.
func (Created) EventType() string { return "comparison.created.v1" }

// EventType returns the recorded literal.
func (Completed) EventType() string { return "comparison.completed.v1" }

// EventType returns the recorded literal.
func (Failed) EventType() string { return "comparison.failed.v1" }

func (Created) comparison()   {}
func (Completed) comparison() {}
func (Failed) comparison()    {}

// Catalogue lists every event that a comparison's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Created](), domain.Recordable[Completed](), domain.Recordable[Failed](),
}

// Command is a wish to a comparison's stream.
//
//sumtype:decl
type Command interface{ comparisonCommand() }

// Create begins a comparison of two tests.
type Create struct {
	ComparisonID   string
	OrganizationID string
	Environment    domain.Environment
	Name           string
	A, B           Candidate
	// Criteria to compare by; nil: all that the tests have in common.
	Criteria []string
	Now      domain.Time
}

// Candidate is a test that is to be compared, without its sessions.
type Candidate struct {
	Test
	// Started: the comparison starts the test itself.
	Started bool
}

// Complete records the result.
type Complete struct {
	Result Result
	Now    domain.Time
}

// Fail records that there will be none.
type Fail struct {
	Code, Message string
	Now           domain.Time
}

func (Create) comparisonCommand()   {}
func (Complete) comparisonCommand() {}
func (Fail) comparisonCommand()     {}

// State is what deciding needs to know.
type State struct {
	Created Created
	Exists  bool
	Ended   bool
}

// Decider is the comparison's stream as pure functions. What has ended stays as
// it is.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide, Evolve: evolve,
	Done: func(s State) bool { return s.Ended },
}

func decide(s State, c Command) ([]Event, error) {
	if create, ok := c.(Create); ok {
		if s.Exists {
			return nil, nil
		}
		created, err := create.Plan()
		if err != nil {
			return nil, err
		}
		return []Event{created}, nil
	}
	switch {
	case !s.Exists:
		return nil, domain.Refuse(domain.CodeNotFound, "there is no such comparison")
	case s.Ended:
		return nil, nil
	}
	switch c := c.(type) {
	case Complete:
		return []Event{Completed{Result: c.Result, At: c.Now}}, nil
	case Fail:
		return []Event{Failed{Code: c.Code, Message: c.Message, At: c.Now}}, nil
	case Create: // decided above
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

// Plan is the event that the command records on a stream without events.
func (c Create) Plan() (Created, error) {
	if err := Comparable(c.A.Test, c.B.Test); err != nil {
		return Created{}, err
	}
	criteria := Common(c.A.Test, c.B.Test)
	for i, asked := range c.Criteria {
		if !slices.Contains(criteria, asked) {
			return Created{}, domain.Invalid(fmt.Sprintf("criteria.%d", i), "not_measured",
				"%s is not among the criteria of both tests, which are %v", asked, criteria)
		}
	}
	if c.Criteria != nil {
		criteria = c.Criteria
	}
	side := func(t Candidate) Side { return Side{TestID: t.ID, URL: t.URL, Started: t.Started} }
	return Created{
		ComparisonID: c.ComparisonID, OrganizationID: c.OrganizationID, Environment: c.Environment,
		Name: c.Name, Task: c.A.Task, A: side(c.A), B: side(c.B), Criteria: criteria, At: c.Now,
	}, nil
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Created:
		s.Created, s.Exists = e, true
	case Completed, Failed:
		s.Ended = true
	}
	return s
}
