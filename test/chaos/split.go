package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"understudy/adapters/postgres"
	"understudy/test/harness"
	"understudy/test/sites"
)

// Of a service that is split over processes, how many have each of the roles.
var splitRoles = []struct {
	roles string
	n     int
}{{"api", 3}, {"projector,reactors", 2}, {"runner", 2}, {"sender", 2}}

const (
	// splitEndpoints is how many endpoints every event is delivered to.
	splitEndpoints = 4
	// recoveryLimit is when a fault counts as never recovered from.
	recoveryLimit = 2 * time.Minute
)

// member is a process of the service, with its clock.
type member struct {
	*harness.Service
	clock clock
}

// splitTrial is one run of the trial "split": three processes that answer, two that lead,
// two that walk and two that send, over one event store and one Postgres, each behind a
// line of its own.
type splitTrial struct {
	settings
	out    io.Writer
	random *rand.Rand
	dir    string
	began  time.Time

	node      *harness.Process
	nodeAt    string
	nodeClock clock
	small     bool // the event store has a small disk of its own
	database  *postgres.Private
	said      bytes.Buffer             // by the database
	lines     map[string]*harness.Line // to "store" and "database"
	members   []member
	apis      []*harness.Service // those of them that answer

	hook      *hook
	endpoints map[string]string // path by webhook id
	load      *splitLoad
	live      *splitLoad // of real browsers

	recoveries map[string][]time.Duration // by fault
	twice      int                        // how often two parts were broken at once
	slow       []string                   // recoveries that took too long
	mended     <-chan struct{}            // closed once all that was broken last is whole
	group      sync.WaitGroup             // of restarts
	mu         sync.Mutex
	failed     error          // of a restart
	starts     map[string]int // by binary
}

func newSplitTrial(s settings, dir string, out io.Writer) *splitTrial {
	return &splitTrial{
		settings: s, out: out, random: rand.New(rand.NewPCG(s.seed, 2)), dir: dir, began: time.Now(), hook: newHook(),
		endpoints: map[string]string{}, recoveries: map[string][]time.Duration{}, lines: map[string]*harness.Line{}, starts: map[string]int{},
	}
}

