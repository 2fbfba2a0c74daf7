package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// State is what the rows of a version of a projection hold.
type State struct {
	// Position is the commit position up to which events are in the rows, -1 for
	// none.
	Position int64 `json:"position"`
	// Unknown counts the events of unknown type that were passed on the way.
	Unknown int `json:"unknown"`
	// Stopped names the event that the projector has stopped at, and why; it is
	// empty while it works.
	Stopped string `json:"stopped"`
}

// ReadState reads what a projection has committed. Where there is nothing, the
// error is ErrNotBuilt.
func ReadState(ctx context.Context, q Querier, p Projection) (State, error) {
	s := State{Position: -1}
	// As a document, because an older program's row has fewer columns.
	var row []byte
	err := q.QueryRow(ctx, `SELECT to_jsonb(p) FROM `+p.positionTable()+` p`).Scan(&row)
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) && (pg.Code == codeNoTable || pg.Code == codeNoSchema) {
		return s, fmt.Errorf("%w: %s", ErrNotBuilt, p.schema())
	}
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(row, &s)
}

// ErrNotBuilt says that a version of a projection has no rows in this database.
var ErrNotBuilt = errors.New("there is no such read model in the database")

const (
	codeNoTable  = "42P01" // undefined_table
	codeNoSchema = "3F000" // invalid_schema_name
)

// ReadPosition reads the position that a projection has committed.
func ReadPosition(ctx context.Context, q Querier, p Projection) (int64, error) {
	s, err := ReadState(ctx, q, p)
	return s.Position, err
}

// Stored is a schema of a read model that is in the database, of whatever
// version.
type Stored struct {
	Schema     string
	Projection string
	Version    int
	// Suffix tells what a rebuild has left behind, half-filled or replaced, from
	// what serves ("").
	Suffix string
	// Position is how far it is, -1 where that cannot be told.
	Position int64
	// Bytes is its size on disk, with indexes.
	Bytes int64
}

// ReadStored lists the schemas of read models in the database, by name.
func ReadStored(ctx context.Context, q Querier) ([]Stored, error) {
	rows, err := q.Query(ctx, `SELECT n.nspname, m[1], m[2]::int, coalesce(m[3], ''),
			coalesce((SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'r'), 0)::bigint
		FROM pg_namespace n, regexp_match(n.nspname, '^rm_(.+)_v([0-9]{1,9})(`+besideSuffix+`|`+replacedSuffix+`)?$') m
		WHERE m IS NOT NULL ORDER BY 2, 3, 4`)
	if err != nil {
		return nil, err
	}
	stored, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Stored, err error) {
		return s, row.Scan(&s.Schema, &s.Projection, &s.Version, &s.Suffix, &s.Bytes)
	})
	for i, s := range stored {
		state, err := ReadState(ctx, q, Projection{Name: s.Projection, Version: s.Version, suffix: s.Suffix})
		if err != nil && !errors.Is(err, ErrNotBuilt) {
			return nil, err
		}
		stored[i].Position = state.Position
	}
	return stored, err
}
