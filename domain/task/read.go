package task

import (
	"slices"
	"strings"

	"understudy/domain/language"
)

// read reads a clause: what is to be done, found out or reached, and with what.
func (r *reader) read(tokens []token) Subgoal {
	s := Subgoal{in: r.in, Text: strings.TrimSpace(r.text[tokens[0].from:tokens[len(tokens)-1].to])}
	deed, said, rest := verbOf(tokens)
	if len(rest) > 0 {
		s.Rest = r.text[rest[0].from:rest[len(rest)-1].to]
	}
	at, _ := questionIn(tokens)
	switch {
	case len(tokens) > 2 && tokens[0].in.has("names so", tokens[0].low) && callsIt(tokens) > 0:
		at := callsIt(tokens)
		s.called = text(tokens[at:])
		s.act("rename", "call", tokens[1:at])
		s.Values = append(s.Values, Value{Text: s.called, Kind: "name", New: true})
	case said == "" && at == 0, deed == "inform":
		s.Kind = Inform
		s.question(rest, strings.HasSuffix(said, " whether") || strings.HasSuffix(said, " if"))
	case (deed == "create" || deed == "edit") && made(said, rest) > 0:
		at := made(said, rest)
		thing, what := rest[:at], rest[at:]
		if is(what[0], "definite") && thing[0].named() { // "make Spanish the interface language"
			thing, what = what, thing
		}
		s.wants(thing, what)
	case attributed(said, rest) > 0:
		at := attributed(said, rest)
		from := slices.IndexFunc(rest, func(t token) bool { return is(t, "attribute") })
		s.act("edit", said, rest[at+1:])
		s.Values = append(s.Values, Value{Text: text(rest[from+1 : at]), Hint: content(rest[from : from+1]), New: true})
	case into(said, rest) > 0:
		at := into(said, rest)
		s.act("edit", said, nil)
		s.Values = []Value{{Text: rest[0].value.Text, Hint: content(rest[at:]), New: true}}
	case (in(tokens).has("files", said) || said == "put" && deed == "type") && placed(rest):
		s.act("move", said, rest)
	case deed == "edit" && said == "put":
		s.act("edit", said, nil)
		s.Values = becomes(tokens[1:])
	case deed == "edit" && said == "give" && given(rest) > 0:
		at := given(rest)
		s.act("edit", said, rest[:at])
		of := slices.IndexFunc(rest[at:], func(t token) bool { return is(t, "of") }) + at
		s.Values = append(s.Values, Value{Text: text(trim(rest[of+1:])), Hint: content(rest[at:of]), New: true})
	case deed != "addcart" && deed != "move" && makes(said, rest):
		s.act("create", said, rest)
	case deed == "check" && !checkable(rest):
		s.Kind = Inform
		s.question(rest, false)
	case said == "switch to" && len(rest) > 1 && is(rest[len(rest)-1], "modes"):
		s.wants(nil, trim(rest)) // "switch to a dark look"
	case deed == "reach", deed == "search" && said != "query" && seeks(said, rest):
		s.Kind, s.Verb = Reach, said
		if at, _ := questionIn(rest); at == 0 || seeks(said, rest) {
			s.Kind = Inform
			s.question(rest, false)
			break
		}
		s.phrases(rest)
	case said != "":
		s.act(deed, said, rest)
	default:
		r.unknown(&s, tokens)
	}
	if s.Kind != Act {
		s.noValues()
	}
	return s
}

func (s *Subgoal) act(deed, said string, tokens []token) {
	s.Kind, s.Deed, s.Verb = Act, deed, said
	if deed == "click" || deed == "type" {
		// "click the bin to delete it": what is done is what it is done for.
		if at := purpose(tokens, 1); at > 0 {
			if d, v, rest := verbOf(tokens[at+1:]); d != "reach" && d != "inform" && len(rest) > 0 {
				tokens = tokens[:at]
				if s.phrases(tokens); deed == "click" {
					s.Deed, s.Verb = d, v
				}
				s.settle()
				return
			}
		}
	}
	if deed == "ask" {
		s.asking(said, tokens)
	} else {
		s.phrases(tokens)
	}
	for i := 1; i < len(tokens) && s.Deed == "type"; i++ { // "enter 12 as its length"
		if is(tokens[i-1], "as") && is(tokens[i], "possessive") && len(s.Values) == 1 {
			s.Deed, s.Values[0].New = "edit", true
		}
	}
	s.settle()
}

