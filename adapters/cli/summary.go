package cli

import (
	"embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/template"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"understudy/adapters/client"
)

// styles colour what is told; without colours where NO_COLOR is set or nobody looks.
type styles struct{ good, bad, warn, strong, quiet lipgloss.Style }

func stylesFor(out io.Writer) styles {
	r := lipgloss.NewRenderer(out)
	return styles{
		good: r.NewStyle().Bold(true).Foreground(lipgloss.ANSIColor(2)), bad: r.NewStyle().Bold(true).Foreground(lipgloss.ANSIColor(1)),
		warn: r.NewStyle().Bold(true).Foreground(lipgloss.ANSIColor(3)), strong: r.NewStyle().Bold(true), quiet: r.NewStyle().Faint(true),
	}
}

// conclude tells what came of the tests, and ends with the gravest status.
func (r *run) conclude(results []*result) error {
	s, width := stylesFor(r.out), widthOf(r.out)
	quiet := slices.ContainsFunc(r.forms, func(f reportFile) bool { return f.path == "-" })
	status := ExitPassed
	for _, o := range results {
		switch {
		case o.Test == nil: // an error, no result
			o.tell(r.told, stylesFor(r.told), width)
		case !quiet: // standard output is a report's
			o.tell(r.out, s, width)
		}
		if slices.Index(gravity, o.Status) > slices.Index(gravity, status) {
			status = o.Status
		}
	}
	if len(results) > 1 && !quiet {
		passed := 0
		for _, o := range results {
			if o.Status == ExitPassed {
				passed++
			}
		}
		say(r.out, "%s", s.strong.Render(fmt.Sprintf("%d of %d tests passed", passed, len(results))))
	}
	if status == ExitPassed {
		return nil
	}
	return &ExitError{Status: status}
}

func onTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// widthOf is the width of a terminal in columns, or what is usual.
func widthOf(out io.Writer) int {
	if file, ok := out.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			return max(columns, narrowest)
		}
	}
	return usualWidth
}

// gravity orders exit statuses: that of several tests is the last of theirs.
var gravity = []int{ExitPassed, ExitGateFailed, ExitNotJudged, ExitTestFailed, ExitUsage, ExitUnreachable}

// verdictWords is a result's status in one word.
func (o *result) verdictWords() string {
	switch {
	case o.Status == ExitPassed && strings.HasPrefix(o.Reason, warning):
		return "WARNING"
	case o.Status == ExitPassed:
		return "PASSED"
	case o.Status == ExitGateFailed:
		return "FAILED"
	case o.Status == ExitNotJudged:
		return "NOT JUDGED"
	}
	return "ERROR"
}

// tell writes a result for a terminal of a width in columns.
func (o *result) tell(w io.Writer, s styles, width int) {
	verdict := map[string]lipgloss.Style{"PASSED": s.good, "WARNING": s.warn}
	style, soft := verdict[o.verdictWords()]
	if !soft {
		style = s.bad
	}
	say(w, "")
	say(w, "%s  %s", style.Render(o.verdictWords()), s.strong.Render(clean(o.plan.title())))
	say(w, "%s", wrapped(clean(o.Reason), 2, width))
	if o.Report == nil {
		return
	}
	rate := o.Report.SuccessRate
	say(w, "")
	reached := fmt.Sprintf("%d of %d reached the goal, 95 %% interval %.0f to %.0f %%", o.Report.Sessions.Succeeded, o.Report.Sessions.Completed, 100*rate.Low, 100*rate.High)
	say(w, "%s", wrapped(reached, 2, width))
	say(w, "")
	for _, row := range o.scores() {
		text := fmt.Sprintf("  %-17s %s", row.Name, row.Score)
		if row.Fails {
			text += " " + s.bad.Render("below "+row.Threshold)
		}
		if row.Change != "" {
			text += "  " + row.Change
		}
		text += "  " + s.quiet.Render(row.Interval)
		say(w, "%s", ansi.Truncate(text, width, "…"))
	}
	issues := firstIssues(o.Report)
	if len(issues) > 0 {
		say(w, "\n%s", s.strong.Render("  Fix first"))
	}
	for i, issue := range issues {
		say(w, "%s", wrapped(fmt.Sprintf("%d. %s (%s; %s)", i+1, clean(issue.Title), issue.SeverityLabel, met(issue)), 2, width))
		if issue.Suggestion != "" {
			say(w, "%s", wrapped(clean(issue.Suggestion), 5, width))
		}
		if i < len(o.pictures) && o.pictures[i] != "" {
			say(w, "     %s", s.quiet.Render(o.pictures[i])) // whole, to be copied
		}
	}
	say(w, "")
	if o.folder != "" {
		say(w, "  Report: %s", o.folder+string(os.PathSeparator)+"report.html")
	} else {
		say(w, "  Report: %s", o.Report.ReportURL)
	}
	if o.ComparisonURL != "" {
		say(w, "  Comparison: %s", o.ComparisonURL)
	}
}

