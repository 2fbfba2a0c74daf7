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
	colon bool
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
	for _, c := range clauses(tokens) {
		r.clause(c)
	}
	r.finish(tokens)
	return g
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
	if _, n := lists.at(tokens, 0, "statement"); n > 0 {
		if _, verb, _ := verbOf(tokens); verb == "" {
			if is(tokens[0], "pronoun") && r.instead(tokens[n:]) {
				return
			}
			r.statement(tokens[n:])
			return
		}
	}
	if verb := declares(tokens); verb > 0 {
		if is(tokens[0], "pronoun") && r.worded(tokens[verb:]) {
			return
		}
		r.statement(tokens)
		if s, ok := r.wish(tokens, verb); ok && is(tokens[verb], "should") && !tokens[0].self() {
			r.wishes = append(r.wishes, s)
		}
		return
	}
	if n := leadPlace(tokens); n > 0 { // "in the settings, …"
		if place := r.place(tokens[:n]); place.Literal != "" && n < len(tokens) {
			r.add(place, tokens[:n])
			r.where = append(r.where, words(tokens[1:n])...)
		} else {
			r.where = append(r.where, words(tokens[:n])...)
		}
		if tokens = tokens[n:]; len(tokens) == 0 {
			return
		}
	}
	s := r.read(tokens)
	s.Place, r.where = append(s.Place, r.where...), nil
	s.using(r.means)
	r.means = nil
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
	if slices.ContainsFunc(tokens, func(t token) bool { return is(t, "possessive") }) && s.Kind == Act && s.alters() && s.Literal == "" && before.Literal != "" && len(s.Object) > 0 {
		s.Literal, s.Object = before.Literal, append(s.Object[:len(s.Object):len(s.Object)], before.Object...) // "change her city"
		if len(s.Values) == 0 {
			for _, v := range before.Values {
				v.Hint = s.Object[:len(s.Object)-len(before.Object)]
				s.Values = append(s.Values, v)
			}
		}
		return
	}
	if len(tokens) > 1 && is(tokens[1], "pronoun") && before.Literal != "" && s.Literal == "" && len(s.Values)+len(before.Values) == 0 && len(s.Object) > 0 {
		s.Literal = before.Literal // "take it out of the list of feeds"
		return
	}
	again := slices.ContainsFunc(tokens, func(t token) bool { return is(t, "pronoun") })
	for _, w := range s.Object {
		at := slices.IndexFunc(tokens, func(t token) bool { return t.low == strings.ToLower(w.Text) })
		if at > 0 && before.Literal != "" && slices.ContainsFunc(tokens[max(0, at-2):at], func(t token) bool { return is(t, "demonstrative") }) {
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
	if len(s.Values) > 0 {
		r.values = append(r.values, s.Values...)
		return
	}
	if r.told, r.said = topic(tokens, verb), tokens[verb:]; is(tokens[0], "anybody") {
		return // what others did is no value of one's own
	}
	switch {
	case verb == 0 || tokens[0].self():
		s.phrases(tokens)
	case len(r.told.Values) == 0:
		s.Object = r.told.Object
		s.phrases(tokens[verb:])
	}
	s.Values = slices.DeleteFunc(s.Values, func(v Value) bool {
		return v.Kind == "" && len(v.Hint) == 0 || v.Text == r.told.Literal || slices.ContainsFunc(r.told.Values, func(t Value) bool { return t.Text == v.Text })
	})
	r.values = append(r.values, s.Values...)
}

// instead takes in what is so in place of what the statement before says ("The page says
// that it opens in May. It is June: …"): something of the same kind.
func (r *reader) instead(now []token) bool {
	if len(now) > 1 && is(now[0], "naming") {
		now = now[1:]
	}
	if r.told == nil || len(r.told.Values) > 0 || len(now) == 0 || !now[0].named() {
		return false
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
	s := &Subgoal{Kind: Act, in: in(tokens)}
	if verb == 0 {
		s.phrases(tokens)
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
		s.phrases(tokens[:verb])
	}
	s.Text = text(tokens[:verb])
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
	if len(s.Values) == 0 {
		if s.Values = contrast(tokens[verb:]); len(s.Values) > 0 {
			s.Object, s.Place = nil, nil
		}
	}
	return s
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

// finish gives the statements' values to the first subgoal that enters something.
func (r *reader) finish(tokens []token) {
	g := r.goal
	if len(g.Subgoals) == 0 && len(r.wishes) > 0 {
		g.Subgoals, r.values = r.wishes[:min(len(r.wishes), maxSubgoals)], nil
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
