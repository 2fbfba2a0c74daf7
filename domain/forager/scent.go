package forager

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// smell fills in what a control promises: for the subgoal at hand or, where that
// only says where the next deed is to be done and the control offers that deed
// there, for the next.
func (m *Mind) smell(v *view, p *percept) {
	s := m.subgoal()
	if m.another(s, p) {
		p.own, p.scent = 0, 0.01 // whatever it stands under
		return
	}
	here := v.about
	if m.site.bars[p.key] && (s.Kind != task.Act || !takesHold(s.Deed) && (!m.made(s) || len(s.Where()) == 0) || m.does(s, p.label) < offers || m.orders(s, p.label) == 0) {
		here = 0 // it belongs to the site, not to what this page is about
	}
	p.own = m.promise(v, s, p, here)
	if next := m.at + 1; s.Kind == task.Reach && next < len(m.goal.Subgoals) {
		there := language.Cover(s.Wanted(), m.phrase(v.beside(p.e)))
		if there < contextLeast && m.at == v.at.subgoal && v.about >= named {
			there = v.about
		}
		if there >= contextLeast {
			if own := m.promise(v, &m.goal.Subgoals[next], p, there); own > p.own {
				p.own, p.takes = own, next
			}
		}
	}
	p.scent = p.own
	if p.shape && len([]rune(s.Literal)) != 1 {
		p.scent *= iconShare // what is seen is a shape, and its name is what was meant by it
	}
	if p.e.Region >= 0 && p.e.Region < len(v.headings) && (s.Kind != task.Act || p.own >= leastScent) {
		p.scent += headingShare * v.headings[p.e.Region] * (1 - p.scent)
	}
	if p.scent > leastScent && p.own < named {
		noise := m.t.noise
		if p.shape {
			noise *= 2 // shapes are read in more ways than words
		}
		p.scent += noise * logistic(m.seed, "scent", strings.ToLower(p.label.Text))
	}
	p.scent = math.Max(0.01, math.Min(1, p.scent))
}

// kept is how likely it is that what a label names is where the thing of the subgoal is kept,
// while that does not stand on the page.
func (m *Mind) kept(v *view, s *task.Subgoal, p *percept) float64 {
	if name := fold(s.Existing()); v.inRow || s.Here && s.Deed != "create" || walk.IsField(p.e) || v.dialog || p.card != "" || s.Kind == task.Act && !takesHold(s.Deed) && !slices.Contains(keptDeeds, s.Deed) || s.Widget == "form" || name != "" && v.stands(name) || p.e.Selected {
		return 0
	}
	key := keeping{m.at, p.label.Text}
	k, known := m.keeps[key]
	if !known {
		words := slices.Clone(s.Wanted())
		for _, v := range s.Values {
			words = append(words, v.Hint...)
		}
		if k = language.Kept(words, p.label); k == 0 {
			k = alsoSaid * language.Kept(m.phrase(m.goal.Task).Content(), p.label)
		}
		m.keeps[key] = k
	}
	return k
}

// isHere: a way of the site is called as the page where one is.
func (v *view) isHere(p *percept) bool {
	if p.e.Row > 0 && p.e.Region < 0 || p.e.Role != "link" && p.e.Role != "menuitem" && p.e.Role != "tab" {
		return false
	}
	if strings.Contains(p.e.Href, "#") && cutFragment(p.e.Href) == cutFragment(v.page.URL) {
		return false // a part of the page
	}
	name, title := bare(p.e.Name), v.page.Title
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; t.Kind == "heading" && t.Level == 1 {
			title += "\n" + t.Text
		}
	}
	return slices.ContainsFunc(parts(title), func(part string) bool { return bare(part) == name })
}

// answers: a deed is done to something that is opened first.
func answers(deed string) bool {
	return slices.Contains([]string{"reply", "forward", "comment"}, deed) || takesHold(deed)
}

