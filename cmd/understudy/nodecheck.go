package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"understudy/adapters/archive"
	"understudy/eventstore/node/engine"
)

func nodeCheckCommand() *cobra.Command {
	var dataDir, archiveDir string
	command := &cobra.Command{
		Use:   "check",
		Short: "Verify the events of a data directory that nobody uses",
		Long: `Verify the events in DIR/events: every checksum of every file, positions and
revisions without gaps, streams and event ids that agree with the events,
archives that have what they were given, and that everything acknowledged is
there. Nothing is changed.

Exit code 1 and the finding when something is wrong, or when a process uses the
directory.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dataDir == "" {
				return errors.New("--data-dir is missing: name the directory that holds the events, in events/")
			}
			return checkEvents(cmd.Context(), dataDir, archivesOf(dataDir, archiveDir), cmd.OutOrStdout(), progressOn(os.Stderr))
		},
	}
	command.Flags().StringVar(&dataDir, "data-dir", "", "directory that holds the events, in events/")
	command.Flags().StringVar(&archiveDir, "archive-dir", "", "directory of archives (default DIR/archive)")
	return command
}

// checkEvents verifies a data directory's events and what archives have of them, writes
// what it counted to out, and passes lines on how far it is to progress.
func checkEvents(ctx context.Context, dataDir string, archives *archive.Folder, out io.Writer, progress func(string)) error {
	began := time.Now()
	done, err := engine.Check(ctx, engine.Options{Dir: filepath.Join(dataDir, eventsDir), Archive: archives}, func(c engine.Checked) {
		if c.Events == 0 {
			progress(fmt.Sprintf("checksums: %d of %d files", c.Files, c.TotalFiles))
			return
		}
		progress(fmt.Sprintf("%3d %%  %d of %d events, %.0f a second",
			100*c.Events/c.Total, c.Events, c.Total, float64(c.Events)/time.Since(began).Seconds()))
	})
	progress("")
	switch {
	case errors.Is(err, engine.ErrLocked):
		return fmt.Errorf("%w; stop it, then check", err)
	case errors.Is(err, engine.ErrUnreadable):
		return fmt.Errorf("%w (after %d of %d files and %d of %d events)", err, done.Files, done.TotalFiles, done.Events, done.Total)
	case err != nil:
		return err
	}
	took := time.Since(began)
	_, err = fmt.Fprintf(out, "%d events in %d streams, %d files, %.1f MB of events: nothing is wrong (%s, %.0f events a second)\n",
		done.Events, done.Streams, done.TotalFiles, float64(done.Bytes)/1e6, took.Round(time.Millisecond), float64(done.Events)/took.Seconds())
	return err
}

// checkTold is how often progress is told where it cannot be overwritten.
const checkTold = 5 * time.Second

// progressOn writes lines of progress: on a terminal over each other, "" ends
// them; elsewhere a line every few seconds.
func progressOn(f *os.File) func(string) {
	info, err := f.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	told := time.Now()
	return func(line string) {
		switch {
		case terminal:
			fmt.Fprintf(f, "\r\x1b[K%s", line)
		case line != "" && time.Since(told) > checkTold:
			told = time.Now()
			fmt.Fprintln(f, line)
		}
	}
}
