package forager

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/forager/forms"
	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// decide picks the next move in the order in which people attend: what is
// broken, what is in the way, what was begun, what smells of the goal.
func (m *Mind) decide(v *view) walk.Decision {
	m.move = nil
	slipped := m.slipped
	if m.slipped = false; slipped && len(m.site.trail) > 0 && v.at.visits <= 1 && m.last.Action.Type == walk.Click && m.site.trail[len(m.site.trail)-1] != v.at.key {
		return m.back("slipped", 0)
	}
	for _, need := range []func(*view) (walk.Decision, bool){m.watch, m.loading, m.unsimulated, m.broken, m.impatience, m.interruption, m.insist, m.fill, m.proceed} {
		if d, ok := need(v); ok {
			return d
		}
	}
	return m.forage(v)
}

// watch gives what was deleted a moment to go.
func (m *Mind) watch(*view) (walk.Decision, bool) {
	if m.watched == "" {
		return walk.Decision{}, false
	}
	m.waited++
	return walk.Decision{Action: walk.Action{Type: walk.Wait}, Purpose: walk.ReadOn, Thought: m.say("watch")}, true
}

// loading gives a page a moment to come that has nothing to use and says nothing, or
// that it is still to come.
func (m *Mind) loading(v *view) (walk.Decision, bool) {
	const most = 4 // looks: an assumption
	says := len(v.page.Texts) == 0 || slices.ContainsFunc(v.page.Texts, func(t walk.Text) bool {
		return m.phrase(t.Text).Has("loading") || strings.HasSuffix(t.Text, "...") || strings.HasSuffix(t.Text, "…")
	})
	if len(v.percepts) > 0 {
		m.blank = 0
	}
	if !says || v.page.Status >= 400 || len(v.page.Limits) > 0 || m.blank >= most || strings.HasPrefix(v.page.URL, "chrome-error:") || slices.ContainsFunc(v.percepts, func(p percept) bool { return !p.e.Disabled }) {
		return walk.Decision{}, false
	}
	m.blank++
	return walk.Decision{Action: walk.Action{Type: walk.Wait}, Purpose: walk.ReadOn, Thought: m.say("loading")}, true
}

// broken handles pages that are errors.
func (m *Mind) broken(v *view) (walk.Decision, bool) {
	own := strings.HasPrefix(v.page.URL, "chrome-error:")
	if !own && v.page.Status < 400 {
		return walk.Decision{}, false
	}
	sent := m.last.Purpose == walk.Submit || m.last.Target != nil && m.last.Target.Submit || m.last.Purpose == walk.Fill || m.last.Purpose == walk.ReadOn // or is put right
	if !own && sent && v.page.Status < 500 && v.asksFor() {
		return walk.Decision{}, false // the site hands the form back: that is an answer
	}
	m.erred++
	m.shock(0.2)
	what := "the browser could not open it"
	if !own {
		what = "HTTP " + strconv.Itoa(v.page.Status)
	}
	m.pending = append(m.pending, walk.Signal{Kind: walk.SigBrokenPage, Detail: what})
	if len(m.site.trail) > 0 && m.erred <= 4 && m.still < 2 {
		return m.back("broken", 0), true
	}
	return m.leave(walk.EndBlocked, "blocked by an error"), true
}

// impatience ends the walk when patience has ended.
func (m *Mind) impatience(v *view) (walk.Decision, bool) {
	if m.frustration() < 1 {
		return walk.Decision{}, false
	}
	return m.giveUp(v, walk.EndGaveUp, "patience"), true
}

// maxDismissals bounds how many layers are put away on one page.
const maxDismissals = 4

// interruption puts away what opened unasked over the page, unless it is what is
// looked for.
func (m *Mind) interruption(v *view) (walk.Decision, bool) {
	over := !v.dialog && (m.thwarted || v.shut)
	if v.mine || v.at.away >= maxDismissals || !v.dialog && !over && !m.banner(v) {
		return walk.Decision{}, false
	}
	best, wanted := m.closer(v, over)
	if v.dialog && (wanted >= 0.6 || m.hinted["dialog"] || m.asks(v)) { // or it is spoken of
		return walk.Decision{}, false
	}
	if best == nil {
		if !v.dialog && !m.thwarted || v.at.away > 0 {
			return walk.Decision{}, false
		}
		v.at.away++
		return m.dismissed(walk.Decision{Action: walk.Action{Type: walk.Press, Text: "Escape"}, Thought: m.say("no way to close")}, v), true
	}
	v.at.away++
	return m.dismissed(walk.Decision{Action: walk.Action{Type: walk.Click, Ref: best.e.Ref}, Target: best.e, Assessed: 2,
		Thought: m.say("in the way", "name", best.e.Name, "what", m.layer(v))}, v), true
}

