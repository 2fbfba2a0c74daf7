package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/gate"
	"understudy/domain/report"
	"understudy/domain/walk"
)

// ordinary is somebody in the middle of everything.
var ordinary = report.Traits{
	AgeBand: "35-44", Motivation: "task_focused", InformationProcessing: "selective", SelfEfficacy: "medium", RiskAttitude: "neutral",
	LearningStyle: "process", DomainKnowledge: "medium", LanguageLevel: "native", ReadingWPM: 238, TypingWPM: 60, Patience: 1, MotorPrecision: 1, ContrastFactor: 1, Zoom: 1,
}

// walked makes a session that went through pages in order.
func walked(id string, succeeded bool, seconds, score float64, pages ...string) report.Session {
	s := report.Session{
		ID: id, Persona: "Somebody " + id, Outcome: walk.GaveUp, Viewport: "desktop", SimulatedSeconds: seconds,
		Traits: ordinary, Scores: map[string]float64{"task_completion": score},
		Findings: findings.Session{SessionID: id, Succeeded: succeeded, Outcome: walk.GaveUp},
	}
	if succeeded {
		s.Outcome, s.Findings.Outcome = walk.Succeeded, walk.Succeeded
	}
	for i, p := range pages {
		s.Findings.Visits = append(s.Findings.Visits, "shop.example/"+p+"|"+p)
		s.Steps = append(s.Steps, report.Step{Index: i, Thought: fmt.Sprintf("%s looks at %s.", id, p), Frustration: float64(i) / 10})
	}
	return s
}

func build(t testing.TB, in report.Input) report.Document {
	t.Helper()
	if in.Criteria == nil {
		in.Criteria = []string{"task_completion"}
	}
	if in.Gate.Threshold == 0 {
		in.Gate.Threshold = gate.DefaultThreshold
	}
	in.Total = len(in.Sessions) + in.Failed
	return report.Build(in).Document
}

// five walks: three ways to the end, one of them with a detour, and two that
// ended on the way.
func five() []report.Session {
	return []report.Session{
		walked("a", true, 10, 1, "home", "plans", "done"),
		walked("b", true, 20, 1, "home", "plans", "done"),
		walked("c", true, 60, 0.8, "home", "blog", "home", "plans", "done"),
		walked("d", false, 90, 0.2, "home", "plans"),
		walked("e", false, 40, 0, "home", "blog"),
	}
}

func TestFunnelPathsTimeAndLostness(t *testing.T) {
	t.Parallel()
	d := build(t, report.Input{Sessions: five()})
	f := d.Funnel
	if f.Basis != report.SuccessfulWay || f.Sessions != 5 || f.EndedElsewhere != 1 || len(f.Pages) != 3 {
		t.Fatalf("funnel %+v", f)
	}
	for i, want := range []struct {
		heading        string
		reached, ended int
	}{{"home", 5, 0}, {"plans", 4, 1}, {"done", 3, 0}} {
		if p := f.Pages[i]; p.Heading != want.heading || p.Reached != want.reached || p.Ended != want.ended || p.Share != float64(want.reached)/5 {
			t.Errorf("page %d of the funnel is %+v, want %+v", i, p, want)
		}
	}
	if d.Paths.Distinct != 4 || d.Paths.Common[0].Sessions != 2 || d.Paths.Common[0].Succeeded != 2 || d.Paths.Common[0].Length != 3 {
		t.Errorf("paths %+v", d.Paths)
	}
	if d.Time.All.Median != 40 || d.Time.Succeeded.Median != 20 || d.Time.NotSucceeded.Median != 65 || d.Time.Succeeded.N != 3 {
		t.Errorf("times %+v %+v %+v", d.Time.All, d.Time.Succeeded, d.Time.NotSucceeded)
	}
	// R is 3. c has N = 4 of S = 5: L = √((4/5 − 1)² + (3/4 − 1)²) = 0.32.
	if l := d.Lostness; *l.FewestPages != 3 || math.Abs(l.L.Max-0.3202) > 5e-5 || l.Fine != 5 || l.Lost != 0 {
		t.Errorf("lostness %+v of %+v", l, l.L)
	}
}

