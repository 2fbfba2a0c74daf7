package projections

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/domain"
	"understudy/eventstore"
)

// Log is what a projector reads: the event store's subscription.
type Log interface {
	Subscribe(ctx context.Context, sub eventstore.Subscription, handle func(context.Context, eventstore.Batch) error) error
}

// Projector keeps one read model up to date.
type Projector struct {
	Projection Projection
	Pool       *pgxpool.Pool
	Log        Log
	Positions  *Positions
	Logger     *slog.Logger
}

// errMoved: another projector has moved the position; start from there.
var errMoved = errors.New("projections: the position was moved by another projector")

// maxPause bounds the wait between attempts while Postgres or the log is away.
const maxPause = 2 * time.Second

// Prepare creates the projection's schema if it is not there.
func Prepare(ctx context.Context, pool *pgxpool.Pool, p Projection) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		h := fnv.New64a()
		h.Write([]byte(p.schema()))
		// Two nodes may start at once; the lock ends with the transaction.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(h.Sum64())); err != nil {
			return err
		}
		var exists bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, p.schema()).Scan(&exists)
		if err != nil || exists {
			return err
		}
		schema := pgx.Identifier{p.schema()}.Sanitize()
		ddl := `CREATE SCHEMA ` + schema + `; SET LOCAL search_path TO ` + schema + `;
			CREATE TABLE projector (position bigint NOT NULL);
			INSERT INTO projector VALUES (-1);` + p.Schema
		if _, err := tx.Exec(ctx, ddl); err != nil {
			return fmt.Errorf("create read model %s: %w", p.Name, err)
		}
		return nil
	})
}

// Run follows the log until ctx ends. It survives outages of Postgres and of
// the store. An event that cannot be applied stops it for good: the returned
// *PoisonError names the event, and Positions tells the waiting.
func (p *Projector) Run(ctx context.Context) error {
	pause := 50 * time.Millisecond
	for {
		started := time.Now()
		err := p.follow(ctx)
		var poison *PoisonError
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // whatever the end of ctx made of it
		case errors.As(err, &poison):
			p.Positions.stop(p.Projection.Name, err)
			return err
		case err != nil && !errors.Is(err, errMoved):
			p.Logger.Warn("projection waits", "projection", p.Projection.Name, "error", err)
		}
		if time.Since(started) > time.Minute {
			pause = 50 * time.Millisecond
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, maxPause)
	}
}

func (p *Projector) follow(ctx context.Context) error {
	if err := Prepare(ctx, p.Pool, p.Projection); err != nil {
		return err
	}
	position, err := ReadPosition(ctx, p.Pool, p.Projection)
	if err != nil {
		return err
	}
	p.Positions.Advance(p.Projection.Name, position)
	sub := eventstore.Subscription{Name: "projection-" + p.Projection.Name, Prefixes: p.Projection.Prefixes}
	if position >= 0 {
		from := uint64(position)
		sub.From = &from
	}
	err = p.Log.Subscribe(ctx, sub, func(ctx context.Context, b eventstore.Batch) error {
		if err := p.apply(ctx, position, b); err != nil {
			return err
		}
		position = int64(b.Checkpoint)
		return nil
	})
	var undecodable *eventstore.PoisonError
	if errors.As(err, &undecodable) {
		return &PoisonError{Projection: p.Projection.Name, Cause: err}
	}
	return err
}

func (p *Projector) apply(ctx context.Context, position int64, b eventstore.Batch) error {
	err := p.commit(ctx, position, b)
	if err == nil || errors.Is(err, errMoved) || !isPoison(err) {
		return err
	}
	// Something in the batch cannot be applied: go one by one to keep what
	// can be, and to name the event.
	for _, e := range b.Events {
		if err := p.commit(ctx, position, eventstore.Batch{Events: []domain.Recorded{e}, Checkpoint: e.Position}); err != nil {
			if isPoison(err) {
				return &PoisonError{Projection: p.Projection.Name, Event: e, Cause: err}
			}
			return err
		}
		position = int64(e.Position)
	}
	return p.commit(ctx, position, eventstore.Batch{Checkpoint: b.Checkpoint})
}

// commit adds a batch to what stands at position, and tells the waiting.
func (p *Projector) commit(ctx context.Context, position int64, b eventstore.Batch) error {
	known := b.Events[:0:0]
	for _, e := range b.Events {
		if _, unknown := e.Event.(domain.Unknown); !unknown {
			known = append(known, e)
		}
	}
	err := pgx.BeginFunc(ctx, p.Pool, func(tx pgx.Tx) error {
		// Rows and position are lost together if Postgres dies, and are then
		// read from the log again: nothing depends on this commit's fsync.
		schema := pgx.Identifier{p.Projection.schema()}.Sanitize()
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit TO off; SET LOCAL search_path TO `+schema); err != nil {
			return err
		}
		var at int64
		if err := tx.QueryRow(ctx, `SELECT position FROM projector FOR UPDATE`).Scan(&at); err != nil {
			return err
		}
		if at != position {
			return errMoved
		}
		if len(known) > 0 {
			if err := p.Projection.Apply(ctx, tx, known); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `UPDATE projector SET position = $1`, int64(b.Checkpoint))
		return err
	})
	if err != nil {
		return err
	}
	p.Positions.countUnknown(p.Projection.Name, len(b.Events)-len(known))
	p.Positions.Advance(p.Projection.Name, int64(b.Checkpoint))
	return nil
}

// ReadPosition reads the position that a projection has committed.
func ReadPosition(ctx context.Context, pool *pgxpool.Pool, p Projection) (int64, error) {
	var at int64
	err := pool.QueryRow(ctx, `SELECT position FROM `+pgx.Identifier{p.schema(), "projector"}.Sanitize()).Scan(&at)
	return at, err
}

// PoisonError names the event that a projection cannot apply.
type PoisonError struct {
	Projection string
	Event      domain.Recorded
	Cause      error
}

func (e *PoisonError) Error() string {
	if e.Event.Event == nil {
		return fmt.Sprintf("projection %s stopped: %v", e.Projection, e.Cause)
	}
	return fmt.Sprintf("projection %s stopped at %s of stream %s, revision %d, position %d: %v",
		e.Projection, e.Event.Event.EventType(), e.Event.Stream, e.Event.Revision, e.Event.Position, e.Cause)
}

func (e *PoisonError) Unwrap() error { return e.Cause }

// isPoison tells an event that cannot be applied, by what it holds, from
// everything that passes: outages, dropped schemas, changed plans.
func isPoison(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code[:2] {
		case "22", "23", "42": // data, integrity, statement
			// A schema or table that is gone is prepared anew.
			return pg.Code != "42P01"
		}
		return false
	}
	var apply *ApplyError
	return errors.As(err, &apply)
}

// ApplyError marks a failure that lies in the event, not in the database.
type ApplyError struct{ Cause error }

func (e *ApplyError) Error() string { return e.Cause.Error() }

func (e *ApplyError) Unwrap() error { return e.Cause }