// closer is the control that puts a layer away, nil for none, and the most that
// another in it promises. over: what lies there is no dialog.
func (m *Mind) closer(v *view, over bool) (best *percept, wanted float64) {
	score := 0.0
	for i := range v.percepts {
		p := &v.percepts[i]
		if v.dialog && !p.e.InDialog || !p.usable || !p.seen || p.e.Role == "draggable" || over && v.at.seen[p.key].step != m.steps {
			continue
		}
		c := 0.0
		if !walk.IsField(p.e) {
			wanted = math.Max(wanted, p.own)
		}
		switch {
		case p.label.Has("reject"):
			c = 0.5 + 0.5*m.t.caution // cautious people refuse, others take the quickest way
		case p.label.Has("accept") && !v.dialog && !over:
			c = 0.75
		case p.label.Has("dismiss"):
			c = 0.7
		case p.label.Has("accept"):
			c = 0.45
		case p.label.Has("cancel"):
			c = 0.5
		case p.e.Icon && len(p.label.Words) == 0 && v.dialog:
			c = 0.2
		}
		if c > score && !walk.IsField(p.e) && (v.dialog || over || nearText(v, p.e)) {
			best, score = p, c
		}
	}
	return best, wanted
}

func (m *Mind) dismissed(d walk.Decision, v *view) walk.Decision {
	if v.at.away > 1 {
		m.shock(0.08)
	}
	d.Purpose = walk.Dismiss
	d.Signals = append(d.Signals, walk.Signal{Kind: walk.SigInterrupted, Detail: walk.Shorten(m.layer(v), 60)})
	return d
}

// banner: the page asks for consent beside its matter, and is answered. Of those who
// are in nobody's way no more than a third are answered (Utz et al. 2019); more do so
// here, as somebody who tests a page is more attentive: an assumption.
func (m *Mind) banner(v *view) bool {
	const answered = 0.6
	return consent(v) >= 0 && (v.buried != nil || uniform(m.seed, "banner") < answered)
}

func consent(v *view) int {
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; t.InViewport && len(t.Text) < 1500 && language.Read(t.Text).Has("consent") {
			return i
		}
	}
	return -1
}

// nearText: the control belongs to the text that asks for consent.
func nearText(v *view, e *walk.Element) bool {
	at := consent(v)
	if at < 0 {
		return false
	}
	t := &v.page.Texts[at]
	gap := math.Max(e.Box.Y-(t.Box.Y+t.Box.H), t.Box.Y-(e.Box.Y+e.Box.H))
	return e.InViewport && gap < 120
}

// layer is what the open layer calls itself.
func (m *Mind) layer(v *view) string {
	if heading := opened(v.page); heading != "" {
		return heading
	}
	if at := slices.IndexFunc(v.page.Texts, func(t walk.Text) bool { return t.InDialog && t.Text != "" }); at >= 0 {
		return v.page.Texts[at].Text
	}
	if at := consent(v); at >= 0 {
		return v.page.Texts[at].Text
	}
	return ""
}

// insist uses a promising thing again that did nothing: most people try once
// more, tinkerers and the impatient twice. It is our policy about people and no
// evidence about the page; the dead click that provoked it is.
func (m *Mind) insist(v *view) (walk.Decision, bool) {
	if m.last.Action.Type != walk.Click || m.last.Purpose != walk.Navigate || m.still == 0 || m.last.Scent < m.t.settle || m.repeats >= m.t.insists {
		return walk.Decision{}, false
	}
	for i := range v.percepts {
		p := &v.percepts[i]
		if p.key == m.lastKey && p.usable && p.seen {
			m.repeats++
			m.site.try(m.at, v.at.key, p.key, 1)
			return walk.Decision{Action: walk.Action{Type: walk.Click, Ref: p.e.Ref}, Target: p.e, Purpose: walk.Navigate, Scent: p.scent,
				Thought: m.say("again " + strconv.Itoa(min(m.repeats, 2)))}, true
		}
	}
	return walk.Decision{}, false
}

// proceed looks for what goes on with what was sent, when it is not on the screen.
func (m *Mind) proceed(v *view) (walk.Decision, bool) {
	if !m.confirms(v) || slices.ContainsFunc(v.percepts, func(p percept) bool { return p.seen && p.usable && p.e.Submit && m.furthers(v, &p) }) {
		return walk.Decision{}, false
	}
	return m.scroll(v, 0)
}

// next is the clerk's next move for the subgoal at hand; false when there is none.
func (m *Mind) next(v *view) (forms.Move, bool) {
	if !v.asked {
		if v.asked = true; !m.astray(v) {
			v.move, v.moves = m.clerk.Next(m.sight(v))
		}
	}
	return v.move, v.moves
}

