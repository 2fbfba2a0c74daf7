// Package session is the stream of one simulated user's walk: queued, started
// (again, when a worker died), stepped through, and ended.
package session

import (
	"understudy/domain"
	"understudy/domain/persona"
)

// StreamPrefix begins the name of every session's stream.
const StreamPrefix = "session-"

// Stream names the stream of a session.
func Stream(sessionID string) string { return StreamPrefix + sessionID }

// Event is a fact of a session's stream. Facts of a walk carry their attempt:
// a new Started begins the walk again, and what an older attempt still says
// does not count. Every fact names its test, so that nothing that follows
// tests has to look it up.
//
//sumtype:decl
type Event interface {
	domain.Event
	session()
}

// Queued records who is to walk. Nothing in it changes afterwards.
type Queued struct {
	SessionID      string             `json:"session_id"`
	TestID         string             `json:"test_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	Index          int                `json:"index"`
	// Persona is the simulated user as drawn for this session.
	Persona  persona.Persona `json:"persona"`
	Viewport string          `json:"viewport"`
	Seed     int64           `json:"seed"`
	Model    string          `json:"model"`
	At       domain.Time     `json:"at"`
}

// Started records that a worker has taken the session: the claim itself.
type Started struct {
	TestID  string      `json:"test_id"`
	Attempt int         `json:"attempt"` // from 1
	Worker  string      `json:"worker"`
	At      domain.Time `json:"at"`
}

// ScreenshotTaken records a screenshot; its bytes are a blob.
type ScreenshotTaken struct {
	TestID  string `json:"test_id"`
	Attempt int    `json:"attempt"`
	Step    int    `json:"step"`
	Artifact
	Width  int         `json:"width"`
	Height int         `json:"height"`
	At     domain.Time `json:"at"`
}

// Artifact names a blob by content.
type Artifact struct {
	ID          string `json:"artifact_id"`
	SHA256      string `json:"sha256"`
	Bytes       int64  `json:"bytes"`
	ContentType string `json:"content_type"`
}

// Stepped records one step of the walk.
type Stepped struct {
	TestID  string      `json:"test_id"`
	Attempt int         `json:"attempt"`
	Step    Step        `json:"step"`
	At      domain.Time `json:"at"`
}

// Step is what the simulated user saw, thought and did.
type Step struct {
	Index       int         `json:"index"`
	At          domain.Time `json:"at"`
	URL         string      `json:"url"`
	Title       string      `json:"title"`
	Observation string      `json:"observation"`
	Thought     string      `json:"thought"`
	Action      Action      `json:"action"`
	// SimulatedMS is how long the step would have taken a person.
	SimulatedMS int `json:"simulated_ms"`
	// Scent is how promising the target looked and Frustration how fed up the
	// user is, both in [0,1].
	Scent        float64 `json:"scent"`
	Frustration  float64 `json:"frustration"`
	ScreenshotID string  `json:"screenshot_id,omitempty"`
	// ViewportWidth is what Target's box is relative to, in CSS px; 0 in steps
	// that were recorded without it.
	ViewportWidth int `json:"viewport_width,omitempty"`
	// ScrollY is how far the page was scrolled down, in CSS px.
	ScrollY int      `json:"scroll_y,omitempty"`
	Signals []Signal `json:"signals"`
}

// Action is what was done. Text never holds a secret: inputs stand as {{name}}.
type Action struct {
	Type   string  `json:"type"`
	Target *Target `json:"target"`
	Text   string  `json:"text,omitempty"`
}

// Target is the element that was acted on.
type Target struct {
	Role     string `json:"role"`
	Name     string `json:"name"`
	Selector string `json:"selector"`
	Box      Box    `json:"box"`
}

// Box is a rectangle in CSS px relative to the viewport.
type Box struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Signal is something that was noticed in a step, such as a dead click.
type Signal struct {
	Kind   string `json:"kind"`
	Detail string `json:"detail,omitempty"`
}

// Completed records a walk that came to an end of its own.
type Completed struct {
	TestID  string `json:"test_id"`
	Index   int    `json:"index"`
	Attempt int    `json:"attempt"`
	// Outcome is succeeded, gave_up, blocked or out_of_steps.
	Outcome    string     `json:"outcome"`
	Completion Completion `json:"completion"`
	// Scores holds a number in [0,1] for each criterion with evidence.
	Scores map[string]float64 `json:"scores"`
	// Reasons tell of each other criterion why there is none.
	Reasons map[string]string `json:"reasons_without_evidence,omitempty"`
	// SimulatedMS is how long the walk would have taken a person: the sum of
	// its steps.
	SimulatedMS  int        `json:"simulated_ms"`
	Steps        int        `json:"steps"`
	PagesVisited int        `json:"pages_visited"`
	Recording    *Recording `json:"recording,omitempty"`
	Findings     *Findings  `json:"findings,omitempty"`
	// Usage is what a language model has cost, nil without one.
	Usage *Usage      `json:"usage,omitempty"`
	At    domain.Time `json:"at"`
}

// Usage is what a session has used of a language model, in all attempts of the
// worker that ended it.
type Usage struct {
	Model string `json:"model"`
	// Tokens are counted by the model's server.
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	// Requests are questions asked, not counting what was sent again.
	Requests int `json:"requests"`
	// CostUSD is in US dollars, nil when the operator has set no price.
	CostUSD *float64 `json:"cost_usd"`
}

// Completion is the oracle's verdict, never the walker's claim.
type Completion struct {
	Status     string  `json:"status"` // verified or not_reached
	Confidence float64 `json:"confidence"`
	Evidence   string  `json:"evidence"`
}

// Recording is the film of a session.
type Recording struct {
	Artifact
	Format          string  `json:"format"`
	DurationSeconds float64 `json:"duration_seconds"`
}

// Failed records that the session could not be carried out.
type Failed struct {
	TestID  string `json:"test_id"`
	Index   int    `json:"index"`
	Attempt int    `json:"attempt"`
	Code    string `json:"code"`
	Message string `json:"message"`
	// Usage is what a language model has cost until then, nil without one.
	Usage *Usage      `json:"usage,omitempty"`
	At    domain.Time `json:"at"`
}

// Cancelled records that the session ended because its test did.
type Cancelled struct {
	TestID string      `json:"test_id"`
	Index  int         `json:"index"`
	At     domain.Time `json:"at"`
}

// EventType returns the recorded literal.
func (Queued) EventType() string { return "session.queued.v1" }

// EventType returns the recorded literal.
func (Started) EventType() string { return "session.started.v1" }

// EventType returns the recorded literal.
func (ScreenshotTaken) EventType() string { return "session.screenshot_taken.v1" }

// EventType returns the recorded literal.
func (Stepped) EventType() string { return "session.stepped.v1" }

// EventType returns the recorded literal.
func (Completed) EventType() string { return "session.completed.v2" }

// EventType returns the recorded literal.
func (Failed) EventType() string { return "session.failed.v1" }

// EventType returns the recorded literal.
func (Cancelled) EventType() string { return "session.cancelled.v1" }

func (Queued) session()          {}
func (Started) session()         {}
func (ScreenshotTaken) session() {}
func (Stepped) session()         {}
func (Completed) session()       {}
func (Failed) session()          {}
func (Cancelled) session()       {}

// Catalogue lists every event that a session's stream may hold.
var Catalogue = []domain.Entry{
	domain.Recordable[Queued](),
	domain.Recordable[Started](),
	domain.Recordable[ScreenshotTaken](),
	domain.Recordable[Stepped](),
	domain.Recordable[Completed](),
	domain.Lifted("session.completed.v1", liftCompleted),
	domain.Recordable[Failed](),
	domain.Recordable[Cancelled](),
}