func TestWithoutSuccess(t *testing.T) {
	t.Parallel()
	d := build(t, report.Input{Sessions: five()[3:]})
	if d.Funnel.Basis != report.FirstVisits || d.Funnel.Pages[0].Heading != "home" || d.Funnel.EndedElsewhere != 0 {
		t.Errorf("funnel %+v", d.Funnel)
	}
	if d.Lostness.FewestPages != nil || d.Lostness.L != nil || d.Time.Succeeded != nil {
		t.Errorf("what nobody has shown is told: %+v, %+v", d.Lostness, d.Time)
	}
	for _, p := range d.Positives {
		if p.Kind == report.PositiveSuccess || p.Kind == report.PositiveStraight {
			t.Errorf("two failures show %+v", p)
		}
	}
}

func TestWhoStruggles(t *testing.T) {
	t.Parallel()
	var sessions []report.Session
	for i := range 40 {
		s := walked(fmt.Sprint(i), i%2 == 0, 10, float64(1-i%2), "home")
		if i%2 == 1 {
			s.Traits.SelfEfficacy = "low" // everybody who fails
		}
		s.Traits.AgeBand = []string{"18-24", "75+"}[i/2%2]
		sessions = append(sessions, s)
	}
	d := build(t, report.Input{Sessions: sessions})
	if len(d.Facets) != 2 || d.Facets[0].Facet != "self_efficacy" || !d.Facets[0].Clear || d.Facets[0].Explained != 1 {
		t.Fatalf("facets %+v", d.Facets)
	}
	low := d.Facets[0].Groups[0]
	if low.Value != "low" || low.Sessions != 20 || low.Succeeded != 0 || low.High > 0.17 || !strings.Contains(d.Facets[0].Note, "“low”") {
		t.Errorf("%+v: %s", low, d.Facets[0].Note)
	}
	if age := d.Facets[1]; age.Clear || age.Explained != 0 || age.Groups[0].Value != "18-24" {
		t.Errorf("an even facet: %+v", age)
	}
	if few := build(t, report.Input{Sessions: sessions[:6]}).Facets[0]; !strings.Contains(few.Note, "small") {
		t.Errorf("six people: %s", few.Note)
	}
}

func TestHowNearTheLine(t *testing.T) {
	t.Parallel()
	in := report.Input{Sessions: five(), Gate: gate.Config{Threshold: 0.5, Criteria: map[string]float64{"task_completion": 0.9}}}
	d := build(t, in)
	m := d.QualityGate.Margins
	if len(m) != 2 || m[0].Criterion != "task_completion" || m[0].Passed || m[0].Threshold != 0.9 || m[0].By != -0.3 || m[0].Clear {
		t.Errorf("margins %+v", m)
	}
	if m[1].Criterion != gate.Overall || !m[1].Passed || m[1].By != 0.1 || m[1].Clear {
		t.Errorf("overall %+v", m[1])
	}
	for i := range in.Sessions {
		in.Sessions[i].Scores["task_completion"] = 0.6 + float64(i)/1000
	}
	if m := build(t, in).QualityGate.Margins; !m[0].Clear || !m[1].Clear {
		t.Errorf("five who agree leave %+v in doubt", m)
	}
}

