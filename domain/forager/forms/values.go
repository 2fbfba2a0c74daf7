package forms

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// plain are the deeds that are done to the letter, whatever a form is for, and
// switching those that say how something is to stand afterwards.
var (
	plain     = []string{"type", "choose", "check", "uncheck", "copy"}
	switching = []string{"choose", "check", "uncheck", "on", "off"}
	// writing deeds give words to somebody, so that a short text is no title.
	writing = []string{"reply", "comment", "contact", "send", "forward", "type", "search"}
	// adding deeds leave what is there.
	adding = []string{"create", "reply", "comment", "forward", "edit"}
)

// values are what the subgoal gives, as it stands in the task or as the page and
// the walker resolve it; the test's inputs that the task does not name come last.
func (c *Clerk) values(l *look) []task.Value {
	s := l.Subgoal
	out := slices.Clone(s.Values)
	if len(out) == 0 {
		switch {
		case slices.Contains(switching, s.Deed):
			text := s.Literal
			if text == "" {
				text = texts(s.Object)
			}
			if text != "" || s.Ordinal != 0 {
				out = append(out, task.Value{Text: text, Choose: true, Ordinal: s.Ordinal})
			}
		case s.Deed == "search" && len(s.Object) > 0:
			out = append(out, task.Value{Text: texts(s.Object), Kind: "search"})
		case s.Deed == "type":
			out = append(out, task.Value{Hint: s.Object, Ordinal: s.Ordinal})
		}
	}
	for i := range out {
		if v := &out[i]; v.Text == "" && v.Input == "" && !v.Choose {
			v.Text = c.resolve(l, v.Hint)
			v.Hint = nil
		}
	}
	if s.Kind == task.Act && !slices.Contains(plain, s.Deed) {
		for _, in := range c.goal.Inputs {
			if !slices.ContainsFunc(c.goal.Values, func(v task.Value) bool { return v.Input == in }) {
				out = append(out, task.Value{Input: in, Hint: language.Read(strings.NewReplacer("_", " ", "-", " ").Replace(in)).Content()})
			}
		}
	}
	return out
}

func (c *Clerk) resolve(l *look, hint []language.Word) string {
	if c.copied != "" {
		return c.copied
	}
	if l.Resolve != nil {
		if text := l.Resolve(hint); text != "" {
			return text
		}
	}
	return LookUp(l.Page, hint)
}

func texts(words []language.Word) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
	}
	return strings.Join(out, " ")
}

var numeric = regexp.MustCompile(`^[$€£]?\s?-?\d[\d,]*(?:\.\d+)?%?$`)

// shortest sentence: from here on a text is no title, in words; an assumption.
const sentence = 8

// kindOfValue is what a value is: as the task says, as its hint is called, or by
// its shape.
func kindOfValue(s *task.Subgoal, v *task.Value) string {
	k := v.Kind
	if k == "" || k == "number" || k == "text" {
		if said := named(language.Read(texts(v.Hint))); said != "" && (k == "" || fits[k][said] > 0) {
			k = said
		}
	}
	if k == "" || k == "text" {
		switch _, dated := parseDate(v.Text, 0, false); {
		case v.Input != "":
			return k
		case s.Deed == "search" || s.Deed == "filter":
			return "search"
		case k == "" && numeric.MatchString(v.Text):
			return "number"
		case k == "" && language.Find(language.Email, v.Text) == v.Text && v.Text != "":
			return "email"
		case k == "" && dated:
			return "date"
		case slices.Contains(writing, s.Deed) || len(strings.Fields(v.Text)) >= sentence || strings.ContainsAny(v.Text[max(0, len(v.Text)-1):], ".!?"):
			return k
		}
		return "title"
	}
	return k
}

