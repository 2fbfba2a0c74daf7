package sandbox_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"understudy/domain/mind"
	"understudy/domain/mind/sandbox"
	"understudy/domain/persona"
)

// walk runs one session on the fake site, as the runner does.
func walk(p persona.Persona, task, viewport string, siteSeed, seed uint64) mind.Walked {
	goal := mind.ParseTask(task, []string{"email", "password"})
	site := sandbox.New("https://shop.example.com/", task, viewport, siteSeed)
	m := mind.New(p, goal, seed, mind.Tuning{})
	w := mind.NewWalk(goal, p)
	page := site.Page()
	oracle := mind.NewOracle(goal, mind.SuccessConditions{}, page)
	var last mind.Effect
	for range mind.DefaultMaxSteps {
		oracle.Observe(page, last)
		d := m.Step(page, last)
		last = mind.Effect{}
		if d.End == "" {
			last = site.Act(d.Action)
		}
		w.Record(page, d, last)
		if d.End != "" {
			break
		}
		page = site.Page()
	}
	oracle.Observe(page, last)
	return w.Result(oracle.Verdict())
}

// actions is what a walk did, for comparing walks.
func actions(w mind.Walked) string {
	var all []any
	for _, s := range w.Steps {
		all = append(all, s.Decision.Action, s.Decision.Thought, s.Decision.SimulatedMS)
	}
	out, _ := json.Marshal(all)
	return string(out)
}

var tasks = []string{
	"Sign up for a free account",
	"Buy a red lamp",
	"find out how to contact the company",
	"find out how to undo the last commit",
	"Log in with {{email}} and {{password}}",
	"Subscribe to the newsletter",
	"book a table for two",
	"Find the pricing page",
	"Find out how much the team plan costs",
	"add a blue vase to the cart",
	"search for garden chairs",
	"cancel my subscription",
	"download the annual report",
	"request a demo",
	"Find out when the shop is open, then contact support",
	"Repot a cactus",
}

func TestMostPersonasReachTheirGoal(t *testing.T) {
	t.Parallel()
	personas := persona.AutoDiverse(7, 20)
	for _, task := range tasks {
		for _, viewport := range []string{"desktop", "mobile"} {
			t.Run(task+"/"+viewport, func(t *testing.T) {
				t.Parallel()
				done := 0
				var lost string
				for i, p := range personas {
					w := walk(p, task, viewport, 42, uint64(i))
					if w.Outcome == mind.Succeeded {
						done++
					} else {
						lost = story(w)
					}
				}
				if done < 14 {
					t.Errorf("%d of %d reached the goal; one that did not:\n%s", done, len(personas), lost)
				}
			})
		}
	}
}

func story(w mind.Walked) string {
	out := fmt.Sprintf("%s: %s %+v goal %+v\n", w.Persona.Summary, w.Outcome, w.Completion, w.Goal.Subgoals)
	for _, s := range w.Steps {
		out += fmt.Sprintf("%2d %s\n   %s | %s\n   %s %s %q %d ms, scent %.2f, frustration %.2f %v\n", s.Index, s.Page.URL, s.Decision.Observation, s.Decision.Thought,
			s.Decision.Action.Type, s.Decision.Purpose, s.Decision.Action.Text, s.Decision.SimulatedMS, s.Decision.Scent, s.Decision.Frustration, s.Signals)
	}
	return out
}

func TestWalkRate(t *testing.T) {
	t.Parallel()
	n, ok := 0, 0
	steps := 0
	for i, p := range persona.AutoDiverse(3, 100) {
		for j, task := range tasks {
			w := walk(p, task, []string{"desktop", "mobile", "tablet"}[j%3], uint64(j), uint64(i))
			n++
			steps += len(w.Steps)
			if w.Outcome == mind.Succeeded {
				ok++
			}
		}
	}
	t.Logf("%d of %d reached, %.1f steps", ok, n, float64(steps)/float64(n))
	if float64(ok) < 0.75*float64(n) {
		t.Errorf("only %d of %d walks reached the goal", ok, n)
	}
}

func BenchmarkWalk(b *testing.B) {
	personas := persona.AutoDiverse(3, 100)
	i := 0
	for b.Loop() {
		walk(personas[i%100], tasks[i%len(tasks)], "desktop", 1, uint64(i))
		i++
	}
}