func TestWhatWorked(t *testing.T) {
	t.Parallel()
	sessions := five()[:3]
	for i := range sessions {
		f := &sessions[i].Findings
		f.Way = []findings.Passage{{Place: "shop.example/home|home", Name: "Plans", Selector: "#plans"}, {Place: "shop.example/plans|plans", Name: "Buy", Selector: "#buy", LostMS: 9000 * i}}
		f.Observations = []findings.Observation{{Kind: findings.FormError, Channel: findings.Observed, Step: 1, Resolved: true}}
	}
	sessions[2].Traits.KeyboardOnly = true
	kinds := func(d report.Document) (out []string) {
		for _, p := range d.Positives {
			out = append(out, p.Kind)
			if p.Sessions != p.Total || p.Text == "" {
				t.Errorf("%+v", p)
			}
		}
		return out
	}
	d := build(t, report.Input{Sessions: sessions})
	want := []string{report.PositiveSuccess, report.PositiveAtOnce, report.PositiveRecovery, report.PositiveNoPointer, report.PositiveStraight, report.PositiveNoFaults}
	if got := kinds(d); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if text := d.Positives[1].Text; !strings.Contains(text, "“Plans”") {
		t.Errorf("found at once: %s", text)
	}
	sessions[0].Findings.Observations[0].Resolved = false
	sessions[1].Findings.Observations = append(sessions[1].Findings.Observations, findings.Observation{Kind: findings.DeadClick, Channel: findings.Observed,
		Element: &findings.Element{Selector: "#plans"}, Template: "shop.example/home", Deterministic: true})
	if got := kinds(build(t, report.Input{Sessions: sessions})); slices.Contains(got, report.PositiveRecovery) || slices.Contains(got, report.PositiveNoFaults) || slices.Contains(got, report.PositiveAtOnce) {
		t.Errorf("what did not work is praised: %v", got)
	}
}

// TestDetoursAndSlowPagesAreNotPraised: what led back from a detour is no merit, and where a
// page was slow, pages were not quick.
func TestDetoursAndSlowPagesAreNotPraised(t *testing.T) {
	t.Parallel()
	sessions := []report.Session{}
	for _, id := range []string{"a", "b", "c"} {
		s := walked(id, true, 10, 1, "home", "blog", "home", "plans", "done")
		s.Findings.Way = []findings.Passage{{Place: "shop.example/blog|blog", Name: "Home", Selector: "#home"}}
		s.Scores["speed"] = 1
		sessions = append(sessions, s)
	}
	praised := func() (kinds []string) {
		for _, p := range build(t, report.Input{Sessions: sessions}).Positives {
			kinds = append(kinds, p.Kind)
		}
		return kinds
	}
	if got := praised(); slices.Contains(got, report.PositiveAtOnce) || !slices.Contains(got, report.PositiveFast) {
		t.Errorf("praised %v", got)
	}
	sessions[1].Findings.Observations = []findings.Observation{{Kind: findings.SlowPage, Channel: findings.Observed}}
	if got := praised(); slices.Contains(got, report.PositiveFast) {
		t.Errorf("one waited: %v", got)
	}
}

// TestLimitsAreNamed: where a script of another site did not come, the report
// says which, and does not say that every control worked; nor where one did not.
func TestLimitsAreNamed(t *testing.T) {
	t.Parallel()
	sessions := five()
	quiet := build(t, report.Input{Sessions: sessions}).Confidence.Explanation
	sessions[0].Findings.Observations = []findings.Observation{{Kind: findings.LimitScript, Channel: findings.Limit, Detail: "cdn.example"}}
	d := build(t, report.Input{Sessions: sessions})
	if !strings.Contains(d.Confidence.Explanation, "cdn.example (1 session)") || strings.Contains(quiet, "cdn.example") {
		t.Errorf("%q; without it %q", d.Confidence.Explanation, quiet)
	}
	sessions[0].Findings.Observations = []findings.Observation{{Kind: findings.DisabledControl, Channel: findings.Observed}}
	for _, p := range slices.Concat(d.Positives, build(t, report.Input{Sessions: sessions}).Positives) {
		if p.Kind == report.PositiveNoFaults {
			t.Errorf("praised: %s", p.Text)
		}
	}
}

