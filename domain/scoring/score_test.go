package scoring

import (
	"math"
	"testing"
)

func TestFormulas(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, criterion string
		e               Evidence
		want            float64 // -1: no evidence
	}{
		{"verified", TaskCompletion, Evidence{Verified: true}, 1},
		{"half of the subgoals", TaskCompletion, Evidence{SubgoalsDone: 1, SubgoalsTotal: 2}, 0.2},
		{"found at once", CTAFindability, Evidence{Decisions: []Decision{{Reached: true}}}, 1},
		{"30 s and one wrong click", CTAFindability, Evidence{Decisions: []Decision{{Reached: true, ExcessSeconds: 30, WrongClicks: 1}}}, math.Exp(-1) / 2},
		{"one of two not reached", CTAFindability, Evidence{Decisions: []Decision{{Reached: true}, {}}}, 0.5},
		{"no decision", CTAFindability, Evidence{}, -1},
		{"straight to the goal", Navigation, Evidence{DistinctStates: 3, VisitedStates: 3, FewestStates: 3, Progress: 1}, 1},
		{"lost", Navigation, Evidence{DistinctStates: 6, VisitedStates: 12, FewestStates: 2, Progress: 0}, (1 - math.Hypot(0.5, 2.0/3)) * 0.5},
		{"half the speed", Efficiency, Evidence{Verified: true, Seconds: 60, BestSeconds: 30}, 0.5},
		{"no success, no efficiency", Efficiency, Evidence{Seconds: 60, BestSeconds: 30}, 0},
		{"easy words", Readability, Evidence{Reading: Reading{Words: 100, Grade: 8, ToleratedGrade: 10, ShortBlockShare: 1}}, 1},
		{"hard words", Readability, Evidence{Reading: Reading{Words: 100, Grade: 19, ToleratedGrade: 10, UnfamiliarShare: 0.05, ShortBlockShare: 0}}, 0.15},
		{"nothing read", Readability, Evidence{}, -1},
		{"a serious rule, half the steps impeded", Accessibility, Evidence{RequiredSteps: 4, ImpededSteps: 2, RuleWeights: []float64{0.2}}, 0.5 * math.Exp(-0.2)},
		{"no error met", ErrorRecovery, Evidence{}, -1},
		{"a good error", ErrorRecovery, Evidence{Errors: []ErrorMet{{Resolved: true, InputKept: true, Specific: true}}}, 1},
		{"30 s, nothing kept", ErrorRecovery, Evidence{Errors: []ErrorMet{{Resolved: true, Seconds: 30}}}, 0.25},
		{"never resolved", ErrorRecovery, Evidence{Errors: []ErrorMet{{InputKept: true}}}, 0},
		{"averse and insecure", Trust, Evidence{RiskAversion: 1, Risks: []TrustRisk{Insecure, Insecure}}, 0.7},
		{"all good", Speed, Evidence{Views: []View{{LCPMS: 900}}}, 1},
		{"LCP at poor", Speed, Evidence{Views: []View{{LCPMS: 4000}}}, 0.5},
		{"the worst counts", Speed, Evidence{Views: []View{{LCPMS: 900, INPMS: 1000}}}, 0},
		{"unknown", Speed, Evidence{Views: []View{{}}}, -1},
	}
	for _, c := range cases {
		c.e.Steps = 1
		got, ok := Score(c.e)[c.criterion]
		switch {
		case c.want < 0 && ok:
			t.Errorf("%s: %v without evidence", c.name, got)
		case c.want >= 0 && (!ok || math.Abs(got-c.want) > 1e-4):
			t.Errorf("%s: %v, want %.4f", c.name, got, c.want)
		}
	}
	if got := Score(Evidence{}); len(got) != 0 {
		t.Errorf("a walk without steps has scores: %v", got)
	}
}

func TestLostness(t *testing.T) {
	t.Parallel()
	if got := Lostness(3, 3, 3); got != 0 {
		t.Errorf("the straight way: %v", got)
	}
	if got := Lostness(5, 10, 3); got <= 0.5 {
		t.Errorf("twice over everything is not lost: %v", got)
	}
	if got := Lostness(2, 2, 9); got != 0 {
		t.Errorf("R/N is not cut at 1: %v", got)
	}
}

func TestAggregateLeavesOutWhatHasNoEvidence(t *testing.T) {
	t.Parallel()
	sessions := []map[string]float64{{TaskCompletion: 1, Speed: 0.5}, {TaskCompletion: 0.5}, {}}
	means, overall, ok := Aggregate(sessions, []string{TaskCompletion, Speed, ErrorRecovery})
	if !ok || means[TaskCompletion] != 0.75 || means[Speed] != 0.5 || math.Abs(overall-0.625) > 1e-9 {
		t.Errorf("%v, %v, %v", means, overall, ok)
	}
	if _, there := means[ErrorRecovery]; there {
		t.Error("a criterion without evidence has a mean")
	}
	if _, _, ok := Aggregate(nil, Default); ok {
		t.Error("no sessions have an overall score")
	}
}