// namedWords are the words of a subgoal's object that are names.
func namedWords(s *task.Subgoal) []language.Word {
	return slices.DeleteFunc(slices.Clone(s.Object), func(w language.Word) bool { return !w.Named() })
}

// parts are what a title joins: the page's name, the site's.
func parts(title string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(title, " - ", "\n"), func(r rune) bool { return strings.ContainsRune("|·•–—»›‹:\n", r) })
}

// bare is a name without how many there are ("Inbox (3)").
func bare(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return strings.TrimRight(fold(name), " 0123456789")
}

// keptDeeds are done where such things are kept, beside those that take hold of one.
var keptDeeds = []string{"create", "on", "off", "done", "filter", "save"}

// keeping is a subgoal and a label.
type keeping struct {
	at    int
	label string
}

// promise is what a label promises for a subgoal, 0 to 1; here is how far the
// page or what was opened is about the subgoal's object.
func (m *Mind) promise(v *view, s *task.Subgoal, p *percept, here float64) float64 {
	if len(p.label.Words) == 0 && s.Widget == "" {
		return 0
	}
	if s.Deed == "click" && s.Literal == "" && len(s.Object) == 0 && s.Widget != "" {
		return unit(isWidget(s.Widget, p.e)) // any of that kind
	}
	most := 1.0
	if s.Kind == task.Act && s.Existing() != "" && takesHold(s.Deed) {
		if c := m.literal(s, p); c > 0 && p.card == "" && m.does(s, p.label) < offers {
			if m.besides(s, p.e.Name, fold(s.Existing())) {
				return 0
			}
			return math.Min(c, itselfShare)
		}
	} else if s.Kind == task.Act && takesHold(s.Deed) && p.card == "" && m.named(s, p.label) && m.does(s, p.label) < offers {
		return itselfShare
	} else if s.Literal != "" {
		if c := m.literal(s, p); c > 0 {
			return c
		}
		if s.Deed == "click" && m.at > 0 && entering(&m.goal.Subgoals[m.at-1]) && slices.ContainsFunc(sending, m.phrase(s.Literal).Has) && (p.e.Submit || slices.ContainsFunc(sending, p.label.Has)) {
			return sendsToo // what was entered is sent, whatever the button is called
		}
		if s.Kind != task.Act || s.Deed == "click" {
			most = otherShare // it can only be on the way
		}
	}
	if p.avoid || m.dodges(s, p.label) || s.Kind != task.Act && (p.e.Role == "button" && m.alters(s, p) || p.label.Has("repeat") && !m.phrase(s.Text).Has("repeat")) {
		return 0
	}
	wanted := s.Wanted()
	if s.Kind != task.Act && m.names() && !m.namedIn(s, p.label) {
		// What the name is of, or what is asked of it: on the way to it, or within it.
		if wanted = slices.DeleteFunc(slices.Clone(wanted), language.Word.Named); v.named < contextLeast {
			most = otherShare
		}
	}
	if len(s.Where()) > 0 && here >= contextLeast {
		wanted = s.Thing() // the place need not be said where one is
	}
	says := language.Cover(wanted, p.label)
	exact := m.precision(s, wanted, p.label)
	going := math.Max(says*(0.45+0.55*exact), keptShare*m.kept(v, s, p))
	if v.isHere(p) {
		going *= visitedShare
	}
	if s.Kind != task.Act {
		if v.results {
			going = math.Max(going, foundShare*language.Cover(wanted, m.phrase(v.snippet(p.e))))
		}
		if len(s.Place) > 0 && here < contextLeast {
			going = math.Max(going, placeShare*language.Cover(s.Place, p.label)*(0.45+0.55*m.precision(s, s.Place, p.label)))
		}
		going = math.Max(going, m.leads(v, s, p.label))
		if s.Kind == task.Inform && v.named < contextLeast && m.named(s, p.label) {
			going = math.Max(going, kindShare) // what is asked of a thing is looked for with it
		}
		if m.newest(v, s, p.e) {
			going = math.Max(going, kindShare)
		} else if p.label.Has("create") && !m.phrase(s.Text).Has("create") {
			going *= otherDeed // it makes another one
		}
		return math.Min(most, going)
	}
	// An act: the control that does it where the thing is, or the way there.
	deed := m.deed(s, p.label)
	if p.e.Expanded == "false" && s.Deed != "expand" && !m.uncovered(v, p) {
		deed *= opensShare
	}
	beside := m.phrase(v.beside(p.e) + "\n" + p.label.Text)
	object, it := 1.0, s.Thing()
	if len(it) > 0 {
		object = language.Cover(it, beside)
	}
	var other []language.Word
	name := fold(s.Existing())
	its := name != "" && s.Deed != "click" && !m.made(s) && m.belongs(v, p, name)
	if its || m.made(s) {
		other = m.unsaid(s, p.label)
	}
	if m.made(s) && (len(other) == 0 || language.Cover(other, &language.Phrase{Words: wanted}) >= contextLeast ||
		(p.e.Salience >= primary || v.said["create"] == 1) && (here >= contextLeast || !m.elsewhere(v, s, p)) && !v.keeps) {
		object = math.Max(object, impliedThing) // what is still to be made stands nowhere yet, and may be called otherwise
	}
	if m.made(s) && len(other) > 0 && language.Kept(it, &language.Phrase{Words: other}) >= named {
		object = 1 // it makes a new one among those where such a thing is kept
	}
	if m.made(s) && len(other) > 0 && language.Cover(other, &language.Phrase{Words: it}) < contextLeast && language.Cover(other, &language.Phrase{Words: s.Place}) >= contextLeast {
		deed *= elsewhere // it makes another such place
	}
	ordered := m.orders(s, p.label)
	doing := deed * (0.35 + 0.25*ordered + 0.4*math.Max(exact, ordered*deed))
	if m.speaks(s, p.label) {
		doing *= otherDeed
	}
	if s.Deed == "edit" && name == "" && len(s.Where()) > 0 {
		if rest := m.unsaid(s, p.label); len(rest) == 0 || language.Cover(rest, &language.Phrase{Words: s.Wanted()}) >= contextLeast {
			object = math.Max(object, impliedThing*here) // the place is edited for what stands in it
		} else {
			doing *= otherPart // it changes something else there
		}
	}
	if name == "" && m.names() && answers(s.Deed) && !m.begun && v.named < contextLeast && language.Cover(namedWords(s), beside) < contextLeast {
		doing *= elsewhere // what is answered is still to be opened
	}
	switch {
	case s.Deed == "repeat" && name == "" && math.Max(math.Max(object, here), v.named) < contextLeast:
		doing *= elsewhere // it would be something else that is done again
	case name == "" || s.Deed == "click" || m.made(s):
	case its:
		if object = 1; deed > 0 {
			doing = math.Max(doing, (0.35+0.5*deed)*(0.6+0.4*ordered))
		}
		if len(other) > 0 && language.Cover(other, &language.Phrase{Words: it}) < contextLeast {
			if doing *= otherPart; deed < offers {
				doing *= otherPart
			}
		}
	case m.rowOf(v, p, name) && slices.ContainsFunc(p.label.Concepts, language.Destructive):
		return 0 // something else would be done away with
	case !m.begun || m.rowOf(v, p, name):
		doing *= elsewhere // it would be done to something else
	}
	if where := s.Where(); len(where) > 0 && !m.begun && !its {
		if place := math.Max(here, language.Cover(where, beside)); place < contextLeast {
			doing *= elsewhere
		}
	} else {
		object = math.Max(object, here)
	}
	doing *= 0.35 + 0.65*object
	if p.e.Submit && deed < m.t.settle || deed == 0 && m.otherwise(s, p.label) {
		going *= otherDeed
	}
	if m.begun && p.e.Salience >= primary && p.e.Row == 0 && !m.site.bars[p.key] && !v.apart(p.e) {
		going = math.Max(going, primaryShare) // what the page puts first goes on with what was begun
	}
	if s.Deed == "edit" && !walk.IsField(p.e) && m.becomes(s, p.label) {
		doing = math.Max(doing, offers) // it is what the page offers to be changed to
	}
	if exact >= named && len(p.label.Content()) == 1 && p.e.Href != "" && (s.Existing() != "" || m.names() || m.made(s)) && m.kindOf(s, p.label) {
		going = math.Max(going, kindShare)
	}
	if its && s.Deed == "edit" && m.part(s, p.label) {
		doing = math.Max(doing, named)
	}
	if name != "" && takesHold(s.Deed) && (going < kindShare || v.stands(name)) && !within(fold(v.beside(p.e)+"\n"+p.label.Text), name) {
		going = math.Min(going, otherShare) // what is called otherwise is not the thing
	}
	if takesHold(s.Deed) && len(s.Where()) > 0 && here < contextLeast && !m.begun { // one goes to the place first
		there, kind := language.Cover(s.Place, p.label), m.placed(s, p.label)
		going = math.Max(math.Max(kindShare*kind, placeShare*there*(0.45+0.55*m.precision(s, s.Place, p.label))), going*(0.5+0.5*there))
	}
	going *= 1 - 0.6*here*unit(deed > 0)
	if (m.begun || p.e.Submit && v.at.promised >= arrivedLeast) && (p.label.Has("continue") || p.label.Has("confirm") || deed >= 1) && (!v.dialog || p.e.InDialog) {
		doing = math.Max(doing, 0.8)
	}
	if deed >= 1 && m.uncovered(v, p) {
		doing = math.Max(doing, named)
	}
	if m.partial != "" && m.partial == v.at.key && p.label.Has("save") && !v.apart(p.e) || m.sentFrom != "" && p.e.Submit && m.furthers(v, p) {
		doing = math.Max(doing, named) // what was begun is brought to its end first
	} else if m.partial != "" && m.partial == v.at.key {
		most = math.Min(most, otherShare) // the whole is still to be saved
	}
	return math.Min(most, math.Max(doing, going))
}

