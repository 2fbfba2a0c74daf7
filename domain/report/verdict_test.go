package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain/gate"
	"understudy/domain/report"
	"understudy/domain/scoring"
)

type by = map[string]float64

// scored are sessions with these scores, and reasons for the other criteria.
func scored(reason string, all ...by) (sessions []report.Session) {
	for i, scores := range all {
		s := walked(fmt.Sprint(i), scores[scoring.TaskCompletion] == 1, 10, 0, "home")
		s.Scores, s.Reasons = scores, map[string]string{}
		for _, c := range scoring.Criteria {
			if _, has := scores[c]; !has {
				s.Reasons[c] = reason
			}
		}
		sessions = append(sessions, s)
	}
	return sessions
}

func TestTheGateInASentence(t *testing.T) {
	t.Parallel()
	four := []string{scoring.TaskCompletion, scoring.CTAFindability, scoring.Trust, scoring.Speed}
	for _, c := range []struct {
		name     string
		scores   []by
		criteria []string
		gate     gate.Config
		order    []string
		want     string
	}{
		{
			"what failed, the worst first", []by{{scoring.TaskCompletion: 0.4, scoring.CTAFindability: 0.65}}, four[:2], gate.Config{},
			[]string{"task_completion", "overall", "cta_findability"},
			"failed: task_completion 0.40 is 0.30 below 0.70; overall 0.40 is 0.30 below 0.70; cta_findability 0.65 is 0.05 below 0.70",
		}, {
			"no more than three are named", []by{{scoring.TaskCompletion: 0, scoring.CTAFindability: 0.1, scoring.Trust: 0.2, scoring.Speed: 0.9}}, four, gate.Config{},
			[]string{"task_completion", "overall", "cta_findability", "trust", "speed"},
			"failed: task_completion 0.00 is 0.70 below 0.70; overall 0.00 is 0.70 below 0.70; cta_findability 0.10 is 0.60 below 0.70; 1 more",
		}, {
			"the nearest to failing", []by{{scoring.TaskCompletion: 1, scoring.CTAFindability: 0.82}}, four[:2], gate.Config{},
			[]string{"cta_findability", "overall", "task_completion"},
			"passed by 0.12; weakest: cta_findability 0.82 against 0.70",
		}, {
			"by thresholds of their own", []by{{scoring.TaskCompletion: 1, scoring.CTAFindability: 0.5}}, four[:2],
			gate.Config{Threshold: 0.7, Criteria: by{scoring.CTAFindability: 0.45, scoring.TaskCompletion: 0.99}},
			[]string{"task_completion", "cta_findability", "overall"},
			"passed by 0.01; weakest: task_completion 1.00 against 0.99",
		}, {
			"a hair's breadth is told", []by{{scoring.TaskCompletion: 0.6996}}, four[:1], gate.Config{},
			[]string{"task_completion", "overall"},
			"failed: task_completion 0.6996 is 0.0004 below 0.7000; overall 0.6996 is 0.0004 below 0.7000",
		}, {
			"what nobody exercised is named", []by{{scoring.TaskCompletion: 1}}, []string{scoring.TaskCompletion, scoring.Trust}, gate.Config{},
			[]string{"task_completion", "overall"},
			"passed by 0.30; weakest: task_completion 1.00 against 0.70; no evidence: trust",
		}, {
			"nothing to judge", []by{{scoring.TaskCompletion: 1}}, four[2:], gate.Config{}, nil, "no evidence: trust, speed",
		},
	} {
		g := build(t, report.Input{Sessions: scored("none", c.scores...), Criteria: c.criteria, Gate: c.gate}).QualityGate
		var order []string
		for _, m := range g.Margins {
			order = append(order, m.Criterion)
		}
		if g.Summary != c.want || !slices.Equal(order, c.order) {
			t.Errorf("%s: %q of %v, want %q of %v", c.name, g.Summary, order, c.want, c.order)
		}
	}
}

