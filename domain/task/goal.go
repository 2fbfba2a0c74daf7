// Package task is what is wanted: the sentences of a task as goals, questions
// with their kind of answer, and the values that the task gives.
package task

import (
	"slices"
	"strings"
	"unicode"

	"understudy/domain/language"
)

// Goal is what a simulated user tries to do, parsed once from the task and
// shared by the walker and the oracle.
type Goal struct {
	Task string
	// Subgoals are in the order of the sentences: at least 1, at most 8.
	Subgoals []Subgoal
	// Inputs are the names of the secret values of the test; their values never
	// enter the mind.
	Inputs []string
	// Values are all that the task says to enter, in its order.
	Values []Value
	// Language is the one that the task is written in.
	Language string
}

// Kind is how a subgoal can be seen to be reached.
type Kind string

// The kinds of subgoals.
const (
	Act    Kind = "act"    // changes something, or uses a control
	Inform Kind = "inform" // finds something out
	Reach  Kind = "reach"  // arrives at a page, a section or a thing
)

// Subgoal is one thing to be done.
type Subgoal struct {
	Text string
	// Rest is the text behind its verb: "who the treasurer is".
	Rest string
	Kind Kind
	// Verb is the verb as the task says it, Deed its interface concept; "" for
	// none or one that no list knows.
	Verb, Deed string
	// Object is what it is about, Place where that is.
	Object, Place []language.Word
	// Literal is the name of the thing to use as the task writes it, "" for none.
	Literal string
	// Widget is the kind of control or place that the task names, "" for none.
	Widget string
	// Ordinal is 3 for "the third", -1 for "the last", 0 for none; Count is 3 for
	// "3 items", 0 when none is said; Order is "cheapest" and the like, "" for none.
	Ordinal, Count int
	Order          string
	// Answer is the kind of answer that a question wants, Whether a yes or no,
	// Howto how something is done.
	Answer         language.Kind
	Whether, Howto bool
	// Values are what is to be entered or chosen, in order.
	Values []Value

	// Here: it is about what one is looking at ("this page").
	Here bool

	in     *lexicon // of the task's language
	also   []string // the names of other things that the same is done to
	own    bool     // it only says who one is
	called string   // the name that it gives
	vague  bool     // no verb says what to do
	worded bool     // what is to be written was given
}

// Value is something that the task says to enter or choose. Exactly one of Text
// and Input is set; Input is the name of a secret.
type Value struct {
	Text, Input string
	// Hint are the words that say which field it belongs to, none when nothing does.
	Hint []language.Word
	// Kind is what kind of value it is: email password username date time amount
	// number phone url text name, search for words that are to be searched for and not
	// given literally, "" when nothing tells.
	Kind string
	// Choose: it is one of what is offered. New: it takes the place of Old,
	// or of what is there; text that is neither is added to that. Both: it
	// goes into all fields of its kind. Ordinal is of the field, as in Subgoal.
	Choose, New, Old, Both bool
	Ordinal                int
}

// Thing are the words of what the subgoal is about, by name or description.
func (s *Subgoal) Thing() []language.Word {
	out := append([]language.Word{}, s.Object...)
	if s.Literal != "" {
		for _, w := range language.Read(s.Literal).Content() {
			w.Verbatim = false
			out = append(out, w)
		}
	}
	for i := range out { // whose site it is goes without saying there
		if w := &out[i]; len(out) > 1 && s.in.has("owner", w.Text) && !w.Capital && !w.Verbatim {
			w.IDF *= ownerShare
		}
	}
	return out
}

// Existing is what the thing is called now that an act is done to; "" when nothing
// names it or the act makes it.
func (s *Subgoal) Existing() string {
	if s.Literal != "" || s.Deed == "create" {
		return s.Literal
	}
	for _, v := range s.Values {
		if v.Old && (len(s.Object) == 0 || strings.ContainsFunc(v.Text, unicode.IsLetter)) { // a number is of what the task names
			return v.Text
		}
	}
	return ""
}

// Within takes in that the goal is pursued at a site of a title: the name of the site itself tells
// nothing of what is asked there.
func (g *Goal) Within(title string) {
	site := language.Read(title)
	for i := range g.Subgoals {
		s := &g.Subgoals[i]
		rest := slices.DeleteFunc(slices.Clone(s.Object), func(w language.Word) bool { return w.Named() && language.Best(w, site) >= sameName })
		if s.Kind == Inform && slices.ContainsFunc(rest, func(w language.Word) bool { return !w.Function }) {
			s.Object = rest
		}
	}
}

// sameName is the match from which a word is the name itself, in one form or another.
const sameName = 0.9

// Newest is the kind of thing of which the newest is meant ("the last order"), nil for
// none.
func (s *Subgoal) Newest() *language.Word {
	for i := range s.Object[:max(0, len(s.Object)-1)] {
		if s.in.has("newest", s.Object[i].Text) {
			return &s.Object[i+1]
		}
	}
	return nil
}

// Counted says that the question asks how many of the first thing that it names there are.
func (s *Subgoal) Counted() bool { return s.asksOf("how many") }

// Which says that the question asks which one of the first thing that it names it is.
func (s *Subgoal) Which() bool { return s.asksOf("which one") }

func (s *Subgoal) asksOf(how string) bool {
	return len(s.Object) > 0 && s.in.begins(how, strings.ToLower(s.Rest), strings.ToLower(s.Object[0].Text))
}

// filled is a wording with what stands in it for the gap.
func (l *lexicon) filled(wording, text string) string {
	return strings.Replace(l.owner(wording).orders[wording][0], gap, text, 1)
}

// ownerShare is what "the company" weighs beside what is wanted of it: an assumption.
const ownerShare = 0.1

// Concepts are the interface concepts of what is looked for. "About" only leads to
// a topic there, unless it says whom.
func (s *Subgoal) Concepts() []string {
	return s.in.read(strings.ReplaceAll(" "+s.Rest, " about ", " ")).Concepts
}

// Where is the place in which the subgoal is to be done; none where the place is
// whom or where something is to get to.
func (s *Subgoal) Where() []language.Word {
	if s.Kind == Act && s.in.has("recipient", s.Deed) {
		return nil
	}
	return s.Place
}

// Wanted are the words that labels are compared with: those of the thing, then
// those of its place, which say half as much.
func (s *Subgoal) Wanted() []language.Word {
	out := s.Thing()
	for _, w := range s.Place {
		if len(out) > 0 {
			w.IDF /= 2
		}
		out = append(out, w)
	}
	return out
}

// Plain is the subgoal as a person would put it behind "I want": to do something, to
// know something, to get somewhere.
func (s *Subgoal) Plain() string {
	said := strings.TrimRight(s.Text, " .!?")
	rest := strings.TrimRight(s.Rest, " .!?")
	switch {
	case s.Kind == Inform && rest != "":
		return s.in.asSelf(s.in.filled("to know", rest), false)
	case s.Kind == Reach && rest != "":
		return s.in.asSelf(s.in.filled("to find", rest), false)
	case said != "":
		said = s.in.filled("to do", strings.ToLower(said[:1])+said[1:])
	}
	return s.in.asSelf(said, false)
}
