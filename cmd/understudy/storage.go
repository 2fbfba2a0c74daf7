package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"understudy/adapters/postgres"
	"understudy/domain/process"
	"understudy/eventstore"
)

// storage is what a command of the operator works on: the log and the database
// of an installation, whether a service runs on them or not.
type storage struct {
	*app
	cfg config
	log *slog.Logger
	// running: a service has the log open. Else, but for a cluster, nobody but
	// this command has it.
	running bool
	store   *eventstore.Store
	pool    *pgxpool.Pool
}

// onStorage reads the settings, attaches to the installation and runs fn on it.
func onStorage(cmd *cobra.Command, attach func(context.Context, config, *slog.Logger) (*storage, error), fn func(context.Context, *storage) error) (err error) {
	cfg, err := readConfig(os.Getenv)
	if err != nil {
		return err
	}
	level := max(cfg.logLevel, slog.LevelWarn) // what goes well is told on stdout
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
	s, err := attach(cmd.Context(), cfg, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return s.while(cmd.Context(), func(ctx context.Context) error { return fn(ctx, s) })
}

// attachLog connects to the log that a running service uses, also one of another
// version, or starts the embedded node where none runs. It makes nothing new.
func attachLog(ctx context.Context, cfg config, log *slog.Logger) (*storage, error) {
	running, err := runs(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s := &storage{app: &app{}, cfg: cfg, log: log, running: running}
	cfg.attach = nil // nobody reads beside a command
	if running {
		s.store, err = s.joinStore(cfg, log)
	} else if err = ownEvents(cfg); err == nil {
		s.store, err = s.openStore(ctx, cfg, log)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// attach is attachLog with the database, which is not migrated either.
func attach(ctx context.Context, cfg config, log *slog.Logger) (_ *storage, err error) {
	s, err := attachLog(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if cfg.databaseURL == "" {
		cfg.databaseURL, err = postgres.RunningURL(ctx, filepath.Join(cfg.dataDir, "postgres"))
		if err != nil && (s.running || !errors.Is(err, postgres.ErrNotRunning)) {
			return nil, err
		}
	}
	s.pool, err = s.openPostgres(ctx, cfg, log)
	return s, err
}

// runs reports whether a service runs on the data directory. A cluster is
// always there.
func runs(ctx context.Context, cfg config) (bool, error) {
	if cfg.shared() {
		return false, nil
	}
	if _, err := os.Stat(filepath.Join(cfg.dataDir, "events")); err != nil {
		return false, fmt.Errorf("UNDERSTUDY_DATA_DIR: %s holds no installation: %w", cfg.dataDir, err)
	}
	path, err := socketPath(cfg.dataDir)
	if err != nil {
		return false, err
	}
	dialer := net.Dialer{Timeout: pingTimeout}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return false, nil //nolint:nilerr // nobody listens: the lock on the directory decides
	}
	return true, conn.Close()
}

// ownEvents refuses to open the events of another user's service: what a command
// of root would write there, that service could not read afterwards.
func ownEvents(cfg config) error {
	info, err := os.Stat(filepath.Join(cfg.dataDir, "events", "acknowledged"))
	if cfg.shared() || err != nil {
		return nil //nolint:nilerr // none yet, or whoever opens them says why
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("the events in %s belong to the user with the id %d: run the command as that user, or while the service runs", cfg.dataDir, st.Uid)
	}
	return nil
}

// joinStore connects to the node that another process runs.
func (s *storage) joinStore(cfg config, log *slog.Logger) (*eventstore.Store, error) {
	path, err := socketPath(cfg.dataDir)
	if err != nil {
		return nil, err
	}
	store, err := eventstore.Open(eventstore.Config{Socket: path, Codec: eventstore.NewCodec(process.Catalogue()), Logger: log})
	if err != nil {
		return nil, fmt.Errorf("event store: %w", err)
	}
	s.closes = append(s.closes, store.Close)
	return store, nil
}

// while runs fn, and ends it when a part that was started for it fails.
func (s *storage) while(ctx context.Context, fn func(context.Context) error) error {
	if len(s.followers) == 0 {
		return fn(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts := inBackground(s.followers)
	go func() {
		<-parts.ended
		cancel()
	}()
	err := fn(ctx)
	return errors.Join(err, parts.stop())
}

// isOutage tells an error of an event store or a database that is away, or does not answer
// in the time that a caller has.
func isOutage(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, eventstore.ErrUnavailable) || postgres.IsOutage(err)
}
