package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// KeyUses keeps when API keys were last used.
type KeyUses struct{ pool *pgxpool.Pool }

// NewKeyUses keeps them in schema ops of the pool's database.
func NewKeyUses(pool *pgxpool.Pool) *KeyUses { return &KeyUses{pool: pool} }

// Record keeps the times of keys, by id, in one statement; a later one stays.
func (u *KeyUses) Record(ctx context.Context, at map[string]time.Time) error {
	ids, times := make([]string, 0, len(at)), make([]time.Time, 0, len(at))
	for id, t := range at {
		ids, times = append(ids, id), append(times, t)
	}
	// Rows are locked in one order, whichever nodes write at the same time.
	_, err := u.pool.Exec(ctx, `
		insert into ops.key_uses as u (key_id, last_used_at)
		select * from unnest($1::text[], $2::timestamptz[]) as given (id, at) order by id
		on conflict (key_id) do update set last_used_at = greatest(u.last_used_at, excluded.last_used_at)`, ids, times)
	if err != nil {
		return fmt.Errorf("record uses of keys: %w", err)
	}
	return nil
}

// Read tells when keys were last used; those that never were are not in it.
func (u *KeyUses) Read(ctx context.Context, ids []string) (map[string]time.Time, error) {
	rows, err := u.pool.Query(ctx, `select key_id, last_used_at from ops.key_uses where key_id = any($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("read uses of keys: %w", err)
	}
	at := map[string]time.Time{}
	var id string
	var last time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &last}, func() error {
		at[id] = last
		return nil
	})
	return at, err
}
