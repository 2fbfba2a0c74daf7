package findings_test

import (
	"fmt"
	"testing"

	"understudy/domain/findings"
	"understudy/domain/mind"
	"understudy/domain/mind/sandbox"
	"understudy/domain/persona"
	"understudy/domain/scoring"
)

func run(p persona.Persona, task, viewport string, siteSeed, seed uint64) mind.Walked {
	goal := mind.ParseTask(task, []string{"email", "password"})
	site := sandbox.New("https://shop.example.com/", task, viewport, siteSeed)
	m := mind.New(p, goal, seed, mind.Options{})
	w := mind.NewWalk(goal, p, mind.Options{})
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

func TestDemo(t *testing.T) {
	for _, task := range []string{"Sign up for a free account", "Buy a red lamp", "find out how to contact the company", "give up", "gate fails", "slow", "book a table for two"} {
		var scores []map[string]float64
		var ses []findings.Session
		out := map[string]int{}
		for i, p := range persona.AutoDiverse(7, 40) {
			w := run(p, task, []string{"desktop", "mobile"}[i%2], 44, uint64(i))
			scores = append(scores, scoring.Score(scoring.Collect(w)))
			ses = append(ses, findings.NewSession(fmt.Sprint(i), w))
			out[w.Outcome]++
		}
		m, o, _ := scoring.Aggregate(scores, scoring.Criteria)
		t.Log(task, out, m, o)
		is, lim := findings.Rank(ses)
		for _, i := range is {
			t.Log(i.Rank, i.Severity, i.Kind, i.Title, i.Frequency, i.Score)
		}
		t.Log(lim)
	}
}

func TestStory(t *testing.T) {
	n := 0
	for i, p := range persona.AutoDiverse(7, 40) {
		for _, task := range []string{"Sign up for a free account", "gate fails"} {
			w := run(p, task, []string{"desktop", "mobile"}[i%2], 44, uint64(i))
			if w.Outcome == mind.Succeeded || n > 1 {
				continue
			}
			n++
			t.Log(task, w.Outcome, w.Completion, p.Summary)
			for _, s := range w.Steps {
				t.Logf("%2d %s\n   %s | %s\n   %s %s %q %d ms, scent %.2f, frustration %.2f %v\n", s.Index, s.Page.URL, s.Decision.Observation, s.Decision.Thought,
					s.Decision.Action.Type, s.Decision.Purpose, s.Decision.Action.Text, s.Decision.SimulatedMS, s.Decision.Scent, s.Decision.Frustration, s.Signals)
			}
		}
	}
}
