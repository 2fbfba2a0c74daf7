package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/gate"
	"understudy/domain/scoring"
	"understudy/domain/stats"
)

// Input is everything a report is built of.
type Input struct {
	ReportID  string
	TestID    string
	CreatedAt domain.Time
	// Environment and Locale are the test's; no locale is the browser's own.
	Environment domain.Environment
	Locale      string
	Criteria    []string
	Gate        gate.Config
	// Total is how many sessions the test has, Failed how many of them could
	// not be carried out; Sessions are the others.
	Total    int
	Failed   int
	Sessions []Session
	// Causes are what replays have shown, Replays how many there were; nil: none could be.
	Causes  []findings.Cause
	Replays *Replays
	// Judgement is what the gate's read model made of the sessions' scores;
	// nil: they are judged here, by the same rule.
	Judgement *Judgement
}

// Session is one completed session as a report sees it.
type Session struct {
	ID      string
	Persona string
	// Traits are the persona's.
	Traits           Traits
	Viewport         string
	Outcome          string
	SimulatedSeconds float64
	Scores           map[string]float64
	// Reasons tell why a criterion has no score; of a session that was recorded
	// without any it has none.
	Reasons  map[string]string
	Findings findings.Session
	Steps    []Step
}

// Step is one step of a session as a report quotes it. Action is the type of
// its action, Target what was acted on, its box in CSS px from the top left of a
// viewport that is ViewportWidth wide, on a page scrolled down by ScrollY; nil
// where there is none.
type Step struct {
	Index         int
	URL, Title    string
	Thought       string
	Frustration   float64
	Action        string
	Target        *Element
	ViewportWidth int
	ScrollY       int
	ScreenshotID  string
}

// Built is a report and what the test's end needs of it.
type Built struct {
	Document Document
	Scores   map[string]float64 // with overall
	Gate     Gate
}

// maxIssues and maxNotes bound a report, and with it the event that records it.
const maxIssues, maxNotes = 50, 20

// transfer is said of every report until runs with people have been compared.
const transfer = "none yet: these are simulated users, and more of them shrink sampling error but not the model's bias"

// Build builds a report. The same input gives the same report.
func Build(in Input) Built {
	scores := make([]map[string]float64, len(in.Sessions))
	observed := make([]findings.Session, len(in.Sessions))
	counts := Counts{Total: in.Total, Completed: len(in.Sessions), Failed: in.Failed}
	for i, s := range in.Sessions {
		scores[i], observed[i] = s.Scores, s.Findings.Explained(in.Causes)
		if s.Findings.Succeeded {
			counts.Succeeded++
		}
	}
	j := in.Judgement
	if j == nil {
		own := Judge(scoring.Aggregate(scores, in.Criteria), in.Criteria, in.Gate)
		j = &own
	}
	d := Document{Measures: Measures{
		ID: in.ReportID, TestID: in.TestID, CreatedAt: in.CreatedAt,
		AggregateScores: maps.Clone(j.Means), Intervals: map[string]Interval{}, WithoutEvidence: []string{}, Reasons: map[string]string{},
		Formulas: map[string]string{gate.Overall: scoring.Formula(gate.Overall)}, FormulasVersion: scoring.Version,
		Sessions: counts, Distributions: map[string]Distribution{}, Facets: facetsOf(in.Sessions, in.Criteria), Time: timesOf(in.Sessions),
		Success: successOf(counts),
	}}
	d.Predicted = predictedOf(d.Success, d.Time)
	d.Highlights = highlights(in.Sessions)
	d.Accessibility = violationsOf(findings.Audit(observed))
	d.QualityGate = Gate{
		Passed: j.Verdict.Passed, Threshold: j.Verdict.Threshold, Score: j.Overall,
		FailedCriteria: j.Verdict.FailedCriteria, Reason: j.Verdict.Reason,
	}
	if j.Overall != nil {
		d.AggregateScores[gate.Overall] = *j.Overall
		own := overalls(scores, in.Criteria)
		d.Intervals[gate.Overall] = Interval(stats.MeanInterval(own))
		if len(own) > 0 {
			d.Distributions[gate.Overall] = distributionOf(own)
		}
	}
	for _, criterion := range in.Criteria {
		d.Formulas[criterion] = scoring.Formula(criterion)
		values := column(scores, criterion)
		if len(values) == 0 {
			d.WithoutEvidence = append(d.WithoutEvidence, criterion)
			if why := reasonsOf(in.Sessions, criterion); why != "" {
				d.Reasons[criterion] = why
			}
			continue
		}
		d.Intervals[criterion] = Interval(stats.MeanInterval(values))
		d.Distributions[criterion] = distributionOf(values)
	}
	d.QualityGate.Margins = marginsOf(in.Gate, j, d.Intervals)
	d.QualityGate.Summary = summaryOf(d.QualityGate.Margins, d.WithoutEvidence)
	issues, limits := findings.Rank(observed)
	hindered := slices.IndexFunc(issues, func(i findings.Issue) bool { return !i.Hindered() })
	if hindered < 0 {
		hindered = len(issues)
	}
	d.IssuesLeftOut = max(0, hindered-maxIssues)
	d.Issues = illustrated(issues[:min(hindered, maxIssues)], in.Sessions)
	d.Notes = illustrated(issues[hindered:min(len(issues), hindered+maxNotes)], in.Sessions)
	seen := newAtlas(in.Sessions)
	d.Funnel, d.Paths, d.Lostness = seen.funnel(findings.Lost(observed)), seen.paths(), seen.lostness()
	d.SessionList, d.Clicks = seen.lines(in.Sessions), clicksOf(in.Sessions)
	d.Positives = positives(in.Sessions, seen, d.Lostness, issues)
	d.NotTested = untested(in, &d, seen)
	d.Confidence = confidence(counts, observed, limits)
	d.Replays = in.Replays
	d.Confidence.Explanation += in.Replays.sentence()
	return Built{Document: d, Scores: d.AggregateScores, Gate: d.QualityGate}
}

