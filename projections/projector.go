package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
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
	// Tell: processes that have no projector of their own hear of every commit.
	Tell bool

	// committed, if set, is told of every batch that was.
	committed func(events int, position int64)
}

// errMoved: another projector has moved the position, or Postgres has lost the newest
// commits; start from there.
var errMoved = errors.New("projections: the position was moved by another projector")

// maxPause bounds the wait between attempts while Postgres or the log is away, of which
// one each warnEvery is told.
const (
	maxPause  = 500 * time.Millisecond
	warnEvery = 2 * time.Second
)

// noteLimit bounds writing down why a projection has stopped.
const noteLimit = 2 * time.Second

// firstPause is the first of these waits, and the one after another projector
// or a rebuild has moved the position.
const firstPause = 50 * time.Millisecond

// lookEvery is how often a projector that has nothing to do makes sure that its newest
// commits are still there: no commit tells it while no event comes.
const lookEvery = 3 * time.Second

// Prepare creates the projection's schema if it is not there.
func Prepare(ctx context.Context, pool *pgxpool.Pool, p Projection) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// Two nodes may start at once.
		if err := lockSchema(ctx, tx, p); err != nil {
			return err
		}
		exists, err := schemaExists(ctx, tx, p.schema())
		if err != nil {
			return err
		}
		if exists {
			return addColumns(ctx, tx, p)
		}
		schema := pgx.Identifier{p.schema()}.Sanitize()
		ddl := `CREATE SCHEMA ` + schema + `; SET LOCAL search_path TO ` + schema + `;
			CREATE TABLE projector (position bigint NOT NULL, unknown bigint NOT NULL DEFAULT 0, stopped text);
			INSERT INTO projector VALUES (-1);` + p.Schema
		if _, err := tx.Exec(ctx, ddl); err != nil {
			return fmt.Errorf("create read model %s: %w", p.Name, err)
		}
		return nil
	})
}

