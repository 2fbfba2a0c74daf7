package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/account"
)

// ErrUnauthenticated is what an Authenticator answers for a credential that is
// unknown, malformed, expired or revoked. Which of them is not told.
var ErrUnauthenticated = errors.New("not authenticated")

// Principal is who asks: an API key or a token of an organization.
type Principal struct {
	KeyID          string
	OrganizationID string
	Environment    domain.Environment
	Scopes         []string
	Actor          string
	// RateLimit is the requests per minute of the organization's plan, > 0.
	RateLimit int
}

// Authenticator finds out whose bearer credential a token is.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (Principal, error)
}

// Call is what every command carries: who asks, the metadata of the events it
// makes, and an id that is the same whenever the same request is tried again.
// Commands append under event ids derived from it, so that a retry writes
// nothing twice.
type Call struct {
	Principal Principal
	Meta      domain.Meta
	CommandID uuid.UUID
}

// Document is a resource as a read model stores it: JSON ready to send but for
// what is made at the edge, and the revision of its stream.
//
// The edge adds: to a test stream_url and report_url (from id and report_id);
// to a session its links; to a recording url (from artifact_id); to a
// screenshot url (from id, an artifact's); to a report report_url, and a
// screenshot_url beside every screenshot_id.
type Document struct {
	JSON     json.RawMessage
	Revision uint64
}

// Reader finds one document that belongs to the principal's organization and
// environment. Anything else is refused with domain.CodeNotFound.
type Reader interface {
	Get(ctx context.Context, p Principal, id string) (Document, error)
}

// Lister lists documents of the principal's organization and environment,
// newest first; sessions by their index and screenshots by their step.
type Lister interface {
	List(ctx context.Context, p Principal, q ListQuery) (ListedPage, error)
}

// Collection is both.
type Collection interface {
	Reader
	Lister
}

// ListQuery selects a page. Zero fields do not filter; a list ignores fields
// that its operation does not have in the OpenAPI document.
type ListQuery struct {
	// Limit is the most items wanted, 1–100.
	Limit int
	// After is the Next of the page before, "" for the first page.
	After string

	Status        string
	TestID        string
	SessionID     string
	WebhookID     string
	Event         string
	CreatedAfter  time.Time
	CreatedBefore time.Time
}

// ListedPage is one page of a list.
type ListedPage struct {
	Items []json.RawMessage
	// Next is the key to go on after, "" on the last page. Clients get it
	// signed; it is never theirs to choose.
	Next string
}

// Histories tells what was recorded of a resource, and what it was at a moment.
// The prefix of an id says what kind of resource it is. What is not of the
// principal's organization and environment is refused with domain.CodeNotFound.
type Histories interface {
	// Events gives a page of a resource's events, each as RecordedEvent with the
	// recorded JSON in it byte for byte. Next is the revision to go on from.
	Events(ctx context.Context, p Principal, id string, q HistoryQuery) (ListedPage, error)
	// AsOf is the document as GET answered it at a moment that is not in the
	// future; domain.CodeNotFound when there was none yet.
	AsOf(ctx context.Context, p Principal, id string, at Moment) (Then, error)
	// Head is the position of the last event of the log.
	Head(ctx context.Context) (uint64, error)
}

// HistoryQuery selects a page of a history.
type HistoryQuery struct {
	// Limit is the most events wanted, 1–100.
	Limit int
	// From is the revision to begin with, nil for the first event, or the last
	// one when going backwards.
	From      *uint64
	Backwards bool
}

// Moment is a position of the log, or a time when Time is not zero.
type Moment struct {
	Position uint64
	Time     time.Time
}

// Then is a document as of a moment. Trace is a session's trace of the same
// moment, as GET /sessions/{id}/trace answered it, nil for everything else.
type Then struct {
	Document

	Trace json.RawMessage
}

// TestCommands starts and cancels tests.
type TestCommands interface {
	// Create makes the test with this id, defaults filled in, and answers once
	// reads see it. Trying again with the same ids is the same test.
	Create(ctx context.Context, call Call, testID string, test NewTest) (Document, error)
	// Cancel answers with the cancelled test.
	Cancel(ctx context.Context, call Call, testID string) (Document, error)
}