// standing is what the page and what was opened call themselves, and by which name one came.
func (m *Mind) standing(v *view) string { return v.title() + "\n" + m.came + "\n" + m.held }

// title is the page's, with its headings.
func (v *view) title() string {
	out := v.page.Title
	for i := range v.page.Texts {
		if t := &v.page.Texts[i]; t.Kind == "heading" {
			out += "\n" + t.Text
		}
	}
	return out
}

// sending are the concepts of buttons that send what was entered.
var sending = []string{"send", "save", "confirm", "continue", "done", "login", "signup", "search", "subscribe", "accept"}

func unit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// made: the subgoal's object comes into being by the act.
func (m *Mind) made(s *task.Subgoal) bool {
	switch s.Deed {
	case "create", "send", "upload", "comment", "reply", "signup", "contact":
		return true
	}
	return false
}

// elsewhere: another control of the page is called what the subgoal is about.
func (m *Mind) elsewhere(v *view, s *task.Subgoal, p *percept) bool {
	called, known := v.called[s]
	if it := s.Thing(); !known && len(it) > 0 {
		for i := range v.page.Elements {
			if e := &v.page.Elements[i]; language.Cover(it, m.phrase(e.Name)) >= named {
				called = append(called, e.Ref)
			}
		}
		v.called[s] = called
	}
	return slices.ContainsFunc(called, func(ref string) bool { return ref != p.e.Ref })
}

