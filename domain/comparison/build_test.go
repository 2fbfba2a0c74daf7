package comparison_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/domain/findings"
	"understudy/domain/scoring"
)

const task = "Buy a mug"

// testOf has a session for each of the completion scores; below half it failed.
func testOf(id string, scores ...float64) comparison.Test {
	t := comparison.Test{ID: id, URL: "https://" + id + ".example/shop/", Task: task, Model: "forager-1", MaxSteps: 25, Criteria: []string{scoring.TaskCompletion, scoring.Efficiency}}
	for i, v := range scores {
		outcome, won := "gave_up", v >= 0.5
		if won {
			outcome = "succeeded"
		}
		start := id + ".example/shop"
		t.Sessions = append(t.Sessions, comparison.Session{
			ID: fmt.Sprintf("%s-%d", id, i), Index: i, Who: fmt.Sprint("person ", i), Usable: true, Succeeded: won, Seconds: 60,
			Scores: map[string]float64{scoring.TaskCompletion: v, scoring.Efficiency: v},
			Findings: findings.Session{
				SessionID: fmt.Sprintf("%s-%d", id, i), Succeeded: won, Outcome: outcome, SimulatedMS: 60000,
				Templates: []string{start}, Visits: []string{start + "|Shop"},
			},
		})
	}
	return t
}

func spread(from, to float64, n int) (out []float64) {
	for i := range n {
		out = append(out, from+(to-from)*float64(i)/float64(n-1))
	}
	return out
}

func build(t testing.TB, a, b comparison.Test) comparison.Result {
	t.Helper()
	r, err := comparison.Build(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestABetterDesignWins(t *testing.T) {
	t.Parallel()
	a, b := testOf("a", spread(0.3, 0.7, 20)...), testOf("b", spread(0.5, 0.95, 20)...)
	r := build(t, a, b)
	o := r.Criteria["overall"]
	if r.Design != comparison.Paired || r.Pairs != 20 || r.Winner == nil || *r.Winner != "b" || o.Verdict != comparison.BBetter ||
		o.Strength != comparison.Significant || o.PValue >= 0.001 || *o.Difference.Low <= 0 || o.ProbabilityBBetter < 0.99 {
		t.Errorf("%+v\n%+v", r, o)
	}
	for name, s := range r.Criteria {
		if s.PAdjusted < o.PValue {
			t.Errorf("%s: adjusted p %v below the primary's %v", name, s.PAdjusted, o.PValue)
		}
	}
	if r.Success.A.Succeeded != 10 || r.Success.B.Succeeded != 20 || r.Time.N != 10 || r.Time.Censored != 10 {
		t.Errorf("success %+v, time %+v", r.Success, r.Time)
	}
}

func TestTheSameTwiceIsNoDifference(t *testing.T) {
	t.Parallel()
	r := build(t, testOf("a", spread(0.3, 0.9, 12)...), testOf("b", spread(0.3, 0.9, 12)...))
	if o := r.Criteria["overall"]; r.Winner != nil || o.PValue != 1 || o.Difference.Estimate != 0 || o.Verdict != comparison.NoEvidence || o.Strength != comparison.None {
		t.Errorf("winner %v, %+v", r.Winner, o)
	}
}

// TestWhoIsComparedHow: the same people make pairs; others, other screens or
// seeds do not; sessions that were not carried through fall out with their partner.
func TestWhoIsComparedHow(t *testing.T) {
	t.Parallel()
	b := testOf("b", spread(0.5, 0.9, 8)...)
	b.Sessions[3].Who = "somebody else"
	if r := build(t, testOf("a", spread(0.4, 0.8, 8)...), b); r.Design != comparison.Unpaired || r.Pairs != 0 || len(r.Paths.Diverge) != 0 {
		t.Errorf("another person: %s, %d pairs", r.Design, r.Pairs)
	}
	b = testOf("b", spread(0.5, 0.9, 8)...)
	b.Sessions[3].Usable = false
	r := build(t, testOf("a", spread(0.4, 0.8, 8)...), b)
	if r.Design != comparison.Paired || r.Pairs != 7 || r.Criteria["overall"].A.N != 7 || r.Sessions.A != 8 || r.Sessions.B != 7 {
		t.Errorf("a session failed: %s, %d pairs of %+v", r.Design, r.Pairs, r.Sessions)
	}
}

// TestPeopleOfTwoModelsAreNoPairs: the same persona with the same seed is somebody
// else in another model.
func TestPeopleOfTwoModelsAreNoPairs(t *testing.T) {
	t.Parallel()
	a, b := testOf("a", spread(0.4, 0.8, 8)...), testOf("b", spread(0.4, 0.8, 8)...)
	a.Model, b.Model = "forager-1", "forager-2"
	r := build(t, a, b)
	if r.Design != comparison.Unpaired || r.Pairs != 0 || len(r.Paths.Diverge) != 0 {
		t.Errorf("%s, %d pairs", r.Design, r.Pairs)
	}
	if !slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, "different models, forager-1 and forager-2") }) {
		t.Errorf("nothing is said of the models: %q", r.Notes)
	}
}

