// Package service is what the product does for whoever asks, through whatever
// door: every use case as a method with typed inputs. A command is decided on
// the stream it belongs to, recorded, and answered with what reads then show.
package service

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/projections"
)

// Principal is who asks: an API key, a token or a session of a person in an
// organization.
type Principal struct {
	// KeyID is the credential's id: that of a key, a grant or a session.
	KeyID string
	// UserID is the person behind the credential, Role what that person is in the
	// organization today.
	UserID string
	Role   access.Role
	// SignedIn: the credential is a session of the dashboard.
	SignedIn       bool
	OrganizationID string
	Environment    domain.Environment
	// Scopes are those in effect, within the role.
	Scopes []string
	// Actor is the key's id, or the person's for tokens and sessions.
	Actor string
	// Plan is the organization's.
	Plan account.Plan
	// RateLimit is the requests per minute of the plan, > 0.
	RateLimit int
}

func (p Principal) owner() projections.Owner {
	return projections.Owner{OrganizationID: p.OrganizationID, Environment: p.Environment}
}

// Call is what every command carries: who asks, the metadata of the events it
// makes, and an id that is the same whenever the same request is tried again.
// Commands append under event ids derived from it, so that a retry writes
// nothing twice.
type Call struct {
	Principal Principal
	Meta      domain.Meta
	CommandID uuid.UUID
	// Seen are the revisions of the resource that the command was given for, nil
	// for all. Where it has another one, the command is refused with
	// domain.CodeChanged.
	Seen []uint64
}

func (c Call) seen(revision uint64) bool { return c.Seen == nil || slices.Contains(c.Seen, revision) }

// about is the call as one of everything that belongs together by an id.
func (c Call) about(correlationID string) Call {
	c.Meta.CorrelationID = correlationID
	return c
}

// Readiness knows which read models can be waited for.
type Readiness interface {
	// Accepts refuses, with domain.CodeUnavailable, when one of them cannot.
	Accepts(readModels ...string) error
}

// Targets judges addresses. Its refusals are about the field url.
type Targets interface {
	// CheckURL refuses what this installation does not connect to.
	CheckURL(ctx context.Context, url string) error
}

// Keys seals secrets, each for one place.
type Keys interface {
	SealString(plain, place string) (string, error)
	OpenString(sealed, place string) (string, error)
}

// Model is a simulation model that this installation serves.
type Model struct {
	Description string `json:"description,omitempty"`
	Name        string `json:"name"`
	Provider    string `json:"provider"` // embedded, openai or anthropic
}

// Models tells which models there are.
type Models interface {
	Models() []Model
}

// Reporter builds reports.
type Reporter interface {
	// Another records a report of a completed test by criteria. position is that
	// of the test's end, id names the command.
	Another(ctx context.Context, id uuid.UUID, meta domain.Meta, test testrun.Created, reportID string, criteria []string, position uint64) (uint64, error)
}

// Deps is what a Service stands on.
type Deps struct {
	Reads
	Streams   *Streams
	Ready     Readiness
	Targets   Targets
	Browser   Browser
	Keys      Keys
	Models    Models
	Reporter  Reporter
	Directory *Directory
	Tokens    *Tokens
	Quotas    Quotas
	// Plans are the limits of every plan.
	Plans account.Plans
	// NewKey makes an API key.
	NewKey func(domain.Environment) string
	// NewSecret makes a secret to sign deliveries with.
	NewSecret func() string
	// Caps are what an organization may have at once.
	Caps Caps
	// Room refuses new tests while the disk is nearly full.
	Room func() error
	// Width is how many sessions are walked at once.
	Width map[domain.Environment]int
}

// Service has all use cases.
type Service struct {
	Deps
	admission admission
}

// New makes the service.
func New(d Deps) *Service { return &Service{Deps: d} }

func now() domain.Time { return domain.At(time.Now()) }

// answer is the way of every command. It is refused before anything is recorded
// when what it does could not be read back; it is recorded; and once the first
// of the read models shows it, the answer is read.
func answer[T any](ctx context.Context, s *Service, readModels []string, record func() (position uint64, err error), read func() (T, error)) (T, error) {
	var none T
	if err := s.Ready.Accepts(readModels...); err != nil {
		return none, err
	}
	position, err := record()
	if err != nil {
		return none, err
	}
	if err := s.Positions.WaitOwnWrite(ctx, readModels[0], position); err != nil {
		return none, err
	}
	return read()
}

// handle is answer for a command that is decided on a stream; read gets the
// stream's state after it.
func handle[T, S, C any, E domain.Event](ctx context.Context, s *Service, h *eventstore.Handler[S, C, E], call Call, stream string, command C, readModels []string, read func(S) (T, error)) (T, error) {
	var result eventstore.Result[S]
	record := func() (_ uint64, err error) {
		result, err = h.HandleSeen(ctx, call.CommandID, stream, command, call.Meta, call.seen)
		return result.Position, err
	}
	return answer(ctx, s, readModels, record, func() (T, error) { return read(result.State) })
}
