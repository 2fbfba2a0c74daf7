package postgres

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Programs are the server programs that a private server in a directory runs with.
type Programs struct {
	Dir   string
	Major int
	// Cluster: there is a cluster in the directory already.
	Cluster bool
}

// FindPrograms tells with which programs StartPrivate would serve dataDir, or why it
// would refuse. It starts and changes nothing.
func FindPrograms(ctx context.Context, dataDir string) (Programs, error) {
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return Programs{}, err
	}
	major, err := clusterVersion(dir)
	if err != nil {
		return Programs{}, err
	}
	found, err := chooseBinaries(installed(ctx), major)
	if err != nil {
		return Programs{}, err
	}
	_, err = accountFor(dir)
	return Programs{Dir: found.dir, Major: found.major, Cluster: major != 0}, err
}

// CheckServer tells the version of the server that a pool is connected to. The error
// says why the service cannot work with it.
func CheckServer(ctx context.Context, pool *pgxpool.Pool) (version string, err error) {
	var major int
	var create, standby bool
	if err := pool.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('server_version_num')::int / 10000,
		has_database_privilege(current_database(), 'CREATE'), pg_is_in_recovery()`).Scan(&version, &major, &create, &standby); err != nil {
		return "", fmt.Errorf("database: %w", err)
	}
	switch {
	case major < oldestMajor:
		return version, fmt.Errorf("PostgreSQL %s is older than %d, the oldest that the service works with", version, oldestMajor)
	case standby:
		return version, errors.New("the server is a standby, which takes no writes: name the primary")
	case !create:
		return version, errors.New("the user may not create schemas in this database: GRANT CREATE ON DATABASE … TO it")
	}
	return version, nil
}