// sight is what the clerk is shown of a look: what was noticed, and what belongs to
// a form of which something was.
func (m *Mind) sight(v *view) forms.Sight {
	type group struct{ form, region int }
	of := func(e *walk.Element) group {
		if e.Form > 0 {
			return group{form: e.Form}
		}
		return group{region: e.Region + 1}
	}
	met, seen := map[group]bool{}, map[string]bool{}
	for i := range v.percepts {
		p := &v.percepts[i]
		if (p.known || m.begun) && walk.IsField(p.e) {
			met[of(p.e)] = true
		}
		if p.seen && p.usable && (!v.dialog || !v.mine || p.e.InDialog) {
			seen[p.e.Ref] = true
		}
	}
	along := m.last.Purpose == walk.Fill && m.last.Target != nil && m.last.Target.Form > 0
	for i := range v.percepts { // who fills in a form comes upon its next field, and goes along it with the Tab key
		switch p := &v.percepts[i]; {
		case !p.usable:
		case along && p.e.Form == m.last.Target.Form && (walk.IsField(p.e) || p.e.Submit), p.e.InViewport && walk.IsField(p.e) && met[of(p.e)]:
			seen[p.e.Ref] = true
		}
	}
	page := *v.page
	page.Elements = make([]walk.Element, 0, len(v.percepts))
	if m.told(m.subgoal().Text) {
		said := fold(m.subgoal().Text)
		page.Texts = slices.DeleteFunc(slices.Clone(page.Texts), func(t walk.Text) bool { // what one was told is no part of it
			return strings.Contains(fold(t.Text), said)
		})
	}
	for i := range v.percepts {
		if p := &v.percepts[i]; p.known || met[of(p.e)] || p.e.InDialog {
			page.Elements = append(page.Elements, *p.e)
		}
	}
	return forms.Sight{Page: &page, Subgoal: m.subgoal(), Seen: func(e *walk.Element) bool { return seen[e.Ref] }, Form: m.invited(v)}
}

// invited is how far what can be filled in here belongs to the subgoal: what was
// opened for it does, and what a promising control led to does nearly.
func (m *Mind) invited(v *view) float64 {
	if m.begun || v.mine {
		return 1
	}
	return v.at.promised
}

// atThing are the deeds that are done to a thing where it is, whatever can be filled in elsewhere.
var atThing = []string{"edit", "rename", "delete", "archive", "move"}

// astray: what can be filled in here belongs to something else than the thing that the subgoal
// names, which nothing here speaks of.
func (m *Mind) astray(v *view) bool {
	s := m.subgoal()
	words := strings.Fields(fold(s.Existing()))
	if len(words) == 0 || !slices.Contains(atThing, s.Deed) || m.begun || v.mine {
		return false
	}
	says := func(text string) bool {
		text = fold(text)
		return !slices.ContainsFunc(words, func(w string) bool { return !within(text, w) })
	}
	return !says(m.standing(v)) && !slices.ContainsFunc(v.page.Texts, func(t walk.Text) bool { return says(t.Text) }) &&
		!slices.ContainsFunc(v.page.Elements, func(e walk.Element) bool { return says(e.Name + "\n" + e.Value) })
}

// fill lets the clerk enter, choose or send what the subgoal needs.
func (m *Mind) fill(v *view) (walk.Decision, bool) {
	if s := m.subgoal(); s.Kind == task.Reach || s.Kind == task.Inform && !m.names() {
		return walk.Decision{}, false
	}
	move, ok := m.next(v)
	if !ok || move.Stuck != "" {
		return walk.Decision{}, false
	}
	m.move = &move
	if m.wanted = ""; move.Want != nil {
		m.wanted = m.site.key(move.Want)
		return m.goTo(move.Want, 1), true
	}
	d := walk.Decision{Action: move.Action, Target: move.Target, Purpose: move.Purpose, Scent: 1, Assessed: 1}
	name := ""
	if move.Target != nil {
		name = move.Target.Name
		m.lastKey = m.site.key(move.Target)
		if move.Target.Error != "" {
			d.Signals = append(d.Signals, walk.Signal{Kind: walk.SigFieldError, Detail: walk.Shorten(move.Target.Error, 80)})
		}
		if name == "" && walk.IsField(move.Target) {
			d.Signals = append(d.Signals, walk.Signal{Kind: walk.SigUnlabelled})
		}
	}
	value := move.Action.Text
	if move.Value != nil && move.Value.Text != "" {
		value = move.Value.Text
	}
	d.Thought = m.say(move.Why, "name", name, "label", strings.TrimRight(strings.TrimSpace(move.Label), " *:"), "value", value, "error", move.Error)
	return d, true
}
