package forms

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/reading"
	"understudy/domain/task"
	"understudy/domain/walk"
)

const (
	// sentence is from where on a text is no title, in words: an assumption.
	sentence = 8
	// likely is from where on a label is taken for what a value says, clearly from
	// where on without any doubt: assumptions.
	likely, clearly = 0.6, 0.95
	// maxValue is the length up to which a text is a value that is looked up: an assumption.
	maxValue = 200
	// longClock is the length up to which a label can be a time: an assumption.
	longClock = 30
)

// values are what the subgoal gives, as it stands in the task or as the page and
// the walker resolve it; the test's inputs that the task does not name come last.
func (c *Clerk) values(l *look) []task.Value {
	s := l.Subgoal
	out := slices.Clone(s.Values)
	if len(out) == 0 {
		text := s.Literal
		if text == "" {
			text = texts(s.Object)
		}
		switch {
		case switches(s) && (text != "" || s.Ordinal != 0):
			if s.Literal == "" {
				text = texts(l.unheaded(s.Object))
			}
			out = append(out, task.Value{Text: text, Choose: true, Ordinal: s.Ordinal})
		case s.Deed == "search" && len(s.Object) > 0:
			out = append(out, task.Value{Text: texts(s.Object), Kind: "search"})
		case s.Deed == "type" && has("each", s.Text):
			out = append(out, l.labelled()...)
		case s.Kind == task.Inform: // what is asked of something is looked up under its name
			name := slices.DeleteFunc(slices.Clone(s.Object), func(w language.Word) bool { return !w.Named() })
			about := slices.DeleteFunc(slices.Clone(s.Object), language.Word.Named)
			if k := named(texts(about), language.Read(s.Text).Language()); k != "" && len(name) > 0 {
				text := texts(name)
				if at := strings.Index(strings.ToLower(s.Text), text); at >= 0 && at+len(text) <= len(s.Text) {
					text = s.Text[at : at+len(text)] // as it is written
				}
				out = append(out, task.Value{Text: text, Kind: k})
			}
		case s.Deed == "type":
			out = append(out, task.Value{Hint: s.Object, Ordinal: s.Ordinal})
		}
	}
	for i := range out {
		if v := &out[i]; v.Text == "" && v.Input == "" && !v.Choose {
			v.Text, v.Hint = c.resolve(l, v.Hint), nil
		}
	}
	for _, in := range c.goal.Inputs {
		if s.Kind == task.Act && !is("plain", s.Deed) && !slices.ContainsFunc(c.goal.Values, func(v task.Value) bool { return v.Input == in }) {
			out = append(out, task.Value{Input: in, Hint: language.Read(strings.NewReplacer("_", " ", "-", " ").Replace(in)).Content()})
		}
	}
	return out
}

// has: one of the words of a rule stands in a text.
func has(rule, text string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(w string) bool { return says(rule, w) })
}

// labelled are what the page gives for what its fields are called.
func (l *look) labelled() (out []task.Value) {
	for _, f := range l.fields {
		if name := language.Read(f.label).Content(); f.takesText() && len(name) > 0 {
			if text := lookedUp(l.Page, name); text != "" {
				out = append(out, task.Value{Text: text, Hint: name})
			}
		}
	}
	return out
}

// unheaded are the words that the headings of the page do not say for all that stands
// below them, all where that would leave none.
func (l *look) unheaded(words []language.Word) []language.Word {
	said := l.Page.Title
	for _, t := range l.texts {
		if t.Kind == "heading" && t.Level <= 2 {
			said += "\n" + t.Text
		}
	}
	heads := language.Read(said)
	left := slices.DeleteFunc(slices.Clone(words), func(w language.Word) bool { return language.Best(w, heads) >= byItself })
	if len(left) == 0 {
		return words
	}
	return left
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
	return lookedUp(l.Page, hint)
}

// lookedUp is the value that the page gives under a label: in its pairs, the rows
// of its tables and its fields; "" for none.
func lookedUp(page *walk.Page, hint []language.Word) string {
	if hint = telling(hint); len(hint) == 0 {
		return ""
	}
	found, score := "", likely
	take := func(label, around, value string) {
		said := language.Read(label)
		head := language.Cover(hint, said)
		if head == 0 || value == "" || len(value) > maxValue {
			return
		}
		whole := max(head, language.Cover(hint, language.Read(label+" "+around)))
		if s := 0.9*whole + 0.1*language.Cover(said.Content(), language.Read(texts(hint))); s > score {
			found, score = strings.TrimSpace(value), s
		}
	}
	for _, p := range reading.Passages(page) {
		if p.Kind != "pair" && p.Kind != "row" {
			continue
		}
		cells := strings.Split(p.Text, "; ")
		for i, cell := range cells {
			if label, value, ok := strings.Cut(cell, ": "); ok {
				take(label, p.Text, value)
			} else if i > 0 && len(cells) == 2 {
				take(cells[0], "", cell)
			}
		}
	}
	for i := range page.Elements {
		if e := &page.Elements[i]; walk.IsField(e) && e.InputType != "password" {
			take(e.Name+" "+e.Placeholder, "", e.Value)
		}
	}
	return found
}

