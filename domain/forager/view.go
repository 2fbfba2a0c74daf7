package forager

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"understudy/domain/forager/forms"
	"understudy/domain/language"
	"understudy/domain/reading"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// percept is a control as this persona perceives it.
type percept struct {
	e     *walk.Element
	key   string
	label *language.Phrase
	// card is what stands with a control that says nothing of its own: the words of
	// its row or card, by line. They are its label then.
	card string
	// seen: noticed on this look or heard; known: noticed now or before;
	// usable: it can be acted on by this persona; shape: a picture that not
	// everybody knows stands for the label.
	seen, known, usable, shape bool
	// avoid: it offers to make what is not there, to somebody who looks for it.
	avoid bool
	// own is what the label itself promises, scent the whole with what stands
	// around it and noise.
	own, scent float64
	// pages is how many of those that are counted stand before the page that it leads to.
	pages int
	// takes is the subgoal that using it would serve: the current one or the next.
	takes int
}

// view is one look at a page by one persona.
type view struct {
	page     *walk.Page
	at       *place
	percepts []percept
	// rows are the words of each row, by its number.
	rows map[int]string
	// ways is how many links a row has, by its number.
	ways map[int]int
	// doors are the rows that can be opened as a whole, by number.
	doors map[int]bool
	// passages are what can be read of the page now.
	passages []reading.Passage
	// headings are the scents of the regions' headings, by index.
	headings []float64
	// about is how far the page is about the object of the subgoal.
	about float64
	// named is how far it is about what the subgoal calls by name.
	named float64
	// said counts the controls that express a concept, by its id.
	said map[string]int
	// called are the controls that are called what a subgoal is about, by their refs.
	called map[*task.Subgoal][]string
	// inRow: a row of the page has all that the subgoal calls by name.
	inRow bool
	// results: the page shows what a search found.
	results bool
	// dialog: a layer is open over the page; mine: an act of one's own opened it.
	dialog, mine bool
	// shut: the field that was filled in last is disabled since.
	shut bool
	// keeps: a way of the page leads to where such things are usually kept.
	keeps bool
	// overlooked is a relevant control that was on the screen and not noticed,
	// buried one under something else, unreachable one that no key reaches.
	overlooked, buried, unreachable *percept
	words                           int // that are readable on the screen
	below                           bool
	touch                           bool
	// move is what the clerk would do next for the subgoal, once it was asked.
	move         forms.Move
	asked, moves bool
}

