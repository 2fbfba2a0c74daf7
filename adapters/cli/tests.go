package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/spf13/cobra"

	"understudy/adapters/client"
)

// asking is a command that asks a service.
func asking(env Env, use, short string, args cobra.PositionalArgs, do func(cmd *cobra.Command, c *client.Client, args []string) error) *cobra.Command {
	var s Server
	command := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.Connect(cmd.Context(), env, io.Discard)
			if err != nil {
				return err
			}
			return do(cmd, c, args)
		},
	}
	s.Flags(command)
	return command
}

// withJSON gives a command the flag that asJSON reads.
func withJSON(command *cobra.Command) *cobra.Command {
	command.Flags().Bool("json", false, "write what the service answers, as JSON")
	return command
}

func asJSON(cmd *cobra.Command) bool {
	asked, err := cmd.Flags().GetBool("json")
	return asked && err == nil
}

// raw writes an answer as it came.
func raw(cmd *cobra.Command, body []byte) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", body)
	return err
}

// table writes rows under heads, in columns; on a terminal that is too narrow for them,
// what the first column has above the rest of each row.
func table(out io.Writer, heads []any, rows [][]any) error {
	var columns strings.Builder
	w := tabwriter.NewWriter(&columns, 0, 0, 2, ' ', 0)
	all := make([][]string, 0, len(rows)+1)
	for _, row := range append([][]any{heads}, rows...) {
		var cells []string
		for _, cell := range row {
			cells = append(cells, clean(fmt.Sprint(cell)))
		}
		all = append(all, cells)
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	width := widthOf(out)
	if !onTerminal(out) || lipgloss.Width(columns.String()) <= width {
		_, err := io.WriteString(out, columns.String())
		return err
	}
	for _, cells := range all[1:] {
		say(out, "%s\n%s", cells[0], wrapped(strings.Join(cells[1:], " · "), 2, width))
	}
	return nil
}

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func listCommand(env Env) *cobra.Command {
	var status, name string
	var most int
	command := withJSON(asking(env, "list", "List tests, newest first", cobra.NoArgs, func(cmd *cobra.Command, c *client.Client, _ []string) error {
		params := client.ListTestsParams{}
		if status != "" {
			params.Status = new(client.TestStatus(status))
		}
		if name != "" {
			params.Name = &name
		}
		var rows [][]any
		for t, err := range c.Tests(cmd.Context(), params) {
			if err != nil {
				return err
			}
			if asJSON(cmd) {
				if err := json.NewEncoder(cmd.OutOrStdout()).Encode(t); err != nil {
					return err
				}
			}
			rows = append(rows, []any{t.ID, moment(t.CreatedAt), state(t), overall(t.AggregateScores), first(t.Name, t.Task), t.URL})
			if len(rows) == most {
				break
			}
		}
		if asJSON(cmd) {
			return nil
		}
		if len(rows) == 0 {
			say(cmd.OutOrStdout(), "There is no test yet. `understudy test URL --task \"…\"` makes one.")
			return nil
		}
		return table(cmd.OutOrStdout(), []any{"TEST", "BEGUN", "STATUS", "SCORE", "NAME", "ADDRESS"}, rows)
	}))
	command.Flags().StringVar(&status, "status", "", "only those that are running, completed, failed or cancelled")
	command.Flags().StringVar(&name, "name", "", "only those of this name")
	command.Flags().IntVarP(&most, "number", "n", 20, "how many at most")
	return command
}

// state is how far a test is, with its verdict.
func state(t client.Test) string {
	switch {
	case t.Status == client.TestStatusRunning:
		return fmt.Sprintf("running %.0f %%", 100*t.Progress)
	case t.Status != client.TestStatusCompleted:
		return string(t.Status)
	case t.QualityGate.Passed:
		return "passed"
	}
	return "gate failed"
}

func overall(scores client.Scores) string {
	if s := scores[overallScore]; s != nil {
		return fmt.Sprintf("%.2f", *s)
	}
	return "–"
}

func showCommand(env Env) *cobra.Command {
	return withJSON(asking(env, "show TEST", "Tell how a test goes, or what came of it", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		got, err := c.GetTestWithResponse(cmd.Context(), args[0], nil)
		if err != nil {
			return err
		}
		if asJSON(cmd) {
			return raw(cmd, got.Body)
		}
		if got.JSON200.Status == client.TestStatusRunning {
			t := got.JSON200
			say(cmd.OutOrStdout(), "%s  %s\n  %d of %d sessions have ended; `understudy watch %s` follows it", state(*t), clean(first(t.Name, t.Task)), t.SessionsCompleted, t.SessionsTotal, t.ID)
			return nil
		}
		out, err := ended(cmd.Context(), c, env, args[0])
		if err != nil {
			return err
		}
		out.tell(cmd.OutOrStdout(), stylesFor(cmd.OutOrStdout()), widthOf(cmd.OutOrStdout()))
		return nil
	}))
}

func watchCommand(env Env) *cobra.Command {
	command := withJSON(asking(env, "watch TEST", "Follow a test to its end, with the exit status of `understudy test`", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		got, err := c.GetTestWithResponse(cmd.Context(), args[0], nil)
		if err != nil {
			return err
		}
		screen := newProgress(cmd.ErrOrStderr(), env.Getenv, false)
		defer screen.close()
		line := screen.test(first(got.JSON200.Name, got.JSON200.Task), got.JSON200.SessionsTotal)
		for message, err := range c.Watch(cmd.Context(), args[0], line.lost) {
			if err != nil {
				return err
			}
			line.tell(message)
			if asJSON(cmd) {
				if err := json.NewEncoder(cmd.OutOrStdout()).Encode(message); err != nil {
					return err
				}
			}
		}
		line.done()
		out, err := ended(cmd.Context(), c, env, args[0])
		if err != nil {
			return err
		}
		if !asJSON(cmd) {
			out.tell(cmd.OutOrStdout(), stylesFor(cmd.OutOrStdout()), widthOf(cmd.OutOrStdout()))
		}
		if out.Status != ExitPassed {
			return &ExitError{Status: out.Status}
		}
		return nil
	}))
	command.Flags().Lookup("json").Usage = "write each message of the test's stream as a line of JSON"
	return command
}

// ended is what came of a test that has ended, with the status to exit with.
func ended(ctx context.Context, c *client.Client, env Env, id string) (*result, error) {
	r := &run{env: env, client: c, flags: testFlags{gate: gateFail}}
	out := &result{Test: &client.Test{ID: id}}
	if err := r.fetch(ctx, out); err != nil {
		return nil, err
	}
	out.plan = plan{client.NewTest{Name: out.Test.Name, Task: out.Test.Task}}
	r.judge(out)
	return out, nil
}

func cancelCommand(env Env) *cobra.Command {
	return withJSON(asking(env, "cancel TEST", "Call a running test off", cobra.ExactArgs(1), func(cmd *cobra.Command, c *client.Client, args []string) error {
		got, err := c.CancelTestWithResponse(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if asJSON(cmd) {
			return raw(cmd, got.Body)
		}
		say(cmd.OutOrStdout(), "%s is cancelled; %d of %d sessions had ended.", args[0], got.JSON200.SessionsCompleted, got.JSON200.SessionsTotal)
		return nil
	}))
}
