package task

import (
	"slices"
	"strings"

	"understudy/domain/language"
)

const (
	// maxTask bounds how much of a task is parsed, in bytes.
	maxTask = 4000
	// maxSubgoals bounds a task: one with more steps is a script. An assumption.
	maxSubgoals = 8
)

// reader is a task while it is read.
type reader struct {
	goal   *Goal
	text   string
	means  []token         // what is to be used, said in a clause of its own
	where  []language.Word // where the next is to be done, said before it
	values []Value         // what statements about oneself give
	about  []language.Word
	// about is what the statements are about; colon: one stood behind the clause
	// before.
	colon bool
}

// Parse reads a task's sentences. It is total: there is always a subgoal, and a
// sentence without a verb that is known becomes a place to reach by its words.
func Parse(text string, inputs []string) Goal {
	g := Goal{Task: text, Inputs: inputs}
	text = strings.ToValidUTF8(text[:min(len(text), maxTask)], "")
	r := reader{goal: &g, text: text}
	tokens := lex(text)
	for _, c := range clauses(tokens) {
		r.clause(c)
	}
	r.finish(tokens)
	return g
}

// clause takes one clause in: an order, a question, or something about oneself.
func (r *reader) clause(tokens []token) {
	colon := tokens[len(tokens)-1].colon
	defer func() { r.colon = colon }()
	tokens = tokens[leadIn(tokens):]
	if len(tokens) == 0 {
		return
	}
	if _, n := lists.at(tokens, 0, "not"); n > 0 {
		return // what is not to be done is done by leaving it
	}
	if _, n := lists.at(tokens, 0, "use"); n > 0 {
		at := purpose(tokens, n)
		if at < 0 {
			r.means = tokens[n:]
			return
		}
		r.means, tokens = tokens[n:at], tokens[at+1:]
	}
	if _, n := lists.at(tokens, 0, "statement"); n > 0 {
		if _, verb, _ := verbOf(tokens); verb == "" {
			r.statement(tokens[n:])
			return
		}
	}
	if _, said, _ := verbOf(tokens); said == "" && is(tokens[0], "place") && tokens[len(tokens)-1].comma {
		if _, n := questions.at(tokens, 0); n == 0 { // "in the settings, …"
			r.where = append(r.where, content(tokens)...)
			return
		}
	}
	s := r.read(tokens)
	s.Place, r.where = append(s.Place, r.where...), nil
	s.using(r.means)
	r.means = nil
	r.add(s, tokens)
}

// add puts a subgoal behind the others, or into the last one where it only says
// more of that.
func (r *reader) add(s Subgoal, tokens []token) {
	subgoals := r.goal.Subgoals
	if len(subgoals) == 0 {
		r.goal.Subgoals = []Subgoal{s}
		return
	}
	last := &subgoals[len(subgoals)-1]
	switch {
	case s.Deed == "ask" && last.sends() && last.Literal == "", r.colon && last.sends() && s.sends() && len(last.Values) == 0:
		// "write to the firm and ask for its prices", "contact the firm: send …"
		if r.colon {
			last.Deed, last.Verb = s.Deed, s.Verb
		}
		last.Text += ", " + s.Text
		last.Place = append(last.Place, s.Place...)
		last.say(s.Values)
		return
	case r.colon && last.Kind != Act && s.Kind != Act:
		// What stands behind the colon says more exactly what is looked for.
		s.Place = append(append([]language.Word{}, s.Place...), append(last.Object, last.Place...)...)
		s.Text = last.Text + ": " + s.Text
		*last = s
		return
	case last.bare() && s.Kind == last.Kind && s.Kind == Inform:
		last.Object, last.Place = s.Object, s.Place // "when and where the concert is"
	case last.bare() && last.Kind != Act, last.Literal == "" && last.through():
		*last = s // "find and click the button", "look through the tabs to find"
		return
	case last.bare() && s.Kind == Act && !s.bare():
		last.Object, last.Place, last.Literal, last.Widget, last.Ordinal = s.Object, s.Place, s.Literal, s.Widget, s.Ordinal
	default:
		s.refer(last, tokens)
	}
	if len(subgoals) < maxSubgoals {
		r.goal.Subgoals = append(subgoals, s)
	}
}

