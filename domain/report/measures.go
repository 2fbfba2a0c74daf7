package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"understudy/domain/scoring"
	"understudy/domain/stats"
)

// bins of a histogram, each a tenth of [0,1] wide.
const bins = 10

func distributionOf(values []float64) Distribution {
	return Distribution{Description: *describe(values), Histogram: stats.Histogram(values, bins)}
}

func timesOf(sessions []Session) Times {
	var all, won, lost []float64
	for i := range sessions {
		t := sessions[i].SimulatedSeconds
		all = append(all, t)
		if sessions[i].Findings.Succeeded {
			won = append(won, t)
		} else {
			lost = append(lost, t)
		}
	}
	return Times{Unit: "simulated_seconds", All: timingOf(all), Succeeded: timingOf(won), NotSucceeded: timingOf(lost)}
}

// timingOf is nil without seconds.
func timingOf(seconds []float64) *Timing {
	if len(seconds) == 0 {
		return nil
	}
	return &Timing{Description: *describe(seconds), Typical: typical(seconds)}
}

// typical is the geometric mean of seconds, nil where there is none: without any,
// or where one is 0.
func typical(seconds []float64) *Estimate {
	mean := stats.GeometricMean(seconds)
	if !mean.Known() {
		return nil
	}
	e := Estimate{Value: round4(mean.Estimate), N: len(seconds)}
	if !math.IsInf(mean.High, 1) {
		low, high := round4(mean.Low), round4(mean.High)
		e.Low, e.High = &low, &high
	}
	return &e
}

// successOf is the share of the completed sessions that reached the goal, nil
// without any.
func successOf(c Counts) *Estimate {
	if c.Completed == 0 {
		return nil
	}
	low, high := stats.Wilson(c.Succeeded, c.Completed, stats.Z95)
	low, high = round4(low), round4(high)
	return &Estimate{Value: round4(float64(c.Succeeded) / float64(c.Completed)), Low: &low, High: &high, N: c.Completed}
}

// reasonsOf tells why no session has evidence for a criterion, the commonest
// reason first; "" where sessions were recorded without reasons.
func reasonsOf(sessions []Session, criterion string) string {
	counts := map[string]int{}
	for i := range sessions {
		if why := sessions[i].Reasons[criterion]; why != "" {
			counts[why]++
		}
	}
	if len(sessions) == 0 {
		return "no session was carried through"
	}
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, why := range reasons {
		reasons[i] = fmt.Sprintf("%s (%d of %s)", why, counts[why], plural(len(sessions), "session"))
	}
	return strings.Join(reasons, "; ")
}

// The bounds of lostness (Smith 1996): up to 0.4 nobody is lost, above 0.5
// people are. Both of its terms are below 1, and so it is below √2.
const lostnessFine, lostnessLost, lostnessMost = 0.4, 0.5, math.Sqrt2

func (a *atlas) lostness() Lostness {
	var l Lostness
	for _, w := range a.walks {
		if n := w.distinct(); w.session.Findings.Succeeded && (l.FewestPages == nil || n < *l.FewestPages) {
			l.FewestPages = &n
		}
	}
	if l.FewestPages == nil {
		return l
	}
	values, shares := make([]float64, len(a.walks)), make([]float64, len(a.walks))
	for i, w := range a.walks {
		values[i] = w.lostness(*l.FewestPages)
		shares[i] = values[i] / lostnessMost
		switch {
		case values[i] <= lostnessFine:
			l.Fine++
		case values[i] > lostnessLost:
			l.Lost++
		}
	}
	l.L = describe(values)
	interval := stats.MeanInterval(shares)
	l.Interval = &Interval{Low: round4(interval.Low * lostnessMost), High: round4(interval.High * lostnessMost)}
	return l
}

func (w journey) lostness(fewest int) float64 {
	return scoring.Lostness(w.distinct(), len(w.pages), fewest)
}

// straight counts the sessions that reached the goal, and those of them that
// were not lost on the way.
func (a *atlas) straight(fewest *int) (straight, arrived int) {
	for _, w := range a.walks {
		if w.session.Findings.Succeeded {
			arrived++
			straight += one(w.lostness(*fewest) <= lostnessFine)
		}
	}
	return straight, arrived
}

func round4(v float64) float64 { return math.Round(v*10000) / 10000 }