// trySplit breaks the processes of a split service, its event store, its Postgres and the
// lines to both, and holds what is there against what was acknowledged.
func trySplit(ctx context.Context, s settings, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // Postgres runs as another user
		return err
	}
	t := newSplitTrial(s, dir, out)
	defer t.hook.Close()
	defer func() {
		err = errors.Join(err, t.end())
		if s.keep || errors.Is(err, errBroken) || errors.Is(err, errSlow) {
			err = errors.Join(err, os.WriteFile(t.databaseDir()+".output", t.said.Bytes(), 0o600))
			for _, m := range t.members {
				err = errors.Join(err, os.WriteFile(m.Dir+".output", []byte(m.Output()), 0o600))
			}
			fmt.Fprintln(out, "the directory stays:", dir)
			return
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	if err := t.start(ctx); err != nil {
		return err
	}
	for id := range splitEndpoints {
		path := fmt.Sprintf("/endpoint/%d", id)
		made, err := t.apis[0].Sandbox().Register(ctx, t.hook.URL+path, hookSecret)
		if err != nil {
			return err
		}
		t.endpoints[made] = path
	}
	address, stop, err := sites.Serve(ctx, sites.Shop, sites.Options{})
	if err != nil {
		return err
	}
	defer stop()
	t.load, t.live = sandboxLoad(t.apis, s.seed), liveLoad(t.apis, s.seed, s.live, address)
	if err := errors.Join(t.load.know(ctx), t.live.know(ctx)); err != nil {
		return err
	}
	working, rest := context.WithCancel(ctx)
	defer rest()
	loaded := []*sync.WaitGroup{t.load.begin(working), t.live.begin(working)}
	began := time.Now()
	for n := 0; s.goesOn(n, began); n++ {
		if err := t.breakSome(ctx, n+1); err != nil {
			return err
		}
	}
	rest()
	for _, l := range loaded {
		l.Wait()
	}
	return t.judge(ctx)
}

// start brings up everything.
func (t *splitTrial) start(ctx context.Context) (err error) {
	if err := t.smallDisk(); err != nil {
		return err
	}
	if t.nodeClock, err = newClock(filepath.Join(t.dir, "node.clock")); err != nil {
		return err
	}
	if err := t.startNode(ctx); err != nil {
		return err
	}
	t.database, err = postgres.StartPrivate(ctx, postgres.PrivateOptions{
		DataDir: t.databaseDir(), Settings: map[string]string{"max_connections": "400"},
		Logger: slog.New(slog.NewTextHandler(&t.said, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		return err
	}
	u, err := url.Parse(t.database.URL())
	if err != nil {
		return err
	}
	q := u.Query()
	if t.lines["database"], err = harness.NewLine(ctx, "unix", filepath.Join(q.Get("host"), ".s.PGSQL."+q.Get("port"))); err != nil {
		return err
	}
	if t.lines["store"], err = harness.NewLine(ctx, "tcp", t.nodeAt); err != nil {
		return err
	}
	u.Host, u.RawQuery = t.lines["database"].Address, "sslmode=disable"
	env := []string{
		harness.Loopback, harness.Quiet, "UNDERSTUDY_PLANS=team=1000000/unlimited",
		"UNDERSTUDY_EVENTSTORE=esdb://" + t.lines["store"].Address + "?tls=false", "UNDERSTUDY_DATABASE_URL=" + u.String(),
		"UNDERSTUDY_AUDIT_DIR=" + filepath.Join(t.dir, "audit"), "UNDERSTUDY_BLOB_URL=file://" + filepath.Join(t.dir, "blobs"),
	}
	// The first one founds the installation, which needs somebody to lead.
	founder := &harness.Service{Binary: t.binary, Dir: filepath.Join(t.dir, "founder"), Env: env}
	if err := errors.Join(founder.Start(ctx), founder.Stop()); err != nil {
		return err
	}
	for _, r := range splitRoles {
		for n := range r.n {
			dir := filepath.Join(t.dir, fmt.Sprintf("%s-%d", r.roles, n))
			c, err := newClock(dir + ".clock")
			if err != nil {
				return err
			}
			s := &harness.Service{Binary: t.release(), Dir: dir, Env: append(slices.Clone(env), c.env()), Args: []string{"--roles", r.roles}}
			if err := founder.Share(s); err != nil {
				return err
			}
			t.members = append(t.members, member{s, c})
			if r.roles == "api" {
				t.apis = append(t.apis, s)
			}
		}
	}
	starts := make([]error, len(t.members))
	var all sync.WaitGroup
	for i, m := range t.members {
		all.Go(func() { starts[i] = t.begin(ctx, m) })
	}
	all.Wait()
	if !t.members[0].clock.settable() && !t.nodeClock.settable() {
		fmt.Fprintln(t.out, "no clock is set: the service was not built for it")
	}
	return errors.Join(starts...)
}

// begin starts a process.
func (t *splitTrial) begin(ctx context.Context, m member) error {
	if err := errors.Join(m.clock.next(), m.Start(ctx)); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.starts[m.Binary]++
	return nil
}

func (t *splitTrial) nodeDir() string { return filepath.Join(t.dir, "node") }

func (t *splitTrial) databaseDir() string { return filepath.Join(t.dir, "postgres") }

// startNode starts the event store, where it was if it was anywhere.
func (t *splitTrial) startNode(ctx context.Context) error {
	args := []string{"--insecure", "--data-dir", t.nodeDir()}
	if t.nodeAt != "" {
		args = append(args, "--listen", t.nodeAt)
	}
	node, at, err := harness.LaunchNode(ctx, t.binary, []string{t.nodeClock.env()}, args...)
	if err == nil {
		t.node, t.nodeAt = node, at
	}
	return err
}

// breakSome breaks a part, or two at once, and measures how long after it a new test is
// walked.
func (t *splitTrial) breakSome(ctx context.Context, n int) error {
	some := t.draw()
	t.hook.life()
	began := time.Now()
	name, lifted, err := t.inflict(ctx, some)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	t.hook.life()
	probing, cancel := context.WithTimeout(ctx, recoveryLimit)
	defer cancel()
	if err := t.load.probe(probing); err != nil {
		return fmt.Errorf("%w: not recovered from %s: %w", errBroken, name, err)
	}
	took := time.Since(lifted)
	t.recovered(n, name, len(some), took)
	t.group.Wait()
	fmt.Fprintf(t.out, "fault %s: %-28s for %5d ms; a new test is walked %5d ms after it; %d tests\n", t.of(n), name,
		lifted.Sub(began).Milliseconds(), took.Milliseconds(), t.load.count()+t.live.count())
	select {
	case <-time.After(time.Duration(t.random.Int64N(int64(t.within)))):
	case <-ctx.Done():
	}
	return errors.Join(t.failed, t.ended(), ctx.Err())
}

// ended tells whether a process has ended by itself.
func (t *splitTrial) ended() (err error) {
	for _, m := range t.members {
		select {
		case <-m.Exited():
			err = errors.Join(err, fmt.Errorf("%v ended by itself, with %d: %s", m.Args, m.Code(), m.Tail()))
		default:
		}
	}
	return err
}

// end ends everything that runs.
func (t *splitTrial) end() (err error) {
	t.group.Wait()
	for _, s := range t.members {
		err = errors.Join(err, s.Kill())
	}
	for _, l := range t.lines {
		err = errors.Join(err, l.Close())
	}
	if t.database != nil {
		err = errors.Join(err, t.database.Stop(context.Background()))
	}
	if t.node != nil {
		err = errors.Join(err, t.node.Kill())
	}
	if t.small {
		err = errors.Join(err, unmounted(t.nodeDir()))
	}
	return err
}