// TestNobodyGotThere: a way that was pleasant as far as it went makes no good
// score, and what could not be exercised has none, and says why.
func TestNobodyGotThere(t *testing.T) {
	t.Parallel()
	criteria := []string{scoring.TaskCompletion, scoring.Readability, scoring.Speed, scoring.Trust, scoring.ErrorRecovery}
	pleasant := by{scoring.TaskCompletion: 0.2, scoring.Readability: 1, scoring.Speed: 1}
	sessions := scored("nobody came that far", pleasant, pleasant, pleasant)
	sessions[2].Reasons[scoring.Trust] = "another"
	sessions[2].Reasons[scoring.ErrorRecovery] = ""
	d := build(t, report.Input{Sessions: sessions, Criteria: criteria})
	if d.AggregateScores[gate.Overall] != 0.2 || d.AggregateScores[scoring.Speed] != 1 || d.QualityGate.Passed {
		t.Errorf("scores %v, gate %+v", d.AggregateScores, d.QualityGate)
	}
	if _, scored := d.AggregateScores[scoring.Trust]; scored || !slices.Equal(d.WithoutEvidence, criteria[3:]) {
		t.Errorf("trust %v; without evidence %v", d.AggregateScores, d.WithoutEvidence)
	}
	if got, want := d.Reasons[scoring.Trust], "nobody came that far (2 of 3 sessions); another (1 of 3 sessions)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range sessions {
		sessions[i].Reasons = nil // as they were recorded before there were any
	}
	if old := build(t, report.Input{Sessions: sessions, Criteria: criteria}); len(old.Reasons) != 0 || !slices.Equal(old.WithoutEvidence, criteria[3:]) {
		t.Errorf("reasons %v, without evidence %v", old.Reasons, old.WithoutEvidence)
	}
	none := build(t, report.Input{Failed: 3, Criteria: criteria})
	if len(none.QualityGate.FailedCriteria) != len(criteria) || none.QualityGate.Reason != gate.NoEvidence || none.QualityGate.Passed || none.QualityGate.Score != nil || none.QualityGate.Summary != "no evidence: "+strings.Join(criteria, ", ") ||
		none.Reasons[scoring.TaskCompletion] != "no session was carried through" || none.Success != nil || none.Predicted != nil {
		t.Errorf("%+v, %v, %+v, %+v", none.QualityGate, none.Reasons, none.Success, none.Predicted)
	}
}

// TestEveryNumberLiesInItsInterval: whatever the sessions, scores, success,
// times, lostness and predictions lie within their intervals, and overall within
// what task_completion allows.
func TestEveryNumberLiesInItsInterval(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var sessions []report.Session
		for i := range rapid.IntRange(1, 9).Draw(rt, "sessions") {
			won := rapid.Bool().Draw(rt, "won")
			s := walked(fmt.Sprint(i), won, rapid.Float64Range(1, 300).Draw(rt, "seconds"), map[bool]float64{true: 1, false: 0.2}[won],
				rapid.SliceOfN(rapid.SampledFrom([]string{"home", "plans", "done"}), 1, 6).Draw(rt, "pages")...)
			if v := rapid.Float64Range(-0.5, 1).Draw(rt, "trust"); v >= 0 {
				s.Scores[scoring.Trust] = v
			}
			sessions = append(sessions, s)
		}
		d := build(t, report.Input{Sessions: sessions, Criteria: []string{scoring.TaskCompletion, scoring.Trust}})
		within := func(name string, v, low, high float64) {
			if v < low-1e-4 || v > high+1e-4 {
				rt.Fatalf("%s is %v, outside of %v to %v", name, v, low, high)
			}
		}
		estimate := func(name string, e *report.Estimate) {
			if e != nil && e.Low != nil {
				within(name, e.Value, *e.Low, *e.High)
			}
		}
		for c, v := range d.AggregateScores {
			within(c, v, d.Intervals[c].Low, d.Intervals[c].High)
			within(c, v, 0, 1)
		}
		within("overall", d.AggregateScores[gate.Overall], 0, d.AggregateScores[scoring.TaskCompletion])
		estimate("success", d.Success)
		for name, times := range map[string]*report.Timing{"all": d.Time.All, "won": d.Time.Succeeded, "lost": d.Time.NotSucceeded} {
			if times != nil {
				estimate(name, times.Typical)
				within(name, times.Typical.Value, times.Min, times.Max)
				within(name, times.Typical.Value, 0, times.Mean)
			}
		}
		if l := d.Lostness; l.L != nil {
			within("lostness", l.L.Mean, l.Interval.Low, l.Interval.High)
		}
		estimate("SEQ", &d.Predicted.SEQ.Estimate)
		within("SEQ", *d.Predicted.SEQ.Low, 1, 7)
		within("SEQ", *d.Predicted.SEQ.High, 1, 7)
	})
}

// TestPredictions are on the line through what is known of people, and say that
// they are predictions.
func TestPredictions(t *testing.T) {
	t.Parallel()
	var all []by
	for i := range 50 {
		all = append(all, by{scoring.TaskCompletion: map[bool]float64{true: 1, false: 0}[i < 39]}) // 78 %
	}
	p := build(t, report.Input{Sessions: scored("", all...)}).Predicted
	if p.SEQ.Value != 5.5 || p.SEQ.People != 5.5 || p.SEQ.N != 50 || p.Time.Value != 10 || p.Time.N != 39 {
		t.Errorf("as many get there as usual: %+v, %+v", p.SEQ, p.Time)
	}
	for _, said := range []string{"Predicted: no person took part", "Sauro", "an assumption", "between 4.1 and 5.9", "Spearman"} {
		if !strings.Contains(p.Note, said) {
			t.Errorf("the note lacks %q: %s", said, p.Note)
		}
	}
	if lost := build(t, report.Input{Sessions: scored("", all[39:]...)}).Predicted; lost.SEQ.Value > 4.1 || lost.Time != nil {
		t.Errorf("nobody got there: %+v, %+v", lost.SEQ, lost.Time)
	}
}
