package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"understudy/adapters/keyring"
	"understudy/adapters/notary"
	"understudy/eventstore/node"
)

// What a backup has, as a data directory has it: the log and what it has given to archives,
// its signed heads, the keys of people and organizations, pictures and films, and the
// keyring.
const (
	eventsDir, archivesDir, headsDir, subjectsDir, blobsDir = "events", "archive", "audit", "subjects", "blobs"
	keyringFile                                             = "keyring.json"
)

func backupCommand() *cobra.Command {
	command := &cobra.Command{Use: "backup", Short: "Back up a data directory, also while the service runs, and bring it back"}
	command.AddCommand(
		&cobra.Command{
			Use: "create DIR", Short: "Copy everything that cannot be made again to a new directory, and verify it", Args: cobra.ExactArgs(1),
			Long: `Copy the log, its archives and signed heads, pictures and films, the keys of people and the
keyring to DIR, which is made. A service may run meanwhile and is not held up:
the copy has everything that was acknowledged before. Files that never change
are linked where DIR is on the same file system.

Keep DIR/keyring.json apart from the rest: who has both can read every secret.
Read models are left out: they are built from the log at the next start.`,
			RunE: onBackup(func(ctx context.Context, cfg config, dir string, out io.Writer, log *slog.Logger) error {
				if err := createBackup(ctx, cfg, dir, out); err != nil {
					return err
				}
				return verifyBackup(ctx, cfg, dir, out, log)
			}),
		},
		&cobra.Command{
			Use: "verify DIR", Short: "Verify a backup: every event, every signed head, every picture", Args: cobra.ExactArgs(1),
			Long: `Verify a backup: every checksum of the log, positions and revisions without gaps,
the whole log against every head that was signed, the content of every picture
and film. Nothing in DIR is changed.`,
			RunE: onBackup(verifyBackup),
		},
		&cobra.Command{
			Use: "restore DIR", Short: "Verify a backup and copy it to the data directory, which must be empty", Args: cobra.ExactArgs(1),
			Long: `Verify a backup and copy it to UNDERSTUDY_DATA_DIR, which must be empty or not
there. Where keyring.json was kept apart, put it back into DIR before.`,
			RunE: onBackup(func(ctx context.Context, cfg config, dir string, out io.Writer, log *slog.Logger) error {
				if err := verifyBackup(ctx, cfg, dir, out, log); err != nil {
					return err
				}
				err := whole(cfg.dataDir, func() (err error) {
					for _, name := range []string{eventsDir, archivesDir, headsDir, subjectsDir, blobsDir, keyringFile} {
						err = errors.Join(err, copyAll(ctx, filepath.Join(dir, name), filepath.Join(cfg.dataDir, name), false))
					}
					return err
				})
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(out, "Restored to %s; `understudy serve` builds the read models.\n", cfg.dataDir)
				return err
			}),
		},
	)
	return command
}

// onBackup is a command on the directory of a backup.
func onBackup(do func(ctx context.Context, cfg config, dir string, out io.Writer, log *slog.Logger) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := readConfig(os.Getenv)
		if err != nil {
			return err
		}
		if cfg.shared() {
			return errors.New("the installation is on an EventStoreDB of its own: back that up, and its Postgres, by their own means (docs/operations.md#backup)")
		}
		dir, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelError}))
		return do(cmd.Context(), cfg, dir, cmd.OutOrStdout(), log)
	}
}

// createBackup fills a directory with what the data directory has, and says what is elsewhere.
func createBackup(ctx context.Context, cfg config, dir string, out io.Writer) error {
	running, err := runs(ctx, cfg)
	if err != nil {
		return err
	}
	blobs, err := url.Parse(cfg.blobURL)
	if err != nil {
		return err
	}
	if blobs.Scheme != "file" {
		fmt.Fprintf(out, "Pictures and films are at %s://%s, which has a backup of its own.\n", blobs.Scheme, blobs.Host)
	}
	return whole(dir, func() error { return copyData(ctx, cfg, running, blobs, dir) })
}

// copyData copies in an order in which nothing is missing: heads before the events
// that they are of, the archives, keys and pictures that events name after them.
func copyData(ctx context.Context, cfg config, running bool, blobs *url.URL, dir string) error {
	if err := copyAll(ctx, cfg.auditDir, filepath.Join(dir, headsDir), false); err != nil {
		return err
	}
	if err := checkpoint(ctx, cfg, running, filepath.Join(dir, eventsDir)); err != nil {
		return err
	}
	if err := copyAll(ctx, cfg.archiveDir, filepath.Join(dir, archivesDir), true); err != nil {
		return err
	}
	if err := keyring.BackupTo(cfg.keyringPath(), filepath.Join(dir, keyringFile)); err != nil {
		return err
	}
	if err := copyAll(ctx, filepath.Join(cfg.dataDir, subjectsDir), filepath.Join(dir, subjectsDir), false); err != nil {
		return err
	}
	if blobs.Scheme != "file" {
		return nil
	}
	return copyAll(ctx, filepath.FromSlash(blobs.Path), filepath.Join(dir, blobsDir), true)
}

