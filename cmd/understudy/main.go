// Command understudy is the simulated-user testing service.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := rootCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "understudy:", err)
		os.Exit(1)
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "understudy",
		Short:         "Simulated users try a task on a web page and report how it went",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(serveCommand(), nodeCommand(), keyringCommand(), auditCommand(), projectionsCommand(), webhooksCommand())
	for _, group := range root.Commands() {
		if !group.Runnable() {
			// Cobra would answer a subcommand that it does not know with the help
			// and without an error: a backup with a slip of the pen would seem made.
			group.Args = cobra.NoArgs
			group.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}
