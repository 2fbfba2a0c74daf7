package reports

import (
	"understudy/domain"
	"understudy/domain/report"
)

// Document is a report as the API shows it: what was recorded, and the addresses
// that the edge makes. Stored documents have none and are read as it.
type Document struct {
	// These stand before the other measures, and instead of the same ones there.
	ID        string      `json:"id"`
	TestID    string      `json:"test_id"`
	CreatedAt domain.Time `json:"created_at"`
	// AggregateScores has overall as null when nothing could be scored.
	AggregateScores map[string]*float64 `json:"aggregate_scores"`
	report.Measures
	SessionList   []SessionLine `json:"session_list,omitempty"`
	Clicks        []ClickMap    `json:"clicks,omitempty"`
	Highlights    []Highlight   `json:"highlights"`
	Issues        []Issue       `json:"issues"`
	IssuesLeftOut int           `json:"issues_left_out"`
	Notes         []Issue       `json:"notes,omitempty"`
	Positives     []Positive    `json:"positive_findings"`
	report.Conclusion
	ReportURL string `json:"report_url,omitempty"`
}

// Links are the addresses of a step: its picture, where it has one, and its
// place on the session's page.
type Links struct {
	ScreenshotURL string `json:"screenshot_url,omitempty"`
	SessionURL    string `json:"session_url,omitempty"`
}

// SessionLine is a completed session in a line.
type SessionLine struct {
	report.SessionLine
	SessionURL string `json:"session_url,omitempty"`
}

// ClickMap is where sessions clicked on a page.
type ClickMap struct {
	report.ClickMap
	ScreenshotURL string `json:"screenshot_url,omitempty"`
}

// Highlight is a telling moment of a session.
type Highlight struct {
	report.Highlight
	Links
}

// Issue is one root cause with its evidence.
type Issue struct {
	report.Issue
	Evidence []Evidence `json:"evidence"`
	Places   []Place    `json:"places,omitempty"`
}

// Place is where the cause of an issue shows.
type Place struct {
	report.Place
	Shown Evidence `json:"shown"`
}

// Evidence points into a session's trace.
type Evidence struct {
	report.Evidence
	Links
}

// Positive is something that worked.
type Positive struct {
	report.Positive
	Evidence []Moment `json:"evidence"`
}

// Moment is a step of a session.
type Moment struct {
	report.Moment
	Links
}
