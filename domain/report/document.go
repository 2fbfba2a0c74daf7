package report

import (
	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/stats"
)

// Document is a report as the API shows it; addresses are made at the edge
// from the ids of screenshots and of the report.
type Document struct {
	ID              string                    `json:"id"`
	TestID          string                    `json:"test_id"`
	CreatedAt       domain.Time               `json:"created_at"`
	AggregateScores map[string]float64        `json:"aggregate_scores"`
	Intervals       map[string]stats.Interval `json:"intervals"`
	// WithoutEvidence names the requested criteria that no session had
	// evidence for.
	WithoutEvidence []string `json:"criteria_without_evidence"`
	// Formulas say how each requested criterion and overall are computed.
	Formulas        map[string]string `json:"formulas"`
	FormulasVersion int               `json:"formulas_version"`
	Sessions        Counts            `json:"sessions"`
	// Distributions tell how the scores of each criterion with evidence, and
	// overall, are spread over the sessions.
	Distributions map[string]Distribution `json:"distributions"`
	// Facets tell who struggles: those with the greatest differences first.
	Facets     []Facet     `json:"facets"`
	Funnel     Funnel      `json:"funnel"`
	Paths      Paths       `json:"paths"`
	Time       Times       `json:"time"`
	Lostness   Lostness    `json:"lostness"`
	Highlights []Highlight `json:"highlights"`
	Issues     []Issue     `json:"issues"`
	// IssuesLeftOut is how many of the lowest rank are beyond what a report holds.
	IssuesLeftOut int        `json:"issues_left_out"`
	Positives     []Positive `json:"positive_findings"`
	NotTested     []Untested `json:"not_tested"`
	// Accessibility is the audit's appendix: the rules that pages break, whether
	// or not they stood in anybody's way.
	Accessibility []findings.Appendix `json:"accessibility_appendix"`
	QualityGate   Gate                `json:"quality_gate"`
	Confidence    Confidence          `json:"simulation_confidence"`
}

// Counts of a test's sessions.
type Counts struct {
	Total     int `json:"total"`
	Completed int `json:"completed"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
}

// Gate is the verdict of the quality gate.
type Gate struct {
	Passed         bool     `json:"passed"`
	Threshold      float64  `json:"threshold"`
	Score          *float64 `json:"score"`
	FailedCriteria []string `json:"failed_criteria"`
	// Margins tell by how much each judged score passed or failed.
	Margins []Margin `json:"margins"`
}

// Issue is an issue with its evidence illustrated.
type Issue struct {
	findings.Issue
	Evidence []Evidence `json:"evidence"`
}

// Evidence is a piece of an issue's evidence with its picture.
type Evidence struct {
	findings.Evidence
	ScreenshotID string `json:"screenshot_id,omitempty"`
}

// Confidence says how far the simulation itself is to be trusted, apart from
// whether it speaks for people.
type Confidence struct {
	// Level is high, medium or low.
	Level       string               `json:"level"`
	Explanation string               `json:"explanation"`
	Limits      []findings.LimitNote `json:"limits"`
	// Transfer is what is known about people doing the same.
	Transfer string `json:"transfer_to_people"`
}
