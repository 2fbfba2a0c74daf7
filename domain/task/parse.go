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
	flush := func() {
		g.segment(s, means, segment)
		segment = nil
	}
	for i, t := range tokens {
		if t.value == nil && is(t, "preposition") && !(i == 0 && s.Deed == "type") {
			flush()
			means = t.low
			continue
		}
		segment = append(segment, t)
	}
	flush()
}

// segment reads one phrase, with the preposition before it ("" for none).
func (g *Goal) segment(s *Subgoal, means string, tokens []token) {
	if means == "asking" || means == "saying" || means == "telling" || means == "that" && s.made() {
		g.message(s, means, tokens)
		return
	}
	if means == "so" || means == "because" || means == "until" {
		return // why or how long is no part of what is looked for
	}
	naming := contains(lists, "naming", means)
	place := contains(lists, "place", means) && s.Kind != Inform || means == "by" || means == "to" && s.Deed != "rename" && s.Deed != "edit"
	var words []token
	for i, t := range tokens {
		switch {
		case t.value != nil:
			g.value(s, *t.value, t.quoted, means, hint(tokens[:i]), words)
			continue
		case t.ordinal > 0:
			s.Ordinal = t.ordinal
			continue
		case strings.HasPrefix(t.text, "#") && len(t.text) > 1 && i > 0:
			s.Literal = tokens[i-1].text + " " + t.text
			continue
		}
		if i > 0 {
			if _, n := lists.at(tokens, i, "both"); n > 0 {
				continue
			}
		}
		if e, n := lists.at(tokens, i, "order"); n > 0 {
			s.Order = strings.Join(e.words, " ")
			continue
		}
		if is(t, "last") && s.Ordinal == 0 && i < len(tokens)-1 && s.Deed == "click" {
			s.Ordinal = -1
			continue
		}
		if e, n := lists.at(tokens, i, "ordinal"); n > 0 && i < len(tokens)-1 {
			s.Ordinal = ordinalOf(e.words[0])
			continue
		}
		for _, kind := range widgets {
			if _, n := lists.at(tokens, i, kind); n > 0 && s.Widget == "" {
				s.Widget = strings.TrimSuffix(t.low, "es")
				if !strings.HasSuffix(t.low, "xes") {
					s.Widget = strings.TrimSuffix(t.low, "s")
				}
			}
		}
		words = append(words, t)
	}
	if len(words) == 0 {
		return
	}
	switch {
	case naming:
		s.Literal = text(words)
	case s.Deed == "choose" && means == "", s.Deed == "check" && means == "" && !strings.Contains(text(words), "box"):
		if len(s.Values) == 0 {
			for _, one := range enumerated(words) {
				s.Values = append(s.Values, Value{Text: one, Choose: true})
			}
		}
	case contains(lists, "means", means) && s.Kind == Act && len(s.Values) > 0:
	case place && s.Kind != Inform && (len(s.Object) > 0 || len(s.Values) > 0 || s.Literal != "" || s.Deed == ""):
		s.Place = append(s.Place, content(words)...)
	default:
		s.Object = append(s.Object, content(words)...)
	}
}

// widgets is the list of kinds of controls and places.
var widgets = []string{"button"}

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
func (g *Goal) value(s *Subgoal, v Value, quoted bool, means string, before []token, words []token) {
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
	v.Hint = content(before)
	if v.Kind == "" {
		v.Kind = kindOf(before)
	}
	v.Choose = s.Deed == "choose" || s.Deed == "check"
	for _, w := range words {
		if w.ordinal > 0 {
			v.Ordinal = w.ordinal
		}
	}
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
// named by the words themselves, a bare word behind the name of a detail is its
// value, a field's ordinal belongs to its value.
func (g *Goal) settle(s *Subgoal) {
	switch s.Deed {
	case "click":
		if s.Literal == "" && len(s.Object) > 0 && s.Widget == "" {
			s.Literal = texts(s.Object)
		}
	case "type", "login", "signup":
		for i := range s.Values {
			if s.Ordinal > 0 && s.Values[i].Ordinal == 0 {
				s.Values[i].Ordinal = s.Ordinal
			}
			s.Values[i].Both = s.Values[i].Both || strings.Contains(s.Text, "both") || strings.Contains(s.Text, "each")
		}
		s.bare()
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

// bare takes the value that stands behind the name of a detail without quotes:
// "the password Sunny-42", "the username jane".
func (s *Subgoal) bare() {
	words := append(append([]language.Word{}, s.Object...), s.Place...)
	for i := 1; i < len(words); i++ {
		kind := kindOf([]token{{low: words[i-1].Text}})
		if kind != "password" && kind != "username" && kind != "name" {
			continue
		}
		raw := words[i].Text
		for _, f := range strings.Fields(s.Text) {
			if strings.EqualFold(strings.Trim(f, ".,;"), raw) {
				raw = strings.Trim(f, ".,;")
			}
		}
		s.Values = append(s.Values, Value{Text: raw, Kind: kind, Hint: words[i-1 : i]})
	}
}

// made: the act sends words to somebody.
func (s *Subgoal) made() bool {
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
