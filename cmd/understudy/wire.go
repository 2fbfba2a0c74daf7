package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"understudy/adapters/blob"
	"understudy/adapters/browser"
	"understudy/adapters/comparer"
	"understudy/adapters/egress"
	"understudy/adapters/httpapi"
	"understudy/adapters/keyring"
	"understudy/adapters/postgres"
	"understudy/adapters/reactors"
	"understudy/adapters/reporter"
	"understudy/adapters/runner"
	"understudy/adapters/streamhub"
	"understudy/adapters/webhooksender"
	"understudy/adapters/worker"
	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/comparisons"
	"understudy/projections/deliveries"
	"understudy/projections/gates"
	"understudy/projections/personas"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/timeline"
	"understudy/projections/webhooks"
	"understudy/projections/worklist"
)

// sandboxWidth is how many sandbox sessions walk at once: they take no time
// but that of their appends, which go into common group commits.
const sandboxWidth = 32

// app is the built service.
type app struct {
	streams   *streams
	keys      *keyring.Keyring
	positions *projections.Positions
	ready     *readiness
	hub       *streamhub.Hub
	handler   http.Handler

	// workers take work up; followers show and pass on what they did, and so
	// end after them.
	workers   []func(context.Context) error
	followers []func(context.Context) error
	closes    []func() error
}

// allProjections are the read models.
func allProjections() []projections.Projection {
	return []projections.Projection{
		accounts.Projection, tests.Projection, sessions.Projection, reports.Projection, gates.Projection,
		comparisons.Projection, webhooks.Projection, deliveries.Projection, timeline.Projection, worklist.Projection,
		personas.Projection,
	}
}

