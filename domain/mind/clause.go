package mind

import (
	"slices"
	"strings"
)

// parseClause reads one clause. What stands for details is put back where the
// clause is a question, which may be about them.
func (g *Goal) parseClause(clause string, quotes []string, marks []mark) (Subgoal, bool) {
	clause = strings.TrimSpace(clause)
	for leadIn.MatchString(clause) {
		clause = strings.TrimSpace(leadIn.ReplaceAllString(clause, ""))
	}
	s := Subgoal{Text: strings.TrimSpace(strings.ReplaceAll(unmark(clause, marks, false), "\x00", "…"))}
	clause = tail.ReplaceAllString(clause, "")
	clause = tellWhom.ReplaceAllString(clause, "tell ")
	clause = withValues.ReplaceAllString(clause, "")
	clause = favour.ReplaceAllString(clause, "")
	clause = whose.ReplaceAllString(clause, "")
	clause = aside.ReplaceAllString(clause, "")
	if len(tokens(clause)) == 0 && !strings.Contains(clause, "\x00") {
		return s, false
	}
	body := onlyShow.ReplaceAllString(clause, "filter ")
	if at := switched.FindStringSubmatch(body); at != nil {
		body = strings.ToLower(at[1]+at[4]) + "switch " + at[2] + at[3] + at[5]
	}
	doing := false // it is asked how something is done: a verb comes first
	strip := func() {
		doing = deedAsked.MatchString(body)
		body = questions.ReplaceAllString(body, "")
	}
	switch {
	case askLead.MatchString(body) && !startsWithAct(body):
		s.Kind = Inform
		lead := strings.ToLower(askLead.FindString(body))
		body = body[len(lead):]
		s.Answer = answerKind(body)
		if strings.HasSuffix(lead, "whether ") || strings.HasSuffix(lead, "if ") {
			s.Answer = "yesno"
		}
		strip()
	case questions.MatchString(body):
		s.Kind = Inform
		s.Answer = answerKind(body)
		strip()
	case reachLead.MatchString(body):
		s.Kind = Reach
		body = reachLead.ReplaceAllString(body, "")
		s.Answer = answerKind(body)
		if questions.MatchString(body) {
			s.Kind = Inform
			strip()
		}
	}
	amount := hasMark(body, marks, ValueAmount)
	if s.Kind != "" {
		body = unmark(body, marks, true)
	}
	w := analyse(body).base
	verb, n := verbAt(w)
	if verb == "" && s.Kind == "" {
		// "the best pizza": no verb at all is a place to reach; an unknown
		// first word before an article is a verb we do not know.
		s.Kind = Reach
		if len(w) > 1 && (stopwords[w[1]] || len(w) == 2) && !stopwords[w[0]] {
			s.Kind, verb, n = Act, w[0], 1
		}
	} else if s.Kind == "" {
		s.Kind = Act
	}
	if s.Answer == "howto" && verb == "" && len(w) > 1 && (stopwords[w[1]] || doing && !lenders[w[0]]) && !stopwords[w[0]] {
		verb, n = w[0], 1 // "how to repot a cactus"
		if particles[w[1]] && len(w) > 2 {
			verb, n = w[0]+w[1], 2 // "how to back up a disk"
		}
	}
	if s.Kind == Reach && verb != "" && n < len(w) && len(content(w[n:], nil)) == 0 {
		verb = "" // "open the contact page" is about the word, not the deed
		n = 0
	}
	if s.Answer == "person" {
		verb = "" // who wrote it: the answer names somebody and seldom the deed
	}
	if verb == "signup" && (has(w, "newsletter") || has(w, "news")) {
		verb = "subscribe"
	}
	s.Verb = verb
	if n == 1 && !strings.HasSuffix(w[0], "switch") {
		s.own = w[0]
	}
	if s.Kind == Act && len(w) > 0 && moving[w[0]] && (amount || has(w, "money")) {
		s.Verb, s.own = "transfer", ""
	}
	if s.Answer == "time" && s.Kind != Act {
		w = analyse(dayAsked.ReplaceAllString(strings.ToLower(body), "")).base // the day itself is what is not known
		n = min(n, len(w))
	}
	rest := w[min(n, len(w)):]
	if s.Kind == Act {
		if cut := g.takeTarget(&s, body, marks); cut >= 0 {
			rest = rest[:min(cut, len(rest))]
		}
		rest = g.takeCount(&s, rest)
	}
	if refersBack(w) && len(g.Subgoals) > 0 && concludes[w[0]] && len(content(rest, nil)) == 0 {
		return s, false // "and confirm it" is the end of the same act
	}
	s.Object = content(rest, quotesIn(clause, quotes))
	if refersBack(w) && len(g.Subgoals) > 0 {
		for _, o := range g.Subgoals[len(g.Subgoals)-1].Object { // "and put it into the basket"
			if !has(s.Object, o) {
				s.Object = append(s.Object, o)
			}
		}
	}
	if at := ofWhat.FindStringIndex(body); at != nil && s.Kind == Inform {
		s.entity = content(analyse(body[at[1]:]).base, nil)
	}
	s.names = namesIn(clause, s.Object)
	if s.Kind == Inform && s.Answer == "" {
		for _, o := range s.Object { // "exit code 3" is about this one and no other
			if strings.Trim(o, "0123456789") == "" && !has(s.names, o) {
				s.names = append(s.names, o)
			}
		}
	}
	refine(&s)
	return s, true
}

