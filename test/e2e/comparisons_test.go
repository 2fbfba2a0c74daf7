package e2e

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
	"understudy/test/sites"
)

type comparisonResource struct {
	ID, Name, Status, Task string
	Criteria               []string
	A, B                   struct {
		TestID  string `json:"test_id"`
		URL     string
		Started bool
	}
	Failure *struct{ Code, Message string }
	Result  *struct {
		Design   string
		Pairs    int
		Winner   *string
		Criteria map[string]struct {
			A, B struct {
				Mean float64
				N    int
			}
			Difference struct{ Estimate float64 }
			PValue     float64 `json:"p_value"`
			PAdjusted  float64 `json:"p_adjusted"`
			Verdict    string
		}
		Success struct {
			A, B struct{ Succeeded, Total int }
		}
		Issues struct{ Fixed, New, Unchanged []changeResource }
		Notes  []string
	}
}

type changeResource struct {
	Kind, Page string
	A, B       *struct{ Severity, Affected int }
}

// compared begins a comparison and waits for its end.
func (c client) compared(t *testing.T, request map[string]any, within time.Duration) comparisonResource {
	t.Helper()
	a := c.send(t, http.MethodPost, "/comparisons", request).wants(t, http.StatusCreated, "")
	begun := read[comparisonResource](t, a)
	if a.Header.Get("Location") == "" || begun.ID == "" {
		t.Errorf("begun as %+v at %q", begun, a.Header.Get("Location"))
	}
	return c.comparisonEnds(t, begun.ID, within)
}

func (c client) comparisonEnds(t *testing.T, id string, within time.Duration) (ended comparisonResource) {
	t.Helper()
	patience.Eventually(t, within, "the comparison ends", func() bool {
		ended = get[comparisonResource](t, c, "/comparisons/"+id)
		return ended.Status != "running"
	})
	return ended
}

// hasNew reports whether an issue is told as new that so many have met.
func (c comparisonResource) hasNew(kind, page string, affected int) bool {
	return c.Result != nil && slices.ContainsFunc(c.Result.Issues.New, func(i changeResource) bool {
		return i.Kind == kind && i.Page == page && i.B.Affected >= affected
	})
}

// TestAFaultMakesTheOtherVariantBetter: the same people walk both variants, the
// numbers are those of the sessions, and the fault is told as new.
func TestAFaultMakesTheOtherVariantBetter(t *testing.T) {
	t.Parallel()
	c := running(t).live()
	goal := task(t, sites.SaaS, "sign_up")
	dead := sites.Fault{Kind: "dead_control", Path: "/signup", Selector: "main form button"}
	var got comparisonResource
	for range lateTries { // until the machine was not too late to tell
		good, bad := serveSite(t, sites.SaaS), serveSite(t, sites.SaaS, dead)
		got = c.compared(t, map[string]any{
			"name": "sign-up", "a": map[string]any{"url": good + goal.Start}, "b": map[string]any{"url": bad + goal.Start},
			"task": goal.Task, "sessions": 6, "seed": 20261121, "viewport": []string{"desktop", "mobile"}, "criteria": []string{"task_completion", "navigation"},
		}, liveLimit)
		if got.Status != "completed" || got.hasNew("dead_click", "/signup", 3) || !get[reportResource](t, c, "/tests/"+got.B.TestID+"/report").late() {
			break
		}
	}
	if got.Status != "completed" || got.Result == nil || !got.A.Started || !got.B.Started {
		t.Fatalf("%+v", got)
	}
	r := got.Result
	if r.Design != "paired" || r.Pairs != 6 {
		t.Errorf("%s, %d pairs", r.Design, r.Pairs)
	}
	a, b := c.sessions(t, got.A.TestID), c.sessions(t, got.B.TestID)
	for i := range a {
		if a[i].Persona.Name != b[i].Persona.Name || a[i].Viewport != b[i].Viewport {
			t.Errorf("session %d: %s on %s and %s on %s", i, a[i].Persona.Name, a[i].Viewport, b[i].Persona.Name, b[i].Viewport)
		}
	}
	mean := func(sessions []sessionResource, criterion string) float64 {
		sum := 0.0
		for _, s := range sessions {
			sum += *s.Scores[criterion]
		}
		return sum / float64(len(sessions))
	}
	for _, criterion := range []string{"task_completion", "navigation"} {
		s := r.Criteria[criterion]
		if math.Abs(s.A.Mean-mean(a, criterion)) > 1e-6 || math.Abs(s.B.Mean-mean(b, criterion)) > 1e-6 || math.Abs(s.Difference.Estimate-(s.B.Mean-s.A.Mean)) > 2e-6 {
			t.Errorf("%s: %+v, the sessions have %v and %v", criterion, s, mean(a, criterion), mean(b, criterion))
		}
	}
	if o := r.Criteria["overall"]; o.Difference.Estimate >= 0 || o.Verdict == "b_better" {
		t.Errorf("overall %+v", o)
	}
	if !got.hasNew("dead_click", "/signup", 3) {
		t.Errorf("the dead control is not told as new: %+v", r.Issues)
		for _, s := range slices.Concat(a, b) {
			logWalk(t, c, s)
		}
	}
	listed := get[harness.Page[comparisonResource]](t, c, "/comparisons?status=completed&test_id="+got.B.TestID)
	if len(listed.Data) != 1 || listed.Data[0].ID != got.ID {
		t.Errorf("listed: %+v", listed.Data)
	}
}

