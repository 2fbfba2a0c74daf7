package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"understudy/projections"
	"understudy/projections/readmodels"
)

func statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show how far the read models and reactors are, and what stops them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return onStorage(cmd, attach, func(ctx context.Context, s *storage) error {
				return status(ctx, s, cmd.OutOrStdout())
			})
		},
	}
}

func status(ctx context.Context, s *storage, out io.Writer) error {
	stored, err := projections.ReadStored(ctx, s.pool)
	if err != nil {
		return err
	}
	bytes := map[string]int64{}
	for _, st := range stored {
		bytes[st.Schema] = st.Bytes
	}
	followers, err := newLagReader(s.cfg, s.store, s.pool).read(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "READ MODEL\tVERSION\tPOSITION\tBEHIND\tUNKNOWN\tSIZE\t")
	for _, p := range readmodels.All() {
		f := followers.readModels[p.Name]
		if !f.built {
			fmt.Fprintf(table, "%s\tv%d\tnot built\t\t\t\t\n", p.Name, p.Version)
			continue
		}
		fmt.Fprintf(table, "%s\tv%d\t%d\t%s\t%d\t%s\t\n", p.Name, p.Version, f.position, f.behind(), f.unknown,
			bytesText(bytes[projections.PostgresSchema(p.Name, p.Version)]))
	}
	fmt.Fprintln(table, "\nREACTOR\t\tPOSITION\tBEHIND\t\t\t")
	for _, name := range followers.reactorNames() {
		f := followers.reactors[name]
		fmt.Fprintf(table, "%s\t\t%d\t%s\t\t\t\n", name, f.position, f.behind())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nThe log ends at position %d.\n", followers.head)
	for _, trouble := range followers.troubles() {
		fmt.Fprintln(out, trouble)
	}
	return others(ctx, s, stored, out)
}

// others tells of versions that are not this program's, and of programs.
func others(ctx context.Context, s *storage, stored []projections.Stored, out io.Writer) error {
	present := map[string]bool{}
	for _, p := range readmodels.All() {
		present[projections.PostgresSchema(p.Name, p.Version)] = true
	}
	for _, st := range stored {
		if present[st.Schema] {
			continue
		}
		what := "another version"
		if st.Suffix != "" {
			what = "left by a rebuild"
		}
		fmt.Fprintf(out, "%s: %s, at position %d, %s\n", st.Schema, what, st.Position, bytesText(st.Bytes))
	}
	if superseded := projections.Superseded(stored, readmodels.All()); len(superseded) > 0 {
		fmt.Fprintf(out, "`understudy projections gc` drops %d of them.\n", len(superseded))
	}
	err := projections.CheckUnused(ctx, s.pool, readmodels.All())
	if errors.Is(err, projections.ErrInUse) {
		fmt.Fprintln(out, err)
		return nil
	}
	return err
}
