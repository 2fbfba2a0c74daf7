package sandbox_test

import (
	"reflect"
	"testing"

	"understudy/domain/gate"
	"understudy/domain/persona"
	"understudy/domain/sandbox"
	"understudy/domain/scoring"
	"understudy/domain/walk"
)

func TestSameSeedSameWalk(t *testing.T) {
	t.Parallel()
	differ := 0
	for i, p := range persona.AutoDiverse(11, 30) {
		task := tasks[i%len(tasks)]
		w := visit(p, task, "mobile", 5, uint64(i))
		if again := visit(p, task, "mobile", 5, uint64(i)); actions(w) != actions(again) {
			t.Errorf("%q, seed %d: two walks differ:\n%s\n%s", task, i, story(w), story(again))
		}
		if other := visit(p, task, "mobile", 5, uint64(i+1000)); actions(w) != actions(other) {
			differ++
		}
	}
	if differ == 0 {
		t.Error("the seed changes nothing")
	}
}

func TestRenamingAPersonaChangesNothing(t *testing.T) {
	t.Parallel()
	for i, p := range persona.AutoDiverse(12, 10) {
		q := p
		q.Name, q.Summary, q.ID = "Somebody Else", "Nothing like before.", "per_other"
		for _, task := range tasks {
			if a, b := actions(visit(p, task, "desktop", 1, uint64(i))), actions(visit(q, task, "desktop", 1, uint64(i))); a != b {
				t.Errorf("%q: the name changed the walk", task)
			}
		}
	}
}

func TestChangingAFacetChangesWalks(t *testing.T) {
	t.Parallel()
	base := persona.Persona{Name: "Base"}
	for name, change := range map[string]func(*persona.Facets){
		"risk":       func(f *persona.Facets) { f.RiskAttitude = persona.Averse },
		"processing": func(f *persona.Facets) { f.InformationProcessing = persona.Comprehensive },
		"reading":    func(f *persona.Facets) { f.ReadingWPM = 100 },
		"typing":     func(f *persona.Facets) { f.TypingWPM = 12 },
		"age":        func(f *persona.Facets) { f.AgeBand = "75+" },
		"keyboard":   func(f *persona.Facets) { f.KeyboardOnly = true },
		"reader":     func(f *persona.Facets) { f.ScreenReader = true },
		"motor":      func(f *persona.Facets) { f.MotorPrecision = 0.1 },
	} {
		p := base
		change(&p.Facets)
		differs := false
		for i, task := range tasks {
			differs = differs || actions(visit(base, task, "desktop", 2, uint64(i))) != actions(visit(p, task, "desktop", 2, uint64(i)))
		}
		if !differs {
			t.Errorf("%s: no walk changed", name)
		}
	}
}

func TestMagicTasks(t *testing.T) {
	t.Parallel()
	for task, magic := range map[string]string{
		"fail": sandbox.MagicFail, " Give Up ": sandbox.MagicGiveUp, "SLOW": sandbox.MagicSlow, "gate fails": sandbox.MagicGateFails,
		"find out why uploads fail": "", "slow cooker": "", "": "",
	} {
		if got := sandbox.Magic(task); got != magic {
			t.Errorf("Magic(%q) = %q, want %q", task, got, magic)
		}
	}
	if err := sandbox.New("https://a.com", "fail", "desktop", 1).Failure(); err == nil {
		t.Error("fail does not fail")
	}
	if err := sandbox.New("https://a.com", "buy a lamp", "desktop", 1).Failure(); err != nil {
		t.Error(err)
	}
	if sandbox.New("https://a.com", "slow", "desktop", 1).StepDelayMS() == 0 || sandbox.New("https://a.com", "buy", "desktop", 1).StepDelayMS() != 0 {
		t.Error("only slow is slow")
	}
	for i, p := range persona.AutoDiverse(1, 20) {
		for site := range uint64(5) {
			if w := visit(p, "give up", "mobile", site, uint64(i)); w.Outcome != walk.GaveUp {
				t.Errorf("give up: %s", story(w))
			}
		}
	}
}

func TestGateFailsFailsEveryGate(t *testing.T) {
	t.Parallel()
	for site := range uint64(5) {
		for _, c := range []struct {
			task string
			pass bool
		}{{"gate fails", false}, {"give up", false}, {"Sign up for the newsletter", true}, {"buy a red lamp", true}, {"slow", true}} {
			var scores []map[string]float64
			for i, p := range persona.AutoDiverse(site, 20) {
				w := visit(p, c.task, []string{"desktop", "mobile"}[i%2], site, uint64(i))
				if len(w.Steps) == 0 {
					t.Fatal("a walk without steps")
				}
				own, _ := scoring.Score(scoring.Collect(w))
				scores = append(scores, own)
			}
			tally := scoring.Aggregate(scores, scoring.Default)
			means := tally.Means(scoring.Default)
			overall, ok := tally.Overall()
			v := gate.Evaluate(gate.Config{Threshold: 0.5}, scoring.Default, means, &overall)
			if !ok || v.Passed != c.pass {
				t.Errorf("site %d, %q: %v overall %.2f: %+v", site, c.task, means, overall, v)
			}
		}
	}
}

func TestScoresStayInRange(t *testing.T) {
	t.Parallel()
	for i, p := range persona.AutoDiverse(4, 40) {
		for _, task := range tasks {
			w := visit(p, task, "mobile", uint64(i), uint64(i))
			e := scoring.Collect(w)
			scores, missing := scoring.Score(e)
			again, without := scoring.Score(scoring.Collect(w))
			if !reflect.DeepEqual(scores, again) || !reflect.DeepEqual(missing, without) {
				t.Fatal("scores are not reproducible")
			}
			for c, v := range scores {
				if v < 0 || v > 1 {
					t.Errorf("%q %s = %v", task, c, v)
				}
			}
			if e.BestSeconds > e.Seconds || e.FewestStates > e.DistinctStates || e.DistinctStates > e.VisitedStates {
				t.Errorf("%q: %+v", task, e)
			}
		}
	}
}
