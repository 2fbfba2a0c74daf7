// Command selftest has the product test its own dashboard: one service walks the
// dashboard of another, and what came of each walk is read from that other one's
// state through REST, or is a condition on the page; no walker is asked.
//
//	go run ./test/selftest -binary bin/understudy -sessions 20 -out selftest
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"understudy/test/harness"
)

type options struct {
	binary, out, only string
	sessions          int
	timeout           time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/understudy", "the program")
	flag.StringVar(&o.out, "out", "selftest", "the folder for traces and reports")
	flag.StringVar(&o.only, "only", "", "only tasks whose name is among these, separated by commas: gate, key, gave-up, replay")
	flag.IntVar(&o.sessions, "sessions", 20, "sessions of a task")
	flag.DurationVar(&o.timeout, "timeout", 30*time.Minute, "how long a task may take")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "selftest:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return err
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "understudy-selftest-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env := []string{harness.Loopback, harness.Quiet}
	shown := &harness.Service{Binary: o.binary, Dir: filepath.Join(dir, "shown"), Env: env}
	walker := &harness.Service{Binary: o.binary, Dir: filepath.Join(dir, "walker"), Env: env}
	defer func() { err = errors.Join(err, walker.Stop(), shown.Stop()) }()
	for _, s := range []*harness.Service{shown, walker} {
		if err := s.Start(ctx); err != nil {
			return err
		}
	}
	w, err := prepare(ctx, shown, o.sessions)
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	defer w.inbox.Close()
	var rows []row
	for _, e := range w.errands(o.sessions) {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), e.name) {
			continue
		}
		r := walked(ctx, e, o, walker.Live(), w)
		fmt.Println(r.line())
		rows = append(rows, r)
	}
	text := table(rows)
	fmt.Printf("\n%s\ntraces and reports: %s\n", text, o.out)
	return errors.Join(os.WriteFile(filepath.Join(o.out, "table.txt"), []byte(text), 0o644), context.Cause(ctx))
}

// walked has an errand walked, in one test or, where people would be in each
// other's way, in a test for each.
func walked(ctx context.Context, e errand, o options, c harness.Client, w *world) (r row) {
	r.name = e.name
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	if e.ready != nil {
		if err := e.ready(ctx); err != nil {
			r.fault(err)
			return r
		}
	}
	var made []harness.Test
	for i, task := range e.tasks {
		body := map[string]any{
			"url": "http://" + w.service.Addr + e.page, "task": signIn + task, "sessions": o.sessions / len(e.tasks), "replays": "off", "seed": 100 + i,
			"inputs": map[string]string{"email": w.email, "password": w.password},
		}
		if e.success != nil {
			body["success"] = e.success
		}
		t, _, err := c.Create(ctx, body)
		if err != nil {
			r.fault(err)
			return r
		}
		made = append(made, t)
	}
	for i, t := range made {
		t, err := c.Await(ctx, t.ID, 2*time.Second, harness.Test.Ended)
		r.fault(err)
		if t.Failure != nil {
			r.fault(errors.New(t.Failure.Code + ": " + t.Failure.Message))
		}
		r.fault(r.take(context.WithoutCancel(ctx), e, i, t, o.out, c))
	}
	return r
}

// take reads a test's sessions, with their traces and the report kept beside.
func (r *row) take(ctx context.Context, e errand, i int, t harness.Test, out string, c harness.Client) error {
	sessions, err := harness.All[session](ctx, c, "/tests/"+t.ID+"/sessions?order=asc")
	if err != nil {
		return err
	}
	for j := range sessions {
		s := &sessions[j]
		a, err := c.Send(ctx, http.MethodGet, "/sessions/"+s.ID+"/trace", nil)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(a.Body, &s.trace); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, fmt.Sprintf("%s-%02d.json", e.name, len(r.walks)+j)), a.Body, 0o644); err != nil {
			return err
		}
	}
	truths, err := e.truth(ctx, i, sessions)
	if err != nil {
		return err
	}
	for j, s := range sessions {
		r.walks = append(r.walks, walk{s, truths[j]})
	}
	if t.ReportID == nil {
		return nil
	}
	a, err := c.Send(ctx, http.MethodGet, "/tests/"+t.ID+"/report?format=markdown", nil)
	if err != nil {
		return err
	}
	var report struct {
		Issues []struct {
			Title    string
			Severity int
		}
	}
	if _, err := c.Call(ctx, http.MethodGet, "/tests/"+t.ID+"/report", nil, &report); err != nil {
		return err
	}
	for _, issue := range report.Issues {
		r.issues = append(r.issues, fmt.Sprintf("[%d] %s", issue.Severity, issue.Title))
	}
	return os.WriteFile(filepath.Join(out, fmt.Sprintf("%s-%02d.md", e.name, i)), a.Body, 0o644)
}