// TestEndsThatLieWithTheSimulation: a report says how many walks ended where nobody can
// be simulated, and why, a walk with two reasons once.
func TestEndsThatLieWithTheSimulation(t *testing.T) {
	t.Parallel()
	sessions := five()
	for i := range 3 {
		f := &sessions[i].Findings
		f.Succeeded, f.Outcome = false, walk.Blocked
		f.Observations = []findings.Observation{{Kind: findings.LimitPage, Channel: findings.Limit, Detail: "canvas: Board"}}
	}
	sessions[0].Findings.Observations = append(sessions[0].Findings.Observations, findings.Observation{Kind: findings.LimitUnsure, Channel: findings.Limit})
	d := build(t, report.Input{Sessions: sessions})
	for _, want := range []string{"3 of 5 walks ended for reasons that lie with the simulation", "canvas: Board (3 sessions)"} {
		if !strings.Contains(d.Confidence.Explanation, want) {
			t.Errorf("%q does not say %q", d.Confidence.Explanation, want)
		}
	}
	if d.Confidence.Level != "low" || len(d.Confidence.Limits) != 2 {
		t.Errorf("%+v", d.Confidence)
	}
}

func TestWhatWasNotTested(t *testing.T) {
	t.Parallel()
	d := build(t, report.Input{Sessions: five(), Failed: 1, Environment: domain.Sandbox, Locale: "de-DE"})
	var all []string
	for _, u := range d.NotTested {
		all = append(all, u.Kind+": "+u.Text)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{"sandbox: ", "1 session would", "tablet and mobile", "trust", "screen reader", "de-DE", "the 4"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing is said of %q in\n%s", want, text)
		}
	}
	s := walked("s", true, 1, 1, "home")
	s.Viewport, s.Traits.ScreenReader, s.Traits.KeyboardOnly = "mobile", true, true
	for _, u := range build(t, report.Input{Sessions: []report.Session{s}}).NotTested {
		if u.Kind == "sandbox" || strings.Contains(u.Text, "screen reader") || u.Kind == "viewport" && strings.Contains(u.Text, "mobile") {
			t.Errorf("tested, and yet: %s", u.Text)
		}
	}
}

func TestHighlightsAreContrastsAndNotRepeated(t *testing.T) {
	t.Parallel()
	var moments []string
	for _, h := range build(t, report.Input{Sessions: five()}).Highlights {
		moments = append(moments, h.Moment+" "+h.Tone+" "+h.SessionID)
	}
	if want := []string{"worst negative d", "worst negative e", "best positive a", "best positive b"}; !slices.Equal(moments, want) {
		t.Errorf("%q, want %q", moments, want)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var sessions []report.Session
		for i := range rapid.IntRange(0, 12).Draw(rt, "sessions") {
			s := walked(fmt.Sprint(i), rapid.Bool().Draw(rt, "won"), rapid.Float64Range(1, 100).Draw(rt, "seconds"), 0.5, "home", "plans", "done")
			for j := range s.Steps {
				s.Steps[j].Thought = rapid.SampledFrom([]string{"", "I look on.", "Nothing yet after 3 screens.", "Nothing yet  after 12 screens.", "Done!", "I give up."}).Draw(rt, "thought")
				s.Steps[j].Frustration = rapid.Float64Range(0, 1).Draw(rt, "frustration")
			}
			s.Findings.Way = []findings.Passage{{Step: 1, LostMS: rapid.IntRange(0, 60000).Draw(rt, "lost")}}
			sessions = append(sessions, s)
		}
		d := build(t, report.Input{Sessions: sessions})
		said, used := map[string]bool{}, map[string]bool{}
		for _, h := range d.Highlights {
			quote := strings.Join(strings.Fields(strings.NewReplacer("12", "3").Replace(h.Quote)), " ")
			if quote == "" || said[quote] || used[h.SessionID] && len(sessions) >= 4 || h.Why == "" {
				rt.Fatalf("%+v among %+v", h, d.Highlights)
			}
			said[quote], used[h.SessionID] = true, true
		}
		if len(d.Highlights) > 6 {
			rt.Fatalf("%d highlights", len(d.Highlights))
		}
	})
}

