package httpapi

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/projections/comparisons"
)

var comparisonTemplate = pageTemplate("comparison.html")

// comparisonView is what the page of a comparison shows.
type comparisonView struct {
	Frame      surround
	Comparison comparisons.Document
	Result     *comparison.Result
	// A and B are the addresses of the reports, "" for a test without one.
	A, B string
	// Winner says in a sentence who won, by how much and how surely; Won in a word.
	Winner, Won, Tone string
	Scores            []comparedRow
	Changes           []changeView
	Ways              [2][]wayView
	Forks             []comparison.Fork
}

// comparedRow is a criterion with its interval drawn.
type comparedRow struct {
	Criterion string
	comparison.Score
	Plot  plot
	Words string
}

// plot is a difference with its interval on a scale from A to B, 100 units wide:
// nought is in the middle.
type plot struct{ Low, Wide, At float64 }

// changeView is what became of the issues of one fate.
type changeView struct {
	Name, What string
	Issues     []foundView
}

// foundView is an issue, how it was found with either design.
type foundView struct {
	comparison.Change
	Severity     int
	WithA, WithB string
}

// wayView is a way that sessions took with a design.
type wayView struct {
	comparison.Path
	Words string
}

// Going: its tests have yet to end.
func (v comparisonView) Going() bool { return v.Comparison.Status == comparisons.Running }

// comparisonPage shows a comparison to people. The token in comparison_url gives
// access to this page and the reports of its tests; a bearer key with
// reports:read works too.
func (a *api) comparisonPage(c echo.Context) error {
	until, err := a.admit(c, forComparison, "reports:read")
	if err != nil {
		return err
	}
	doc, err := find(c, a.Reads.Comparison, domain.PrefixComparison, c.Param("id"))
	if err != nil {
		return err
	}
	v := comparisonView{}
	if v.Comparison, err = doc.Decode(); err != nil {
		return err
	}
	if v.A, err = a.reportURLOf(c, v.Comparison.A.TestID, until); err != nil {
		return err
	}
	if v.B, err = a.reportURLOf(c, v.Comparison.B.TestID, until); err != nil {
		return err
	}
	if v.Result = v.Comparison.Result; v.Result != nil {
		v.tell(v.Result)
	}
	load := []string{partsStyle, comparisonStyle}
	if v.Going() {
		load = append(load, whileGoing)
	}
	if v.Frame, err = a.around(c, load...); err != nil {
		return err
	}
	return a.sendPage(c, comparisonTemplate, v.Frame, v)
}

// reportURLOf is the page of a test's report, "" when it has none.
func (a *api) reportURLOf(c echo.Context, testID string, until int64) (string, error) {
	test, err := a.stateOf(c, testID)
	if err != nil || test.ReportID == nil {
		return "", err
	}
	p := callOf(c).principal
	return a.links.reportURL(p.OrganizationID, p.Environment, *test.ReportID, until), nil
}

func (v *comparisonView) tell(r *comparison.Result) {
	v.Winner, v.Tone = winnerWords(r)
	v.Won = "None"
	if r.Winner != nil {
		v.Won = strings.ToUpper(*r.Winner)
	}
	names := []string{overall}
	for _, criterion := range v.Comparison.Criteria {
		if criterion != overall {
			names = append(names, criterion)
		}
	}
	for _, name := range names {
		if score, ok := r.Criteria[name]; ok {
			v.Scores = append(v.Scores, comparedRow{name, score, plotOf(score.Difference), verdictWords(score)})
		}
	}
	for _, list := range []struct {
		name, what string
		issues     []comparison.Change
	}{
		{"Fixed", "found with A, and not with B although sessions came to the page", r.Issues.Fixed},
		{"New", "found with B only", r.Issues.New},
		{"Still there", "found with both", r.Issues.Unchanged},
		{"Not reached", "found with A, on pages that no session of B came to", r.Issues.NotReached},
	} {
		shown := changeView{Name: list.name, What: list.what}
		for _, c := range list.issues {
			shown.Issues = append(shown.Issues, foundView{c, graver(c.A, c.B), foundWords(c.A), foundWords(c.B)})
		}
		v.Changes = append(v.Changes, shown)
	}
	for i, paths := range [2][]comparison.Path{r.Paths.A, r.Paths.B} {
		for _, p := range paths {
			v.Ways[i] = append(v.Ways[i], wayView{p, tookWords(p.Sessions, p.Succeeded)})
		}
	}
	v.Forks = r.Paths.Diverge
}

