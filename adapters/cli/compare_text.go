package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"understudy/adapters/client"
)

// comparisonText says in a sentence what a comparison comes to, and whether B fails.
func comparisonText(c *client.Comparison, strict bool) (text string, fails bool) {
	worse, why := worsened(&c.Result, strict)
	if worse {
		return "B fails: " + why, true
	}
	return c.Result.Decision, false
}

// comparedRows are the scores of both sides, overall first.
func comparedRows(c *client.Comparison) (rows [][]any) {
	names := slices.SortedFunc(maps.Keys(c.Result.Criteria), func(x, y string) int {
		switch overallScore {
		case x:
			return -1
		case y:
			return 1
		}
		return strings.Compare(x, y)
	})
	for _, name := range names {
		s := c.Result.Criteria[name]
		rows = append(rows, []any{
			strings.ReplaceAll(name, "_", " "), fmt.Sprintf("%.2f", s.A.Mean), fmt.Sprintf("%.2f", s.B.Mean),
			fmt.Sprintf("%+.2f (%+.2f to %+.2f)", s.Difference.Estimate, s.Difference.Low, s.Difference.High), strengthWords(s),
		})
	}
	return rows
}

func strengthWords(s client.ComparedScore) string {
	if s.Strength == client.Significant {
		return map[client.ComparedScoreVerdict]string{
			client.ComparedScoreVerdictABetter: "significantly worse", client.ComparedScoreVerdictBBetter: "significantly better",
		}[s.Verdict]
	}
	return "no evidence"
}

func tellComparison(w io.Writer, c *client.Comparison, text string) error {
	say(w, "\nA  %s\nB  %s\n\n%s\n", clean(c.A.URL), clean(c.B.URL), wrapped(clean(text), 0, widthOf(w)))
	err := table(w, []any{"SCORE", "A", "B", "B LESS A (95 %)", ""}, comparedRows(c))
	for _, group := range issueGroups(c) {
		if len(group.issues) > 0 {
			say(w, "\n%s:", group.name)
		}
		for _, issue := range group.issues {
			say(w, "  %s", clean(issue.Title))
		}
	}
	if c.ComparisonURL != "" {
		say(w, "\nComparison: %s", c.ComparisonURL)
	}
	return err
}

type issueGroup struct {
	name   string
	issues []client.ComparedIssue
}

func issueGroups(c *client.Comparison) []issueGroup {
	return []issueGroup{{"New in B", c.Result.Issues.New}, {"Mended in B", c.Result.Issues.Fixed}}
}

// comparisonMarkdown is a comparison for a page of the pipeline, or a comment.
func comparisonMarkdown(c *client.Comparison, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\nA %s · B %s\n\n%s\n\n| Score | A | B | B less A (95 %%) | |\n|---|--:|--:|---|---|\n", markdown(c.Task), markdown(c.A.URL), markdown(c.B.URL), markdown(text))
	for _, row := range comparedRows(c) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row...)
	}
	for _, group := range issueGroups(c) {
		if len(group.issues) > 0 {
			fmt.Fprintf(&b, "\n**%s**\n\n", group.name)
		}
		for _, issue := range group.issues {
			fmt.Fprintf(&b, "- %s\n", markdown(issue.Title))
		}
	}
	if c.ComparisonURL != "" {
		fmt.Fprintf(&b, "\n[Comparison](%s)\n", c.ComparisonURL)
	}
	b.WriteString("\n")
	return b.String()
}
