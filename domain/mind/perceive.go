package mind

import (
	"math"
	"slices"
	"strings"
)

// dictionary remembers how labels and texts come apart, for one walk.
type dictionary struct{ known map[string]*words }

func newDictionary() *dictionary { return &dictionary{map[string]*words{}} }

func (d *dictionary) of(s string) *words {
	if w, ok := d.known[s]; ok {
		return w
	}
	w := analyse(s)
	d.known[s] = &w
	return &w
}

// percept is an element as this persona perceives it.
type percept struct {
	e *Element
	// key finds the same element again on a later look.
	key string
	w   *words
	// label is the name that is read, "" for an icon without one.
	label string
	// seen: noticed on this look or heard; usable: can be acted on.
	seen, usable bool
	// own is the label's own scent, scent the whole with heading and noise.
	own, scent float64
	// shape: a picture that not everybody knows stands for the label.
	shape bool
}

// familiarShapes are the icons that most people know by now: an assumption
// from usability practice (the magnifier, the three bars, the cart, the cross,
// the house, the cogwheel).
var familiarShapes = []string{"search", "menu", "cart", "dismiss", "home", "settings", "help"}

func familiar(w *words) bool {
	for _, c := range familiarShapes {
		if has(w.concepts, c) {
			return true
		}
	}
	return false
}

// ShapeOnly reports whether an element shows a shape instead of its name, and not
// one that everybody knows: what is read off it is a guess.
func ShapeOnly(e *Element) bool {
	return e.Icon && strings.TrimSpace(e.Name) != "" && !slices.ContainsFunc(familiarShapes, func(c string) bool { return HasConcept(e.Name, c) })
}

// view is one look at a page by one persona.
type view struct {
	page     *Page
	place    *place
	percepts []percept
	// headings are the scents of the regions' headings, by index.
	headings []float64
	// dialog: some element is in an open dialog.
	dialog bool
	// filled are the forms that have fields, by number.
	filled map[int]bool
	// about is how far the page's main heading names the goal's object.
	about float64
	// best is the strongest scent among what is seen or was seen here before.
	best float64
	// onwardBest is the strongest scent of what leads on.
	onwardBest float64
	// overlooked is a relevant element that was on the screen and not noticed.
	overlooked *percept
	// buried is a relevant element under something else.
	buried *percept
	// unreachable is a relevant element that no key reaches.
	unreachable *percept
	words       int // words of text on the screen
	touch       bool
}

