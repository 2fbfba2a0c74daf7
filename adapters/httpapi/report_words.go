package httpapi

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/domain/gate"
	"understudy/domain/report"
	"understudy/domain/walk"
	"understudy/projections/reports"
)

// percent writes a share, 0.075 as "8 %".
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// points writes a difference of shares without its sign: "7.5 points".
func points(by float64) string {
	text := strings.TrimSuffix(fmt.Sprintf("%.1f", 100*math.Abs(by)), ".0")
	if text == "1" {
		return "1 point"
	}
	return text + " points"
}

// easeWords is a predicted ease with its interval, beside that of people.
func easeWords(e report.Ease) string {
	interval := ""
	if e.Low != nil && e.High != nil {
		interval = fmt.Sprintf(" (95 %% interval %.1f to %.1f)", *e.Low, *e.High)
	}
	return fmt.Sprintf("%.1f%s; people's average is %.1f", e.Value, interval, e.People)
}

// gist is a verdict's summary in words, to stand behind its "failed" or "passed".
func gist(summary string) string { return strings.TrimPrefix(plain(summary), "failed: ") }

// marginWords tells by how much a score passed or failed, and how near the line
// its interval is.
func marginWords(m report.Margin) string {
	side, other := "above", "failed"
	if !m.Passed {
		side, other = "below", "passed"
	}
	text := fmt.Sprintf("%s, %s %s its threshold of %s; 95 %% interval %s to %s", percent(m.Score), points(m.By), side, percent(m.Threshold),
		percent(m.Interval.Low), percent(m.Interval.High))
	if m.Clear {
		return text + ", all of it " + side + " the threshold"
	}
	return text + ", which includes the threshold: other simulated users might have " + other + " it"
}

// basisWords says what a funnel's order is.
func basisWords(basis string) string {
	if basis == report.SuccessfulWay {
		return "The pages of the way that most successful sessions took, detours left out."
	}
	return "Nobody reached the goal; the pages in the order in which they were first seen."
}

// momentWords names the kind of a highlight.
func momentWords(h reports.Highlight) string {
	return strings.ReplaceAll(h.Moment, "_", " ")
}

// facetWords is a facet's name in words: "vision.contrast_factor" is "vision:
// contrast factor".
func facetWords(name string) string { return plain(strings.ReplaceAll(name, ".", ": ")) }

// groupWords is the name of a group; facets that hold or do not have yes and no.
func groupWords(value string) string {
	switch value {
	case "true":
		return "yes"
	case "false":
		return "no"
	}
	return plain(value)
}

// gateWords tells in a line how the quality gate came out: what failed most, or
// by how much overall passed.
func gateWords(g report.Gate) string {
	var failed []report.Margin
	for _, m := range g.Margins {
		if !m.Passed {
			failed = append(failed, m)
		}
	}
	short := func(m report.Margin, side string) string {
		return fmt.Sprintf("%s %s, %s %s %s", plain(m.Criterion), percent(m.Score), points(m.By), side, percent(m.Threshold))
	}
	switch {
	case g.Reason == gate.NoEvidence:
		return g.Summary
	case len(failed) == 1:
		return short(failed[0], "below")
	case len(failed) > 1:
		return fmt.Sprintf("%s; %d more below theirs", short(failed[0], "below"), len(failed)-1)
	case len(g.FailedCriteria) > 0:
		return plain(strings.Join(g.FailedCriteria, ", ")) + " below " + percent(g.Threshold)
	}
	for _, m := range g.Margins {
		if m.Criterion == overall {
			return short(m, "above")
		}
	}
	return "threshold " + percent(g.Threshold)
}

// ofAll is a part of a number: "3 of 5", "all 5", "none of 5".
func ofAll(n, total int) string {
	switch {
	case n == 0 && total > 0:
		return fmt.Sprintf("none of %d", total)
	case n == total && total > 1:
		return fmt.Sprintf("all %d", total)
	}
	return fmt.Sprintf("%d of %d", n, total)
}

