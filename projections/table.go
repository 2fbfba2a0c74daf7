package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
)

// Table folds events into one row per resource. It reads the rows that a batch
// touches once, folds, and writes them once.
type Table[R any] struct {
	Name string
	// Columns besides id, revision and position, in the order of Values.
	Columns []string
	// ID says which row an event belongs to; "" is none.
	ID func(e domain.Recorded) string
	// Fold is pure and total.
	Fold func(row R, e domain.Recorded) R
	// Values and Scan write and read Columns; a row that was scanned from what
	// Values gave is the same row.
	Values func(row R) ([]any, error)
	Scan   func(scan func(dest ...any) error) (R, error)
}

type folded[R any] struct {
	row      R
	revision int64
	position int64
	dirty    bool
}

// Apply folds the events into the table.
func (t Table[R]) Apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	ids := make([]string, 0, len(events))
	rows := map[string]*folded[R]{}
	for _, e := range events {
		id := t.ID(e)
		if id != "" && rows[id] == nil {
			rows[id] = &folded[R]{position: -1}
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := t.load(ctx, tx, ids, rows); err != nil {
		return err
	}
	for _, e := range events {
		f := rows[t.ID(e)]
		if f == nil || int64(e.Position) <= f.position {
			continue
		}
		f.row = t.Fold(f.row, e)
		f.revision, f.position, f.dirty = int64(e.Revision), int64(e.Position), true
	}
	return t.save(ctx, tx, ids, rows)
}

func (t Table[R]) load(ctx context.Context, tx pgx.Tx, ids []string, rows map[string]*folded[R]) error {
	q := `SELECT id, revision, position, ` + strings.Join(t.Columns, ", ") + ` FROM ` + t.Name + ` WHERE id = ANY($1)`
	found, err := tx.Query(ctx, q, ids)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var id string
		var f folded[R]
		row, err := t.Scan(func(dest ...any) error {
			return found.Scan(append([]any{&id, &f.revision, &f.position}, dest...)...)
		})
		if err != nil {
			return fmt.Errorf("read row of %s: %w", t.Name, err)
		}
		f.row = row
		rows[id] = &f
	}
	return found.Err()
}

func (t Table[R]) save(ctx context.Context, tx pgx.Tx, ids []string, rows map[string]*folded[R]) error {
	var params, sets strings.Builder
	for i, c := range t.Columns {
		fmt.Fprintf(&params, ", $%d", i+4)
		fmt.Fprintf(&sets, ", %s = excluded.%s", c, c)
	}
	q := `INSERT INTO ` + t.Name + ` (id, revision, position, ` + strings.Join(t.Columns, ", ") + `)
		VALUES ($1, $2, $3` + params.String() + `)
		ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, position = excluded.position` + sets.String()
	var batch pgx.Batch
	for _, id := range ids {
		f := rows[id]
		if !f.dirty {
			continue
		}
		values, err := t.Values(f.row)
		if err != nil {
			return &ApplyError{fmt.Errorf("row %s of %s: %w", id, t.Name, err)}
		}
		batch.Queue(q, append([]any{id, f.revision, f.position}, values...)...)
	}
	return tx.SendBatch(ctx, &batch).Close()
}

// Stored is a column of a row as Apply writes it, for answers that are folded
// from the log and not read from the table.
func (t Table[R]) Stored(row R, column string) (json.RawMessage, error) {
	values, err := t.Values(row)
	if err != nil {
		return nil, err
	}
	i := slices.Index(t.Columns, column)
	if i < 0 {
		return nil, fmt.Errorf("projections: %s has no column %s", t.Name, column)
	}
	text, ok := values[i].(string)
	if !ok {
		return nil, fmt.Errorf("projections: column %s of %s is %T, no JSON", column, t.Name, values[i])
	}
	return json.RawMessage(text), nil
}

// JSON marshals for a json column. Documents are plain data, so it cannot fail
// but for NaN, which no fold makes.
func JSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// StreamID cuts a stream's prefix off, e.g. "testrun-".
func StreamID(e domain.Recorded) string {
	_, id, _ := strings.Cut(e.Stream, "-")
	return id
}
