package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"
)

// ErrNotRunning says that nobody runs a private server in this directory.
var ErrNotRunning = errors.New("no private postgres runs here")

// askLimit bounds the question whether a server listens.
const askLimit = 2 * time.Second

// RunningURL is the connection string of the private server that another process
// runs in dataDir, for commands of the operator beside the service. The error is
// ErrNotRunning when there is none. Whoever may run the server may connect.
func RunningURL(ctx context.Context, dataDir string) (string, error) {
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return "", err
	}
	p := &Private{dir: dir}
	if p.as, err = accountFor(dir); err != nil {
		return "", fmt.Errorf("private postgres in %s: %w", dir, err)
	}
	if p.socket, err = p.socketDir(); err != nil {
		return "", fmt.Errorf("private postgres in %s: %w", dir, err)
	}
	dialer := net.Dialer{Timeout: askLimit}
	conn, err := dialer.DialContext(ctx, "unix", filepath.Join(p.socket, ".s.PGSQL."+socketPort))
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w", ErrNotRunning, dir, err)
	}
	return p.URL(), conn.Close()
}
