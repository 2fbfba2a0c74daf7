package findings

import (
	"regexp"
	"slices"
	"strings"

	"understudy/domain/forager/forms"
	"understudy/domain/walk"
)

// refusals compares the look before a form is sent with the look after it.
// Definitions, after the usual form guidelines (WCAG 2.2 3.3.1 and 3.3.3;
// Wroblewski 2008, Web Form Design):
//
//   - form_error: a field refuses what was entered. Values of the simulated user
//     have the usual format of their kind, so the refusal is the page's matter;
//     a value given as a secret by the test is not, since it may be wrong.
//   - unspecific_error: the form came back with an error message, but no field
//     carries one, nor is the reason one that no field has (the time was up).
//   - input_lost: less than half of what was entered, passwords apart, is still
//     there after the refusal, and at least one field had to be filled in again
//     or the walk ended on it.
func (x *examined) refusals() {
	for i := range x.w.Steps {
		if x.w.Steps[i].Decision.Purpose != walk.Submit || i+1 >= len(x.w.Steps) {
			continue
		}
		before, after := &x.w.Steps[i].Page, &x.w.Steps[i+1].Page
		if !cameBack(x.w.Steps[i].Decision.Target, before, after) {
			continue
		}
		fields, any := walk.ErrorsOn(after)
		message := newError(before, after)
		if message == "" && !any && !x.w.Steps[i].Effect.Navigated && x.misled() && x.lastSubmit() == i {
			message = said(before, after) // whatever it means, it is the answer, and no success
		}
		if x.w.Steps[i].Effect.Status < 500 {
			for _, f := range fields {
				x.refusedField(i, i+1, f)
			}
			if len(fields) == 0 && (any || message != "") && !timeUp.MatchString(message+" "+alertOn(after)) {
				x.unspecific(i, message)
			}
		}
		if any || message != "" || x.w.Steps[i].Effect.Status >= 400 {
			x.inputLost(i, after)
		}
	}
}

// cameBack: fields of the form that was sent with a button are on the page after,
// so that the form was handed back rather than taken. A field that every page
// has, such as a newsletter's, says nothing.
func cameBack(button *walk.Element, before, after *walk.Page) bool {
	for i := range before.Elements {
		e := &before.Elements[i]
		if button != nil && e.Form != button.Form {
			continue
		}
		if walk.IsField(e) && e.InputType != "search" && e.Role != "searchbox" && elementBySelector(after, e.Selector) != nil {
			return true
		}
	}
	return false
}

// errorWords are how pages say that something was refused.
var errorWords = regexp.MustCompile(`(?i)\b(?:error|errors|invalid|wrong|incorrect|problem|failed|failure|missing|required|must|could not|couldn't|cannot|can't|unable|not valid|try again|please (?:check|correct|enter|fill|review|provide|fix)|check (?:your|the) (?:entries|input|form|details|fields))\b`)

// timeUp are reasons why a form is handed back that are no field's matter.
var timeUp = regexp.MustCompile(`(?i)\b(?:expired|timed out|time-?out|session (?:has )?ended|took too long|been idle)\b`)

// newError is a text that is there after sending, was not before, and speaks of
// an error; "" when there is none.
func newError(before, after *walk.Page) string {
	known := map[string]bool{}
	for i := range before.Texts {
		known[before.Texts[i].Text] = true
	}
	for i := range after.Texts {
		t := &after.Texts[i]
		if !known[t.Text] && len(t.Text) <= 300 && (t.Kind == "alert" || t.Kind == "status" || t.Kind == "paragraph" || t.Kind == "heading" || t.Kind == "item") && errorWords.MatchString(t.Text) {
			return t.Text
		}
	}
	return ""
}

// refusedField judges a field that carries an error on look at, after what was
// entered up to step i. It reports whether that was refused.
func (x *examined) refusedField(i, at int, f *walk.Element) bool {
	typed, tries := x.entered(f, i)
	if tries == 0 {
		return false // it had been left out: the page is right to ask
	}
	o := x.about(at, FormError, Observed, f)
	o.Detail = walk.Quote(clip(f.Error, 120))
	if typed != "" {
		o.Detail = walk.Quote(clip(typed, 40)) + " is refused: " + o.Detail
	}
	o.CostMS = x.costOfRefusal(i)
	x.add(o)
	return true
}

// entered is what was last entered in a field before a step, "" for what is
// not told, and how often something was.
func (x *examined) entered(f *walk.Element, i int) (text string, tries int) {
	for j := range x.w.Steps[:i+1] {
		d := &x.w.Steps[j].Decision
		if d.Purpose != walk.Fill || d.Target == nil || d.Target.Selector != f.Selector {
			continue
		}
		if d.Action.Secret != "" {
			return "", 0
		}
		text = d.Action.Text
		if d.Target.InputType == "password" {
			text = ""
		}
		tries++
	}
	return text, tries
}

// costOfRefusal is the simulated time from a refused sending to the next one,
// or to the end of the walk or the stay.
func (x *examined) costOfRefusal(i int) int {
	ms := x.w.Steps[i].Decision.SimulatedMS
	for j := i + 1; j < len(x.w.Steps) && x.places[j] == x.places[i+1]; j++ {
		ms += x.w.Steps[j].Decision.SimulatedMS
		if x.w.Steps[j].Decision.Purpose == walk.Submit {
			break
		}
	}
	return ms
}

func (x *examined) unspecific(i int, message string) {
	if message == "" {
		message = alertOn(&x.w.Steps[i+1].Page)
	}
	o := x.about(i+1, UnspecificError, Observed, nil)
	if message != "" {
		o.Detail = walk.Quote(clip(message, 120))
	}
	for _, t := range x.w.Steps[i+1].Page.Texts {
		if message != "" && t.Text == message {
			o.Area = &t.Box
			break
		}
	}
	o.CostMS = x.costOfRefusal(i)
	x.add(o)
}

