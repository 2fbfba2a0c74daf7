package findings

import (
	"net/url"
	"slices"

	"understudy/domain/task"
	"understudy/domain/walk"
)

// lost finds pages on the way that promised nothing of the goal, the page
// behind the last thing that was sent and taken when a walk went astray from
// there, the page called what was looked for to which a walk came back in vain,
// and the page on which it was given up. Searching less than searchMS without a wrong
// turn is reading, not being lost; a wrong turn owes nobody a way on.
func (x *examined) lost() {
	if x.unsure() {
		return // who may have stood before it was not left without a way on
	}
	said := map[string]bool{}
	x.signals(walk.SigLostScent, func(i int, _ walk.Signal, _ *walk.Element) {
		if !x.onTheWay(i) || x.elsewhere(i) || x.blameless(i) {
			return
		}
		cost := x.lostFrom(i)
		if cost < searchMS && x.w.Outcome == walk.Succeeded {
			return
		}
		o := x.about(i, LostScent, Observed, nil)
		o.CostMS = cost
		said[x.places[i]] = true
		x.add(o)
	})
	x.wandered(said)
	x.namesake(said)
	x.guessed(said)
	last := len(x.w.Steps) - 1
	if last < 0 || !x.fellShort() {
		return
	}
	if i := x.taken; i >= 0 && !said[x.places[i]] && x.astray(i) {
		o := x.about(i, LostScent, Observed, nil)
		o.CostMS, o.Astray = x.w.SimulatedMS-x.w.Steps[i].ClockMS, true
		said[x.places[i]] = true
		x.add(o)
	}
	if x.stuck() {
		return // where the budget happened to end says nothing
	}
	if !said[x.places[last]] && !x.elsewhere(last) && !x.blameless(last) && x.w.Steps[last].Page.Status < 400 && !x.filledAt(last) {
		o := x.about(last, LostScent, Observed, nil)
		o.CostMS = x.w.Steps[last].Decision.SimulatedMS
		x.add(o)
	}
}

// elsewhere: the page has nothing on it and is another site's: whatever kept it
// from loading, the tested site is not to blame.
func (x *examined) elsewhere(i int) bool {
	start, err := url.Parse(x.w.Steps[0].Page.URL)
	page := &x.w.Steps[i].Page
	here, errHere := url.Parse(page.URL)
	return err == nil && errHere == nil && here.Host != start.Host && len(page.Elements) == 0 && len(page.Texts) == 0
}

// blameless: the way on from a step's page is known to be elsewhere. Before the
// step the walk had got further than here, to what stops everybody, and it never
// got past that: what is tried afterwards on pages that had led on before says
// nothing about them. Or something here did nothing because scripts of other
// sites were out of reach.
func (x *examined) blameless(i int) bool {
	here := slices.Index(x.places, x.places[i])
	return slices.ContainsFunc(x.out, func(o Observation) bool {
		there := slices.Index(x.places, o.Place)
		return o.Kind == LimitScript && there == here ||
			o.Channel == Observed && weightOf[o.Kind] == 3 && here < there && there < i && !x.leftBehind(&o)
	})
}

// unsure: something was to be found, the walk stood before what looks like it,
// and nothing told it or the oracle for certain.
func (x *examined) unsure() bool {
	n := len(x.w.Goal.Subgoals)
	return n > 0 && x.w.Goal.Subgoals[n-1].Kind != task.Act && x.w.Outcome != walk.Succeeded &&
		x.w.Completion.Status == walk.Unverified && x.w.Completion.Confidence >= unsureLeast
}

// unsureLeast is the oracle's confidence from which a walk that looked for
// something may well have seen it: just below certainty (an assumption).
const unsureLeast = 0.75

// namesakeLeast is how well a page's name must fit what is to be done for it to
// be the page of the thing itself (an assumption).
const namesakeLeast = 0.6

// namesake finds the page that is called what was to be done, where a walk that
// never did it came by twice and more: that page has no way on that is seen.
func (x *examined) namesake(said map[string]bool) {
	n := len(x.w.Goal.Subgoals)
	if x.w.Outcome == walk.Succeeded || n == 0 || x.w.Goal.Subgoals[n-1].Kind != task.Act {
		return
	}
	visits, first := map[string]int{}, map[string]int{}
	at, best := -1, namesakeLeast
	for i, place := range x.places {
		if i > 0 && x.places[i-1] == place {
			continue
		}
		if visits[place]++; visits[place] == 1 {
			first[place] = i
		}
		if p := x.promise(i, walk.MainHeading(&x.w.Steps[i].Page)); visits[place] == 2 && !said[place] && p > best && !x.blameless(i) {
			at, best = first[place], p
		}
	}
	if at < 0 {
		return
	}
	o := x.about(at, LostScent, Observed, nil)
	o.CostMS = x.w.SimulatedMS - x.w.Steps[at].ClockMS
	said[x.places[at]] = true
	x.add(o)
}

// astray: after step i the walk left its place for one that led nowhere.
func (x *examined) astray(i int) bool {
	for j := i; j < len(x.w.Steps); j++ {
		if x.places[j] != x.places[i] && !x.onWay[j] || x.w.Steps[j].Decision.End != "" {
			return true
		}
	}
	return false
}

