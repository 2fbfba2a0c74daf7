package forager

import (
	"math"
	"slices"
	"sort"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// forage follows the scent: what was gone to first; on a first pass what reaches
// the aspiration level is used at once, reading on while nothing does; then with a
// lower aspiration the best of what was seen, the search box, another place.
func (m *Mind) forage(v *view) walk.Decision {
	if p := m.destination(v); p != nil {
		if m.headedTo == walk.Seek {
			if d, ok := m.search(v, 0); ok {
				return d
			}
		}
		if m.headedTo == walk.OpenMenu {
			return m.open(v, p, p.scent, 0)
		}
		return m.use(v, p, 0, 1)
	}
	if d, ok := m.await(v); ok {
		return d
	}
	best, rivals, assessed := m.scan(v, false)
	m.noteMissing(v, best)
	worth := 0.0
	if best != nil {
		worth = m.worth(v, best)
	}
	aspire := m.t.aspiration
	if v.at.settled || v.at.visits > 1 {
		aspire = m.t.settle
	}
	if m.wantsOrder() && worth >= m.t.settle { // who wants the most or the least looks at all of them first
		if d, ok := m.readAll(v, assessed); ok {
			return d
		}
		if best, rivals, _ = m.scan(v, true); best != nil {
			worth = m.worth(v, best)
		}
	}
	roundabout := best != nil && worth < named && m.does(m.subgoal(), best.label) < offers // it is not the deed itself
	if worth < offers || roundabout {
		if d, ok := m.listed(v, assessed); ok && worth < offers {
			return d
		}
		if d, ok := m.hold(v, assessed, false); ok {
			return d
		}
	}
	switch {
	case worth >= named || worth >= aspire && (v.results || !m.names() || takesHold(m.subgoal().Deed) || m.subgoal().Kind == task.Act && m.kept(v, m.subgoal(), best) > 0):
		return m.use(v, best, rivals, assessed)
	case v.results && v.below && !v.at.settled: // what was found is read first
	case m.within(v) && !v.at.settled && m.subgoal().Kind != task.Reach: // it is done, or said, where the thing is
	case m.names(), worth < searchBelow && (m.t.searches || v.at.screens > 0):
		if d, ok := m.search(v, assessed); ok {
			return d
		}
	}
	if worth >= aspire {
		return m.use(v, best, rivals, assessed)
	}
	if d, ok := m.readOn(v, worth, assessed); ok {
		return d
	}
	if !v.at.settled {
		v.at.settled = true
		v = m.look(v.page) // a second look makes more of what is faint
		if d, ok := m.fill(v); ok {
			return d // a field, too
		}
	}
	best, rivals, more := m.scan(v, true)
	assessed += more / 4
	if worth = 0; best != nil {
		worth = m.worth(v, best)
	}
	if worth < offers {
		if d, ok := m.hold(v, assessed, true); ok {
			return d
		}
	}
	than := math.Max(worth, m.t.settle)
	if best != nil && worth >= m.t.settle && m.kept(v, m.subgoal(), best) > 0 {
		than = math.Max(than, anyMenu) // such things are usually there
	}
	if p, top := m.closed(v, than); p != nil {
		return m.open(v, p, top, assessed)
	}
	if behind := m.site.astern(); behind > worth+backCost && behind >= m.t.settle && m.last.Action.Type != walk.Back {
		return m.back("better before", assessed)
	}
	if worth >= m.t.settle {
		return m.use(v, best, rivals, assessed)
	}
	if d, ok := m.search(v, assessed); ok {
		return d
	}
	return m.impasse(v, best, worth, rivals, assessed)
}

// await gives the hits of a search a moment to come.
func (m *Mind) await(v *view) (walk.Decision, bool) {
	const most = 2 // looks: an assumption
	if !v.results || v.below || m.waited >= most || slices.ContainsFunc(v.percepts, func(p percept) bool {
		return p.e.Role == "link" && p.known && !m.site.bars[p.key]
	}) {
		return walk.Decision{}, false
	}
	m.waited++
	return walk.Decision{Action: walk.Action{Type: walk.Wait}, Purpose: walk.Seek, Thought: m.say("await")}, true
}

// names: the subgoal names something as it is written, which search boxes find.
func (m *Mind) names() bool {
	s := m.subgoal()
	if s.Literal != "" {
		return s.Widget == "" || s.Widget == "page" || s.Widget == "article"
	}
	for _, w := range s.Object {
		if w.Named() {
			return true
		}
	}
	return false
}

// scan assesses what is seen, or with memory what was seen on this page, region
// by region. It returns the best, how many were as good, and how many labels were
// looked at that were not known before.
func (m *Mind) scan(v *view, memory bool) (best *percept, rivals, assessed int) {
	type region struct {
		items []*percept
		rank  float64
	}
	at := map[int]int{}
	var regions []region
	counts := m.subgoal().Ordinal > 0 // who counts sees that there is one more, however hard its words are to read
	for i := range v.percepts {
		p := &v.percepts[i]
		if walk.IsField(p.e) || p.e.Role == "dropzone" || p.e.Role == "draggable" || !p.usable || v.dialog && !p.e.InDialog || !p.seen && (!memory || !p.known) && (!counts || p.e.Row == 0 || !p.e.InViewport) {
			continue
		}
		k, ok := at[p.e.Region]
		if !ok {
			k = len(regions)
			at[p.e.Region] = k
			regions = append(regions, region{rank: m.rank(v, p.e)})
		}
		regions[k].items = append(regions[k].items, p)
	}
	sort.SliceStable(regions, func(i, j int) bool { return regions[i].rank > regions[j].rank })
	top := 0.0
	said := map[string]bool{} // what looks alike is one thing to the eye
	for _, r := range regions {
		fresh := 0
		for _, p := range r.items {
			if first := v.at.seen[p.key]; first.step == m.steps && !m.site.bars[p.key] && !said[p.label.Text] {
				said[p.label.Text] = true
				fresh++
			}
			if w := m.worth(v, p); w > top {
				best, top = p, w
			}
		}
		if fresh > 12 && !m.t.reader {
			fresh = 12 + (fresh-12)/4 // long lists of siblings are skimmed
		}
		assessed += fresh
		if top >= offers && !m.wantsOrder() {
			break
		}
	}
	if best == nil {
		return nil, 0, assessed
	}
	if top >= named && m.subgoal().Literal != "" {
		assessed = min(assessed, 2) // who knows the very name lets the eye jump to it
	}
	var alike []*percept
	for _, r := range regions {
		for _, p := range r.items {
			if (m.worth(v, p) >= top-rivalGap || m.wantsOrder() && p.own >= best.own-rivalGap && m.worth(v, p) >= m.t.settle) && len(p.label.Words) > 0 && (p == best || p.e.Href == "" || nowhere(p.e) || p.e.Href != best.e.Href) {
				alike = append(alike, p)
			}
		}
	}
	sort.SliceStable(alike, func(i, j int) bool { return before(alike[i].e, alike[j].e) })
	if m.subgoal().Ordinal > 0 {
		assessed = min(assessed, len(alike)) // who counts looks at what is counted
	}
	if s := m.subgoal(); s.Ordinal > m.passed && s.Ordinal <= m.passed+len(alike) {
		return alike[s.Ordinal-1-m.passed], 0, assessed
	} else if p := v.onward(); s.Ordinal > m.passed+len(alike) && p != nil && len(alike) > 0 {
		p.pages = len(alike) // the rest is on the next page
		p.own, p.scent = sendsToo, sendsToo
		return p, 0, assessed
	} else if s.Ordinal < 0 && len(alike) > 0 {
		return alike[len(alike)-1], 0, assessed
	}
	if p := m.ordered(v, alike); p != nil {
		return p, 0, assessed
	}
	for _, p := range alike {
		if p != best && p.e.InViewport && top < named {
			rivals++
		}
	}
	return best, rivals, assessed
}

// onward is the control that shows more of a list, nil for none.
func (v *view) onward() *percept {
	for i := range v.percepts {
		if p := &v.percepts[i]; p.seen && p.usable && (p.label.Has("next") || strings.TrimSpace(p.e.Name) == ">") {
			return p
		}
	}
	return nil
}

// before: the first stands before the second in reading order.
func before(a, b *walk.Element) bool {
	if math.Abs(a.Box.Y-b.Box.Y) > math.Min(a.Box.H, b.Box.H)/2 {
		return a.Box.Y < b.Box.Y
	}
	return a.Box.X < b.Box.X
}

// rank is how early a region is looked at: its heading's scent, and what people
// expect of its kind. Footers come last.
func (m *Mind) rank(v *view, e *walk.Element) float64 {
	rank := 0.1
	if e.Region >= 0 && e.Region < len(v.headings) {
		rank = v.headings[e.Region]
	}
	switch v.kind(e) {
	case "dialog":
		rank++
	case "navigation", "banner":
		rank += 0.15
	case "contentinfo":
		rank -= 0.3
	case "complementary":
		rank -= 0.1
	}
	return rank
}

// worth is the scent of a control less what is known of it: tried in vain, leads
// where one is or has been, leads away.
func (m *Mind) worth(v *view, p *percept) float64 {
	if p.pages > 0 {
		return p.scent // the rest of a list is not what was tried
	}
	s := p.scent * math.Pow(triedShare, float64(m.site.tries(m.at, v.at.key, p.key)))
	if h := p.e.Href; h != "" {
		own := cutFragment(h) == cutFragment(v.page.URL)
		switch {
		case own && !strings.Contains(h, "#"):
			return 0.005
		case !own && abroad(h, v.page.URL):
			s *= abroadShare
		case !own && walk.Path(h) == "/" && !strings.ContainsAny(h, "#?"):
			s = math.Min(s, homeWorth)
		}
		if !own && m.site.was(m.at, h) {
			s *= visitedShare
		}
	}
	if len(p.label.Words) == 0 && !m.t.tinkers {
		s *= 0.5
	}
	if p.e.Expanded == "true" || p.e.Selected && p.e.Role == "tab" {
		s *= 0.1 // what is open can only be closed again
	}
	return s
}

// abroad: the link leaves the site, that is, the last two labels of its host differ.
func abroad(href, url string) bool {
	site := func(raw string) string {
		labels := strings.Split(walk.Host(raw), ".")
		return strings.Join(labels[max(0, len(labels)-2):], ".")
	}
	return walk.Host(href) != "" && walk.Host(href) != walk.Host(url) && site(href) != site(url)
}

// readOn scrolls while the page may still hold something better: a page that is
// about the goal for long, another one as many screenfuls as this persona gives it.
func (m *Mind) readOn(v *view, worth float64, assessed int) (walk.Decision, bool) {
	limit := m.t.screens
	sought := m.subgoal().Kind != task.Act && m.names() // by its name: the eye looks for nothing else
	switch {
	case m.subgoal().Kind != task.Act && m.within(v):
		limit = attentive
	case sought:
		limit *= 2
	}
	if v.at.settled || v.at.screens >= limit || !sought && worth >= m.t.settle && v.at.screens >= max(1, limit/2) {
		return walk.Decision{}, false
	}
	return m.scroll(v, assessed)
}

// within: the page is the place of what the subgoal is about, by what it is called or
// by what led here.
func (m *Mind) within(v *view) bool {
	return v.about >= aboutLeast || m.names() && v.named >= contextLeast || v.at.promised >= arrivedLeast
}

// readAll scrolls on while there is more of the page or of a list in it.
func (m *Mind) readAll(v *view, assessed int) (walk.Decision, bool) {
	if v.at.settled || v.at.screens >= attentive {
		return walk.Decision{}, false
	}
	return m.scroll(v, assessed)
}

// scroll shows the next screenful, or one before that was jumped over; false at the end
// of the page.
func (m *Mind) scroll(v *view, assessed int) (walk.Decision, bool) {
	if m.last.Purpose == walk.ReadOn && m.last.Action.Text == "down" && m.still > 0 {
		v.at.ends |= m.turned
	}
	top, screen := v.page.ScrollY, float64(v.page.Viewport.Height)
	skipped := !v.dialog && m.still == 0 && v.at.looked.lacks(0, top, screen/2) && !v.at.looked.lacks(top+screen, v.page.Height, screen/2)
	hidden := !v.below && slices.ContainsFunc(v.percepts, func(p percept) bool { return !p.e.InViewport && !p.known })
	m.turned = whole
	if v.dialog {
		m.turned = layer
	} else {
		v.at.ends &^= layer // the next one is another
		if hidden {
			m.turned = inner
		}
	}
	if !skipped && (!v.below && !v.dialog && !hidden || v.at.ends&m.turned != 0) {
		return walk.Decision{}, false
	}
	d := walk.Decision{Action: walk.Action{Type: walk.Scroll, Text: "down"}, Purpose: walk.ReadOn, Assessed: assessed}
	said := "read on"
	switch {
	case skipped:
		d.Action.Text, said = "up", "read back"
	case v.dialog || hidden: // a box of its own goes on
		inside := -1
		for i := range v.percepts {
			if p := &v.percepts[i]; p.seen && p.e.InViewport && (p.e.InDialog || !v.dialog) {
				inside = i
			}
		}
		if inside < 0 {
			return walk.Decision{}, false
		}
		d.Target, d.Action.Ref = v.percepts[inside].e, v.percepts[inside].e.Ref
	}
	v.at.screens++
	d.Thought = m.say(said)
	return d, true
}

// closed is something closed that may hold what is looked for and promises more
// than what is open: by what it is called, by what it held before, or because menus
// hold the rest.
func (m *Mind) closed(v *view, than float64) (best *percept, top float64) {
	top = than
	for i := range v.percepts {
		p := &v.percepts[i]
		if !p.known || !p.usable || walk.IsField(p.e) || p.label.Has("collapse") || p.label.Has("dismiss") || v.dialog && !p.e.InDialog || v.at.opened[p.key] >= v.at.visits {
			continue
		}
		rest := len(p.label.Content()) == 1 && p.label.Has("more") && (p.e.Role == "button" || nowhere(p.e)) // of a bar
		shuts := p.e.Expanded == "false" || p.e.Popup != "" || p.e.Submenu || rest
		if !shuts && !p.label.Has("menu") && (p.e.Role != "tab" || p.e.Selected || p.e.Checked) {
			continue
		}
		w := math.Max(p.scent, unknownMenu)
		if m.hinted[p.e.Role] {
			w = math.Max(w, toldMenu)
		}
		if held, ok := m.site.holds[p.key]; ok {
			w = held
		} else if p.label.Has("menu") || rest || p.label.Has("more") && m.concerns(v, p) {
			w = math.Max(w, anyMenu)
		}
		if shuts && takesHold(m.subgoal().Deed) && m.subgoal().Existing() == "" && len(m.subgoal().Where()) > 0 && v.about < contextLeast {
			w = math.Max(w, anyMenu) // the place is not here
		}
		if p.e.Role == "tab" && len(m.subgoal().Where()) > 0 && v.about >= contextLeast {
			w = math.Max(w, anyMenu) // a part of the place
		}
		w *= math.Pow(triedShare, float64(m.site.tries(m.at, v.at.key, p.key)))
		if w > top {
			best, top = p, w
		}
	}
	return best, top
}

// concerns: what stands beside a control is what the subgoal is about.
func (m *Mind) concerns(v *view, p *percept) bool {
	return language.Cover(m.subgoal().Wanted(), m.phrase(v.beside(p.e))) >= contextLeast
}

// open opens something closed, or goes to it first when it is off the screen.
func (m *Mind) open(v *view, p *percept, scent float64, assessed int) walk.Decision {
	if !p.e.InViewport && !m.t.reader {
		m.headed, m.headedTo = p.key, walk.OpenMenu
		return m.goTo(p.e, assessed)
	}
	v.at.opened[p.key] = v.at.visits
	m.lastKey = p.key
	m.site.try(m.at, v.at.key, p.key, 1)
	act := walk.Click
	if p.e.Submenu {
		act = walk.Hover
	}
	return walk.Decision{Action: walk.Action{Type: act, Ref: p.e.Ref}, Target: p.e, Purpose: walk.OpenMenu, Scent: scent,
		Assessed: assessed, Thought: m.say("open", "name", p.e.Name)}
}

// impasse tries what is left: what promises little, the rest of the page, what is
// closed, where one has not been, the place before; and in the end gives up.
func (m *Mind) impasse(v *view, best *percept, worth float64, rivals, assessed int) walk.Decision {
	m.pending = append(m.pending, walk.Signal{Kind: walk.SigLostScent})
	if v.at.screens < 2*m.t.screens || (v.about >= aboutLeast || len(m.site.trail) == 0) && v.at.screens < attentive {
		if d, ok := m.scroll(v, assessed); ok {
			return d
		}
	}
	if l, sure := m.walled(v); sure && m.subgoal().Kind != task.Act {
		return m.stop(l)
	} else if sure {
		m.barrier = l // there may be controls beside it
	}
	if best != nil && worth >= leastScent*(1+m.t.caution) && m.still < 4 {
		return m.use(v, best, rivals, assessed)
	}
	if d, ok := m.suppose(v); ok {
		return d
	}
	if p := m.unvisited(v); p != nil && m.explored < m.t.explores {
		m.explored++
		return m.use(v, p, 0, assessed)
	}
	if v.at.screens < attentive {
		if d, ok := m.scroll(v, assessed); ok {
			return d
		}
	}
	if p, top := m.closed(v, leastScent); p != nil && m.still < 4 {
		return m.open(v, p, top, assessed)
	}
	if v.dialog && v.mine && v.at.away < maxDismissals { // what was opened here does not have it
		if p, _ := m.closer(v, false); p != nil {
			v.at.away++
			return walk.Decision{Action: walk.Action{Type: walk.Click, Ref: p.e.Ref}, Target: p.e, Purpose: walk.Dismiss, Assessed: assessed, Thought: m.say("not here")}
		}
	}
	if len(m.site.trail) > 0 && m.still < 3 {
		return m.back("not here", assessed)
	}
	if best != nil && worth > 0.02 && m.still < 3 && !m.t.reader && m.site.tries(m.at, v.at.key, best.key) == 0 {
		return m.use(v, best, rivals, assessed)
	}
	if best != nil && len(m.site.places) == 1 && !best.e.Submit && !best.avoid && !m.dodges(m.subgoal(), best.label) && !abroad(best.e.Href, v.page.URL) && m.still < 3 && m.site.tries(m.at, v.at.key, best.key) == 0 {
		return m.use(v, best, rivals, assessed) // nothing else was met
	}
	if best == nil && v.buried != nil {
		return m.leave(walk.EndBlocked, "covered")
	}
	if best == nil {
		return m.giveUp(v, walk.EndBlocked, "nothing usable")
	}
	return m.giveUp(v, walk.EndGaveUp, "tried everything")
}

// suppose takes the place that a promise led to for what was looked for, when
// nothing there says so and nothing better is left.
func (m *Mind) suppose(v *view) (walk.Decision, bool) {
	if m.subgoal().Kind != task.Reach || v.at.promised < m.t.settle || !m.content(v) {
		return walk.Decision{}, false
	}
	m.advance()
	if m.done() {
		return m.finish(v.page.Title), true
	}
	return m.decide(m.look(v.page)), true
}

// doing are concepts of links that do something, where nobody looks for anything.
var doing = []string{"edit", "create", "delete", "login", "logout", "signup", "upload", "save", "send", "print", "share", "history", "reply", "settings", "undo", "transfer", "filter", "sort", "repeat"}

// unvisited is a link to a place of the site where one has not been for this
// subgoal, of its bars before all others.
func (m *Mind) unvisited(v *view) (best *percept) {
	top := 0.0
	for i := range v.percepts {
		p := &v.percepts[i]
		if !p.known || !p.usable || p.e.Role != "link" || p.avoid || slices.ContainsFunc(doing, p.label.Has) || v.dialog && !p.e.InDialog || m.site.tries(m.at, v.at.key, p.key) > 0 ||
			p.e.Href == "" || abroad(p.e.Href, v.page.URL) || m.site.was(m.at, p.e.Href) || len(p.label.Words) == 0 {
			continue
		}
		w := p.scent
		if kind := v.kind(p.e); kind == "navigation" || kind == "banner" || m.site.bars[p.key] {
			w++
		}
		if w > top {
			best, top = p, w
		}
	}
	return best
}
