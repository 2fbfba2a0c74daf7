package forager

import (
	"math"
	"slices"
	"strings"

	"understudy/domain/task"
	"understudy/domain/walk"
)

// felt takes in what became of the last act.
func (m *Mind) felt(last *walk.Effect) {
	if m.steps == 1 {
		return
	}
	if m.move != nil {
		m.clerk.Felt(*m.move, *last)
	}
	if e := m.last.Target; e != nil && e.Submit && m.last.Action.Type == walk.Click && m.last.Purpose != walk.Dismiss && moved(last) && m.subgoal().Kind == task.Act && (m.move != nil || m.last.Purpose == walk.Navigate) {
		m.begun = m.begun || m.move != nil || m.deed(m.subgoal(), m.phrase(e.Name)) > 0 // what comes now belongs to what was sent
		m.onward, m.sentFrom = m.phrase(e.Name).Has("continue"), m.where.key
	}
	m.thwarted = last.Missed != "" || last.Failed != "" && m.last.Purpose != walk.Seek
	changed := moved(last)
	switch {
	case last.Missed != "" && m.last.Target != nil && (m.last.Purpose == walk.Navigate || m.last.Purpose == walk.OpenMenu): // it is not thereby tried
		key := m.site.key(m.last.Target)
		m.where.covered[key] = true
		m.site.try(m.at, m.where.key, key, -1)
		delete(m.where.opened, key)
	case m.last.Purpose == walk.Dismiss && changed:
		clear(m.where.covered)
	}
	shown := changed || last.Scrolled && !nowhere(m.last.Target)
	switch {
	case shown, m.last.Purpose == walk.Fill && last.Failed == "", m.last.Action.Type == walk.Wait:
		m.still = 0 // a value that was taken need not show anywhere else
	default:
		m.still++
	}
	if m.last.Action.Type == walk.Click && !shown && m.last.Purpose != walk.Dismiss {
		m.shock(0.12)
		m.pending = append(m.pending, walk.Signal{Kind: walk.SigDeadClick, Detail: "nothing happened"})
	}
	if changed || m.last.Action.Type != walk.Click {
		m.repeats = 0
	}
	if len(last.Errors) > 0 && m.last.Action.Type == walk.Click && !changed {
		m.shock(0.1)
	}
	// Waiting is felt from 4 s on, in steps of 2 s, so that the machine's own
	// small delays do not change a walk (Nielsen 1993: attention is kept 10 s).
	if last.SettleMS >= 4000 {
		wait := float64(last.SettleMS/2000) * 2000
		m.idleMS += wait
		m.shock(math.Min(0.3, wait/40000))
	}
}

// shutOut reports whether the field that was just filled in can be used no more: something
// that opened may have taken the form away.
func (m *Mind) shutOut(v *view, last *walk.Effect) bool {
	t := m.last.Target
	return m.last.Purpose == walk.Fill && last.Mutated && t != nil && !t.Disabled && slices.ContainsFunc(v.page.Elements, func(e walk.Element) bool {
		return e.Disabled && e.Selector == t.Selector && e.Role == t.Role
	})
}

// moved reports whether an act changed the page or opened something.
func moved(e *walk.Effect) bool { return e.Navigated || e.Mutated || e.NewTab || e.Download }

// nowhere: a link without a destination, which at most jumps to the page's top.
func nowhere(e *walk.Element) bool { return e != nil && strings.HasSuffix(e.Href, "#") }

// orient takes in where one is and what is new there.
func (m *Mind) orient(v *view, last *walk.Effect) {
	from := m.where
	m.where = v.at
	if from == v.at {
		if last.Mutated && v.dialog && m.last.Action.Type == walk.Click && m.last.Purpose != walk.Dismiss {
			m.opened, v.mine = v.at.key, true // what I opened is what I wanted to see
		}
		if !v.dialog {
			m.opened = ""
		}
		if last.Mutated && m.last.Purpose == walk.OpenMenu {
			v.at.settled = false // what was closed is looked through anew
		}
		if last.Scrolled || last.Mutated {
			m.skimmed(v)
		}
		return
	}
	v.at.visits++
	if m.last.Purpose == walk.Navigate {
		v.at.promised = math.Max(v.at.promised, m.last.Scent)
	}
	m.opened, v.mine = "", false
	m.headed = ""
	if (last.Mutated || last.Navigated) && last.Status == 0 && m.last.Action.Type == walk.Click && v.dialog && m.last.Purpose != walk.Dismiss {
		m.opened, v.mine = v.at.key, true // the address changed, and not the document
	}
	switch {
	case from == nil:
	case last.NewTab:
		m.site.trail = nil // a new tab has nothing behind it
	case m.last.Action.Type == walk.Back:
		m.came, m.held, m.begun, m.sentFrom = "", "", false, ""
		if n := len(m.site.trail); n > 0 {
			m.site.trail = m.site.trail[:n-1]
		}
	default:
		m.site.trail = append(m.site.trail, from.key)
	}
	m.site.visit(m.at, v.page.URL)
	m.skimmed(v)
}

// screenShare is the attention that screenfuls get, relative to the first: 57,
// 17, 7, 5, 3 and 2 % of the viewing time (NN/g 2018), raised to a floor because
// a seeker scrolls to find and not to pass the time.
var screenShare = [...]float64{1, 0.4, 0.3, 0.2, 0.15}

// skimmed charges what is new on the screen: passages that were not read before
// are skimmed at the persona's share of their words, controls are looked at once.
func (m *Mind) skimmed(v *view) {
	words := 0
	for i := range v.passages {
		if p := &v.passages[i]; !v.at.read[p.Text] {
			v.at.read[p.Text] = true
			words += strings.Count(p.Text, " ") + 1
		}
	}
	share := m.t.readShare * screenShare[min(len(screenShare)-1, max(0, v.at.screens-1))]
	m.skim += math.Min(25000, m.t.readMS(int(float64(words)*share)))
}

// progress reports whether the goal has come nearer, and counts the time that
// brought nothing.
func (m *Mind) progress(v *view, last *walk.Effect, advanced bool) bool {
	best, fresh := 0.0, 0.0
	for i := range v.percepts {
		if p := &v.percepts[i]; p.seen && p.usable && !walk.IsField(p.e) {
			best = math.Max(best, m.worth(v, p))
			if v.at.seen[p.key].step == m.steps {
				fresh = math.Max(fresh, m.worth(v, p))
			}
		}
	}
	if m.last.Purpose == walk.OpenMenu {
		m.site.holds[m.lastKey] = fresh
	}
	nearer := advanced ||
		m.last.Purpose == walk.Fill && last.Failed == "" ||
		m.last.Purpose == walk.Submit && moved(last) ||
		(moved(last) || last.Scrolled) && best > v.at.left+0.1 && best >= m.t.settle && v.at.visits <= 1
	v.at.left = best
	if !nearer {
		m.idleMS += float64(m.last.SimulatedMS) - (1-lookingIdle)*m.lookMS
	}
	return nearer
}