// look perceives a page.
func (m *Mind) look(page *Page) *view {
	key := placeKey(page)
	pl := m.places[key]
	if pl == nil {
		pl = &place{key: key, url: page.URL, tried: map[string]int{}, aimed: map[string]int{}, opened: map[string]int{}, seen: map[string]sight{}}
		m.places[key] = pl
	}
	v := &view{page: page, place: pl, touch: page.Viewport.Width > 0 && page.Viewport.Width < touchWidth && !m.t.keys}
	s := m.subgoal()
	v.headings = make([]float64, len(page.Regions))
	for i := range page.Regions {
		if h := page.Regions[i].Heading; h != "" {
			v.headings[i] = m.similar(s, h)
		}
	}
	v.filled = map[int]bool{}
	for i := range page.Elements {
		if e := &page.Elements[i]; e.Form > 0 && isField(e) {
			v.filled[e.Form] = true
		}
	}
	v.about, _ = objectCoverage(s, m.dict.of(MainHeading(page)))
	v.percepts = make([]percept, 0, min(len(page.Elements), maxElements))
	for i := range page.Elements {
		if len(v.percepts) == maxElements {
			break
		}
		e := &page.Elements[i]
		if e.Ref == "" || e.Box.W <= 0 || e.Box.H <= 0 {
			continue
		}
		v.dialog = v.dialog || e.InDialog
		v.percepts = append(v.percepts, m.perceive(v, s, e))
	}
	for i := range page.Texts {
		t := &page.Texts[i]
		if m.sees(t) {
			v.words += strings.Count(t.Text, " ") + 1
		}
	}
	for i := range v.percepts {
		p := &v.percepts[i]
		if p.seen && !pl.saw(p.key) {
			pl.seen[p.key] = sight{m.steps, max(1, pl.screens)}
		}
		if pl.saw(p.key) && p.usable && !isField(p.e) {
			v.best = math.Max(v.best, p.scent)
			if v.onward(p) {
				v.onwardBest = math.Max(v.onwardBest, m.worth(v, p))
			}
		}
		if p.own >= m.tune.Promising && p.e.InViewport && !isField(p.e) {
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
	pl.before = pl.best
	pl.best = math.Max(pl.best, v.best)
	return v
}

const (
	// maxElements bounds how many elements of a page are considered.
	maxElements = 4000
	// relevant is the scent from which a label is clearly about the goal.
	relevant = 0.6
	// asternShare is what is left of the scent of links that lead back from the
	// thing itself to things of its kind (an assumption, calibrated on our sites).
	asternShare = 0.5
	// alternativeShare is what is left of the scent of a label that offers the deed
	// for something else than what is wanted (an assumption).
	alternativeShare = 0.5
	// leastContrast is the ratio below which nothing is seen at all.
	leastContrast = 1.3
)

// perceive looks at one element.
func (m *Mind) perceive(v *view, s *Subgoal, e *Element) percept {
	p := percept{e: e, key: elementKey(e), label: strings.TrimSpace(e.Name)}
	p.w = m.dict.of(p.label)
	p.seen = m.t.reader || e.InViewport && m.legible(e.Contrast, e.FontSize, e.Bold, p.key, v.place.settled)
	p.usable = !e.Disabled && (e.CoveredBy == "" || e.InDialog) && (!e.MouseOnly || !m.t.keys)
	if p.label == "" {
		p.scent = 0.02
		return p
	}
	p.own = m.similar(s, p.label)
	if m.alternative(v, s, &p) {
		p.own *= alternativeShare
	}
	p.own = math.Max(p.own, m.inContext(v, s, &p))
	p.shape = e.Icon && !m.t.reader && !familiar(p.w)
	if p.shape {
		// What is seen is a shape, and its name is what was meant by it.
		p.own *= m.tune.IconShare
	}
	if e.Role == "link" && e.InViewport && s.Kind != Act {
		// What stands beside a link tells what it leads to.
		if g := m.similar(s, v.gist(e)); g > p.own {
			p.own += gistShare * (g - p.own)
		}
	}
	heading := 0.0
	if e.Region >= 0 && e.Region < len(v.headings) {
		heading = v.headings[e.Region]
	}
	p.scent = p.own
	switch {
	case dodges(s, p.w):
		p.scent = 0
	case has(p.w.concepts, "more") && p.own < moreShare*heading:
		p.scent = moreShare * heading
	default:
		p.scent += m.tune.HeadingShare * heading
	}
	if s.Kind != Act && commits(s, p.w) {
		p.scent *= commitShare
	}
	if v.astern(s, &p) {
		p.scent *= asternShare
	}
	if p.scent > 0 {
		noise := m.t.noise
		if p.shape {
			noise *= 2 // shapes are read in more ways than words: an assumption
		}
		p.scent += noise * logistic(m.seed, "scent", strings.ToLower(p.label))
	}
	p.scent = math.Max(0.01, math.Min(1, p.scent))
	return p
}

// alternative: the label is one of several of a kind that offer the deed for
// different things ("Book a massage", "Book a facial"), and this thing is not
// the one that is wanted.
func (m *Mind) alternative(v *view, s *Subgoal, p *percept) bool {
	if s.Kind != Act || len(s.Object) == 0 || len(p.w.base) < 2 || verbSaid(s, p.w) == 0 || objectSaid(s, m.dict.of(strings.Join(p.w.base[1:], " "))) {
		return false
	}
	for i := range v.page.Elements {
		e := &v.page.Elements[i]
		if e.Role != p.e.Role || e.FontSize != p.e.FontSize || math.Abs(e.Box.H-p.e.Box.H) > 2 || e.Ref == p.e.Ref || isField(e) {
			continue
		}
		if w := m.dict.of(e.Name); len(w.base) >= 2 && w.base[0] == p.w.base[0] && !slices.Equal(w.base[1:], p.w.base[1:]) {
			return true
		}
	}
	return false
}

// astern: who is on the page of the very thing that something is to be done with
// has come from where this link leads, to things of its kind.
func (v *view) astern(s *Subgoal, p *percept) bool {
	if s.Kind != Act || len(s.Object) == 0 || v.about < 1 || p.e.Href == "" || verbSaid(s, p.w) > 0 {
		return false
	}
	said, _ := objectCoverage(s, p.w)
	return said > 0 && said < v.about
}

// inContext is the scent that a label has where it stands: the verb alone is
// the whole promise on a page about the object or in the middle of the deed,
// and "Yes" means what it answers.
func (m *Mind) inContext(v *view, s *Subgoal, p *percept) float64 {
	if s.Kind != Act {
		return m.nextPage(v, p)
	}
	if len(p.w.base) == 1 && p.w.base[0] == "yes" {
		return 0.9 * m.similar(s, v.textAbove(p.e))
	}
	if dodges(s, p.w) {
		return 0
	}
	scent := 0.0
	if m.underWay && len(p.w.base) > 1 && chooses[p.w.base[0]] && !abroad(p.e.Href, v.page.URL) {
		scent = 0.65 // "Choose a time": what was begun asks for more
	}
	if m.underWay && (has(p.w.concepts, "confirm") || has(p.w.concepts, "continue") || has(p.w.concepts, "checkout") && s.Verb == "buy") {
		scent = 0.8
	}
	scent = math.Max(scent, m.slotScent(v, s, p))
	if v.about >= objectLeast && len(s.Object) > 0 && p.e.Role == "button" {
		for _, t := range s.terms {
			if t.verb {
				scent = math.Max(scent, termMatch(t, p.w)*dilution(len(p.w.base)))
			}
		}
	}
	return scent
}

// chooses are the verbs with which pages ask for what is still missing.
var chooses = set(`choose select pick enter provide arrange schedule`)

// similar is similarity, remembered by subgoal and label.
func (m *Mind) similar(s *Subgoal, label string) float64 {
	key := similarKey{m.at(), m.hubs, label}
	if sim, ok := m.sims[key]; ok {
		return sim
	}
	w := m.dict.of(label)
	sim := math.Max(fit(s, w), instructs(s, w)*math.Pow(hubShare, float64(m.hubs)))
	m.sims[key] = sim
	return sim
}

type similarKey struct {
	subgoal, hubs int
	label         string
}

// hubShare is what each place of instructions that was gone to leaves of the
// promise of the next: who is in the manual need not look for one (an assumption).
const hubShare = 0.7

// legible reports whether a text or control is noticed and can be read by this
// persona. Below 1.3 : 1 nothing is seen; from 3 : 1 (WCAG's floor for large
// text) nothing is missed; in between it depends on the person and the thing,
// and who looks a second time sees more. The persona's factor raises both. Text
// below the persona's size is missed in proportion. The shape between the two
// is an assumption.
func (m *Mind) legible(contrast, font float64, bold bool, key string, again bool) bool {
	chance := 1.0
	if contrast > 0 {
		low, high := leastContrast*m.t.contrast, 3*m.t.contrast
		if font >= 24 || bold && font >= 18.66 {
			high *= 0.75
		}
		chance = math.Min(1, (contrast-low)/(high-low))
	}
	if font > 0 && font < m.t.minFont {
		chance *= math.Max(0, 1-1.5*(m.t.minFont-font)/m.t.minFont)
	}
	if chance >= 1 {
		return true
	}
	if again && chance > 0 {
		chance = math.Sqrt(chance)
	}
	return chance > 0 && uniform(m.seed, "see", key) < chance
}

// sees reports whether the persona takes in a text on this look. A screen
// reader jumps between all controls of a page, but its text is heard passage
// by passage, for which the viewport stands here too.
func (m *Mind) sees(t *Text) bool {
	if m.t.reader {
		return t.InViewport
	}
	return t.InViewport && m.legible(t.Contrast, t.FontSize, t.Kind == "heading", t.Text, false)
}

// isField reports what takes a value.
func isField(e *Element) bool {
	switch e.Role {
	case "textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "listbox", "switch", "slider", "file":
		return e.InputType != "hidden" && e.InputType != "submit" && e.InputType != "button" && e.InputType != "image"
	}
	return false
}
