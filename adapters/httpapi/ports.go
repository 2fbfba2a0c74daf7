package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/apikey"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/comparisons"
	"understudy/projections/deliveries"
	"understudy/projections/personas"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/usage"
	"understudy/projections/webhooks"
)

// Authenticator finds out whose bearer credential a token is. A credential that
// is none is service.ErrUnauthenticated.
type Authenticator interface {
	// Knows reports whether a token is one in force, as far as this node remembers.
	Knows(token string) bool
	Authenticate(ctx context.Context, token string) (service.Principal, error)
}

// Reads reads documents that belong to the principal's organization and
// environment; anything else is refused with domain.CodeNotFound. What has an
// address in it lacks it: those are made here.
type Reads interface {
	Test(ctx context.Context, p service.Principal, id string) (projections.Document[tests.Document], error)
	Tests(ctx context.Context, p service.Principal, q service.Query) (service.Page[tests.Document], error)
	// Session is a session without its trace.
	Session(ctx context.Context, p service.Principal, id string) (projections.Document[sessions.Document], error)
	// SessionOf is one of a test's, Sessions all of them: those of a running test
	// are there before they are recorded.
	SessionOf(ctx context.Context, p service.Principal, testID, id string) (projections.Document[sessions.Document], error)
	Sessions(ctx context.Context, p service.Principal, q service.Query) (service.Page[sessions.Document], error)
	Trace(ctx context.Context, p service.Principal, sessionID string) (projections.Document[sessions.Trace], error)
	Recording(ctx context.Context, p service.Principal, sessionID string) (projections.Document[sessions.Recording], error)
	// Findings are what was noticed in a walk, nil before it has completed.
	Findings(ctx context.Context, p service.Principal, sessionID string) (*session.Findings, error)
	Screenshots(ctx context.Context, p service.Principal, q service.Query) (service.Page[sessions.Screenshot], error)
	Report(ctx context.Context, p service.Principal, id string) (projections.Document[reports.Document], error)
	Reports(ctx context.Context, p service.Principal, q service.Query) (service.Page[reports.Document], error)
	Comparison(ctx context.Context, p service.Principal, id string) (projections.Document[comparisons.Document], error)
	Comparisons(ctx context.Context, p service.Principal, q service.Query) (service.Page[comparisons.Document], error)
	Webhook(ctx context.Context, p service.Principal, id string) (projections.Document[webhooks.Document], error)
	Webhooks(ctx context.Context, p service.Principal, q service.Query) (service.Page[webhooks.Document], error)
	Delivery(ctx context.Context, p service.Principal, id string) (projections.Document[deliveries.Document], error)
	Deliveries(ctx context.Context, p service.Principal, q service.Query) (service.Page[deliveries.Document], error)
	Persona(ctx context.Context, p service.Principal, id string) (projections.Document[personas.Document], error)
	Personas(ctx context.Context, p service.Principal, q service.Query) (service.Page[personas.Document], error)
	// PersonaPacks are those that ship with the service, in the order to show
	// them in.
	PersonaPacks() []service.Pack
	Key(ctx context.Context, p service.Principal, id string) (projections.Document[service.KeyDocument], error)
	APIKeys(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.KeyDocument], error)
	Client(ctx context.Context, p service.Principal, id string) (projections.Document[service.ClientDocument], error)
	Clients(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.ClientDocument], error)
	// Grants are those of the principal's person.
	Grants(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.GrantDocument], error)
	Organization(ctx context.Context, p service.Principal) (projections.Document[accounts.Document], error)
}

// Histories tells what was recorded of a resource, and what it was at a moment.
// The prefix of an id says what kind of resource it is.
type Histories interface {
	Events(ctx context.Context, p service.Principal, id string, q service.History) (service.HistoryPage, error)
	// A document as of a moment is the one that GET answered with then. The moment
	// is not in the future; domain.CodeNotFound when there was none yet.
	TestAsOf(ctx context.Context, p service.Principal, id string, at service.Moment) (projections.Document[tests.Document], error)
	SessionAsOf(ctx context.Context, p service.Principal, id string, at service.Moment) (projections.Document[sessions.Document], projections.Document[sessions.Trace], error)
	DeliveryAsOf(ctx context.Context, p service.Principal, id string, at service.Moment) (projections.Document[deliveries.Document], error)
	WebhookAsOf(ctx context.Context, p service.Principal, id string, at service.Moment) (projections.Document[webhooks.Document], error)
	// Head is the position of the last event of the log.
	Head(ctx context.Context) (uint64, error)
}

