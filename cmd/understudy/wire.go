package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"understudy/adapters/archive"
	"understudy/adapters/blob"
	"understudy/adapters/browser"
	"understudy/adapters/comparer"
	"understudy/adapters/egress"
	"understudy/adapters/httpapi"
	"understudy/adapters/keyring"
	"understudy/adapters/notary"
	"understudy/adapters/postgres"
	"understudy/adapters/reactors"
	"understudy/adapters/reporter"
	"understudy/adapters/runner"
	"understudy/adapters/service"
	"understudy/adapters/streamhub"
	"understudy/adapters/webhooksender"
	"understudy/adapters/worker"
	"understudy/domain"
	"understudy/domain/process"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/projections"
	"understudy/projections/readmodels"
	"understudy/projections/worklist"
)

// sandboxWidth is how many sandbox sessions walk at once: they take no time
// but that of their appends, which go into common group commits.
const sandboxWidth = 32

// app is the built service.
type app struct {
	streams   *service.Streams
	keys      *keyring.Keyring
	people    *service.People
	positions *projections.Positions
	ready     *readiness
	// proof is waited for before anything is decided or done about events.
	proof    *proof
	hub      *streamhub.Hub
	handler  http.Handler
	attached net.Addr // where EventStoreDB clients may read; nil: nowhere

	// workers take work up; followers show and pass on what they did, and so
	// end after them.
	workers   []func(context.Context) error
	followers []func(context.Context) error
	closes    []func() error
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
	if err := a.trace(ctx, log); err != nil {
		return nil, err
	}
	if err := takeData(cfg.dataDir); err != nil {
		return nil, fmt.Errorf("UNDERSTUDY_DATA_DIR: %w", err)
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
	if err := postgres.Migrate(ctx, pool); err != nil {
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

	a.streams = service.NewStreams(store)
	if a.keys, err = openKeyring(ctx, cfg.keyringPath(), store); err != nil {
		return nil, err
	}
	a.followers = append(a.followers, func(ctx context.Context) error { return a.keys.Follow(ctx, log) })
	subjects := keyring.NewSubjects(shelf(cfg, pool), a.keys)
	a.positions = projections.NewPositions()
	if cfg.shared() {
		byName := map[string]projections.Projection{}
		for _, p := range readmodels.All() {
			byName[p.Name] = p
		}
		a.positions.Read = func(ctx context.Context, name string) (int64, error) {
			return projections.ReadPosition(ctx, pool, byName[name])
		}
		a.followers = append(a.followers, func(ctx context.Context) error { return a.positions.Listen(ctx, pool, log) })
	}
	if a.ready, err = newReadiness(ctx, newLagReader(cfg, store, pool), a.positions, guarded(readmodels.All(), subjects)); err != nil {
		return nil, err
	}
	owner := ownerName()
	projecting := map[string]func(context.Context) error{}
	for _, p := range a.ready.projections {
		if err := projections.Prepare(ctx, pool, p); err != nil {
			return nil, err
		}
		projector := &projections.Projector{Projection: p, Pool: pool, Log: store, Positions: a.positions, Logger: log, Tell: cfg.shared()}
		// By version: during an upgrade the programs of both keep their own.
		projecting["lead "+p.PostgresSchema()] = func(ctx context.Context) error {
			// A stopped projection is no reason to stop the others: answers
			// that need it are refused, and readiness says why.
			if err := projector.Run(ctx); err != nil {
				log.Error("projection stopped", "projection", p.Name, "error", err.Error()+wayOut)
				<-ctx.Done()
			}
			return nil
		}
	}
	a.follow(cfg, roleProjector, leading(leases, owner, log, projecting))

	// Every event is a leaf of a tree whose heads are signed.
	sealing := notary.New(pool, store, a.keys, cfg.auditDir, log)
	a.proof = newProof(cfg, sealing)
	a.ready.proof = a.proof
	a.follow(cfg, roleProjector, sealingLog(leases, owner, sealing, log))

	policy := egress.NewPolicy(cfg.egressAllow)
	signer, err := httpapi.NewSigner(a.keys.SigningKeys)
	if err != nil {
		return nil, err
	}
	links, err := httpapi.NewLinks(cfg.baseURL, cfg.appURL, signer)
	if err != nil {
		return nil, err
	}
	reads := service.NewReads(pool, a.positions, blobs)
	directory := &service.Directory{Pool: pool, Log: store, Shared: cfg.shared(), Uses: postgres.NewKeyUses(pool), Plans: cfg.plans, Logger: log}
	a.follow(cfg, roleAPI, directory.Run)
	tokens := &service.Tokens{Pool: pool, Log: store, Shared: cfg.shared(), Logger: log}
	a.follow(cfg, roleAPI, tokens.Run)

	// Reactors: what follows from an event.
	measured := newWorkMetrics()
	wake := make(chan struct{}, 1)
	sending := service.NewSending(a.streams, reads, a.keys, cfg.shared())
	sender := &webhooksender.Worker{
		Sender:     webhooksender.New(policy.DialContext),
		Jobs:       deliveryJobs{pool: pool, leases: leases, positions: a.positions},
		Deliveries: deliveryRecords{sending},
		Logger:     log, Owner: owner, Wake: wake, Drain: 10 * time.Second, Attempted: measured.attempt,
	}
	endpoints := service.NewSubscriptions(reads, store, log)
	a.follow(cfg, roleReactors, endpoints.Run)
	following := &reactors.Reactors{
		Shredder: subjects, Sender: handing{sender},
		Log: store, Commands: a.streams, Tests: a.streams, Endpoints: endpoints, Links: links,
		Replays:     service.Replays{Reads: reads, Streams: a.streams},
		Retries:     service.Retries{Reads: reads, Streams: a.streams},
		Credentials: service.Credentials{Reads: reads},
		Checkpoints: postgres.NewCheckpoints(pool), Logger: log,
	}
	a.follow(cfg, roleReactors, a.proof.before(leading(leases, owner, log, map[string]func(context.Context) error{"lead reactors": following.Run})))

	// Workers: what takes time.
	models, err := newModels(cfg.models, log)
	if err != nil {
		return nil, err
	}
	chromium, printer := a.openBrowser(ctx, cfg, log)
	walker, err := a.runner(ctx, cfg, policy, blobs, chromium, owner, log)
	if err != nil {
		return nil, err
	}
	walker.Brains, walker.Tests = models, examined{a.streams, service.Evidence{Reads: reads}}
	walker.Ended = measured.session
	report := &reporter.Reporter{
		Reads:    service.Evidence{Reads: reads},
		Commands: a.streams, Created: a.streams.Created, Finished: a.streams.Finished, Test: a.streams.Test, Now: time.Now,
	}
	compare := &comparer.Comparer{
		Reads: service.Evidence{Reads: reads}, Commands: a.streams, Comparison: a.streams.Comparison, Test: a.streams.Latest, Now: time.Now,
	}
	// A late machine walks fewer sessions at once: each then has more of it.
	paced := func() int { return int(float64(cfg.browsers) / chromium.Pace()) }
	ram := &runner.Memory{Free: freeMemory, Held: chromium.Held, Least: sessionMemory, Logger: log}
	loop := func(role string, kind worklist.Kind, env domain.Environment, width int, do func(context.Context, worklist.Item) (uint64, error)) {
		l := &worker.Loop{
			Name: string(kind) + " " + string(env), Owner: owner, Concurrency: width, Do: do, Leases: leases, Logger: log,
			List: worklist.List{DB: pool, Positions: a.positions, Kind: kind, Environment: env},
		}
		if env == domain.Live && (kind == worklist.Session || kind == worklist.Causes) {
			l.Width, l.More, l.Do = paced, ram.More, ram.Walk(do)
		}
		a.work(cfg, role, l.Run)
	}
	told := &notices{streams: a.streams, owners: a.ownersAddress, mail: cfg.mail, to: cfg.mailTo, appURL: cfg.appURL, log: log}
	width := map[domain.Environment]int{domain.Live: cfg.browsers, domain.Sandbox: sandboxWidth}
	for env, sessionsAtOnce := range width {
		loop(roleRunner, worklist.Start, env, 8, walker.Start)
		loop(roleRunner, worklist.Session, env, sessionsAtOnce, walker.Session)
		loop(roleRunner, worklist.Report, env, 2, report.Complete)
		loop(roleRunner, worklist.Compare, env, 1, compare.Compare)
		loop(roleSender, worklist.Notice, env, 2, told.Tell)
	}
	loop(roleRunner, worklist.Causes, domain.Live, cfg.browsers, walker.Causes) // they share the browser's places with sessions
	a.work(cfg, roleSender, wakeOn(a.positions, worklist.Deliver, wake))
	a.follow(cfg, roleSender, sending.Follow)
	a.work(cfg, roleSender, func(ctx context.Context) error {
		if err := sender.Run(ctx); !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	})

	// The face: REST, streams, metrics.
	a.hub = streamhub.New(streamhub.Options{
		Timeline: service.Feed{Reads: reads}, Address: links.AddressMessage, Published: published{store, links, a.positions},
		Limit: streamLimit(cfg.streams, openFiles(), log), PerOrganization: cfg.caps.streams, Logger: log,
	})
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registry.MustRegister(followerMetrics{a.ready})
	registry.MustRegister(sealingMetrics(sealing)...)
	registry.MustRegister(measured.all()...)
	requests, attempts := postgres.NewIdempotency(pool), postgres.NewAttempts(pool)
	a.work(cfg, roleReactors, sweeping(requests, leases, attempts, log))
	a.work(cfg, roleReactors, keeping(reads, cfg.keep, a.ready, log))
	if cfg.archiveAfter > 0 {
		old := &archiving{cfg: cfg, store: store, streams: a.streams, progress: io.Discard}
		a.work(cfg, roleReactors, archivingOld(old, pool, a.ready, log))
	}
	disk := &room{dirs: cfg.volumes(), reserve: cfg.reserve, log: log}
	registry.MustRegister(disk.metric())
	if cfg.has(roleRunner) {
		registry.MustRegister(memoryMetrics(ram)...)
	}
	quotas := postgres.NewQuotas(pool)
	a.work(cfg, roleReactors, returning(quotas, a.streams, log))
	rates, err := a.openRates(ctx, cfg, pool)
	if err != nil {
		return nil, err
	}
	uses := service.New(service.Deps{
		Reads: reads, Streams: a.streams, Ready: a.ready, Targets: target{policy}, Browser: walker.Browser, Keys: a.keys, Models: models, Reporter: report,
		NewSecret: webhooksender.GenerateSecret, Width: width, Directory: directory, Tokens: tokens, NewKey: newKey, Quotas: quotas, Plans: cfg.plans, Caps: cfg.caps.Caps, Room: disk.Room,
	})
	letters := newLetters(cfg.mail, log)
	a.work(cfg, roleAPI, letters.Run)
	a.people = service.NewPeople(uses, service.PeopleDeps{
		Subjects: subjects, Attempts: attempts, Passwords: service.NewPasswords(passwordsAtOnce), Post: letters,
		AppURL: cfg.appURL, First: firstOrganization(), Invited: cfg.invited, Logger: log,
	})
	a.work(cfg, roleReactors, expiring(a.people, log))
	a.closes = append(a.closes, a.people.Close)
	contract, err := httpapi.NewContract(links)
	if err != nil {
		return nil, err
	}
	proofs := audit{store: store, proofs: notary.Proofs{Pool: pool}}
	dashboard, pages := pagesOf(cfg, pool, links, a.people, uses, proofs, contract, target{policy}, log)
	a.handler, err = httpapi.New(httpapi.Deps{
		Links: links, Logger: log, Now: time.Now, TrustedProxies: cfg.proxies,
		Unavailable: isOutage,
		Auth:        uses, Rates: rates, Limits: uses, Plans: cfg.plans, Requests: requestRows{requests}, Sealer: a.keys,
		Commands: uses, Reads: uses, Histories: uses, Models: models, People: a.people, Artifacts: uses, Stream: a.hub, Printer: printer,
		Audit:     proofs,
		Readiness: a.ready, Measure: measured.request, Metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), Operator: cfg.isOperator(),
		Contract: contract, Pages: pages, Visitors: dashboard,
	})
	if err != nil {
		return nil, err
	}
	if !cfg.has(roleAPI) {
		a.handler = onlyProbes(a.handler)
	}
	a.handler = cfg.hosts().Only(a.handler, cfg.anyName)
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
	c := eventstore.Config{URL: cfg.eventStore, Codec: eventstore.NewCodec(process.Catalogue()), Logger: log}
	if !cfg.shared() {
		socket, err := socketPath(cfg.dataDir)
		if err != nil {
			return nil, err
		}
		n, err := node.Start(ctx, node.Options{
			Dir: filepath.Join(cfg.dataDir, "events"), Archive: archive.NewFolder(cfg.archiveDir), Socket: socket, TCP: cfg.attach, Logger: log,
		})
		if err != nil {
			return nil, fmt.Errorf("event store: %w", err)
		}
		a.closes = append(a.closes, n.Close)
		a.attached = n.Addr()
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
	dir := temporaryFor(dataDir, "understudy-")
	return filepath.Join(dir, "events.sock"), ownDirectory(dir, dataDir)
}

// ownDirectory makes a directory that nobody else may enter. One that is there
// must be such a one, and belong to us or to who owns the data directory: where
// everybody may write, a stranger could have made it, and put his own socket there.
func ownDirectory(dir, dataDir string) error {
	if err := os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && info.Mode() == fs.ModeDir|0o700 && (int(st.Uid) == os.Geteuid() || ownedBy(dataDir, st.Uid)) {
		return nil
	}
	return fmt.Errorf("%s is not this service's own directory: remove it, or choose a data directory with a shorter path", dir)
}

func ownedBy(path string, uid uint32) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == uid
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
	// Its name tells others which versions of the read models it uses.
	conns := int32(24)
	if !cfg.has(roleAPI) && !cfg.has(roleProjector) {
		conns = 12 // they wait for what they do elsewhere
	}
	pool, err := postgres.Connect(ctx, url, postgres.PoolOptions{MaxConns: conns, Name: projections.ClientName(readmodels.All())})
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	a.closes = append(a.closes, func() error { pool.Close(); return nil })
	return pool, nil
}

// openRates opens what counts requests: in memory where nobody else does, else in
// Postgres, on connections of its own.
func (a *app) openRates(ctx context.Context, cfg config, pool *pgxpool.Pool) (httpapi.RateWindows, error) {
	if !cfg.shared() {
		return postgres.NewRateWindows(pool), nil
	}
	own, err := postgres.Connect(ctx, pool.Config().ConnString(), postgres.PoolOptions{MaxConns: 8, Name: "understudy rates", Asynchronous: true})
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	a.closes = append(a.closes, func() error { own.Close(); return nil })
	return postgres.NewSharedWindows(own), nil
}

// machine is the browser of this machine and what encodes films.
type machine struct {
	*browser.Browser
	films films
}

// openBrowser finds the browser, which starts when it is needed, in whatever
// role. Printing has a Chromium of its own, which ends when it is idle: pages
// wait for one that prints. The printer is nil where there is none.
func (a *app) openBrowser(ctx context.Context, cfg config, log *slog.Logger) (machine, httpapi.Printer) {
	temp, done, err := scratch(cfg.tempDir)
	if err == nil {
		a.closes = append(a.closes, done)
	} else {
		log.Warn("temporary files go to the system's directory for them, and stay there after a kill", "error", err)
	}
	programs, err := cfg.programs(temp, log)
	if err != nil {
		// The sandbox and all answers work without. Live sessions fail and say so,
		// or lack their recording or audit, by what is missing.
		log.Error("live sessions lack programs on this machine", "error", err)
	} else if cfg.has(roleRunner) || cfg.has(roleAPI) { // who walk and who print
		if err := programs.CheckSandbox(ctx); err != nil {
			log.Error("live sessions and printing will fail", "error", err)
		}
	}
	m := machine{browser.New(programs), films{programs.FFmpegPath, temp}}
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
		Browser: browser.Pages{Browser: m.Browser, ProxyURL: proxy.URL(), Credentials: proxy.Credentials}, Target: target{policy}, Logger: log, Now: time.Now,
		NoReplays: !cfg.replays, Pace: m.Pace,
	}
	if m.films.ffmpeg != "" {
		r.Encoder = m.films
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
