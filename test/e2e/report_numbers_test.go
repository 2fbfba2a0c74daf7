package e2e

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// numbers is a list of numbers in brief, as reports have it.
type numbers struct {
	N                              int
	Mean, Min, Q1, Median, Q3, Max float64
	SD                             *float64
	Histogram                      []int
	Typical                        *estimate `json:"geometric_mean"`
}

type estimate struct {
	Value, Low, High float64
	N                int
}

type interval struct{ Low, High float64 }

// fullReport is what readers of reports see.
type fullReport struct {
	ID        string
	Scores    map[string]float64 `json:"aggregate_scores"`
	Intervals map[string]interval
	Without   []string          `json:"criteria_without_evidence"`
	Reasons   map[string]string `json:"reasons_without_evidence"`
	Success   estimate          `json:"success_rate"`
	Predicted struct {
		SEQ struct {
			estimate
			People float64 `json:"average_of_people"`
		}
		Time *estimate `json:"time_seconds"`
		Note string
	}
	Distributions map[string]numbers
	Sessions      struct{ Total, Completed, Succeeded, Failed int }
	Facets        []struct {
		Facet  string
		Clear  bool
		Groups []struct {
			Value                string
			Sessions, Succeeded  int
			Share, Low, High     float64
			MeanOverall          *float64 `json:"mean_overall"`
			MeanSimulatedSeconds float64  `json:"mean_simulated_seconds"`
		}
	}
	Funnel struct {
		Basis          string
		Sessions       int
		EndedElsewhere int `json:"ended_elsewhere"`
		Pages          []struct {
			Address          string
			Reached, Ended   int
			Share, Low, High float64
		}
	}
	Paths struct {
		Distinct int
		Common   []struct {
			Pages               []struct{ Address string }
			Sessions, Succeeded int
		}
	}
	Time struct {
		All, Succeeded *numbers
		NotSucceeded   *numbers `json:"not_succeeded"`
	}
	Lostness struct {
		FewestPages *int `json:"fewest_pages"`
		L           *numbers
		Interval    interval
		Fine, Lost  int
	}
	QualityGate struct {
		Passed         bool
		FailedCriteria []string `json:"failed_criteria"`
		Summary        string
		Margins        []struct {
			Criterion            string
			Score, Threshold, By float64
			Passed, Clear        bool
			Interval             interval
		}
	} `json:"quality_gate"`
	Positives  []struct{ Kind, Text string } `json:"positive_findings"`
	NotTested  []struct{ Kind, Text string } `json:"not_tested"`
	Highlights []struct {
		SessionID string `json:"session_id"`
		Quote     string
	}
}

// account is a session as its own resources tell of it.
type account struct {
	sessionResource
	Persona map[string]any
	pages   []string // in order, a stay counted once
}

func (s account) won() bool { return s.outcome() == "succeeded" }

// overall is the mean of the criteria that the session has scores of, and no more
// than its task_completion.
func (s account) overall(criteria []string) float64 {
	var own []float64
	for _, c := range criteria {
		if v := s.Scores[c]; v != nil {
			own = append(own, *v)
		}
	}
	return min(mean(own), *s.Scores["task_completion"])
}

