package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/user"
	"understudy/eventstore"
	"understudy/projections/accounts"
	"understudy/projections/keys"
	"understudy/projections/people"
)

// Subjects seals what is personal with the key of whom it is of.
type Subjects interface {
	Create(ctx context.Context, subject string) error
	Seal(ctx context.Context, subject, place, plain string) (string, error)
	Open(ctx context.Context, subject, place, sealed string) (string, error)
	// Hash is keyed, and the same for the same text.
	Hash(ctx context.Context, text string) (string, error)
}

// Attempts says how long to wait before something is tried again.
type Attempts interface {
	Take(ctx context.Context, bucket string, free int) (wait time.Duration, err error)
	// Clear forgets all that was taken, Return the last one.
	Clear(ctx context.Context, bucket string) error
	Return(ctx context.Context, bucket string) error
}

// Letter is a mail to one person. Link is the address in it, "" for none.
type Letter struct{ ID, To, Subject, Text, Link string }

// Post takes letters. It does not wait until they are sent.
type Post interface{ Send(l Letter) }

// PeopleDeps is what People stands on beside the service.
type PeopleDeps struct {
	Subjects  Subjects
	Attempts  Attempts
	Passwords *Passwords
	Post      Post
	// AppURL is where the pages are.
	AppURL string
	// First is the organization that the first person who signs up takes over.
	First string
	// Invited: nobody signs up but by an invitation.
	Invited bool
	Logger  *slog.Logger
}

// People are the use cases of people: signing up and in, organizations and who
// belongs to them.
type People struct {
	*Service
	PeopleDeps
	waiting sync.WaitGroup
	seats   chan struct{}
}

const (
	// laterAtOnce and laterLimit bound what is done after the answer.
	laterAtOnce = 32
	laterLimit  = 30 * time.Second
)

// NewPeople makes the use cases.
func NewPeople(s *Service, d PeopleDeps) *People {
	return &People{Service: s, PeopleDeps: d, seats: make(chan struct{}, laterAtOnce)}
}

// later does something after the answer, so that how long the answer takes tells
// nothing about who has an account. What fails is logged: the person asks again.
func (p *People) later(ctx context.Context, what string, do func(ctx context.Context) error) {
	ctx = context.WithoutCancel(ctx)
	p.seats <- struct{}{}
	p.waiting.Go(func() {
		defer func() { <-p.seats }()
		ctx, cancel := context.WithTimeout(ctx, laterLimit)
		defer cancel()
		if err := do(ctx); err != nil {
			p.Logger.Error("could not "+what, "error", err)
		}
	})
}

// Close waits for what is done after answers.
func (p *People) Close() error {
	p.waiting.Wait()
	return nil
}

// Visit is a request of a browser.
type Visit struct {
	// Address is the visitor's network address, Bucket that by which it is counted.
	Address, Bucket string
	Agent           string
	RequestID       string
	CommandID       uuid.UUID
}

// meta is the metadata of what a visit does to a person, whose key there is.
func (p *People) meta(ctx context.Context, v Visit, userID, organizationID string) (domain.Meta, error) {
	sealed, err := p.Subjects.Seal(ctx, userID, placeAddress, v.Address)
	return domain.Meta{
		CorrelationID: userID, CausationID: v.CommandID.String(), Actor: userID, OrganizationID: organizationID,
		RequestID: v.RequestID, Address: sealed,
	}, err
}

// of is the id of one of the commands of a visit.
func (v Visit) of(what string) uuid.UUID { return domain.DeriveUUID(v.CommandID.String(), what) }

// Witnessed is a call whose metadata says where the person was, for what changes
// access.
func (p *People) Witnessed(ctx context.Context, call Call, address, reason string) (Call, error) {
	if call.Principal.UserID == "" {
		return call, nil
	}
	var err error
	if call.Meta.Address, err = p.Subjects.Seal(ctx, call.Principal.UserID, placeAddress, address); err != nil {
		return call, err
	}
	if reason != "" {
		if err := p.Subjects.Create(ctx, call.Principal.OrganizationID); err != nil {
			return call, err
		}
		call.Meta.Reason, err = p.Subjects.Seal(ctx, call.Principal.OrganizationID, placeReason, reason)
	}
	return call, err
}

