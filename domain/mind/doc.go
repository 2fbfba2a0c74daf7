// Package mind is the cognitive model of a simulated user: what is perceived
// goes in, a decision and the thought behind it come out. It is pure and
// seeded: the same facets, goal, seed and looks give the same walk, whatever
// the machine, the clock or the persona's name.
//
// A walk is a loop that the caller owns:
//
//	goal := mind.ParseTask(task, inputNames)
//	m := mind.New(persona, goal, seed, mind.Tuning{})
//	w := mind.NewWalk(goal, persona)
//	page := look()
//	oracle := mind.NewOracle(goal, success, page)
//	var last mind.Effect
//	for range maxSteps {
//		oracle.Observe(page, last)
//		d := m.Step(page, last)
//		last = mind.Effect{}
//		if d.End == "" {
//			last = act(d.Action)
//		}
//		step := w.Record(page, d, last)      // step.Signals are complete now
//		if d.End != "" {
//			break
//		}
//		page = look()
//	}
//	oracle.Observe(page, last)
//	walked := w.Result(oracle.Verdict())
//	scores := scoring.Score(scoring.Collect(walked))
//	found := findings.NewSession(id, walked)
//
// Each Step perceives the page as the persona can (perceive.go), asks whether
// the goal is reached (success.go, answer.go), puts away what is in the way
// (interrupt.go), goes on with a form (forms.go, values.go), or follows the
// scent (forage.go, scent.go, lexicon.go). The Oracle looks at the same pages
// and the network with full sight and decides what the session counts as.
package mind
