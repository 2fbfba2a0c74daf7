package httpapi

import (
	"fmt"
	"math"
	"strings"

	"understudy/domain/report"
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
