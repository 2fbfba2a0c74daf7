package httpapi_test

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/projections/comparisons"
)

// aComparison stores a comparison of two tests, the first of which has a report,
// and answers with its page's address.
func (s *served) aComparison(t *testing.T, status string, result *comparison.Result) (id, address string) {
	t.Helper()
	_, before, _ := s.aReport(t)
	doc := comparisons.Document{
		ID: newID("cmp"), Status: status, Task: "Find the prices", Criteria: []string{"task_completion"}, Environment: "live", CreatedAt: domain.At(noon), Result: result,
		A: comparison.Side{TestID: before, URL: "https://example.com/"}, B: comparison.Side{TestID: s.aTest(), URL: "https://preview.example.com/"},
	}
	stored, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	s.compared.put(s.keys["all"], doc.ID, 2, string(stored))
	g := s.send("GET", "/comparisons/"+doc.ID, "all", "").wants(t, 200, "")
	address, _ = g.object(t)["comparison_url"].(string)
	if again := s.send("GET", "/comparisons/"+doc.ID, "all", "", "If-None-Match", g.Header.Get("ETag")); again.StatusCode != 304 {
		t.Errorf("the same again is %d", again.StatusCode)
	}
	return doc.ID, address
}

// aResult is B better than A by 30 points, and what goes with it.
func aResult() *comparison.Result {
	low, high, winner := 0.12, 0.475, "b"
	of := func(v float64) comparison.Mean { return comparison.Mean{Mean: v, Low: v - 0.1, High: v + 0.1, N: 6} }
	difference := comparison.Effect{Estimate: 0.3, Low: &low, High: &high}
	found := func(n int) *comparison.Found { return &comparison.Found{Rank: 1, Severity: 3, Affected: n, Total: 6} }
	return &comparison.Result{
		Design: comparison.Paired, Pairs: 6, Sessions: comparison.SidePair{A: 6, B: 6}, Winner: &winner, Decision: "B is better: overall +30.0 points (p = 0.031).",
		Criteria: comparison.Criteria{
			"overall":         {A: of(0.5), B: of(0.8), Difference: difference, PValue: 0.03, PAdjusted: 0.03, Verdict: comparison.BBetter, Strength: comparison.Significant},
			"task_completion": {A: of(0.5), B: of(0.5), Difference: comparison.Effect{}, PValue: 1, PAdjusted: 1, Verdict: comparison.NoEvidence, Strength: comparison.None},
		},
		Success: comparison.Success{A: comparison.Share{Total: 6}, B: comparison.Share{Succeeded: 6, Total: 6}, Difference: comparison.Effect{Estimate: 1, Low: &low, High: &high}},
		Issues: comparison.Changes{
			Fixed:     []comparison.Change{{Title: "A dead <b>button</b>", Page: "/signup", A: found(6)}},
			New:       []comparison.Change{{Title: "A slow page", Page: "start", B: found(2)}},
			Unchanged: []comparison.Change{{Title: "A pale link", Page: "/docs", A: found(1), B: found(3)}}, NotReached: []comparison.Change{},
		},
		Paths: comparison.Paths{
			A:       []comparison.Path{{Pages: []string{"start", "/docs"}, Sessions: 6}},
			B:       []comparison.Path{{Pages: []string{"start", "/welcome"}, Sessions: 4, Succeeded: 4}},
			Diverge: []comparison.Fork{{At: "start", NextA: "/docs", NextB: "/welcome", Pairs: 4, OnlyB: 4}},
		},
		Notes: []string{"There are few sessions."}, Methods: []string{"sign-flip permutation test"}, Transfer: "none yet", WithoutEvidence: []string{},
	}
}

