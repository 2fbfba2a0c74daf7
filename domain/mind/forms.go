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
			f = &form{key: v.place.key + "#" + key}
			index[key] = f
			out = append(out, f)
		}
		f.fields = append(f.fields, p)
		f.dialog = f.dialog || p.e.InDialog
	}
	for i := range v.percepts {
		p := &v.percepts[i]
		if isField(p.e) || p.e.Role != "button" && !p.e.Submit {
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
		}
		if takesText(p.e) {
			text++
		}
		if r := p.e.Region; r >= 0 && r < len(v.headings) {
			f.about = math.Max(f.about, v.headings[r])
		}
	}
	f.search = f.search && text <= 1
	f.login = passwords == 1 && text <= 2
	for _, b := range f.buttons {
		f.about = math.Max(f.about, b.own)
	}
	purpose := f.purposes()
	for _, c := range purpose {
		if c == s.Verb || leadsTo[s.Verb][c] >= 0.5 {
			f.about = math.Max(f.about, 0.8)
		}
	}
	if f.login && s.Verb == "signup" && !m.buttonSays(f, "signup") || has(purpose, "signup") && s.Verb == "login" {
		f.about = 0
	}
	f.about = math.Max(f.about, 0.9*m.similar(s, mainHeading(v.page)))
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
		if f.search || s.Kind != Act && !(f.login && len(m.goal.Inputs) > 0) {
			continue
		}
		if st != nil && st.sent >= 2 && !st.dirty && !m.openFields(f, st) {
			continue // sent twice as it is: a third time will not help
		}
		if f.about >= worth && (best == nil || f.about > best.about) {
			best = f
		}
	}
	return best
}

// openFields: something in the form still wants a value.
func (m *Mind) openFields(f *form, st *formState) bool {
	for _, p := range f.fields {
		if m.wants(f, p, st) {
			return true
		}
	}
	return false
}

// wants reports whether a field is to be filled in now.
func (m *Mind) wants(f *form, p *percept, st *formState) bool {
	e := p.e
	if e.Disabled || e.Role == "file" || e.Role == "slider" {
		return false
	}
	tries := st.attempts[p.key]
	if e.Error != "" {
		return tries < maxFieldTries && (tries == 0 || st.sent > 0 && st.errors >= tries)
	}
	if tries > 0 {
		return false
	}
	switch e.Role {
	case "checkbox", "switch":
		return !e.Checked && (e.Required || termsBox(p.w) || m.similar(m.subgoal(), p.label) >= relevant)
	case "radio":
		return m.wantsRadio(f, p, st)
	}
	if e.Value != "" && e.Role != "combobox" {
		return false
	}
	if e.Role == "combobox" && e.Value != "" && !emptyOption(e.Value) && !e.Required {
		return m.bestOption(e) != e.Value && m.optionScent(m.bestOption(e)) >= relevant
	}
	if e.Required || m.t.readShare > 0.25 { // thorough people fill in everything
		return kindOf(e) != fkCoupon || e.Required
	}
	return !anyRequired(f) && kindOf(e) != fkCoupon
}

func anyRequired(f *form) bool {
	for _, p := range f.fields {
		if p.e.Required {
			return true
		}
	}
	return false
}

// termsBox: a box that must be ticked to go on, though it may not say so.
func termsBox(w *words) bool {
	return has(w.concepts, "terms") || has(w.concepts, "privacy") || has(w.concepts, "accept")
}

// wantsRadio picks one of a group of radios: what the goal names, else the first.
func (m *Mind) wantsRadio(f *form, p *percept, st *formState) bool {
	var best *percept
	for _, o := range f.fields {
		if o.e.Role != "radio" {
			continue
		}
		if o.e.Checked || st.attempts[o.key] > 0 {
			if o.own < relevant && p.own >= relevant && p.own > o.own && !p.e.Checked && st.attempts[p.key] == 0 {
				continue
			}
			return false
		}
		if best == nil || o.own > best.own {
			best = o
		}
	}
	return best == p
}

func emptyOption(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return s == "" || s == "-" || strings.HasPrefix(s, "select") || strings.HasPrefix(s, "choose") || strings.HasPrefix(s, "please") || strings.HasPrefix(s, "--") || strings.HasPrefix(s, "pick")
}

// bestOption of a select: what the goal or a given value names, else the first real one.
func (m *Mind) bestOption(e *Element) string {
	best, scent := "", -1.0
	for _, o := range e.Options {
		if emptyOption(o) {
			continue
		}
		if s := m.optionScent(o); s > scent {
			best, scent = o, s
		}
	}
	return best
}

func (m *Mind) optionScent(o string) float64 {
	s := m.similar(m.subgoal(), o)
	for _, v := range m.goal.Values {
		if v.Text != "" && strings.EqualFold(strings.TrimSpace(v.Text), strings.TrimSpace(o)) {
			s = 1
		}
	}
	return s
}