// plotOf draws a difference in [-1,1]; a limit that the data do not set is the
// end of the scale.
func plotOf(e comparison.Effect) plot {
	at := func(v float64) float64 { return math.Round(5000+5000*min(max(v, -1), 1)) / 100 }
	low, high := 0.0, 100.0
	if e.Low != nil {
		low = at(*e.Low)
	}
	if e.High != nil {
		high = at(*e.High)
	}
	return plot{Low: low, Wide: max(high-low, 0.5), At: at(e.Estimate)}
}

// signed writes a difference of shares: "+7.5 points", "−3 points".
func signed(by float64) string {
	switch {
	case math.Round(1000*by) > 0:
		return "+" + points(by)
	case math.Round(1000*by) < 0:
		return "−" + points(by)
	}
	return points(0)
}

// betweenWords are the limits of an interval: "+46 to +100", "−3 to 0"; "" where
// the data set none.
func betweenWords(e comparison.Effect) string {
	if e.Low == nil || e.High == nil {
		return ""
	}
	limit := func(v float64) string {
		if v = math.Round(100 * v); v == 0 {
			return "0"
		}
		return strings.Replace(fmt.Sprintf("%+.0f", v), "-", "−", 1)
	}
	return limit(*e.Low) + " to " + limit(*e.High)
}

// winnerWords tell who won, by how much and how surely.
func winnerWords(r *comparison.Result) (text, tone string) {
	score, known := r.Criteria[overall]
	if !known {
		return "There is no winner: no overall score on both sides.", ""
	}
	by := "overall, B is at " + signed(score.Difference.Estimate) + " against A"
	if between := betweenWords(score.Difference); between != "" {
		by += fmt.Sprintf(" (95 %% interval %s)", between)
	}
	switch {
	case r.Winner == nil && score.Strength == comparison.Leaning:
		return "There is no winner, though it " + verdictWords(score) + ": " + by + ".", ""
	case r.Winner == nil:
		return "There is no winner: " + by + ".", ""
	case *r.Winner == "a":
		return "A is better: " + by + ".", "bad"
	}
	return "B is better: " + by + ".", "good"
}

// verdictWords say what can be concluded of a criterion.
func verdictWords(s comparison.Score) string {
	better := map[string]string{comparison.ABetter: "A", comparison.BBetter: "B"}[s.Verdict]
	switch s.Strength {
	case comparison.Significant:
		return better + " is better"
	case comparison.Leaning:
		return "leans towards " + better
	}
	return "no difference shown"
}

// foundWords are how an issue was found with a design: "met by 3 of 6".
func foundWords(f *comparison.Found) string {
	if f == nil {
		return "not found"
	}
	words := "met by " + ofAll(f.Affected, f.Total)
	if !f.Impeded() {
		words += ", a note"
	}
	return words
}

func graver(found ...*comparison.Found) int {
	severity := 0
	for _, f := range found {
		if f != nil {
			severity = max(severity, f.Severity)
		}
	}
	return severity
}

// Counts are how many issues were fixed and are new.
func (v comparisonView) Counts() string {
	some := func(n int) string {
		if n == 0 {
			return "none"
		}
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s fixed, %s new", some(len(v.Result.Issues.Fixed)), some(len(v.Result.Issues.New)))
}
