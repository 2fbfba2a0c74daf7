package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres"
	"understudy/adapters/reactors"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/readmodels"
)

const (
	// lagLimit is up to how many events a lag is counted exactly: more would cost
	// those who are behind what they need to catch up.
	lagLimit = 1000
	// lagFor is how long what was read of the lags is told again.
	lagFor = 3 * time.Second
)

// follower is a read model or a reactor, as it was when it was read.
type follower struct {
	// built is false for a read model that this version has not begun.
	built    bool
	position int64 // -1 is none
	unknown  int   // events of unknown type that were passed
	stopped  string
	backlog  eventstore.Backlog
	// events is the lag: exact up to lagLimit, above it the distance to the end of
	// the log where positions count events.
	events int
	// seconds is for how long the oldest event of the lag has been waiting.
	seconds float64
}

// behind tells the lag for people.
func (f follower) behind() string {
	if f.events == 0 {
		return "0"
	}
	more := ""
	if f.backlog.Events == lagLimit {
		more = "≤ " // events of streams that it does not follow are in it
		if f.events == lagLimit {
			more = "≥ "
		}
	}
	return fmt.Sprintf("%s%d for %s", more, f.events, time.Duration(f.seconds*float64(time.Second)).Round(time.Second))
}

// lags are all followers of the log.
type lags struct {
	head       uint64
	readModels map[string]follower
	reactors   map[string]follower
}

func (l lags) reactorNames() []string { return slices.Sorted(maps.Keys(l.reactors)) }

// troubles are sentences about what does not go on by itself, with the way out.
func (l lags) troubles() (out []string) {
	for _, name := range slices.Sorted(maps.Keys(l.readModels)) {
		if why := l.readModels[name].stopped; why != "" {
			out = append(out, why+wayOut)
		}
	}
	for _, name := range l.reactorNames() {
		if why := l.reactors[name].stopped; why != "" {
			out = append(out, why+reactorsWayOut)
			continue
		}
		if next := l.reactors[name].backlog.Next; next != nil {
			out = append(out, fmt.Sprintf("reactor %s holds before an event that a newer program recorded: %v; run that program", name, next))
		}
	}
	return out
}

// wayOut is what can be done about a read model that has stopped.
const wayOut = ". It still answers as of the event before. A program that can apply the event goes on from there at its next start: " +
	"upgrade, or report what is said here (docs/operations.md)"

// reactorsWayOut is what can be done about a reactor that has stopped.
const reactorsWayOut = ". What follows from this event and later ones of its streams waits. A program that can react to it goes on from " +
	"there at its next start: upgrade, or report what is said here (docs/operations.md)"

// lagReader reads how far everybody who follows the log has come. It asks the
// database, so that it also knows of followers in other processes.
type lagReader struct {
	store    *eventstore.Store
	pool     *pgxpool.Pool
	models   []projections.Projection
	reactors []eventstore.Reactor
	// counts: positions count events, as those of the embedded store do.
	counts bool

	mu   sync.Mutex
	at   time.Time
	last lags
	err  error
}

func newLagReader(cfg config, store *eventstore.Store, pool *pgxpool.Pool) *lagReader {
	return &lagReader{
		store: store, pool: pool, models: readmodels.All(), reactors: (&reactors.Reactors{}).All(), counts: !cfg.shared(),
	}
}

// read gives what was read within lagFor, be it a failure, or reads again. That a
// caller has gone away is no answer for the others.
func (r *lagReader) read(ctx context.Context) (lags, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) < lagFor {
		return r.last, r.err
	}
	l, err := r.ask(ctx)
	if !errors.Is(ctx.Err(), context.Canceled) {
		r.last, r.err, r.at = l, err, time.Now()
	}
	return l, err
}

func (r *lagReader) ask(ctx context.Context) (lags, error) {
	head, err := r.store.Head(ctx)
	if err != nil {
		return lags{}, err
	}
	l := lags{head: head, readModels: map[string]follower{}, reactors: map[string]follower{}}
	for _, p := range r.models {
		state, err := projections.ReadState(ctx, r.pool, p)
		if err != nil && !errors.Is(err, projections.ErrNotBuilt) {
			return lags{}, fmt.Errorf("read model %s: %w", p.Name, err)
		}
		f := follower{built: err == nil, position: state.Position, unknown: state.Unknown, stopped: state.Stopped}
		if l.readModels[p.Name], err = r.measured(ctx, f, head, p.Prefixes); err != nil {
			return lags{}, err
		}
	}
	checkpoints := postgres.NewCheckpoints(r.pool)
	stopped, err := checkpoints.Stopped(ctx)
	if err != nil && !noTable(err) {
		return lags{}, err
	}
	for _, reactor := range r.reactors {
		f := follower{built: true, position: -1, stopped: stopped[reactor.Name]}
		position, ok, err := checkpoints.Load(ctx, reactor.Name)
		if err != nil && !noTable(err) {
			return lags{}, err
		}
		if ok {
			f.position = int64(position)
		}
		if l.reactors[reactor.Name], err = r.measured(ctx, f, head, reactor.Prefixes); err != nil {
			return lags{}, err
		}
	}
	return l, nil
}

// measured adds the lag to a follower.
func (r *lagReader) measured(ctx context.Context, f follower, head uint64, prefixes []string) (follower, error) {
	if f.position >= int64(head) {
		return f, nil
	}
	sub := eventstore.Subscription{Name: "lag", Prefixes: prefixes}
	if f.position >= 0 {
		from := uint64(f.position)
		sub.From = &from
	}
	var err error
	if f.backlog, err = r.store.Backlog(ctx, sub, lagLimit); err != nil {
		return f, fmt.Errorf("measure a lag: %w", err)
	}
	f.events = f.backlog.Events
	if f.events == lagLimit && r.counts {
		f.events = max(f.events, int(int64(head)-max(f.position, 0)))
	}
	if f.events > 0 {
		f.seconds = max(time.Since(f.backlog.Oldest).Seconds(), 0) // clocks of two machines
	}
	return f, nil
}

// noTable: a database in which no service has been started yet.
func noTable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "42P01" || pg.Code == "3F000")
}
