package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"understudy/test/harness"
)

const (
	// signIn begins every task: each person signs in as the owner, by the form.
	signIn = "Sign in with {{email}} and {{password}}, then "
	// secret signs what nobody checks.
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	// abandonedLimit bounds the wait for deliveries to be given up: three
	// retries, the last after five minutes.
	abandonedLimit = 8 * time.Minute
	poll           = 3 * time.Second
	// near is how long after somebody's act the dashboard may have made a key.
	near = 10 * time.Second
)

// errand is what people are sent to the dashboard for.
type errand struct {
	name, page string
	tasks      []string // one for all, or one for each session
	success    map[string]any
	ready      func(context.Context) error
	// truth tells which sessions of the test of tasks[i] have done it.
	truth func(ctx context.Context, i int, sessions []session) ([]bool, error)
}

// world is the dashboard with what has happened there.
type world struct {
	service         *harness.Service
	client          harness.Client
	email, password string
	inbox           *httptest.Server
	taken           atomic.Bool // the inbox takes deliveries
	hooks           []string
	failed          harness.Test
	gaveUp          []string
}

// prepare has a test fail its gate, with people who gave up, and nobody take
// the deliveries that tell so.
func prepare(ctx context.Context, s *harness.Service, n int) (_ *world, err error) {
	w := &world{service: s, client: s.Live()}
	raw, err := os.ReadFile(filepath.Join(s.Data(), "keys.json"))
	if err != nil {
		return nil, err
	}
	var owner struct{ Email, Password string }
	if err := json.Unmarshal(raw, &owner); err != nil {
		return nil, err
	}
	w.email, w.password = owner.Email, owner.Password
	w.inbox = httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(res, `<!doctype html><html lang="en"><title>Bakery</title><h1>Our bakery</h1><p>Bread and cakes, fresh each morning.</p><p><a href="/bread">Bread</a> <a href="/cakes">Cakes</a></p></html>`)
			return
		}
		if !w.taken.Load() {
			res.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer func() {
		if err != nil {
			w.inbox.Close()
		}
	}()
	for i := range n {
		id, err := w.client.Register(ctx, fmt.Sprintf("%s/%s", w.inbox.URL, hook(i)), secret, "quality_gate.failed")
		if err != nil {
			return nil, err
		}
		w.hooks = append(w.hooks, id)
	}
	t, _, err := w.client.Create(ctx, map[string]any{"url": w.inbox.URL + "/", "task": "Subscribe to the newsletter", "sessions": 5, "seed": 3, "replays": "off"})
	if err != nil {
		return nil, err
	}
	if w.failed, err = w.client.Await(ctx, t.ID, poll, harness.Test.Ended); err != nil {
		return nil, err
	}
	sessions, err := harness.All[session](ctx, w.client, "/tests/"+t.ID+"/sessions")
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		if s.Outcome != "succeeded" {
			w.gaveUp = append(w.gaveUp, s.ID)
		}
	}
	if w.failed.QualityGate == nil || w.failed.QualityGate.Passed || len(w.gaveUp) == 0 || w.failed.ReportID == nil {
		return nil, fmt.Errorf("the test did not fail its gate, with people who gave up: %+v", w.failed)
	}
	return w, nil
}

func hook(i int) string { return fmt.Sprintf("receiver-%02d", i+1) }

func (w *world) errands(n int) []errand {
	again := make([]string, n)
	for i := range again {
		again[i] = "send the failed deliveries of the webhook " + w.inbox.URL + "/" + hook(i) + " again"
	}
	return []errand{
		{name: "gate", page: "/sign-in", tasks: []string{"find out why the last test failed its quality gate"}, truth: verified,
			success: map[string]any{"url_matches": "/tests/" + w.failed.ID + "|/reports/" + *w.failed.ReportID, "text_visible": "Quality gate"}},
		{name: "key", page: "/sign-in", tasks: []string{`create an API key named "Reader" that may only read reports`}, truth: w.keyMade},
		{name: "gave-up", page: "/sign-in", tasks: []string{"see which sessions of the last test gave up and why"}, truth: verified,
			// The page of the test shows who gave up, each with their last thought.
			success: map[string]any{"url_matches": "/tests/" + w.failed.ID + "|/sessions/(" + strings.Join(w.gaveUp, "|") + ")|/reports/" + *w.failed.ReportID, "text_visible": "gave up"}},
		{name: "replay", page: "/sign-in", tasks: again, truth: w.replayed, ready: w.abandoned},
	}
}

// verified is the truth of an errand that has a condition of success.
func verified(_ context.Context, _ int, sessions []session) (done []bool, err error) {
	for _, s := range sessions {
		done = append(done, s.verified())
	}
	return done, nil
}

// keyMade gives each key that may read reports, and nothing else, to the one who
// acted last before it was made.
func (w *world) keyMade(ctx context.Context, _ int, sessions []session) ([]bool, error) {
	done := make([]bool, len(sessions))
	keys, err := harness.All[struct {
		Scopes    []string
		CreatedAt time.Time `json:"created_at"`
	}](ctx, w.client, "/keys")
	for _, k := range keys {
		if !slices.Equal(k.Scopes, []string{"reports:read"}) {
			continue
		}
		best, nearest := -1, near
		for i, s := range sessions {
			for _, step := range s.trace.Steps {
				if after := k.CreatedAt.Sub(step.At).Abs(); !done[i] && after < nearest {
					best, nearest = i, after
				}
			}
		}
		if best >= 0 {
			done[best] = true
		}
	}
	return done, err
}

type sent struct {
	Status   string
	ReplayOf *string `json:"replay_of"`
}

// abandoned waits until no delivery is tried any more, and lets those to come in.
func (w *world) abandoned(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, abandonedLimit)
	defer cancel()
	ticks := time.NewTicker(poll)
	defer ticks.Stop()
	for _, id := range w.hooks {
		for {
			all, err := harness.All[sent](ctx, w.client, "/webhooks/"+id+"/deliveries")
			if err != nil {
				return err
			}
			if len(all) > 0 && !slices.ContainsFunc(all, func(d sent) bool { return d.Status != "abandoned" }) {
				break
			}
			select {
			case <-ticks.C:
			case <-ctx.Done():
				return fmt.Errorf("deliveries of %s: %+v: %w", id, all, context.Cause(ctx))
			}
		}
	}
	w.taken.Store(true)
	return nil
}

// replayed is whether the session's own webhook has sent again what had failed.
func (w *world) replayed(ctx context.Context, i int, sessions []session) ([]bool, error) {
	all, err := harness.All[sent](ctx, w.client, "/webhooks/"+w.hooks[i]+"/deliveries")
	again := slices.ContainsFunc(all, func(d sent) bool { return d.ReplayOf != nil })
	return slices.Repeat([]bool{again}, len(sessions)), err
}
