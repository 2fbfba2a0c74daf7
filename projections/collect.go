package projections

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Superseded picks from the schemas of the database those that no program from
// this one on asks for: older versions of projections that are there in their
// present one, and what rebuilds have left behind of these or of the present
// one. Newer versions, and read models that this program does not know, are
// somebody else's.
func Superseded(stored []Stored, present []Projection) (out []Stored) {
	for _, s := range stored {
		i := slices.IndexFunc(present, func(p Projection) bool { return p.Name == s.Projection })
		if i < 0 {
			continue
		}
		p := present[i]
		built := slices.ContainsFunc(stored, func(s Stored) bool { return s.Schema == p.schema() })
		older := s.Version < p.Version && built
		if older || s.Version == p.Version && s.Suffix != "" {
			out = append(out, s)
		}
	}
	return out
}

// Drop drops a schema that Superseded has picked. One that a rebuild is filling
// is ErrRebuilding.
func Drop(ctx context.Context, pool *pgxpool.Pool, s Stored) error {
	release, err := claim(ctx, pool, Projection{Name: s.Projection, Version: s.Version})
	if err != nil {
		return err
	}
	defer release()
	return drop(ctx, pool, s.Schema)
}

// ClientName is what a process that uses these versions calls itself to Postgres
// (application_name): "understudy" and a hash of their names and versions. It is
// how processes that use others are told.
func ClientName(present []Projection) string {
	schemas := make([]string, len(present))
	for i, p := range present {
		schemas[i] = p.schema()
	}
	slices.Sort(schemas)
	h := sha256.Sum256([]byte(strings.Join(schemas, "\n")))
	return clientPrefix + " " + hex.EncodeToString(h[:4])
}

// clientPrefix begins the names of all our processes, and is the whole name of
// those that are older than ClientName.
const clientPrefix = "understudy"

// ErrInUse says that processes that use other versions of the read models are connected.
var ErrInUse = errors.New("a process that may use other versions of the read models is connected to the database")

// CheckUnused returns an error that wraps ErrInUse when a process is connected to
// the database whose name is not that of these versions.
func CheckUnused(ctx context.Context, q Querier, present []Projection) error {
	var pid int
	var name string
	err := q.QueryRow(ctx, `SELECT pid, application_name FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE $1 || '%' AND application_name <> $2
		ORDER BY pid LIMIT 1`, clientPrefix, ClientName(present)).Scan(&pid, &name)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: %q, backend %d", ErrInUse, name, pid)
}
