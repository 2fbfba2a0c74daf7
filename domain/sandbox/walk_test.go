package sandbox_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"understudy/domain/forager"
	"understudy/domain/oracle"
	"understudy/domain/persona"
	"understudy/domain/sandbox"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// visit runs one session on the fake site, as the runner does.
func visit(p persona.Persona, what, viewport string, siteSeed, seed uint64) walk.Walked {
	goal := task.Parse(what, []string{"email", "password"})
	site := sandbox.New("https://shop.example.com/", what, viewport, siteSeed)
	m, judge, log := forager.New(p, goal, seed), oracle.New(goal, walk.Conditions{}), walk.NewWalk(goal, p)
	page, did := site.Page(), walk.Deed{}
	for range walk.DefaultMaxSteps {
		judge.Observe(page, did)
		d := m.Step(page, did.Effect)
		did = walk.Deed{Action: d.Action, Target: d.Target, DwellMS: d.SimulatedMS}
		if d.End == "" {
			did.Effect = site.Act(d.Action)
		}
		log.Record(page, d, did.Effect)
		if d.End != "" {
			judge.Observe(page, did)
			return log.Result(judge.Verdict())
		}
		page = site.Page()
	}
	judge.Observe(page, did)
	judge.Observe(page, walk.Deed{Action: walk.Action{Type: walk.GiveUp}})
	return log.Result(judge.Verdict())
}

// actions is what a walk did, for comparing walks.
func actions(w walk.Walked) string {
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
	"vote for the song",
	"download the annual report",
	"request a demo",
	"Find out when the shop is open, then contact support",
	"Repot a cactus",
}

func TestMostPersonasReachTheirGoal(t *testing.T) {
	t.Parallel()
	personas := persona.AutoDiverse(7, 20)
	for _, what := range tasks {
		for _, viewport := range []string{"desktop", "mobile"} {
			t.Run(what+"/"+viewport, func(t *testing.T) {
				t.Parallel()
				done := 0
				var lost string
				for i, p := range personas {
					w := visit(p, what, viewport, 42, uint64(i))
					if w.Outcome == walk.Succeeded {
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

func story(w walk.Walked) string {
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
	for i, p := range persona.AutoDiverse(3, 40) {
		for j, what := range tasks {
			w := visit(p, what, []string{"desktop", "mobile", "tablet"}[j%3], uint64(j), uint64(i))
			n++
			steps += len(w.Steps)
			if w.Outcome == walk.Succeeded {
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
		visit(personas[i%100], tasks[i%len(tasks)], "desktop", 1, uint64(i))
		i++
	}
}
