package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/test/harness"
)

// maxAhead is by how many minutes a clock is set ahead of the machine's or behind it.
const maxAhead = 3

// fault is something that breaks for a while. What it needs of chance has been drawn.
// inflict returns when it is over: that of a process that is killed as soon as it is, for
// others take over while it starts again; that of a clock once it is set, for it stays so.
type fault struct {
	name    string
	part    string // what it breaks; two at once break different parts
	weight  int
	inflict func(ctx context.Context) (lifted time.Time, err error)
}

// draw chooses a fault by weight, and at times another one of another part.
func (t *splitTrial) draw() []fault {
	one := func() fault {
		var all []fault
		for _, f := range t.faults() {
			all = append(all, slices.Repeat([]fault{f}, f.weight)...)
		}
		return all[t.random.IntN(len(all))]
	}
	some := []fault{one()}
	if t.random.IntN(5) > 0 {
		return some
	}
	for {
		if second := one(); second.part != some[0].part {
			return append(some, second)
		}
	}
}

// inflict breaks parts at once, and returns when all are whole again.
func (t *splitTrial) inflict(ctx context.Context, some []fault) (name string, lifted time.Time, err error) {
	mended := make(chan struct{})
	t.mended = mended
	if len(some) == 1 {
		close(mended)
		lifted, err = some[0].inflict(ctx)
		return some[0].name, lifted, err
	}
	defer close(mended)
	names, ends, errs := make([]string, len(some)), make([]time.Time, len(some)), make([]error, len(some))
	var all sync.WaitGroup
	for i, f := range some {
		names[i] = f.name
		all.Go(func() { ends[i], errs[i] = f.inflict(ctx) })
	}
	all.Wait()
	return strings.Join(names, " + "), slices.MaxFunc(ends, time.Time.Compare), errors.Join(errs...)
}

// faults draws one of each kind.
func (t *splitTrial) faults() []fault {
	m, release := t.members[t.random.IntN(len(t.members))], t.release()
	victim := m.Dir
	lasts := 500*time.Millisecond + time.Duration(t.random.Int64N(int64(4500*time.Millisecond)))
	minutes := int8(t.random.IntN(2*maxAhead+1) - maxAhead)
	all := []fault{
		{"process killed", victim, 8, t.killed(m, release)},
		{"process paused", victim, 4, paused(m.Process, lasts)},
		{"process asked to end", victim, 3, t.restarted(m, release)},
		{"event store killed", "store", 2, t.killStore},
		{"event store paused", "store", 1, paused(t.node, lasts)},
		{"event store cut off", "line to the store", 2, t.line("store", (*harness.Line).Cut, lasts)},
		{"event store out of reach", "line to the store", 1, t.line("store", (*harness.Line).Hold, lasts)},
		{"event store far away", "line to the store", 1, t.line("store", slowly, lasts)},
		{"Postgres killed", "Postgres", 2, t.signalPostgres(syscall.SIGKILL)},
		{"Postgres restarted", "Postgres", 1, t.signalPostgres(syscall.SIGINT)},
		{"Postgres read-only", "Postgres", 2, t.readOnly(lasts)},
		{"Postgres cut off", "line to Postgres", 2, t.line("database", (*harness.Line).Cut, lasts)},
		{"Postgres out of reach", "line to Postgres", 1, t.line("database", (*harness.Line).Hold, lasts)},
		{"Postgres far away", "line to Postgres", 1, t.line("database", slowly, lasts)},
	}
	if t.small {
		all = append(all, fault{"disk of the event store full", "store", 1, t.fillDisk(lasts)})
	}
	if m.clock.settable() {
		all = append(all, fault{"clock of a process set", "clock of " + victim, 3, setTo(m.clock, minutes)})
	}
	if t.nodeClock.settable() {
		all = append(all, fault{"clock of the event store set", "clock of the store", 1, setTo(t.nodeClock, minutes)})
	}
	return all
}

// slowly makes a line as slow as one to another continent.
func slowly(l *harness.Line, on bool) {
	if on {
		l.Slow(100 * time.Millisecond)
	} else {
		l.Slow(0)
	}
}

// wait returns after a time, or when ctx has ended.
func wait(ctx context.Context, lasts time.Duration) {
	select {
	case <-time.After(lasts):
	case <-ctx.Done():
	}
}