// ReportCommands makes reports.
type ReportCommands interface {
	Generate(ctx context.Context, call Call, testID, reportID string, report NewReport) (Document, error)
}

// WebhookCommands makes, changes and deletes webhook endpoints. Each answers
// once reads see what it did; trying again with the same ids does nothing more.
type WebhookCommands interface {
	// Register answers with the endpoint's document and its secret in the field
	// secret. Trying again with the same ids answers with the same secret, the
	// recorded one.
	Register(ctx context.Context, call Call, webhookID string, webhook NewWebhook) (Document, error)
	Change(ctx context.Context, call Call, webhookID string, change WebhookChange) (Document, error)
	Enable(ctx context.Context, call Call, webhookID string) (Document, error)
	// RotateSecret begins a rotation to secret, "" for a generated one, and
	// answers as Register does, with the new secret.
	RotateSecret(ctx context.Context, call Call, webhookID, rotationID, secret string) (Document, error)
	PromoteSecret(ctx context.Context, call Call, webhookID string) (Document, error)
	Delete(ctx context.Context, call Call, webhookID string) error
	// Ping and Replay schedule a delivery under deliveryID and answer with it.
	Ping(ctx context.Context, call Call, webhookID, deliveryID string) (Document, error)
	Replay(ctx context.Context, call Call, sourceID, deliveryID string) (Document, error)
	// ReplayRange records, or with a preview only counts, what is sent again.
	ReplayRange(ctx context.Context, call Call, webhookID, replayID string, replay NewReplay) (Document, error)
}

// WebhookChange is what to change of an endpoint; nil stays as it is.
type WebhookChange struct {
	URL *string
	// Events is empty for all events.
	Events *[]string
}

// PersonaCommands makes, changes and deletes custom personas.
type PersonaCommands interface {
	// Create answers with the persona once reads see it. Trying again with the
	// same ids is the same persona.
	Create(ctx context.Context, call Call, personaID string, persona NewPersona) (Document, error)
	// Change merges the patch and answers with the persona as it is then.
	Change(ctx context.Context, call Call, personaID string, patch PersonaPatch) (Document, error)
	Delete(ctx context.Context, call Call, personaID string) error
}

// Organizations reads and changes the caller's organization, which is one and
// the same in both environments.
type Organizations interface {
	Organization(ctx context.Context, p Principal) (Document, error)
	// ChangeQualityGate answers with the organization once reads, and tests that
	// are created, see the change, whose Now it sets.
	ChangeQualityGate(ctx context.Context, call Call, change account.ChangeQualityGate) (Document, error)
}

// Audit proves what the log has. Its answers are ready to send, in the forms of
// the document.
type Audit interface {
	// Head is the newest signed head; domain.CodeUnavailable until there is one.
	Head(ctx context.Context) (AuditHead, error)
	// Proof proves an event of the principal's organization and environment,
	// under the head of a size, the newest one for 0. Any other event is
	// domain.CodeNotFound.
	Proof(ctx context.Context, p Principal, stream string, revision uint64, size int64) (AuditProof, error)
	// Consistency proves that the tree of size to, the newest head's for 0,
	// begins with that of size from, which is from 1 to it.
	Consistency(ctx context.Context, from, to int64) (AuditConsistency, error)
}

// PersonaPacks holds the packs that ship with the service.
type PersonaPacks interface {
	// Packs lists them all, each with its id, in the order to show them in.
	Packs(ctx context.Context) ([]json.RawMessage, error)
}

// Models tells what this installation serves.
type Models interface {
	Models(ctx context.Context) ([]Model, error)
}

// Artifact is a screenshot or a recording.
type Artifact struct {
	ContentType string
	// SHA256 names the content in hex; it becomes the ETag.
	SHA256 string
	// Owner of the artifact. A caller with a key, not a signed address, must
	// be of this organization and environment.
	OrganizationID string
	Environment    domain.Environment
	Content        io.ReadSeekCloser
}