// TestOnePersonIsNoLeaning: when one of twenty walks differently, however far
// apart, nothing leans to either side; when most gain a little, all leans to it,
// and the gain is told to be small.
func TestOnePersonIsNoLeaning(t *testing.T) {
	t.Parallel()
	scores := spread(0.3, 0.7, 20)
	b := slices.Clone(scores)
	b[4] = 1
	if o := build(t, testOf("a", scores...), testOf("b", b...)).Criteria["overall"]; o.Strength != comparison.None || o.Verdict != comparison.NoEvidence || o.PValue != 1 {
		t.Errorf("one of twenty: %+v", o)
	}
	small := func(r comparison.Result) bool {
		return slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, "smaller than 0.05") })
	}
	for i := range b {
		b[i] = scores[i] + 0.01
	}
	r := build(t, testOf("a", scores...), testOf("b", b...))
	if r.Winner == nil || !small(r) {
		t.Errorf("everybody gains .01: winner %v, notes %q", r.Winner, r.Notes)
	}
	for i := range b {
		b[i] = scores[i] + 0.1
	}
	if r := build(t, testOf("a", scores...), testOf("b", b...)); r.Winner == nil || small(r) {
		t.Errorf("everybody gains .1: winner %v, notes %q", r.Winner, r.Notes)
	}
	for i := range b[:5] { // the other five gain
		b[i] = scores[i]
	}
	copy(b[10:], scores[10:])
	if o := build(t, testOf("a", scores...), testOf("b", b...)).Criteria["overall"]; o.Strength != comparison.Leaning || o.Verdict != comparison.BBetter {
		t.Errorf("five of twenty gain: %+v", o)
	}
}