// TestWhatPeopleThoughtOfTheirEndIsTold: who left without having noticed the goal is no
// best moment, and who took something for the goal that could not be confirmed did not
// leave it.
func TestWhatPeopleThoughtOfTheirEndIsTold(t *testing.T) {
	t.Parallel()
	ends := func(id string, succeeded bool, action string) report.Session {
		s := walked(id, succeeded, 10, 1, "home", "plans")
		s.Steps[1].Action = action
		return s
	}
	told := map[string]string{}
	for _, h := range build(t, report.Input{Sessions: []report.Session{ends("a", true, "done"), ends("b", true, "give_up"), ends("c", false, "done"), ends("d", false, "give_up")}}).Highlights {
		told[h.SessionID] += h.Moment + " " + h.Why
	}
	if got := build(t, report.Input{Sessions: []report.Session{ends("a", true, "done"), ends("b", true, "give_up")}}).Highlights[0]; got.SessionID != "b" || !strings.Contains(got.Why, "did not notice") {
		t.Errorf("%+v", got)
	}
	if told["b"] != "" || !strings.HasPrefix(told["a"], report.Best) || !strings.Contains(told["c"], "took it for done") || !strings.Contains(told["d"], "gave up") {
		t.Errorf("%v", told)
	}
}

// TestTenThousandSessionsFitIntoAReport: the event that records it may have
// 1 MiB, and the work is bounded.
func TestTenThousandSessionsFitIntoAReport(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	in := report.Input{ReportID: "rep_1", TestID: "test_1"}
	for i := range 10_000 {
		var pages []string
		for j := range 25 {
			pages = append(pages, fmt.Sprintf("%s%c%c|%s", long, 'a'+(i+j)%26, 'a'+i/26%26, long[:80]))
		}
		s := walked(fmt.Sprintf("ses_%05d", i), i%3 > 0, float64(i%300), float64(i%11)/10, pages...)
		s.Viewport = []string{"desktop", "mobile", "tablet"}[i%3]
		s.Traits.AgeBand, s.Traits.Patience, s.Traits.Zoom = []string{"18-24", "45-54", "75+"}[i%7%3], float64(i%5)/2, float64(1+i%2)
		for k := range 4 {
			selector := fmt.Sprintf("#%c%c", 'a'+i%26, 'a'+i/26%26)
			s.Findings.Observations = append(s.Findings.Observations, findings.Observation{
				Kind: []string{findings.FormError, findings.LowContrast}[k%2], Channel: findings.Observed, Template: "shop.example/" + long, PageURL: "https://shop.example/" + strings.Repeat("y", 2000), Step: k, Quote: long,
				Element: &findings.Element{Role: "link", Name: long, Selector: selector + fmt.Sprint(k)}, Consequence: findings.ConsequenceRecovered,
			})
		}
		s.Findings.Templates = []string{"shop.example/" + long}
		in.Sessions = append(in.Sessions, s)
	}
	in.Criteria, in.Gate, in.Total = []string{"task_completion"}, gate.Config{Threshold: 0.7}, len(in.Sessions)
	d := report.Build(in).Document
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 1<<20*9/10 {
		t.Errorf("the report has %d bytes", len(text))
	}
	if len(d.Issues) != 50 || d.IssuesLeftOut == 0 || len(d.Highlights) > 6 || len(d.Funnel.Pages) > 20 || len(d.Paths.Common) != 10 ||
		len(d.Paths.Common[0].Pages) != 15 || d.Paths.Common[0].Length != 25 || len(d.Positives) > 10 {
		t.Errorf("%d issues, %d more, %d highlights, %d pages, %d paths", len(d.Issues), d.IssuesLeftOut, len(d.Highlights), len(d.Funnel.Pages), len(d.Paths.Common))
	}
	sum := 0
	for _, n := range d.Distributions["task_completion"].Histogram {
		sum += n
	}
	if sum != 10_000 {
		t.Errorf("the histogram counts %d", sum)
	}
}
