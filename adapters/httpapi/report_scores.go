package httpapi

import (
	"maps"
	"slices"
	"strings"

	"understudy/domain/report"
	"understudy/projections/reports"
)

// scoreRow is a line of the table of scores.
type scoreRow struct {
	Criterion string
	Score     *float64
	// Reason is why there is no score, "" where that is not known.
	Reason   string
	Interval *report.Interval
	Spread   *report.Distribution
	Margin   *report.Margin
	Formula  string
}

// overall is the name under which the mean of the criteria stands.
const overall = "overall"

// scoreRows has overall first, then the criteria in the order of their names,
// those without evidence among them.
func scoreRows(r reports.Document) []scoreRow {
	scores := map[string]*float64{}
	for _, criterion := range r.WithoutEvidence {
		scores[criterion] = nil
	}
	maps.Copy(scores, r.AggregateScores)
	rows := make([]scoreRow, 0, len(scores))
	for criterion, score := range scores {
		row := scoreRow{Criterion: criterion, Score: score, Reason: r.Reasons[criterion], Formula: r.Formulas[criterion]}
		if interval, ok := r.Intervals[criterion]; ok {
			row.Interval = &interval
		}
		if spread, ok := r.Distributions[criterion]; ok && len(spread.Histogram) > 0 {
			row.Spread = &spread
		}
		if i := slices.IndexFunc(r.QualityGate.Margins, func(m report.Margin) bool { return m.Criterion == criterion }); i >= 0 {
			row.Margin = &r.QualityGate.Margins[i]
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b scoreRow) int {
		if (a.Criterion == overall) != (b.Criterion == overall) {
			if a.Criterion == overall {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Criterion, b.Criterion)
	})
	return rows
}

// column is one bar of a histogram, in percent of the chart's height.
type column struct {
	X       int
	Y, Tall float64
}

// columns are the bars of a histogram, the tallest as high as the chart.
func columns(counts []int) []column {
	most := 1
	for _, n := range counts {
		most = max(most, n)
	}
	out := make([]column, len(counts))
	for i, n := range counts {
		tall := 100 * float64(n) / float64(most)
		if n > 0 {
			tall = max(tall, 6) // one of 10,000 is still to be seen
		}
		out[i] = column{X: 10 * i, Y: 100 - tall, Tall: tall}
	}
	return out
}

// atWidth is how far to the right the mark of an estimate may begin, so that
// all of it is seen at 100 %.
const atWidth = 98.4

// gauge is an interval with its estimate as a drawing of 100 units' width.
// Fill is the estimate itself.
type gauge struct{ Fill, At, Low, Wide float64 }

func gaugeOf(at, low, high float64) gauge {
	low = min(low, 0.995)
	return gauge{Fill: 100 * at, At: atWidth * at, Low: 100 * low, Wide: max(0.5, 100*(high-low))}
}