func TestComparisonsInTheSandbox(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	other := signUp(20)
	other["seed"] = 8
	a, b := c.create(t, signUp(20)), c.create(t, other)
	byID := func(x, y string) map[string]any {
		return map[string]any{"a": map[string]any{"test_id": x}, "b": map[string]any{"test_id": y}}
	}
	// Begun while both may still run: it waits.
	got := c.compared(t, byID(a.ID, b.ID), time.Minute)
	if got.Status != "completed" || got.Result.Design != "unpaired" || got.Result.Success.A.Total != 20 || got.A.Started {
		t.Errorf("tests of different people: %+v", got)
	}
	// A variant takes over what the test was made with.
	mixed := c.compared(t, map[string]any{"a": map[string]any{"test_id": a.ID}, "b": map[string]any{"url": "https://shop.example.com/new"}}, time.Minute)
	if mixed.Status != "completed" || mixed.Result.Design != "paired" || mixed.Result.Pairs != 20 || !mixed.B.Started || mixed.Task != a.Task {
		t.Errorf("a test and a variant: %+v", mixed)
	}
	if o := mixed.Result.Criteria["overall"]; o.PValue != 1 || mixed.Result.Winner != nil {
		t.Errorf("the sandbox's page is the same everywhere, but %+v", mixed.Result)
	}
	// Of a cancelled variant nothing is known.
	slow := map[string]any{
		"a": map[string]any{"url": "https://shop.example.com/a"}, "b": map[string]any{"url": "https://shop.example.com/b"}, "task": "slow", "sessions": 5,
	}
	begun := read[comparisonResource](t, c.send(t, http.MethodPost, "/comparisons", slow).wants(t, http.StatusCreated, ""))
	c.send(t, http.MethodDelete, "/tests/"+begun.B.TestID, nil).wants(t, http.StatusOK, "")
	if failed := c.comparisonEnds(t, begun.ID, time.Minute); failed.Status != "failed" || failed.Failure == nil || failed.Failure.Code != "test_cancelled" || failed.Result != nil {
		t.Errorf("with a cancelled test: %+v", failed)
	}
	c.send(t, http.MethodPost, "/comparisons", byID(a.ID, begun.B.TestID)).wants(t, http.StatusConflict, "wrong_state")
	// Nor of one whose sessions could not be carried out.
	slow["task"] = "fail"
	if failed := c.compared(t, slow, time.Minute); failed.Status != "failed" || failed.Failure == nil || failed.Failure.Code != "test_failed" {
		t.Errorf("with a failed test: %+v", failed)
	}

	task := signUp(1)
	task["task"] = "Find the opening hours"
	hours := c.create(t, task)
	variants := func(more map[string]any) map[string]any {
		all := map[string]any{"a": map[string]any{"url": "https://a.example/"}, "b": map[string]any{"url": "https://b.example/"}, "task": "Sign up"}
		for k, v := range more {
			all[k] = v
		}
		return all
	}
	for name, wrong := range map[string]struct {
		body    map[string]any
		pointer string
	}{
		"different tasks":         {byID(a.ID, hours.ID), "/b"},
		"the same test":           {byID(a.ID, a.ID), "/b"},
		"an unknown test":         {byID(a.ID, "test_01kkns5tqvfvvrmhh3e16bpvp6"), "/b/test_id"},
		"settings for old tests":  {map[string]any{"a": byID(a.ID, b.ID)["a"], "b": byID(a.ID, b.ID)["b"], "sessions": 5}, "/sessions"},
		"no task":                 {map[string]any{"a": map[string]any{"url": "https://a.example/"}, "b": map[string]any{"url": "https://b.example/"}}, "/task"},
		"a side with both":        {map[string]any{"a": map[string]any{"url": "https://a.example/", "test_id": a.ID}, "b": map[string]any{"test_id": b.ID}}, "/a"},
		"no side":                 {map[string]any{"a": map[string]any{"url": "https://a.example/"}, "task": "Sign up"}, "/b"},
		"too many sessions":       {variants(map[string]any{"sessions": 10001}), "/sessions"},
		"a model that is not":     {variants(map[string]any{"model": "openai/none"}), "/model"},
		"an own task beside":      {map[string]any{"a": map[string]any{"test_id": a.ID}, "b": map[string]any{"url": "https://b.example/"}, "task": "Sign up"}, "/task"},
		"a criterion not scored":  {map[string]any{"a": byID(a.ID, b.ID)["a"], "b": byID(a.ID, b.ID)["b"], "criteria": []string{"trust"}}, "/criteria/0"},
		"an address of a variant": {map[string]any{"a": map[string]any{"url": "ftp://a.example/"}, "b": map[string]any{"url": "https://b.example/"}, "task": "Sign up"}, "/a/url"},
	} {
		p := c.send(t, http.MethodPost, "/comparisons", wrong.body).wants(t, http.StatusUnprocessableEntity, "").problem(t)
		if len(p.Errors) == 0 || p.Errors[0].Pointer != wrong.pointer {
			t.Errorf("%s: %+v, want a fault at %s", name, p, wrong.pointer)
		}
	}
	live := running(t).live()
	live.send(t, http.MethodGet, "/comparisons/"+got.ID, nil).wants(t, http.StatusNotFound, "not_found")
	live.send(t, http.MethodPost, "/comparisons", byID(a.ID, b.ID)).wants(t, http.StatusUnprocessableEntity, "validation_failed")
}

