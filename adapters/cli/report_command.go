package cli

import (
	"fmt"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"understudy/adapters/client"
)

func reportCommand(env Env) *cobra.Command {
	command := &cobra.Command{Use: "report", Short: "Open or save the report of a test"}
	open := asking(env, "open TEST", "Open a test's report in the browser", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		got, err := c.GetTestReportWithResponse(cmd.Context(), args[0], nil)
		if err != nil {
			return err
		}
		say(cmd.OutOrStdout(), "%s", got.JSON200.ReportURL)
		if err := browser.OpenURL(got.JSON200.ReportURL); err != nil {
			say(cmd.ErrOrStderr(), "No browser could be opened here (%v); the address above opens in any.", err)
		}
		return nil
	})
	export := asking(env, "export TEST FORM=FILE…", "Save a test's report as html, md, pdf, junit or json", cobra.MinimumNArgs(2), func(cmd *cobra.Command, c *client.Client, args []string) error {
		forms, err := reportFiles(args[1:])
		if err != nil {
			return err
		}
		r := &run{env: env, client: c, forms: forms, flags: testFlags{gate: gateFail}, out: cmd.OutOrStdout(), told: cmd.ErrOrStderr()}
		out := &result{Test: &client.Test{ID: args[0]}}
		if err := r.fetch(cmd.Context(), out); err != nil {
			return err
		}
		if out.Report == nil {
			return &ExitError{ExitNotJudged, fmt.Errorf("%s has no report; it is %s", args[0], out.Test.Status)}
		}
		out.plan = plan{client.NewTest{Name: out.Test.Name, Task: out.Test.Task}}
		r.judge(out)
		if err := r.write([]*result{out}); err != nil {
			return &ExitError{ExitUsage, err}
		}
		return nil
	})
	command.AddCommand(open, export)
	return command
}
