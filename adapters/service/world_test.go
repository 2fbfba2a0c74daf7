package service_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/adapters/postgres"
	"understudy/adapters/postgres/pgtest"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/apikey"
	"understudy/domain/process"
	"understudy/domain/report"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/projections"
	"understudy/projections/readmodels"
	"understudy/test/patience"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// limit bounds what a test waits for, on an idle machine.
const limit = 30 * time.Second

// world is a service over a node and a database of its own.
type world struct {
	*service.Service
	t     *testing.T
	ctx   context.Context
	store *eventstore.Store
	// opens another store on the log, which reads events by a codec.
	opens func(*eventstore.Codec) *eventstore.Store
	// stale is what Accepts refuses with, nil for nothing.
	stale error
	// refuses says so of some of them.
	refuses func(readModels []string) error
	// denied is an address that may not be connected to.
	denied string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), limit)
	w := &world{t: t, ctx: ctx, denied: "http://denied.example/"}
	dir := t.TempDir()
	n, err := node.Start(ctx, node.Options{Dir: filepath.Join(dir, "log"), Socket: filepath.Join(dir, "es.sock")})
	w.must(err)
	w.opens = func(codec *eventstore.Codec) *eventstore.Store {
		store, err := eventstore.Open(eventstore.Config{Socket: filepath.Join(dir, "es.sock"), Codec: codec, CallTimeout: patience.Scaled(limit)})
		w.must(err)
		return store
	}
	w.store = w.opens(eventstore.NewCodec(process.Catalogue()))
	pool, positions := pgtest.Pool(t), projections.NewPositions()
	ended := make(chan error)
	for _, p := range readmodels.All() {
		w.must(projections.Prepare(ctx, pool, p))
		projector := &projections.Projector{Projection: p, Pool: pool, Log: w.store, Positions: positions, Logger: slog.New(slog.DiscardHandler)}
		go func() { ended <- projector.Run(ctx) }()
	}
	t.Cleanup(func() {
		cancel()
		for range readmodels.All() {
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		if err := errors.Join(w.store.Close(), n.Close()); err != nil {
			t.Error(err)
		}
	})
	streams := service.NewStreams(w.store)
	directory := &service.Directory{Pool: pool, Log: w.store, Uses: &uses{}, Plans: account.Specified(), Logger: slog.New(slog.DiscardHandler)}
	followed := make(chan error, 1)
	go func() { followed <- directory.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		w.must(<-followed)
	})
	w.Service = service.New(service.Deps{
		Room:  func() error { return nil },
		Reads: service.NewReads(pool, positions, nil), Streams: streams, Ready: w, Targets: w, Keys: sealing{}, Models: w, Reporter: reporter{streams},
		Directory: directory, Tokens: &service.Tokens{Pool: pool, Log: w.store, Logger: slog.New(slog.DiscardHandler)}, Quotas: postgres.NewQuotas(pool), Plans: account.Specified(), Caps: service.Caps{Tests: 3, Sessions: 9000, Webhooks: 2, Personas: 2},
		NewKey: func(env domain.Environment) string {
			entropy := make([]byte, 64)
			_, _ = rand.Read(entropy)
			return apikey.NewKey(env, entropy)
		},
		NewSecret: func() string { return "whsec_made" },
		Width:     map[domain.Environment]int{domain.Live: 2, domain.Sandbox: 32},
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// Accepts refuses while the read models are said to be stale.
func (w *world) Accepts(readModels ...string) error {
	if w.refuses != nil {
		return w.refuses(readModels)
	}
	return w.stale
}

// CheckURL refuses what has no scheme, and denies one address.
func (w *world) CheckURL(_ context.Context, url string) error {
	switch {
	case !strings.Contains(url, "://"):
		return domain.Invalid("url", "invalid_url", "no address")
	case url == w.denied:
		return domain.Refuse(domain.CodeTargetNotAllowed, "denied")
	}
	return nil
}

// Models are two.
func (w *world) Models() []service.Model {
	return []service.Model{{Name: "forager-2", Provider: "embedded"}, {Name: "openai/some", Provider: "openai"}}
}

// sealing seals so that it can be read.
type sealing struct{}

func (sealing) SealString(plain, place string) (string, error) { return place + "|" + plain, nil }

func (sealing) OpenString(sealed, place string) (string, error) {
	plain, ok := strings.CutPrefix(sealed, place+"|")
	if !ok {
		return "", errors.New("sealed for another place")
	}
	return plain, nil
}

// reporter records reports that say nothing.
type reporter struct{ streams *service.Streams }

func (r reporter) Another(ctx context.Context, id uuid.UUID, meta domain.Meta, test testrun.Created, reportID string, criteria []string, _ uint64) (uint64, error) {
	if len(criteria) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return r.streams.Execute(ctx, domain.Envelope{ID: id, Stream: report.Stream(reportID), Meta: meta, Command: report.Generate{Report: report.Generated{
		ReportID: reportID, TestID: test.TestID, OrganizationID: test.OrganizationID, Environment: test.Environment, At: test.CreatedAt,
	}}})
}

var (
	alice = service.Principal{Plan: account.Team, KeyID: "key_a", Actor: "key_a", OrganizationID: "org_a", Environment: domain.Live, Scopes: []string{access.Full}}
	// sandbox is the same organization's, mallory another's.
	sandbox = service.Principal{KeyID: "key_s", Actor: "key_s", OrganizationID: "org_a", Environment: domain.Sandbox}
	mallory = service.Principal{Plan: account.Team, KeyID: "key_m", Actor: "key_m", OrganizationID: "org_m", Environment: domain.Live}
)

// call is a request of somebody's that makes what has this id.
func call(p service.Principal, id string) service.Call {
	return service.Call{
		Principal: p, CommandID: domain.DeriveUUID("request", id),
		Meta: domain.Meta{Actor: p.Actor, OrganizationID: p.OrganizationID, Environment: p.Environment},
	}
}

func newID(prefix string) string { return domain.FormatID(prefix, uuid.Must(uuid.NewV7())) }

// found makes alice's organization with a key.
func (w *world) found(token string) {
	w.t.Helper()
	id, at := alice.OrganizationID, domain.At(time.Now())
	key := account.KeyCreated{
		KeyID: "key_of_" + id, OrganizationID: id, Environment: domain.Live, Name: "first", Hash: apikey.HashKey(token),
		LastFour: token[len(token)-4:], Scopes: []string{access.Full}, CreatedBy: "usr_1", At: at,
	}
	result, err := w.Streams.Accounts.Handle(w.ctx, domain.DeriveUUID("found", id), account.Stream(id), account.Found{
		Organization: account.OrganizationCreated{OrganizationID: id, Name: "Acme", Plan: account.Team, At: at},
		Owner:        account.UserAdded{UserID: "usr_1", Email: "sealed", PasswordHash: "hash", Role: string(access.Owner), At: at},
		Keys:         []account.KeyCreated{key},
	}, domain.Meta{OrganizationID: id})
	w.must(err)
	for _, name := range []string{"accounts", "keys"} {
		w.must(w.Positions.Wait(w.ctx, name, result.Position))
	}
}

// refused checks the code of a refusal.
func (w *world) refused(err error, code domain.Code) {
	w.t.Helper()
	if domain.CodeOf(err) != code {
		w.t.Errorf("got %v, want the refusal %s", err, code)
	}
}

// at checks that a refusal names a field.
func (w *world) at(err error, field string) {
	w.t.Helper()
	var refusal *domain.Error
	if !errors.As(err, &refusal) || len(refusal.Fields) == 0 || refusal.Fields[0].Field != field {
		w.t.Errorf("got %v, want a refusal at %s", err, field)
	}
}