// Commands are the use cases that change something. Each answers once reads see
// what it did; trying again with the same ids does nothing more.
type Commands interface {
	TestCommands
	WebhookCommands
	PersonaCommands
	KeyCommands
	OAuthCommands
	ChangeOrganization(ctx context.Context, call service.Call, change account.Change) (projections.Document[accounts.Document], error)
	ChangePlan(ctx context.Context, call service.Call, plan account.Plan) (projections.Document[accounts.Document], error)
}

// Limits tells what plans allow, and what is used of that.
type Limits interface {
	// Quota is where the principal's organization stands in this month.
	Quota(ctx context.Context, p service.Principal) (account.Quota, error)
	Usage(ctx context.Context, p service.Principal, which usage.Query) (service.Page[usage.Sum], error)
}

// TestCommands starts, cancels, compares and reports on tests.
type TestCommands interface {
	CreateTest(ctx context.Context, call service.Call, testID string, in service.NewTest) (projections.Document[tests.Document], error)
	CancelTest(ctx context.Context, call service.Call, testID string) (projections.Document[tests.Document], error)
	CreateComparison(ctx context.Context, call service.Call, comparisonID string, in service.NewComparison) (projections.Document[comparisons.Document], error)
	GenerateReport(ctx context.Context, call service.Call, testID, reportID string, criteria []string) (projections.Document[reports.Document], error)
}

// WebhookCommands makes, changes, tries and deletes webhook endpoints, and sends
// deliveries again.
type WebhookCommands interface {
	RegisterWebhook(ctx context.Context, call service.Call, webhookID string, in service.NewWebhook) (service.WithSecret, error)
	ChangeWebhook(ctx context.Context, call service.Call, webhookID string, in service.WebhookChange) (projections.Document[webhooks.Document], error)
	PauseWebhook(ctx context.Context, call service.Call, webhookID string) (projections.Document[webhooks.Document], error)
	EnableWebhook(ctx context.Context, call service.Call, webhookID string) (projections.Document[webhooks.Document], error)
	RotateSecret(ctx context.Context, call service.Call, webhookID, rotationID, secret string) (service.WithSecret, error)
	PromoteSecret(ctx context.Context, call service.Call, webhookID string) (projections.Document[webhooks.Document], error)
	DeleteWebhook(ctx context.Context, call service.Call, webhookID string) error
	PingWebhook(ctx context.Context, call service.Call, webhookID, deliveryID string) (projections.Document[deliveries.Document], error)
	ReplayDelivery(ctx context.Context, call service.Call, sourceID, deliveryID string) (projections.Document[deliveries.Document], error)
	ReplayRange(ctx context.Context, call service.Call, webhookID, replayID string, in service.NewReplay) (service.Replay, error)
}

// KeyCommands makes, changes, replaces and ends API keys.
type KeyCommands interface {
	CreateKey(ctx context.Context, call service.Call, keyID string, in service.NewKey) (projections.Document[service.KeyDocument], error)
	ChangeKey(ctx context.Context, call service.Call, keyID string, change apikey.Change) (projections.Document[service.KeyDocument], error)
	RotateKey(ctx context.Context, call service.Call, keyID, rotationID string, overlap time.Duration) (projections.Document[service.KeyDocument], error)
	RevokeKey(ctx context.Context, call service.Call, keyID string) error
}

// OAuthCommands registers, changes and deletes OAuth clients, and takes back what a
// person has granted one.
type OAuthCommands interface {
	RegisterClient(ctx context.Context, call service.Call, clientID string, in service.NewClient) (projections.Document[service.ClientDocument], error)
	ChangeClient(ctx context.Context, call service.Call, clientID string, name *string, redirectURIs []string) (projections.Document[service.ClientDocument], error)
	RotateClientSecret(ctx context.Context, call service.Call, clientID string, overlap time.Duration) (projections.Document[service.ClientDocument], error)
	DeleteClient(ctx context.Context, call service.Call, clientID string) error
	RevokeGrant(ctx context.Context, call service.Call, grantID string) error
}