func (t *splitTrial) line(name string, set func(*harness.Line, bool), lasts time.Duration) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (time.Time, error) {
		set(t.lines[name], true)
		wait(ctx, lasts)
		set(t.lines[name], false)
		return time.Now(), nil
	}
}

// setTo sets a clock, by up to twice maxAhead minutes.
func setTo(c clock, minutes int8) func(context.Context) (time.Time, error) {
	return func(context.Context) (time.Time, error) { return time.Now(), c.set(minutes) }
}

// release is the program that a process is started with.
func (t *splitTrial) release() string {
	if t.other != "" && t.random.IntN(2) == 0 {
		return t.other
	}
	return t.binary
}

// again starts a process beside the rest of the fault, as a service manager would: until
// it serves, where it may have ended because something else was broken too.
func (t *splitTrial) again(ctx context.Context, m member, release string) {
	m.Binary = release
	mended := t.mended
	t.group.Go(func() {
		for {
			whole := closed(mended)
			err := t.begin(ctx, m)
			if err == nil {
				return
			}
			if whole {
				t.mu.Lock()
				t.failed = err
				t.mu.Unlock()
				return
			}
		}
	})
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (t *splitTrial) killed(m member, release string) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (time.Time, error) {
		err := m.Kill()
		lifted := time.Now()
		t.again(ctx, m, release)
		return lifted, err
	}
}

func (t *splitTrial) restarted(m member, release string) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (time.Time, error) {
		code, err := m.Terminate()
		if err == nil && code != 0 && closed(t.mended) {
			err = fmt.Errorf("%v left with %d: %s", m.Args, code, m.Tail())
		}
		if err != nil {
			return time.Time{}, err
		}
		lifted := time.Now()
		t.again(ctx, m, release)
		return lifted, nil
	}
}

func paused(p *harness.Process, lasts time.Duration) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (time.Time, error) {
		if err := syscall.Kill(p.PID(), syscall.SIGSTOP); err != nil {
			return time.Time{}, err
		}
		wait(ctx, lasts)
		return time.Now(), syscall.Kill(p.PID(), syscall.SIGCONT)
	}
}

func (t *splitTrial) killStore(ctx context.Context) (time.Time, error) {
	if err := t.node.Kill(); err != nil {
		return time.Time{}, err
	}
	err := t.startNode(ctx)
	return time.Now(), err
}

// fillDisk leaves the event store no room. It is killed as well, or what it has set aside
// would do for long: it may start again when there is some.
func (t *splitTrial) fillDisk(lasts time.Duration) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (time.Time, error) {
		path := filepath.Join(t.nodeDir(), "filler")
		f, err := os.Create(path)
		if err != nil {
			return time.Time{}, err
		}
		for piece := make([]byte, 1<<20); err == nil; {
			_, err = f.Write(piece)
		}
		_ = f.Close() // it is full, as it should be
		if err := t.node.Kill(); err != nil {
			return time.Time{}, err
		}
		refused := t.startNode(ctx)
		wait(ctx, lasts)
		if err := os.Remove(path); err != nil {
			return time.Time{}, err
		}
		if refused != nil || closed(t.node.Exited()) {
			refused = t.startNode(ctx)
		}
		return time.Now(), refused
	}
}

// signalPostgres ends Postgres in one way or another; it is started again by itself.
func (t *splitTrial) signalPostgres(with syscall.Signal) func(context.Context) (time.Time, error) {
	return func(context.Context) (time.Time, error) {
		raw, err := os.ReadFile(filepath.Join(t.databaseDir(), "postmaster.pid"))
		if err != nil {
			return time.Time{}, err
		}
		first, _, _ := strings.Cut(string(raw), "\n")
		pid, err := strconv.Atoi(first)
		if err != nil {
			return time.Time{}, err
		}
		return time.Now(), syscall.Kill(pid, with)
	}
}

// readOnly makes Postgres refuse every write, as one does that was made a standby.
func (t *splitTrial) readOnly(lasts time.Duration) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (time.Time, error) {
		if err := t.setReadOnly(ctx, "on"); err != nil {
			return time.Time{}, err
		}
		wait(ctx, lasts)
		err := t.setReadOnly(ctx, "off")
		return time.Now(), err
	}
}

func (t *splitTrial) setReadOnly(ctx context.Context, value string) error {
	conn, err := pgx.Connect(ctx, t.database.URL())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range []string{
		"SET default_transaction_read_only TO off",
		"ALTER SYSTEM SET default_transaction_read_only TO " + value,
		"SELECT pg_reload_conf()",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
