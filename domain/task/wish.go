package task

import (
	"slices"

	"understudy/domain/language"
)

// wish is a statement of how something is to be ("The note should be called Plan") as
// the act that makes it so; false where it says of nothing what it is to be.
func (r *reader) wish(tokens []token, verb int) (Subgoal, bool) {
	s, subject, rest := Subgoal{}, tokens[:verb], tokens[verb+1:]
	if len(rest) > 0 && rest[0].low == "be" {
		rest = rest[1:]
	}
	if rest = untail(rest); len(rest) == 0 {
		return s, false
	}
	base := rest[0]
	if w := language.Read(base.text).Words; len(w) > 0 && base.value == nil {
		base.low = w[0].Lemma
	}
	deed, said, _ := verbOf([]token{base})
	what := rest
	switch {
	case is(rest[0], "naming"):
		s.act("rename", "call", subject)
		what = rest[1:]
		s.Values = append(s.Values, Value{Text: text(what), Kind: "name", New: true})
	case said != "" && said != rest[0].low && deed != "reach" && deed != "inform": // "should be deleted"
		what = rest[1:]
		s.act(deed, said, slices.Concat(subject, what))
	default:
		s.wants(subject, rest)
	}
	s.Rest = r.text[subject[0].from:subject[verb-1].to]
	if is(subject[0], "article") {
		s.Rest = subject[0].low + s.Rest[len(subject[0].text):]
	}
	if len(what) > 0 {
		s.Rest += " " + r.text[what[0].from:what[len(what)-1].to]
	}
	s.Text = s.Verb + " " + s.Rest
	return s, true
}

// untail takes off from when something is to be so ("from now on").
func untail(tokens []token) []token {
	for i := range tokens {
		if _, n := lists.at(tokens, i, "wishtail"); n > 0 && i+n == len(tokens) {
			return tokens[:i]
		}
	}
	return tokens
}

// wants is the act that makes a thing what it is not yet.
func (s *Subgoal) wants(thing, what []token) {
	s.act("edit", "make", thing)
	for len(what) > 1 && is(what[0], "article") {
		what = what[1:]
	}
	if len(what) > 0 {
		s.Values = append(s.Values, Value{Text: joined(what), New: true, Choose: true})
	}
}

// made is where what a thing is to be made begins ("make the site dark", "make Anna an
// administrator"), 0 where it is the thing itself that is to be made.
func made(said string, rest []token) int {
	if said != "make" || len(rest) < 2 || rest[0].low == "new" || is(rest[0], "one") || !is(rest[0], "article") && !rest[0].named() {
		return 0
	}
	for i := 1; i < len(rest); i++ {
		switch of := rest[i-1].low == "of"; {
		case is(rest[i], "preposition") && rest[i].low != "of":
			return 0
		case is(rest[i], "article") && !of:
			return i
		}
	}
	return len(rest) - 1
}
