package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"understudy/test/harness"
	"understudy/test/sites"
)

const (
	// errandSessions is how many people walk each errand: as many on each screen.
	errandSessions = 6
	// errandSeed draws who they are.
	errandSeed = 2026
	// noReplays leaves out the walks that look for causes: how many there are
	// depends on how many fell short, and they are no sessions.
	noReplays = "UNDERSTUDY_REPLAYS=0"
)

// errand is a task on a page: a test that several programs are asked for.
type errand struct {
	name string
	body map[string]any // of POST /tests
}

// errands are those of -pages, else all tasks of our own sites, which are served
// until stop is called.
func (b *bench) errands(ctx context.Context) (all []errand, stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, s := range stops {
			s()
		}
	}
	add := func(name string, body map[string]any) {
		if !strings.Contains(name, b.match) {
			return
		}
		asked := map[string]any{"sessions": b.n(errandSessions), "seed": errandSeed, "viewport": []string{"desktop", "mobile"}}
		for k, v := range body {
			asked[k] = v
		}
		all = append(all, errand{name, asked})
	}
	if b.pages != "" {
		raw, err := os.ReadFile(b.pages)
		if err != nil {
			return nil, stop, err
		}
		var bodies []map[string]any
		if err := json.Unmarshal(raw, &bodies); err != nil {
			return nil, stop, fmt.Errorf("%s: %w", b.pages, err)
		}
		for _, body := range bodies {
			add(fmt.Sprint(body["url"], " ", body["task"]), body)
		}
		return all, stop, nil
	}
	for _, name := range sites.Names() {
		address, end, err := sites.Serve(ctx, name, sites.Options{})
		if err != nil {
			return nil, stop, err
		}
		stops = append(stops, end)
		for _, t := range sites.Tasks[name] {
			add(name+"/"+t.Name, map[string]any{"url": address + t.Start, "task": t.Task})
		}
	}
	return all, stop, nil
}

// walked is one session as REST tells of it.
type walked struct {
	ID       string
	Index    int
	Steps    int
	Status   string
	Outcome  *string
	Seconds  float64                           `json:"simulated_seconds"`
	Verified struct{ Status, Evidence string } `json:"completion"`

	// acts has a line for each step: where, what, on what, with which text.
	// told has what was seen, thought, spent and found besides.
	acts, told []string
}

// end is how a session came out.
func (w *walked) end() string {
	if w.Outcome == nil {
		return w.Status + ", " + w.Verified.Status
	}
	return *w.Outcome + ", " + w.Verified.Status
}

// run has an errand walked and reads its sessions, in their order.
func (e errand) run(ctx context.Context, c harness.Client) ([]walked, error) {
	t, _, err := c.Create(ctx, e.body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	if _, err = await(ctx, c, t.ID, 500*time.Millisecond, liveLimit, harness.Test.Ended); err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	all, err := harness.All[walked](ctx, c, "/tests/"+t.ID+"/sessions")
	out := make([]walked, len(all))
	for _, w := range all {
		if w.Index < 0 || w.Index >= len(all) {
			return nil, fmt.Errorf("%s: session %s has the index %d of %d", e.name, w.ID, w.Index, len(all))
		}
		out[w.Index] = w
	}
	return out, err
}

// follow reads the steps of a session.
func (w *walked) follow(ctx context.Context, c harness.Client) error {
	var trace struct {
		Steps []struct {
			URL, Observation, Thought string
			Action                    struct {
				Type, Text string
				Target     *struct{ Role, Name, Selector string }
			}
			MS      int `json:"simulated_ms"`
			Signals []struct{ Kind string }
		}
	}
	if _, err := c.Call(ctx, http.MethodGet, "/sessions/"+w.ID+"/trace", nil, &trace); err != nil {
		return err
	}
	for _, s := range trace.Steps {
		act := s.URL + " " + s.Action.Type
		if to := s.Action.Target; to != nil {
			act += fmt.Sprintf(" %s “%s” (%s)", to.Role, to.Name, to.Selector)
		}
		if s.Action.Text != "" {
			act += fmt.Sprintf(" %q", s.Action.Text)
		}
		w.acts = append(w.acts, act)
		w.told = append(w.told, fmt.Sprintf("%s | %s | %s | %d ms %v", act, s.Observation, s.Thought, s.MS, s.Signals))
	}
	return nil
}
