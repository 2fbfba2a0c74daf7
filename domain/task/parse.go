package task

import (
	"strconv"
	"strings"
	"unicode"

	"understudy/domain/language"
)

const (
	// maxTask bounds how much of a task is parsed, in bytes.
	maxTask = 4000
	// maxSubgoals bounds a task: one with more steps is a script.
	maxSubgoals = 8
)

// Parse reads a task's sentences. It is total: there is always a subgoal, and a
// sentence without a verb that is known becomes a place to reach by its words.
func Parse(text string, inputs []string) Goal {
	g := Goal{Task: text, Inputs: inputs}
	if len(text) > maxTask {
		text = strings.ToValidUTF8(text[:maxTask], "")
	}
	tokens := lex(text)
	for _, clause := range clauses(tokens) {
		if len(g.Subgoals) == maxSubgoals {
			break
		}
		g.read(clause)
	}
	if len(g.Subgoals) == 0 {
		g.Subgoals = []Subgoal{{Text: strings.TrimSpace(text), Kind: Reach, Object: content(tokens)}}
	}
	for i := range g.Subgoals {
		g.Values = append(g.Values, g.Subgoals[i].Values...)
	}
	return g
}

// clauses cuts a task where a sentence ends, at "then", and at "and" or a comma
// before a verb.
func clauses(tokens []token) [][]token {
	var out [][]token
	from := 0
	cut := func(to, next int) {
		if to > from {
			out = append(out, tokens[from:to])
		}
		from = next
	}
	for i := 0; i < len(tokens); i++ {
		if i > from {
			if _, n := lists.at(tokens, i, "cut"); n > 0 {
				cut(i, i+n)
			} else if is(tokens[i], "and") && begins(tokens, i+1) {
				cut(i, i+1)
			} else if tokens[i-1].comma && begins(tokens, i) {
				cut(i, i)
			}
		}
		if tokens[i].ends {
			cut(i+1, i+1)
		}
	}
	cut(len(tokens), len(tokens))
	return out
}

// begins: a verb of an act or a goal stands here, as in an order.
func begins(tokens []token, at int) bool {
	at += leadIn(tokens[min(at, len(tokens)):])
	e, n := verbs.at(tokens, at)
	if n == 0 || at+n > len(tokens) {
		return false
	}
	if e.means == "inform" && n == 1 {
		_, q := questions.at(tokens, at)
		return q == 0 || at+1 < len(tokens)
	}
	return at+n < len(tokens) || e.means == "save" || e.means == "send" || e.means == "confirm" || e.means == "logout"
}