// through: it only says where to look.
func (s *Subgoal) through() bool {
	words := strings.Fields(s.Verb)
	return len(words) > 1 && has("through", words[len(words)-1])
}

// bare: it says a verb and nothing else.
func (s *Subgoal) bare() bool {
	return len(s.Object) == 0 && len(s.Place) == 0 && len(s.Values) == 0 && s.Literal == "" && s.Ordinal == 0 && s.Order == ""
}

// name are the words that a thing is called by.
func (s *Subgoal) name() []language.Word {
	for _, v := range s.Values {
		if v.Kind == "name" {
			return language.Read(v.Text).Content()
		}
	}
	if s.Literal != "" {
		return language.Read(s.Literal).Content()
	}
	return s.Object
}

// refer lets "it", "them" and "that message" mean what the subgoal before was
// about.
func (s *Subgoal) refer(before *Subgoal, tokens []token) {
	if n := len(tokens); n > 1 && s.Kind == Act && !s.bare() && (is(tokens[n-2], "place") || tokens[n-2].low == "to") && tokens[n-1].low == "it" {
		s.Place = append(s.Place, before.name()...) // "move the file into it"
		return
	}
	again := slices.ContainsFunc(tokens, func(t token) bool { return is(t, "pronoun") })
	for _, w := range s.Object {
		if language.Best(w, &language.Phrase{Words: before.Object}) < 0.8 && !has("noun", w.Text) && before.Widget != singular(w.Text) {
			again = false
		}
	}
	if !again || s.Literal != "" || s.Ordinal != 0 || s.Widget != "" && s.Widget != before.Widget && len(s.Object) == 0 {
		return
	}
	s.Object = append([]language.Word{}, before.Object...)
	s.Literal, s.Ordinal, s.Order = before.Literal, before.Ordinal, before.Order
	s.Place = append(append([]language.Word{}, before.Place...), s.Place...)
	if s.Widget == "" {
		s.Widget = before.Widget
	}
}

// statement keeps what a sentence says about oneself: values that one has ("your
// e-mail address is …") and what "it" may mean.
func (r *reader) statement(tokens []token) {
	s := Subgoal{Kind: Act, Deed: "apply"}
	for i := range tokens {
		if tokens[i].low == "is" || tokens[i].low == "are" {
			if i+1 < len(tokens) && (tokens[i+1].named() || kindOf(tokens[:i]) != "") {
				s.fill(tokens[i+1:], tokens[:i])
			}
			break
		}
	}
	if len(s.Values) == 0 {
		s.phrases(tokens)
		s.Values = slices.DeleteFunc(s.Values, func(v Value) bool { return v.Kind == "" && len(v.Hint) == 0 })
		r.about = append(r.about, s.Object...)
	}
	r.values = append(r.values, s.Values...)
}

// finish gives the statements' values to the first subgoal that enters something.
func (r *reader) finish(tokens []token) {
	g := r.goal
	if len(g.Subgoals) == 0 {
		g.Subgoals = []Subgoal{{Text: strings.TrimSpace(r.text), Kind: Reach, Object: content(tokens)}}
	}
	enters := -1
	for i := range g.Subgoals {
		s := &g.Subgoals[i]
		if s.Deed == "ask" {
			s.Deed = "contact"
		}
		if s.Kind == Act && (enters < 0 || has("given", s.Deed) && !has("given", g.Subgoals[enters].Deed)) {
			enters = i
		}
		if len(s.Object) == 0 && s.Kind == Act && strings.Contains(" "+strings.ToLower(s.Text)+" ", " it ") && i == 0 {
			s.Object = r.about
		}
	}
	if enters >= 0 {
		s := &g.Subgoals[enters]
		s.Values = append(s.Values, r.values...)
	}
	for i := range g.Subgoals {
		g.Values = append(g.Values, g.Subgoals[i].Values...)
	}
}
