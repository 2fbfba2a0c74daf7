// Package domaintest checks deciders: facts in tables (given these events,
// when this command, then those events), and the laws that every decider
// keeps, on generated commands and events.
package domaintest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"understudy/domain"
)

// Case is one fact about a decider.
type Case[C any, E domain.Event] struct {
	Name  string
	Given []E
	When  C
	// Then is every event that the command yields, in order; empty: none.
	Then []E
	// Refused is the code of the refusal; empty: the command is accepted.
	Refused domain.Code
}

// Run checks every case in a subtest of its own.
func Run[S, C any, E domain.Event](t *testing.T, d domain.Decider[S, C, E], cases []Case[C, E]) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			asked := For(t, d).Given(c.Given...).When(c.When)
			if c.Refused != "" {
				asked.ThenRefused(c.Refused)
				return
			}
			asked.Then(c.Then...)
		})
	}
}

// Scenario is a stream of a decider under test.
type Scenario[S, C any, E domain.Event] struct {
	t       testing.TB
	decider domain.Decider[S, C, E]
	state   S
}

// For begins a scenario on a stream without events.
func For[S, C any, E domain.Event](t testing.TB, d domain.Decider[S, C, E]) *Scenario[S, C, E] {
	return &Scenario[S, C, E]{t: t, decider: d, state: d.Initial}
}

// Given adds events that have been recorded.
func (s *Scenario[S, C, E]) Given(events ...E) *Scenario[S, C, E] {
	s.state = s.decider.Fold(s.state, events)
	return s
}

// Asked is a command that was decided on.
type Asked[S, C any, E domain.Event] struct {
	scenario *Scenario[S, C, E]
	events   []E
	err      error
}

// When decides on a command. Its events become part of the scenario's stream.
func (s *Scenario[S, C, E]) When(command C) *Asked[S, C, E] {
	events, err := s.decider.Decide(s.state, command)
	s.state = s.decider.Fold(s.state, events)
	return &Asked[S, C, E]{scenario: s, events: events, err: err}
}

// Then demands exactly these events, in this order; without any, that the
// command is accepted and changes nothing.
func (a *Asked[S, C, E]) Then(events ...E) *Scenario[S, C, E] {
	t := a.scenario.t
	t.Helper()
	if a.err != nil {
		t.Fatalf("refused: %v", a.err)
	}
	if diff := cmp.Diff(events, a.events, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("other events (-want +got):\n%s", diff)
	}
	return a.scenario
}

// ThenRefused demands a refusal with this code, and no events.
func (a *Asked[S, C, E]) ThenRefused(code domain.Code) *Scenario[S, C, E] {
	t := a.scenario.t
	t.Helper()
	if a.err == nil {
		t.Fatalf("not refused: %v", a.events)
	}
	if got := domain.CodeOf(a.err); got != code {
		t.Fatalf("refused with %q, want %q: %v", got, code, a.err)
	}
	if len(a.events) > 0 {
		t.Fatalf("refused, and yet there are events: %v", a.events)
	}
	return a.scenario
}

// State is the scenario's state by now.
func (s *Scenario[S, C, E]) State() S { return s.state }
