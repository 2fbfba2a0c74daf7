package forager

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"understudy/domain/language"
	"understudy/domain/task"
)

// What the words of a label promise a subgoal, whatever control they stand on.

// deed is how far a label offers what the subgoal does, or what people expect on
// the way to it.
func (m *Mind) deed(s *task.Subgoal, label *language.Phrase) float64 { return m.offer(s, label).deed }

// does is how far a label says what the subgoal does: its concept or its verb.
func (m *Mind) does(s *task.Subgoal, label *language.Phrase) float64 { return m.offer(s, label).does }

// offer is what a label was found to offer a subgoal, by does and by deed.
type offer struct{ does, deed float64 }

type offering struct {
	subgoal *task.Subgoal
	label   *language.Phrase
}

// offer weighs a label for a subgoal, once in a walk.
func (m *Mind) offer(s *task.Subgoal, label *language.Phrase) offer {
	of := offering{s, label}
	o, known := m.offers[of]
	if !known {
		o.does = m.saysDeed(s, label)
		o.deed = o.does
		for _, c := range label.Concepts {
			o.deed = math.Max(o.deed, language.Leads(s.Deed, c))
		}
		m.offers[of] = o
	}
	return o
}

func (m *Mind) saysDeed(s *task.Subgoal, label *language.Phrase) float64 {
	if s.Deed != "" && label.Has(s.Deed) {
		return 1
	}
	best := 0.0
	// A label that says what comes before the deed is not the deed ("add to order").
	before := slices.ContainsFunc(label.Concepts, func(c string) bool { return s.Deed != "" && language.Leads(s.Deed, c) > 0 })
	if s.Verb != "" && s.Deed != "repeat" && !before { // whose verb says what is done again
		if v := m.phrase(s.Verb); len(v.Words) > 0 {
			if b := language.Best(v.Words[0], label); b >= 0.7 {
				best = b
			}
		}
	}
	return best
}

// leads is what people expect behind a label who look for something of the
// subgoal's kind, whatever it is about.
func (m *Mind) leads(v *view, s *task.Subgoal, label *language.Phrase) float64 {
	if len(label.Concepts) == 0 {
		return 0
	}
	best, goals := 0.0, m.concepts(s)
	for _, c := range label.Concepts {
		for _, goal := range goals {
			if best = math.Max(best, language.Leads(goal, c)); goal == c {
				best = math.Max(best, sameConcept/math.Sqrt(math.Max(1, float64(v.said[c])))) // what many say tells none from the others
			}
		}
	}
	return best
}

// concepts are the interface concepts that a subgoal is about: of its object, and
// of where its kind of answer is usually kept.
func (m *Mind) concepts(s *task.Subgoal) []string {
	out := s.Concepts()
	switch s.Answer {
	case "money":
		out = append(out, "price")
	case "hours", "clock":
		out = append(out, "hours")
	case "place":
		out = append(out, "location")
	case "phone", "email":
		out = append(out, "contact")
	case "person":
		out = append(out, "about")
	default: // is kept anywhere
	}
	if s.Howto {
		out = append(out, "docs")
	}
	return out
}

// precision is the share of a label's meaning that the subgoal asks for: a
// label that says much else is about something else.
func (m *Mind) precision(s *task.Subgoal, wanted []language.Word, label *language.Phrase) float64 {
	if parts := segments(label.Text); len(parts) > 1 {
		best := 0.0
		for _, part := range parts {
			best = math.Max(best, m.precision(s, wanted, m.phrase(part)))
		}
		return best
	}
	goal := &language.Phrase{Words: wanted}
	sum, all := 0.0, 0.0
	if m.named(s, label) {
		return 1 // whatever else it says, it is about that very one
	}
	for _, w := range label.Content() {
		best := language.Best(w, goal)
		if best == 0 && m.deed(s, m.phrase(w.Text)) >= 0.9 {
			best = 1
		}
		weight := math.Max(0.1, w.IDF)
		sum += weight * best
		all += weight
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// segments are the parts of a label that says where a thing stands ("Food > Bread").
func segments(label string) []string {
	const between = "><»«›—|/\n"
	if !strings.ContainsAny(label, between) {
		return nil
	}
	return strings.FieldsFunc(label, func(r rune) bool { return strings.ContainsRune(between, r) })
}

// namedIn: the label has one of the names that the subgoal gives.
func (m *Mind) namedIn(s *task.Subgoal, label *language.Phrase) bool {
	return slices.ContainsFunc(s.Object, func(w language.Word) bool { return w.Named() && language.Best(w, label) >= offers })
}

// named: the label has all the names that the subgoal gives.
func (m *Mind) named(s *task.Subgoal, label *language.Phrase) bool {
	names := 0
	for _, w := range s.Object {
		if w.Named() {
			if names++; language.Best(w, label) < named {
				return false
			}
		}
	}
	return names > 0
}

// another: the control is called as what the subgoal names, but for a number: it is
// another one of them. What opens may be called what was chosen in it so far.
func (m *Mind) another(s *task.Subgoal, p *percept) bool {
	same, other := false, false
	for _, w := range s.Object {
		alike := func(l language.Word) bool { return l.Named() && numberless(l.Text) == numberless(w.Text) }
		switch {
		case !w.Named():
		case language.Best(w, p.label) >= named:
			same = true
		case slices.ContainsFunc(p.label.Words, alike):
			other = true
			same = same || p.e.Expanded == "" && strings.ContainsFunc(w.Text, unicode.IsLetter)
		default:
			return false // it is called otherwise
		}
	}
	return same && other
}

// numberless has one sign for all digits in a row; it is "" without any.
func numberless(s string) string {
	var b strings.Builder
	digits := false
	for _, r := range s {
		if !unicode.IsDigit(r) {
			b.WriteRune(r)
		} else if !digits {
			b.WriteRune('#')
		}
		digits = unicode.IsDigit(r)
	}
	return b.String()
}

// alters: a button does something to what is there, and was not asked for by somebody
// who came to find something out.
func (m *Mind) alters(s *task.Subgoal, p *percept) bool {
	asked := m.phrase(s.Text)
	return slices.ContainsFunc(p.label.Concepts, func(c string) bool {
		return !asked.Has(c) && (language.Destructive(c) && c != "dismiss" || slices.Contains(doing, c))
	})
}

// dodges reports labels that undo the goal, lead away from it, or destroy what
// nobody asked to be destroyed.
func (m *Mind) dodges(s *task.Subgoal, label *language.Phrase) bool {
	asked := m.phrase(s.Text)
	if said := label.Content(); len(said) > 1 && slices.ContainsFunc(m.phrase(said[0].Text).Concepts, func(c string) bool { return language.Destructive(c) && c != s.Deed && !asked.Has(c) }) {
		return true // "Discard changes": whatever it is done to
	}
	for _, c := range label.Concepts {
		if c == s.Deed || asked.Has(c) {
			return false
		}
	}
	for _, c := range label.Concepts {
		if language.Opposes(s.Deed, c) || language.Destructive(c) && len(label.Words) <= 3 {
			return true
		}
	}
	return false
}
