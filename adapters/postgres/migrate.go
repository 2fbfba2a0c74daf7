package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/tern/v2/migrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationLock is the advisory lock under which nodes that start together
// take turns. The number means nothing; it must only stay the same.
const migrationLock = 0x756e6465 // "unde"

// Migrate brings schema ops to this program's version. Nodes that start
// together may all call it. A database that a newer program has migrated is left as
// it is, and refused if that program says so (ops.compatible).
func Migrate(ctx context.Context, pool *pgxpool.Pool) (err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", migrationLock); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer func() {
		_, unlockErr := conn.Exec(context.WithoutCancel(ctx), "select pg_advisory_unlock($1)", migrationLock)
		err = errors.Join(err, unlockErr)
	}()
	if _, err := conn.Exec(ctx, "create schema if not exists ops"); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	m, err := migrate.NewMigrator(ctx, conn.Conn(), "ops.schema_version")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := m.LoadMigrations(files); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	newest := int32(len(m.Migrations))
	version, err := m.GetCurrentVersion(ctx)
	if err != nil {
		return fmt.Errorf("migrate schema ops: %w", err)
	}
	if version > newest {
		return compatible(ctx, conn, version, newest)
	}
	if err := m.Migrate(ctx); err != nil {
		return fmt.Errorf("migrate schema ops: %w", err)
	}
	return nil
}

// compatible refuses a schema that programs of an older version cannot work with.
func compatible(ctx context.Context, conn *pgxpool.Conn, version, newest int32) error {
	var since int32
	if err := conn.QueryRow(ctx, "select since from ops.compatible").Scan(&since); err != nil {
		return fmt.Errorf("read what schema ops is compatible with: %w", err)
	}
	if since > newest {
		return fmt.Errorf("a newer program has brought schema ops to version %d, which programs of version %d and newer can use; this one has version %d: start the newer program", version, since, newest)
	}
	return nil
}
