package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// An orphan gets this long for a fast, then for an immediate shutdown.
	orphanStopLimit = 10 * time.Second
	orphanQuitLimit = 7 * time.Second
	orphanPoll      = 20 * time.Millisecond
)

// stopOrphan ends a server that a killed service left in dir, or waits for one
// that is on its way out. The caller holds the directory's lock, so nobody
// else can want that server. A pid file whose process is something else by now
// is removed: in a container the numbers come round quickly, and Postgres
// would refuse to start.
func (p *Private) stopOrphan(ctx context.Context) error {
	path := filepath.Join(p.dir, "postmaster.pid")
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 || !isPostmaster(pid, p.dir) {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	p.log.Info("stopping a postgres server that an earlier run left behind", "pid", pid)
	for _, step := range []struct {
		signal syscall.Signal
		limit  time.Duration
	}{{syscall.SIGINT, orphanStopLimit}, {syscall.SIGQUIT, orphanQuitLimit}, {syscall.SIGKILL, orphanQuitLimit}} {
		if err := syscall.Kill(pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the server left behind (process %d): %w", pid, err)
		}
		gone, err := awaitGone(ctx, pid, p.dir, step.limit)
		if err != nil || gone {
			return err
		}
	}
	return fmt.Errorf("the server left behind (process %d) cannot be stopped", pid)
}

// awaitGone waits at most limit for the server to end.
func awaitGone(ctx context.Context, pid int, dir string, limit time.Duration) (bool, error) {
	ticker := time.NewTicker(orphanPoll)
	defer ticker.Stop()
	deadline := time.After(limit)
	for isPostmaster(pid, dir) {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-deadline:
			return false, nil
		case <-ticker.C:
		}
	}
	return true, nil
}
