package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"understudy/adapters/telemetry"
	"understudy/projections/accounts"
	"understudy/projections/keys"
)

const (
	// catchUpLimit bounds the wait for the read models at the start. They go
	// on after it; the service then starts unready.
	catchUpLimit = 10 * time.Minute
	// drainLimit is how long requests under way may take at the end.
	drainLimit = 10 * time.Second
	// headerLimit is how long a client may take to send its headers.
	headerLimit = 10 * time.Second
	// idleLimit is how long an idle connection is kept.
	idleLimit = 2 * time.Minute
	// readLimit is how long a client may take to send a whole request, writeLimit how
	// long it may take to receive the answer, a film over a slow line for one. Streams
	// have limits of their own.
	readLimit, writeLimit = time.Minute, 10 * time.Minute
	// maxHeader is how many bytes the headers of a request may have.
	maxHeader = 32 << 10
	// garbagePercent is the collector's target unless GOGC says another. What is
	// live is small, some 30 MB, and calls leave much behind: twice the usual
	// room makes deliveries 6 % cheaper for at most 30 MB.
	garbagePercent = 200
)

func serveCommand() *cobra.Command {
	var roles []string
	command := &cobra.Command{
		Use:   "serve",
		Short: "Run the service",
		Long:  "Run the service until SIGTERM or SIGINT, then drain and stop.\n\n" + settingsHelp(),
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := readConfig(os.Getenv)
			if err != nil {
				return err
			}
			if err := cfg.takeRoles(roles); err != nil {
				return err
			}
			log := slog.New(telemetry.Lines(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: cfg.logLevel})))
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(garbagePercent)
			}
			return serve(cmd.Context(), cfg, cmd.OutOrStdout(), log)
		},
	}
	command.Flags().StringSliceVar(&roles, "roles", allRoles, "parts of the service that this process runs; a split service shares its event store and Postgres")
	return command
}

// serve runs the service until ctx ends.
func serve(ctx context.Context, cfg config, out io.Writer, log *slog.Logger) (err error) {
	// The address first: a second instance must not touch the data directory.
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.listen)
	if err != nil {
		return fmt.Errorf("UNDERSTUDY_LISTEN: %w", err)
	}
	defer func() { _ = listener.Close() }()
	cfg.reach(listener.Addr())
	a, err := build(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if len(cfg.egressAllow) > 0 {
		fmt.Fprintf(out, "tests and webhooks may reach these private networks (UNDERSTUDY_EGRESS_ALLOW): %v\n", cfg.egressAllow)
	}
	if a.attached != nil {
		fmt.Fprintf(out, "EventStoreDB clients may read as user %s: esdb://%s\n", readerUser, a.attached)
	}
	followers := inBackground(a.followers)
	defer func() { err = errors.Join(err, followers.stop()) }()

	// Probes are answered while the read models catch up, the rest is asked
	// to wait.
	server := newServer(a.handler, log)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(limited(impatient{listener, stallLimit}, openFiles())) }()
	defer func() { err = errors.Join(err, shutdown(server, a)) }()
	stopOperators, err := serveOperators(ctx, cfg, a.handler, out, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopOperators()) }()

	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-followers.ended:
			cancel()
		case <-starting.Done():
		}
	}()
	first, err := a.begin(starting, cfg, out, log)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // asked to stop before it was up
	}
	if starting.Err() != nil {
		return errPartEnded // the part itself says why
	}
	if err != nil {
		return err
	}
	workers := inBackground(a.workers)
	defer func() { err = errors.Join(err, workers.stop()) }()
	a.ready.started.Store(true)
	fmt.Fprintf(out, "ready http://%s\n", listener.Addr())
	debug.FreeOSMemory() // what the start took, 64 MiB for the first password of all among it
	if first != nil {
		// Before anything else ends: it calls its test off.
		end := inBackground([]func(context.Context) error{func(ctx context.Context) error {
			first.run(ctx, listener.Addr().String(), out)
			return nil
		}})
		defer func() { err = errors.Join(err, end.stop()) }()
	}
	select {
	case <-ctx.Done():
		log.Info("draining")
		a.ready.stopping.Store(true)
		select {
		case <-time.After(cfg.drainDelay):
		case <-workers.ended:
		case <-followers.ended:
		}
		return nil
	case err := <-failed:
		return err
	case <-workers.ended:
	case <-followers.ended:
	}
	return errPartEnded
}

// newServer has the bounds of every listener.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerLimit, ReadTimeout: readLimit, WriteTimeout: writeLimit, IdleTimeout: idleLimit, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

var errPartEnded = errors.New("a part of the service has ended")

// begin waits for the proof that the log is what it was, founds the first
// organization where there is none and waits for the read models to catch up. What it
// returns is the demo test, nil where none is due.
func (a *app) begin(ctx context.Context, cfg config, out io.Writer, log *slog.Logger) (*demo, error) {
	var fresh *credentials
	var position uint64
	var err error
	if err := a.proof.await(ctx, log); err != nil {
		return nil, err
	}
	if cfg.has(roleAPI) {
		if err := noteDemo(cfg); err != nil {
			return nil, err
		}
		if fresh, position, err = bootstrap(ctx, a.streams, a.keys, cfg.dataDir); err != nil {
			return nil, err
		}
		if err := a.adoptOwner(ctx, log); err != nil {
			return nil, err
		}
	}
	wait, cancel := context.WithTimeout(ctx, catchUpLimit)
	defer cancel()
	err = a.ready.awaitCatchUp(wait)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		log.Error("the service starts unready", "error", err)
	}
	if fresh != nil {
		for _, model := range []string{accounts.Projection.Name, keys.Projection.Name} {
			if err := a.positions.WaitOwnWrite(ctx, model, position); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(out, "created an organization on the Team plan; its keys and the owner's password: %s/%s\n"+
			"to replace its keys: POST /v1/keys with each, then DELETE /v1/keys/{id} of the old ones (docs/api.md#keys)\n", cfg.dataDir, keysFile)
	}
	return openDemo(ctx, cfg, log)
}

// shutdown lets requests under way end.
func shutdown(server *http.Server, a *app) error {
	a.hub.Close() // WebSockets are not requests that Shutdown waits for
	drain, cancel := context.WithTimeout(context.Background(), drainLimit)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}
