// Package testrun is the stream of one test: created, started, its sessions'
// endings counted, their causes examined, judged and completed, or failed or cancelled.
package testrun

import (
	"understudy/domain"
	"understudy/domain/gate"
	"understudy/domain/persona"
)

// Stream names the stream of a test.
func Stream(testID string) string { return StreamPrefix + testID }

// StreamPrefix begins the name of every test's stream.
const StreamPrefix = "testrun-"

// Event is a fact of a test's stream.
//
//sumtype:decl
type Event interface {
	domain.Event
	testrun()
}

// Created records the test as it was asked for, defaults filled in. Nothing in
// it changes afterwards.
type Created struct {
	TestID         string             `json:"test_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	Name           string             `json:"name,omitempty"`
	URL            string             `json:"url"`
	Task           string             `json:"task"`
	Sessions       int                `json:"sessions"`
	Model          string             `json:"model"`
	Personas       Personas           `json:"personas"`
	// CustomPersonas are the personas of PersonaIDs as they were then, defaults
	// filled in: what becomes of them later changes nothing here.
	CustomPersonas []persona.Persona `json:"custom_personas,omitempty"`
	Criteria       []string          `json:"criteria"`
	Viewports      []string          `json:"viewports"`
	// Seed is in 0 … 2^53−1, so that every JSON reader keeps it exact.
	Seed     int64    `json:"seed"`
	MaxSteps int      `json:"max_steps"`
	Locale   string   `json:"locale,omitempty"`
	Success  *Success `json:"success,omitempty"`
	Gate     Gate     `json:"gate"`
	// Replays is Safe or Off; empty in tests that were recorded without it, which is Safe.
	Replays  string            `json:"replays,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`
	// Inputs maps the name of a value to its ciphertext.
	Inputs map[string]string `json:"inputs,omitempty"`
	// InputsOrigins are where inputs may be typed besides the target's own site.
	InputsOrigins []string `json:"inputs_origins,omitempty"`
	// PrivateOrigins are what sessions may reach off the public internet besides the target.
	PrivateOrigins      []string    `json:"private_origins,omitempty"`
	CreatedAt           domain.Time `json:"created_at"`
	EstimatedCompletion domain.Time `json:"estimated_completion"`
}

// Personas says where the simulated users come from.
type Personas struct {
	Source     string   `json:"source"` // auto-diverse, pack or custom
	PackID     string   `json:"pack_id,omitempty"`
	PersonaIDs []string `json:"persona_ids,omitempty"`
}

// Success holds explicit conditions of completion; every one given must hold.
type Success struct {
	URLMatches      string `json:"url_matches,omitempty"`
	TextVisible     string `json:"text_visible,omitempty"`
	SelectorVisible string `json:"selector_visible,omitempty"`
	RequestMade     string `json:"request_made,omitempty"`
}

// Gate holds the thresholds of the quality gate, each in [0,1].
type Gate struct {
	Threshold float64            `json:"threshold"`
	Criteria  map[string]float64 `json:"criteria,omitempty"`
}

// Started records that the target answered and sessions begin.
type Started struct {
	URL           string      `json:"url"`
	Task          string      `json:"task"`
	SessionsTotal int         `json:"sessions_total"`
	At            domain.Time `json:"at"`
}

// SessionEnded counts one session, usable for scores or not.
type SessionEnded struct {
	SessionID string      `json:"session_id"`
	Index     int         `json:"index"`
	Usable    bool        `json:"usable"`
	At        domain.Time `json:"at"`
}

// Progressed records that another tenth of the sessions has ended.
type Progressed struct {
	SessionsCompleted int         `json:"sessions_completed"`
	SessionsTotal     int         `json:"sessions_total"`
	Percent           int         `json:"percent"` // rounded down
	At                domain.Time `json:"at"`
}

// SessionsFinished records that the last session has ended and that enough of
// them are usable for a report.
type SessionsFinished struct {
	SessionsCompleted int `json:"sessions_completed"`
	SessionsFailed    int `json:"sessions_failed"`
	// ExamineCauses: replays are to find out why sessions fell short; the report waits
	// for CausesExamined.
	ExamineCauses bool        `json:"examine_causes,omitempty"`
	At            domain.Time `json:"at"`
}

// ReplayBegun claims the N-th replay of a test, from 1: a session is about to be walked
// again without the barrier of this kind at this element. It is recorded before anything
// is sent, so that no replay is made twice.
type ReplayBegun struct {
	N         int         `json:"n"`
	SessionID string      `json:"session_id"`
	Kind      string      `json:"kind"`
	Selector  string      `json:"selector"`
	Template  string      `json:"template"`
	At        domain.Time `json:"at"`
}

// ReplayEnded tells what came of the N-th replay.
type ReplayEnded struct {
	N int `json:"n"`
	// Result is proven, unchanged, withheld or cut_short.
	Result string `json:"result"`
	// Sent is what it asked servers to change and was accepted.
	Sent []Sent      `json:"sent,omitempty"`
	At   domain.Time `json:"at"`
}

// Sent is a request by its method and its address without query and identifiers.
type Sent struct {
	Method   string `json:"method"`
	Template string `json:"template"`
}