// TestReportsSayWhatTheSessionsSay computes a report's numbers again from what
// REST tells of the sessions, by the textbook.
func TestReportsSayWhatTheSessionsSay(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	criteria := []string{"task_completion", "cta_findability", "navigation", "trust", "error_recovery"}
	const total = 60 // with twelve steps some of them just make it
	created := c.create(t, map[string]any{
		"url": "https://shop.example.com/", "task": "Buy a pair of red running shoes", "sessions": total, "seed": 7, "max_steps": 12,
		"viewport": []string{"desktop", "mobile"}, "criteria": criteria, "quality_gate": map[string]any{"criteria": map[string]float64{"trust": 0.2}},
	})
	c.completed(t, created.ID, time.Minute)
	report := get[fullReport](t, c, "/tests/"+created.ID+"/report")
	sessions := all[account](t, c, "/tests/"+created.ID+"/sessions?order=asc")
	var won, lost []account
	for i := range sessions {
		s := &sessions[i]
		for _, step := range get[trace](t, c, "/sessions/"+s.ID+"/trace").Steps {
			page := strings.TrimSuffix(strings.TrimPrefix(step.URL, "https://"), "/")
			if n := len(s.pages); n == 0 || s.pages[n-1] != page {
				s.pages = append(s.pages, page)
			}
		}
		if s.won() {
			won = append(won, *s)
		} else {
			lost = append(lost, *s)
		}
	}
	if len(won) < 5 || len(lost) < 5 || len(sessions) != total {
		t.Fatalf("%d of %d succeeded: too much alike to show anything", len(won), len(sessions))
	}
	if s := report.Sessions; s.Total != total || s.Completed != total || s.Succeeded != len(won) || s.Failed != 0 {
		t.Errorf("the report counts %+v", s)
	}
	sameScores(t, report, sessions, criteria)
	sameGroups(t, report, sessions, criteria)
	sameWays(t, report, sessions, won, lost)
	for name, of := range map[string]struct {
		got  *numbers
		from []account
	}{"all": {report.Time.All, sessions}, "succeeded": {report.Time.Succeeded, won}, "not succeeded": {report.Time.NotSucceeded, lost}} {
		var seconds []float64
		for _, s := range of.from {
			seconds = append(seconds, s.SimulatedSeconds)
		}
		sameNumbers(t, "time of "+name, of.got, seconds)
		sameTypical(t, "time of "+name, of.got.Typical, seconds)
	}
	sameShare(t, "success", report.Success.Value, report.Success.Low, report.Success.High, len(won), total)
	if l := report.Lostness; l.Interval.Low > l.L.Mean || l.Interval.High < l.L.Mean || l.Interval.High-l.Interval.Low > 0.5 {
		t.Errorf("the mean lostness of %v has the interval %+v", l.L.Mean, l.Interval)
	}
	// On the line through people's averages, 5.5 where 78 % get there, one SD of
	// success (41.4 points) raises the rating by half of its SD of 1.5.
	p := report.Predicted
	near(t, "predicted SEQ", p.SEQ.Value, 5.5+0.75*(float64(len(won))/total-0.78)/math.Sqrt(0.78*0.22), 1e-3)
	if p.SEQ.People != 5.5 || p.SEQ.N != total || p.SEQ.Low >= p.SEQ.Value || p.SEQ.High <= p.SEQ.Value || p.Time == nil || *p.Time != *report.Time.Succeeded.Typical || !strings.HasPrefix(p.Note, "Predicted") {
		t.Errorf("predicted %+v", p)
	}
	said, ids := map[string]bool{}, map[string]bool{}
	for _, h := range report.Highlights {
		if said[h.Quote] || ids[h.SessionID] {
			t.Errorf("%s is quoted again: %q", h.SessionID, h.Quote)
		}
		said[h.Quote], ids[h.SessionID] = true, true
	}
	if len(report.NotTested) == 0 || report.NotTested[0].Kind != "sandbox" || len(report.Highlights) < 3 {
		t.Errorf("not tested: %+v; %d highlights", report.NotTested, len(report.Highlights))
	}
	for _, p := range report.Positives {
		if p.Kind == "everyone_succeeded" {
			t.Errorf("%d failed, and yet: %s", len(lost), p.Text)
		}
	}
	everyForm(t, c, created, report)
}

