package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"understudy/adapters/archive"
	"understudy/adapters/notary"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/eventstore/node/engine"
	"understudy/projections/tests"
)

const (
	// archiveEvery is how often is looked for tests to archive.
	archiveEvery = time.Hour
	// archivedAtOnce is how many sessions the tests have together that are exported in one
	// reading of the log, and held in memory, if they are several.
	archivedAtOnce = 500
	// endedAtOnce is how many tests are looked at at a time.
	endedAtOnce = 1000
	day         = 24 * time.Hour
)

func archiveCommand() *cobra.Command {
	var days int
	command := &cobra.Command{
		Use:   "archive [TEST_ID…]",
		Short: "Move histories of ended tests from the event store to compressed files, with all their proofs",
		Long: "Move histories of ended tests to compressed files in UNDERSTUDY_ARCHIVE_DIR, beside a running service or\n" +
			"without one: the streams of a test, its sessions, reports, deliveries and comparisons are exported, the file\n" +
			"is read back and verified, and recorded with its hash; then the event store keeps place, id, type, time and a\n" +
			"hash of each event, and reads the rest from the file. Answers, rebuilds, proofs and exports stay as they are.\n" +
			"What is interrupted loses nothing: the next run goes on with it, with or without an id.\n\n" +
			"An EventStoreDB of its own keeps everything: there the file is made and recorded, no space is given back.",
		RunE: func(cmd *cobra.Command, ids []string) error {
			if days > 0 && len(ids) > 0 {
				return errors.New("give ids or --days, not both")
			}
			connect := attachLog
			if days > 0 {
				connect = attach
			}
			return onStorage(cmd, connect, func(ctx context.Context, s *storage) error {
				if err := ownEvents(s.cfg); err != nil {
					return err
				}
				streams := service.NewStreams(s.store)
				a := &archiving{cfg: s.cfg, store: s.store, streams: streams, alone: !s.running && !s.cfg.shared(), progress: cmd.ErrOrStderr()}
				archived := 0
				tell := func(done archive.Archived) {
					archived++
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %s in %s are in %s\n", done.Test,
						notary.Count(done.Events, "event"), notary.Count(done.Streams, "stream"), done.Archive)
				}
				var err error
				if days > 0 {
					err = a.older(ctx, s.pool, time.Duration(days)*day, tell)
				} else {
					err = a.archive(ctx, ids, tell)
				}
				if err == nil && archived == 0 {
					fmt.Fprintln(cmd.OutOrStdout(), "nothing to archive")
				}
				return err
			})
		},
	}
	command.Flags().IntVar(&days, "days", 0, "all tests that ended longer than so many days ago")
	return command
}

// archiveSetting reads after how many days tests are archived; 0 is never.
func archiveSetting(getenv func(string) string, fault func(name string, err error)) time.Duration {
	const name = "UNDERSTUDY_ARCHIVE_DAYS"
	v := getenv(name)
	if v == "" {
		return 0
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > maxKeep {
		fault(name, fmt.Errorf("%q is not a number from 0 to %d", v, maxKeep))
	} else if n > 0 && getenv("UNDERSTUDY_EVENTSTORE") != "" {
		fault(name, errors.New("an EventStoreDB of its own gives no space back for archives; `understudy archive` makes them"))
	}
	return time.Duration(n) * day
}

// archiving is what the histories of an installation's tests are archived with.
type archiving struct {
	cfg      config
	store    *eventstore.Store
	streams  *service.Streams
	alone    bool // nobody else signs heads of the log
	progress io.Writer
	// taken is what the store has given back.
	taken engine.Scavenged
}

// archive archives tests, and what was left unfinished.
func (a *archiving) archive(ctx context.Context, ids []string, tell func(archive.Archived)) error {
	archiver, err := a.archiver()
	if err != nil {
		return err
	}
	return archiver.Archive(ctx, ids, tell)
}

// archiver is what archives, with the key that signs now.
func (a *archiving) archiver() (archive.Archiver, error) {
	key, err := auditKey(a.cfg)
	if err != nil {
		return archive.Archiver{}, err
	}
	auditor := notary.Auditor{Log: a.store, Key: key, Dir: a.cfg.auditDir, Alone: a.alone, Progress: a.progress}
	archiver := archive.Archiver{
		Folder: archive.NewFolder(a.cfg.archiveDir), Keys: key.Chain(), Now: time.Now,
		Export: func(ctx context.Context, paths map[string]string) error {
			var histories []notary.History
			for id, path := range paths {
				histories = append(histories, notary.History{Test: id, Stream: testrun.Stream(id), Path: path})
			}
			_, err := auditor.Export(ctx, histories, historiesOf())
			return err
		},
		Test: a.streams.Test,
		Record: func(ctx context.Context, of testrun.State, command testrun.Archive) error {
			_, err := a.streams.Tests.Handle(ctx, domain.DeriveUUID("archive", of.Test.TestID, command.SHA256), testrun.Stream(of.Test.TestID), command, domain.Meta{
				CorrelationID: of.Test.TestID, Actor: "archive", OrganizationID: of.Test.OrganizationID, Environment: of.Test.Environment,
			})
			return err
		},
	}
	if !a.cfg.shared() {
		archiver.Scavenge = a.scavenge
	}
	return archiver, nil
}

func (a *archiving) scavenge(ctx context.Context, archives []string) error {
	socket, err := socketPath(a.cfg.dataDir)
	if err != nil {
		return err
	}
	taken, err := node.AskScavenge(ctx, socket, archives)
	a.taken.Events += taken.Events
	a.taken.Bytes += taken.Bytes
	return err
}

// older archives all tests that ended so long ago, and what was left unfinished.
func (a *archiving) older(ctx context.Context, db *pgxpool.Pool, than time.Duration, tell func(archive.Archived)) error {
	folder, before := archive.NewFolder(a.cfg.archiveDir), time.Now().Add(-than)
	due, err := folder.Unfinished()
	if err != nil {
		return err
	}
	sessions, after := 0, ""
	for {
		ended, err := tests.ListEnded(ctx, db, before, after, endedAtOnce)
		if err != nil {
			return err
		}
		for _, one := range ended {
			after = one.ID
			if folder.Has(one.ID) {
				continue
			}
			due, sessions = append(due, one.ID), sessions+one.Sessions
			if sessions >= archivedAtOnce {
				if err := a.archive(ctx, due, tell); err != nil {
					return err
				}
				due, sessions = nil, 0
			}
		}
		if len(ended) < endedAtOnce {
			break
		}
	}
	if len(due) == 0 {
		return nil
	}
	return a.archive(ctx, due, tell)
}

// archivingOld archives tests in the background, once they have ended long enough ago.
func archivingOld(a *archiving, db *pgxpool.Pool, ready *readiness, log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		ticks := time.NewTicker(archiveEvery)
		defer ticks.Stop()
		for {
			if ready.Accepts(tests.Projection.Name) == nil {
				count := 0
				a.taken = engine.Scavenged{}
				err := a.older(ctx, db, a.cfg.archiveAfter, func(archive.Archived) { count++ })
				switch {
				case err != nil && ctx.Err() == nil:
					log.Warn("tests are not archived for now", "error", err)
				case count > 0:
					log.Info("tests were archived", "tests", count, "events", a.taken.Events, "bytes", a.taken.Bytes)
				}
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticks.C:
			}
		}
	}
}

// plainExport reads an export, which may be an archive.
func plainExport(path string) ([]byte, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return archive.Plain(file)
}