// checkpoint has whoever has the log write it to a directory.
func checkpoint(ctx context.Context, cfg config, running bool, dir string) (err error) {
	if running {
		socket, err := socketPath(cfg.dataDir)
		if err != nil {
			return err
		}
		return node.AskCheckpoint(ctx, socket, dir)
	}
	if err := ownEvents(cfg); err != nil {
		return err
	}
	n, err := node.Start(ctx, node.Options{Dir: filepath.Join(cfg.dataDir, eventsDir)})
	if err != nil {
		return err
	}
	return errors.Join(n.Checkpoint(dir), n.Close())
}

// verifyBackup opens a copy of the backup's log: what is opened is written to.
func verifyBackup(ctx context.Context, cfg config, dir string, out io.Writer, log *slog.Logger) (err error) {
	if _, err := os.Stat(filepath.Join(dir, keyringFile)); err != nil {
		return fmt.Errorf("%w: put the keyring that belongs to the backup there, to verify the signatures", err)
	}
	if err := checkEvents(ctx, dir, archivesOf(dir, ""), out, func(string) {}); err != nil {
		return err
	}
	opened, err := os.MkdirTemp(filepath.Dir(dir), ".verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(opened)) }()
	for _, name := range []string{eventsDir, keyringFile} {
		if err := copyAll(ctx, filepath.Join(dir, name), filepath.Join(opened, name), false); err != nil {
			return err
		}
	}
	cfg.dataDir, cfg.auditDir, cfg.archiveDir = opened, filepath.Join(dir, headsDir), filepath.Join(dir, archivesDir)
	s, err := attachLog(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	key, err := auditKey(cfg)
	if err != nil {
		return err
	}
	var checked notary.Checked
	err = s.while(ctx, func(ctx context.Context) (err error) {
		checked, err = notary.Auditor{Log: s.store, Key: key, Dir: cfg.auditDir}.Check(ctx)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, the newest of size %d: all hold\n", notary.Count(checked.Heads, "signed head"), checked.Newest.Size)
	n, err := verifyBlobs(ctx, filepath.Join(dir, blobsDir))
	if err == nil {
		_, err = fmt.Fprintf(out, "%s: all are what their names say\n", notary.Count(n, "picture or film file"))
	}
	return err
}

// verifyBlobs compares every content with its name, which is its hash.
func verifyBlobs(ctx context.Context, dir string) (n int, err error) {
	err = walkFiles(ctx, dir, func(path string) error {
		name := filepath.Base(path)
		if strings.Contains(name, ".") {
			return nil // its type
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		hash := sha256.New()
		_, err = io.Copy(hash, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if hex.EncodeToString(hash.Sum(nil)) != name {
			return fmt.Errorf("%s is damaged: its content has another hash", path)
		}
		n++
		return nil
	})
	return n, err
}

// walkFiles passes every file below a directory, if there is one.
func walkFiles(ctx context.Context, dir string, each func(path string) error) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed meanwhile, or there is none
		}
		if err != nil || entry.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		return each(path)
	})
}

// copyAll copies a file, or all files of a directory, if there is one. What never changes
// may be linked.
func copyAll(ctx context.Context, from, to string, linked bool) error {
	return walkFiles(ctx, from, func(path string) error {
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if linked && os.Link(path, target) == nil {
			return nil
		}
		err = copyFile(path, target)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed meanwhile
		}
		return err
	})
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Sync(), target.Close())
}

// whole fills a directory, which must be empty or not there, and on the disk: with
// everything or nothing.
func whole(dir string, fill func() error) error {
	if err := makeEmpty(dir); err != nil {
		return err
	}
	err := fill()
	if err == nil {
		err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			d, err := os.Open(path)
			if err != nil {
				return err
			}
			return errors.Join(d.Sync(), d.Close())
		})
	}
	if err == nil {
		return nil
	}
	entries, unread := os.ReadDir(dir)
	err = errors.Join(err, unread)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

// makeEmpty makes a directory that only its owner may read.
func makeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(dir, 0o700)
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: name another directory", dir)
	}
	return nil
}
