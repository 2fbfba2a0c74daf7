package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"understudy/projections/worklist"
)

// memory is a worklist and its leases in memory, by the clock of the test.
type memory struct {
	mu      sync.Mutex
	items   []worklist.Item
	leases  map[string]lease
	changed chan struct{} // closed and replaced at every change of the list
	shown   uint64        // the position that the list shows
	broken  error         // what every question is answered with
}

type lease struct {
	owner string
	ends  time.Time
}

func newMemory(streams ...string) *memory {
	m := &memory{leases: map[string]lease{}, changed: make(chan struct{})}
	for _, stream := range streams {
		m.add(stream, time.Now())
	}
	return m
}

func (m *memory) change(fn func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fn()
	close(m.changed)
	m.changed = make(chan struct{})
}

func (m *memory) add(stream string, due time.Time) {
	m.change(func() {
		m.items = append(m.items, worklist.Item{Stream: stream, Kind: worklist.Session, DueAt: due})
	})
}

// remove takes a stream off the list, which then shows one position more.
func (m *memory) remove(stream string) {
	m.change(func() {
		m.items = slices.DeleteFunc(m.items, func(i worklist.Item) bool { return i.Stream == stream })
		m.shown++
	})
}

// ask is the lock of a question, or why there is no answer.
func (m *memory) ask() (unlock func(), err error) {
	m.mu.Lock()
	if m.broken != nil {
		m.mu.Unlock()
		return nil, m.broken
	}
	return m.mu.Unlock, nil
}

func (m *memory) outage(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = err
}

func (m *memory) Due(_ context.Context, limit int) (due []worklist.Item, err error) {
	unlock, err := m.ask()
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, i := range m.items {
		if len(due) < limit && !i.DueAt.After(time.Now()) && !m.leases[i.LeaseName()].ends.After(time.Now()) {
			due = append(due, i)
		}
	}
	return due, nil
}

func (m *memory) NextDue(context.Context) (next time.Time, err error) {
	unlock, err := m.ask()
	if err != nil {
		return next, err
	}
	defer unlock()
	for _, i := range m.items {
		if i.DueAt.After(time.Now()) && (next.IsZero() || i.DueAt.Before(next)) {
			next = i.DueAt
		}
	}
	return next, nil
}

func (m *memory) Gone(_ context.Context, streams []string) (gone []string, err error) {
	unlock, err := m.ask()
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, s := range streams {
		if !slices.ContainsFunc(m.items, func(i worklist.Item) bool { return i.Stream == s }) {
			gone = append(gone, s)
		}
	}
	return gone, nil
}

func (m *memory) Changed() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

func (m *memory) WaitFor(ctx context.Context, position uint64) error {
	for {
		m.mu.Lock()
		shown, changed := m.shown, m.changed
		m.mu.Unlock()
		if shown >= position {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (m *memory) Claim(_ context.Context, names []string, owner string, ttl time.Duration) (claimed []string, err error) {
	unlock, err := m.ask()
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, name := range names {
		if l := m.leases[name]; l.owner == owner || !l.ends.After(time.Now()) {
			m.leases[name] = lease{owner, time.Now().Add(ttl)}
			claimed = append(claimed, name)
		}
	}
	return claimed, nil
}

func (m *memory) Release(_ context.Context, names []string, owner string) error {
	unlock, err := m.ask()
	if err != nil {
		return err
	}
	defer unlock()
	for _, name := range names {
		if m.leases[name].owner == owner {
			delete(m.leases, name)
		}
	}
	return nil
}

// holder is who has the lease on a stream, "" for nobody.
func (m *memory) holder(stream string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.leases[worklist.Item{Stream: stream, Kind: worklist.Session}.LeaseName()]
	if !l.ends.After(time.Now()) {
		return ""
	}
	return l.owner
}

var (
	errOutage = errors.New("the database is away")
	silent    = slog.New(slog.DiscardHandler)
)

// away are leases that a worker cannot reach while it is gone.
type away struct {
	*memory
	gone atomic.Bool
}

func (a *away) Claim(ctx context.Context, names []string, owner string, ttl time.Duration) ([]string, error) {
	if a.gone.Load() {
		return nil, errOutage
	}
	return a.memory.Claim(ctx, names, owner, ttl)
}

// forget drops every lease, as a crash of the database may.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.leases)
}

// work is what a Loop does with an item.
type work func(ctx context.Context, item worklist.Item) (uint64, error)

// start runs a Loop over the list until stop, which waits for its end.
func start(t *testing.T, m *memory, owner string, concurrency int, do work) (stop func()) {
	t.Helper()
	l := &Loop{
		Name: "session", Owner: owner, List: m, Leases: m, Concurrency: concurrency, Do: do, Logger: silent,
	}
	return run(t, l)
}

func run(t *testing.T, l *Loop) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// pass lets a time go by, and then everything that is due at its end happen.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// journal notes what is done, and when since it began.
type journal struct {
	mu    sync.Mutex
	begun time.Time
	lines []line
}

type line struct {
	what  string
	after time.Duration
}

func newJournal() *journal { return &journal{begun: time.Now()} }

func (j *journal) note(what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line{what, time.Since(j.begun)})
}

func (j *journal) all() []line {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

// expect compares the whole journal.
func (j *journal) expect(t *testing.T, want ...line) {
	t.Helper()
	if got := j.all(); !slices.Equal(got, want) {
		t.Errorf("what happened:\n%v, want\n%v", got, want)
	}
}