func alertOn(p *walk.Page) string {
	for i := range p.Texts {
		if p.Texts[i].Kind == "alert" {
			return p.Texts[i].Text
		}
	}
	return ""
}

// inputLost compares what was typed before step i with what the form still holds.
func (x *examined) inputLost(i int, after *walk.Page) {
	typed, gone := 0, 0
	seen := map[string]bool{}
	lost := map[string]bool{}
	for j := i; j >= 0; j-- {
		d := &x.w.Steps[j].Decision
		if d.Purpose == walk.Submit && j < i && x.places[j] == x.places[i] {
			break // entered for an earlier sending
		}
		t := d.Target
		if d.Purpose != walk.Fill || d.Action.Type != walk.Type || t == nil || t.InputType == "password" || seen[t.Selector] {
			continue
		}
		seen[t.Selector] = true
		e := elementBySelector(after, t.Selector)
		if e == nil {
			continue
		}
		typed++
		if strings.TrimSpace(e.Value) == "" {
			gone++
			lost[t.Selector] = true
		}
	}
	if typed == 0 || 2*gone <= typed {
		return
	}
	again := 0
	for j := i + 1; j < len(x.w.Steps); j++ {
		d := &x.w.Steps[j].Decision
		if d.Purpose == walk.Fill && d.Target != nil && lost[d.Target.Selector] {
			again += d.SimulatedMS
		}
	}
	if again == 0 && x.w.Outcome == walk.Succeeded {
		return
	}
	o := x.about(i+1, InputLost, Observed, nil)
	o.Detail = counted(gone, "field") + " emptied"
	o.CostMS = max(again, x.costOfRefusal(i))
	x.add(o)
}

// disabled finds needed controls that were disabled on every look of a walk that fell
// short: the button of a form that was filled in, or what the task names. Where fields
// say that they refuse what was entered, that is the matter.
func (x *examined) disabled() {
	said := map[string]bool{}
	note := func(i int, e *walk.Element) {
		said[x.places[i]] = true
		if x.refusedBefore(i) {
			return
		}
		o := x.about(i, DisabledControl, Observed, e)
		o.CostMS = max(x.w.Steps[i].Decision.SimulatedMS, x.lostFrom(i))
		x.add(o)
	}
	x.signals(walk.SigDisabled, func(i int, _ walk.Signal, e *walk.Element) { note(i, e) })
	if x.w.Outcome == walk.Succeeded {
		return
	}
	for i := len(x.w.Steps) - 1; i >= 0; i-- { // the last look at a page knows what was filled in
		for j := range x.w.Steps[i].Page.Elements {
			e := &x.w.Steps[i].Page.Elements[j]
			if !said[x.places[i]] && e.Disabled && (e.Submit && x.filledAt(i) || x.promise(i, e.Name) >= relevantPromise) && !x.everEnabled(x.places[i], e.Selector) {
				note(i, e)
			}
		}
	}
}

// everEnabled: on some look at the place the control could be used.
func (x *examined) everEnabled(place, selector string) bool {
	for i := range x.w.Steps {
		if x.places[i] != place {
			continue
		}
		if e := elementBySelector(&x.w.Steps[i].Page, selector); e != nil && !e.Disabled {
			return true
		}
	}
	return false
}

// refusedBefore records the fields that refuse what was entered in them while
// the button is still disabled, and reports whether there are any.
func (x *examined) refusedBefore(i int) bool {
	fields, _ := walk.ErrorsOn(&x.w.Steps[i].Page)
	refused := false
	for _, f := range fields {
		refused = x.refusedField(i, i, f) || refused
	}
	return refused
}

// onlyPlaceholder is said of a field whose label is its placeholder.
const onlyPlaceholder = "only a placeholder"

// unlabelled finds fields that were filled in and have no label, or only a
// placeholder, which disappears when typing begins (WCAG 2.2 3.3.2, technique
// failure F82). A field without any name makes people guess who cannot see it, or who
// see several in its form; a placeholder impedes where the field had to be filled in
// again. Search boxes are known by their look.
func (x *examined) unlabelled() {
	filled := map[string]int{}
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		e := r.Decision.Target
		if r.Decision.Purpose != walk.Fill || e == nil || e.Role == "searchbox" || forms.AsksFor(e) == "search" {
			continue
		}
		nameless := strings.TrimSpace(e.Name) == "" && e.Placeholder == ""
		if !nameless && e.NameSource != "placeholder" && strings.TrimSpace(e.Name) != "" {
			continue
		}
		key := x.places[i] + e.Selector
		filled[key]++
		channel := Static
		if nameless && (x.w.Persona.Facets.ScreenReader || !alone(e, &r.Page)) || filled[key] > 1 {
			channel = Observed
		}
		o := x.observe(i, UnlabelledField, channel)
		switch {
		case nameless:
			o.Detail = "no label at all"
		default:
			o.Detail = onlyPlaceholder
		}
		if channel == Observed {
			o.CostMS = r.Decision.SimulatedMS
		}
		x.add(o)
	}
}

// alone: it is the only field of its form that takes a line of text, or the only one that
// takes several.
func alone(e *walk.Element, p *walk.Page) bool {
	return !slices.ContainsFunc(p.Elements, func(o walk.Element) bool {
		return o.Form == e.Form && o.Selector != e.Selector && o.Multiline == e.Multiline && walk.IsField(&o) &&
			(o.Role == "textbox" || o.Role == "combobox" || o.Role == "spinbutton")
	})
}
