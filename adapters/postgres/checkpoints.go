package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Checkpoints remember how far each reactor has read the log. They are apart
// from the projections' positions: rebuilding a read model never moves them.
type Checkpoints struct{ pool *pgxpool.Pool }

// NewCheckpoints keeps checkpoints in schema ops of the pool's database.
func NewCheckpoints(pool *pgxpool.Pool) *Checkpoints { return &Checkpoints{pool: pool} }

// Load returns the commit position up to which the reactor has handled every
// event, and false when it has none yet.
func (c *Checkpoints) Load(ctx context.Context, name string) (uint64, bool, error) {
	var position int64
	err := c.pool.QueryRow(ctx, "select position from ops.reactor_checkpoints where name = $1 and position >= 0", name).Scan(&position)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("load checkpoint %s: %w", name, err)
	}
	return uint64(position), true, nil
}

// Save records a position, without waiting for the disk: a reactor whose newest
// checkpoints Postgres forgets in a crash does again what it had done, to no
// effect. One that is not beyond the recorded one changes
// nothing: a reactor that was slow to notice that it lost the lead cannot set
// its successor back.
func (c *Checkpoints) Save(ctx context.Context, name string, position uint64) error {
	if position > math.MaxInt64 {
		return fmt.Errorf("save checkpoint %s: position %d is out of range", name, position)
	}
	const q = `
		insert into ops.reactor_checkpoints as c (name, position, updated_at) values ($1, $2, now())
		on conflict (name) do update set position = excluded.position, updated_at = excluded.updated_at, stopped = null
		where c.position < excluded.position`
	// One batch is one transaction, and set_config ends with it.
	var batch pgx.Batch
	batch.Queue(`select set_config('synchronous_commit', 'off', true)`)
	batch.Queue(q, name, int64(position))
	if err := c.pool.SendBatch(ctx, &batch).Close(); err != nil {
		return fmt.Errorf("save checkpoint %s: %w", name, err)
	}
	return nil
}

// Stop notes at which event a reactor has stopped, and why. The next position that is
// saved takes it back.
func (c *Checkpoints) Stop(ctx context.Context, name, why string) error {
	why = strings.ReplaceAll(strings.ToValidUTF8(why, "?"), "\x00", "?")
	const q = `
		insert into ops.reactor_checkpoints as c (name, position, updated_at, stopped) values ($1, -1, now(), $2)
		on conflict (name) do update set stopped = excluded.stopped`
	if _, err := c.pool.Exec(ctx, q, name, why); err != nil {
		return fmt.Errorf("note why %s stopped: %w", name, err)
	}
	return nil
}

// Stopped are the reactors that have stopped, with why.
func (c *Checkpoints) Stopped(ctx context.Context) (map[string]string, error) {
	rows, err := c.pool.Query(ctx, "select name, stopped from ops.reactor_checkpoints where stopped is not null")
	if err != nil {
		return nil, fmt.Errorf("read who has stopped: %w", err)
	}
	out := map[string]string{}
	var name, why string
	_, err = pgx.ForEachRow(rows, []any{&name, &why}, func() error {
		out[name] = why
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read who has stopped: %w", err)
	}
	return out, nil
}