// moving are the words for giving money to somebody or moving it.
var moving = set(`send pay give move transfer wire put`)

// refersBack: the clause is about what the one before was about.
func refersBack(w []string) bool {
	return has(w, "it") || has(w, "them") || has(w, "one") && len(w) <= 5
}

// concludes are verbs that end what was begun rather than begin something.
var concludes = set(`confirm submit send finish complete`)

// takeCount keeps how many things are wanted as a value.
func (g *Goal) takeCount(s *Subgoal, w []string) []string {
	switch s.Verb {
	case "buy", "addcart", "book", "create":
	default:
		return w
	}
	for i, t := range w {
		n, spelt := counts[t]
		if !spelt && len(t) <= 2 && strings.Trim(t, "0123456789") == "" {
			n = t
		}
		if n != "" && (i == 0 || !stopwords[w[i-1]]) && i+1 < len(w) {
			g.Values = append(g.Values, Value{Kind: ValueQuantity, Text: n})
			return slices.Delete(slices.Clone(w), i, i+1)
		}
	}
	return w
}

// takeTarget keeps what something is changed to, and where money comes from and
// goes to, as values. It returns how many of the words after the verb are left
// to say what it is about, -1 for all.
func (g *Goal) takeTarget(s *Subgoal, body string, marks []mark) int {
	take := func(kind ValueKind, hint, text string) {
		if text = strings.Trim(unmark(text, marks, false), " ,."); text != "" && !strings.Contains(text, "\x00") {
			g.Values = append(g.Values, Value{Kind: kind, Hint: hint, Text: text})
		}
	}
	switch s.Verb {
	case "transfer":
		if at := between.FindStringSubmatch(body); at != nil {
			take(ValueFrom, "from", at[1])
		}
		if at := onto.FindStringSubmatch(body); at != nil {
			take(ValueTo, "to", at[1])
		}
	case "edit", "choose", "upgrade":
		at := becomes.FindStringSubmatch(body)
		if at == nil {
			return -1
		}
		what := tokens(at[1])
		if len(what) < 2 || len(tokens(at[2])) > 12 {
			return -1
		}
		if len(tokens(at[2])) > 0 {
			take(ValueTo, strings.Join(what[1:], " "), at[2])
		}
		return len(what) - 1
	}
	return -1
}
