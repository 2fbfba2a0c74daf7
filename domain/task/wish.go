package task

import (
	"slices"

	"understudy/domain/language"
)

// desire splits a clause that says how something is to be ("the note should be called
// Plan", "I want the letter to go out on Friday", "let the week start on Sunday") into
// what and how; how is nil for a clause that does not.
func desire(tokens []token) (what, how []token) {
	if _, n := lists.at(tokens, 0, "wants"); n > 0 {
		return wishedFor(tokens[n:])
	}
	if _, said, _ := verbOf(tokens); said == "" && is(tokens[0], "lets") && len(tokens) > 2 {
		for _, noun := range []bool{false, true} {
			for i := 2; i < len(tokens); i++ {
				if (tokens[i].base(noun) || takesOn(tokens[i:]) > 0) && !is(tokens[i-1], "article") && !is(tokens[i-1], "preposition") {
					return tokens[1:i], tokens[i:]
				}
			}
		}
		for i := 2; i < len(tokens); i++ { // "have the site in dark mode"
			if !is(tokens[0], "lets only") && is(tokens[i], "place") {
				return tokens[1:i], tokens[i:]
			}
		}
		return nil, nil
	}
	if declares(tokens) == 0 && (begins(tokens, false) || is(tokens[0], "preposition")) {
		return nil, nil
	}
	if at, _ := questionIn(tokens); at == 0 {
		return nil, nil
	}
	for i := 1; i < min(len(tokens), farVerb); i++ {
		if is(tokens[i-1], "preposition") || tokens[i].value != nil {
			continue
		}
		if _, n := lists.at(tokens, i, "belongs"); n > 0 && i+n < len(tokens) {
			return tokens[:i], tokens[i+n-1:]
		}
		if _, n := lists.at(tokens, i, "maybe"); n == 1 && i+2 == len(tokens) && is(tokens[i+1], "vanishes") || n > 1 && i+n < len(tokens) && tokens[i+n].tells() {
			return tokens[:i], tokens[i+n:]
		}
		if _, n := lists.at(tokens, i, "obliged"); n > 0 && i+n < len(tokens) {
			return tokens[:i], tokens[i+n:]
		}
		if n := takesOn(tokens[i:]); n > 0 && tokens[i].low != language.Base(tokens[i].in.named(), tokens[i].low) && i+n < len(tokens) && !tokens[0].self() {
			return tokens[:i], tokens[i:] // "Jonas looks after the lead"
		}
		if is(tokens[i], "wishes") && i+2 < len(tokens) && is(tokens[i+1], "to") && !tokens[0].self() {
			return tokens[:i], tokens[i+2:] // "Mia wants to be in the group Readers"
		}
		if is(tokens[i], "wishes") && !is(tokens[i-1], "article") {
			return wishedFor(tokens[i+1:])
		}
	}
	return nil, nil
}

// wishedFor splits what somebody wants, where it is said of something: "the letter to go
// out", "the task done by Friday".
func wishedFor(tokens []token) (what, how []token) {
	if len(tokens) > 2 && is(tokens[0], "pronoun") && is(tokens[1], "place") { // "I would like it in red"
		return tokens[:1], tokens[1:]
	}
	if len(tokens) == 0 || !is(tokens[0], "article") && !tokens[0].named() && (len(tokens) < 3 || is(tokens[0], "to") || !is(tokens[1], "to")) {
		return nil, nil
	}
	for i := 1; i < len(tokens); i++ {
		if i+1 < len(tokens) && tokens[i].low == "to" && !tokens[i+1].named() {
			return tokens[:i], tokens[i+1:]
		}
		if !is(tokens[i-1], "article") && !is(tokens[i-1], "preposition") && (tokens[i].tells() || is(tokens[i], "finished")) {
			return tokens[:i], tokens[i:]
		}
	}
	return nil, nil
}

