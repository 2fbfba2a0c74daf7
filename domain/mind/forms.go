package mind

import (
	"math"
	"strconv"
	"strings"
)

// form is a group of fields that are sent together, as it is perceived.
type form struct {
	key     string
	fields  []*percept
	buttons []*percept
	// about is the scent of what the form is for.
	about  float64
	search bool
	login  bool
	dialog bool
}

// formState is what is remembered of a form that was begun.
type formState struct {
	attempts map[string]int // by field
	sent     int
	errors   int
	left     bool // given up on
	dirty    bool // something was entered since it was sent last
	// typed is what was entered last, by field; entered the same by kind.
	typed   map[string]string
	entered map[fieldKind]string
	secret  map[fieldKind]string // the input behind it, if it is a secret
	past    map[string]bool      // what was entered, by field and value
}

// maxSends is how often a form is sent before it is left alone; maxFieldTries
// how often one field is filled in.
const (
	maxSends      = 4
	maxFieldTries = 3
)

// formsIn groups the fields of a view.
func (m *Mind) formsIn(v *view) []*form {
	var out []*form
	index := map[string]*form{}
	for i := range v.percepts {
		p := &v.percepts[i]
		if !isField(p.e) || p.e.CoveredBy != "" && !p.e.InDialog && v.dialog {
			continue
		}
		key := strconv.Itoa(p.e.Form)
		if p.e.Form == 0 {
			key = "r" + strconv.Itoa(p.e.Region)
		}
		f := index[key]
		if f == nil {
			f = &form{key: v.place.form() + "#" + key}
			index[key] = f
			out = append(out, f)
		}
		f.fields = append(f.fields, p)
		f.dialog = f.dialog || p.e.InDialog
	}
	for i := range v.percepts {
		p := &v.percepts[i]
		if isField(p.e) || p.e.Role != "button" && p.e.Role != "clickable" && !p.e.Submit {
			continue
		}
		key := strconv.Itoa(p.e.Form)
		if p.e.Form == 0 {
			key = "r" + strconv.Itoa(p.e.Region)
		}
		if f := index[key]; f != nil {
			f.buttons = append(f.buttons, p)
		}
	}
	for _, f := range out {
		m.judgeForm(v, f)
	}
	return out
}

// judgeForm decides what a form is for.
func (m *Mind) judgeForm(v *view, f *form) {
	s := m.subgoal()
	text, passwords := 0, 0
	for _, p := range f.fields {
		switch kindOf(p.e) {
		case fkSearch:
			f.search = true
		case fkPassword:
			passwords++
		default: // the others say nothing about what the form is
		}
		if takesText(p.e) {
			text++
		}
		if r := p.e.Region; r >= 0 && r < len(v.headings) {
			f.about = math.Max(f.about, v.headings[r])
		}
	}
	f.search = f.search && text <= 1 && s.Verb != "filter" && s.Verb != "sort"
	f.about = math.Max(f.about, m.fieldsSay(v, f))
	f.login = passwords == 1 && text <= 2
	for _, b := range f.buttons {
		f.about = math.Max(f.about, b.own)
	}
	purpose, unasked := f.purposes(), f.dialog && !m.asked[v.place.key]
	if unasked || s.Verb != "subscribe" && m.buttonSays(f, "subscribe") {
		purpose = nil // what comes unasked, or says that it is for something else, is not judged by its shape
	}
	for _, c := range purpose {
		if c == s.Verb || leadsTo[s.Verb][c] >= 0.5 {
			f.about = math.Max(f.about, 0.8)
		}
	}
	if f.login && s.Verb == "signup" && !m.buttonSays(f, "signup") || has(purpose, "signup") && s.Verb == "login" {
		f.about = 0
	}
	if !unasked { // else the page below it says nothing about it
		f.about = math.Max(f.about, 0.9*m.similar(s, MainHeading(v.page)))
	}
}

// purposes are the concepts that a form's own fields speak for.
func (f *form) purposes() []string {
	var email, password, message, text int
	var card bool
	for _, p := range f.fields {
		switch kindOf(p.e) {
		case fkEmail:
			email++
		case fkPassword:
			password++
		case fkMessage:
			message++
		case fkCard:
			card = true
		default: // found in forms of every purpose
		}
		if takesText(p.e) {
			text++
		}
	}
	switch {
	case f.search:
		return []string{"search"}
	case card:
		return []string{"checkout", "buy", "donate"}
	case f.login:
		return []string{"login"}
	case password > 0:
		return []string{"signup", "trial"}
	case message > 0:
		return []string{"contact", "send", "quote", "comment"}
	case email == 1 && text == 1:
		return []string{"subscribe", "signup", "trial"}
	}
	return nil
}

