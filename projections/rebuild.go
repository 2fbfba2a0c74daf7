package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// besideSuffix is that of the schema which a rebuild fills.
	besideSuffix = "_rebuild"
	// replacedSuffix is that of the schema which it has replaced, until that is
	// dropped.
	replacedSuffix = "_replaced"
	// moved is the position that replaced rows are left with: a projector that
	// waits for them finds that they are no longer its own.
	moved = -2

	// swapHold is how long the serving projector is held up at most while what
	// came in last is added to the new rows: less than answers wait for their own
	// writes.
	swapHold = 2 * time.Second
	// swapTries is how often that is tried.
	swapTries = 20
	// lockWait bounds every wait for a lock.
	lockWait = 10 * time.Second
	// claimWait is how long another run is waited for, claimPause how often it is
	// looked for: Postgres needs a moment to notice that a client has gone.
	claimWait  = 2 * time.Second
	claimPause = 50 * time.Millisecond
	// gap is how long after the last catching up the end of the log may be away,
	// measured by how long the catching up took, for a swap to be tried.
	gap = time.Second
)

// Source is the log that rows are built from.
type Source interface {
	Log
	// Head is the position of the last event, 0 for none.
	Head(ctx context.Context) (uint64, error)
}

// Rebuild builds the rows of a projection anew, beside those that serve, and
// then puts them in their place.
//
// Whoever serves goes on with the old rows meanwhile and needs not be told: the
// schemas are renamed in one transaction, under the lock of the position's row
// and at a position that is not behind the old one, so that no answer is older
// than one before. A projector finds its position moved and goes on from the
// new one. Where this version has no rows yet, nothing is replaced.
//
// What an interrupted run has filled is left, and the next run goes on with it.
// Two runs for one projection exclude each other. No event is appended and no
// checkpoint is touched, so nothing is sent or started again.
type Rebuild struct {
	Projection Projection
	Pool       *pgxpool.Pool
	Log        Source
	Logger     *slog.Logger
	// Progress, if set, is told after every batch.
	Progress func(Progress)
}

// Progress tells how far a rebuild is.
type Progress struct {
	// Events is how many this run has applied.
	Events int
	// From is the position it began at, Position where it is, Head where the log
	// ended when it last looked.
	From, Position, Head int64
}

// Rebuilt tells what a rebuild has done.
type Rebuilt struct {
	// Events is how many were applied. A run that was resumed counts its own.
	Events   int
	Position int64
	Took     time.Duration
	// Resumed: an earlier run had begun.
	Resumed bool
	// Replaced: there were rows of this version before.
	Replaced bool
}

// ErrRebuilding says that another run is at it.
var ErrRebuilding = errors.New("another process is rebuilding this read model")

// Run rebuilds until the new rows serve or ctx ends. An event that cannot be
// applied is a *PoisonError.
func (r *Rebuild) Run(ctx context.Context) (done Rebuilt, err error) {
	began := time.Now()
	release, err := claim(ctx, r.Pool, r.Projection)
	if err != nil {
		return done, err
	}
	defer release()
	f := r.filler()
	if err := f.settle(ctx); err != nil {
		return done, err
	}
	if err := drop(ctx, r.Pool, r.Projection.schema()+replacedSuffix); err != nil {
		return done, err
	}
	if done.Resumed, err = f.resume(ctx); err != nil {
		return done, err
	}
	if err := f.toTheEnd(ctx); err != nil {
		return done, err
	}
	if err := f.analyse(ctx); err != nil {
		return done, err
	}
	for try := 1; ; try++ {
		if done.Replaced, err = f.swap(ctx, r.Projection); err == nil {
			break
		}
		if !passes(ctx, err) || try == swapTries {
			return done, fmt.Errorf("take the place of %s: %w", r.Projection.schema(), err)
		}
		if err := f.toTheEnd(ctx); err != nil {
			return done, err
		}
	}
	done.Events, done.Position = f.progress.Events, f.progress.Position
	done.Took = time.Since(began)
	if err := drop(ctx, r.Pool, r.Projection.schema()+replacedSuffix); err != nil {
		r.Logger.Warn("the rows that were replaced stay until the next rebuild or gc", "error", err)
	}
	return done, nil
}

// CatchUp brings the rows that are there up to the end of the log, as a service
// of this version does when it starts. Where one does already, there is nothing
// to be done. Where this version has no rows, the error is ErrNotBuilt.
func (r *Rebuild) CatchUp(ctx context.Context) (done Rebuilt, err error) {
	began := time.Now()
	f := r.filler()
	f.projector.Projection = r.Projection
	state, err := ReadState(ctx, r.Pool, r.Projection)
	if err != nil {
		return done, err
	}
	f.progress.From, f.progress.Position = state.Position, state.Position
	if err = f.toTheEnd(ctx); errors.Is(err, errMoved) {
		err = nil
	}
	return Rebuilt{Events: f.progress.Events, Position: f.progress.Position, Took: time.Since(began), Resumed: true}, err
}

// passes reports whether a swap may go better the next time: somebody held a
// lock, or the log grew faster than the last of it was added.
func passes(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case "55P03", "40P01": // lock_not_available, deadlock_detected
			return true
		}
		return false
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// claim takes the lock of a projection's rebuild, which ends with the connection.
// It waits a little for that of one that was interrupted just now.
func claim(ctx context.Context, pool *pgxpool.Pool, p Projection) (release func(), err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	key := lockKey(p.schema() + besideSuffix + " claimed")
	for deadline := time.Now().Add(claimWait); ; {
		var got bool
		err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, key).Scan(&got)
		if err == nil && got {
			break
		}
		if err == nil && time.Now().After(deadline) {
			err = fmt.Errorf("%s: %w", p.Name, ErrRebuilding)
		}
		if err != nil {
			conn.Release()
			return nil, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(claimPause):
		}
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockWait)
		defer cancel()
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, key); err != nil {
			_ = conn.Conn().Close(ctx) // the lock ends with it
		}
		conn.Release()
	}, nil
}

