package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy/adapters/client"
	"understudy/adapters/demosite"
)

const (
	// demoLimit bounds the demo test: half a minute on two idle cores.
	demoLimit = 15 * time.Minute
	// callOffLimit bounds calling it off.
	callOffLimit = 5 * time.Second
	// demoSessions is enough to show a spread of people within seconds.
	demoSessions = 6
	// demoSeed makes everybody's first test the one that docs/tour.md shows.
	demoSeed = 1
)

// demoFile is there, in the data directory, from before the first organization is
// founded until the demo test has ended: a start after a crash goes on with it. It has
// the address of the demo site.
const demoFile = "demo"

// noteDemo notes that a demo test is due where nothing was founded yet.
func noteDemo(cfg config) error {
	if !cfg.demo || !cfg.has(roleAPI) {
		return nil
	}
	_, err := os.Stat(filepath.Join(cfg.dataDir, keysFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = writeDurably(filepath.Join(cfg.dataDir, demoFile), nil)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// demo is a first live test of the bundled demo site, as any client would run it
// through the API.
type demo struct {
	file string
	site net.Listener
	key  string
	log  *slog.Logger
}

// openDemo takes the demo site's address, if a demo test is due; nil: none is. Sessions
// that a crash has interrupted find the site where it was.
func openDemo(ctx context.Context, cfg config, log *slog.Logger) (*demo, error) {
	d := &demo{file: filepath.Join(cfg.dataDir, demoFile), log: log}
	address, err := os.ReadFile(d.file)
	if errors.Is(err, fs.ErrNotExist) || !cfg.demo || !cfg.has(roleAPI) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	keys, err := readCredentials(filepath.Join(cfg.dataDir, keysFile))
	if errors.Is(err, fs.ErrNotExist) { // another process founded the organization
		d.over()
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d.key = keys.Live
	wanted := string(address)
	if wanted == "" {
		wanted = "127.0.0.1:0"
	}
	if d.site, err = new(net.ListenConfig).Listen(ctx, "tcp", wanted); err != nil {
		log.Warn("the demo test cannot go on: the address of its site is taken", "error", err)
		d.over()
		return nil, nil
	}
	if len(address) == 0 {
		if err = os.WriteFile(d.file+".new", []byte(d.site.Addr().String()), 0o600); err == nil {
			err = os.Rename(d.file+".new", d.file)
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.site.Close())
	}
	return d, nil
}

// over: no start is to go on with it.
func (d *demo) over() {
	if err := os.Remove(d.file); err != nil {
		d.log.Warn("the next start will show the demo test again", "error", err)
	}
}

// run runs the test and shows how it goes. What does not end well is called off,
// because the site ends with it.
func (d *demo) run(ctx context.Context, address string, out io.Writer) {
	defer d.over()
	inTime, cancel := context.WithTimeoutCause(ctx, demoLimit, fmt.Errorf("it took longer than %s", demoLimit))
	defer cancel()
	err := d.show(inTime, dialable(address), out)
	switch {
	case err == nil:
		return
	case ctx.Err() != nil:
		err = errors.New("the service is stopping")
	case inTime.Err() != nil:
		err = context.Cause(inTime)
	}
	fmt.Fprintf(out, "the demo test was not completed: %v\n", err)
}

func (d *demo) show(ctx context.Context, address string, out io.Writer) error {
	site := &http.Server{Handler: demosite.Handler(), ReadHeaderTimeout: headerLimit}
	go func() { _ = site.Serve(d.site) }()
	defer func() { _ = site.Close() }()

	c, err := client.New("http://"+address, d.key)
	if err != nil {
		return err
	}
	once := "demo-at-" + d.site.Addr().String() // after a crash it is the same test
	made, err := c.CreateTestWithResponse(ctx, &client.CreateTestParams{IdempotencyKey: &once}, client.NewTest{
		Name: "Demo: a coffee subscription", URL: "http://" + d.site.Addr().String() + "/", Task: demosite.Task,
		Sessions: demoSessions, Seed: new(int64(demoSeed)), Viewport: []client.Viewport{client.Desktop, client.Mobile},
		Criteria: []client.Criterion{"task_completion", "cta_findability", "navigation", "accessibility"},
		Success:  &client.Success{TextVisible: demosite.SuccessText},
	})
	if err != nil {
		return err
	}
	test := made.JSON201.ID
	fmt.Fprintf(out, "\nA first test: %d simulated users try to \"%s\" on the bundled demo site (%s)\n\n",
		demoSessions, strings.ToLower(demosite.Task), test)
	if err := watch(ctx, c, test, out); err != nil {
		off, cancel := context.WithTimeout(context.WithoutCancel(ctx), callOffLimit)
		defer cancel()
		_, failed := c.CancelTestWithResponse(off, test)
		return errors.Join(err, failed)
	}
	return summarize(ctx, c, test, out)
}

// said is what the demo shows of a stream's messages.
type said struct {
	Persona           struct{ Name string }
	Thought           string
	Outcome           string
	Steps             int
	Percent           int
	SimulatedSeconds  float64 `json:"simulated_seconds"`
	SessionsCompleted int     `json:"sessions_completed"`
	SessionsTotal     int     `json:"sessions_total"`
	Reason            struct{ Message string }
	Failure           struct{ Message string }
}

// watch shows a test's messages until its stream ends.
func watch(ctx context.Context, c *client.Client, test string, out io.Writer) error {
	names := map[string]string{}
	for m, err := range c.Watch(ctx, test, func(error) {}) {
		if err != nil {
			return err
		}
		var data said
		if err := json.Unmarshal(m.Data, &data); err != nil {
			return err
		}
		if m.Type == "session.queued" {
			names[m.SessionID] = data.Persona.Name
		}
		show(m.Type, data, names[m.SessionID], out)
	}
	return nil
}

func show(kind string, data said, name string, out io.Writer) {
	switch kind {
	case "session.step":
		if data.Thought != "" { // a person says nothing at some steps
			fmt.Fprintf(out, "  %-12s %s\n", cut(name, 12), cut(data.Thought, 100))
		}
	case "session.completed":
		fmt.Fprintf(out, "  %-12s => %s after %d steps, %.0f s as a person would take\n",
			cut(name, 12), strings.ReplaceAll(data.Outcome, "_", " "), data.Steps, data.SimulatedSeconds)
	case "session.failed":
		fmt.Fprintf(out, "  %-12s => failed: %s\n", cut(name, 12), data.Failure.Message)
	case "test.progress":
		fmt.Fprintf(out, "  %3d %%  %d of %d sessions\n", data.Percent, data.SessionsCompleted, data.SessionsTotal)
	case "test.failed":
		fmt.Fprintf(out, "  the test failed: %s\n", data.Reason.Message)
	}
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// summarize shows the report's gist and where to read on.
func summarize(ctx context.Context, c *client.Client, test string, out io.Writer) error {
	got, err := c.GetTestReportWithResponse(ctx, test, nil)
	if err != nil {
		return err
	}
	report := got.JSON200
	fmt.Fprintln(out, "\nScores")
	for _, criterion := range []string{"task_completion", "cta_findability", "navigation", "accessibility", "overall"} {
		if score := report.AggregateScores[criterion]; score != nil {
			fmt.Fprintf(out, "  %-16s %.2f  %s\n", criterion, *score, strings.Repeat("#", int(*score*30+0.5)))
		}
	}
	verdict := "failed"
	if report.QualityGate.Passed {
		verdict = "passed"
	}
	fmt.Fprintf(out, "Quality gate %s (threshold %.2f)\n  %s\n\nIssues\n", verdict, report.QualityGate.Threshold, report.QualityGate.Summary)
	if len(report.Issues) == 0 {
		fmt.Fprintln(out, "  none found")
	}
	for i, issue := range report.Issues[:min(len(report.Issues), 5)] {
		fmt.Fprintf(out, "  %d. [%s] %s\n", i+1, issue.SeverityLabel, issue.Title)
	}
	fmt.Fprintf(out, "\nThe report: %s\n", report.ReportURL)
	return nil
}
