package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"understudy/domain/gate"
	"understudy/domain/scoring"
)

// Judgement is the scores of a test and what the quality gate says of them.
type Judgement struct {
	// Means has each criterion with evidence, Overall is nil without any.
	Means   map[string]float64
	Overall *float64
	Verdict gate.Verdict
}

// Judge judges the scores of a test's sessions by the criteria it asked for.
func Judge(t scoring.Tally, criteria []string, cfg gate.Config) Judgement {
	j := Judgement{Means: t.Means(criteria)}
	if score, ok := t.Overall(); ok {
		j.Overall = &score
	}
	j.Verdict = gate.Evaluate(cfg, criteria, j.Means, j.Overall)
	return j
}

// marginsOf lists the judged scores: the failed ones first, those that fall short
// most before the others, then those that passed, the nearest to their thresholds
// first. Those that are as near are in the order of the verdict.
func marginsOf(cfg gate.Config, j *Judgement, intervals map[string]Interval) []Margin {
	out := []Margin{}
	add := func(name string, score float64) {
		passed := !slices.Contains(j.Verdict.FailedCriteria, name)
		m := Margin{Criterion: name, Score: score, Threshold: cfg.ThresholdOf(name), Passed: passed, Interval: Interval{Low: 0, High: 1}}
		m.By = round4(score - m.Threshold)
		if interval, ok := intervals[name]; ok {
			m.Interval = Interval{Low: round4(interval.Low), High: round4(interval.High)}
		}
		m.Clear = passed && m.Interval.Low >= m.Threshold || !passed && m.Interval.High < m.Threshold
		out = append(out, m)
	}
	for _, name := range gate.Ordered(j.Means) {
		add(name, j.Means[name])
	}
	if j.Overall != nil {
		add(gate.Overall, *j.Overall)
	}
	slices.SortStableFunc(out, func(a, b Margin) int { return cmp.Or(one(a.Passed)-one(b.Passed), cmp.Compare(a.By, b.By)) })
	return out
}

// maxNamed is how many failed scores a summary names: a judgement, for a sentence.
const maxNamed = 3

// summaryOf is the verdict in a sentence: what failed and by how much, or what
// was nearest to failing; without any margin nothing could be judged. without
// are the criteria without evidence.
func summaryOf(margins []Margin, without []string) string {
	missing := "no evidence: " + strings.Join(without, ", ")
	if len(margins) == 0 {
		return missing
	}
	var parts []string
	failed := 0
	for _, m := range margins {
		if m.Passed {
			break
		}
		if failed++; failed <= maxNamed {
			parts = append(parts, m.shortfall())
		}
	}
	switch {
	case failed == 0:
		parts = append(parts, margins[0].spare())
	case failed > maxNamed:
		parts = append(parts, fmt.Sprintf("%d more", failed-maxNamed))
	}
	if len(without) > 0 {
		parts = append(parts, missing)
	}
	text := strings.Join(parts, "; ")
	if failed > 0 {
		return "failed: " + text
	}
	return text
}

func (m Margin) shortfall() string {
	score, by, threshold := m.told()
	return fmt.Sprintf("%s %s is %s below %s", m.Criterion, score, by, threshold)
}

func (m Margin) spare() string {
	score, by, threshold := m.told()
	return fmt.Sprintf("passed by %s; weakest: %s %s against %s", by, m.Criterion, score, threshold)
}

// told are the numbers of a margin with two decimals, with four where two would
// hide the difference.
func (m Margin) told() (score, by, threshold string) {
	format := "%.2f"
	if m.By != 0 && math.Abs(m.By) < 0.01 {
		format = "%.4f"
	}
	return fmt.Sprintf(format, m.Score), fmt.Sprintf(format, math.Abs(m.By)), fmt.Sprintf(format, m.Threshold)
}