// counted is a number of things: "1 session", "3 sessions".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// wayWords tell how many took a way, and what came of it.
func wayWords(w report.Path) string { return tookWords(w.Sessions, w.Succeeded) }

func tookWords(sessions, succeeded int) string {
	switch succeeded {
	case 0:
		return fmt.Sprintf("%d took it and did not reach the goal", sessions)
	case sessions:
		return fmt.Sprintf("%d took it and reached the goal", sessions)
	}
	return fmt.Sprintf("%d took it, %d of them reached the goal", sessions, succeeded)
}

// times is how often: "once", "twice", "3 times".
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// capital begins a sentence.
func capital(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// quoteOr is a quote, or what stands for nothing.
func quoteOr(text, otherwise string) string {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return walk.Quote(text)
}

// pageWords is the address of a page without its scheme and query.
func pageWords(address string) string {
	address, route, routed := strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	if routed && strings.HasPrefix(route, "/") {
		address += "#" + route
	}
	return bare(address)
}

// scrollWords say what part of a page a click map shows.
func scrollWords(m mapView) string {
	if m.ScrollY <= 0 {
		return "as it is seen from its top"
	}
	return fmt.Sprintf("scrolled down by %d px", m.ScrollY)
}

// elementWords is what an issue points at: "the link “Prices”", "" for nothing.
func elementWords(e *report.Element) string {
	switch {
	case e == nil || e.Role == "" && e.Name == "":
		return ""
	case e.Name == "":
		return "a " + e.Role + " without a name"
	case e.Role == "":
		return walk.Quote(e.Name)
	}
	return "the " + e.Role + " " + walk.Quote(e.Name)
}

// altWords tell what a picture shows to who does not see it.
func altWords(page string, at momentView, element string, framed bool) string {
	text := fmt.Sprintf("%s as %s saw it at step %d", page, at.Who, at.Step)
	if !framed {
		return text
	}
	if element == "" {
		element = "what is meant"
	}
	return text + "; " + element + " is in a red frame"
}

// metWords say how many met an issue; the page follows.
func metWords(issue reports.Issue) string {
	n, total := issue.Frequency.Affected, issue.Frequency.Total
	switch {
	case n == 0:
		return "It impeded nobody on"
	case n == total && n == 1:
		return "Met by the only one who came to"
	case n == total && n == 2:
		return "Met by both who came to"
	case n == total:
		return fmt.Sprintf("Met by all %d who came to", n)
	}
	return fmt.Sprintf("Met by %d of the %d who came to", n, total)
}

// costWords say what an issue cost the completed walks, "" for nothing.
func costWords(c *report.Cost, completed int) string {
	if c == nil {
		return ""
	}
	var parts []string
	if c.Ended > 0 {
		parts = append(parts, "ended "+ofAll(c.Ended, completed)+" walks")
	}
	if c.Slowed > 0 {
		whom := counted(c.Slowed, "walk")
		if c.Ended > 0 {
			whom = fmt.Sprintf("%d more", c.Slowed)
		}
		if c.Seconds >= 1 {
			each := ""
			if c.Slowed > 1 {
				each = " each"
			}
			parts = append(parts, "cost "+whom+" "+span(c.Seconds)+each)
		} else {
			parts = append(parts, "held up "+whom)
		}
	}
	return capital(strings.Join(parts, ", "))
}

// foldedWords say what is folded away: notes, and issues beyond the main list.
func foldedWords(folded []issueView) string {
	notes := 0
	for _, i := range folded {
		if i.Severity < impeding {
			notes++
		}
	}
	var parts []string
	if more := len(folded) - notes; more > 0 {
		parts = append(parts, counted(more, "more issue")+" of lower rank")
	}
	if notes > 0 {
		parts = append(parts, counted(notes, "note"))
	}
	return strings.Join(parts, " and ")
}

// fixesWords head the list of what to mend first.
func fixesWords(n int) string {
	switch n {
	case 0:
		return "Nothing to fix was met"
	case 1:
		return "The thing to fix"
	case 2:
		return "The two things to fix"
	}
	return "The three things to fix"
}