// PersonaCommands makes, changes and deletes custom personas.
type PersonaCommands interface {
	CreatePersona(ctx context.Context, call service.Call, personaID string, draft persona.Draft) (projections.Document[personas.Document], error)
	ChangePersona(ctx context.Context, call service.Call, personaID string, patch json.RawMessage) (projections.Document[personas.Document], error)
	DeletePersona(ctx context.Context, call service.Call, personaID string) error
}

// People are the use cases of who belongs to the organization.
type People interface {
	DeleteOrganization(ctx context.Context, call service.Call, name string) error
	// Witnessed is a call that says where its person was, and why.
	Witnessed(ctx context.Context, call service.Call, address, reason string) (service.Call, error)
	Me(ctx context.Context, p service.Principal) (projections.Document[service.MeDocument], error)
	Members(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.MemberDocument], error)
	Member(ctx context.Context, p service.Principal, userID string) (projections.Document[service.MemberDocument], error)
	ChangeRole(ctx context.Context, call service.Call, userID string, role access.Role) (projections.Document[service.MemberDocument], error)
	RemoveMember(ctx context.Context, call service.Call, userID string) error
	Transfer(ctx context.Context, call service.Call, userID string) (projections.Document[service.MemberDocument], error)
	Invitations(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.InvitationDocument], error)
	Invite(ctx context.Context, call service.Call, invitationID, email string, role access.Role) (projections.Document[service.InvitationDocument], error)
	RevokeInvitation(ctx context.Context, call service.Call, invitationID string) error
	AccessLog(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.AccessEntry], error)
}

// Audit proves what the log has. Its answers are ready to send, in the forms of
// the document.
type Audit interface {
	// Head is the newest signed head; domain.CodeUnavailable until there is one.
	Head(ctx context.Context) (AuditHead, error)
	// Proof proves an event of the principal's organization and environment,
	// under the head of a size, the newest one for 0. Any other event is
	// domain.CodeNotFound.
	Proof(ctx context.Context, p service.Principal, stream string, revision uint64, size int64) (AuditProof, error)
	// Consistency proves that the tree of size to, the newest head's for 0,
	// begins with that of size from, which is from 1 to it.
	Consistency(ctx context.Context, from, to int64) (AuditConsistency, error)
}

// Models tells what this installation serves.
type Models interface {
	Models() []service.Model
}

// Artifacts opens artifacts, whosever they are; an unknown one is
// domain.CodeNotFound. The caller closes the content.
type Artifacts interface {
	OpenArtifact(ctx context.Context, id string) (service.Artifact, error)
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
	ServeStream(w http.ResponseWriter, r *http.Request, organizationID, testID string, after uint64) error
	// ServeEvents serves the public events of an organization and environment
	// after a position, nil for those from now on, under the same terms.
	ServeEvents(w http.ResponseWriter, r *http.Request, organizationID string, env domain.Environment, after *uint64) error
}

// RateWindows counts requests in fixed windows of a minute.
type RateWindows interface {
	// Take counts one request and returns the count with it (within the limit
	// when used ≤ limit) and when the window ends. now is the time of this node;
	// where several count together, another clock may tell it.
	Take(ctx context.Context, bucket string, limit int, now time.Time) (used int, resetAt time.Time, err error)
	// Full reports whether the next request would be beyond the limit, as far as this
	// node remembers.
	Full(bucket string, limit int, now time.Time) bool
}

// StoredRequest is what is remembered of a POST with an Idempotency-Key.
type StoredRequest struct {
	// Operation is like "POST /v1/tests".
	Operation string
	// BodyHash is sealed: a body may hold a secret that could be guessed from its hash.
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
	// Stopped says at which event it has stopped, and why.
	Stopped string `json:"stopped,omitempty"`
	// Before names the next event if this program cannot take it in: a reactor
	// holds before it.
	Before string `json:"before,omitempty"`
}
