package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"understudy/adapters/client"
)

// Complete tells shells what the flags of all commands below root may be. More are
// words that only the caller knows, by the name of the flag.
func Complete(root *cobra.Command, more map[string][]string) error {
	words := map[string][]string{
		"criteria": allCriteria,
		"viewport": {string(client.Desktop), string(client.Mobile), string(client.Tablet)},
		"gate":     {gateFail, gateWarn},
		"replays":  {string(client.NewTestReplaysSafe), string(client.NewTestReplaysOff)},
		"personas": append([]string{string(client.AutoDiverse)}, more["personas"]...),
		"model":    {"forager"},
		"status":   {string(client.TestStatusRunning), string(client.TestStatusCompleted), string(client.TestStatusFailed), string(client.TestStatusCancelled)},
	}
	for name, choices := range more {
		if words[name] == nil {
			words[name] = choices
		}
	}
	own := map[string]cobra.CompletionFunc{"report": reports, "baseline": baselines, "fail-under": thresholds}
	return below(root, func(cmd *cobra.Command) (err error) {
		if cmd.Name() == "test" || cmd.Name() == "compare" { // addresses
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			complete := own[f.Name]
			if choices := words[f.Name]; choices != nil {
				complete = oneOf(choices, f.Value.Type() == "stringSlice")
			}
			if _, known := cmd.GetFlagCompletionFunc(f.Name); complete != nil && !known && err == nil {
				err = cmd.RegisterFlagCompletionFunc(f.Name, complete)
			}
			if f.Name == "suite" && err == nil {
				err = cmd.MarkFlagFilename(f.Name, "yaml", "yml")
			}
		})
		return err
	})
}

// below does something with a command and all below it.
func below(cmd *cobra.Command, do func(*cobra.Command) error) error {
	if err := do(cmd); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if err := below(sub, do); err != nil {
			return err
		}
	}
	return nil
}

// oneOf completes a word, or the last of several between commas; none comes twice.
func oneOf(choices []string, several bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) (all []cobra.Completion, how cobra.ShellCompDirective) {
		before := ""
		if at := strings.LastIndex(typed, ","); several && at >= 0 {
			before = typed[:at+1]
		}
		for _, choice := range choices {
			if strings.HasPrefix(before+choice, typed) && !slices.Contains(strings.Split(before, ","), choice) {
				all = append(all, before+choice)
			}
		}
		if several {
			how |= cobra.ShellCompDirectiveNoSpace
		}
		return all, how | cobra.ShellCompDirectiveNoFileComp
	}
}

// reports completes FORM=FILE. A comparison has two of the forms.
func reports(cmd *cobra.Command, _ []string, typed string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	forms := []string{formHTML, formMarkdown, formPDF, formJUnit, formJSON}
	if cmd.Name() == "compare" {
		forms = []string{formMarkdown, formJSON}
	}
	for _, form := range forms {
		if strings.HasPrefix(form, typed) {
			all = append(all, form+"=")
		}
	}
	return all, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// baselines completes last and last:NAME; else it is a file or a test's id.
func baselines(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if strings.HasPrefix(lastResult, typed) {
		return []cobra.Completion{lastResult, lastResult + ":"}, cobra.ShellCompDirectiveNoSpace
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// thresholds completes CRITERION=SCORE.
func thresholds(_ *cobra.Command, _ []string, typed string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, criterion := range allCriteria {
		if strings.HasPrefix(criterion, typed) {
			all = append(all, criterion+"=")
		}
	}
	return all, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}
