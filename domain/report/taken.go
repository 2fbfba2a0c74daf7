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
		Severity: i.Severity, SeverityLabel: i.SeverityLabel, Folded: i.Folded, Frequency: Frequency(i.Frequency), Cost: (*Cost)(&i.Cost),
		Proven: i.Proven, Criteria: i.Criteria, PageURL: i.PageURL, Element: elementOf(i.Element),
		Suggestion: i.Suggestion, Standard: i.Standard, Evidence: []Evidence{}, Turn: turnOf(i.Turn),
	}
	for _, e := range i.Evidence {
		out.Evidence = append(out.Evidence, evidenceOf(e))
	}
	for _, p := range i.Places {
		out.Places = append(out.Places, Place{
			PageURL: p.PageURL, Element: elementOf(p.Element), Detail: p.Detail, Sessions: p.Sessions, Shown: evidenceOf(p.Shown),
		})
	}
	return out
}

func elementOf(e *findings.Element) *Element {
	if e == nil {
		return nil
	}
	return &Element{Role: e.Role, Name: e.Name, Selector: e.Selector, Box: Box(e.Box)}
}

func evidenceOf(e findings.Evidence) Evidence {
	return Evidence{SessionID: e.SessionID, Step: e.Step, Quote: e.Quote, Box: (*Box)(e.Box), ViewportWidth: e.ViewportWidth}
}

func turnOf(t *findings.Turn) *Turn {
	if t == nil {
		return nil
	}
	offers := func(from []findings.Offer) []Offer {
		out := []Offer{}
		for _, o := range from {
			out = append(out, Offer(o))
		}
		return out
	}
	return &Turn{
		Expected: append([]string{}, t.Expected...), Taken: offers(t.Taken), NotTaken: offers(t.NotTaken), Ways: offers(t.Ways), KnownBy: t.KnownBy,
	}
}

func violationsOf(audit []findings.Appendix) []Violation {
	out := []Violation{}
	for _, v := range audit {
		out = append(out, Violation(v))
	}
	return out
}
