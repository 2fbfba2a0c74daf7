package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/adapters/archive"
	"understudy/eventstore/node"
)

// nodeSettings are the flags of the node command.
type nodeSettings struct {
	listen, dataDir string
	archiveDir      string
	cert, key       string
	insecure        bool
}

func nodeCommand() *cobra.Command {
	var s nodeSettings
	command := &cobra.Command{
		Use:   "node",
		Short: "Run the event store alone, for any EventStoreDB client",
		Long: `Run the embedded event store alone until SIGTERM or SIGINT. It speaks
EventStoreDB's gRPC protocol: streams, catch-up subscriptions, server features
and gossip. The events are those in DIR/events, the same that serve keeps
there; one process at a time uses them.

With --tls-cert and --tls-key clients have to name a user:
  admin   may do everything; password in UNDERSTUDY_NODE_PASSWORD or in the
          file that UNDERSTUDY_NODE_PASSWORD_FILE names, 8 characters or more
  reader  may read only; UNDERSTUDY_READER_PASSWORD or …_FILE, optional

With --insecure there is neither encryption nor any user.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			tcp, err := s.tcp(os.Getenv)
			if err != nil {
				return err
			}
			log := slog.New(slog.NewTextHandler(os.Stderr, nil))
			if tcp.TLS == nil {
				log.Warn("no encryption, no passwords: whoever reaches this address can read, write and delete every event",
					"address", s.listen, "this_machine_only", isLoopback(s.listen))
			}
			return runNode(cmd.Context(), node.Options{
				Dir: filepath.Join(s.dataDir, eventsDir), Archive: archivesOf(s.dataDir, s.archiveDir), TCP: tcp, Logger: log,
			}, cmd.OutOrStdout())
		},
	}
	flags := command.Flags()
	flags.StringVar(&s.listen, "listen", "127.0.0.1:2113", "address to serve on")
	flags.StringVar(&s.dataDir, "data-dir", "", "directory that holds the events, in events/")
	flags.StringVar(&s.archiveDir, "archive-dir", "", "directory of archives of tests (default DIR/archive)")
	flags.StringVar(&s.cert, "tls-cert", "", "file of the certificate, in PEM")
	flags.StringVar(&s.key, "tls-key", "", "file of the certificate's key, in PEM")
	flags.BoolVar(&s.insecure, "insecure", false, "serve in plain text to whoever reaches the address")
	command.AddCommand(nodeCheckCommand())
	return command
}

// tcp is the address to listen on and who may call there.
func (s nodeSettings) tcp(getenv func(string) string) (*node.TCP, error) {
	if s.dataDir == "" {
		return nil, errors.New("--data-dir is missing: name the directory that holds the events")
	}
	if _, _, err := net.SplitHostPort(s.listen); err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	tcp := &node.TCP{Address: s.listen}
	if s.insecure {
		if s.cert != "" || s.key != "" {
			return nil, errors.New("--insecure contradicts --tls-cert and --tls-key: choose one")
		}
		return tcp, nil
	}
	if s.cert == "" && s.key == "" {
		return nil, errors.New("choose --tls-cert and --tls-key, or --insecure for plain text without passwords")
	}
	var err error
	if tcp.TLS, err = certificate(s.cert, s.key); err != nil {
		return nil, fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	for _, u := range []struct{ name, setting string }{{adminUser, "UNDERSTUDY_NODE_PASSWORD"}, {readerUser, "UNDERSTUDY_READER_PASSWORD"}} {
		known, err := user(getenv, u.name, u.setting)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", u.setting, err)
		case known != nil:
			tcp.Users = append(tcp.Users, *known)
		case u.name == adminUser:
			return nil, fmt.Errorf("%s is missing: with TLS clients call as user %s with this password", u.setting, u.name)
		}
	}
	return tcp, nil
}

// archivesOf are the archives of a data directory, where no other directory is named.
func archivesOf(dataDir, archiveDir string) *archive.Folder {
	if archiveDir == "" {
		archiveDir = filepath.Join(dataDir, archivesDir)
	}
	return archive.NewFolder(archiveDir)
}

// isLoopback reports whether an address can be reached from this machine only.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && onLoopback(host)
}

// runNode serves until ctx ends or the disk fails.
func runNode(ctx context.Context, o node.Options, out io.Writer) (err error) {
	n, err := node.Start(ctx, o)
	if err != nil {
		return fmt.Errorf("event store: %w", err)
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	fmt.Fprintf(out, "ready esdb://%s?tls=%t\n", n.Addr(), o.TCP.TLS != nil)
	select {
	case <-ctx.Done():
		o.Logger.Info("draining")
		return nil
	case <-n.Failed():
		return fmt.Errorf("event store: %w", n.Err())
	}
}
