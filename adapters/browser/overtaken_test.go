package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/oracle"
	"understudy/domain/persona"
	"understudy/domain/walk"
	"understudy/test/patience"
)

// released lets a page go on once its first step is told.
type released struct {
	walk.Nobody
	t    *testing.T
	tab  walk.Tab
	gate chan struct{}
}

func (r released) Stepped(ctx context.Context, step walk.StepRecord) error {
	if step.Index > 0 {
		return nil
	}
	if step.Effect.Navigated {
		r.t.Errorf("the page went on before it was let: %+v", step.Effect)
	}
	close(r.gate)
	eventually(r.t, "the page has gone on", func() bool {
		p, err := r.tab.Look(ctx, "")
		return err == nil && strings.HasSuffix(p.URL, "/welcome")
	})
	return nil
}

// TestWhereAPageWentAfterAnActWasToldIsTakenIn: a form is sent when its click has long been
// told to have changed nothing; who sees the next page knows where it came from.
func TestWhereAPageWentAfterAnActWasToldIsTakenIn(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><html lang=en><h1>Join</h1><button onclick=\"fetch('/gate').then(()=>location='/welcome')\">Sign up</button>")
	})
	mux.HandleFunc("/gate", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-gate:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/welcome", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<h1>Welcome</h1>") })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx, cancel := patience.Context(t.Context(), 2*time.Minute)
	defer cancel()
	tab, err := browser.Pages{Browser: shared}.Open(ctx, walk.DeviceOf(persona.Persona{}.Facets, "desktop", "", 7))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tab.Close() }()
	var felt []walk.Effect
	brain := func(p walk.Page, last walk.Effect) walk.Decision {
		if felt = append(felt, last); len(felt) > 1 {
			return walk.Decision{Action: walk.Action{Type: walk.GiveUp}, End: walk.EndGaveUp}
		}
		button := element(t, p, "Sign up")
		return walk.Decision{Action: walk.Action{Type: walk.Click, Ref: button.Ref}, Target: &button}
	}
	plan := walk.NewPlan(server.URL, "Sign up", persona.Persona{}, nil, 3)
	if _, err := walk.Run(ctx, tab, walk.Mind(brain), oracle.New(plan.Goal, plan.Success), plan, released{t: t, tab: tab, gate: gate}); err != nil {
		t.Fatal(err)
	}
	if last := felt[len(felt)-1]; !last.Navigated || !strings.HasSuffix(last.URL, "/welcome") {
		t.Errorf("felt of the click: %+v", last)
	}
}