func column(scores []map[string]float64, criterion string) (values []float64) {
	for _, s := range scores {
		if v, ok := s[criterion]; ok {
			values = append(values, v)
		}
	}
	return values
}

// overalls are the sessions' own overall scores.
func overalls(scores []map[string]float64, criteria []string) (values []float64) {
	for _, s := range scores {
		if v, ok := scoring.Overall(s, criteria); ok {
			values = append(values, v)
		}
	}
	return values
}

// illustrated adds to each piece of evidence the picture of its step.
func illustrated(issues []findings.Issue, sessions []Session) []Issue {
	byID := map[string]*Session{}
	for i := range sessions {
		byID[sessions[i].ID] = &sessions[i]
	}
	out := make([]Issue, len(issues))
	for i, issue := range issues {
		out[i] = issueOf(issue)
		for j := range out[i].Evidence {
			e := &out[i].Evidence[j]
			e.ScreenshotID = byID[e.SessionID].picture(e.Step)
		}
		for j := range out[i].Places {
			e := &out[i].Places[j].Shown
			e.ScreenshotID = byID[e.SessionID].picture(e.Step)
		}
	}
	return out
}

func (s *Session) picture(step int) string {
	if s == nil {
		return ""
	}
	i := slices.IndexFunc(s.Steps, func(st Step) bool { return st.Index == step })
	if i < 0 {
		return ""
	}
	return s.Steps[i].ScreenshotID
}

// confidence grades the simulation by how many sessions it could carry through
// without meeting a limit of its own.
func confidence(counts Counts, sessions []findings.Session, limits []findings.LimitNote) Confidence {
	c := Confidence{Level: "high", Limits: []Limit{}, Transfer: transfer}
	limited, ended := counts.Failed, 0
	for i := range sessions {
		limited += one(sessions[i].Met())
		ended += one(sessions[i].Limited())
	}
	var met []string
	for _, l := range limits {
		c.Limits = append(c.Limits, Limit(l))
		met = append(met, fmt.Sprintf("%s (%s)", l.Description, plural(l.Sessions, "session")))
	}
	switch {
	case 2*limited >= counts.Total:
		c.Level = "low"
	case 10*limited > counts.Total || counts.Completed < 5:
		c.Level = "medium"
	}
	c.Explanation = fmt.Sprintf("%s were carried through; %s ended for reasons that lie with the simulation",
		share(counts.Completed, counts.Total, "session"), share(ended, counts.Completed, "walk"))
	if len(met) > 0 {
		c.Explanation += ". Limits that were met: " + strings.Join(met, "; ")
	}
	return c
}

// share is a part of things in words: "3 of 5 walks", "all 5 walks", "no walk".
func share(n, of int, thing string) string {
	switch {
	case n == 0:
		return "no " + thing
	case n == of && of > 1:
		return "all " + plural(of, thing)
	}
	return fmt.Sprintf("%d of %s", n, plural(of, thing))
}