func sameScores(t *testing.T, report fullReport, sessions []account, criteria []string) {
	t.Helper()
	values := map[string][]float64{}
	for _, s := range sessions {
		values["overall"] = append(values["overall"], s.overall(criteria))
		for _, c := range criteria {
			if v := s.Scores[c]; v != nil {
				values[c] = append(values[c], *v)
			}
		}
	}
	var means []float64
	for _, c := range criteria {
		if len(values[c]) == 0 {
			if !slices.Contains(report.Without, c) || !strings.Contains(report.Reasons[c], "(60 of 60 sessions)") {
				t.Errorf("nobody has evidence of %s, and nothing says so, and why: %v", c, report.Reasons)
			}
			continue
		}
		means = append(means, mean(values[c]))
		near(t, "mean of "+c, report.Scores[c], mean(values[c]), 1e-4)
	}
	near(t, "overall", report.Scores["overall"], mean(values["overall"]), 2e-4)
	for c, v := range values {
		// Student's t for 59 degrees of freedom, 97.5 %: 2.0010 (table).
		half := 2.0010 * deviation(v) / math.Sqrt(float64(len(v)))
		low, high := report.Intervals[c].Low, report.Intervals[c].High
		switch extreme := slices.Min(v) == slices.Max(v) && (v[0] == 0 || v[0] == 1); {
		case extreme: // then it is that of a proportion
			sameShare(t, "all scores of "+c, v[0], low, high, int(v[0])*len(v), len(v))
		case len(v) == len(sessions):
			near(t, "interval of "+c, low, math.Max(0, mean(v)-half), 5e-4)
			near(t, "interval of "+c, high, math.Min(1, mean(v)+half), 5e-4)
		}
		d := report.Distributions[c]
		sameNumbers(t, "distribution of "+c, &d, v)
		bins := make([]int, 10)
		for _, x := range v {
			i := 0
			for i < 9 && x >= float64(i+1)/10-1e-9 {
				i++
			}
			bins[i]++
		}
		if !slices.Equal(bins, d.Histogram) {
			t.Errorf("histogram of %s: %v, want %v", c, d.Histogram, bins)
		}
	}
	if worst := report.QualityGate.Margins[0]; !strings.HasPrefix(report.QualityGate.Summary, fmt.Sprintf("failed: %s %.2f is ", worst.Criterion, worst.Score)) {
		t.Errorf("the worst is %+v, and the gate says %q", worst, report.QualityGate.Summary)
	}
	for i, m := range report.QualityGate.Margins {
		if i > 0 && m.By < report.QualityGate.Margins[i-1].By {
			t.Errorf("%+v stands behind %+v", m, report.QualityGate.Margins[i-1])
		}
		threshold := 0.7
		if m.Criterion == "trust" {
			threshold = 0.2
		}
		near(t, "margin of "+m.Criterion, m.By, report.Scores[m.Criterion]-threshold, 1e-4)
		if failed := slices.Contains(report.QualityGate.FailedCriteria, m.Criterion); m.Passed == failed || m.Passed != (m.By >= 0) {
			t.Errorf("margin %+v, failed %v", m, report.QualityGate.FailedCriteria)
		}
		if clear := m.Passed && m.Interval.Low >= threshold || !m.Passed && m.Interval.High < threshold; clear != m.Clear {
			t.Errorf("margin %+v is clear: %v", m, clear)
		}
	}
	if n := len(means) + 1; len(report.QualityGate.Margins) != n {
		t.Errorf("%d margins of %d scores", len(report.QualityGate.Margins), n)
	}
}

// sameTypical holds the geometric mean and its interval against Student's t on
// the logarithms.
func sameTypical(t *testing.T, name string, got *estimate, seconds []float64) {
	t.Helper()
	var logs []float64
	for _, s := range seconds {
		logs = append(logs, math.Log(s))
	}
	near(t, name, got.Value, math.Exp(mean(logs)), 1e-3)
	// The quantiles of t lie between those for 59 and for 4 degrees of freedom (table).
	error := deviation(logs) / math.Sqrt(float64(len(logs)))
	if wide := math.Log(got.High/got.Low) / 2; got.N != len(logs) || wide < 2.0010*error-1e-3 || wide > 2.7764*error+1e-3 {
		t.Errorf("%s: %+v, standard error %.4f of %d", name, *got, error, len(logs))
	}
}