func TestAComparisonsPageTellsWhoWon(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, address := s.aComparison(t, comparisons.Completed, aResult())
	g := s.look(address).wants(t, 200, "")
	said := html.UnescapeString(plainText(g.body))
	for _, want := range []string{
		"B is better: overall, B is at +30 points against A (95 % interval +12 to +48).", "The report of A", "no report yet", "A none of 6", "B all 6", "1 fixed, 1 new", "6 pairs",
		"+30 points (+12 to +48) B is better", "no difference shown", "A dead <b>button</b> on /signup A: met by all 6; B: not found", "A: not found; B: met by 2 of 6", "A: met by 1 of 6; B: met by 3 of 6",
		"6 took it and did not reach the goal start → /docs", "4 took it and reached the goal start → /welcome", "After start , 4 pairs: with A to /docs , with B to /welcome ; 4 reached the goal with B only.",
		"There are few sessions.", "sign-flip permutation test",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %s", want, said)
		}
	}
	// From −100 to +100 points on 100 units.
	if !strings.Contains(string(g.body), `x="56" y="3" width="17.75"`) || !strings.Contains(html.UnescapeString(string(g.body)), `aria-label="B less A is +30 points, 95 % interval +12 to +48"`) {
		t.Error("the interval of overall is not drawn")
	}
	to := regexp.MustCompile(`href="([^"]*/reports/[^"]*)"`).FindSubmatch(g.body)
	if to == nil || strings.Contains(string(g.body), "<script") {
		t.Fatalf("no way to the report, or a script: %s", g.body)
	}
	s.look(html.UnescapeString(string(to[1]))).wants(t, 200, "")
	for _, want := range []string{`href="/assets/comparison.css"`, `<time datetime="2026-11-21T12:00:00Z">21 November 2026, 12:00 UTC</time>`} {
		if !strings.Contains(string(g.body), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestOnlyAComparisonThatGoesOnIsAskedForAnew: one that came to nothing is not.
func TestOnlyAComparisonThatGoesOnIsAskedForAnew(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for status, goes := range map[string]bool{comparisons.Running: true, comparisons.Failed: false} {
		_, address := s.aComparison(t, status, nil)
		page := string(s.look(address).wants(t, 200, "").body)
		if strings.Contains(page, "data-going") != goes || strings.Contains(page, `src="/assets/going.js"`) != goes {
			t.Errorf("%s: %s", status, page)
		}
	}
}

func TestAComparisonWithoutAWinnerSaysSo(t *testing.T) {
	t.Parallel()
	s := newService(t)
	low, high := -0.05, 0.11
	alike := aResult()
	alike.Winner = nil
	score := alike.Criteria["overall"]
	score.Difference, score.Verdict, score.Strength = comparison.Effect{Estimate: 0.03, Low: &low, High: &high}, comparison.NoEvidence, comparison.None
	alike.Criteria["overall"] = score
	for want, result := range map[string]*comparison.Result{
		"There is no winner: overall, B is at +3 points against A (95 % interval −5 to +11).": alike,
		"the tests are still going on": nil,
	} {
		_, address := s.aComparison(t, comparisons.Completed, result)
		if said := plainText(s.look(address).wants(t, 200, "").body); !strings.Contains(said, want) {
			t.Errorf("%q is not in %s", want, said)
		}
	}
}

func TestComparisonPagesOpenForWhoMayRead(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, address := s.aComparison(t, comparisons.Completed, aResult())
	open := func(key string) got {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/comparisons/"+id, nil)
		r.Header.Set("Authorization", "Bearer "+key)
		return s.serve(r)
	}
	open("all").wants(t, 200, "")
	open("read").wants(t, 403, "forbidden")
	open("other").wants(t, 404, "not_found")
	for name, refused := range map[string]string{
		"another comparison": strings.Replace(address, id, newID("cmp"), 1),
		"a report's token":   strings.Replace(s.links.ReportURL("org_a", domain.Live, id, noon), "/reports/", "/comparisons/", 1),
		"a later expiry":     strings.Replace(address, "expires=1", "expires=2", 1),
	} {
		if g := s.look(refused); g.StatusCode != 403 || strings.Contains(string(g.body), "is better") || !strings.HasPrefix(g.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s", name, g.StatusCode, g.body)
		}
	}
}
