// Package projections turns the log into read models in Postgres.
//
// A projection's rows and its position commit in one transaction. Each version
// owns a Postgres schema of its own; dropping every schema and starting again
// yields the same answers.
package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
)

// Projection is one read model.
type Projection struct {
	Name string
	// Version changes with every change of Schema or Apply.
	Version int
	// Schema is the DDL of its tables, unqualified: it runs with the
	// projection's own Postgres schema as search path.
	Schema string
	// Prefixes are the names of the streams it follows.
	Prefixes []string
	// Apply adds events, in the order of the log, to the tables. The search
	// path is the projection's schema. It must give the same rows whether
	// events come one at a time or many.
	Apply func(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error

	// Parts, if set, names what a batch has added to, for those who wait for a
	// change of one part alone.
	Parts func(events []domain.Recorded) []string

	// suffix is that of the schema which a rebuild fills beside the serving
	// one; empty for the serving one.
	suffix string
}

// PostgresSchema names the schema that a version of a projection owns.
func PostgresSchema(name string, version int) string {
	return fmt.Sprintf("rm_%s_v%d", name, version)
}

// PostgresSchema names the Postgres schema that serves.
func (p Projection) PostgresSchema() string { return PostgresSchema(p.Name, p.Version) }

func (p Projection) schema() string { return p.PostgresSchema() + p.suffix }

// positionTable is the quoted name of the table that holds the position.
func (p Projection) positionTable() string {
	return pgx.Identifier{p.schema(), "projector"}.Sanitize()
}