// alike is how far a label is what a value says, 0 to 1.
func alike(value, label string) float64 {
	a, b := squeezed(value), squeezed(label)
	switch {
	case a == "" || b == "":
		return 0
	case a == b:
		return 1
	}
	if x, ok := parseNumber(value); ok {
		if y, ok := parseNumber(label); ok {
			return certain(x == y)
		}
	}
	if x, ok := parseClock(value); ok {
		if y, ok := parseClock(label); ok && len(label) < 30 {
			return certain(x == y)
		}
	}
	if strings.HasPrefix(b, a) || strings.HasSuffix(b, a) {
		return 0.92
	}
	want, have := language.Read(value), language.Read(label)
	return 0.9 * (0.8*language.Cover(want.Content(), have) + 0.2*language.Cover(have.Content(), want))
}

func certain(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// likely is from where on a label is taken for what a value says: an assumption.
const likely = 0.6

// option is the one of some labels that is most what a value says.
func option(value string, labels []string) (string, float64) {
	best, score := "", 0.0
	for _, o := range labels {
		if a := alike(value, o); a > score {
			best, score = o, a
		}
	}
	return best, score
}

var marks = regexp.MustCompile(`[^\p{L}\p{N}.+@#%-]+`)

// squeezed is a text in small letters without what is only between its words.
func squeezed(s string) string {
	return strings.ToLower(strings.Trim(marks.ReplaceAllString(s, " "), " ."))
}

// parseNumber reads a text that is a number and nothing else.
func parseNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if !numeric.MatchString(s) {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.Trim(strings.ReplaceAll(s, ",", ""), "$€£ %"), 64)
	return n, err == nil
}

// same: a field that holds a shows what b says, however it writes it.
func same(f *field, a, b string) bool {
	if squeezed(a) == squeezed(b) {
		return true
	}
	if x, ok := parseNumber(a); ok {
		y, ok := parseNumber(b)
		return ok && x == y
	}
	switch f.kind {
	case "date", "birthday":
		x, okX := parseDate(a, 0, false)
		y, okY := parseDate(b, 0, false)
		return okX && okY && x == y
	case "time":
		x, okX := parseClock(a)
		y, okY := parseClock(b)
		return okX && okY && x == y
	}
	loose := strings.NewReplacer(" ", "", "-", "", ",", "", "(", "", ")", "", "/", "")
	return loose.Replace(strings.ToLower(a)) == loose.Replace(strings.ToLower(b))
}

// score is how well a value goes into a field, 0 to about 1.5.
func (c *Clerk) score(l *look, v *task.Value, f *field) float64 {
	e, s := f.e, l.Subgoal
	k := kindOfValue(s, v)
	hint := language.Cover(telling(v.Hint), f.words)
	if e.Disabled || f.kind == "file" && s.Deed != "upload" {
		return 0
	}
	if f.kind == "search" && k != "search" && hint < 0.8 && (s.Deed != "type" || len(v.Hint) > 0) || f.kind != "password" && k == "password" && hint < 0.8 || f.kind == "password" && k != "password" && hint < 0.8 {
		return 0
	}
	if k == "search" && len(v.Hint) == 0 && f.kind != "search" && f.kind != "text" && f.kind != "subject" {
		return 0
	}
	context := 0.3 * language.Cover(s.Wanted(), language.Read(l.row(e)))
	if e.Group != "" {
		context += 0.2 * language.Cover(append(s.Wanted(), v.Hint...), language.Read(e.Group))
	}
	if l.Seen(e) {
		context += 0.05
	}
	switch {
	case f.ticks():
		if !v.Choose && !slices.Contains(switching, s.Deed) || len(rolesOf(s.Widget)) > 0 && !slices.Contains(rolesOf(s.Widget), e.Role) && e.Role != "radio" {
			return 0
		}
		label := f.label
		if s.Deed == "on" || s.Deed == "off" {
			label += " " + e.Group + " " + e.Help
		}
		if a := alike(v.Text, label); a >= likely {
			return 0.9*a + context
		}
		return 0
	case f.native():
		_, a := option(v.Text, e.Options)
		for _, part := range partOf(f.kind, v.Text) {
			_, b := option(part, e.Options)
			a = max(a, b)
		}
		if a < likely {
			return 0
		}
		return 0.5 + 0.4*a + 0.3*hint + context
	case e.ReadOnly && !f.opens() && e.Role != "spinbutton":
		return 0
	case v.Choose && f.opens() && !f.takesText():
		return 0.5 + 0.4*hint + context
	}
	for _, old := range s.Values {
		if !old.Old || old.Text == "" {
			continue
		}
		switch {
		case squeezed(e.Value) == squeezed(old.Text):
			return 1.2 + context
		case len(e.Value) < maxValue && strings.Contains(strings.ToLower(e.Value), strings.ToLower(old.Text)):
			return 1.1 + context
		case !f.form.dialog && !e.Focused && !f.form.about.Has(s.Deed) && !(hint >= likely):
			return 0
		}
	}
	fit := suits(k, f.kind)
	if fit == 0 && k != "" && f.kind != "text" {
		hint /= 2 // what else is called so wants something else
	}
	if (e.Rich || e.Multiline) && k == "" {
		fit += 0.2
	}
	return max(fit, hint) + 0.2*min(fit, hint) + context
}