func sameGroups(t *testing.T, report fullReport, sessions []account, criteria []string) {
	t.Helper()
	words := 0
	for _, f := range report.Facets {
		value := func(s account) string { return fmt.Sprint(s.Persona[f.Facet]) }
		switch f.Facet {
		case "viewport":
			value = func(s account) string { return s.Viewport }
		case "age_band", "motivation", "information_processing", "self_efficacy", "risk_attitude", "learning_style", "domain_knowledge", "language_level":
			words++
		default:
			sum := 0
			for _, g := range f.Groups {
				sum += g.Sessions
			}
			if sum != len(sessions) {
				t.Errorf("the groups of %s have %d sessions", f.Facet, sum)
			}
			continue
		}
		members := map[string][]account{}
		for _, s := range sessions {
			members[value(s)] = append(members[value(s)], s)
		}
		if len(members) != len(f.Groups) {
			t.Errorf("%s has %d groups, want %d", f.Facet, len(f.Groups), len(members))
		}
		for _, g := range f.Groups {
			of := members[g.Value]
			won, overall, seconds := 0, 0.0, 0.0
			for _, s := range of {
				overall += s.overall(criteria)
				seconds += s.SimulatedSeconds
				if s.won() {
					won++
				}
			}
			name, n := f.Facet+" "+g.Value, float64(len(of))
			if g.Sessions != len(of) || g.Succeeded != won {
				t.Errorf("%s: %d of %d, want %d of %d", name, g.Succeeded, g.Sessions, won, len(of))
				continue
			}
			near(t, "mean of "+name, *g.MeanOverall, overall/n, 2e-4)
			near(t, "seconds of "+name, g.MeanSimulatedSeconds, seconds/n, 1e-3)
			sameShare(t, name, g.Share, g.Low, g.High, won, len(of))
		}
	}
	if words < 6 {
		t.Errorf("%d facets in words were compared", words)
	}
}

func sameWays(t *testing.T, report fullReport, sessions, won, lost []account) {
	t.Helper()
	funnel := report.Funnel
	if funnel.Basis != "successful_way" || funnel.Sessions != len(sessions) || len(funnel.Pages) < 3 {
		t.Fatalf("funnel %+v", funnel)
	}
	elsewhere := len(lost)
	for _, p := range funnel.Pages {
		reached, ended := 0, 0
		for _, s := range sessions {
			if slices.Contains(s.pages, p.Address) {
				reached++
			}
		}
		for _, s := range lost {
			if s.pages[len(s.pages)-1] == p.Address {
				ended++
			}
		}
		elsewhere -= ended
		if p.Reached != reached || p.Ended != ended {
			t.Errorf("%s: %d reached it and %d ended there, want %d and %d", p.Address, p.Reached, p.Ended, reached, ended)
		}
		sameShare(t, p.Address, p.Share, p.Low, p.High, reached, len(sessions))
	}
	if funnel.EndedElsewhere != elsewhere {
		t.Errorf("%d ended elsewhere, want %d", funnel.EndedElsewhere, elsewhere)
	}
	ways := map[string]int{}
	fewest := math.MaxInt
	for _, s := range sessions {
		ways[strings.Join(s.pages, " ")]++
	}
	for _, s := range won {
		fewest = min(fewest, different(s.pages))
	}
	if report.Paths.Distinct != len(ways) {
		t.Errorf("%d paths, want %d", report.Paths.Distinct, len(ways))
	}
	for _, p := range report.Paths.Common {
		var pages []string
		for _, page := range p.Pages {
			pages = append(pages, page.Address)
		}
		if n := ways[strings.Join(pages, " ")]; n != p.Sessions {
			t.Errorf("%d took %v, want %d", p.Sessions, pages, n)
		}
	}
	if report.Lostness.FewestPages == nil || *report.Lostness.FewestPages != fewest {
		t.Fatalf("fewest pages %v, want %d", report.Lostness.FewestPages, fewest)
	}
	var l []float64
	fine := 0
	for _, s := range sessions {
		n, visits := float64(different(s.pages)), float64(len(s.pages))
		r := math.Min(1, float64(fewest)/n)
		l = append(l, math.Sqrt((n/visits-1)*(n/visits-1)+(r-1)*(r-1)))
		if l[len(l)-1] <= 0.4 {
			fine++
		}
	}
	sameNumbers(t, "lostness", report.Lostness.L, l)
	if report.Lostness.Fine != fine {
		t.Errorf("%d were fine, want %d", report.Lostness.Fine, fine)
	}
}

