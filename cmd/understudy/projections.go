package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/projections"
	"understudy/projections/readmodels"
)

func projectionsCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "projections",
		Short: "Look after the read models: rebuild them, see how they are, remove old ones",
		Long: "Look after the read models, beside a running service or without one. The installation is the one that the\n" +
			"same environment names to `understudy serve`: UNDERSTUDY_DATA_DIR, or UNDERSTUDY_EVENTSTORE and\n" +
			"UNDERSTUDY_DATABASE_URL.",
	}
	command.AddCommand(rebuildCommand(), statusCommand(), collectCommand())
	return command
}

func rebuildCommand() *cobra.Command {
	var all bool
	command := &cobra.Command{
		Use:   "rebuild [NAME…]",
		Short: "Build read models anew from the log, beside those that serve, and put them in their place",
		Long: "Build read models anew from the log, beside those that serve, and put them in their place once they have\n" +
			"caught up. A running service goes on and need not be told.\n\n" +
			"Without a name, what this program's version lacks is filled and what it has is brought up to the end of the\n" +
			"log: run it from a new program while the old one still serves, and the new one starts quickly. With names,\n" +
			"or --all, rows of the present version are replaced as well.\n\n" +
			"What is interrupted leaves the serving rows alone; the next run goes on where it was.",
		RunE: func(cmd *cobra.Command, names []string) error {
			chosen, err := choose(names, all)
			if err != nil {
				return err
			}
			afresh := all || len(names) > 0
			return onStorage(cmd, attach, func(ctx context.Context, s *storage) error {
				for _, p := range chosen {
					if err := rebuild(ctx, s, p, afresh, newTeller(cmd.OutOrStdout(), p)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	command.Flags().BoolVar(&all, "all", false, "replace every read model")
	return command
}

// choose finds the read models that are named; none are all.
func choose(names []string, all bool) ([]projections.Projection, error) {
	if all && len(names) > 0 {
		return nil, errors.New("give names or --all, not both")
	}
	present := readmodels.All()
	if len(names) == 0 {
		return present, nil
	}
	var chosen []projections.Projection
	for _, name := range names {
		i := slices.IndexFunc(present, func(p projections.Projection) bool { return p.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no read model %q; there are %s", name, strings.Join(namesOf(present), ", "))
		}
		chosen = append(chosen, present[i])
	}
	return chosen, nil
}

func namesOf(all []projections.Projection) (names []string) {
	for _, p := range all {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

// rebuild builds one read model; what is there is only brought up to date unless
// it is to be built afresh.
func rebuild(ctx context.Context, s *storage, p projections.Projection, afresh bool, tell *teller) error {
	r := &projections.Rebuild{Projection: p, Pool: s.pool, Log: s.store, Logger: s.log, Progress: tell.progress}
	run := r.Run
	if !afresh {
		_, err := projections.ReadState(ctx, s.pool, p)
		switch {
		case err == nil:
			run = r.CatchUp
		case !errors.Is(err, projections.ErrNotBuilt):
			return err
		}
	}
	tell.begin()
	done, err := run(ctx)
	tell.end(done, err)
	if err != nil {
		return fmt.Errorf("rebuild %s: %w; what serves is as it was, and the next run goes on from here", p.Name, err)
	}
	return nil
}

func collectCommand() *cobra.Command {
	var yes bool
	command := &cobra.Command{
		Use:   "gc",
		Short: "Drop the schemas of older versions that nobody serves any more",
		Long: "Drop the schemas of older versions of read models, and what interrupted rebuilds have left behind. A version that\n" +
			"this program uses or that is newer stays, and so does everything while a process of other versions is connected.\n" +
			"An older program would have to fill again what is dropped.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onStorage(cmd, attach, func(ctx context.Context, s *storage) error {
				return collect(ctx, s, yes, cmd.InOrStdin(), cmd.OutOrStdout())
			})
		},
	}
	command.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return command
}

func collect(ctx context.Context, s *storage, yes bool, in io.Reader, out io.Writer) error {
	if err := projections.CheckUnused(ctx, s.pool, readmodels.All()); err != nil {
		return fmt.Errorf("%w; stop it first, nothing was dropped", err)
	}
	stored, err := projections.ReadStored(ctx, s.pool)
	if err != nil {
		return err
	}
	superseded := projections.Superseded(stored, readmodels.All())
	if len(superseded) == 0 {
		fmt.Fprintln(out, "nothing to drop")
		return nil
	}
	var size int64
	for _, old := range superseded {
		fmt.Fprintf(out, "%-32s %s\n", old.Schema, bytesText(old.Bytes))
		size += old.Bytes
	}
	if !yes {
		fmt.Fprintf(out, "drop these %d schemas, %s? [y/N] ", len(superseded), bytesText(size))
		answer, err := bufio.NewReader(in).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
			fmt.Fprintln(out, "nothing was dropped")
			return nil
		}
	}
	for _, old := range superseded {
		if err := projections.Drop(ctx, s.pool, old); err != nil {
			return err
		}
		fmt.Fprintf(out, "dropped %s\n", old.Schema)
	}
	fmt.Fprintf(out, "freed %s\n", bytesText(size))
	return nil
}

// bytesText tells a size for people, in powers of 1024.
func bytesText(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v := float64(n)
	for len(units) > 1 && v >= 1024 {
		v, units = v/1024, units[1:]
	}
	if units[0] == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[0])
}

// rate is events a second.
func rate(events int, took time.Duration) int {
	return int(float64(events) / max(took.Seconds(), 1e-3))
}