// TestFewSessionsAreWarnedOf: intervals that may cover too little say so, with
// pairs and with different people.
func TestFewSessionsAreWarnedOf(t *testing.T) {
	t.Parallel()
	warned := func(n int, who string) bool {
		b := testOf("b", spread(0.5, 0.9, n)...)
		b.Sessions[0].Who += who
		r := build(t, testOf("a", spread(0.4, 0.8, n)...), b)
		return slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, "large losses") })
	}
	for _, who := range []string{"", " somebody else"} {
		if !warned(20, who) || !warned(60, who) || warned(100, who) {
			t.Errorf("%q: warned of 20 %v, 60 %v, 100 %v sessions", who, warned(20, who), warned(60, who), warned(100, who))
		}
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	t.Parallel()
	good := func() comparison.Test { return testOf("b", 0.5, 0.6) }
	for name, spoil := range map[string]func(*comparison.Test){
		"the same test":         func(b *comparison.Test) { b.ID = "a" },
		"another task":          func(b *comparison.Test) { b.Task = "Find the opening hours" },
		"other budgets":         func(b *comparison.Test) { b.MaxSteps = 5 },
		"no common criterion":   func(b *comparison.Test) { b.Criteria = []string{scoring.Trust} },
		"nobody carried it out": func(b *comparison.Test) { b.Sessions = nil },
	} {
		b := good()
		spoil(&b)
		_, err := comparison.Build(testOf("a", 0.5, 0.6), b)
		var refused *domain.Error
		if !errors.As(err, &refused) || refused.Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := good()
	b.Task = "  buy a  MUG "
	if _, err := comparison.Build(testOf("a", 0.5, 0.6), b); err != nil {
		t.Errorf("the same task in other spelling: %v", err)
	}
}

// TestEfficiencyGoesByOneClock: a person's shortest known way counts for both
// designs, not each design's own.
func TestEfficiencyGoesByOneClock(t *testing.T) {
	t.Parallel()
	a, b := testOf("a", 1, 1), testOf("b", 1, 1)
	for i := range 2 {
		a.Sessions[i].Seconds, a.Sessions[i].Scores[scoring.Efficiency] = 100, 1 // straight, but long
		b.Sessions[i].Seconds, b.Sessions[i].Scores[scoring.Efficiency] = 40, 0.5
	}
	r := build(t, a, b)
	if e := r.Criteria[scoring.Efficiency]; math.Abs(e.A.Mean-0.2) > 1e-9 || math.Abs(e.B.Mean-0.5) > 1e-9 {
		t.Errorf("efficiency %v and %v, want 0.2 and 0.5", e.A.Mean, e.B.Mean)
	}
}

// TestExchangingTheSidesMirrorsTheResult, whatever the scores are, and every
// result can be written as JSON.
func TestExchangingTheSidesMirrorsTheResult(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 14).Draw(t, "sessions")
		score := rapid.SampledFrom([]float64{0, 0.1, 0.4, 0.5, 0.75, 1})
		x, y := rapid.SliceOfN(score, n, n).Draw(t, "a"), rapid.SliceOfN(score, n, n).Draw(t, "b")
		forth, err := comparison.Build(testOf("a", x...), testOf("b", y...))
		if err != nil {
			t.Fatal(err)
		}
		back, err := comparison.Build(testOf("a", y...), testOf("b", x...))
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range forth.Criteria {
			m := back.Criteria[name]
			if math.Abs(s.Difference.Estimate+m.Difference.Estimate) > 1e-9 || math.Abs(s.PValue-m.PValue) > 1e-9 || s.A != m.B {
				t.Fatalf("%s: %+v and %+v", name, s, m)
			}
			if s.PValue < 0 || s.PAdjusted > 1 || s.PAdjusted < s.PValue {
				t.Fatalf("%s: p %v, adjusted %v", name, s.PValue, s.PAdjusted)
			}
		}
		if _, err := json.Marshal(forth); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWhatChanged(t *testing.T) {
	t.Parallel()
	a, b := testOf("a", spread(0.5, 0.9, 6)...), testOf("b", spread(0.5, 0.9, 6)...)
	add := func(test *comparison.Test, kind, page, selector string) {
		for i := range test.Sessions {
			f := &test.Sessions[i].Findings
			f.Observations = append(f.Observations, findings.Observation{
				Kind: kind, Channel: findings.Observed, Template: test.ID + ".example" + page, Place: test.ID + ".example" + page + "|",
				PageURL: "https://" + test.ID + ".example" + page, Element: &findings.Element{Name: "Go", Selector: selector}, CostMS: 20000,
			})
		}
	}
	visit := func(test *comparison.Test, page string) {
		for i := range test.Sessions {
			f := &test.Sessions[i].Findings
			f.Templates = append(f.Templates, test.ID+".example"+page)
			f.Visits = append(f.Visits, test.ID+".example"+page+"|Page")
		}
	}
	add(&a, findings.LowContrast, "/shop", "#buy") // put right
	add(&a, findings.SmallTarget, "/shop/help", "#close")
	add(&a, findings.FormError, "/shop/pay", "#phone") // stays
	add(&b, findings.FormError, "/shop/pay", "#phone")
	add(&b, findings.Covered, "/shop/pay", "#send") // new
	visit(&a, "/shop/help")
	visit(&a, "/shop/pay")
	visit(&b, "/shop/pay")
	add(&a, findings.UnlabelledField, "/shop/pay", "#a") // one of two is left and impedes nobody
	add(&a, findings.UnlabelledField, "/shop/pay", "#b")
	add(&b, findings.UnlabelledField, "/shop/pay", "#b")
	for i := range b.Sessions {
		o := &b.Sessions[i].Findings.Observations
		(*o)[len(*o)-1].Channel, (*o)[len(*o)-1].CostMS = findings.Static, 0
	}
	r := build(t, a, b)
	got := [][]comparison.Change{r.Issues.Fixed, r.Issues.New, r.Issues.Unchanged, r.Issues.NotReached}
	for i, want := range []struct{ kind, page string }{
		{findings.LowContrast, "start"}, {findings.Covered, "/pay"}, {findings.FormError, "/pay"}, {findings.SmallTarget, "/help"},
	} {
		if len(got[i]) == 0 || got[i][0].Kind != want.kind || got[i][0].Page != want.page {
			t.Errorf("list %d: %+v, want %+v", i, got[i], want)
		}
	}
	if n := len(r.Issues.Fixed) + len(r.Issues.New) + len(r.Issues.Unchanged) + len(r.Issues.NotReached); n != 5 {
		t.Errorf("%d changes of five issues: %+v", n, r.Issues)
	}
	if u := r.Issues.Unchanged[0]; u.A == nil || u.B == nil || u.A.Affected != 6 {
		t.Errorf("unchanged %+v", u)
	}
	if u := r.Issues.Unchanged; len(u) != 2 || u[1].Kind != findings.UnlabelledField || u[1].A.Severity < 2 || u[1].B == nil || u[1].B.Severity != 1 {
		t.Errorf("what is a note with B is not still there: %+v", u)
	}
	if d := r.Paths.Diverge; len(d) != 1 || d[0] != (comparison.Fork{At: "start", NextA: "/help", NextB: "/pay", Pairs: 6}) {
		t.Errorf("paths diverge at %+v", d)
	}
	if p := r.Paths.A; len(p) != 1 || p[0].Sessions != 6 || fmt.Sprint(p[0].Pages) != "[start /help /pay]" {
		t.Errorf("paths of A: %+v", p)
	}
}
