package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"understudy/adapters/postgres"
	"understudy/test/harness"
)

// Of a service that is split over processes, how many have each of the roles.
var splitRoles = []struct {
	roles string
	n     int
}{{"api", 3}, {"projector,reactors", 2}, {"runner", 2}, {"sender", 2}}

const (
	// splitEndpoints is how many endpoints every event is delivered to.
	splitEndpoints = 4
	// recoveryAim is how soon after a fault a new test should have been walked.
	recoveryAim = 5 * time.Second
	// recoveryLimit is when a fault counts as never recovered from.
	recoveryLimit = 2 * time.Minute
)

// splitTrial is one run of the trial "split": three processes that answer, two that lead,
// two that walk and two that send, over one event store and one Postgres, each behind a
// line of its own.
type splitTrial struct {
	settings
	out    io.Writer
	random *rand.Rand
	dir    string
	began  time.Time

	node     *harness.Process
	nodeAt   string
	small    bool // the event store has a small disk of its own
	database *postgres.Private
	lines    map[string]*harness.Line // to "store" and "database"
	members  []*harness.Service
	apis     []*harness.Service // those of them that answer

	hook      *hook
	endpoints map[string]string // path by webhook id
	load      *splitLoad

	recoveries map[string][]time.Duration // by fault
	group      sync.WaitGroup             // of restarts
	mu         sync.Mutex
	failed     error // of a restart
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
	t := &splitTrial{
		settings: s, out: out, random: rand.New(rand.NewPCG(s.seed, 2)), dir: dir, began: time.Now(), hook: newHook(),
		endpoints: map[string]string{}, recoveries: map[string][]time.Duration{}, lines: map[string]*harness.Line{},
	}
	defer t.hook.Close()
	defer func() {
		err = errors.Join(err, t.end())
		if s.keep || errors.Is(err, errBroken) {
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
	t.load = &splitLoad{apis: t.apis, seed: s.seed, wanted: map[int64]verdict{}}
	if err := t.load.know(ctx); err != nil {
		return err
	}
	working, rest := context.WithCancel(ctx)
	defer rest()
	loaded := t.load.begin(working)
	for n := range s.kills {
		if err := t.breakOne(ctx, n+1); err != nil {
			return err
		}
	}
	rest()
	loaded.Wait()
	return t.judge(ctx)
}

// start brings up everything.
func (t *splitTrial) start(ctx context.Context) (err error) {
	if err := t.smallDisk(); err != nil {
		return err
	}
	if err := t.startNode(ctx); err != nil {
		return err
	}
	t.database, err = postgres.StartPrivate(ctx, postgres.PrivateOptions{
		DataDir: t.databaseDir(), Logger: slog.New(slog.DiscardHandler), Settings: map[string]string{"max_connections": "400"},
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
			s := &harness.Service{Binary: t.release(), Dir: filepath.Join(t.dir, fmt.Sprintf("%s-%d", r.roles, n)), Env: env, Args: []string{"--roles", r.roles}}
			if err := founder.Share(s); err != nil {
				return err
			}
			t.members = append(t.members, s)
			if r.roles == "api" {
				t.apis = append(t.apis, s)
			}
		}
	}
	starts := make([]error, len(t.members))
	var all sync.WaitGroup
	for i, s := range t.members {
		all.Go(func() { starts[i] = s.Start(ctx) })
	}
	all.Wait()
	return errors.Join(starts...)
}

func (t *splitTrial) nodeDir() string { return filepath.Join(t.dir, "node") }

func (t *splitTrial) databaseDir() string { return filepath.Join(t.dir, "postgres") }

// startNode starts the event store, where it was if it was anywhere.
func (t *splitTrial) startNode(ctx context.Context) (err error) {
	args := []string{"--insecure", "--data-dir", t.nodeDir()}
	if t.nodeAt != "" {
		args = append(args, "--listen", t.nodeAt)
	}
	t.node, t.nodeAt, err = harness.LaunchNode(ctx, t.binary, nil, args...)
	return err
}

// breakOne inflicts a fault, and measures how long after it a new test is walked.
func (t *splitTrial) breakOne(ctx context.Context, n int) error {
	f := t.draw()
	t.hook.life()
	began := time.Now()
	lifted, err := f.inflict(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	t.hook.life()
	probing, cancel := context.WithTimeout(ctx, recoveryLimit)
	defer cancel()
	if err := t.load.probe(probing); err != nil {
		return fmt.Errorf("%w: not recovered from %s: %w", errBroken, f.name, err)
	}
	took := time.Since(lifted)
	t.recoveries[f.name] = append(t.recoveries[f.name], took)
	t.group.Wait()
	t.mu.Lock()
	err = t.failed
	t.mu.Unlock()
	fmt.Fprintf(t.out, "fault %3d of %d: %-28s for %5d ms; a new test is walked %5d ms after it; %d tests\n", n, t.kills, f.name,
		lifted.Sub(began).Milliseconds(), took.Milliseconds(), t.load.count())
	select {
	case <-time.After(time.Duration(t.random.Int64N(int64(t.within)))):
	case <-ctx.Done():
	}
	return errors.Join(err, ctx.Err())
}

// judge lets the service finish in peace and holds it against what was acknowledged.
func (t *splitTrial) judge(ctx context.Context) error {
	findings, err := t.load.settle(ctx)
	if err != nil {
		return err
	}
	c := t.apis[0].Sandbox()
	promised := map[promise]int{}
	for _, id := range t.load.acknowledged() {
		if err := promises(ctx, c, id, t.endpoints, promised); err != nil {
			return err
		}
	}
	records, err := settled(ctx, c, t.endpoints, t.out)
	if err != nil {
		return err
	}
	t.hook.mu.Lock()
	r := (&receipts{several: true}).judge(promised, records, t.hook.requests)
	t.hook.mu.Unlock()
	findings = append(findings, r.findings...)
	leader := t.members[len(t.apis)]
	check := leader.Command(ctx, "audit", "check")
	check.Env = append(check.Env, leader.Env...)
	if said, err := check.CombinedOutput(); err != nil {
		findings = append(findings, fmt.Sprintf("audit check: %v: %s", err, said))
	}
	for i, f := range findings {
		if i == 50 {
			fmt.Fprintf(t.out, "BROKEN: and %d more\n", len(findings)-i)
			break
		}
		fmt.Fprintln(t.out, "BROKEN:", f)
	}
	t.report(r)
	if len(findings) > 0 || t.hook.Forged() > 0 {
		return errBroken
	}
	return nil
}

// report tells the figures of the run.
func (t *splitTrial) report(r *receipts) {
	var all []time.Duration
	fmt.Fprintln(t.out)
	for _, name := range slices.Sorted(maps.Keys(t.recoveries)) {
		some := slices.Sorted(slices.Values(t.recoveries[name]))
		all = append(all, some...)
		fmt.Fprintf(t.out, "%-30s %3d times, a new test is walked after %s (median), %s (longest)\n", name, len(some),
			some[len(some)/2].Round(10*time.Millisecond), some[len(some)-1].Round(10*time.Millisecond))
	}
	slices.Sort(all)
	late := 0
	for _, took := range all {
		if took > recoveryAim {
			late++
		}
	}
	tests, cancelled, tries := t.load.figures()
	fmt.Fprintf(t.out, `
faults                         %d
tests acknowledged             %d, %d of them cancelled; %d requests got no answer or 5xx and were made again
deliveries                     %d, in %d requests, %d of them retries of what was refused
lost                           %d
wrong verdicts                 %d
sent again                     %d, with the same webhook-id and body
without a valid signature      %d
recovery                       median %s, p95 %s, longest %s; %d of %d over %s
seed                           %d, took %s
`, len(all), tests, cancelled, tries, r.deliveries, r.requests, r.retries, r.lost+t.load.lost, t.load.wrong, r.duplicated, t.hook.Forged(),
		all[len(all)/2].Round(10*time.Millisecond), all[len(all)*95/100].Round(10*time.Millisecond), all[len(all)-1].Round(10*time.Millisecond),
		late, len(all), recoveryAim, t.seed, time.Since(t.began).Round(time.Second))
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