// CausesExamined ends the replays of a test.
type CausesExamined struct {
	// Suspected is how many different causes sessions may have fallen short for; Made
	// is how many replays there were, of a cause each, Proven, Withheld and CutShort how
	// many of them ended so.
	Suspected int         `json:"suspected"`
	Made      int         `json:"made"`
	Proven    int         `json:"proven"`
	Withheld  int         `json:"withheld"`
	CutShort  int         `json:"cut_short"`
	At        domain.Time `json:"at"`
}

// GateJudged is the verdict of the quality gate. It is history: a later rule
// changes no past verdict.
type GateJudged struct {
	Passed    bool    `json:"passed"`
	Threshold float64 `json:"threshold"`
	// Score is the overall score in [0,1], null without any evidence.
	Score          *float64 `json:"score"`
	FailedCriteria []string `json:"failed_criteria"`
	// Summary is the verdict in a sentence.
	Summary  string      `json:"summary,omitempty"`
	ReportID string      `json:"report_id"`
	At       domain.Time `json:"at"`
}

// Reason is gate.NoEvidence where there was no score to judge.
func (g GateJudged) Reason() string {
	if g.Score == nil {
		return gate.NoEvidence
	}
	return ""
}

// Completed ends a test with its report.
type Completed struct {
	URL               string `json:"url"`
	Task              string `json:"task"`
	SessionsTotal     int    `json:"sessions_total"`
	SessionsCompleted int    `json:"sessions_completed"`
	SessionsFailed    int    `json:"sessions_failed"`
	DurationSeconds   int    `json:"duration_seconds"`
	// AggregateScores holds a mean per criterion with evidence, and "overall".
	AggregateScores map[string]float64 `json:"aggregate_scores"`
	GatePassed      bool               `json:"gate_passed"`
	GateThreshold   float64            `json:"gate_threshold"`
	ReportID        string             `json:"report_id"`
	At              domain.Time        `json:"at"`
}

// Failed ends a test that could not be carried through.
type Failed struct {
	Code              string      `json:"code"`
	Message           string      `json:"message"`
	SessionsCompleted int         `json:"sessions_completed"`
	SessionsFailed    int         `json:"sessions_failed"`
	SessionsTotal     int         `json:"sessions_total"`
	At                domain.Time `json:"at"`
}

// Cancelled ends a test at somebody's request. Its counters freeze here.
type Cancelled struct {
	SessionsCompleted int         `json:"sessions_completed"`
	SessionsFailed    int         `json:"sessions_failed"`
	SessionsTotal     int         `json:"sessions_total"`
	At                domain.Time `json:"at"`
}

// Archived tells where an ended test's history is kept as it was recorded until then.
// Everything about the test stays as it is.
type Archived struct {
	// Archive is the name of the file, SHA256 its hash in hex.
	Archive string `json:"archive"`
	SHA256  string `json:"sha256"`
	// Events are in it, of so many Streams: the test's, its sessions', reports',
	// deliveries' and comparisons'.
	Events  int         `json:"events"`
	Streams int         `json:"streams"`
	At      domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Created) EventType() string { return "testrun.created.v1" }

// EventType returns the recorded literal.
func (Started) EventType() string { return "testrun.started.v1" }

// EventType returns the recorded literal.
func (SessionEnded) EventType() string { return "testrun.session_ended.v1" }

// EventType returns the recorded literal.
func (Progressed) EventType() string { return "testrun.progressed.v1" }

// EventType returns the recorded literal.
func (SessionsFinished) EventType() string { return "testrun.sessions_finished.v1" }

// EventType returns the recorded literal.
func (ReplayBegun) EventType() string { return "testrun.replay_begun.v1" }

// EventType returns the recorded literal.
func (ReplayEnded) EventType() string { return "testrun.replay_ended.v1" }

// EventType returns the recorded literal.
func (CausesExamined) EventType() string { return "testrun.causes_examined.v1" }

// EventType returns the recorded literal.
func (GateJudged) EventType() string { return "testrun.gate_judged.v1" }

// EventType returns the recorded literal.
func (Completed) EventType() string { return "testrun.completed.v1" }

// EventType returns the recorded literal.
func (Failed) EventType() string { return "testrun.failed.v1" }

// EventType returns the recorded literal.
func (Cancelled) EventType() string { return "testrun.cancelled.v1" }

// EventType returns the recorded literal.
func (Archived) EventType() string { return "testrun.archived.v1" }

func (Created) testrun()          {}
func (Started) testrun()          {}
func (SessionEnded) testrun()     {}
func (Progressed) testrun()       {}
func (SessionsFinished) testrun() {}
func (ReplayBegun) testrun()      {}
func (ReplayEnded) testrun()      {}
func (CausesExamined) testrun()   {}
func (GateJudged) testrun()       {}
func (Completed) testrun()        {}
func (Failed) testrun()           {}
func (Cancelled) testrun()        {}
func (Archived) testrun()         {}

// Catalogue lists every event that a test's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Created](),
	domain.Recordable[Started](),
	domain.Recordable[SessionEnded](),
	domain.Recordable[Progressed](),
	domain.Recordable[SessionsFinished](),
	domain.Recordable[ReplayBegun](),
	domain.Recordable[ReplayEnded](),
	domain.Recordable[CausesExamined](),
	domain.Recordable[GateJudged](),
	domain.Recordable[Completed](),
	domain.Recordable[Failed](),
	domain.Recordable[Cancelled](),
	domain.Recordable[Archived](),
}
