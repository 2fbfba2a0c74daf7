package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"understudy/adapters/demosite"
)

const (
	// demoLimit bounds the demo test.
	demoLimit = 3 * time.Minute
	// callOffLimit bounds calling it off.
	callOffLimit = 5 * time.Second
	// demoSessions is enough to show a spread of people within seconds.
	demoSessions = 6
)

// runDemo runs a first live test of the bundled demo site, as any client would
// through the API, and shows how it goes. What does not end well is called off,
// because the site ends with it.
func runDemo(ctx context.Context, address, key string, out io.Writer) {
	inTime, cancel := context.WithTimeoutCause(ctx, demoLimit, fmt.Errorf("it took longer than %s", demoLimit))
	defer cancel()
	err := demo(inTime, dialable(address), key, out)
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

// api is a client of the service's own interface.
type api struct{ base, key string }

func (c api) call(ctx context.Context, method, path string, body, into any) error {
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, payload)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= 300 {
		var problem struct{ Detail string }
		if err := json.NewDecoder(res.Body).Decode(&problem); err != nil || problem.Detail == "" {
			return fmt.Errorf("%s %s: %s", method, path, res.Status)
		}
		return fmt.Errorf("%s", problem.Detail)
	}
	return json.NewDecoder(res.Body).Decode(into)
}

func demo(ctx context.Context, address, key string, out io.Writer) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	site := &http.Server{Handler: demosite.Handler(), ReadHeaderTimeout: headerLimit}
	go func() { _ = site.Serve(listener) }()
	defer func() { _ = site.Close() }()

	client := api{base: "http://" + address + "/v1", key: key}
	var test struct {
		ID        string
		StreamURL string `json:"stream_url"`
	}
	err = client.call(ctx, http.MethodPost, "/tests", map[string]any{
		"name": "Demo: a coffee subscription", "url": "http://" + listener.Addr().String() + "/", "task": demosite.Task,
		"sessions": demoSessions, "viewport": []string{"desktop", "mobile"},
		"criteria": []string{"task_completion", "cta_findability", "navigation", "accessibility"},
		"success":  map[string]string{"text_visible": demosite.SuccessText},
	}, &test)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nA first test: %d simulated users try to \"%s\" on the bundled demo site (%s)\n\n",
		demoSessions, strings.ToLower(demosite.Task), test.ID)
	// Whatever the public address is, this process is reached at its own.
	_, rest, _ := strings.Cut(test.StreamURL, "/v1/")
	if err := watch(ctx, "ws://"+address+"/v1/"+rest, out); err != nil {
		off, cancel := context.WithTimeout(context.WithoutCancel(ctx), callOffLimit)
		defer cancel()
		return errors.Join(err, client.call(off, http.MethodDelete, "/tests/"+test.ID, nil, &struct{}{}))
	}
	return summarize(ctx, client, test.ID, out)
}

// message is what the demo shows of a stream's messages.
type message struct {
	Type      string
	SessionID string `json:"session_id"`
	Data      struct {
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
}

// watch shows a test's messages until its stream ends.
func watch(ctx context.Context, address string, out io.Writer) error {
	conn, _, err := websocket.Dial(ctx, address, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		return fmt.Errorf("open the stream: %w", err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(1 << 20)
	names := map[string]string{}
	for {
		_, raw, err := conn.Read(ctx)
		if websocket.CloseStatus(err) == websocket.StatusNormalClosure {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the stream: %w", err)
		}
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			return err
		}
		if m.Type == "session.queued" {
			names[m.SessionID] = m.Data.Persona.Name
		}
		show(m, names[m.SessionID], out)
	}
}

func show(m message, name string, out io.Writer) {
	switch m.Type {
	case "session.step":
		fmt.Fprintf(out, "  %-12s %s\n", cut(name, 12), cut(m.Data.Thought, 100))
	case "session.completed":
		fmt.Fprintf(out, "  %-12s => %s after %d steps, %.0f s as a person would take\n",
			cut(name, 12), strings.ReplaceAll(m.Data.Outcome, "_", " "), m.Data.Steps, m.Data.SimulatedSeconds)
	case "session.failed":
		fmt.Fprintf(out, "  %-12s => failed: %s\n", cut(name, 12), m.Data.Failure.Message)
	case "test.progress":
		fmt.Fprintf(out, "  %3d %%  %d of %d sessions\n", m.Data.Percent, m.Data.SessionsCompleted, m.Data.SessionsTotal)
	case "test.failed":
		fmt.Fprintf(out, "  the test failed: %s\n", m.Data.Reason.Message)
	}
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// summarize shows the report's gist and where to read on.
func summarize(ctx context.Context, client api, testID string, out io.Writer) error {
	var report struct {
		Scores map[string]*float64 `json:"aggregate_scores"`
		Gate   struct {
			Passed    bool
			Threshold float64
			Summary   string
		} `json:"quality_gate"`
		Issues []struct {
			Title    string
			Severity string `json:"severity_label"`
		}
		URL string `json:"report_url"`
	}
	if err := client.call(ctx, http.MethodGet, "/tests/"+testID+"/report", nil, &report); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nScores")
	for _, criterion := range []string{"task_completion", "cta_findability", "navigation", "accessibility", "overall"} {
		if score := report.Scores[criterion]; score != nil {
			fmt.Fprintf(out, "  %-16s %.2f  %s\n", criterion, *score, strings.Repeat("#", int(*score*30+0.5)))
		}
	}
	verdict := "failed"
	if report.Gate.Passed {
		verdict = "passed"
	}
	fmt.Fprintf(out, "Quality gate %s (threshold %.2f)\n  %s\n\nIssues\n", verdict, report.Gate.Threshold, report.Gate.Summary)
	if len(report.Issues) == 0 {
		fmt.Fprintln(out, "  none found")
	}
	for i, issue := range report.Issues[:min(len(report.Issues), 5)] {
		fmt.Fprintf(out, "  %d. [%s] %s\n", i+1, issue.Severity, issue.Title)
	}
	fmt.Fprintf(out, "\nThe report: %s\n", report.URL)
	return nil
}
