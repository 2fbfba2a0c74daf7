package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"understudy/adapters/httpapi"
	"understudy/adapters/postgres"
	usecases "understudy/adapters/service"
	"understudy/domain/account"
	facts "understudy/domain/process"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/test/harness"
)

const (
	// authReading requests are made of each handler, in authTurns turns.
	authReading, authTurns = 8000, 40
	authAim                = "p99 ≤ 1.3 × without authentication"
)

// anyKey takes everybody for one principal, without a look at what is sent.
type anyKey struct{ usecases.Principal }

func (anyKey) Knows(string) bool { return true }

func (k anyKey) Authenticate(context.Context, string) (usecases.Principal, error) {
	return k.Principal, nil
}

// uncounted lets every request through.
type uncounted struct{}

func (uncounted) Take(_ context.Context, _ string, _ int, now time.Time) (int, time.Time, error) {
	return 1, now.Add(time.Minute), nil
}

func (uncounted) Full(string, int, time.Time) bool { return false }

type up struct{ httpapi.Readiness }

func (up) Starting() bool { return false }

// installation is where a handler of this process finds what it answers from.
type installation struct {
	*service
	database string
	store    eventstore.Config
	// shared: other processes record as well.
	shared bool
}

// measureAuth reads one test through the interface's handler with its keys, and through
// the same handler that takes everybody for the key's owner: this process answers on the
// service's Postgres and log. It does so beside a lone service, and beside two that share
// an event store and a Postgres.
func measureAuth(ctx context.Context, b *bench) error {
	err := b.with(ctx, "auth", func(s *service) error {
		query := url.Values{"host": {filepath.Join(s.Data(), "postgres")}, "port": {"5432"}, "sslmode": {"disable"}}
		return b.authOn(ctx, "one node", installation{
			service: s, database: "postgres://understudy@/understudy?" + query.Encode(), store: eventstore.Config{Socket: filepath.Join(s.Data(), "events.sock")},
		})
	})
	if err != nil {
		return err
	}
	return b.withTwo(ctx, "auth", func(first installation) error { return b.authOn(ctx, "two nodes", first) })
}

// withTwo starts two services on one event store and one Postgres and uses the first.
func (b *bench) withTwo(ctx context.Context, name string, use func(first installation) error) (err error) {
	node, address, err := harness.LaunchNode(ctx, b.binary, nil, "--data-dir", filepath.Join(b.dir, name+"-events"), "--insecure")
	if err != nil {
		return err
	}
	defer func() {
		_, ended := node.Terminate(harness.StopLimit)
		err = errors.Join(err, ended)
	}()
	server, err := postgres.StartPrivate(ctx, postgres.PrivateOptions{DataDir: filepath.Join(b.dir, name+"-postgres"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	connection := "esdb://" + address + "?tls=false"
	env := []string{"UNDERSTUDY_EVENTSTORE=" + connection, "UNDERSTUDY_DATABASE_URL=" + server.URL()}
	first, err := b.start(ctx, name+"-first", nil, env...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, first.Stop()) }()
	if err := first.Share(&harness.Service{Dir: filepath.Join(b.dir, name+"-second")}); err != nil {
		return err
	}
	other, err := b.start(ctx, name+"-second", []string{"--roles", "api"}, env...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.Stop()) }()
	return use(installation{service: first, database: server.URL(), store: eventstore.Config{URL: connection}, shared: true})
}

func (b *bench) authOn(ctx context.Context, where string, on installation) (err error) {
	test, _, err := on.Sandbox().Create(ctx, harness.SignUp(1))
	if err != nil {
		return err
	}
	if err := completed(ctx, on.Sandbox(), test.ID, 100*time.Millisecond, oneLimit); err != nil {
		return err
	}
	pool, err := postgres.Connect(ctx, on.database, postgres.PoolOptions{MaxConns: readers, Name: "bench"})
	if err != nil {
		return err
	}
	defer pool.Close()
	on.store.Codec = eventstore.NewCodec(facts.Catalogue())
	store, err := eventstore.Open(on.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	directory := &usecases.Directory{Plans: account.Specified(), Pool: pool, Log: store, Shared: on.shared, Uses: postgres.NewKeyUses(pool), Logger: slog.New(slog.DiscardHandler)}
	following, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- directory.Run(following) }()
	defer func() { cancel(); err = errors.Join(err, <-ended) }()
	who, err := directory.Authenticate(ctx, on.Keys.Test)
	if err != nil {
		return err
	}
	uses := usecases.New(usecases.Deps{Reads: usecases.NewReads(pool, projections.NewPositions(), nil), Directory: directory})
	with, stopWith, err := serveAPI(ctx, uses, directory)
	if err != nil {
		return err
	}
	defer stopWith()
	without, stopWithout, err := serveAPI(ctx, uses, anyKey{who})
	if err != nil {
		return err
	}
	defer stopWithout()
	return compareAuth(ctx, b, where, harness.Client{Addr: with, Key: on.Keys.Test}, harness.Client{Addr: without, Key: on.Keys.Test}, "/tests/"+test.ID)
}

// serveAPI serves the interface with an authenticator of one's choice.
func serveAPI(ctx context.Context, uses *usecases.Service, auth httpapi.Authenticator) (address string, stop func(), err error) {
	signer, err := httpapi.NewSigner(func() [][]byte { return [][]byte{make([]byte, 32)} })
	if err != nil {
		return "", nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	base := "http://" + l.Addr().String()
	links, err := httpapi.NewLinks(base+"/v1", base, signer)
	if err != nil {
		return "", nil, errors.Join(err, l.Close())
	}
	handler, err := httpapi.New(httpapi.Deps{
		Links: links, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Auth: auth, Rates: uncounted{},
		Commands: uses, Reads: uses, Histories: uses, Artifacts: uses, Readiness: up{}, Metrics: http.NotFoundHandler(),
	})
	if err != nil {
		return "", nil, errors.Join(err, l.Close())
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // ends with the server
	return l.Addr().String(), func() { _ = server.Close() }, nil
}

// compareAuth reads turn and turn about, so that both meet the same machine.
func compareAuth(ctx context.Context, b *bench, where string, with, without harness.Client, path string) error {
	n := b.n(authReading) / authTurns
	var each, bare times
	for turn := range authTurns + 1 {
		_, t, err := readAll(ctx, with, path, max(n, readers))
		if err != nil {
			return err
		}
		_, u, err := readAll(ctx, without, path, max(n, readers))
		if err != nil {
			return err
		}
		if turn > 0 { // both are warm then
			each, bare = append(each, t...), append(bare, u...)
		}
	}
	b.table.add("auth", "GET /tests/{id}, "+where+", everybody let in", bare.spread(), "", fmt.Sprintf("n=%d, %d at a time", len(bare), readers))
	b.table.add("auth", "GET /tests/{id}, "+where+", keys verified", each.spread(), authAim,
		fmt.Sprintf("p99 is %.2f ×, p50 %.2f × without", float64(each.at(0.99))/float64(bare.at(0.99)), float64(each.at(0.5))/float64(bare.at(0.5))))
	return nil
}
