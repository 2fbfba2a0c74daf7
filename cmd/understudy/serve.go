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
	"time"

	"github.com/spf13/cobra"
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
			log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: cfg.logLevel}))
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
	a, err := build(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if len(cfg.egressAllow) > 0 {
		fmt.Fprintf(out, "tests and webhooks may reach these private networks (UNDERSTUDY_EGRESS_ALLOW): %v\n", cfg.egressAllow)
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := a.run(background)
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
	}()

	fresh, position, err := bootstrap(ctx, a.streams, a.keys, cfg.dataDir)
	if err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, catchUpLimit)
	defer cancel()
	if err := a.ready.awaitCatchUp(wait); err != nil && ctx.Err() == nil {
		log.Error("the service starts unready", "error", err)
	}
	if fresh != nil {
		if err := a.positions.WaitOwnWrite(ctx, "accounts", position); err != nil {
			return err
		}
		fmt.Fprintf(out, "created an organization on the Team plan; its keys and the owner's password: %s/%s\n", cfg.dataDir, keysFile)
	}

	server := &http.Server{
		Handler: a.handler, ReadHeaderTimeout: headerLimit, IdleTimeout: idleLimit,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Fprintf(out, "ready http://%s\n", listener.Addr())
	if fresh != nil && cfg.demo {
		go runDemo(ctx, cfg, fresh.Live, out)
	}
	select {
	case <-ctx.Done():
		log.Info("draining")
	case err := <-failed:
		return err
	case err := <-ended:
		ended <- nil
		return fmt.Errorf("a part of the service has ended: %w", err)
	}
	a.hub.Close() // WebSockets are not requests that Shutdown waits for
	drain, cancelDrain := context.WithTimeout(context.WithoutCancel(ctx), drainLimit)
	defer cancelDrain()
	if err := server.Shutdown(drain); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}