// build constructs the whole service, by hand, in one go. What it opened is
// closed again when it fails.
func build(ctx context.Context, cfg config, log *slog.Logger) (_ *app, err error) {
	a := &app{}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	if err := os.MkdirAll(cfg.dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("UNDERSTUDY_DATA_DIR: %w", err)
	}
	if a.keys, err = keyring.Open(filepath.Join(cfg.dataDir, "keyring.json")); err != nil {
		return nil, err
	}

	// Storage: the log, the read models' database, the blobs.
	store, err := a.openStore(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	pool, err := a.openPostgres(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	blobs, err := blob.Open(ctx, cfg.blobURL)
	if err != nil {
		return nil, err
	}
	a.closes = append(a.closes, blobs.Close)
	leases := postgres.NewLeases(pool)
	if !cfg.shared() {
		// The embedded node is locked to this process, so whoever held a
		// lease is dead and its work need not wait.
		if _, err := pool.Exec(ctx, `DELETE FROM ops.leases`); err != nil {
			return nil, fmt.Errorf("end the leases of the last run: %w", err)
		}
	}

	a.streams = newStreams(store)
	a.positions = projections.NewPositions()
	if cfg.shared() {
		byName := map[string]projections.Projection{}
		for _, p := range allProjections() {
			byName[p.Name] = p
		}
		a.positions.Read = func(ctx context.Context, name string) (int64, error) {
			return projections.ReadPosition(ctx, pool, byName[name])
		}
	}
	if a.ready, err = newReadiness(ctx, store, pool, a.positions, allProjections()); err != nil {
		return nil, err
	}
	var projecting []func(context.Context) error
	for _, p := range a.ready.projections {
		if err := projections.Prepare(ctx, pool, p); err != nil {
			return nil, err
		}
		projector := &projections.Projector{Projection: p, Pool: pool, Log: store, Positions: a.positions, Logger: log}
		projecting = append(projecting, func(ctx context.Context) error {
			// A stopped projection is no reason to stop the others: answers
			// that need it are refused, and readiness says why.
			if err := projector.Run(ctx); err != nil {
				log.Error("projection stopped", "error", err)
			}
			return nil
		})
	}
	a.follow(cfg, roleProjector, leading(pool, "projectors", log, together(projecting)))

	policy := egress.NewPolicy(cfg.egressAllow)
	signer, err := httpapi.NewSigner(a.keys.SigningKey())
	if err != nil {
		return nil, err
	}
	links, err := httpapi.NewLinks(cfg.baseURL, cfg.appURL, signer)
	if err != nil {
		return nil, err
	}
	reads := reads{pool: pool, positions: a.positions, blobs: blobs}

	// Reactors: what follows from an event.
	following := &reactors.Reactors{
		Log: store, Commands: a.streams, Tests: a.streams, Endpoints: endpoints{reads}, Links: links,
		Checkpoints: postgres.NewCheckpoints(pool), Logger: log,
	}
	a.follow(cfg, roleReactors, leading(pool, "reactors", log, following.Run))

	// Workers: what takes time.
	owner := ownerName()
	models, err := newModels(cfg.models, log)
	if err != nil {
		return nil, err
	}
	chromium, printer := a.openBrowser(cfg, log)
	walker, err := a.runner(ctx, cfg, policy, blobs, chromium, owner, log)
	if err != nil {
		return nil, err
	}
	walker.Brains = models
	report := &reporter.Reporter{
		Reads:    reportReads{reads},
		Commands: a.streams, Created: a.streams.Created, Finished: a.streams.Finished, Now: time.Now,
	}
	compare := &comparer.Comparer{
		Reads: reportReads{reads}, Commands: a.streams, Comparison: a.streams.Comparison, Test: a.streams.Latest, Now: time.Now,
	}
	loop := func(kind worklist.Kind, env domain.Environment, width int, do func(context.Context, worklist.Item) (uint64, error)) {
		l := &worker.Loop{
			Name: string(kind) + " " + string(env), Owner: owner, Concurrency: width, Do: do, Leases: leases, Logger: log,
			List: worklist.List{DB: pool, Positions: a.positions, Kind: kind, Environment: env},
		}
		a.work(cfg, roleRunner, l.Run)
	}
	width := map[domain.Environment]int{domain.Live: cfg.browsers, domain.Sandbox: sandboxWidth}
	for env, sessionsAtOnce := range width {
		loop(worklist.Start, env, 8, walker.Start)
		loop(worklist.Session, env, sessionsAtOnce, walker.Session)
		loop(worklist.Report, env, 2, report.Complete)
		loop(worklist.Compare, env, 1, compare.Compare)
	}
	wake := make(chan struct{}, 1)
	a.work(cfg, roleSender, wakeOn(a.positions, worklist.Projection.Name, wake))
	sender := &webhooksender.Worker{
		Sender:     webhooksender.New(policy.DialContext),
		Jobs:       deliveryJobs{pool: pool, leases: leases},
		Deliveries: deliveryRecords{streams: a.streams, positions: a.positions, keys: a.keys},
		Logger:     log, Owner: owner, Wake: wake, Drain: 10 * time.Second,
	}
	a.work(cfg, roleSender, func(ctx context.Context) error {
		if err := sender.Run(ctx); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})

	// The face: REST, streams, metrics.
	a.hub = streamhub.New(feed{reads}, links.DecorateMessage, log)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registry.MustRegister(a.ready.metrics()...)
	requests := postgres.NewIdempotency(pool)
	a.work(cfg, roleReactors, sweeping(requests, leases, log))
	custom := &personaCommands{streams: a.streams, pool: pool, positions: a.positions, ready: a.ready}
	testing := &testCommands{
		streams: a.streams, pool: pool, positions: a.positions, ready: a.ready, egress: policy, keys: a.keys, models: models, width: width,
		personas: custom,
	}
	a.handler, err = httpapi.New(httpapi.Deps{
		Links: links, Logger: log, Now: time.Now, TrustedProxies: cfg.proxies,
		Unavailable: func(err error) bool { return errors.Is(err, eventstore.ErrUnavailable) || isOutage(err) },
		Auth:        reads, Rates: postgres.NewRateWindows(pool), Requests: requestRows{requests}, Sealer: a.keys,
		TestCommands:       testing,
		ComparisonCommands: &comparisonCommands{streams: a.streams, pool: pool, positions: a.positions, ready: a.ready, tests: testing},
		ReportCommands:     &reportCommands{streams: a.streams, pool: pool, positions: a.positions, ready: a.ready, reporter: report},
		WebhookCommands:    &webhookCommands{streams: a.streams, pool: pool, positions: a.positions, ready: a.ready, egress: policy, keys: a.keys},
		PersonaCommands:    custom,
		Organizations:      &organizations{streams: a.streams, pool: pool, positions: a.positions, ready: a.ready},
		Tests:              reads.tests(), Sessions: reads.sessions(), Traces: reads.traces(), Recordings: reads.recordings(),
		Screenshots: reads.screenshots(), Reports: reads.reports(), Comparisons: reads.comparisons(), Webhooks: reads.webhooks(), Deliveries: reads.deliveries(),
		Personas: reads.personas(), Packs: reads, Models: models, Artifacts: reads, Stream: a.hub, Printer: printer,
		Readiness: a.ready, Metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	})
	if !cfg.has(roleAPI) {
		a.handler = onlyProbes(a.handler)
	}
	return a, err
}

// work adds a worker that the process runs in one of its roles.
func (a *app) work(cfg config, role string, run func(context.Context) error) {
	if cfg.has(role) {
		a.workers = append(a.workers, run)
	}
}

// follow adds a follower of the log that the process runs in one of its roles.
func (a *app) follow(cfg config, role string, run func(context.Context) error) {
	if cfg.has(role) {
		a.followers = append(a.followers, run)
	}
}

// onlyProbes answers the operator's questions and nothing else.
func onlyProbes(all http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz", "/readyz", "/metrics":
			all.ServeHTTP(w, r)
		default:
			http.NotFound(w, r)
		}
	})
}

