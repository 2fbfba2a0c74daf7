package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
)

// Table folds events into one row per resource. It reads the rows that a batch
// touches once, folds, and writes them once.
type Table[R any] struct {
	Name string
	// Columns besides id, revision and position. A row that was read back from
	// them is the row that was written.
	Columns []Column[R]
	// ID says which row an event belongs to; "" is none.
	ID func(e domain.Recorded) string
	// Fold is pure and total.
	Fold func(row R, e domain.Recorded) R
}

// Column is a column of a table and what it holds of a row.
type Column[R any] struct {
	Name string
	// write is the value to store, read the place to scan it back into (nil: it
	// follows from others) and then what to do with what was scanned.
	write func(*R) (any, error)
	read  func(*R) (dest any, then func() error)
}

// Kept is a column that a field of the row is kept in.
func Kept[R, T any](name string, field func(*R) *T) Column[R] {
	return Column[R]{
		Name:  name,
		write: func(r *R) (any, error) { return *field(r), nil },
		read:  func(r *R) (any, func() error) { return field(r), nil },
	}
}

// KeptJSON is a json column that a field of the row is kept in.
func KeptJSON[R, T any](name string, field func(*R) *T) Column[R] {
	return Column[R]{
		Name:  name,
		write: func(r *R) (any, error) { return JSON(*field(r)) },
		read: func(r *R) (any, func() error) {
			var text []byte
			return &text, func() error { return json.Unmarshal(text, field(r)) }
		},
	}
}

// Derived is a column that follows from the rest of the row, to filter by.
func Derived[R any](name string, value func(*R) any) Column[R] {
	return Column[R]{
		Name:  name,
		write: func(r *R) (any, error) { return value(r), nil },
		read:  func(*R) (any, func() error) { return nil, nil },
	}
}

func (t Table[R]) columns() (names []string) {
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

func (t Table[R]) values(row *R) ([]any, error) {
	values := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		var err error
		if values[i], err = c.write(row); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// scan reads a row whose columns come after those of dest.
func (t Table[R]) scan(rows pgx.Rows, dest ...any) (row R, err error) {
	var later []func() error
	for _, c := range t.Columns {
		to, then := c.read(&row)
		if dest = append(dest, to); then != nil {
			later = append(later, then)
		}
	}
	err = rows.Scan(dest...)
	for i := 0; err == nil && i < len(later); i++ {
		err = later[i]()
	}
	return row, err
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
	q := `SELECT id, revision, position, ` + strings.Join(t.columns(), ", ") + ` FROM ` + t.Name + ` WHERE id = ANY($1)`
	found, err := tx.Query(ctx, q, ids)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var id string
		var f folded[R]
		if f.row, err = t.scan(found, &id, &f.revision, &f.position); err != nil {
			return fmt.Errorf("read row of %s: %w", t.Name, err)
		}
		rows[id] = &f
	}
	return found.Err()
}

func (t Table[R]) save(ctx context.Context, tx pgx.Tx, ids []string, rows map[string]*folded[R]) error {
	var params, sets strings.Builder
	for i, c := range t.Columns {
		fmt.Fprintf(&params, ", $%d", i+4)
		fmt.Fprintf(&sets, ", %s = excluded.%s", c.Name, c.Name)
	}
	q := `INSERT INTO ` + t.Name + ` (id, revision, position, ` + strings.Join(t.columns(), ", ") + `)
		VALUES ($1, $2, $3` + params.String() + `)
		ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, position = excluded.position` + sets.String()
	var batch pgx.Batch
	for _, id := range ids {
		f := rows[id]
		if !f.dirty {
			continue
		}
		values, err := t.values(&f.row)
		if err != nil {
			return &ApplyError{fmt.Errorf("row %s of %s: %w", id, t.Name, err)}
		}
		batch.Queue(q, append([]any{id, f.revision, f.position}, values...)...)
	}
	return tx.SendBatch(ctx, &batch).Close()
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
