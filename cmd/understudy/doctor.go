package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/adapters/cli"
)

const (
	// doctorLimit bounds all checks together: a start of Chromium and what is
	// asked of other machines, on a slow one.
	doctorLimit = 3 * time.Minute
	// askLimit bounds one question to another machine.
	askLimit = 10 * time.Second
)

// Statuses of a finding.
const statusOK, statusWarning, statusFailure = "ok", "warning", "failure"

// finding is what one check has found.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Found  string `json:"found"`
	// Remedy is what to do, "" where there is nothing to do.
	Remedy string `json:"remedy,omitempty"`
}

func fine(check, format string, args ...any) finding {
	return finding{Check: check, Status: statusOK, Found: fmt.Sprintf(format, args...)}
}

func doubtful(check, remedy, format string, args ...any) finding {
	return finding{Check: check, Status: statusWarning, Found: fmt.Sprintf(format, args...), Remedy: remedy}
}

func failing(check, remedy, format string, args ...any) finding {
	return finding{Check: check, Status: statusFailure, Found: fmt.Sprintf(format, args...), Remedy: remedy}
}

// doctor looks at a machine with the settings of a service on it, by the code that the
// service itself uses. It changes nothing of that service's and takes no lock that one
// might want.
type doctor struct {
	cfg   config
	reach string // an https address to try, "" for none
	log   *slog.Logger
}

func doctorCommand() *cobra.Command {
	var asJSON bool
	var reach string
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check what the service needs on this machine, and say what to do",
		Long: `Check what the service needs on this machine: Chromium, its sandbox and fonts,
Postgres, the event store, the disk, what can be reached, the clock, open files and
memory. The settings are those of serve. A service may run meanwhile.

Exit status 0 when nothing failed, else 1. Warnings fail nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorLimit)
			defer cancel()
			cfg, err := readConfig(os.Getenv)
			d := doctor{cfg: cfg, reach: reach, log: slog.New(slog.DiscardHandler)}
			checks := []func(context.Context) []finding{
				func(context.Context) []finding { return []finding{settingsFinding(err)} },
				d.programs, d.browser, d.postgres, d.eventStore, d.disk, d.network, d.machine,
			}
			return tell(cmd.OutOrStdout(), atOnce(ctx, checks), asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "write the findings as JSON")
	command.Flags().StringVar(&reach, "reach", "https://example.com/", `https address to try, which also tells the time; "": none`)
	return command
}

// settingsFinding tells of settings at fault.
func settingsFinding(err error) finding {
	if err == nil {
		return fine("settings", "as serve would take them")
	}
	return failing("settings", "correct them; `understudy serve --help` lists all", "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
}

// atOnce runs checks side by side and hands on what they found in their order.
func atOnce(ctx context.Context, checks []func(context.Context) []finding) func(yield func(finding) bool) {
	found := make([]chan []finding, len(checks))
	for i, check := range checks {
		found[i] = make(chan []finding, 1)
		go func() { found[i] <- check(ctx) }()
	}
	return func(yield func(finding) bool) {
		for _, of := range found {
			for _, f := range <-of {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// tell writes findings as they come, or as one JSON document, and fails when one did.
func tell(out io.Writer, findings func(yield func(finding) bool), asJSON bool) error {
	document := struct {
		OK       bool      `json:"ok"`
		Version  version   `json:"version"`
		Findings []finding `json:"findings"`
	}{OK: true, Version: buildVersion()}
	warnings, failures := 0, 0
	for f := range findings {
		switch f.Status {
		case statusWarning:
			warnings++
		case statusFailure:
			failures++
		}
		document.Findings = append(document.Findings, f)
		if asJSON {
			continue
		}
		fmt.Fprintf(out, "%-8s %-12s %s\n", f.Status, f.Check, f.Found)
		if f.Remedy != "" {
			fmt.Fprintf(out, "%21s → %s\n", "", f.Remedy)
		}
	}
	document.OK = failures == 0
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(document); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "\n%d failed, %d warned.\n", failures, warnings)
	}
	if failures > 0 {
		return &cli.ExitError{Status: cli.ExitGateFailed}
	}
	return nil
}