func (a *app) openStore(ctx context.Context, cfg config, log *slog.Logger) (*eventstore.Store, error) {
	c := eventstore.Config{URL: cfg.eventStore, Codec: codec(), Logger: log}
	if !cfg.shared() {
		socket, err := socketPath(cfg.dataDir)
		if err != nil {
			return nil, err
		}
		n, err := node.Start(ctx, node.Options{Dir: filepath.Join(cfg.dataDir, "events"), Socket: socket, Logger: log})
		if err != nil {
			return nil, fmt.Errorf("event store: %w", err)
		}
		a.closes = append(a.closes, n.Close)
		a.followers = append(a.followers, func(ctx context.Context) error {
			select {
			case <-n.Failed(): // the disk; only a new start may trust it again
				return fmt.Errorf("event store: %w", n.Err())
			case <-ctx.Done():
				return nil
			}
		})
		c.URL, c.Socket = n.ConnectionString(), n.Socket()
	}
	store, err := eventstore.Open(c)
	if err != nil {
		return nil, fmt.Errorf("event store: %w", err)
	}
	a.closes = append(a.closes, store.Close)
	return store, nil
}

// maxSocketPath is the longest path of a unix socket on Linux and macOS.
const maxSocketPath = 100

// socketPath is in the data directory, or, where its name is too long for a
// socket, in a directory of our own below the temporary one.
func socketPath(dataDir string) (string, error) {
	path := filepath.Join(dataDir, "events.sock")
	if len(path) <= maxSocketPath {
		return path, nil
	}
	h := fnv.New64a()
	h.Write([]byte(dataDir))
	dir := filepath.Join(os.TempDir(), "understudy-"+strconv.FormatUint(h.Sum64(), 36))
	return filepath.Join(dir, "events.sock"), os.MkdirAll(dir, 0o700)
}

func (a *app) openPostgres(ctx context.Context, cfg config, log *slog.Logger) (*pgxpool.Pool, error) {
	url := cfg.databaseURL
	if url == "" {
		server, err := postgres.StartPrivate(ctx, postgres.PrivateOptions{DataDir: filepath.Join(cfg.dataDir, "postgres"), Logger: log})
		if err != nil {
			return nil, fmt.Errorf("private Postgres: %w", err)
		}
		a.closes = append(a.closes, func() error { return server.Stop(context.Background()) })
		a.followers = append(a.followers, func(ctx context.Context) error {
			select {
			case <-server.Done():
				return fmt.Errorf("private Postgres: %w", server.Err())
			case <-ctx.Done():
				return nil
			}
		})
		url = server.URL()
	}
	pool, err := postgres.Connect(ctx, url, postgres.PoolOptions{MaxConns: 24})
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	a.closes = append(a.closes, func() error { pool.Close(); return nil })
	return pool, postgres.Migrate(ctx, pool)
}

// machine is the browser of this machine and what films are encoded with.
type machine struct {
	*browser.Browser
	ffmpeg string
}

// openBrowser finds the browser, which starts when it is needed, in whatever
// role. Printing has a Chromium of its own, which ends when it is idle: pages
// wait for one that prints. The printer is nil where there is none.
func (a *app) openBrowser(cfg config, log *slog.Logger) (machine, httpapi.Printer) {
	programs, err := browser.Locate(browser.Config{DriverDir: cfg.driverDir, MaxContexts: cfg.browsers, Logger: log})
	if err != nil {
		// The sandbox and all answers work without. Live sessions fail and say so,
		// or lack their recording or audit, by what is missing.
		log.Error("live sessions lack programs on this machine", "error", err)
	}
	m := machine{browser.New(programs), programs.FFmpegPath}
	a.closes = append(a.closes, m.Close)
	if !programs.CanBrowse() {
		return m, nil
	}
	press := browser.New(programs)
	a.closes = append(a.closes, press.Close)
	return m, printer{press}
}

func (a *app) runner(ctx context.Context, cfg config, policy *egress.Policy, blobs *blob.Store, m machine, owner string, log *slog.Logger) (*runner.Runner, error) {
	// Sessions that drain after the signal still need their way out.
	proxy, err := egress.StartProxy(context.WithoutCancel(ctx), policy, log)
	if err != nil {
		return nil, fmt.Errorf("egress proxy: %w", err)
	}
	a.closes = append(a.closes, proxy.Close)
	r := &runner.Runner{
		Name: owner, Commands: a.streams, Facts: runnerFacts{a.streams, a.keys}, Blobs: blobStore{blobs},
		Browser: walkedBrowser{m.Browser, proxy}, Target: target{policy}, Logger: log, Now: time.Now,
		NoReplays: !cfg.replays,
	}
	if m.ffmpeg != "" {
		r.Encoder = films{m.ffmpeg}
	}
	return r, nil
}

// close closes what build opened, last first.
func (a *app) close() error {
	var errs []error
	for i := len(a.closes) - 1; i >= 0; i-- {
		errs = append(errs, a.closes[i]())
	}
	a.closes = nil
	return errors.Join(errs...)
}

// ownerName is unique among all processes of an installation.
func ownerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text()[:8])
}