// everyForm reads the report in its other forms, the PDF from a real Chromium.
func everyForm(t *testing.T, c client, test harness.Test, report fullReport) {
	t.Helper()
	path := "/tests/" + test.ID + "/report"
	body := func(accept, contentType string) []byte {
		var a answer
		patience.Eventually(t, 30*time.Second, "the report as "+accept, func() bool {
			a = c.send(t, http.MethodGet, path, nil, "Accept", accept)
			return a.StatusCode != http.StatusServiceUnavailable // a busy browser asks to be asked again
		})
		a.wants(t, http.StatusOK, "")
		if got := a.Header.Get("Content-Type"); !strings.HasPrefix(got, contentType) {
			t.Errorf("Accept %s is answered with %s", accept, got)
		}
		return a.Body
	}
	if pdf := body("application/pdf", "application/pdf"); !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte("Report: "+test.Task)) || len(pdf) < 20_000 {
		t.Errorf("%d bytes of PDF without its title", len(pdf))
	}
	markdown := string(body("text/markdown", "text/markdown"))
	for _, want := range []string{"# Report: " + test.Task, fmt.Sprintf("%d of 60 simulated users", report.Sessions.Succeeded), "## Who struggles", "## What was not tested"} {
		if !strings.Contains(markdown, want) {
			t.Errorf("the Markdown lacks %q", want)
		}
	}
	if html := body("text/html", "text/html"); !bytes.Contains(html, []byte("data:image/jpeg;base64,")) || bytes.Contains(html, []byte(`src="http`)) {
		t.Error("the HTML does not have its pictures in it")
	}
	var junit struct {
		Suites []struct {
			Failures int        `xml:"failures,attr"`
			Cases    []struct{} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(body("application/junit+xml", "application/junit+xml"), &junit); err != nil || len(junit.Suites) != 2 {
		t.Fatalf("%d suites: %v", len(junit.Suites), err)
	}
	if s := junit.Suites[0]; s.Failures != len(report.QualityGate.FailedCriteria) || len(s.Cases) != len(report.QualityGate.Margins)+len(report.Without) {
		t.Errorf("the gate's suite has %d failures in %d cases", s.Failures, len(s.Cases))
	}
	var asked json.RawMessage
	if err := json.Unmarshal(c.send(t, http.MethodGet, path+"?format=json", nil, "Accept", "text/html").wants(t, http.StatusOK, "").Body, &asked); err != nil {
		t.Error(err)
	}
	c.send(t, http.MethodGet, path, nil, "Accept", "image/png").wants(t, http.StatusNotAcceptable, "not_acceptable")
}

func different(pages []string) int {
	seen := map[string]bool{}
	for _, p := range pages {
		seen[p] = true
	}
	return len(seen)
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func deviation(v []float64) float64 {
	sum, m := 0.0, mean(v)
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return math.Sqrt(sum / float64(len(v)-1))
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// sameNumbers compares a list in brief with the list. Quartiles are those of
// spreadsheets: the value at 1 + (n − 1)·p, interpolated.
func sameNumbers(t *testing.T, what string, got *numbers, of []float64) {
	t.Helper()
	if got == nil || got.N != len(of) {
		t.Errorf("%s: %+v, want %d", what, got, len(of))
		return
	}
	slices.Sort(of)
	at := func(p float64) float64 {
		place := float64(len(of)-1) * p
		lower, part := math.Modf(place)
		return of[int(lower)]*(1-part) + of[int(math.Ceil(place))]*part
	}
	near(t, what+": mean", got.Mean, mean(of), 2e-4)
	near(t, what+": sd", *got.SD, deviation(of), 2e-4)
	for p, value := range map[float64]float64{0: got.Min, 0.25: got.Q1, 0.5: got.Median, 0.75: got.Q3, 1: got.Max} {
		near(t, fmt.Sprint(what, ": quantile ", p), value, at(p), 2e-4)
	}
}

// sameShare checks Wilson's interval by what it is: the shares p from which k of
// n is 1.96 standard errors of p away.
func sameShare(t *testing.T, what string, share, low, high float64, k, n int) {
	t.Helper()
	p := float64(k) / float64(n)
	near(t, "share of "+what, share, p, 1e-4)
	for _, bound := range []float64{low, high} {
		if bound == 0 && k == 0 || bound == 1 && k == n {
			continue
		}
		away := func(b float64) float64 { return math.Abs(p-b) / math.Sqrt(b*(1-b)/float64(n)) }
		rounding := math.Abs(away(min(bound+5e-5, 1-1e-9)) - away(max(bound-5e-5, 1e-9))) // told to four decimals
		near(t, "interval of "+what, away(bound), 1.96, 0.02+rounding)
	}
}