// newest: the control opens the first thing of the list that the page is, of whose kind the
// newest is meant: lists of what comes to be begin with it.
func (m *Mind) newest(v *view, s *task.Subgoal, e *walk.Element) bool {
	kind, list := s.Newest(), walk.Path(v.page.URL)+"/"
	holds := func(e *walk.Element) bool {
		return strings.HasPrefix(walk.Path(e.Href), list) && !m.phrase(e.Name).Has("create")
	}
	if kind == nil || !holds(e) || language.Best(*kind, m.phrase(m.standing(v))) < named {
		return false
	}
	first := slices.IndexFunc(v.page.Elements, func(o walk.Element) bool { return holds(&o) })
	return v.page.Elements[first].Ref == e.Ref
}

// literal is how well a control is what the task names itself: 1 for the very
// name, less for one that contains it, 0 for another.
func (m *Mind) literal(s *task.Subgoal, p *percept) float64 {
	name, want := fold(p.label.Text), fold(s.Existing())
	for line := range strings.SplitSeq(p.card, "\n") {
		if fold(line) == want {
			return 0.95
		}
	}
	kind := 1.0
	if s.Widget != "" && !isWidget(s.Widget, p.e) {
		kind = 0.85
	}
	switch {
	case name == want:
		return kind
	case strings.Trim(name, " .:…*#→›»") == strings.Trim(want, " .:…*#→›»"):
		return 0.98 * kind
	case len([]rune(want)) == 1 && p.e.Icon && slices.ContainsFunc(m.phrase(want).Concepts, p.label.Has):
		return named // a sign, and what it stands for
	case strings.Count(want, " ") >= titleWords-1 && within(name, want):
		return named * kind
	case len(want) >= 3 && within(name, want):
		return partShare * kind
	}
	return 0
}