// leadIn is how many tokens say nothing but that something is to be done.
func leadIn(tokens []token) int {
	at := 0
	for at < len(tokens) {
		_, n := lists.at(tokens, at, "lead")
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// read takes one clause in.
func (g *Goal) read(clause []token) {
	clause = clause[leadIn(clause):]
	if len(clause) == 0 {
		return
	}
	s := Subgoal{Text: text(clause)}
	verb, n := verbs.at(clause, 0)
	q, asked := questions.at(clause, 0)
	switch {
	case verb.means == "inform" || n == 0 && asked > 0 && !strings.HasPrefix(q.means, "*"):
		if asked > 0 && asked >= n {
			n = 0
		}
		s.Kind = Inform
		g.question(&s, clause[n:], strings.Contains(strings.Join(verb.words, " "), " whether") || strings.HasSuffix(strings.Join(verb.words, " "), " if"))
	case verb.means == "reach":
		s.Kind = Reach
		rest := clause[n:]
		if at, _ := questionIn(rest); at == 0 {
			s.Kind = Inform
			g.question(&s, rest, false)
			break
		}
		g.phrases(&s, rest)
	case n > 0:
		s.Kind, s.Deed, s.Verb = Act, verb.means, strings.Join(verb.words, " ")
		g.phrases(&s, clause[n:])
		g.settle(&s)
	default:
		s.Kind = Reach
		rest := clause
		if len(clause) > 1 && is(clause[1], "article") && clause[0].value == nil {
			s.Kind, s.Verb, rest = Act, clause[0].low, clause[1:] // an unknown word before an article is a verb
		}
		g.phrases(&s, rest)
	}
	if len(s.Object) == 0 && len(s.Values) == 0 && s.Literal == "" && len(g.Subgoals) > 0 {
		g.refer(&s, clause)
	}
	g.Subgoals = append(g.Subgoals, s)
}

// refer lets "it" and "them" mean what the clause before was about.
func (g *Goal) refer(s *Subgoal, clause []token) {
	before := g.Subgoals[len(g.Subgoals)-1]
	for _, t := range clause {
		if is(t, "pronoun") {
			s.Object, s.Place = before.Object, before.Place
			if before.Literal != "" {
				s.Object = append(s.Object, language.Read(before.Literal).Content()...)
			}
			return
		}
	}
}

// question reads what is asked: words before the question word say where.
func (g *Goal) question(s *Subgoal, rest []token, whether bool) {
	at, q := questionIn(rest)
	if at > 0 {
		g.phrases(s, rest[:at])
		s.Place = append(s.Place, s.Object...)
		s.Object = nil
	}
	if at >= 0 {
		rest = rest[at+len(q.words):]
		switch q.means {
		case "howto":
			s.Howto = true
		case "state":
			s.Whether, s.Answer = true, language.State
		case "thing":
			s.Howto = strings.Join(q.words, " ") == "how"
		default:
			s.Answer = language.Kind(q.means)
		}
	}
	if whether {
		s.Whether, s.Answer = true, language.State
	}
	g.phrases(s, rest)
	if s.Answer == "" && !s.Howto {
		s.Answer = asked(rest)
	}
	// What is named is what is asked about.
	if s.Literal != "" {
		s.Object = append(s.Object, language.Read(s.Literal).Content()...)
		s.Literal = ""
	}
	for _, v := range s.Values {
		s.Object = append(s.Object, language.Read(v.Text).Content()...)
	}
	s.Values = nil
}

// questionIn is where a question begins in a clause, -1 for nowhere.
func questionIn(tokens []token) (int, entry) {
	for i := range tokens {
		for _, q := range questions {
			if strings.HasPrefix(q.means, "*") || q.means == "state" && i > 0 && len(q.words[0]) < 5 {
				continue
			}
			if _, n := (list{q}).at(tokens, i); n > 0 && (i == 0 || q.means != "thing" || i > 0) {
				return i, q
			}
		}
	}
	return -1, entry{}
}

// asked is the kind of answer that the first noun asks for, as in "the salary of
// X".
func asked(tokens []token) language.Kind {
	for i := range tokens {
		if is(tokens[i], "preposition") {
			return ""
		}
		for _, q := range questions {
			if strings.HasPrefix(q.means, "*") {
				if _, n := (list{q}).at(tokens, i); n > 0 {
					return language.Kind(q.means[1:])
				}
			}
		}
	}
	return ""
}

// phrases reads what stands behind a verb: the thing, then what prepositions add.
func (g *Goal) phrases(s *Subgoal, tokens []token) {
	segment, means := []token{}, ""
	within := false
	flush := func() {
		within = g.segment(s, means, segment, within)
		segment = nil
	}
	for i, t := range tokens {
		if t.value == nil && is(t, "preposition") && (i > 0 || s.Deed != "type") {
			flush()
			means = t.low
			continue
		}
		segment = append(segment, t)
	}
	flush()
}

// segment reads one phrase, with the preposition before it ("" for none). within:
// the phrase before said where, so that this one says more of it.
func (g *Goal) segment(s *Subgoal, means string, tokens []token, within bool) (place bool) {
	switch {
	case means == "asking", means == "saying", means == "telling", means == "that" && s.sends():
		g.message(s, means, tokens)
		return false
	case means == "so" || means == "because" || means == "until":
		return false // why or how long is no part of what is looked for
	}
	place = s.Kind != Inform && (contains(lists, "place", means) || means == "to" && !s.alters()) || within && (means == "about" || means == "of" || means == "for")
	var words []token
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if t.value != nil {
			g.value(s, *t.value, t.quoted, means, tokens[:i])
			continue
		}
		if detail := kindOf(tokens[i : i+1]); (detail == "password" || detail == "username") && i+1 < len(tokens) && tokens[i+1].value == nil && s.Kind == Act && !is(tokens[i+1], "and") && !is(tokens[i+1], "control") {
			s.Values = append(s.Values, Value{Text: tokens[i+1].text, Kind: detail, Hint: content(tokens[i : i+1])})
			i++
			continue
		}
		if e, n := lists.at(tokens, i, "control", "kind"); n > 0 && (i+n == len(tokens) || e.means == "control" || tokens[i+n].value != nil) {
			if s.Widget == "" {
				s.Widget = singular(strings.Join(e.words, " "))
			}
			if e.means == "control" || s.Kind == Reach || place {
				if i+n < len(tokens) && strings.HasPrefix(tokens[i+n].text, "#") {
					s.Literal = t.text + " " + tokens[i+n].text
					n++
				}
				i += n - 1
				continue
			}
		}
		switch {
		case t.ordinal > 0:
			s.Ordinal = t.ordinal
			continue
		case is(t, "last") && i < len(tokens)-1 && s.Deed == "click":
			s.Ordinal = -1
			continue
		}
		if e, n := lists.at(tokens, i, "order"); n > 0 {
			s.Order = strings.Join(e.words, " ")
			i += n - 1
			continue
		}
		if e, n := lists.at(tokens, i, "ordinal"); n > 0 && i < len(tokens)-1 {
			s.Ordinal = ordinalOf(e.words[0])
			continue
		}
		words = append(words, t)
	}
	for len(words) > 0 && (is(words[0], "article") || is(words[0], "and")) {
		words = words[1:]
	}
	if len(words) == 0 {
		return place
	}
	switch {
	case s.alters() && (means == "to" || means == "into") && len(s.Values) == 0 && (len(s.Object) > 0 || s.Literal != ""):
		s.Values = append(s.Values, Value{Text: text(words), New: true}) // "to 3", "to German"
	case contains(lists, "naming", means), s.Deed == "click" && means == "" && s.Literal == "" && s.Widget == "":
		s.Literal = text(words)
	case s.Deed == "choose" && means == "" && len(s.Values) == 0:
		for _, one := range enumerated(words) {
			s.Values = append(s.Values, Value{Text: one, Choose: true})
		}
	case contains(lists, "means", means) && s.Kind == Act && len(s.Values) > 0:
	case place && (len(s.Object) > 0 || len(s.Values) > 0 || s.Literal != "" || s.Deed != ""):
		s.Place = append(s.Place, content(words)...)
	default:
		s.Object = append(s.Object, content(words)...)
	}
	return place
}

func singular(w string) string {
	if strings.HasSuffix(w, "boxes") {
		return strings.TrimSuffix(w, "es")
	}
	return strings.TrimSuffix(w, "s")
}

// alters: the act turns something into something else.
func (s *Subgoal) alters() bool { return s.Deed == "rename" || s.Deed == "edit" }

func contains(l list, means, word string) bool {
	for _, e := range l {
		if e.means == means && len(e.words) == 1 && e.words[0] == word {
			return true
		}
	}
	return false
}

func ordinalOf(word string) int {
	n := 0
	for _, line := range strings.Split(wordsText, "\n") {
		if rest, ok := strings.CutPrefix(line, "ordinal:"); ok {
			for i, w := range strings.Split(rest, ";") {
				if strings.TrimSpace(w) == word {
					n = i + 1
				}
			}
		}
	}
	return n
}

// value gives a value its place in a subgoal: the name of what is used, or what
// is entered.
func (g *Goal) value(s *Subgoal, v Value, quoted bool, means string, before []token) {
	switch s.Deed {
	case "type", "search", "create", "edit", "rename", "send", "reply", "contact", "login", "signup", "reset", "choose", "check", "comment", "copy", "forward", "book", "buy", "transfer", "donate", "subscribe", "filter", "set", "upload", "save", "solve", "vote", "apply", "contact us":
	default:
		if quoted && s.Literal == "" {
			s.Literal = v.Text
			return
		}
	}
	if s.Deed == "rename" && means == "" || s.Deed == "edit" && means == "" && len(s.Values) == 0 && quoted {
		v.Old = true
	}
	if (s.Deed == "rename" || s.Deed == "edit") && (means == "to" || means == "into" || means == "as") {
		v.New = true
	}
	if (contains(lists, "place", means) || contains(lists, "naming", means)) && quoted && s.Deed != "rename" && s.Deed != "type" && means != "as" {
		if contains(lists, "naming", means) && s.Deed == "create" {
			v.Kind = "text"
		} else {
			s.Place = append(s.Place, language.Read(v.Text).Content()...)
			return
		}
	}
	v.Hint = content(hint(before))
	if v.Kind == "" {
		v.Kind = kindOf(before)
	}
	v.Choose = s.Deed == "choose" || s.Deed == "check"
	v.Ordinal = s.Ordinal
	s.Values = append(s.Values, v)
}

// kindOf is the kind of value that the words before it name.
func kindOf(before []token) string {
	for i := len(before) - 1; i >= max(0, len(before)-3); i-- {
		switch w := before[i].low; w {
		case "password", "passcode", "pin":
			return "password"
		case "username", "login":
			return "username"
		case "number", "date", "time", "phone", "name", "amount":
			return w
		case "e-mail", "email":
			return "email"
		}
	}
	return ""
}

// hint are the last words before a value.
func hint(tokens []token) []token { return tokens[max(0, len(tokens)-4):] }

// settle puts right what the words of an act mean together: what is clicked is
// named and about nothing else, and what is searched for without quotes is a value.
func (g *Goal) settle(s *Subgoal) {
	switch s.Deed {
	case "click":
		s.Object = nil
	case "type", "login", "signup":
		for i := range s.Values {
			if s.Ordinal > 0 && s.Values[i].Ordinal == 0 {
				s.Values[i].Ordinal = s.Ordinal // "the 2nd textbox" stands behind its value
			}
			s.Values[i].Both = strings.Contains(s.Text, "both") || strings.Contains(s.Text, "each")
		}
	case "search":
		if len(s.Values) == 0 && len(s.Object) > 0 {
			s.Values = []Value{{Text: texts(s.Object), Kind: "search"}}
		}
	}
	if len(s.Object) > 0 {
		if n, err := strconv.Atoi(s.Object[0].Text); err == nil && n > 0 && n < 100 {
			s.Count = n
		}
	}
}

// sends: the act sends words to somebody.
func (s *Subgoal) sends() bool {
	return s.Deed == "contact" || s.Deed == "send" || s.Deed == "reply" || s.Deed == "comment" || s.Deed == "create"
}

// message words what is to be written as who writes it would.
func (g *Goal) message(s *Subgoal, means string, tokens []token) {
	words := Subgoal{Text: text(tokens)}
	said := words.Plain()
	if means == "asking" {
		said = "I would like to ask " + said
	}
	if said == "" {
		return
	}
	r := []rune(said)
	r[0] = unicode.ToUpper(r[0])
	s.Values = append(s.Values, Value{Text: string(r) + ".", Kind: "text"})
}

// enumerated cuts "A, B and C" into its parts.
func enumerated(tokens []token) []string {
	var out []string
	var one []token
	for _, t := range tokens {
		if is(t, "article") && len(one) == 0 {
			continue
		}
		if is(t, "and") {
			if len(one) > 0 {
				out, one = append(out, text(one)), nil
			}
			continue
		}
		one = append(one, t)
		if t.comma {
			out, one = append(out, text(one)), nil
		}
	}
	if len(one) > 0 {
		out = append(out, text(one))
	}
	return out
}

// content are the words of tokens that carry meaning, without the kinds of places
// that everything on the web is.
func content(tokens []token) []language.Word {
	var out []language.Word
	for _, t := range tokens {
		if t.value != nil || is(t, "article") || is(t, "pronoun") || is(t, "site") || is(t, "both") {
			continue
		}
		for _, w := range language.Read(t.text).Words {
			if !w.Function && !w.Part {
				out = append(out, w)
			}
		}
	}
	return out
}

func text(tokens []token) string {
	parts := make([]string, len(tokens))
	for i, t := range tokens {
		parts[i] = t.text
	}
	return strings.Join(parts, " ")
}

func texts(words []language.Word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = w.Text
	}
	return strings.Join(parts, " ")
}