// look perceives a page.
func (m *Mind) look(page *walk.Page) *view {
	v := &view{
		page: page, at: m.site.at(page), rows: map[int]string{}, doors: map[int]bool{}, ways: map[int]int{}, said: map[string]int{}, called: map[*task.Subgoal][]string{},
		touch: page.Viewport.Width > 0 && page.Viewport.Width < touchWidth && !m.t.keys,
		below: page.ScrollY+float64(page.Viewport.Height) < page.Height-2,
	}
	if v.at.subgoal != m.at {
		v.at.subgoal, v.at.settled, v.at.ends, v.at.looked, v.at.screens, v.at.searched = m.at, false, 0, nil, 0, false
	}
	v.at.looked = v.at.looked.with(page.ScrollY, page.ScrollY+float64(page.Viewport.Height))
	for i := range page.Texts {
		t := &page.Texts[i]
		if t.Row > 0 {
			v.rows[t.Row] += t.Text + "\n"
		}
		if m.reads(t) {
			v.words += strings.Count(t.Text, " ") + 1
		}
	}
	if m.cut.page != page { // one looks more than once at what one comes upon
		m.cut.page, m.cut.passages = page, reading.Passages(page)
	}
	for _, p := range m.cut.passages {
		if p.InView && !m.told(p.Text) {
			v.passages = append(v.passages, p)
		}
	}
	for i := range page.Elements {
		e := &page.Elements[i]
		v.dialog = v.dialog || e.InDialog
		if !walk.IsField(e) {
			for _, c := range m.phrase(e.Name).Concepts {
				v.said[c]++
			}
		}
		if e.Row > 0 && !walk.IsField(e) {
			v.rows[e.Row] += e.Name + "\n"
			if e.Role == "link" {
				v.ways[e.Row]++
			}
			// What has no name of its own opens what it stands with.
			v.doors[e.Row] = v.doors[e.Row] || e.Role == "clickable" || e.Role == "row" || e.Role == "link" && e.Name == "" && e.Href != "" && cutFragment(e.Href) != cutFragment(page.URL)
		}
	}
	v.results = m.query != "" && (m.lists(page) || m.searched(page))
	v.mine = v.dialog && m.opened == v.at.key
	s := m.subgoal()
	v.about = m.about(s, page)
	v.named = reading.About(slices.DeleteFunc(slices.Clone(s.Object), func(w language.Word) bool { return !w.Named() }), page, m.came)
	if names := namedWords(s); len(names) > 0 && !m.made(s) {
		for _, row := range v.rows {
			row = fold(row)
			v.inRow = v.inRow || !slices.ContainsFunc(names, func(w language.Word) bool { return !within(row, fold(w.Text)) })
		}
	}
	v.keeps = m.made(s) && slices.ContainsFunc(page.Elements, func(e walk.Element) bool {
		p := percept{e: &e, label: m.phrase(e.Name)}
		return m.kept(v, s, &p) >= contextLeast && !v.isHere(&p)
	})
	v.headings = make([]float64, len(page.Regions))
	for i := range page.Regions {
		if h := page.Regions[i].Heading; h != "" {
			v.headings[i] = language.Cover(s.Wanted(), m.phrase(h))
		}
	}
	m.site.redraw(v.at, page.Elements)
	v.percepts = make([]percept, 0, min(len(page.Elements), maxElements))
	for i := range page.Elements {
		e := &page.Elements[i]
		if len(v.percepts) == maxElements {
			break
		}
		if e.Ref != "" && e.Box.W > 0 && e.Box.H > 0 {
			v.percepts = append(v.percepts, m.perceive(v, e))
		}
	}
	m.missing(v)
	return v
}

// searched: what was looked for just now still stands in the search box.
func (m *Mind) searched(page *walk.Page) bool {
	return m.last.Purpose == walk.Submit && slices.ContainsFunc(page.Elements, func(e walk.Element) bool {
		return e.InViewport && m.searches(&e) && strings.EqualFold(e.Value, m.query)
	})
}

// lists: the address has what was searched for where the search put it. Pages that were
// found have it elsewhere in theirs, to mark it.
func (m *Mind) lists(page *walk.Page) bool {
	u, err := url.Parse(page.URL)
	if err != nil {
		return false
	}
	values := u.Query()
	holds := func(name string) bool {
		return strings.Contains(fold(strings.Join(values[name], "\n")), fold(m.query))
	}
	names := slices.Sorted(maps.Keys(values))
	first := slices.IndexFunc(names, holds)
	if first >= 0 && m.last.Purpose == walk.Submit {
		m.askedBy = names[first]
	}
	if m.askedBy != "" {
		return holds(m.askedBy)
	}
	return first >= 0
}

// asked are the words of an address's query.
func asked(address string) string {
	_, query, _ := strings.Cut(address, "?")
	query, err := url.QueryUnescape(query)
	if err != nil {
		return ""
	}
	return query
}

// told: a text is what one was told to do, as it stands on the page too.
func (m *Mind) told(text string) bool {
	const least = 4 // words that are no chance: an assumption
	told, known := m.tells[text]
	if !known {
		told = len(strings.Fields(text)) >= least && strings.Contains(fold(m.goal.Task), fold(text))
		m.tells[text] = told
	}
	return told
}

// about is how far a page is about what the subgoal is about: 1 when nothing is
// said of that. A place is one by its own name; what a thing is like is not the
// thing's place.
func (m *Mind) about(s *task.Subgoal, page *walk.Page) float64 {
	switch {
	case s.Here && len(m.site.places) <= 1:
		return 1 // "this page": where one has begun
	case len(s.Where()) > 0:
		if m.placed(s, m.phrase(m.came)) > 0 || m.placed(s, m.phrase(opened(page))) > 0 {
			return 1
		}
		sum, all, where := 0.0, 0.0, s.Where()
		if slices.ContainsFunc(where, language.Word.Named) { // "the collection "pupils"": its name says where
			where = slices.DeleteFunc(slices.Clone(where), func(w language.Word) bool { return !w.Named() })
		}
		for _, w := range where {
			weight := math.Max(0.05, w.IDF)
			if about := reading.About([]language.Word{w}, page, m.came); about >= named || about >= contextLeast && !m.pointsTo(w, page) {
				sum += weight * about
			}
			all += weight
		}
		return sum / all
	case len(s.Object) > 0 || s.Literal != "" && s.Deed != "click":
		return reading.About(s.Thing(), page, m.came)
	}
	return 1
}

