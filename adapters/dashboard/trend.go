package dashboard

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/scoring"
	"understudy/domain/testrun"
	"understudy/projections/tests"
)

// trendPage is how the tests of one address and task came out over time.
type trendPage struct {
	URL, Task string
	// Tests are the completed ones, the newest first.
	Tests []tests.Document
	// Lines are overall and the criteria, Names what they are called in the table.
	Lines []trendLine
	// Next is where the list goes on, "" at its end.
	Next string
	// Alike is what to choose from where nothing is chosen.
	Alike []tests.Alike
}

// trendLine is a criterion over time, oldest first.
type trendLine struct {
	Criterion string
	Points    []trendPoint
}

// trendPoint is a score on a drawing 100 units wide and 40 high, nil where there is none.
type trendPoint struct {
	X, Y  float64
	Score float64
	Test  tests.Document
}

// Way is the line through the points.
func (l trendLine) Way() string {
	var way strings.Builder
	for _, p := range l.Points {
		fmt.Fprintf(&way, "%.2f,%.2f ", p.X, p.Y)
	}
	return strings.TrimSpace(way.String())
}

// First is the oldest score, Last the newest.
func (l trendLine) First() float64 { return l.Points[0].Score }

// Last is the newest score.
func (l trendLine) Last() float64 { return l.Points[len(l.Points)-1].Score }

// trendLength is how many tests a trend shows.
const trendLength = 100

func (d *Dashboard) trend(w http.ResponseWriter, r *http.Request, who service.Principal) {
	form := r.URL.Query()
	page := trendPage{URL: form.Get("url"), Task: form.Get("task")}
	var err error
	if page.URL == "" || page.Task == "" {
		page.Alike, err = d.Results.Alike(r.Context(), who, 50)
	} else {
		who, page, err = inEither(who, func(p service.Principal) (trendPage, error) { return d.trendOf(r, p, page) })
	}
	if err != nil && domain.CodeOf(err) != domain.CodeNotFound { // nothing is what the page says then
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "trend", view{Title: "Trend", Who: &who, Data: page})
}

func (d *Dashboard) trendOf(r *http.Request, who service.Principal, page trendPage) (trendPage, error) {
	listed, err := d.Results.Tests(r.Context(), who, service.Query{
		URL: page.URL, Task: page.Task, Status: string(testrun.StatusCompleted), Limit: trendLength, After: r.URL.Query().Get("after"),
	})
	if err != nil {
		return page, err
	}
	if page.Next = older("/trend", r.URL.Query(), listed.Next, "url", "task"); len(listed.Items) == 0 {
		return page, domain.Refuse(domain.CodeNotFound, "no test of this address and task has completed")
	}
	if page.Tests, err = decoded(listed); err == nil {
		page.Lines = trendLines(page.Tests)
	}
	return page, err
}

// trendLines draw the scores of tests, which come newest first.
func trendLines(all []tests.Document) (lines []trendLine) {
	known := map[string]bool{}
	for _, t := range all {
		for criterion := range t.AggregateScores {
			known[criterion] = true
		}
	}
	names := []string{overall}
	for _, criterion := range slices.Concat(scoring.Criteria, slices.Sorted(maps.Keys(known))) {
		if known[criterion] && !slices.Contains(names, criterion) {
			names = append(names, criterion)
		}
	}
	for _, name := range names {
		line := trendLine{Criterion: name}
		for i, t := range slices.Backward(all) {
			if score := t.AggregateScores[name]; score != nil {
				x := 50.0
				if len(all) > 1 {
					x = 2 + 96*float64(len(all)-1-i)/float64(len(all)-1)
				}
				line.Points = append(line.Points, trendPoint{x, 38 - 36*min(max(*score, 0), 1), *score, t})
			}
		}
		if len(line.Points) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}