// asking reads whom to ask, then what: the message begins with the question, or
// with for, about, to or that.
func (s *Subgoal) asking(said string, tokens []token) {
	starter := strings.Fields(said)
	at := 0
	if len(starter) == 1 {
		for at < len(tokens) {
			q, _ := questionIn(tokens[at:])
			if q == 0 || is(tokens[at], "topic") || is(tokens[at], "tells") || tokens[at].quoted {
				break
			}
			at++
		}
		s.phrases(tokens[:at])
	}
	if at == len(tokens) && starter[0] != "ask" {
		at = 0
	}
	s.message(starter, tokens[at:])
}

// makes: who opens one of a kind and says what stands in it makes it ("open a ticket
// with the title …"), as does who puts a new one somewhere or keeps what has a title.
func makes(said string, rest []token) bool {
	switch {
	case len(rest) < 2:
		return false
	case in(rest).has("puts", said):
		somebody := rest[0].named() && rest[0].value == nil && slices.ContainsFunc(rest, func(t token) bool { return is(t, "place") })
		called := is(rest[0], "indefinite") && slices.ContainsFunc(rest, func(t token) bool { return t.in.has("naming", t.low) })
		fresh := is(rest[0], "indefinite") && in(rest).has("starts anew", said) && kindOf(rest[1:2]) == "" && rest[1].value == nil && in(rest).singular(rest[1].low) == ""
		if at := slices.IndexFunc(rest, func(t token) bool { return is(t, "as") }); at == 1 && is(rest[0], "pronoun") && len(rest) > 3 && is(rest[2], "indefinite") {
			return true // "enter her as a client"
		}
		return fresh || is(rest[1], "fresh") || called || somebody && !slices.ContainsFunc(rest, func(t token) bool { return t.in.singular(t.low) == "textbox" })
	case in(rest).has("keeps", said):
		if is(rest[0], "pronoun") && slices.ContainsFunc(rest, func(t token) bool { return is(t, "place") }) || rest[0].value != nil && rest[0].value.Kind == "url" {
			return true // "save him in your contacts"
		}
		return slices.ContainsFunc(rest, func(t token) bool { return t.quoted }) && kindOf(rest) != ""
	case !in(rest).has("opens", said) || !is(rest[0], "indefinite"):
		return false
	}
	for i, t := range rest {
		if t.value != nil && i > 1 && !in(rest).has("naming", rest[i-1].low) && kindOf(rest[:i]) != "" {
			return true
		}
	}
	return false
}

// attributed is where it is said of what an attribute is given ("add the tag leaks to the
// boat Heron"), 0 for nowhere.
func attributed(said string, rest []token) int {
	from := slices.IndexFunc(rest, func(t token) bool { return is(t, "attribute") })
	if from < 0 || from > 1 || from == 1 && !is(rest[0], "definite") || !in(rest).has("adds", said) {
		return 0
	}
	at := slices.IndexFunc(rest, func(t token) bool { return t.value == nil && in(rest).has("onto", t.low) })
	if at < from+2 || at+1 == len(rest) {
		return 0
	}
	return at
}

// into is where it is said into what of a thing that was told of some words are written
// ("put "moved" into the note of this firm"), 0 for nowhere.
func into(said string, rest []token) int {
	if len(rest) < 3 || !rest[0].quoted || !in(rest).has("puts", said) || !in(rest).has("wherein", rest[1].low) {
		return 0
	}
	if !slices.ContainsFunc(rest, func(t token) bool { return is(t, "demonstrative") || is(t, "possessive") }) {
		return 0
	}
	return 2
}

