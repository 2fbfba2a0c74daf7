package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// What -ldflags say of a build: releases and make build do; else what Go recorded counts.
var release, commit, date string

// version says which program this is.
type version struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	// Date is that of the commit, by which a build can be repeated.
	Date     string `json:"date"`
	Modified bool   `json:"modified,omitempty"` // by more than the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func buildVersion() version {
	v := version{Version: "devel", Commit: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			v.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Commit = s.Value
			case "vcs.time":
				v.Date = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
	}
	for said, of := range map[*string]*string{&release: &v.Version, &commit: &v.Commit, &date: &v.Date} {
		if *said != "" {
			*of = *said
		}
	}
	return v
}

func (v version) String() string {
	of := v.Commit
	if v.Modified {
		of += ", modified"
	}
	if v.Date != "" {
		of += ", " + v.Date
	}
	return fmt.Sprintf("%s (commit %s) %s %s", v.Version, of, v.Go, v.Platform)
}

func versionCommand() *cobra.Command {
	var deps, asJSON bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Say which program this is, and whether what it needs is there",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if asJSON && !deps {
				encoder := json.NewEncoder(out)
				encoder.SetIndent("", "  ")
				return encoder.Encode(buildVersion())
			}
			if !asJSON {
				fmt.Fprintf(out, "understudy %s\n", buildVersion())
			}
			if !deps {
				return nil
			}
			cfg, err := readConfig(os.Getenv)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorLimit)
			defer cancel()
			d := doctor{cfg: cfg, log: slog.New(slog.DiscardHandler)}
			return tell(out, atOnce(ctx, []func(context.Context) []finding{d.programs, d.browser, d.postgres}), asJSON)
		},
	}
	command.Flags().BoolVar(&deps, "check-deps", false, "also check the programs that it needs: Chromium, its driver and fonts, ffmpeg, Postgres; exit status 1 when one is missing")
	command.Flags().BoolVar(&asJSON, "json", false, "write it as JSON")
	return command
}