// The places of what is sealed with subjects' keys.
const (
	placeEmail   = "email"
	placeName    = "name"
	placeAddress = "address"
	placeAgent   = "agent"
	placeReason  = "reason"
	placeFactor  = "factor"
	placeInvited = "invited "
)

const maxEmail, maxName, maxAgent = 254, 100, 300

// normal is a mail address as it is kept and compared.
func normal(email string) (string, error) {
	parsed, err := netmail.ParseAddress(strings.TrimSpace(email))
	if err != nil || parsed.Name != "" || len(parsed.Address) > maxEmail || strings.ContainsAny(parsed.Address, "\"\r\n ") {
		return "", domain.Invalid("email", "invalid_email", "this is no mail address")
	}
	return strings.ToLower(parsed.Address), nil
}

func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > maxName || strings.ContainsAny(name, "\r\n\x00") {
		return "", domain.Invalid("name", "length", "a name has 1 to %d characters", maxName)
	}
	return name, nil
}

// secret makes what a link holds, and its hash.
func secret() (token, hash string) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails: it ends the program instead
	token = base64.RawURLEncoding.EncodeToString(raw)
	return token, hashOf(token)
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// CodeRateLimited is the code of who asks or tries too often.
const CodeRateLimited domain.Code = "rate_limited"

// TooManyError is the answer to who has to wait before trying again.
type TooManyError struct{ Wait time.Duration }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("too many attempts; try again in %s", e.Wait.Round(time.Second))
}

// attempt counts one against each bucket, with how many are free.
func (p *People) attempt(ctx context.Context, buckets map[string]int) error {
	for bucket, free := range buckets {
		wait, err := p.Attempts.Take(ctx, bucket, free)
		if err != nil {
			return err
		}
		if wait > 0 {
			return &TooManyError{wait}
		}
	}
	return nil
}

// toUser runs a command on a person's stream and waits until reads see it.
func toUser[T any](ctx context.Context, p *People, id uuid.UUID, userID string, command user.Command, meta domain.Meta, read func(user.State) (T, error)) (T, error) {
	return handle(ctx, p.Service, p.Streams.Users, Call{CommandID: id, Meta: meta}, user.Stream(userID), command, []string{people.Projection.Name}, read)
}

// done is the end of a command whose answer is nothing.
func done[S any](S) (struct{}, error) { return struct{}{}, nil }

// toAccount runs a command on an organization's stream, and waits until all that
// tells who may do what has seen it.
func toAccount[T any](ctx context.Context, p *People, call Call, organizationID string, command account.Command, read func(account.State) (T, error)) (T, error) {
	var none T
	shown := []string{people.Projection.Name, accounts.Projection.Name, keys.Projection.Name}
	if err := p.Ready.Accepts(shown...); err != nil {
		return none, err
	}
	result, err := p.Streams.Accounts.Handle(ctx, call.CommandID, account.Stream(organizationID), command, call.Meta)
	if err != nil {
		return none, err
	}
	for _, name := range shown {
		if err := p.Positions.WaitOwnWrite(ctx, name, result.Position); err != nil {
			return none, err
		}
	}
	if err := p.Directory.wait(ctx, result.Position); err != nil {
		return none, err
	}
	return read(result.State)
}

// loadUser is a person as of now; nobody has the initial state.
func (p *People) loadUser(ctx context.Context, userID string) (user.State, error) {
	result, err := p.Streams.Users.Load(ctx, user.Stream(userID))
	if isNew(err) {
		err = nil
	}
	return result.State, err
}

func isNew(err error) bool { return errors.Is(err, eventstore.ErrStreamNotFound) }
