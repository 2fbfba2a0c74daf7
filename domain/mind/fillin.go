package mind

import (
	"math"
	"strings"
)

// workForm takes the next act in a form; ok is false when nothing is left.
func (m *Mind) workForm(v *view, f *form) (Decision, bool) {
	st := m.forms[f.key]
	if st == nil {
		st = newFormState()
		m.forms[f.key] = st
	}
	if d, ok := m.suggestion(v, f, st); ok {
		return d, true
	}
	for _, p := range f.fields {
		if m.wants(v, f, p, st) {
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
	case e.Role == "radio":
		d.Action = Action{Type: Check, Ref: e.Ref}
		d.Thought = m.choiceThought(f, p, label)
	case (e.Role == "checkbox" || e.Role == "switch") && e.Checked:
		d.Action = Action{Type: Click, Ref: e.Ref}
		d.Thought = pickText(m.seed, p.key, "I turn off "+label+".", label+" is on. I switch it off.")
	case e.Role == "file":
		d.Action = Action{Type: Upload, Ref: e.Ref, Text: fileFor(e)}
		d.Thought = "They want a file for " + label + ". I choose “" + d.Action.Text + "”."
	case e.Role == "checkbox" || e.Role == "switch":
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
		text, secret := m.nextValue(v, p, st, attempt)
		if kind := kindOf(e); repeats(e) && st.entered[kind] != "" {
			text, secret = st.entered[kind], st.secret[kind]
		} else if text != "" || secret != "" {
			st.entered[kind], st.secret[kind] = text, secret
		}
		st.typed[p.key] = text
		st.past[p.key+"\x00"+text] = true
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

// asRead is a field with what the persona takes for its label: where the page
// names none, the words that stand by it, for those who can see them, and what
// an error says of it, for all.
func (m *Mind) asRead(v *view, p *percept) *Element {
	if p.label != "" || p.e.Placeholder != "" {
		return p.e
	}
	e := *p.e
	if !m.t.reader {
		e.Name = v.textAbove(p.e)
	}
	e.Name = strings.TrimSpace(e.Name + " " + e.Error)
	return &e
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

// more: the page goes on below the screen.
func (v *view) more() bool {
	return v.page.Viewport.Height > 0 && v.page.ScrollY+float64(v.page.Viewport.Height) < v.page.Height-8
}

// send submits a form by its most fitting button, or with Enter when it has none.
func (m *Mind) send(v *view, f *form, st *formState) (Decision, bool) {
	var best, hidden *percept
	score := math.Inf(-1)
	for _, b := range f.buttons {
		if dodges(m.subgoal(), b.w) || has(b.w.concepts, "dismiss") {
			continue
		}
		if m.obstacle(b) != "" {
			hidden = b
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
	if best == nil && hidden != nil {
		signal := Signal{Kind: m.obstacle(hidden), Selector: hidden.e.Selector, Detail: clip(hidden.label, 60)}
		if signal.Kind == SigCovered {
			signal.Detail = clip(hidden.e.CoveredBy, 80)
		}
		m.pending = append(m.pending, signal)
		m.shock(0.1)
		if !m.where.settled {
			m.where.settled = true // the next look is a closer one
			d.Action, d.Purpose, d.Assessed = Action{Type: Wait}, ReadOn, len(f.buttons)+len(f.fields)+closerLook
			d.Thought = "I have filled everything in, but where is the button that sends it? I look again."
			if signal.Kind == SigCovered && v.more() {
				// What lies under a bar that stays comes out from under it.
				d.Action = Action{Type: Scroll, Text: "down"}
				d.Thought = "I have filled everything in, but the button lies under something. I scroll on."
			}
			return d, true
		}
	}
	switch {
	case best == nil:
		if !hasText(f) || st.sent > 0 {
			st.left = st.left || !hasText(f) // what is only switched or chosen needs no sending
			return d, false
		}
		last := f.fields[len(f.fields)-1].e
		d.Target, d.Action = last, Action{Type: Press, Ref: last.Ref, Text: "Enter"}
		d.Thought = "There is no button, so I press Enter."
		if hidden != nil {
			d.Thought = "I cannot get at the button, so I press Enter."
		}
	case best.e.Disabled:
		d.Signals = append(d.Signals, Signal{Kind: SigDisabled, Selector: best.e.Selector, Detail: clip(best.label, 60)})
		m.shock(0.25)
		st.left = true
		d.Target, d.Purpose = best.e, Submit
		d.Action = Action{Type: Wait}
		d.Thought = "I have filled everything in, but “" + clip(best.label, 60) + "” stays grey and nothing says why."
		for _, p := range f.fields {
			if p.e.Error != "" {
				d.Thought = "“" + clip(best.label, 60) + "” stays grey. It says “" + clip(p.e.Error, 100) + "”, and I do not know what else to enter."
				break
			}
		}
	default:
		d.Target, d.Action = best.e, Action{Type: Click, Ref: best.e.Ref}
		d.Thought = m.sendThought(f, best)
		if best.label == "" {
			d.Thought = "That is everything. The button has no name, I press it."
		}
	}
	st.sent++
	st.dirty = false
	m.sentFor = math.Max(f.about, d.Scent)
	return d, true
}

// closerLook is how many more places are looked at in search of a button that
// must be there (an assumption).
const closerLook = 10

// obstacle is the signal of why a button of a form cannot be used though it is
// there: not made out, under something else, or out of the keyboard's reach; ""
// for nothing. For what is off the screen one scrolls, and looks then.
func (m *Mind) obstacle(b *percept) string {
	switch {
	case b.e.CoveredBy != "" && !b.e.InDialog:
		return SigCovered
	case b.e.MouseOnly && m.t.keys:
		return SigMouseOnly
	case !m.t.reader && !m.legible(b.e.Contrast, b.e.FontSize, b.e.Bold, b.key, m.where.settled):
		return SigHardToSee
	}
	return ""
}

// nextValue is what to enter now: what was entered before where only the form
// lost it, else the first value that the field has not refused yet.
func (m *Mind) nextValue(v *view, p *percept, st *formState, attempt int) (text, secret string) {
	e := m.asRead(v, p)
	if attempt > 0 && p.e.Error == "" {
		attempt = 0
	}
	uk := british(v.page)
	if attempt == 0 {
		return m.valueFor(e, 0, uk)
	}
	for k := range maxFieldTries + 1 {
		if text, secret = m.valueFor(e, k, uk); secret != "" || !st.past[p.key+"\x00"+text] {
			return text, secret
		}
	}
	return m.valueFor(e, attempt, uk)
}

// hasText: something can be typed into the form.
func hasText(f *form) bool {
	for _, p := range f.fields {
		if takesText(p.e) {
			return true
		}
	}
	return false
}

// suggestion takes the entry of a list that opened below a field while it was
// typed into.
func (m *Mind) suggestion(v *view, f *form, st *formState) (Decision, bool) {
	last := m.last.Target
	if last == nil || m.last.Purpose != Fill || m.last.Action.Type != Type || last.Role != "combobox" || len(last.Options) > 0 {
		return Decision{}, false
	}
	var best *percept
	score := 0.0
	for i := range v.percepts {
		p := &v.percepts[i]
		if p.e.Role != "option" || !p.usable || !p.seen {
			continue
		}
		s := 0.1 + trigram(strings.ToLower(m.last.Action.Text), strings.ToLower(p.label)) + m.optionFit(last.Name, p.label)
		if strings.Contains(strings.ToLower(p.label), strings.ToLower(m.last.Action.Text)) {
			s++
		}
		if s > score {
			best, score = p, s
		}
	}
	if best == nil {
		return Decision{}, false
	}
	st.dirty = true
	return Decision{Action: Action{Type: Click, Ref: best.e.Ref}, Target: best.e, Purpose: Fill, Scent: math.Min(1, f.about), Assessed: 2,
		Thought: "From the list I take “" + clip(best.label, 60) + "”."}, true
}

// fileFor is the name of a small file of a type that the field takes.
func fileFor(e *Element) string {
	accept := strings.ToLower(e.Accept)
	switch {
	case strings.Contains(accept, "jpg"), strings.Contains(accept, "jpeg"), strings.Contains(accept, "image/*"):
		return "photo.jpg"
	case strings.Contains(accept, "png"):
		return "photo.png"
	case strings.Contains(accept, "pdf"):
		return "document.pdf"
	case strings.Contains(accept, "csv"):
		return "table.csv"
	case strings.Contains(accept, "txt"), strings.Contains(accept, "text/"):
		return "notes.txt"
	case strings.Contains(strings.ToLower(e.Name), "photo"), strings.Contains(strings.ToLower(e.Name), "picture"), strings.Contains(strings.ToLower(e.Name), "image"):
		return "photo.jpg"
	}
	return "document.pdf"
}