// placed: a thing that is there is put somewhere ("put it in the folder Trips").
func placed(rest []token) bool {
	at := slices.IndexFunc(rest, func(t token) bool { return is(t, "wherein") || is(t, "under") })
	if at < 1 || at+1 == len(rest) {
		return false
	}
	return at == 1 && is(rest[0], "pronoun") || is(rest[0], "demonstrative") || is(rest[0], "definite") && !slices.ContainsFunc(rest, func(t token) bool { return t.in.singular(t.low) == "textbox" })
}

// given is where what a thing is given begins ("give the song a rating of 4"), 0 for
// nowhere.
func given(rest []token) int {
	for i := 1; i < len(rest); i++ {
		if is(rest[i], "indefinite") && !is(rest[i-1], "preposition") && slices.ContainsFunc(rest[i:len(rest)-1], func(t token) bool { return is(t, "of") }) {
			return i
		}
	}
	return 0
}

// callsIt is where the name begins that something is given ("call it Plans", "call the
// copy "Plans""), 0 for nowhere.
func callsIt(tokens []token) int {
	at := slices.IndexFunc(tokens[min(1, len(tokens)):], token.named) + 1
	if at < 2 || is(tokens[at-1], "preposition") || !is(tokens[1], "pronoun") && (!is(tokens[1], "article") || at < 3) {
		return 0
	}
	return at
}

// unknown reads a clause whose verb no list knows: the concept of an interface, a
// word before an article, more of what the clause before did, or a place.
func (r *reader) unknown(s *Subgoal, tokens []token) {
	s.Kind = Reach
	orders := len(tokens) > 1 && tokens[0].value == nil && !is(tokens[0], "preposition") && !is(tokens[0], "article") && (is(tokens[1], "article") || is(tokens[1], "pronoun") || tokens[1].named() && !tokens[0].named() || tokens[0].begs() && !is(tokens[1], "preposition") && !is(tokens[1], "and") && tokens[1].value == nil && !numeric(tokens[1:2]))
	switch {
	case is(tokens[0], "fresh") && len(tokens) > 1:
		s.act("create", "add", tokens[1:]) // "new recipe: …"
	case orders:
		deed := ""
		if c := tokens[0].in.read(tokens[0].text).Concepts; len(c) > 0 {
			deed = c[0]
		}
		s.act(deed, tokens[0].low, tokens[1:])
	case len(r.goal.Subgoals) > 0 && r.goal.Subgoals[len(r.goal.Subgoals)-1].Kind == Act && tokens[0].named():
		last := r.goal.Subgoals[len(r.goal.Subgoals)-1]
		s.act(last.Deed, last.Verb, tokens)
	default:
		s.vague = true
		s.phrases(tokens)
	}
}

// begs: a word that no list has is used as the verb of an order.
func (t token) begs() bool {
	return !t.noun && !is(t, "self") && t.in.named() == english().named() && !t.in.has("noun", t.low) && language.Verbal(t.text)
}

// question reads what is asked: words before the question word say where.
func (s *Subgoal) question(rest []token, whether bool) {
	at, q := questionIn(rest)
	if at > 0 {
		s.phrases(rest[:at])
		s.Place, s.Object = append(s.Place, s.Object...), nil
	}
	if whether {
		s.Whether, s.Answer = true, language.State
	}
	if at >= 0 {
		asks := strings.TrimPrefix(q.means, "?")
		if len(q.tail) == 0 {
			rest = rest[at+len(q.words):]
		} else {
			rest = rest[at+1:]
		}
		switch asks {
		case "howto":
			s.Howto = true
		case "state":
			s.Whether, s.Answer = true, language.State
		case "measure":
			s.Answer = language.Number
			s.Object = append(s.Object, language.Read(q.words[len(q.words)-1]).Words...)
		case "thing":
			s.Howto = q.words[0] == "how" && len(q.words) == 1
		default:
			s.Answer = language.Kind(asks)
		}
	}
	s.phrases(rest)
	if s.Answer == "" && !s.Howto {
		s.Answer, _ = asked(rest)
	}
	if s.Literal != "" { // what is named is what is asked about
		s.Object = append(s.Object, language.Read(s.Literal).Content()...)
		s.Literal = ""
	}
}