// opened is what the layer over a page calls itself, "" for none.
func opened(page *walk.Page) string {
	at := slices.IndexFunc(page.Texts, func(t walk.Text) bool { return t.InDialog && t.Kind == "heading" })
	if at < 0 {
		return ""
	}
	return page.Texts[at].Text
}

// placed is how far a label says the place in which the subgoal is to be done, by the
// interface concept that both are of, whatever they call it ("Preferences", "Options").
func (m *Mind) placed(s *task.Subgoal, label *language.Phrase) float64 {
	where := ""
	for _, w := range s.Where() {
		where += " " + w.Text
	}
	return unit(slices.ContainsFunc(m.phrase(where).Concepts, label.Has))
}

// pointsTo: a link of the page is called by the word, and hardly more: what the page
// itself calls by another word is not yet there.
func (m *Mind) pointsTo(w language.Word, page *walk.Page) bool {
	const most = 2 // words of a name ("Python Tutorial")
	return slices.ContainsFunc(page.Elements, func(e walk.Element) bool {
		if e.Href == "" || cutFragment(e.Href) == cutFragment(page.URL) {
			return false
		}
		label := m.phrase(e.Name)
		return len(label.Content()) <= most && language.Best(w, label) >= named
	})
}

// perceive looks at one control.
func (m *Mind) perceive(v *view, e *walk.Element) percept {
	p := percept{e: e, key: m.site.key(e), label: m.phrase(e.Name), takes: m.at}
	if (m.generic(p.label) || v.ways[e.Row] == 1 && numbered(e, v.rows[e.Row])) && e.Row > 0 && !walk.IsField(e) && len(strings.Fields(v.rows[e.Row])) <= cardWords {
		p.card = v.rows[e.Row]
		p.label = m.phrase(p.card)
	}
	if head, value, ok := strings.Cut(e.Name, ": "); ok && value != "" && len(strings.Fields(head)) == 1 && slices.ContainsFunc(p.label.Concepts, m.sends) {
		told := *p.label // "Published: June" tells of what was done
		told.Concepts = slices.DeleteFunc(slices.Clone(told.Concepts), m.sends)
		p.label = &told
	}
	covered := e.CoveredBy != "" && !e.InDialog
	_, p.known = v.at.seen[p.key] // what was made out once is seen again
	p.seen = m.t.reader || e.InViewport && !covered && (p.known || m.notices(e, p.key, v.at.settled))
	if e.InViewport && !covered {
		v.at.passed[p.key] = true
	}
	if p.seen {
		if !e.Submit || e.Form == 0 || v.apart(e) { // the steps of a form are sent with the same words
			m.site.meet(p.key, v.at.key)
		}
		if _, before := v.at.seen[p.key]; !before {
			v.at.seen[p.key] = sight{m.steps, v.at.screens}
		}
	}
	if v.at.settled && v.at.passed[p.key] && !p.seen && !covered && m.legible(e.Contrast, e.FontSize, e.Bold, p.key, true) {
		v.at.seen[p.key] = sight{m.steps, v.at.screens} // the second look goes over the whole page
	}
	_, p.known = v.at.seen[p.key]
	p.usable = !e.Disabled && !covered && !v.at.covered[p.key] && (!e.MouseOnly || !m.t.keys)
	p.shape = e.Icon && p.card == "" && !m.t.reader && !slices.ContainsFunc(p.label.Concepts, language.Pictured)
	p.avoid = p.seen && e.Role == "link" && m.subgoal().Kind != task.Act && m.phrase(v.sentence(e)).Has("vacant")
	m.smell(v, &p)
	return p
}