// wandered finds places on the way from which a walk took two wrong turns and
// more before it went on: nothing there said clearly enough which way is right.
func (x *examined) wandered(said map[string]bool) {
	wrong, cost, first := map[string]int{}, map[string]int{}, map[string]int{}
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		if x.onWay[i] || r.Decision.Purpose != walk.Navigate || !r.Effect.Navigated {
			continue
		}
		if _, known := first[x.places[i]]; !known {
			first[x.places[i]] = i
		}
		wrong[x.places[i]]++
		for j := i; j < len(x.w.Steps) && !x.onWay[j] && (j == i || x.places[j] != x.places[i]); j++ {
			cost[x.places[i]] += x.w.Steps[j].Decision.SimulatedMS
		}
	}
	for i := range x.w.Steps {
		place := x.places[i]
		if at, known := first[place]; !known || at != i || said[place] || wrong[place] < 2 || cost[place] < 2*searchMS || !x.onTheWay(i) || x.blameless(i) {
			continue
		}
		o := x.about(i, LostScent, Observed, nil)
		o.Detail, o.CostMS = counted(wrong[place], "wrong turn"), cost[place]
		said[place] = true
		x.add(o)
	}
}

// guessed finds pages that a successful walk searched through and then left by
// something that promised little, for a page that does offer what is clearly
// about the goal: the site has the words, this page does not. One guess is a
// person's; it counts where people do not agree on where to go (ways.split).
func (x *examined) guessed(said map[string]bool) {
	if x.w.Outcome != walk.Succeeded {
		return
	}
	searched := map[string]int{}
	for i := range x.w.Steps {
		d := &x.w.Steps[i].Decision
		if d.Purpose == walk.ReadOn || d.Purpose == walk.OpenMenu || d.Purpose == walk.Navigate {
			searched[x.places[i]] += d.SimulatedMS
		}
		if !x.onWay[i] || said[x.places[i]] || d.Purpose != walk.Navigate || d.Target == nil || d.Scent >= relevantPromise ||
			searched[x.places[i]] < searchMS || i+1 == len(x.places) || x.places[i+1] == x.places[i] || !x.offered(i+1) {
			continue
		}
		o := x.about(i, LostScent, Observed, nil)
		o.Guess, o.CostMS = true, searched[x.places[i]]
		said[x.places[i]] = true
		x.add(o)
	}
}

// offered: something on the step's page is clearly about the goal.
func (x *examined) offered(i int) bool {
	return slices.ContainsFunc(x.w.Steps[i].Page.Elements, func(e walk.Element) bool {
		return !walk.IsField(&e) && x.promise(i, e.Name) >= relevantPromise
	})
}

// onTheWay: the step's page is where the walk began or ended, or one that the
// way leads over.
func (x *examined) onTheWay(i int) bool {
	if x.places[i] == x.places[0] || x.places[i] == x.places[len(x.places)-1] {
		return true
	}
	for j := range x.places {
		if x.onWay[j] && x.places[j] == x.places[i] {
			return true
		}
	}
	return false
}

// limits reports where the simulation, and not the page, was the end: an action
// that could not be carried out, a language model that gave out, the budget of steps,
// a task that was not understood.
func (x *examined) limits() {
	x.signals(walk.SigActionFailed, func(i int, s walk.Signal, _ *walk.Element) {
		o := x.observe(i, LimitAction, Limit)
		o.Detail = s.Detail
		x.add(o)
	})
	x.signals(walk.SigLimitInputs, func(i int, s walk.Signal, _ *walk.Element) {
		o := x.about(i, LimitInputs, Limit, nil)
		o.Detail = s.Detail
		x.add(o)
	})
	x.signals(walk.SigLimitPrivate, func(i int, s walk.Signal, _ *walk.Element) {
		o := x.about(i, LimitPrivate, Limit, nil)
		o.Detail = s.Detail
		x.add(o)
	})
	x.signals(walk.SigLimitModel, func(i int, s walk.Signal, _ *walk.Element) {
		o := x.about(i, LimitModel, Limit, nil)
		o.Detail = s.Detail
		x.add(o)
	})
	last := len(x.w.Steps) - 1
	if last < 0 {
		return
	}
	if x.w.Outcome == walk.OutOfSteps {
		x.add(x.about(last, LimitSteps, Limit, nil))
	}
	if x.unsure() {
		o := x.about(last, LimitUnsure, Limit, nil)
		o.Detail = x.w.Completion.Evidence
		x.add(o)
	}
	if x.w.Outcome == walk.Succeeded {
		return
	}
	if x.misled() && !slices.ContainsFunc(x.out, func(o Observation) bool { return stops(&o) && !x.leftBehind(&o) }) {
		o := x.about(last, LimitBelief, Limit, nil)
		o.Detail = x.w.Completion.Evidence
		x.add(o)
	}
	for i := range x.w.Goal.Subgoals {
		s := &x.w.Goal.Subgoals[i]
		if s.Verb == "" && len(s.Wanted()) == 0 {
			x.add(x.about(last, LimitGoal, Limit, nil))
			return
		}
	}
}
