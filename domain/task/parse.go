package task

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	in     *lexicon
	text   string
	means  []token         // what is to be used, said in a clause of its own
	where  []language.Word // where the next is to be done, said before it
	values []Value         // what statements about oneself give
	from   int             // how many subgoals stood before the first of them
	// told is what the statement before is about, with the numbers that it gives,
	// nil when an order followed; colon: one stood behind the clause before.
	// said is what it says.
	told  *Subgoal
	said  []token
	about *Subgoal // the last of them that calls its thing by name
	fact  *Subgoal // the last of them that says how something is now
	colon bool
	// orders: a clause says what is to be done, so that one that does not only tells.
	orders bool
	// wishes are the statements of how something is to be; what an order refers to is none.
	wishes []Subgoal
}

// Parse reads a task's sentences. It is total: there is always a subgoal, and a
// sentence without a verb that is known becomes a place to reach by its words.
func Parse(text string, inputs []string) Goal {
	g := Goal{Task: text, Inputs: inputs}
	text = strings.ToValidUTF8(text[:min(len(text), maxTask)], "")
	r := reader{goal: &g, text: text}
	g.Language = languageOf(text)
	r.in = lexiconOf(g.Language)
	tokens := r.in.lex(text)
	tokens = credentialed(tokens)
	all := clauses(tokens)
	r.orders = slices.ContainsFunc(all, func(c []token) bool {
		c = c[leadIn(c):]
		if len(c) == 0 || declares(c) > 0 {
			return false
		}
		s := (&reader{goal: &Goal{}, text: text, in: r.in}).read(c)
		return !s.vague && s.Deed != "login"
	})
	for _, c := range all {
		r.clause(c)
	}
	r.finish(tokens)
	return g
}

// credentialed reads "root / secret" behind what says to log in as a name and a password.
func credentialed(tokens []token) []token {
	for i := 1; i+1 < len(tokens); i++ {
		if tokens[i].low != "/" || tokens[i-1].ends {
			continue
		}
		for from := i - 2; from >= max(0, i-5) && !tokens[from].ends; from-- {
			verb, n := verbs.at(tokens, from, "login")
			if n == 0 && kindOf(tokens[from:from+1]) != "username" {
				continue
			}
			_ = verb
			who := Value{Text: tokens[i-1].text, Kind: "username"}
			if tokens[i-1].value != nil {
				who = *tokens[i-1].value
			}
			tokens[i-1].value, tokens[i-1].comma = &who, true
			tokens[i+1].value = &Value{Text: tokens[i+1].text, Kind: "password"}
			return slices.Delete(tokens, i, i+1)
		}
	}
	return tokens
}