// base: the token is a verb as orders are given with; noun: it may be one that is as
// often a noun.
func (t token) base(noun bool) bool {
	if t.value != nil || t.named() || !noun && t.in.has("noun", t.low) && !t.in.has("states", t.low) {
		return false
	}
	_, n := verbs.at([]token{t}, 0)
	return n > 0 || is(t, "be") || t.in.has("states", t.low)
}

// wish is how something is to be as the act that makes it so; false where that says
// nothing.
func (r *reader) wish(subject, how []token) (Subgoal, bool) {
	s, rest := Subgoal{in: r.in}, how
	if len(rest) > 0 && is(rest[0], "be") {
		rest = rest[1:]
	}
	if rest = untail(rest); len(rest) == 0 || len(subject) == 0 {
		return s, false
	}
	base := rest[0]
	if base.value == nil {
		base.low = language.Base(r.in.named(), base.low)
	}
	deed, said, left := verbOf(append([]token{base}, rest[1:]...))
	what := rest
	passive := said != "" && said != rest[0].low
	switch {
	case is(rest[0], "worded") && len(rest) > 1 && rest[1].quoted:
		s.act("edit", "change", subject)
		s.Values = append(s.Values, Value{Text: rest[1].value.Text, New: true})
		what = rest[1:]
	case is(rest[0], "naming") || said == "call" && passive || is(rest[0], "worded") && len(rest) > 1 && rest[1].named():
		s.act("rename", "call", subject)
		for i := range s.Values {
			s.Values[i].Old = true
		}
		if len(s.Values) == 0 && len(nameAt(subject)) == len(subject) && !is(subject[0], "pronoun") {
			s.Values, s.Object, s.Literal = []Value{{Text: text(subject), Old: true}}, nil, ""
		}
		what = rest[1:]
		s.Values = append(s.Values, Value{Text: text(what), Kind: "name", New: true})
	case is(rest[0], "vanishes") && len(rest) > 2 && is(rest[1], "from") && slices.ContainsFunc(rest, func(t token) bool { return is(t, "to") }):
		s.act("move", "move", slices.Concat(subject, rest[1:]))
	case is(rest[0], "vanishes") && (len(rest) == 1 || is(rest[1], "from")):
		s.act("delete", "delete", slices.Concat(subject, rest[1:]))
	case len(rest) > 1 && is(rest[0], "wherein"): // "it belongs in Minutes"
		if rest = slices.Clone(rest); !is(rest[0], "from") {
			rest[0].low = "to"
		}
		s.act("move", "move", slices.Concat(subject, rest))
	case passive && deed != "reach" && deed != "inform": // "should be deleted"
		what = left
		s.act(deed, said, slices.Concat(subject, what))
	case takesOn(rest) > 0 && slices.ContainsFunc(subject, token.named): // "let Mia take care of this ticket"
		s.act("assign", "assign", rest[takesOn(rest):])
		s.Values = append(s.Values, Value{Text: text(nameAt(subject[slices.IndexFunc(subject, token.named):])), Choose: true})
	case is(rest[0], "permits so") && len(rest) > 1 && slices.ContainsFunc(subject, token.named) && !is(subject[0], "pronoun"): // "let Mia see the folder"
		s.act("share", "share", rest[1:])
		s.Values = append(s.Values, Value{Text: text(nameAt(subject[slices.IndexFunc(subject, token.named):])), Choose: true})
	default:
		s.wants(subject, rest)
	}
	s.Rest = r.text[subject[0].from:subject[len(subject)-1].to]
	if is(subject[0], "article") {
		s.Rest = subject[0].low + s.Rest[len(subject[0].text):]
	}
	if len(what) > 0 {
		s.Rest += " " + r.text[what[0].from:what[len(what)-1].to]
	}
	s.Text = s.Verb + " " + s.Rest
	return s, true
}

// takesOn is how many tokens say that somebody is to see to what follows, 0 for none.
func takesOn(tokens []token) int {
	if _, n := lists.at(tokens, 0, "takes on"); n > 0 && n < len(tokens) {
		return n
	}
	return 0
}

