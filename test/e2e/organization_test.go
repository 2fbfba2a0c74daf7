package e2e

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"understudy/test/harness"
)

type organizationResource struct {
	ID, Name, Plan string
	QualityGate    struct {
		Threshold float64
		Criteria  map[string]float64
	} `json:"quality_gate"`
	CreatedAt time.Time `json:"created_at"`
}

func TestTheOrganizationsQualityGate(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	first := c.send(t, http.MethodGet, "/organization", nil).wants(t, http.StatusOK, "")
	if o := read[organizationResource](t, first); o.Plan != "team" || o.QualityGate.Threshold != 0.7 || len(o.QualityGate.Criteria) != 0 || o.CreatedAt.IsZero() {
		t.Fatalf("a fresh organization is %+v", o)
	}
	c.send(t, http.MethodGet, "/organization", nil, "If-None-Match", first.Header.Get("ETag")).wants(t, http.StatusNotModified, "")
	body := signUp(20)
	body["task"] = "slow"
	before := c.create(t, body)

	// The live key changes it, the sandbox key has it at once.
	criteria := map[string]float64{"cta_findability": 1, "task_completion": 0, "trust": 1}
	change := map[string]any{"quality_gate": map[string]any{"threshold": 0.05, "criteria": criteria}}
	changed := s.live().send(t, http.MethodPatch, "/organization", change, "Content-Type", "application/merge-patch+json").wants(t, http.StatusOK, "")
	scored := func(rule map[string]any) harness.Test {
		body := signUp(20)
		body["max_steps"] = 2
		if rule != nil {
			body["quality_gate"] = rule
		}
		return c.create(t, body)
	}
	theirs, own := scored(nil), scored(map[string]any{"threshold": 0.1})
	mixed := scored(map[string]any{"criteria": map[string]float64{"cta_findability": 0.1}})
	variants := read[comparisonResource](t, c.send(t, http.MethodPost, "/comparisons", map[string]any{
		"a": map[string]any{"url": "https://a.example/"}, "b": map[string]any{"url": "https://b.example/"},
		"task": "Sign up for the newsletter", "sessions": 2,
	}).wants(t, http.StatusCreated, ""))
	now := c.send(t, http.MethodGet, "/organization", nil).wants(t, http.StatusOK, "")
	if o := read[organizationResource](t, now); string(now.Body) != string(changed.Body) || o.QualityGate.Threshold != 0.05 || !maps.Equal(o.QualityGate.Criteria, criteria) {
		t.Errorf("after the change %+v", o)
	}
	if tag := now.Header.Get("ETag"); tag == first.Header.Get("ETag") || tag != changed.Header.Get("ETag") {
		t.Errorf("ETag %s, then %s and %s", first.Header.Get("ETag"), changed.Header.Get("ETag"), tag)
	}

	judged := func(what, id string, threshold float64, of map[string]float64) (failed []string) {
		t.Helper()
		done := c.completed(t, id, time.Minute)
		failed = []string{}
		for _, criterion := range []string{"task_completion", "cta_findability", "overall"} {
			least, its := of[criterion]
			if !its {
				least = threshold
			}
			if done.Scores[criterion] < least {
				failed = append(failed, criterion)
			}
		}
		if g := done.QualityGate; g == nil || g.Threshold != threshold || !slices.Equal(g.FailedCriteria, failed) || g.Passed != (len(failed) == 0) {
			t.Errorf("%s: %+v, want the threshold %v and %v failed of %v", what, g, threshold, failed, done.Scores)
		}
		return failed
	}
	// The people of these three find the form and have no time to send it: each rule
	// finds something else.
	a := judged("the organization's rule", theirs.ID, 0.05, criteria)
	b := judged("the test's own threshold", own.ID, 0.1, nil)
	none := judged("the test's own criterion", mixed.ID, 0.05, map[string]float64{"cta_findability": 0.1, "task_completion": 0})
	if slices.Equal(a, b) || slices.Equal(a, none) || slices.Equal(b, none) {
		t.Errorf("the rules cannot be told apart: %v, %v and %v have failed", a, b, none)
	}
	told := get[struct {
		QualityGate struct {
			Margins []struct {
				Criterion string
				Threshold float64
			}
		} `json:"quality_gate"`
	}](t, c, "/tests/"+theirs.ID+"/report").QualityGate.Margins
	demanded := map[string]float64{"task_completion": 0, "cta_findability": 1, "overall": 0.05}
	for _, m := range told {
		if least, ok := demanded[m.Criterion]; !ok || m.Threshold != least {
			t.Errorf("the report holds %s to %v", m.Criterion, m.Threshold)
		}
	}
	if len(told) != len(demanded) {
		t.Errorf("the report tells of %+v", told)
	}
	judged("variant a", variants.A.TestID, 0.05, criteria)
	judged("variant b", variants.B.TestID, 0.05, criteria)
	judged("a test that was there before", before.ID, 0.7, nil)

	for _, step := range []struct {
		patch     any
		threshold float64
		criteria  map[string]float64
	}{
		{map[string]any{"criteria": map[string]any{"trust": nil, "speed": 0.4}}, 0.05, map[string]float64{"cta_findability": 1, "task_completion": 0, "speed": 0.4}},
		{map[string]any{"criteria": nil}, 0.05, map[string]float64{}},
		{map[string]any{"threshold": 0.95}, 0.95, map[string]float64{}},
		{map[string]any{}, 0.95, map[string]float64{}},
		{nil, 0.7, map[string]float64{}},
	} {
		a := c.send(t, http.MethodPatch, "/organization", map[string]any{"quality_gate": step.patch}).wants(t, http.StatusOK, "")
		if g := read[organizationResource](t, a).QualityGate; g.Threshold != step.threshold || !reflect.DeepEqual(g.Criteria, step.criteria) {
			t.Errorf("after %v: %+v", step.patch, g)
		}
	}
	judged("back at the default", scored(nil).ID, 0.7, nil)
	for pointer, wrong := range map[string]map[string]any{
		"/quality_gate/threshold":       {"quality_gate": map[string]any{"threshold": 70}},
		"/quality_gate/criteria/trust":  {"quality_gate": map[string]any{"criteria": map[string]any{"trust": -1}}},
		"/quality_gate/criteria/beauty": {"quality_gate": map[string]any{"criteria": map[string]any{"beauty": 0.5}}},
		"/name":                         {"name": ""},
		"/plan":                         {"plan": "free"},
	} {
		p := c.send(t, http.MethodPatch, "/organization", wrong).wants(t, http.StatusUnprocessableEntity, "validation_failed").problem(t)
		if len(p.Errors) != 1 || p.Errors[0].Pointer != pointer || p.Errors[0].Message == "" {
			t.Errorf("want one error at %s, got %+v", pointer, p.Errors)
		}
	}
	// What it is called from then on is what its deletion asks for.
	renamed := c.send(t, http.MethodPatch, "/organization", map[string]any{"name": "Ours"}).wants(t, http.StatusOK, "")
	if o := get[organizationResource](t, c, "/organization"); o.Name != "Ours" || read[organizationResource](t, renamed).Name != "Ours" || o.QualityGate.Threshold != 0.7 {
		t.Errorf("after it was renamed: %+v", o)
	}
}