// languageOf is the language of a task by its own words: what it gives to enter or
// names in quotes may be in any.
func languageOf(text string) string {
	said := slices.DeleteFunc(english().lex(text), func(t token) bool { return t.value != nil })
	return language.Of(joined(said))
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
	if at := slices.IndexFunc(tokens, func(t token) bool { return t.low == "i" || t.low == "we" || t.low == "you" }); tokens[0].low == "as" && at > 1 && at < 6 {
		tokens = tokens[at:] // "as the shop manager I want …"
	}
	what, how := desire(tokens)
	if at, ok := asks(tokens); ok { // "my boss asks how many …", "before I go: how much …"
		r.told = nil
		r.clause(tokens[at:])
		return
	}
	if e, n := lists.at(tokens, 0, "statement"); n > 0 && len(how) == 0 {
		if _, verb, _ := verbOf(tokens); verb == "" {
			if is(tokens[0], "pronoun") && r.instead(tokens[n:]) {
				return
			}
			r.statement(tokens[n:])
			if r.told != nil {
				r.told.own = r.told.own || r.in.has("being", strings.Join(e.words, " ")) && is(tokens[0], "self")
			}
			return
		}
	}
	if n := leadPlace(tokens); n > 0 { // "in the settings, …"
		if place := r.place(tokens[:n]); place.Literal != "" && n < len(tokens) && declares(tokens[n:]) == 0 {
			r.add(place, tokens[:n])
			r.where = append(r.where, words(tokens[1:n])...)
		} else {
			r.where = append(r.where, words(tokens[:n])...)
		}
		if is(tokens[0], "for") { // whom or what it is done for
			r.told, r.where = topic(tokens[1:n], 0), nil
		}
		if n < len(tokens) {
			r.clause(tokens[n:])
		}
		return
	}
	if _, n := lists.at(tokens, 0, "unwanted"); n > 0 && n < len(tokens) { // "I don't want it any more"
		s := Subgoal{in: r.in, Text: r.text[tokens[n].from:tokens[len(tokens)-1].to]}
		s.act("delete", "delete", untail(tokens[n:]))
		if r.told != nil && s.bare() {
			s.Literal, s.Object, s.Place = r.told.Literal, r.told.Object, r.told.Place
		}
		r.wishes = append(r.wishes, s)
		return
	}
	if _, n := lists.at(tokens, 0, "needs", "wants"); n > 0 && n+1 < len(tokens) && len(how) == 0 && (is(tokens[n], "indefinite") || is(tokens[n], "one") && tokens[n].low != "one") { // "I need a poll asking …"
		s := Subgoal{in: r.in, Text: r.text[tokens[n].from:tokens[len(tokens)-1].to]}
		s.act("create", "create", tokens[n:])
		s.Rest = s.Text
		r.wishes = append(r.wishes, s)
		return
	}
	if n := len(r.goal.Subgoals); n > 0 && len(how) > 0 {
		last := &r.goal.Subgoals[n-1]
		if s, ok := r.wish(what, how); ok && r.colon && last.alters() && len(last.Values) == 0 { // "correct the spelling: A must read B"
			last.Values = s.Values
			return
		} else if ok && is(what[0], "pronoun") && is(tokens[0], "lets") && last.Kind == Act { // "share it with Mia, but let her only read it"
			last.Values = append(last.Values, Value{Text: joined(slices.DeleteFunc(slices.Concat(what[1:], how), func(t token) bool { return is(t, "pronoun") })), Choose: true})
			return
		}
	}
	if orders := len(how) > 0 && is(tokens[0], "lets"); orders {
		if s, ok := r.wish(what, how); ok {
			r.tell(s, tokens)
			return
		}
	}
	if verb := declares(tokens); verb > 0 || len(how) > 0 {
		if verb > 0 && is(tokens[0], "pronoun") && r.worded(tokens[verb:]) {
			return
		}
		if len(how) > 0 && r.told != nil && len(what) == 1 && is(what[0], "pronoun") || verb == 1 && r.told != nil && len(how) > 0 && is(tokens[0], "pronoun") {
			r.refine(tokens, verb, what, how)
			return
		}
		before := r.told
		r.statement(tokens)
		if s, ok := r.wish(what, how); ok && !what[0].self() {
			if before != nil && is(what[0], "possessive") { // "her check-out becomes 19 August"
				s.Literal, s.Object = before.Literal, append(s.Object, before.Object...)
				r.wishes = slices.DeleteFunc(r.wishes, func(w Subgoal) bool { // it says more exactly what is wished
					return slices.ContainsFunc(w.Values, func(v Value) bool { return v.Choose })
				})
			}
			r.wishes = append(r.wishes, s)
		}
		return
	}
	if n := len(r.goal.Subgoals); n > 0 && len(tokens) > 1 && tokens[0].colon && is(tokens[0], "writes so") && r.goal.Subgoals[n-1].sends() { // "answer the post and write: …"
		last := &r.goal.Subgoals[n-1]
		if len(last.Values) == 1 && last.Literal == "" {
			last.Literal, last.Values = last.Values[0].Text, nil
		}
		last.Values = append(last.Values, Value{Text: joined(tokens[1:]), Kind: "text"})
		return
	}
	s := r.read(tokens)
	if s.vague && r.orders {
		if r.listed(tokens) {
			return
		}
		r.told, r.said = topic(tokens, 0), tokens
		return
	}
	s.using(r.means)
	r.means = nil
	r.tell(s, tokens)
}

