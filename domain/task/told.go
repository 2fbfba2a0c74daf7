package task

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/domain/language"
)

// statement keeps what a sentence says: values that one has ("your e-mail address
// is …"), and what "it" may mean.
func (r *reader) statement(tokens []token) {
	s := Subgoal{Kind: Act, Deed: "apply", in: r.in}
	verb := declares(tokens)
	at := slices.IndexFunc(tokens, func(t token) bool { return is(t, "equals") })
	if r.owned(tokens, at) {
		return
	}
	if at > 0 && at+1 < len(tokens) && !(is(tokens[at+1], "indefinite") && (tokens[0].named() && at > 1 || slices.ContainsFunc(tokens[:at], func(t token) bool { return t.in.has("relative", t.low) }))) {
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
			if words := strings.Fields(v.Text); v.Kind == "" && len(words) > 0 && numeric([]token{{text: words[0]}}) {
				v.Text, v.Kind = words[0], "number"
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

// owned takes in what somebody's thing is now, where the clause says that ("Ida Moor's new
// number is …"); at is where it says is.
func (r *reader) owned(tokens []token, at int) bool {
	owner := slices.IndexFunc(tokens, func(t token) bool {
		_, owns := t.in.owns(t.low)
		return owns
	})
	if owner < 0 || at <= owner+1 || at+1 == len(tokens) || !tokens[0].named() {
		return false
	}
	whose := slices.Clone(tokens[:owner+1])
	whose[owner].text, _ = r.in.owns(whose[owner].text)
	r.told = topic(whose, 0)
	if len(r.told.Object) > 0 && r.told.Literal == "" {
		r.told.Literal, r.told.Object = text(whose), nil
	}
	s := Subgoal{Kind: Act, Deed: "apply", in: r.in}
	s.fill(tokens[at+1:], tokens[owner+1:at])
	for _, v := range s.Values {
		v.New = true
		r.told.Values = append(r.told.Values, v)
	}
	r.said, r.about = nil, r.told
	return true
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
	if r.told == nil || len(r.told.Values) > 0 || len(now) == 0 {
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
	if given := picked(now); len(given) == 1 && !now[0].named() { // "it was made in 1974"
		given[0].New = true
		r.told.Values = given
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
	for i, t := range tokens[verb:] {
		not = not || denied(tokens[verb:], i) > 0
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

// credentialed reads "root / secret" behind what says to log in as a name and a password.
func credentialed(tokens []token) []token {
	for i := 1; i+1 < len(tokens); i++ {
		if tokens[i].low != "/" || tokens[i-1].ends {
			continue
		}
		for from := i - 2; from >= max(0, i-5) && !tokens[from].ends; from-- {
			if _, n := verbs.at(tokens, from, "login"); n == 0 && kindOf(tokens[from:from+1]) != "username" {
				continue
			}
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