// addColumns brings the table of the position, which is the engine's and not the
// projection's, up to this program. Programs that know the position only go on.
func addColumns(ctx context.Context, tx pgx.Tx, p Projection) error {
	var complete bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_attribute
		WHERE attrelid = to_regclass($1) AND attname = 'stopped' AND NOT attisdropped)`, p.positionTable()).Scan(&complete)
	if err != nil || complete {
		return err
	}
	_, err = tx.Exec(ctx, `ALTER TABLE `+p.positionTable()+`
		ADD COLUMN IF NOT EXISTS unknown bigint NOT NULL DEFAULT 0, ADD COLUMN IF NOT EXISTS stopped text`)
	return err
}

// lockSchema makes those who make or replace the projection's schema take turns,
// until the end of the transaction.
func lockSchema(ctx context.Context, tx pgx.Tx, p Projection) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lockKey(p.schema()))
	return err
}

// lockKey is the number of an advisory lock on something with this name.
func lockKey(name string) int64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return int64(h.Sum64())
}

func schemaExists(ctx context.Context, q Querier, name string) (exists bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, name).Scan(&exists)
	return exists, err
}

// Run follows the log until ctx ends. It survives outages of Postgres and of
// the store, and a rebuild that replaces the rows. An event that cannot be
// applied stops it for good: the returned *PoisonError names the event,
// Positions tells the waiting, and the position's row everybody else.
func (p *Projector) Run(ctx context.Context) error {
	pause := firstPause
	var warned time.Time
	for {
		started := time.Now()
		err := p.follow(ctx, nil)
		var poison *PoisonError
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // whatever the end of ctx made of it
		case errors.As(err, &poison):
			p.Positions.stop(p.Projection.Name, err)
			if broken := (*eventstore.Panic)(nil); errors.As(err, &broken) {
				p.Logger.Error("panic over an event", "projection", p.Projection.Name, "error", err, "stack", string(broken.Stack))
			}
			p.noteStop(ctx, poison)
			return err
		case errors.Is(err, errMoved):
			pause = firstPause
		case err != nil && time.Since(warned) >= warnEvery:
			warned = time.Now()
			p.Logger.Warn("projection waits", "projection", p.Projection.Name, "error", err)
		}
		if time.Since(started) > time.Minute {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, maxPause)
	}
}

// noteStop writes why the projection has stopped beside its position, for other
// processes and for whoever asks later, unless another program has gone past the
// event by now. The next commit takes it back.
func (p *Projector) noteStop(ctx context.Context, why *PoisonError) {
	ctx, cancel := context.WithTimeout(ctx, noteLimit)
	defer cancel()
	text := strings.ReplaceAll(strings.ToValidUTF8(why.Error(), "?"), "\x00", "?")
	_, err := p.Pool.Exec(ctx, `UPDATE `+p.Projection.positionTable()+` SET stopped = $1 WHERE position < $2`, text, int64(why.position()))
	if err != nil {
		p.Logger.Warn("other processes will not know that a projection has stopped", "projection", p.Projection.Name, "error", err)
	}
}

// follow applies events until ctx ends, or, when upTo is given, until it has
// committed that position.
func (p *Projector) follow(ctx context.Context, upTo *int64) error {
	if err := Prepare(ctx, p.Pool, p.Projection); err != nil {
		return err
	}
	state, err := ReadState(ctx, p.Pool, p.Projection)
	if err != nil {
		return err
	}
	position := state.Position
	p.Positions.Advance(p.Projection.Name, position)
	if upTo != nil && position >= *upTo {
		return nil
	}
	sub := eventstore.Subscription{Name: "projection-" + p.Projection.Name, Prefixes: p.Projection.Prefixes}
	if position >= 0 {
		from := uint64(position)
		sub.From = &from
	}
	if upTo != nil {
		end := uint64(*upTo)
		sub.UpTo = &end
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var kept atomic.Int64
	kept.Store(position)
	go p.look(ctx, &kept, end)
	err = p.Log.Subscribe(ctx, sub, func(ctx context.Context, b eventstore.Batch) error {
		if err := p.apply(ctx, position, b); err != nil {
			return err
		}
		position = int64(b.Checkpoint)
		kept.Store(position)
		return nil
	})
	if lost := context.Cause(ctx); errors.Is(lost, errMoved) {
		return lost
	}
	var undecodable *eventstore.PoisonError
	if errors.As(err, &undecodable) {
		return &PoisonError{Projection: p.Projection.Name, Cause: err}
	}
	return err
}

// look ends a subscription whose newest commits are gone: of a Postgres that crashed, or
// whose standby took over, the last moments of what add commits may be missing.
func (p *Projector) look(ctx context.Context, kept *atomic.Int64, end context.CancelCauseFunc) {
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		atLeast := kept.Load()
		at, err := ReadPosition(ctx, p.Pool, p.Projection)
		if (err == nil || errors.Is(err, ErrNotBuilt)) && at < atLeast {
			end(errMoved)
		}
	}
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
	known := b.Events
	if slices.ContainsFunc(known, unknown) {
		known = slices.DeleteFunc(slices.Clone(known), unknown)
	}
	var parts []string
	if p.Projection.Parts != nil {
		parts = p.Projection.Parts(known)
	}
	if err := p.add(ctx, position, b, known, parts); err != nil {
		return err
	}
	p.Positions.Advance(p.Projection.Name, int64(b.Checkpoint))
	p.Positions.wakeParts(p.Projection.Name, parts)
	if p.committed != nil {
		p.committed(len(known), int64(b.Checkpoint))
	}
	return nil
}

// add is the transaction of a batch, which is one round trip where no known event is in it.
// Rows and position are lost together if Postgres dies, and are then read from the log
// again: nothing depends on this commit's fsync.
func (p *Projector) add(ctx context.Context, position int64, b eventstore.Batch, known []domain.Recorded, parts []string) error {
	schema := pgx.Identifier{p.Projection.schema()}.Sanitize()
	var begin pgx.Batch // in one round trip; without BeginTx it is a transaction of its own
	if len(known) > 0 {
		begin.BeginTx(pgx.TxOptions{})
	}
	// A plan made while a table is small is kept when it has grown: never one that reads all of it.
	begin.Queue(`SELECT set_config('synchronous_commit', 'off', true), set_config('search_path', $1, true), set_config('enable_seqscan', 'off', true)`, schema)
	// The row stays locked to the end of the transaction.
	move := `UPDATE ` + schema + `.projector SET position = $1, unknown = unknown + $2, stopped = NULL WHERE position = $3`
	args := []any{int64(b.Checkpoint), len(b.Events) - len(known), position}
	if p.Tell {
		text, err := json.Marshal(told{p.Projection.Name, int64(b.Checkpoint), parts})
		if err != nil {
			return err
		}
		move, args = telling(move), append(args, string(text))
	}
	moved := false
	begin.Queue(move, args...).Exec(func(tag pgconn.CommandTag) error {
		moved = tag.RowsAffected() == 0
		return nil
	})
	begun := p.Pool.SendBatch(ctx, &begin)
	tx := begun.Tx()
	if tx != nil {
		defer func() { _ = tx.Rollback(ctx) }() // of what is not committed
	}
	if err := begun.Close(); err != nil {
		return err
	}
	if moved {
		return errMoved
	}
	if tx == nil {
		return nil
	}
	if err := eventstore.Safely(func() error { return p.Projection.Apply(ctx, tx, known) }); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func unknown(e domain.Recorded) bool {
	_, is := e.Event.(domain.Unknown)
	return is
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

// position is the event's.
func (e *PoisonError) position() uint64 {
	var undecodable *eventstore.PoisonError
	if errors.As(e.Cause, &undecodable) {
		return undecodable.Position
	}
	return e.Event.Position
}

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
	var broken *eventstore.Panic
	return errors.As(err, &apply) || errors.As(err, &broken)
}

// ApplyError marks a failure that lies in the event, not in the database.
type ApplyError struct{ Cause error }

func (e *ApplyError) Error() string { return e.Cause.Error() }

func (e *ApplyError) Unwrap() error { return e.Cause }