// within: the words of part stand one behind the other in whole, or those of somebody's
// name with the last before the first.
func within(whole, part string) bool {
	if stands(whole, part) {
		return true
	}
	first, last, ok := cutLast(part)
	return ok && (stands(whole, last+" "+first) || stands(whole, last+", "+first))
}

// stands: the bytes of part are in whole, between the ends of words.
func stands(whole, part string) bool {
	at := strings.Index(whole, part)
	if at < 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(whole[:at])
	after, _ := utf8.DecodeRuneInString(whole[at+len(part):])
	return !isWordRune(before) && !isWordRune(after)
}

// cutLast splits the name of somebody before its last word, which lists put first; false
// for what has not two words.
func cutLast(name string) (first, last string, ok bool) {
	first, last, ok = strings.Cut(name, " ")
	return first, last, ok && !strings.ContainsAny(last, " ,") && !strings.HasSuffix(first, ",")
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// isWidget reports whether a control is of the kind that a task names.
func isWidget(widget string, e *walk.Element) bool {
	switch widget {
	case "button", "icon":
		return e.Role == "button" || e.Role == "clickable" || e.Role == "link"
	case "checkbox":
		return e.Role == "checkbox" || e.Role == "switch" || e.Role == "menuitemcheckbox"
	case "list":
		return e.Role == "combobox" || e.Role == "listbox"
	case "tab":
		return e.Role == "tab" || e.Role == "link" || e.Role == "button"
	case "result":
		return e.Role == "link" && e.Row > 0 && strings.ContainsFunc(e.Name, unicode.IsLetter)
	case "link":
		return e.Role == "link" || e.Role == "clickable"
	case "radio", "textbox", "menu":
		return strings.HasPrefix(e.Role, widget) || widget == "textbox" && walk.IsField(e)
	}
	return true
}

// snippet are the words that stand below a hit of a search, with its own.
func (v *view) snippet(e *walk.Element) string {
	if e.Role != "link" || v.kind(e) == "navigation" || v.kind(e) == "banner" || v.kind(e) == "contentinfo" {
		return ""
	}
	out := v.beside(e) + "\n" + e.Name
	for i := range v.page.Texts {
		t := &v.page.Texts[i]
		if below := t.Box.Y - e.Box.Y; t.Kind != "heading" && below >= 0 && below < hitHeight && t.Box.X < e.Box.X+e.Box.W+hitHeight && t.Box.X+t.Box.W > e.Box.X {
			out += "\n" + t.Text
		}
	}
	return out
}

// beside are the words that say what a control belongs to: those of its row and
// of its group.
func (v *view) beside(e *walk.Element) string {
	words := e.Group
	if e.Row > 0 {
		words += "\n" + v.rows[e.Row]
	}
	return words
}