// listed takes in a list of values with their labels ("user: ida7, password: …"): they
// belong to the order before, or are what one has.
func (r *reader) listed(tokens []token) bool {
	if !slices.ContainsFunc(tokens, func(t token) bool { return t.colon }) && !slices.ContainsFunc(tokens, func(t token) bool { return t.value != nil && t.value.Kind == "password" }) {
		return false
	}
	s := Subgoal{Kind: Act, Deed: "apply", in: r.in}
	s.phrases(tokens)
	s.Values = slices.DeleteFunc(s.Values, func(v Value) bool { return len(v.Hint) == 0 && v.Kind == "" })
	if len(s.Values) == 0 {
		return false
	}
	if n := len(r.goal.Subgoals); n > 0 && r.goal.Subgoals[n-1].Kind == Act {
		last := &r.goal.Subgoals[n-1]
		last.Values = append(last.Values, s.Values...)
		return true
	}
	if len(r.values) == 0 {
		r.from = len(r.goal.Subgoals)
	}
	r.values = append(r.values, s.Values...)
	return true
}

// tell puts an order behind the others, with what was said before it.
func (r *reader) tell(s Subgoal, tokens []token) {
	s.Place, r.where = append(s.Place, r.where...), nil
	if r.told != nil {
		s.refer(r.told, tokens)
		r.told = nil
	}
	for _, one := range s.each() {
		r.add(one, tokens)
	}
}

// place is the place that stands before an order, as one to be gone to.
func (r *reader) place(tokens []token) Subgoal {
	text := r.text[tokens[0].from:tokens[len(tokens)-1].to]
	s := Subgoal{Text: text, Rest: r.text[tokens[1].from:tokens[len(tokens)-1].to], Kind: Reach, in: r.in}
	s.phrases(tokens[1:])
	s.noValues()
	return s
}

// each is the act once for every thing that it makes: what has nothing but its own
// words is made by itself.
func (s Subgoal) each() []Subgoal {
	if len(s.also) > 0 {
		out := []Subgoal{s}
		for _, name := range s.also {
			other := s
			other.Literal, other.also = name, nil
			out = append(out, other)
		}
		return out
	}
	if s.Deed != "create" || len(s.Values) < 2 || slices.ContainsFunc(s.Values, func(v Value) bool { return v.Kind != "" || len(v.Hint) > 0 || v.Input != "" }) {
		return []Subgoal{s}
	}
	out := make([]Subgoal, len(s.Values))
	for i := range out {
		out[i] = s
		out[i].Values = s.Values[i : i+1 : i+1]
		out[i].settle()
	}
	return out
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
	case s.called != "" && (last.Deed == "create" || last.Deed == "copy"): // "and call it Plans"
		last.Values = append(last.Values, Value{Text: s.called, Kind: "name"})
		return
	case s.Deed == "ask" && last.sends() && last.Literal == "", r.colon && last.sends() && s.sends() && len(last.Values) == 0:
		// "write to the firm and ask for its prices", "contact the firm: send …"
		if r.colon {
			last.Deed, last.Verb = s.Deed, s.Verb
		}
		if s.Deed == "create" && len(s.Object) > 0 { // the thing by another name
			last.Object = s.Object
		}
		last.Text += ", " + s.Text
		last.Place = append(last.Place, s.Place...)
		last.say(s.Values)
		return
	case last.Deed == "type" && last.Widget == "form" && s.Deed == "send" && slices.ContainsFunc(tokens, func(t token) bool { return is(t, "pronoun") }):
		last.Deed, last.Text = "apply", last.Text+" and "+s.Text // a form is sent as it is filled in
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
	return len(words) > 1 && s.in.has("through", words[len(words)-1])
}

// bare: it says a verb and nothing else.
func (s *Subgoal) bare() bool {
	return len(s.Object) == 0 && len(s.Place) == 0 && len(s.Values) == 0 && s.Literal == "" && s.Ordinal == 0 && s.Order == ""
}