// Artifacts opens artifacts; an unknown one is domain.CodeNotFound. The caller
// closes Content.
type Artifacts interface {
	Open(ctx context.Context, id string) (Artifact, error)
}

// Printer puts pages on paper.
type Printer interface {
	// PDF prints an HTML document that has everything in it; nothing is fetched
	// for it and nothing in it is run. domain.CodeUnavailable when there is no
	// browser to print with.
	PDF(ctx context.Context, html []byte) ([]byte, error)
}

// Stream serves the WebSocket of a test. It is called for callers who may
// read the test, with after 0 when nothing was received yet, and returns when
// the connection has ended. It answers failures before the upgrade by an
// error and writes nothing then.
type Stream interface {
	ServeStream(w http.ResponseWriter, r *http.Request, testID string, after uint64) error
	// ServeEvents serves the public events of an organization and environment
	// after a position, nil for those from now on, under the same terms.
	ServeEvents(w http.ResponseWriter, r *http.Request, organizationID string, env domain.Environment, after *uint64) error
}

// RateWindows counts requests in fixed windows of a minute.
type RateWindows interface {
	// Take counts one request and returns the count with it (within the limit
	// when used ≤ limit) and when the window ends.
	Take(ctx context.Context, bucket string, limit int, now time.Time) (used int, resetAt time.Time, err error)
}

// StoredRequest is what is remembered of a POST with an Idempotency-Key.
type StoredRequest struct {
	// Operation is like "POST /v1/tests".
	Operation  string
	BodyHash   []byte
	ResourceID string
	// Finished is false until Status, Headers and Response, the first answer,
	// are there. Response is sealed.
	Finished bool
	Status   int
	Headers  map[string]string
	Response []byte
}

// Requests remembers POSTs by API key and Idempotency-Key for 24 hours.
type Requests interface {
	// Begin commits the row before the command runs. It answers with the row in
	// force: this one when fresh, else the earlier request's.
	Begin(ctx context.Context, keyID, idempotencyKey, operation string, bodyHash []byte, resourceID string, now time.Time) (row StoredRequest, fresh bool, err error)
	// Finish stores the answer.
	Finish(ctx context.Context, keyID, idempotencyKey string, status int, headers map[string]string, response []byte) error
	// Release forgets a request whose command was refused, so that the same key
	// can be used again.
	Release(ctx context.Context, keyID, idempotencyKey string) error
}

// Sealer encrypts what is stored of answers. What was sealed opens only with
// the same associated data.
type Sealer interface {
	Seal(plain, associated []byte) ([]byte, error)
	Open(sealed, associated []byte) ([]byte, error)
}

// NotReady is a part of the service that cannot do its work now.
type NotReady struct {
	Component string `json:"component"`
	Message   string `json:"message"`
}

// Readiness tells what keeps the service from being ready, nothing when it is.
type Readiness interface {
	// Starting: the service has yet to begin; only probes are answered.
	Starting() bool
	Ready(ctx context.Context) []NotReady
	// Followers tells how far those are who follow the log.
	Followers(ctx context.Context) (Followers, error)
}

// Followers are those who follow the log.
type Followers struct {
	LogPosition uint64     `json:"log_position"`
	ReadModels  []Follower `json:"read_models"`
	Reactors    []Follower `json:"reactors"`
}

// Follower is how far a read model or a reactor has come.
type Follower struct {
	Name string `json:"name"`
	// Position is the commit position up to which it has taken in the log, -1 for
	// none.
	Position int64 `json:"position"`
	// LagEvents is how many events it has yet to take in, LagSeconds for how long
	// the oldest of them has been waiting.
	LagEvents  int     `json:"lag_events"`
	LagSeconds float64 `json:"lag_seconds"`
	// UnknownEvents is how many events of unknown type a read model has passed.
	UnknownEvents int `json:"unknown_events"`
	// Stopped says at which event a read model has stopped, and why.
	Stopped string `json:"stopped,omitempty"`
	// Before names the next event if this program cannot take it in: a reactor
	// holds before it.
	Before string `json:"before,omitempty"`
}