// workForm takes the next act in a form; ok is false when nothing is left.
func (m *Mind) workForm(v *view, f *form) (Decision, bool) {
	st := m.forms[f.key]
	if st == nil {
		st = &formState{attempts: map[string]int{}}
		m.forms[f.key] = st
	}
	for _, p := range f.fields {
		if m.wants(f, p, st) {
			if d, ok := m.fill(v, f, st, p); ok {
				return d, true
			}
			st.attempts[p.key]++
		}
	}
	if st.sent >= maxSends {
		st.left = true
		return Decision{}, false
	}
	return m.send(v, f, st)
}

// fill enters one value.
func (m *Mind) fill(v *view, f *form, st *formState, p *percept) (Decision, bool) {
	e := p.e
	d := Decision{Target: e, Purpose: Fill, Scent: math.Min(1, f.about), Assessed: 1}
	attempt := st.attempts[p.key]
	label := fieldName(p)
	switch {
	case e.Role == "checkbox" || e.Role == "switch" || e.Role == "radio":
		d.Action = Action{Type: Check, Ref: e.Ref}
		d.Thought = pickText(m.seed, p.key, "I tick "+label+".", "This one has to be ticked: "+label+".")
	case len(e.Options) > 0:
		o := m.bestOption(e)
		if o == "" {
			return d, false
		}
		d.Action = Action{Type: Select, Ref: e.Ref, Text: o}
		d.Thought = "For " + label + " I choose “" + clip(o, 60) + "”."
	default:
		text, secret := m.valueFor(e, attempt)
		if text == "" && secret == "" {
			return d, false
		}
		d.Action = Action{Type: Type, Ref: e.Ref, Text: text, Secret: secret}
		d.Thought = m.fillThought(p, label, secret)
	}
	if e.Error != "" {
		d.Signals = append(d.Signals, Signal{Kind: SigFieldError, Detail: clip(e.Error, 120)})
		d.Thought = "It says “" + clip(e.Error, 100) + "”. " + d.Thought
	}
	if p.label == "" || e.NameSource == "placeholder" {
		d.Signals = append(d.Signals, Signal{Kind: SigUnlabelled})
	}
	st.attempts[p.key]++
	st.dirty = true
	if attempt > 0 {
		m.shock(0.1)
	}
	return d, true
}

func fieldName(p *percept) string {
	if p.label != "" {
		return "“" + clip(p.label, 60) + "”"
	}
	if p.e.Placeholder != "" {
		return "“" + clip(p.e.Placeholder, 60) + "”"
	}
	return "a field without a label"
}

// send submits a form by its most fitting button, or with Enter when it has none.
func (m *Mind) send(v *view, f *form, st *formState) (Decision, bool) {
	var best *percept
	score := math.Inf(-1)
	for _, b := range f.buttons {
		if dodges(m.subgoal(), b.w) || has(b.w.concepts, "dismiss") || b.e.CoveredBy != "" && !b.e.InDialog {
			continue
		}
		s := b.own
		if b.e.Submit {
			s += 0.6
		}
		if has(b.w.concepts, "send") || has(b.w.concepts, "continue") || has(b.w.concepts, "save") {
			s += 0.3
		}
		if has(b.w.concepts, "password") || b.label == "" {
			s -= 0.5 // "show password" and nameless icons are not how one sends
		}
		if s > score {
			best, score = b, s
		}
	}
	d := Decision{Purpose: Submit, Scent: math.Min(1, f.about), Assessed: len(f.buttons)}
	switch {
	case best == nil:
		if len(f.fields) == 0 || st.sent > 0 {
			return d, false
		}
		last := f.fields[len(f.fields)-1].e
		d.Target, d.Action = last, Action{Type: Press, Ref: last.Ref, Text: "Enter"}
		d.Thought = "There is no button, so I press Enter."
	case best.e.Disabled:
		d.Signals = append(d.Signals, Signal{Kind: SigDisabled, Selector: best.e.Selector, Detail: clip(best.label, 60)})
		m.shock(0.25)
		st.left = true
		d.Target, d.Purpose = best.e, Submit
		d.Action = Action{Type: Wait}
		d.Thought = "I have filled everything in, but “" + clip(best.label, 60) + "” stays grey and nothing says why."
	default:
		d.Target, d.Action = best.e, Action{Type: Click, Ref: best.e.Ref}
		d.Thought = pickText(m.seed, best.key, "That is everything, so “"+clip(best.label, 60)+"”.", "All filled in. I press “"+clip(best.label, 60)+"”.")
		if best.label == "" {
			d.Thought = "That is everything. The button has no name, I press it."
		}
	}
	st.sent++
	st.dirty = false
	return d, true
}