// noValues: who enters nothing means values as words.
func (s *Subgoal) noValues() {
	for _, v := range s.Values {
		s.Object = append(s.Object, language.Read(v.Text).Content()...)
	}
	s.Values = nil
}

// The kinds of questions that begin anywhere, and those of nouns that are asked for.
var (
	whole = []string{"money", "number", "measure", "duration", "year", "date", "hours", "clock", "person", "place", "percent", "state", "howto", "thing"}
	nouns = []string{"*money", "*phone", "*email", "*place", "*hours", "*date", "*clock", "*year", "*number", "*person", "*duration", "*percent", "*state"}
)

// questionIn is where a question begins in a clause, -1 for nowhere.
func questionIn(tokens []token) (int, entry) {
	for i := range tokens {
		if q, _, ok := questions.spread(tokens[i:]); ok {
			return i, q
		}
		q, n := questions.at(tokens, i, whole...)
		if n == 0 && i == 0 {
			q, n = questions.at(tokens, i, "?state")
		}
		if n > 0 && (i <= 0 || !relative(tokens, i, q)) {
			return i, q
		}
	}
	return -1, entry{}
}

// relative: the word begins no question but says more of the noun before it ("the
// person who", "the page which", "the town where").
func relative(tokens []token, at int, q entry) bool {
	if len(q.words) > 1 || tokens[at-1].comma || is(tokens[at-1], "preposition") {
		return false
	}
	if in(tokens).has("asks", q.words[0]) {
		return false
	}
	return !is(tokens[0], "preposition")
}

// asked is the kind of answer that the first noun asks for, as in "the salary of
// X", and how many tokens say so.
func asked(tokens []token) (language.Kind, int) {
	for i := range tokens {
		if is(tokens[i], "names") && i+1 < len(tokens) && is(tokens[i+1], "of") {
			continue
		}
		if q, n := questions.at(tokens, i, nouns...); n > 0 && head(tokens, i+n) {
			return language.Kind(q.means[1:]), i + n
		}
		if is(tokens[i], "preposition") && (i <= 0 || !is(tokens[i-1], "names")) {
			return "", 0
		}
	}
	return "", 0
}

// head: the noun that ends at a place is what its phrase is about, and does not say
// more of the next ("phone support").
func head(tokens []token, end int) bool {
	if end == len(tokens) || tokens[end-1].comma || tokens[end].named() || is(tokens[end], "preposition") || is(tokens[end], "joins") {
		return true
	}
	words := tokens[end].in.read(tokens[end].text).Words
	return len(words) > 0 && words[0].Function
}

// seeks: a verb of seeking asks for a fact and not for a place: the noun that
// asks ends its phrase ("find the price of …", but "find the price list").
func seeks(said string, rest []token) bool {
	if !in(rest).has("seek", said) {
		return false
	}
	kind, n := asked(rest)
	if kind == "" {
		return false
	}
	if n == len(rest) || rest[n-1].comma {
		return kind != language.Email // "find the mail"
	}
	return is(rest[n], "asked")
}

// checkable: what is told to be checked is a control, and no fact.
func checkable(tokens []token) bool {
	for i, t := range tokens {
		if t.quoted || t.ordinal > 0 || i == 0 && t.named() || is(t, "all") && i == 0 {
			return true
		}
		if e, n := widgets.at(tokens, i); n > 0 && (e.means == "checkbox" || e.means == "radio" || e.means == "option") {
			return true
		}
	}
	return false
}

// using says with what something is to be done: the search, a control, a place.
func (s *Subgoal) using(means []token) {
	if len(means) == 0 {
		return
	}
	with := Subgoal{in: s.in}
	with.phrases(means)
	switch {
	case s.Kind == Reach && language.Read(text(means)).Has("search"):
		s.Kind, s.Deed, s.Verb = Act, "search", "search"
		if s.Literal != "" {
			s.Values, s.Literal = append(s.Values, Value{Text: s.Literal}), ""
		}
		s.settle()
	default:
		if s.Widget == "" {
			s.Widget = with.Widget
		}
		if s.Literal == "" && with.Literal != "" && s.Kind == Act {
			s.Literal = with.Literal
		}
		s.Place = append(s.Place, with.Object...)
	}
}
