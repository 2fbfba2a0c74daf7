package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manualCommand writes manual pages, for who packs the program.
func manualCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write a manual page for each command into a directory",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // manual pages are for all
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // the same program writes the same pages
			header := &doc.GenManHeader{Title: "UNDERSTUDY", Section: "1", Source: "Understudy " + buildVersion().Version, Manual: "Understudy"}
			if built, err := time.Parse(time.RFC3339, buildVersion().Date); err == nil {
				header.Date = &built
			}
			return doc.GenManTree(root, header, args[0])
		},
	}
}
