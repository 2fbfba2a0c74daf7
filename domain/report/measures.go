package report

import (
	"math"

	"understudy/domain/gate"
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
	return Times{Unit: "simulated_seconds", All: describe(all), Succeeded: describe(won), NotSucceeded: describe(lost)}
}

// The bounds of lostness (Smith 1996): up to 0.4 nobody is lost, above 0.5
// people are.
const lostnessFine, lostnessLost = 0.4, 0.5

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
	values := make([]float64, len(a.walks))
	for i, w := range a.walks {
		values[i] = w.lostness(*l.FewestPages)
		switch {
		case values[i] <= lostnessFine:
			l.Fine++
		case values[i] > lostnessLost:
			l.Lost++
		}
	}
	l.L = describe(values)
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

// marginsOf lists the judged scores: the failed ones first, in the order of the
// verdict, then the others, overall last of each.
func marginsOf(cfg gate.Config, j *Judgement, intervals map[string]Interval) []Margin {
	out := []Margin{}
	add := func(name string, score float64, passed bool) {
		m := Margin{Criterion: name, Score: score, Threshold: cfg.ThresholdOf(name), Passed: passed, Interval: Interval{Low: 0, High: 1}}
		m.By = round4(score - m.Threshold)
		if interval, ok := intervals[name]; ok {
			m.Interval = Interval{Low: round4(interval.Low), High: round4(interval.High)}
		}
		m.Clear = passed && m.Interval.Low >= m.Threshold || !passed && m.Interval.High < m.Threshold
		out = append(out, m)
	}
	failed := map[string]bool{}
	for _, name := range j.Verdict.FailedCriteria {
		failed[name] = true
	}
	for _, passed := range []bool{false, true} {
		for _, name := range gate.Ordered(j.Means) {
			if failed[name] != passed {
				add(name, j.Means[name], passed)
			}
		}
		if j.Overall != nil && failed[gate.Overall] != passed {
			add(gate.Overall, *j.Overall, passed)
		}
	}
	return out
}

func round4(v float64) float64 { return math.Round(v*10000) / 10000 }
