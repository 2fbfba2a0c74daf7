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
	tokens = credentialed(uncourtly(tokens))
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
	if _, n := lists.at(tokens, 0, "wishtail"); n > 1 && n < len(tokens) { // "from now on …"
		tokens = tokens[n:]
	}
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
	if _, n := lists.at(tokens, 0, "when"); n > 0 && n+1 < len(tokens) && (is(tokens[n], "subjects") || is(tokens[n], "you")) {
		tokens = tokens[n:]
	}
	if at := slices.IndexFunc(tokens, func(t token) bool { return is(t, "speakers") }); is(tokens[0], "as") && at > 1 && at < 6 {
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
	if r.wished(tokens, what, how) {
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

// wished takes in how something is to be, or what is told of it; false for a clause that
// orders or asks.
func (r *reader) wished(tokens, what, how []token) bool {
	if _, n := lists.at(tokens, 0, "unwanted"); n > 0 && n < len(tokens) { // "I don't want it any more"
		s := Subgoal{in: r.in, Text: r.text[tokens[n].from:tokens[len(tokens)-1].to]}
		s.act("delete", "delete", untail(tokens[n:]))
		if r.told != nil && s.bare() {
			s.Literal, s.Object, s.Place = r.told.Literal, r.told.Object, r.told.Place
		}
		told := s // "I no longer want the paper: take it off the list"
		told.vague = true
		if at := slices.IndexFunc(tokens, func(t token) bool { return t.quoted }); at >= 0 { // "to read "Daily""
			told.Literal, told.Object = tokens[at].value.Text, nil
		}
		r.told, r.wishes = &told, append(r.wishes, s)
		return true
	}
	if _, n := lists.at(tokens, 0, "needs", "wants"); n > 0 && n+1 < len(tokens) && len(how) == 0 && (is(tokens[n], "indefinite") || is(tokens[n], "one") && tokens[n].number() == 0) { // "I need a poll asking …"
		s := Subgoal{in: r.in, Text: r.text[tokens[n].from:tokens[len(tokens)-1].to]}
		s.act("create", "create", tokens[n:])
		s.Rest = s.Text
		r.wishes = append(r.wishes, s)
		return true
	}
	if at, n := lacking(tokens); n > 0 { // "our board needs another column"
		s := Subgoal{in: r.in, Text: r.text[tokens[at].from:tokens[len(tokens)-1].to]}
		s.act("create", "create", tokens[at+n:])
		if s.Rest = s.Text; !tokens[0].self() && !is(tokens[0], "pronoun") {
			s.Place = append(s.Place, words(tokens[:at])...)
		}
		r.wishes = append(r.wishes, s)
		return true
	}
	if n := len(r.goal.Subgoals); n > 0 && len(how) > 0 {
		last := &r.goal.Subgoals[n-1]
		if s, ok := r.wish(what, how); ok && r.colon && last.alters() && len(last.Values) == 0 { // "correct the spelling: A must read B"
			last.Values = s.Values
			return true
		} else if ok && is(what[0], "pronoun") && is(tokens[0], "lets") && last.Kind == Act { // "share it with Mia, but let her only read it"
			last.Values = append(last.Values, Value{Text: joined(slices.DeleteFunc(slices.Concat(what[1:], how), func(t token) bool { return is(t, "pronoun") })), Choose: true})
			return true
		}
	}
	if orders := len(how) > 0 && is(tokens[0], "lets"); orders {
		if s, ok := r.wish(what, how); ok {
			r.tell(s, tokens)
			return true
		}
	}
	if verb := declares(tokens); verb > 0 || len(how) > 0 {
		if verb > 0 && is(tokens[0], "pronoun") && r.worded(tokens[verb:]) {
			return true
		}
		if len(how) > 0 && r.told != nil && len(what) == 1 && is(what[0], "pronoun") || verb == 1 && r.told != nil && len(how) > 0 && is(tokens[0], "pronoun") {
			r.refine(tokens, verb, what, how)
			return true
		}
		before := r.told
		r.statement(tokens)
		if s, ok := r.wish(what, how); ok && (!what[0].self() || len(what) > 1) {
			if before != nil && is(what[0], "possessive") { // "her check-out becomes 19 August"
				s.Literal, s.Object = before.Literal, append(s.Object, before.Object...)
				r.wishes = slices.DeleteFunc(r.wishes, func(w Subgoal) bool { // it says more exactly what is wished
					return slices.ContainsFunc(w.Values, func(v Value) bool { return v.Choose })
				})
			}
			r.wishes = append(r.wishes, s)
		}
		if before != nil && is(tokens[0], "possessive") && (before.Literal != "" || len(before.Object) > 0) {
			r.told = before // it is still what is spoken of
		}
		return true
	}
	return false
}

// tell puts an order behind the others, with what was said before it.
func (r *reader) tell(s Subgoal, tokens []token) {
	s.Place, r.where = append(s.Place, r.where...), nil
	if r.told != nil {
		s.refer(r.told, tokens)
		r.told = nil
	}
	s.venue()
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

// names takes a word for a name that stands behind what it is one of ("the type money").
func (s *Subgoal) names() {
	text := strings.ToLower(s.Text)
	for i := 1; i < len(s.Object); i++ {
		if of, w := s.Object[i-1], &s.Object[i]; s.in.has("kinds", of.Text) && strings.Contains(text, "the "+of.Text+" "+w.Text) {
			w.Verbatim = true
		}
	}
}

// here: the task says "this film" of something, and nothing before it.
func (r *reader) here(tokens []token) bool {
	for i := 1; i < len(tokens); i++ {
		if is(tokens[i-1], "demonstrative") && (i < 2 || !tokens[i-2].named()) && tokens[i].value == nil && !is(tokens[i], "preposition") && !is(tokens[i], "finite") && !is(tokens[i], "one") {
			return true
		}
	}
	return false
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
		s := &g.Subgoals[i]
		s.Here = i == 0 && s.Kind == Act && s.Literal == "" && !slices.ContainsFunc(s.Object, language.Word.Named) && r.here(tokens)
		g.Values = append(g.Values, g.Subgoals[i].Values...)
	}
}