func TestAnIdempotencyKeyMakesOneComparison(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	body := map[string]any{"a": map[string]any{"url": "https://a.example/"}, "b": map[string]any{"url": "https://b.example/"}, "task": "Sign up", "sessions": 2}
	key := fmt.Sprint("comparison-", time.Now().UnixNano())
	first := read[comparisonResource](t, c.send(t, http.MethodPost, "/comparisons", body, "Idempotency-Key", key).wants(t, http.StatusCreated, ""))
	again := c.send(t, http.MethodPost, "/comparisons", body, "Idempotency-Key", key).wants(t, http.StatusCreated, "")
	if second := read[comparisonResource](t, again); second.ID != first.ID || second.A != first.A || second.B != first.B || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%+v, then %+v", first, second)
	}
}

func TestAKilledServiceGoesOnWithItsComparison(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	begun := read[comparisonResource](t, c.send(t, http.MethodPost, "/comparisons", map[string]any{
		"a": map[string]any{"url": "https://a.example/"}, "b": map[string]any{"url": "https://b.example/"}, "task": "slow", "sessions": 12,
	}).wants(t, http.StatusCreated, ""))
	follow(t, c.test(t, begun.A.TestID).StreamURL, 0).take(t, time.Minute, func(m []message) bool { return kinds(m)["session.started"] > 0 })
	s.Restarted(t)
	ended := c.comparisonEnds(t, begun.ID, 2*time.Minute)
	if ended.Status != "completed" || ended.Result.Pairs != 12 || ended.A != begun.A || ended.B != begun.B {
		t.Errorf("after the kill: %+v", ended)
	}
}