func (m *Mind) buttonSays(f *form, concept string) bool {
	for _, b := range f.buttons {
		if has(b.w.concepts, concept) {
			return true
		}
	}
	return false
}

func takesText(e *Element) bool {
	return e.Role == "textbox" || e.Role == "searchbox" || e.Role == "spinbutton" || e.Role == "combobox" && len(e.Options) == 0
}

// formWorth is the scent from which a form is filled in.
const formWorth = 0.5

// pickForm chooses the form to work on now: the one that was begun, else the
// one that is most about the goal. Finding something out fills in nothing but
// search boxes, which are handled elsewhere.
func (m *Mind) pickForm(v *view) *form {
	s := m.subgoal()
	var best *form
	worth := formWorth
	if m.followed >= m.t.settle && s.Kind == Act {
		worth = 0.2 // we came here to do it: what is asked is taken to be the way
	}
	for _, f := range m.formsIn(v) {
		st := m.forms[f.key]
		if st != nil && st.left || v.dialog && !f.dialog {
			continue
		}
		if st != nil && st.sent == 0 && len(st.attempts) > 0 && !f.search {
			return f
		}
		if f.search || s.Kind != Act && !m.looksUp(f) && (!f.login || len(m.goal.Inputs) == 0) {
			continue
		}
		if s.Kind != Act && m.looksUp(f) {
			f.about = math.Max(f.about, 0.7)
		}
		if !m.openFields(v, f, orNew(st)) && (st == nil || !st.dirty) {
			if st != nil && st.sent >= 1 && m.underWay {
				continue // it was taken: what is next lies elsewhere
			}
			if st != nil && st.sent >= 2 || st != nil && st.sent == 1 && m.last.Purpose == Submit && m.arrived > 0 {
				continue // sent as it is without effect: again will not help
			}
			if !m.goesOn(f) {
				continue // nothing to fill in and nothing that leads on: not the way
			}
		}
		if f.about >= worth && (best == nil || f.about > best.about) {
			best = f
		}
	}
	return best
}

func newFormState() *formState {
	return &formState{attempts: map[string]int{}, typed: map[string]string{}, entered: map[fieldKind]string{}, secret: map[fieldKind]string{}, past: map[string]bool{}}
}

func orNew(st *formState) *formState {
	if st == nil {
		return newFormState()
	}
	return st
}

// goesOn: a button of the form is what the goal needs next, or says that it
// goes on. "Update" under a quantity that is right already is neither.
func (m *Mind) goesOn(f *form) bool {
	for _, b := range f.buttons {
		if b.own >= 0.4 || has(b.w.concepts, "continue") || has(b.w.concepts, "send") || has(b.w.concepts, "confirm") {
			return true
		}
	}
	return false
}

// looksUp: the form asks for what the task gives and a question needs, such as a
// postcode, and for nothing that makes it a sign-up.
func (m *Mind) looksUp(f *form) bool {
	given := false
	for _, p := range f.fields {
		switch k := kindOf(p.e); k {
		case fkPassword, fkEmail, fkCard, fkMessage:
			return false
		case fkSearch:
		default:
			if _, _, ok := m.givenValue(p.e, k); ok || len(p.e.Options) > 0 && m.optionScent(p.e, m.bestOption(p.e)) >= relevant {
				given = true
			}
		}
	}
	return given
}

// fieldsSay is how far a form's own fields are what the goal wants done with
// them: something to switch, to choose or to attach.
func (m *Mind) fieldsSay(v *view, f *form) float64 {
	s, best := m.subgoal(), 0.0
	if s.Kind != Act || !switching[s.Verb] && s.Verb != "upload" {
		return 0
	}
	for _, p := range f.fields {
		switch {
		case p.e.Role == "file":
			if s.Verb == "upload" {
				return 0.9
			}
		case s.Verb == "upload", kindOf(p.e) == fkSearch:
		case len(p.e.Options) > 0:
			if o := m.bestOption(p.e); m.optionScent(p.e, o) >= relevant || s.Verb == "edit" && m.similar(s, p.label) >= relevant {
				best = math.Max(best, 0.85)
			}
		default:
			if m.switchFits(v, p) {
				best = math.Max(best, 0.85)
			}
		}
	}
	return best
}

// british: the page's prices, words or language say that it is from there, where
// dates, telephone numbers and postcodes have forms of their own.
func british(page *Page) bool {
	if strings.EqualFold(page.Lang, "en-GB") {
		return true
	}
	for i := range page.Texts {
		if strings.Contains(page.Texts[i].Text, "£") {
			return true
		}
	}
	for i := range page.Elements {
		if e := &page.Elements[i]; strings.Contains(e.Name, "£") || strings.Contains(strings.ToLower(e.Name), "postcode") {
			return true
		}
	}
	return false
}