func texts(words []language.Word) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
	}
	return strings.Join(out, " ")
}

// telling are the words of a hint that are no mere "value" or "text".
func telling(hint []language.Word) []language.Word {
	return slices.DeleteFunc(slices.Clone(hint), func(w language.Word) bool { return says("generic", w.Lemma) || says("generic", w.Text) })
}

// kindOfValue is what a value is: as the task says, as its hint is called, or by
// its shape.
func kindOfValue(s *task.Subgoal, v *task.Value) string {
	k := v.Kind
	if said := named(texts(v.Hint), language.Read(s.Text).Language()); said != "" && (k == "" || (k == "number" || k == "text") && fits[k][said] > 0) {
		k = said
	}
	_, dated := parseDate(v.Text, false)
	switch {
	case k != "" && k != "text" || v.Input != "":
		return k
	case s.Deed == "search" || s.Deed == "filter":
		return "search"
	case k == "" && says("lives", texts(v.Hint)):
		return placeOf(v.Text)
	case k == "" && numeric.MatchString(v.Text):
		return "number"
	case k == "" && v.Text != "" && language.Find(language.Email, v.Text) == v.Text:
		return "email"
	case k == "" && dated:
		return "date"
	case is("writing", s.Deed) || len(strings.Fields(v.Text)) >= sentence || strings.ContainsAny(v.Text[max(0, len(v.Text)-1):], ".!?"):
		return k
	}
	return "title"
}

// placeOf is which part of an address a text is: a street has a number, a postcode
// figures in each word.
func placeOf(text string) string {
	words := strings.Fields(text)
	figures := 0
	for _, w := range words {
		if strings.ContainsAny(w, "0123456789") {
			figures++
		}
	}
	switch {
	case figures == 0:
		return "city"
	case figures == len(words):
		return "postcode"
	}
	return "street"
}

// alike is how far a label is what a value says, 0 to 1: the same number or time,
// a part of it at its beginning or end, or the same words. The weights are
// assumptions: what a value says counts most.
func alike(value, label string) float64 {
	a, b := squeezed(value), squeezed(label)
	switch {
	case a == "" || b == "":
		return 0
	case a == b:
		return 1
	}
	x, numberA := parseNumber(value)
	if y, numberB := parseNumber(label); numberA && numberB {
		return certain(x == y)
	}
	t, clockA := parseClock(value)
	if u, clockB := parseClock(label); clockA && clockB && len(label) < longClock {
		return certain(t.Equal(u))
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

// option is the one of some labels that is most what any of some values say.
func option(labels []string, values ...string) (found string, score float64) {
	for _, value := range values {
		for _, o := range labels {
			if a := alike(value, o); a > score {
				found, score = o, a
			}
		}
	}
	return found, score
}

var (
	numeric = regexp.MustCompile(`^[$€£]?\s?-?\d[\d,]*(?:\.\d+)?%?$`)
	marks   = regexp.MustCompile(`[^\p{L}\p{N}.+@#%-]+`)
	spaces  = strings.NewReplacer(" ", "", "-", "", ",", "", "(", "", ")", "", "/", "")
)

// squeezed is a text in small letters without what is only between its words.
func squeezed(s string) string {
	return strings.ToLower(strings.Trim(marks.ReplaceAllString(s, " "), " ."))
}

// bare is a number without its signs.
func bare(s string) string { return strings.Trim(strings.ReplaceAll(s, ",", ""), "$€£ %") }

// parseNumber reads a text that is a number and nothing else.
func parseNumber(s string) (float64, bool) {
	if s = strings.TrimSpace(s); !numeric.MatchString(s) {
		return 0, false
	}
	n, err := strconv.ParseFloat(bare(s), 64)
	return n, err == nil
}

// same: a field that holds a shows what b says, however it writes it.
func same(f *field, a, b string) bool {
	x, isNumber := parseNumber(a)
	y, also := parseNumber(b)
	switch {
	case squeezed(a) == squeezed(b):
		return true
	case isNumber:
		return also && x == y
	case f.dated():
		x, okX := parseDate(a, false)
		y, okY := parseDate(b, false)
		return okX && okY && x == y
	case f.kind == "time":
		x, okX := parseClock(a)
		y, okY := parseClock(b)
		return okX && okY && x.Equal(y)
	}
	return strings.EqualFold(spaces.Replace(a), spaces.Replace(b))
}