// cardWords is how many words are taken in at once as what a control is of: an
// assumption.
const cardWords = 40

// generic: a label that says only that there is more, or nothing.
func (m *Mind) generic(label *language.Phrase) bool {
	if len(label.Words) == 0 {
		return true
	}
	return label.Has("more") && len(label.Content()) <= 3
}

// sends: a concept is one of buttons that send what was entered.
func (m *Mind) sends(concept string) bool { return slices.Contains(sending, concept) }

// numbered: the one link of a row is only the number of what its row tells of.
func numbered(e *walk.Element, row string) bool {
	return e.Href != "" && e.Name != "" && !strings.ContainsFunc(e.Name, unicode.IsLetter) && strings.ContainsFunc(row, unicode.IsLetter)
}

// notices reports whether this persona notices a control and makes out its
// label. A box that stands out is noticed as a control whatever its label looks
// like, and a second look makes more of a faint label.
func (m *Mind) notices(e *walk.Element, key string, again bool) bool {
	least := shapeSeen
	if again {
		least *= secondShape
	}
	if e.Salience >= least || walk.IsField(e) && e.Salience >= fieldSeen || key == m.wanted && m.legibility(e.Contrast, e.FontSize, e.Bold) > 0 {
		return true
	}
	return m.legible(e.Contrast, e.FontSize, e.Bold, key, again)
}

// reads reports whether this persona takes in a text on this look. A screen
// reader is told a text passage by passage, for which the viewport stands.
func (m *Mind) reads(t *walk.Text) bool {
	return t.InViewport && !t.Covered && (m.t.reader || m.legible(t.Contrast, t.FontSize, t.Kind == "heading", t.Text, false))
}

// legible draws whether something of some legibility is seen.
func (m *Mind) legible(contrast, font float64, bold bool, key string, again bool) bool {
	chance := m.legibility(contrast, font, bold)
	if again {
		chance = math.Cbrt(chance)
	}
	return chance >= 1 || chance > 0 && uniform(m.seed, "see", key) < chance
}

// legibility is the chance that something is made out, 0 to 1: below leastContrast
// nothing is, from largeText on nothing is missed, and the persona's needs raise
// both; text below the persona's size is missed in proportion. The line between
// the two is an assumption.
func (m *Mind) legibility(contrast, font float64, bold bool) float64 {
	chance := 1.0
	if contrast > 0 {
		low, high := leastContrast*m.t.contrast, largeText*m.t.contrast
		if font >= 24 || bold && font >= 18.66 {
			high *= 0.75
		}
		chance = math.Min(1, (contrast-low)/(high-low))
	}
	if font > 0 && font < m.t.minFont {
		chance *= math.Max(0, 1-1.5*(m.t.minFont-font)/m.t.minFont)
	}
	return math.Max(0, chance)
}

// missing keeps what was relevant on the screen and could not be used.
func (m *Mind) missing(v *view) {
	for i := range v.percepts {
		p := &v.percepts[i]
		if p.own < contextLeast || !p.e.InViewport || walk.IsField(p.e) {
			continue
		}
		switch {
		case p.e.MouseOnly && m.t.keys:
			v.unreachable = p
		case p.e.CoveredBy != "" && !p.e.InDialog:
			v.buried = p
		case !p.seen:
			v.overlooked = p
		}
	}
}

// sentence are the words that a link stands in the middle of, "" for none.
func (v *view) sentence(e *walk.Element) string {
	at := centre(e.Box)
	for i := range v.page.Texts {
		t := &v.page.Texts[i]
		if b := t.Box; (t.Kind == "paragraph" || t.Kind == "item") && at.x > b.X && at.x < b.X+b.W && at.y > b.Y && at.y < b.Y+b.H {
			return t.Text
		}
	}
	return ""
}

// kind is that of a control's region, "" for none.
func (v *view) kind(e *walk.Element) string {
	if e.Region < 0 || e.Region >= len(v.page.Regions) {
		return ""
	}
	return v.page.Regions[e.Region].Kind
}

// phrase reads a label, once in a walk.
func (m *Mind) phrase(s string) *language.Phrase {
	p := m.phrases[s]
	if p == nil {
		p = language.Read(s)
		m.phrases[s] = p
	}
	return p
}
