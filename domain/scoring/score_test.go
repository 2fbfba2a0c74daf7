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
		{"stuck where the walk began", Navigation, Evidence{DistinctStates: 1, VisitedStates: 1, FewestStates: 1, Progress: 0.2}, -1},
		{"done on one page", Navigation, Evidence{Verified: true, DistinctStates: 1, VisitedStates: 1, FewestStates: 1, Progress: 1}, 1},
		{"lost", Navigation, Evidence{DistinctStates: 6, VisitedStates: 12, FewestStates: 2, Progress: 0}, (1 - math.Hypot(0.5, 2.0/3)) * 0.5},
		{"half the speed", Efficiency, Evidence{Verified: true, Seconds: 60, BestSeconds: 30}, 0.5},
		{"no success, no efficiency", Efficiency, Evidence{Seconds: 60, BestSeconds: 30}, 0},
		{"easy words", Readability, Evidence{Reading: Reading{Words: 100, Grade: 8, ToleratedGrade: 10, ShortBlockShare: 1}}, 1},
		{"hard words", Readability, Evidence{Reading: Reading{Words: 100, Grade: 19, ToleratedGrade: 10, UnfamiliarShare: 0.05, ShortBlockShare: 0}}, 0.15},
		{"nothing read", Readability, Evidence{}, -1},
		{"a serious rule, half the steps impeded", Accessibility, Evidence{RequiredSteps: 4, ImpededSteps: 2, RuleWeights: []float64{0.2}}, 0.5 * math.Exp(-0.2)},
		{"no step of the way, no barrier", Accessibility, Evidence{RequiredSteps: 1}, -1},
		{"no step of the way, shut out", Accessibility, Evidence{RequiredSteps: 1, ImpededSteps: 1}, 0},
		{"no step of the way, a rule fails", Accessibility, Evidence{RequiredSteps: 1, RuleWeights: []float64{0.4}}, math.Exp(-0.4)},
		{"one step and there", Accessibility, Evidence{Verified: true, RequiredSteps: 1}, 1},
		{"no error met", ErrorRecovery, Evidence{}, -1},
		{"a good error", ErrorRecovery, Evidence{Errors: []ErrorMet{{Resolved: true, InputKept: true, Specific: true}}}, 1},
		{"30 s, nothing kept", ErrorRecovery, Evidence{Errors: []ErrorMet{{Resolved: true, Seconds: 30}}}, 0.25},
		{"never resolved", ErrorRecovery, Evidence{Errors: []ErrorMet{{InputKept: true}}}, 0},
		{"averse and insecure", Trust, Evidence{RiskAversion: 1, Risks: []TrustRisk{Insecure, Insecure}}, 0.7},
		{"nowhere, no risk", Trust, Evidence{RiskAversion: 1, Progress: 0.4}, -1},
		{"nowhere, yet a risk", Trust, Evidence{RiskAversion: 1, Risks: []TrustRisk{Interruption}}, 0.9},
		{"filled in, no risk", Trust, Evidence{RiskAversion: 1, Entered: true}, 1},
		{"half of the way, no risk", Trust, Evidence{RiskAversion: 1, Progress: 0.5}, 1},
		{"there, no risk", Trust, Evidence{RiskAversion: 1, Verified: true}, 1},
		{"all good", Speed, Evidence{Views: []View{{LCPMS: 900}}}, 1},
		{"LCP at poor", Speed, Evidence{Views: []View{{LCPMS: 4000}}}, 0.5},
		{"the worst counts", Speed, Evidence{Views: []View{{LCPMS: 900, INPMS: 1000}}}, 0},
		{"unknown", Speed, Evidence{Views: []View{{}}}, -1},
	}
	for _, c := range cases {
		c.e.Steps = 1
		scores, missing := Score(c.e)
		got, ok := scores[c.criterion]
		if why := missing[c.criterion]; (why == "") != ok || len(scores)+len(missing) != len(Criteria) {
			t.Errorf("%s: scores %v, missing %v", c.name, scores, missing)
		}
		switch {
		case c.want < 0 && ok:
			t.Errorf("%s: %v without evidence", c.name, got)
		case c.want >= 0 && (!ok || math.Abs(got-c.want) > 1e-4):
			t.Errorf("%s: %v, want %.4f", c.name, got, c.want)
		}
	}
	if got, missing := Score(Evidence{}); len(got) != 0 || len(missing) != len(Criteria) {
		t.Errorf("a walk without steps has scores: %v, and of the others %v", got, missing)
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
