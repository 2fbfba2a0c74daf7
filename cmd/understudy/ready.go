package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/httpapi"
	"understudy/domain"
	"understudy/eventstore"
	"understudy/projections"
)

// readiness asks every part that answers depend on.
type readiness struct {
	store       *eventstore.Store
	pool        *pgxpool.Pool
	positions   *projections.Positions
	projections []projections.Projection
	proof       *proof
	lags        *lagReader

	// started is set once the service answers more than probes, stopping once it is
	// told to stop.
	started, stopping atomic.Bool

	mu sync.Mutex
	// behind holds the position that a projection must reach before the
	// service is ready the first time: the end of the log at the start.
	behind map[string]uint64
}

// newReadiness notes where the log ends, before any projector starts: a
// projector that has caught up has then seen at least that.
func newReadiness(ctx context.Context, lags *lagReader, positions *projections.Positions, all []projections.Projection) (*readiness, error) {
	store := lags.store
	r := &readiness{store: store, pool: lags.pool, positions: positions, projections: all, lags: lags, behind: map[string]uint64{}}
	head, err := store.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the end of the log: %w", err)
	}
	if head > 0 {
		for _, p := range all {
			r.behind[p.Name] = head
		}
	}
	return r, nil
}

// pingTimeout bounds each question.
const pingTimeout = 2 * time.Second

// Starting reports whether the service has yet to begin.
func (r *readiness) Starting() bool { return !r.started.Load() }

// Ready lists what keeps the service from answering.
func (r *readiness) Ready(ctx context.Context) []httpapi.NotReady {
	var out []httpapi.NotReady
	if r.Starting() {
		out = append(out, httpapi.NotReady{Component: "service", Message: "is starting"})
	}
	if r.stopping.Load() {
		out = append(out, httpapi.NotReady{Component: "service", Message: "is stopping"})
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if err := r.store.Ping(ctx); err != nil {
		out = append(out, httpapi.NotReady{Component: "event_store", Message: "does not answer"})
	}
	if err := r.pool.Ping(ctx); err != nil {
		out = append(out, httpapi.NotReady{Component: "postgres", Message: "does not answer"})
	}
	for name, why := range r.stopped(ctx) {
		out = append(out, httpapi.NotReady{Component: "projection_" + name, Message: why + wayOut})
	}
	for name, why := range r.reactorsStopped(ctx) {
		out = append(out, httpapi.NotReady{Component: "reactor_" + name, Message: why + reactorsWayOut})
	}
	// Where others sign, too, one that does not any longer need not prove.
	if s := r.proof.sealing.Status(); !s.Proven && (s.Running || r.proof.needed) {
		out = append(out, httpapi.NotReady{Component: "audit", Message: fmt.Sprintf(
			"is proving that the log is the one whose head was signed: %d of %d events", s.Hashed, s.Signed)})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, position := range r.behind {
		if at := r.positions.At(ctx, name); at >= 0 && uint64(at) >= position || r.hasAll(ctx, name) {
			delete(r.behind, name)
			continue
		}
		out = append(out, httpapi.NotReady{Component: "projection_" + name, Message: "is catching up with the log"})
	}
	return out
}

// Accepts refuses a command whose answer could not be read back, before
// anything is recorded.
func (r *readiness) Accepts(names ...string) error {
	stopped := r.positions.Stopped()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		if _, behind := r.behind[name]; behind || stopped[name] != nil {
			return domain.Refuse(domain.CodeUnavailable, "the %s read model is not up to date; nothing was recorded, so try again later", name)
		}
	}
	return nil
}

// awaitCatchUp waits until every read model has what the log held at the
// start: before that, answers would be missing what was acknowledged.
func (r *readiness) awaitCatchUp(ctx context.Context) error {
	r.mu.Lock()
	behind := maps.Clone(r.behind)
	r.mu.Unlock()
	for name, position := range behind {
		for !r.hasAll(ctx, name) {
			wait, cancel := context.WithTimeout(ctx, lagFor)
			err := r.positions.Wait(wait, name, position)
			cancel()
			if err == nil {
				break
			}
			if stopped := r.positions.Stopped()[name]; stopped != nil || ctx.Err() != nil {
				return errors.Join(stopped, err)
			}
		}
		r.mu.Lock()
		delete(r.behind, name)
		r.mu.Unlock()
	}
	return nil
}

// hasAll reports whether a read model that another process keeps has all that it
// follows. Its position does not tell: on an idle log it may stay before what is of no
// concern to it.
func (r *readiness) hasAll(ctx context.Context, name string) bool {
	if r.positions.Read == nil {
		return false
	}
	l, err := r.lags.read(ctx)
	f := l.readModels[name]
	return err == nil && f.built && f.stopped == "" && f.events == 0
}

// stopped tells why projections have stopped, in this process or another.
func (r *readiness) stopped(ctx context.Context) map[string]string {
	out := map[string]string{}
	if l, err := r.lags.read(ctx); err == nil {
		for name, f := range l.readModels {
			if f.stopped != "" {
				out[name] = f.stopped
			}
		}
	}
	for name, err := range r.positions.Stopped() {
		out[name] = err.Error()
	}
	return out
}

// reactorsStopped tells why reactors have stopped, in whichever process.
func (r *readiness) reactorsStopped(ctx context.Context) map[string]string {
	out := map[string]string{}
	if l, err := r.lags.read(ctx); err == nil {
		for name, f := range l.reactors {
			if f.stopped != "" {
				out[name] = f.stopped
			}
		}
	}
	return out
}

// Followers tells how far everybody who follows the log has come.
func (r *readiness) Followers(ctx context.Context) (httpapi.Followers, error) {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	l, err := r.lags.read(ctx)
	out := httpapi.Followers{LogPosition: l.head}
	if err != nil {
		return out, err
	}
	tell := func(name string, f follower) httpapi.Follower {
		told := httpapi.Follower{
			Name: name, Position: f.position, LagEvents: f.events, LagSeconds: f.seconds, UnknownEvents: f.unknown, Stopped: f.stopped,
		}
		if f.backlog.Next != nil {
			told.Before = f.backlog.Next.Error()
		}
		return told
	}
	for _, p := range r.projections {
		out.ReadModels = append(out.ReadModels, tell(p.Name, l.readModels[p.Name]))
	}
	for _, name := range l.reactorNames() {
		out.Reactors = append(out.Reactors, tell(name, l.reactors[name]))
	}
	return out, nil
}