// lacking is where it is said that something is still to get what follows, and how many
// tokens say so; 0 for none.
func lacking(tokens []token) (at, n int) {
	if begins(tokens, false) {
		return 0, 0 // an order that speaks of what something needs
	}
	for at = 1; at < min(len(tokens), farVerb); at++ {
		if _, n = lists.at(tokens, at, "lacks"); n > 0 && at+n < len(tokens) {
			return at, n
		}
	}
	return 0, 0
}

// uncourtly leaves out what is said for courtesy alone.
func uncourtly(tokens []token) []token {
	for i := 1; i < len(tokens); i++ {
		if _, n := lists.at(tokens, i, "courtesy"); n > 0 {
			tokens[i-1].ends = tokens[i-1].ends || tokens[i+n-1].ends
			tokens = slices.Delete(tokens, i, i+n)
			i--
		}
	}
	return tokens
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
	if at := slices.IndexFunc(what, func(t token) bool { return is(t, "preposition") }); at > 1 && is(what[0], "indefinite") { // "a moderator of the board"
		s.Values = append(s.Values, Value{Text: joined(what[1:at]), New: true, Choose: true})
		s.phrases(what[at:])
		return
	}
	s.Values = append(s.Values, becomes(what)...)
}

// becomes are the values that say how something is to be and, behind "instead of",
// how it was: what is written as a value, a number or a name, or else the words.
func becomes(how []token) (out []Value) {
	now, was := how, how[:0]
	for i := 1; i < len(how); i++ {
		if n := denied(how, i); n > 0 {
			now, was = how[:i], how[min(i+n, len(how)):]
			break
		}
	}
	out = picked(now)
	for i := range out {
		out[i].New = true
	}
	if len(out) == 0 {
		for len(now) > 1 && (is(now[0], "article") || is(now[0], "place")) {
			now = now[1:]
		}
		return []Value{{Text: joined(now), New: true, Choose: true}}
	}
	if old := picked(was); len(old) == 1 && len(out) == 1 {
		old[0].Old, old[0].Hint = true, out[0].Hint
		out = append(old, out...)
	}
	return out
}

// denied is how many tokens say that what follows is not so, 0 for none: "no longer", but not
// "no longer than".
func denied(tokens []token, at int) int {
	_, n := lists.at(tokens, at, "denied")
	if at+n < len(tokens) && is(tokens[at+n], "than") {
		return 0
	}
	return n
}

// picked are the values among words, each with the words before it as its hint.
func picked(tokens []token) (out []Value) {
	from := 0
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if !t.named() || t.value != nil && t.value.Input != "" || i == 0 && t.value == nil && !numeric(tokens[:1]) && len(tokens) > 1 && !tokens[1].named() {
			continue
		}
		v, hint := Value{}, content(tokens[from:i])
		switch {
		case t.value != nil:
			v = *t.value
		case numeric(tokens[i : i+1]):
			v.Text, v.Kind = t.text, "number"
			if len(hint) == 0 && i+1 < len(tokens) {
				hint = content(tokens[i+1 : min(i+3, len(tokens))]) // what is counted
			}
		default:
			name := nameAt(tokens[i:])
			v.Text = text(name)
			i += len(name) - 1
		}
		if from = i + 1; v.Kind == "" {
			v.Kind = kindOf(tokens[:i])
		}
		v.Hint = hint
		out = append(out, v)
	}
	return out
}

// made is where what a thing is to be made begins ("make the site dark", "make Anna an
// administrator"), 0 where it is the thing itself that is to be made.
func made(said string, rest []token) int {
	if !in(rest).has("makes", said) || len(rest) < 2 || said != "make" && len(rest) < 3 || is(rest[0], "fresh") || is(rest[0], "one") && !is(rest[0], "pronoun") || !is(rest[0], "article") && !rest[0].named() && !is(rest[0], "pronoun") {
		return 0
	}
	if is(rest[0], "pronoun") && !is(rest[0], "article") {
		return 1
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
