package forager

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// use clicks a control, or goes to it first when it is off the screen.
func (m *Mind) use(v *view, p *percept, rivals, assessed int) walk.Decision {
	if !p.e.InViewport && !m.t.reader {
		m.headed, m.headedTo = p.key, walk.Navigate
		return m.goTo(p.e, assessed)
	}
	if p.e.Submit && p.e.Form > 0 && !m.begun && m.subgoal().Kind == task.Act && !v.apart(p.e) && (m.does(m.subgoal(), p.label) >= ownName || slices.ContainsFunc(sending, p.label.Has)) {
		m.begun, v.asked = true, false // who is to press a form's button fills in the form first
		if d, ok := m.fill(v); ok {
			return d
		}
		m.begun = false
	}
	if p.takes > m.at {
		m.at = p.takes // it does the next deed where the thing is
	}
	if p.pages == 0 {
		m.site.try(m.at, v.at.key, p.key, 1)
	}
	if p.e.Href != "" && !strings.Contains(p.e.Href, "#") {
		m.site.visit(m.at, p.e.Href)
	}
	m.passed += p.pages
	m.offered = p.own >= offers && p.pages == 0
	m.lastKey, m.came = p.key, walk.Shorten(p.e.Name+"\n"+v.beside(p.e), 300)
	switch name := fold(m.subgoal().Existing()); {
	case name != "" && within(fold(m.came), name):
		m.held = m.came
	case m.site.bars[p.key]:
		m.held = ""
	}
	v.at.left, m.option = 0, ""
	for i := range v.percepts {
		if o := &v.percepts[i]; o != p && o.known && o.usable && !walk.IsField(o.e) && (o.e.Href == "" || o.e.Href != p.e.Href) {
			v.at.left = math.Max(v.at.left, m.worth(v, o))
		}
	}
	d := walk.Decision{
		Action: walk.Action{Type: walk.Click, Ref: p.e.Ref}, Target: p.e, Purpose: walk.Navigate,
		Scent: p.scent, Rivals: rivals, Assessed: assessed, Thought: m.whyUse(p, rivals),
	}
	add := func(kind, detail string) { d.Signals = append(d.Signals, walk.Signal{Kind: kind, Detail: detail}) }
	if rivals > 0 && p.scent >= m.t.settle {
		add(walk.SigRivals, walk.Shorten(p.e.Name, 60))
	}
	if len(p.label.Words) == 0 || p.shape {
		add(walk.SigUnclear, "")
	}
	if p.scent < m.t.settle {
		add(walk.SigHesitation, "")
	}
	first := v.at.seen[p.key]
	if first.screen > 0 && p.scent >= m.t.settle && !m.t.reader {
		add(walk.SigBelowFold, "")
	}
	if m.last.Purpose == walk.OpenMenu && first.step == m.steps && !m.t.reader {
		add(walk.SigHiddenMenu, "")
	}
	return d
}

// goTo brings a control into view, to be used on the next look if it still
// promises what it did.
func (m *Mind) goTo(e *walk.Element, assessed int) walk.Decision {
	return walk.Decision{Action: walk.Action{Type: walk.Scroll, Ref: e.Ref}, Target: e, Purpose: walk.ReadOn, Assessed: min(1, assessed),
		Thought: m.say("go to", "name", e.Name)}
}

// destination is the control that was gone to, once it is in sight.
func (m *Mind) destination(v *view) *percept {
	key := m.headed
	m.headed = ""
	if key == "" || m.last.Action.Type != walk.Scroll {
		return nil
	}
	for i := range v.percepts {
		if p := &v.percepts[i]; p.key == key && p.seen && p.usable {
			return p
		}
	}
	m.site.try(m.at, v.at.key, key, 1) // it does not show
	return nil
}

func (m *Mind) back(why string, assessed int) walk.Decision {
	return walk.Decision{Action: walk.Action{Type: walk.Back}, Purpose: walk.Return, Assessed: assessed, Thought: m.say(why)}
}

// leave ends the walk without the goal.
func (m *Mind) leave(end, why string) walk.Decision {
	return walk.Decision{Action: walk.Action{Type: walk.GiveUp}, End: end, Purpose: walk.Finish, Thought: m.say(why, "goal", m.subgoal().Plain())}
}

// finish ends the walk with success in the walker's opinion.
func (m *Mind) finish(proof string) walk.Decision {
	s := &m.goal.Subgoals[len(m.goal.Subgoals)-1]
	var key string
	switch s.Kind {
	case task.Inform:
		key = "found"
	case task.Act:
		key = "done"
	case task.Reach:
		key = "arrived"
	}
	return walk.Decision{Action: walk.Action{Type: walk.Done}, End: walk.EndDone, Purpose: walk.Finish, Scent: 1,
		Thought: m.say(key, "what", walk.Shorten(proof, 160))}
}