// maxValue is the length from which on perception cuts what a field holds.
const maxValue = 200

// telling are the words of a hint that are no mere "value" or "text".
func telling(hint []language.Word) []language.Word {
	var out []language.Word
	for _, w := range hint {
		if !says("generic", w.Lemma) {
			out = append(out, w)
		}
	}
	return out
}

// opens: a press shows what it can hold, in a list or a calendar.
func (f *field) opens() bool {
	switch f.e.Popup {
	case "listbox", "tree", "grid", "dialog", "menu", "true":
		return true
	}
	return f.e.Role == "combobox" && !f.native() || f.e.ReadOnly && (f.kind == "date" || f.kind == "birthday" || f.kind == "time") || f.e.Expanded != ""
}

// choices are what can be chosen without being fields: options of lists, entries
// of trees and menus, and buttons that say exactly what is to be chosen.
func (l *look) choices(v *task.Value) (*walk.Element, float64) {
	var best *walk.Element
	score := 0.0
	for i := range l.Page.Elements {
		e := &l.Page.Elements[i]
		a := 0.0
		switch e.Role {
		case "option", "menuitemradio", "menuitemcheckbox", "treeitem":
			a = alike(v.Text, e.Name)
		case "button", "clickable", "tab", "menuitem", "link":
			if a = alike(v.Text, e.Name); a < 0.95 {
				a = 0
			}
		}
		if a *= 0.85; e.Disabled || a < likely*0.85 {
			continue
		}
		if l.Seen(e) {
			a += 0.05
		}
		if a > score {
			best, score = e, a
		}
	}
	if best == nil {
		return l.beside(v)
	}
	return best, score
}

// beside is the control that takes one of what stands next to it by its name.
func (l *look) beside(v *task.Value) (best *walk.Element, score float64) {
	nearest := math.Inf(1)
	for i := range l.Page.Texts {
		t := &l.Page.Texts[i]
		if alike(v.Text, t.Text) < likely {
			continue
		}
		for k := range l.Page.Elements {
			e := &l.Page.Elements[k]
			said := language.Read(e.Name + " " + e.Tip)
			level := math.Abs(e.Box.Y+e.Box.H/2-t.Box.Y-t.Box.H/2) <= math.Max(e.Box.H, t.Box.H)/2
			if walk.IsField(e) || e.Disabled || !level || !says("more", strings.TrimSpace(e.Name)) && !said.Has("create") && !said.Has("addcart") && !said.Has("choose") {
				continue
			}
			if gap := math.Abs(e.Box.X - t.Box.X); gap < nearest {
				best, score, nearest = e, 0.85, gap
			}
		}
	}
	return best, score
}
