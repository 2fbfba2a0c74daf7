// Command understudy is the simulated-user testing service.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"understudy/adapters/cli"
	"understudy/domain/persona"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	root := rootCommand()
	if err := root.ExecuteContext(ctx); err != nil {
		if said := err.Error(); said != "" {
			fmt.Fprintln(os.Stderr, "understudy:", said)
		}
		os.Exit(cli.StatusOf(err))
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "understudy",
		Short:         "Simulated users try a task on a web page and report how it went",
		Version:       buildVersion().String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(cli.Commands(frontDoor())...)
	root.AddCommand(serveCommand(), nodeCommand(), keyringCommand(), auditCommand(), projectionsCommand(), webhooksCommand(), backupCommand(), archiveCommand())
	root.AddCommand(doctorCommand(), versionCommand(), manualCommand())
	root.SetVersionTemplate("understudy {{.Version}}\n")
	cli.WrongCalls(root)
	completions(root)
	return root
}

// completions tells shells what flags may be.
func completions(root *cobra.Command) {
	words := map[string][]string{"roles": allRoles}
	for _, pack := range persona.Packs() {
		words["personas"] = append(words["personas"], pack.Slug)
	}
	if err := cli.Complete(root, words); err != nil {
		panic(err) // a flag is named that there is not
	}
}