// search uses the site's search box with the object's own words, once on a
// place and subgoal.
func (m *Mind) search(v *view, assessed int) (walk.Decision, bool) {
	s := m.subgoal()
	if _, stands := m.itself(v); stands != nil && takesHold(s.Deed) {
		return walk.Decision{}, false // it is here
	}
	if v.at.searched || v.dialog || s.Deed == "search" || s.Kind == task.Act && (m.made(s) || !m.names() && slices.Contains(unsearched, s.Deed)) {
		return walk.Decision{}, false
	}
	var box *percept
	for i := range v.percepts {
		if p := &v.percepts[i]; p.known && p.usable && m.searches(p.e) {
			box = p
			break
		}
	}
	if box == nil {
		return walk.Decision{}, false
	}
	tried := "search|" + box.key
	query := query(s, m.site.tries(m.at, "", tried))
	if query == "" || v.results && strings.EqualFold(box.e.Value, query) && m.query != "" && m.last.Purpose != walk.Seek {
		return walk.Decision{}, false // it is what was just looked for
	}
	if !box.e.InViewport && !m.t.reader {
		m.headed, m.headedTo = box.key, walk.Seek
		return m.goTo(box.e, assessed), true
	}
	if m.query == query && strings.EqualFold(box.e.Value, query) {
		v.at.searched = true
		m.site.try(m.at, "", tried, 1)
		m.came, m.lastKey = "", box.key
		for i := range v.percepts {
			if p := &v.percepts[i]; p.seen && p.usable && p.e.Role == "button" && p.e.Form == box.e.Form && (p.e.Submit || p.label.Has("search")) && p.e.Form > 0 {
				return walk.Decision{Action: walk.Action{Type: walk.Click, Ref: p.e.Ref}, Target: p.e, Purpose: walk.Submit, Assessed: 1, Thought: m.say("send search")}, true
			}
		}
		return walk.Decision{Action: walk.Action{Type: walk.Press, Ref: box.e.Ref, Text: "Enter"}, Target: box.e, Purpose: walk.Submit, Assessed: 1, Thought: m.say("send search")}, true
	}
	m.query = query
	return walk.Decision{Action: walk.Action{Type: walk.Type, Ref: box.e.Ref, Text: query}, Target: box.e, Purpose: walk.Seek, Assessed: assessed,
		Thought: m.say("search", "query", query)}, true
}

// unsearched are deeds that are done at the site itself and not to one of the things
// that its search finds.
var unsearched = []string{"on", "off", "login", "logout", "signup", "subscribe", "unsubscribe", "contact", "reset", "theme", "language", "upgrade"}

// searches: a field takes what is searched for.
func (m *Mind) searches(e *walk.Element) bool {
	return e.Role == "searchbox" || e.InputType == "search" ||
		walk.IsField(e) && (e.Role == "textbox" || e.Role == "combobox") && m.phrase(e.Name+" "+e.Placeholder+" "+e.Tip).Has("search")
}

// query is what is typed into a search box: the thing as the task writes it, else
// the names, or the first two telling words, and not when it was; on a second try what has the name, or the most telling word alone. After that there is none.
func query(s *task.Subgoal, tries int) string {
	if name := s.Existing(); name != "" && tries == 0 && (s.Literal != "" || s.Deed == "rename") {
		return name
	}
	about := slices.DeleteFunc(slices.Clone(s.Object), language.Word.Dates)
	if len(about) == 0 {
		about = s.Object
	}
	named := slices.DeleteFunc(slices.Clone(about), func(w language.Word) bool { return !w.Named() })
	words := named
	if len(words) == 0 {
		words = slices.Clone(about)
	}
	if len(words) == 0 {
		return ""
	}
	rarest := slices.MaxFunc(words, func(a, b language.Word) int { return cmp.Compare(a.IDF, b.IDF) })
	switch {
	case tries == 0 && len(named) == 0:
		words = slices.DeleteFunc(words, func(w language.Word) bool { return w.IDF < tellingShare*rarest.IDF })
		words = words[:min(len(words), 2)] // what a question is about stands before what is asked of it
	case tries == 1 && len(named) > 0 && len(named) < len(about): // what it is, if not by its name
		words = slices.DeleteFunc(slices.Clone(about), language.Word.Named)
		words = words[:min(len(words), 2)]
	case tries == 1 && len(words) > 1:
		words = []language.Word{rarest}
	case tries > 0:
		return ""
	}
	out := []string{}
	for _, w := range words {
		out = append(out, w.Text)
	}
	return strings.Join(out, " ")
}

// wantsOrder: the task wants the most or the least of something.
func (m *Mind) wantsOrder() bool { return m.subgoal().Order != "" }

var quantity = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)

// ordered is the one of several alike that has the least or the most of what the
// task orders by, told by the numbers of their rows; nil when that is not asked.
func (m *Mind) ordered(v *view, alike []*percept) *percept {
	least, kind := language.Order(m.subgoal().Order)
	if !m.wantsOrder() || len(alike) < 2 {
		return nil
	}
	var best *percept
	top := 0.0
	for _, p := range alike {
		text := quantity.FindString(language.Find(kind, p.e.Name+"\n"+v.beside(p.e)))
		n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
		if err != nil {
			continue
		}
		if best == nil || least && n < top || !least && n > top {
			best, top = p, n
		}
	}
	return best
}

// noteMissing keeps what was relevant on the screen and could not be used.
func (m *Mind) noteMissing(v *view, best *percept) {
	note := func(p *percept, kind, detail string) {
		if p != nil && (best == nil || best.scent < p.scent) {
			m.pending = append(m.pending, walk.Signal{Kind: kind, Selector: p.e.Selector, Detail: walk.Shorten(detail, 80)})
		}
	}
	if p := v.overlooked; p != nil {
		note(p, walk.SigHardToSee, p.e.Name)
	}
	if p := v.unreachable; p != nil {
		note(p, walk.SigMouseOnly, p.e.Name)
	}
	if p := v.buried; p != nil {
		note(p, walk.SigCovered, p.e.CoveredBy)
	}
}
