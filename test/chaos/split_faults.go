package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/test/harness"
)

// fault is something that breaks for a while. inflict returns when it is over: that of a
// process that is killed as soon as it is, for others take over while it starts again.
type fault struct {
	name    string
	weight  int
	inflict func(ctx context.Context) (lifted time.Time, err error)
}

// draw chooses a fault, by weight.
func (t *splitTrial) draw() fault {
	var all []fault
	for _, f := range t.faults() {
		all = append(all, slices.Repeat([]fault{f}, f.weight)...)
	}
	return all[t.random.IntN(len(all))]
}

func (t *splitTrial) faults() []fault {
	full := fault{"disk of the event store full", 1, t.fillDisk}
	if !t.small {
		full.weight = 0
	}
	return []fault{
		full,
		{"process killed", 8, t.killMember},
		{"process paused", 4, t.pauseMember},
		{"process asked to end", 3, t.restartMember},
		{"event store killed", 2, t.killStore},
		{"event store paused", 1, func(ctx context.Context) (time.Time, error) { return t.paused(ctx, t.node.PID()) }},
		{"event store cut off", 2, t.line("store", (*harness.Line).Cut)},
		{"event store out of reach", 1, t.line("store", (*harness.Line).Hold)},
		{"event store far away", 1, t.line("store", slowly)},
		{"Postgres killed", 2, t.signalPostgres(syscall.SIGKILL)},
		{"Postgres restarted", 1, t.signalPostgres(syscall.SIGINT)},
		{"Postgres read-only", 2, t.readOnly},
		{"Postgres cut off", 2, t.line("database", (*harness.Line).Cut)},
		{"Postgres out of reach", 1, t.line("database", (*harness.Line).Hold)},
		{"Postgres far away", 1, t.line("database", slowly)},
	}
}

// slowly makes a line as slow as one to another continent.
func slowly(l *harness.Line, on bool) {
	if on {
		l.Slow(100 * time.Millisecond)
	} else {
		l.Slow(0)
	}
}

// lasts waits for as long as a fault lasts: 0.5 to 5 s.
func (t *splitTrial) lasts(ctx context.Context) {
	select {
	case <-time.After(500*time.Millisecond + time.Duration(t.random.Int64N(int64(4500*time.Millisecond)))):
	case <-ctx.Done():
	}
}

func (t *splitTrial) line(name string, set func(*harness.Line, bool)) func(context.Context) (time.Time, error) {
	return func(ctx context.Context) (time.Time, error) {
		set(t.lines[name], true)
		t.lasts(ctx)
		set(t.lines[name], false)
		return time.Now(), nil
	}
}

func (t *splitTrial) member() *harness.Service { return t.members[t.random.IntN(len(t.members))] }

// release is the program that a process is started with.
func (t *splitTrial) release() string {
	if t.other != "" && t.random.IntN(2) == 0 {
		return t.other
	}
	return t.binary
}

// again starts a process beside the rest of the fault, as a service manager would.
func (t *splitTrial) again(ctx context.Context, s *harness.Service) {
	s.Binary = t.release()
	t.group.Go(func() {
		if err := s.Start(ctx); err != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.failed = err
		}
	})
}

func (t *splitTrial) killMember(ctx context.Context) (time.Time, error) {
	s := t.member()
	err := s.Kill()
	lifted := time.Now()
	t.again(ctx, s)
	return lifted, err
}

func (t *splitTrial) restartMember(ctx context.Context) (time.Time, error) {
	s := t.member()
	code, err := s.Terminate()
	if err == nil && code != 0 {
		err = fmt.Errorf("%v left with %d: %s", s.Args, code, s.Tail())
	}
	if err != nil {
		return time.Time{}, err
	}
	lifted := time.Now()
	t.again(ctx, s)
	return lifted, nil
}

func (t *splitTrial) pauseMember(ctx context.Context) (time.Time, error) {
	return t.paused(ctx, t.member().PID())
}

func (t *splitTrial) paused(ctx context.Context, pid int) (time.Time, error) {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return time.Time{}, err
	}
	t.lasts(ctx)
	return time.Now(), syscall.Kill(pid, syscall.SIGCONT)
}

func (t *splitTrial) killStore(ctx context.Context) (time.Time, error) {
	if err := t.node.Kill(); err != nil {
		return time.Time{}, err
	}
	err := t.startNode(ctx)
	return time.Now(), err
}

// fillDisk leaves the event store no room: it ends by itself, and is started again when
// there is some.
func (t *splitTrial) fillDisk(ctx context.Context) (time.Time, error) {
	path := filepath.Join(t.nodeDir(), "filler")
	f, err := os.Create(path)
	if err != nil {
		return time.Time{}, err
	}
	for piece := make([]byte, 1<<20); err == nil; {
		_, err = f.Write(piece)
	}
	_ = f.Close() // it is full, as it should be
	select {
	case <-t.node.Exited():
	case <-time.After(recoveryAim):
	case <-ctx.Done():
	}
	if err := os.Remove(path); err != nil {
		return time.Time{}, err
	}
	select {
	case <-t.node.Exited():
		err = t.startNode(ctx)
	default:
		err = nil
	}
	return time.Now(), err
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
func (t *splitTrial) readOnly(ctx context.Context) (time.Time, error) {
	set := func(value string) error {
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
	if err := set("on"); err != nil {
		return time.Time{}, err
	}
	t.lasts(ctx)
	err := set("off")
	return time.Now(), err
}