// drop drops a schema of a read model, if it is there. It waits for those who
// still read it.
func drop(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if err := boundLocks(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `SET LOCAL client_min_messages TO warning; DROP SCHEMA IF EXISTS `+pgx.Identifier{schema}.Sanitize()+` CASCADE`)
		return err
	})
	if err != nil {
		return fmt.Errorf("drop schema %s: %w", schema, err)
	}
	return nil
}

func boundLocks(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout TO %d`, lockWait.Milliseconds()))
	return err
}

// filler fills the schema beside the serving one.
type filler struct {
	*Rebuild
	projector *Projector
	progress  Progress
}

func (r *Rebuild) filler() *filler {
	beside := r.Projection
	beside.suffix = besideSuffix
	f := &filler{Rebuild: r, progress: Progress{From: -1, Position: -1}}
	f.projector = &Projector{
		Projection: beside, Pool: r.Pool, Log: r.Log, Positions: NewPositions(), Logger: r.Logger, committed: f.advance,
	}
	return f
}

func (f *filler) advance(events int, position int64) {
	f.progress.Events += events
	f.progress.Position = position
	if f.Progress != nil {
		f.Progress(f.progress)
	}
}

// settle waits until nothing of an interrupted run is under way: Postgres carries
// out a commit that it has begun also when its client has gone.
func (f *filler) settle(ctx context.Context) error {
	return pgx.BeginFunc(ctx, f.Pool, func(tx pgx.Tx) error {
		if err := boundLocks(ctx, tx); err != nil {
			return err
		}
		if err := lockSchema(ctx, tx, f.Projection); err != nil { // that of a swap
			return err
		}
		beside := f.projector.Projection
		exists, err := schemaExists(ctx, tx, beside.schema())
		if err != nil || !exists {
			return err
		}
		_, err = tx.Exec(ctx, `SELECT FROM `+beside.positionTable()+` FOR UPDATE`) // that of a batch
		return err
	})
}

// resume finds out how far an earlier run has come.
func (f *filler) resume(ctx context.Context) (resumed bool, err error) {
	state, err := ReadState(ctx, f.Pool, f.projector.Projection)
	if errors.Is(err, ErrNotBuilt) {
		return false, nil
	}
	f.progress.From, f.progress.Position = state.Position, state.Position
	return true, err
}

// toTheEnd fills until the end of the log is near: the last stretch took less
// than gap.
func (f *filler) toTheEnd(ctx context.Context) error {
	for {
		head, err := f.Log.Head(ctx)
		if err != nil {
			return err
		}
		f.progress.Head = max(f.progress.Head, int64(head))
		began := time.Now()
		if err := f.to(ctx, int64(head)); err != nil || time.Since(began) < gap {
			return err
		}
	}
}

// to fills up to a position. A log that has nothing at all is at its end.
func (f *filler) to(ctx context.Context, position int64) error {
	if position <= 0 {
		return Prepare(ctx, f.Pool, f.projector.Projection)
	}
	return f.projector.follow(ctx, &position)
}

// analyse tells Postgres's planner of the new rows, before somebody asks for them.
func (f *filler) analyse(ctx context.Context) error {
	rows, err := f.Pool.Query(ctx, `SELECT format('ANALYZE %I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = $1`,
		f.projector.Projection.schema())
	if err != nil {
		return err
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err := f.Pool.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// swap puts the new rows in the place of those that serve, or where none are.
func (f *filler) swap(ctx context.Context, serving Projection) (replaced bool, err error) {
	err = pgx.BeginFunc(ctx, f.Pool, func(tx pgx.Tx) error {
		if err := boundLocks(ctx, tx); err != nil {
			return err
		}
		if err := lockSchema(ctx, tx, serving); err != nil {
			return err
		}
		if replaced, err = schemaExists(ctx, tx, serving.schema()); err != nil {
			return err
		}
		if replaced {
			if err := f.overtake(ctx, tx, serving); err != nil {
				return err
			}
			if err := rename(ctx, tx, serving.schema(), serving.schema()+replacedSuffix); err != nil {
				return err
			}
		}
		return rename(ctx, tx, f.projector.Projection.schema(), serving.schema())
	})
	return replaced, err
}

// overtake holds up the serving projector, adds what it is ahead, and leaves it
// a position that it cannot go on from: by the time it has the lock, it still
// holds on to the old table.
func (f *filler) overtake(ctx context.Context, tx pgx.Tx, serving Projection) error {
	var position int64
	if err := tx.QueryRow(ctx, `SELECT position FROM `+serving.positionTable()+` FOR UPDATE`).Scan(&position); err != nil {
		return err
	}
	hold, cancel := context.WithTimeout(ctx, swapHold)
	defer cancel()
	if err := f.to(hold, position); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE `+serving.positionTable()+` SET position = $1`, moved)
	return err
}

func rename(ctx context.Context, tx pgx.Tx, from, to string) error {
	_, err := tx.Exec(ctx, `ALTER SCHEMA `+pgx.Identifier{from}.Sanitize()+` RENAME TO `+pgx.Identifier{to}.Sanitize())
	return err
}
