package report

import (
	"understudy/domain/findings"
	"understudy/domain/stats"
)

// What the findings and statistics say is taken over into the report's own
// types. Where the fields are the same they are converted, which stops
// compiling when they no longer are.

func describe(values []float64) *Description { return (*Description)(stats.Describe(values)) }

// issueOf is an issue without its pictures.
func issueOf(i findings.Issue) Issue {
	out := Issue{
		ID: i.ID, Rank: i.Rank, Kind: i.Kind, Title: i.Title, Description: i.Description,
		Severity: i.Severity, SeverityLabel: i.SeverityLabel, Frequency: Frequency(i.Frequency), Proven: i.Proven,
		Criteria: i.Criteria, PageURL: i.PageURL, Suggestion: i.Suggestion, Standard: i.Standard, Evidence: []Evidence{},
	}
	if e := i.Element; e != nil {
		out.Element = &Element{Role: e.Role, Name: e.Name, Selector: e.Selector, Box: Box(e.Box)}
	}
	for _, e := range i.Evidence {
		out.Evidence = append(out.Evidence, Evidence{
			SessionID: e.SessionID, Step: e.Step, Quote: e.Quote, Box: (*Box)(e.Box), ViewportWidth: e.ViewportWidth,
		})
	}
	return out
}

func violationsOf(audit []findings.Appendix) []Violation {
	out := []Violation{}
	for _, v := range audit {
		out = append(out, Violation(v))
	}
	return out
}