func wrapped(text string, indent, width int) string {
	lines := strings.Split(ansi.Wrap(text, max(width-indent, narrowest), ""), "\n")
	pad := strings.Repeat(" ", indent)
	return pad + strings.Join(lines, "\n"+pad)
}

// met says whom an issue touched.
func met(issue client.Issue) string {
	return fmt.Sprintf("%d of %d people", issue.Frequency.Affected, issue.Frequency.Total)
}

// scoreRow is a line of the table of scores.
type scoreRow struct {
	Name, Score, Interval, Change, Threshold string
	Fails                                    bool
}

// scores are the rows of a report's scores, overall first.
func (o *result) scores() (rows []scoreRow) {
	names := []string{overallScore}
	for _, c := range o.Test.Criteria {
		names = append(names, string(c))
	}
	for _, name := range names {
		row := scoreRow{Name: strings.ReplaceAll(name, "_", " "), Score: "  – ", Fails: slices.Contains(o.Report.QualityGate.FailedCriteria, name)}
		if score := o.Report.AggregateScores[name]; score != nil {
			row.Score = fmt.Sprintf("%.2f", *score)
		}
		if i, known := o.Report.Intervals[name]; known {
			row.Interval = fmt.Sprintf("%.2f to %.2f", i.Low, i.High)
		}
		row.Threshold = fmt.Sprintf("%.2f", o.threshold(name))
		if o.Compared != nil {
			if c, known := o.Compared.Criteria[name]; known {
				row.Change = fmt.Sprintf("%+.2f (%s)", c.Difference.Estimate, strings.ReplaceAll(string(c.Strength), "none", "no evidence"))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// threshold is what a criterion has to reach.
func (o *result) threshold(name string) float64 {
	if rule := o.plan.QualityGate; rule != nil {
		if own, given := rule.Criteria[name]; given {
			return own
		}
	}
	return o.Report.QualityGate.Threshold
}

//go:embed summary.md.tmpl
var summaryFile embed.FS

var summaryTemplate = template.Must(template.New("summary.md.tmpl").Funcs(template.FuncMap{
	"md": markdown, "met": met, "first": firstIssues, "inc": func(i int) int { return i + 1 }, "picture": pictureOf,
}).ParseFS(summaryFile, "summary.md.tmpl"))

// summaryMarkdown is the results for a page of the pipeline, or a comment.
func summaryMarkdown(results []*result) (string, error) {
	var b strings.Builder
	err := summaryTemplate.Execute(&b, results)
	return b.String(), err
}

// markdown escapes what Markdown, or the HTML in it, would read as its own.
func markdown(s string) string {
	return strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<", "&lt;", ">", "&gt;", "&", "&amp;", "|", "\\|", "#", "\\#", "@", "&#64;").Replace(clean(s))
}

// What the template asks a result.

func (o *result) Title() string      { return o.plan.title() }
func (o *result) Scores() []scoreRow { return o.scores() }

// Lasting is whether the service's pages outlive the command.
func (o *result) Lasting() bool { return o.folder == "" }