// name are the words that a thing is called by.
func (s *Subgoal) name() []language.Word {
	for _, v := range s.Values {
		if v.Kind == "name" {
			return slices.Clone(language.Read(v.Text).Content())
		}
	}
	if s.Literal != "" {
		return slices.Clone(language.Read(s.Literal).Content())
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
	if slices.ContainsFunc(tokens, func(t token) bool { return is(t, "possessive") }) && s.Kind == Act && s.alters() && s.Literal == "" && before.Literal+texts(before.Object) != "" && len(s.Object) > 0 {
		s.Literal, s.Object = before.Literal, append(s.Object[:len(s.Object):len(s.Object)], before.Object...) // "change her city"
		if len(s.Values) == 0 {
			for _, v := range before.Values {
				v.Hint = s.Object[:len(s.Object)-len(before.Object)]
				s.Values = append(s.Values, v)
			}
		}
		return
	}
	if s.Kind == Inform && !slices.ContainsFunc(s.Object, language.Word.Named) && slices.ContainsFunc(tokens, func(t token) bool { return is(t, "pronoun") || is(t, "possessive") }) && before.Kind != Reach {
		s.Object = append(s.Object, before.name()...) // "and what was its message"
		if before.Literal == "" && len(before.Object) == 0 {
			s.Object = append(s.Object, before.Place...)
		}
		return
	}
	if len(tokens) > 1 && is(tokens[1], "pronoun") && before.Literal != "" && s.Literal == "" && len(s.Values)+len(before.Values) == 0 && len(s.Object) > 0 {
		s.Literal = before.Literal // "take it out of the list of feeds"
		return
	}
	if before.vague && len(s.Values) == 0 && s.in.has("written", s.Verb) && slices.ContainsFunc(before.Values, func(v Value) bool { return v.New }) { // "enter this in the register"
		s.Deed, s.Values = "edit", before.Values
		s.Object, s.Literal = append(s.Object, before.Object...), before.Literal
		return
	}
	if s.alters() && before.vague {
		s.said(before, tokens)
	}
	if s.alters() && s.bareThing() && len(s.Values) > 0 && before.vague && !is(tokens[0], "lets") { // "the film "X" has the wrong year. Put 1987 in place of 1978"
		s.Literal, s.Object, s.Place = before.Literal, before.Object, append(before.Place, s.Place...)
		return
	}
	again := slices.ContainsFunc(tokens, func(t token) bool { return is(t, "pronoun") || is(t, "so") })
	if s.Deed == "mark" {
		s.said(before, tokens)
	}
	for _, w := range s.Object {
		at := slices.IndexFunc(tokens, func(t token) bool { return t.low == strings.ToLower(w.Text) })
		if at > 0 && (before.Literal != "" || before.vague) && slices.ContainsFunc(tokens[max(0, at-2):at], func(t token) bool { return is(t, "demonstrative") }) {
			continue // "remove this feed", "this one feed"
		}
		if language.Best(w, &language.Phrase{Words: before.Object}) < 0.8 && !s.in.has("noun", w.Text) && (before.Widget == "" || before.Widget != s.in.singular(w.Text)) {
			again = false
		}
	}
	if again && s.alters() && len(s.Object) == 0 && len(s.Values) == 0 && len(before.Object) == 0 && before.Literal == "" { // "no longer on Mondays: correct that in the file "Rehearsals""
		if at := slices.IndexFunc(tokens, func(t token) bool { return t.quoted }); at >= 0 && s.Literal == "" {
			s.Literal, s.Place = tokens[at].value.Text, nil
		}
		s.Values = before.Values
		return
	}
	if person := names(before.Text); again && s.Deed == "create" && len(person) > 1 && len(s.Values) == 0 { // "Ida Moor from Bath has joined. Add her to the crew"
		s.Values = []Value{{Text: strings.Join(person, " "), Kind: "name", Hint: s.Place}}
		if rest := strings.Fields(before.Text)[len(person):]; len(rest) > 1 && s.in.has("origin", rest[0]) {
			s.Values = append(s.Values, Value{Text: strings.Join(names(strings.Join(rest[1:], " ")), " "), Kind: "city"})
		}
		s.Object, s.Place, s.Widget = s.Place, nil, ""
		return
	}
	if !slices.ContainsFunc(before.Object, language.Word.Named) && slices.ContainsFunc(before.Place, language.Word.Named) && before.Literal == "" && before.vague {
		moved := *before // "a bed was put into room 3": it is the room that is spoken of
		moved.Object, moved.Place = before.Place, nil
		before = &moved
	}
	if before.vague && !before.own && s.meansTold() && (before.Literal != "" || slices.ContainsFunc(before.Object, language.Word.Named)) {
		s.Literal = before.Literal // "Moor Ltd has signed. Move the deal to Won"
		for _, w := range before.Object {
			if language.Best(w, &language.Phrase{Words: s.Object}) < sameName {
				s.Object = append(s.Object, w)
			}
		}
		if s.alters() && len(s.Values) == 0 {
			s.Values = before.Values
		}
		if s.Place = append(append([]language.Word{}, before.Place...), s.Place...); s.Widget == "" {
			s.Widget = before.Widget
		}
		return
	}
	if !again || s.Literal != "" || s.Ordinal != 0 || s.Widget != "" && s.Widget != before.Widget && len(s.Object) == 0 {
		return
	}
	s.Object = append([]language.Word{}, before.Object...)
	made := before.Deed == "create" && before.Literal == "" && len(before.Values) == 1 && before.Values[0].Kind == "text"
	if made {
		before = &Subgoal{Literal: before.Values[0].Text, Place: before.Place, Widget: before.Widget} // the thing is called by its words
	}
	s.Literal, s.Ordinal, s.Order = before.Literal, before.Ordinal, before.Order
	if s.Deed == "edit" && made && len(s.Values) == 1 && s.Values[0].New && len(s.Values[0].Hint) == 0 {
		s.Values, s.Literal = append([]Value{{Text: s.Literal, Old: true}}, s.Values...), "" // its words are all there is of it
	}
	if (s.alters() || s.Deed == "move") && len(s.Values) == 0 {
		s.Values = before.Values // "it costs 5, not 4; correct that"
	}
	s.Place = append(append([]language.Word{}, before.Place...), s.Place...)
	if s.Widget == "" {
		s.Widget = before.Widget
	}
}

// meansTold: it is done to something that it calls by no name.
func (s *Subgoal) meansTold() bool {
	return (s.Kind == Act && !s.in.has("makes anew", s.Deed) || s.Kind == Inform) && s.Literal == "" && s.Order == "" &&
		!slices.ContainsFunc(s.Object, language.Word.Named) && !slices.ContainsFunc(s.Values, func(v Value) bool { return v.Old })
}

// bareThing: it does not say what it is done to.
func (s *Subgoal) bareThing() bool {
	return s.Literal == "" && !slices.ContainsFunc(s.Object, func(w language.Word) bool { return !s.in.has("every", strings.ToLower(w.Text)) })
}

// said takes what was told of a thing for what it is to be made ("it was paid by card:
// mark it so").
func (s *Subgoal) said(before *Subgoal, tokens []token) {
	at := slices.IndexFunc(tokens, func(t token) bool { return is(t, "so") })
	if at < 0 || len(s.Values) > 0 || before.Rest == "" {
		return
	}
	s.Values = []Value{{Text: before.Rest, New: true, Choose: true}}
	s.Object = slices.DeleteFunc(s.Object, func(w language.Word) bool { return strings.EqualFold(w.Text, tokens[at].text) })
}

// statement keeps what a sentence says: values that one has ("your e-mail address
// is …"), and what "it" may mean.
func (r *reader) statement(tokens []token) {
	s := Subgoal{Kind: Act, Deed: "apply", in: r.in}
	verb := declares(tokens)
	if at := slices.IndexFunc(tokens, func(t token) bool { return is(t, "equals") }); at > 0 && at+1 < len(tokens) {
		if next := tokens[at+1]; next.named() || kindOf(tokens[:at]) != "" && !valued(tokens[:at]) || is(next, "indefinite") {
			s.fill(tokens[at+1:], tokens[:at])
			for i := range s.Values {
				s.Values[i].Choose = is(next, "indefinite") // one of a kind
			}
		}
	}
	if len(r.values) == 0 {
		r.from = len(r.goal.Subgoals)
	}
	if len(s.Values) > 0 && is(tokens[0], "possessive") && r.told != nil { // "its capacity is 4 now"
		for _, v := range s.Values {
			if first := strings.Fields(v.Text)[:1]; v.Kind == "" && numeric([]token{{text: first[0]}}) {
				v.Text, v.Kind = first[0], "number"
			}
			v.New = true
			r.told.Values = append(r.told.Values, v)
		}
		return
	}
	if len(s.Values) > 0 {
		r.values = append(r.values, s.Values...)
		return
	}
	before := r.told
	if before != nil && slices.ContainsFunc(before.Values, func(v Value) bool { return v.New }) {
		r.fact = before
	}
	if r.told, r.said = topic(tokens, verb), tokens[verb:]; is(tokens[0], "anybody") {
		return // what others did is no value of one's own
	}
	if r.told.Literal != "" || slices.ContainsFunc(r.told.Object, language.Word.Named) {
		r.about = r.told
	}
	if before != nil && verb > 0 && is(tokens[0], "pronoun") { // of the same
		before.Values = append(before.Values, r.told.Values...)
		r.told = before
	}
	switch {
	case verb == 0 || tokens[0].self():
		s.phrases(tokens)
	case len(r.told.Values) == 0:
		s.Object = r.told.Object
		s.phrases(tokens[verb:])
	}
	s.Values = slices.DeleteFunc(s.Values, func(v Value) bool {
		return v.Kind == "" && len(v.Hint) == 0 || v.Text == r.told.Literal || slices.ContainsFunc(slices.Concat(r.told.Object, r.told.Place), func(w language.Word) bool { return w.Text == v.Text }) || slices.ContainsFunc(r.told.Values, func(t Value) bool { return t.Text == v.Text })
	})
	r.values = append(r.values, s.Values...)
}

// instead takes in what is so in place of what the statement before says ("The page says
// that it opens in May. It is June: …"): something of the same kind.
func (r *reader) instead(now []token) bool {
	if len(now) > 1 && is(now[0], "naming") {
		now = now[1:]
	}
	if r.told != nil && len(r.told.Values) == 1 && r.told.Values[0].New && len(now) > 0 && numeric(now[:1]) {
		was := r.told.Values[0] // "you logged 2 hours, but it was 3.5 hours"
		was.New, was.Old = false, true
		r.told.Values = []Value{was, {Text: now[0].text, Kind: was.Kind, Hint: was.Hint, New: true}}
		return true
	}
	if r.told == nil || len(r.told.Values) > 0 || len(now) == 0 || !now[0].named() {
		return false
	}
	if v := now[0].value; v != nil && !now[0].quoted { // "she got a new number, it is 01632 960 001 now"
		r.told.Values = []Value{{Text: v.Text, Kind: v.Kind, Hint: content(r.said), New: true}}
		return true
	}
	if now[0].quoted && r.told.Literal != "" { // "The book "A" is misspelled. It is called "B": …"
		r.told.Values = []Value{{Text: r.told.Literal, Old: true}, {Text: now[0].value.Text, New: true}}
		r.told.Literal = ""
		return true
	}
	for _, t := range slices.Backward(r.said) {
		if t.named() && numeric([]token{t}) == numeric(now[:1]) {
			old := text([]token{t})
			r.told.Values = []Value{{Text: old, Old: true}, {Text: text(now), New: true}}
			r.values = slices.DeleteFunc(r.values, func(v Value) bool { return v.Text == old })
			return true
		}
	}
	return false
}

// refine takes in what the thing that was told of is to be ("it says 2019 but should say
// 2021", "it has to disappear").
func (r *reader) refine(tokens []token, verb int, what, how []token) {
	s, ok := r.wish([]token{tokens[0]}, how)
	if !ok {
		return
	}
	if verb > 0 && verb+1 < len(what) && len(s.Values) == 1 {
		if old := picked(what[verb+1:]); len(old) == 1 {
			old[0].Old, s.Deed, s.Values[0].Hint = true, "edit", nil
			s.Values = append(old, s.Values...)
		}
	}
	r.told.Values = append(r.told.Values, s.Values...)
	s.Literal, s.Object, s.Place = r.told.Literal, r.told.Object, append(r.told.Place, s.Place...)
	r.wishes = append(r.wishes, s)
}

// worded takes in what the thing that is made is to say ("It should say that …").
func (r *reader) worded(tokens []token) bool {
	n := len(r.goal.Subgoals)
	if n == 0 || len(tokens) < 3 || !is(tokens[0], "should") || !is(tokens[1], "worded") || r.goal.Subgoals[n-1].Deed != "create" {
		return false
	}
	r.goal.Subgoals[n-1].message([]string{tokens[1].low}, tokens[2:])
	return true
}

// topic is what a statement is about, which may be named later by a pronoun: its
// subject, and the numbers that are said of it, those behind "not" as the old ones.
func topic(tokens []token, verb int) *Subgoal {
	s := &Subgoal{Kind: Act, in: in(tokens), vague: true}
	if verb == 0 {
		s.phrases(tokens)
		for _, v := range s.Values {
			if v.Kind == "number" && len(v.Hint) > 0 { // "room 3": which one
				s.Object = append(append(s.Object, v.Hint...), language.Read(v.Text).Words...)
			}
		}
		s.noNumbers()
		return s
	}
	if is(tokens[0], "anybody") { // what they do not need
		what := untail(tokens[verb+1:])
		if at := slices.IndexFunc(what, func(t token) bool { return t.quoted }); at >= 0 {
			what = what[:at+1] // which one; what for is their affair
		}
		s.phrases(what)
		if s.Literal != "" && !slices.ContainsFunc(tokens, func(t token) bool { return is(t, "article") }) {
			s.Object = nil // only what nobody does with it
		}
	} else {
		s.phrases(untail(tokens[:verb]))
	}
	s.Text, s.Rest, s.vague = text(tokens[:verb]), text(untail(tokens[verb+1:])), true
	if len(s.Object) > 0 && strings.EqualFold(s.Object[0].Text, tokens[0].text) {
		s.Object[0].Capital = false // it only begins the sentence
	}
	not, should := false, is(tokens[verb], "should")
	for i := verb + 1; i < len(tokens); i++ { // "has moved to Whitby", "should be in the category News"
		t := tokens[i]
		should = should || is(tokens[i-1], "should")
		named := t.named() && t.value == nil && !numeric(tokens[i:i+1]) && !tokens[i-1].named()
		if named && (in(tokens).has("becomes", tokens[i-1].low) || should && !is(tokens[i-1], "article")) {
			s.Values = append(s.Values, Value{Text: text(nameAt(tokens[i:])), New: true, Choose: should})
		}
		if from, to := turn(tokens[i:]); from.Text != "" { // "was moved from 10:00 to 14:30"
			s.Values = []Value{from, to}
			return s
		}
		if t.quoted && s.Literal == "" && (tokens[0].self() || is(tokens[0], "anybody")) {
			s.Literal = t.value.Text // "you no longer read "Daily""
		}
	}
	kind := cmp.Or(kindOf(tokens[verb:]), "number")
	for _, t := range tokens[verb:] {
		not = not || is(t, "denied")
		text := t.text
		if t.value != nil {
			text = t.value.Text
		}
		if n, _ := utf8.DecodeRuneInString(text); unicode.IsDigit(n) && !t.quoted {
			s.Values = append(s.Values, Value{Text: text, Kind: kind, Hint: append(s.name(), slices.DeleteFunc(content(tokens[verb:]), func(w language.Word) bool { return w.Verbatim && strings.ContainsFunc(w.Text, unicode.IsDigit) })...), New: !not, Old: not})
		}
	}
	if len(s.Values) > 1 { // each is told by what stands before it
		for _, v := range picked(tokens[verb:]) {
			for i := range s.Values {
				if s.Values[i].Text == v.Text && !s.Values[i].Old && len(v.Hint) > 0 && !slices.ContainsFunc(s.Values, func(v Value) bool { return v.Old }) {
					s.Values[i].Hint = v.Hint
				}
			}
		}
	}
	if len(s.Values) == 0 {
		if s.Values = contrast(tokens[verb:]); len(s.Values) > 0 {
			s.Object, s.Place = nil, nil
		}
	}
	return s
}

// noNumbers leaves out the values that are numbers.
func (s *Subgoal) noNumbers() {
	s.Values = slices.DeleteFunc(s.Values, func(v Value) bool { return v.Kind == "number" })
}

// turn is how something was and is, where the tokens begin with "from"; "" for nothing.
func turn(tokens []token) (from, to Value) {
	if !is(tokens[0], "from") {
		return from, to
	}
	at := slices.IndexFunc(tokens, func(t token) bool { return is(t, "to") })
	if at < 2 || at+1 == len(tokens) {
		return from, to
	}
	was, now := picked(tokens[1:at]), picked(tokens[at+1:])
	if len(was) != 1 || len(now) == 0 {
		return from, to
	}
	from, to = was[0], now[0]
	from.Old, to.New, from.Hint = true, true, to.Hint
	return from, to
}

// names are the words in capitals that a text begins with.
func names(text string) (all []string) {
	for _, w := range strings.Fields(text) {
		if first, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(first) {
			break
		}
		all = append(all, w)
	}
	return all
}

// contrast is what is so and what is not, of one kind ("on Thursdays, no longer on Mondays").
func contrast(tokens []token) []Value {
	var is, isnt string
	for i, not := 0, false; i < len(tokens); i++ {
		_, n := lists.at(tokens, i, "denied")
		switch t := tokens[i]; {
		case n > 0:
			not, i = true, i+n-1
		case t.in.has("but", t.low):
			not = false
		case t.named() && t.value == nil && not && isnt == "":
			isnt = text(tokens[i : i+1])
		case t.named() && t.value == nil && !not && is == "":
			is = text(tokens[i : i+1])
		}
	}
	if is == "" || isnt == "" {
		return nil
	}
	return []Value{{Text: isnt, Old: true}, {Text: is, New: true}}
}

// names takes a word for a name that stands behind what it is one of ("the type money").
func (s *Subgoal) names() {
	text := strings.ToLower(s.Text)
	for i := 1; i < len(s.Object); i++ {
		if of, w := s.Object[i-1], &s.Object[i]; s.in.has("kinds", of.Text) && strings.Contains(text, "the "+of.Text+" "+w.Text) {
			w.Verbatim = true
		}
	}
}

// credentials takes who one is out of the statements' values where nothing else says to
// log in or to enter them.
func (r *reader) credentials() (out []Value) {
	secret := func(v Value) bool { return v.Kind == "password" }
	takes := func(s Subgoal) bool {
		return s.Kind == Act && (r.in.has("given", s.Deed) && s.Deed != "edit" || s.Deed == "save" || s.Deed == "reset" || s.Deed == "contact")
	}
	if !slices.ContainsFunc(r.values, secret) || slices.ContainsFunc(r.goal.Subgoals, takes) {
		return nil
	}
	who := func(v Value) bool { return secret(v) || v.Kind == "username" || v.Kind == "email" }
	for _, v := range r.values {
		if who(v) {
			out = append(out, v)
		}
	}
	r.values = slices.DeleteFunc(r.values, who)
	return out
}

// finish gives the statements' values to the first subgoal that enters something.
func (r *reader) finish(tokens []token) {
	g := r.goal
	if r.told != nil && slices.ContainsFunc(r.told.Values, func(v Value) bool { return v.New }) {
		r.fact = r.told
	}
	if r.fact == nil && r.about != nil && len(r.values) > 0 { // "its new address is …"
		fact := *r.about
		for _, v := range r.values {
			v.New = true
			fact.Values = append(fact.Values, v)
		}
		r.fact = &fact
	}
	if len(g.Subgoals) == 0 && len(r.wishes) == 0 && r.fact != nil {
		fact := *r.fact // what is so and not there yet
		fact.Deed, fact.Verb, fact.Text, fact.Rest = "edit", "change", r.text, fact.Text
		r.wishes = append(r.wishes, fact)
	}
	if len(g.Subgoals) == 0 && len(r.wishes) > 0 {
		if g.Subgoals = r.wishes[:min(len(r.wishes), maxSubgoals)]; g.Subgoals[0].Deed != "create" {
			r.values = nil
		}
	}
	if len(g.Subgoals) == 0 {
		g.Subgoals = []Subgoal{{Text: strings.TrimSpace(r.text), Kind: Reach, Object: content(tokens), in: r.in}}
	}
	for i := 1; i < len(g.Subgoals); i++ { // "fill in the form … and answer Norway": one of its questions
		if s, form := &g.Subgoals[i], &g.Subgoals[i-1]; s.Deed == "reply" && form.Deed == "type" && form.Widget == "form" && len(s.Values) == 0 && len(s.Object) > 0 {
			form.Values = append(form.Values, Value{Text: strings.TrimSpace(s.Rest), Choose: true})
			g.Subgoals = slices.Delete(g.Subgoals, i, i+1)
			i--
		}
	}
	if given := r.credentials(); len(given) > 1 && len(g.Subgoals) < maxSubgoals {
		g.Subgoals = append([]Subgoal{{Kind: Act, Deed: "login", Verb: "log in", Text: "log in", Values: given, in: r.in}}, g.Subgoals...)
		r.from++
	}
	enters := -1
	for i := range g.Subgoals {
		s := &g.Subgoals[i]
		s.names()
		if s.Deed == "ask" {
			s.Deed = "contact"
		}
		if s.Kind == Act && (enters < 0 || enters < r.from && i >= r.from || r.in.has("given", s.Deed) && !r.in.has("given", g.Subgoals[enters].Deed)) {
			enters = i
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
