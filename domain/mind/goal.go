package mind

import (
	"regexp"
	"strings"
)

// Goal is what a simulated user tries to do, parsed once from the task's
// sentence and shared by the mind and the oracle.
type Goal struct {
	Task     string    `json:"task"`
	Subgoals []Subgoal `json:"subgoals"`
	// Inputs are the names of the secret values of the test; their values
	// never enter the mind.
	Inputs []string `json:"inputs,omitempty"`
	// Values are what the task says to enter, in its order.
	Values []Value `json:"values,omitempty"`
}

// Kind is how a subgoal can be seen to be reached.
type Kind string

// The kinds of subgoals.
const (
	// Act changes something: sign up, buy, send.
	Act Kind = "act"
	// Inform finds something out: the answer is read.
	Inform Kind = "inform"
	// Reach arrives at a page or a section.
	Reach Kind = "reach"
)

// Subgoal is one thing to be done, in the order of the sentence.
type Subgoal struct {
	Text string `json:"text"`
	Kind Kind   `json:"kind"`
	// Verb is the interface concept of its verb ("signup"), else the verb
	// itself in its base form, "" without one.
	Verb string `json:"verb"`
	// Object are the words of what it is about, in their base form.
	Object []string `json:"object"`
	// Answer is the kind of answer that is asked for: contact, price, time,
	// place, howto or "".
	Answer string `json:"answer,omitempty"`

	terms []term
	own   string // the verb as the task says it, when that is one word
}

// Value is something that the task says to enter. Exactly one of Text and
// Input is set; Hint are the words before it ("the e-mail address").
type Value struct {
	Text  string `json:"text,omitempty"`
	Input string `json:"input,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

// term is one word or concept of a subgoal that labels are compared with.
type term struct {
	base    string
	stem    string
	concept string
	own     string // the task's own word for a verb that is a concept
	verb    bool
	weight  float64
}

var (
	quoted      = regexp.MustCompile(`"([^"]{1,200})"|“([^”]{1,200})”|‘([^’]{1,200})’|(?:^|\s)'([^']{1,200})'`)
	placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z0-9_.\-]+)\s*\}\}`)
	literal     = regexp.MustCompile(`[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}`)
	anyValue    = regexp.MustCompile(quoted.String() + `|` + placeholder.String() + `|` + literal.String())
	clauseCut   = regexp.MustCompile(`(?i)\s*(?:[.;!?]+(?:\s+|$)|,?\s+(?:and\s+)?(?:then|afterwards|after that|finally)\s+|\n+)\s*`)
	leadIn      = regexp.MustCompile(`(?i)^(?:please|first|next|finally|now|also|try to|try and|attempt to|i want to|i would like to|i'd like to|i need to|you want to|you need to|you would like to|you are trying to|your task is to|as an? [\w\s-]{1,40},(?: i want to)?|the user (?:wants|needs) to|users? should|imagine you want to|can you|could you|help me|go ahead and|make sure to|to)\s+`)
	askLead     = regexp.MustCompile(`(?i)^(?:find out|figure out|learn|discover|look up|check|understand|see|read up on|read about|read|tell me|determine|research|know|work out|get to know|inform yourself)\s+(?:about\s+|whether\s+|if\s+)?`)
	questions   = regexp.MustCompile(`(?i)^(?:how to|how do (?:i|you|we)|how can (?:i|you|we)|how much|how many|how long|how|what|where|when|who|which|why|whether|is there|are there|does|do they|can i)\b\s*`)
	reachLead   = regexp.MustCompile(`(?i)^(?:find|locate|go to|navigate to|open|visit|view|show me|show|get to|reach|browse to|browse|look at|look for|land on|see|access)\s+`)
	tail        = regexp.MustCompile(`(?i)\s+(?:on|from|at|in|of) (?:this|the|our|their) (?:website|web site|site|web page|webpage|home ?page)\b.*$`)
	withValues  = regexp.MustCompile(`(?i)\s+(?:with|using|as|under|entering|by entering)\s+(?:the |my |your |an? )?[^,]*?\x00.*$`)
	andSplit    = regexp.MustCompile(`(?i),?\s+and\s+|,\s+`)
)

// maxTask bounds how much of a task is parsed, in bytes.
const maxTask = 4000

// ParseTask reads the task's sentence. It always finds at least one subgoal;
// a sentence without a known verb becomes a place to reach by its words.
func ParseTask(task string, inputs []string) Goal {
	g := Goal{Task: task, Inputs: inputs}
	text := task
	if len(text) > maxTask {
		text = strings.ToValidUTF8(text[:maxTask], "")
	}
	text = strings.ReplaceAll(text, "\x00", " ")
	text, quotes := g.takeValues(text)
	for _, sentence := range clauseCut.Split(text, -1) {
		for _, clause := range splitActs(sentence) {
			if s, ok := parseClause(clause, quotes); ok {
				g.Subgoals = append(g.Subgoals, s)
			}
		}
	}
	if len(g.Subgoals) == 0 {
		g.Subgoals = []Subgoal{{Text: strings.TrimSpace(task), Kind: Reach, Object: content(analyse(task).base, nil)}}
	}
	const most = 8 // a task with more steps is a script, not a task
	if len(g.Subgoals) > most {
		g.Subgoals = g.Subgoals[:most]
	}
	for i := range g.Subgoals {
		g.Subgoals[i].terms = termsOf(g.Subgoals[i])
	}
	return g
}

// takeValues moves quoted texts, {{inputs}} and addresses out of the sentence.
// Each leaves a NUL behind; quoted texts are given back by that order because
// they may also be what the task is about (click "Pricing").
func (g *Goal) takeValues(text string) (string, []string) {
	var quotes []string
	out := anyValue.ReplaceAllStringFunc(text, func(m string) string {
		v := Value{Hint: hintBefore(text, m)}
		switch {
		case strings.HasPrefix(m, "{{"):
			v.Input = strings.TrimSpace(strings.Trim(m, "{}"))
			quotes = append(quotes, "")
		case strings.Contains(m, "@") && literal.MatchString(m) && literal.FindString(m) == m:
			v.Text = m
			quotes = append(quotes, "")
		default:
			v.Text = strings.Trim(strings.TrimSpace(m), `"“”‘’'`)
			quotes = append(quotes, v.Text)
		}
		g.Values = append(g.Values, v)
		return " \x00 "
	})
	return out, quotes
}

func hintBefore(text, m string) string {
	at := strings.Index(text, m)
	w := tokens(text[:max(at, 0)])
	return strings.Join(w[max(0, len(w)-3):], " ")
}

// splitActs cuts a sentence at "and" or a comma where another verb begins.
func splitActs(s string) []string {
	var out []string
	for {
		cut := -1
		var end int
		for _, m := range andSplit.FindAllStringIndex(s, -1) {
			if startsWithVerb(s[m[1]:]) && len(tokens(s[:m[0]])) > 0 {
				cut, end = m[0], m[1]
				break
			}
		}
		if cut < 0 {
			return append(out, s)
		}
		out = append(out, s[:cut])
		s = s[end:]
	}
}

func startsWithVerb(s string) bool {
	if reachLead.MatchString(s) || askLead.MatchString(s) {
		return true
	}
	t := analyse(s).base
	verb, n := verbAt(t)
	return verb != "" && n > 0
}

func parseClause(clause string, quotes []string) (Subgoal, bool) {
	clause = strings.TrimSpace(clause)
	for leadIn.MatchString(clause) {
		clause = strings.TrimSpace(leadIn.ReplaceAllString(clause, ""))
	}
	s := Subgoal{Text: strings.TrimSpace(strings.ReplaceAll(clause, "\x00", "…"))}
	clause = tail.ReplaceAllString(clause, "")
	clause = withValues.ReplaceAllString(clause, "")
	if len(tokens(clause)) == 0 && !strings.Contains(clause, "\x00") {
		return s, false
	}
	body := clause
	switch {
	case askLead.MatchString(body) && !startsWithAct(body):
		s.Kind = Inform
		body = askLead.ReplaceAllString(body, "")
		s.Answer = answerKind(body)
		body = questions.ReplaceAllString(body, "")
	case questions.MatchString(body):
		s.Kind = Inform
		s.Answer = answerKind(body)
		body = questions.ReplaceAllString(body, "")
	case reachLead.MatchString(body):
		s.Kind = Reach
		body = reachLead.ReplaceAllString(body, "")
		s.Answer = answerKind(body)
		if questions.MatchString(body) {
			s.Kind = Inform
			body = questions.ReplaceAllString(body, "")
		}
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
	if s.Kind == Inform && verb == "" && len(w) > 1 && stopwords[w[1]] && !stopwords[w[0]] {
		verb, n = w[0], 1 // "how to repot a cactus"
	}
	if s.Kind == Reach && verb != "" && n < len(w) && len(content(w[n:], nil)) == 0 {
		verb = "" // "open the contact page" is about the word, not the deed
		n = 0
	}
	s.Verb = verb
	if n == 1 {
		s.own = w[0]
	}
	s.Object = content(w[n:], quotesIn(clause, quotes))
	return s, true
}

// startsWithAct guards words that both ask and act ("check out", "read more").
func startsWithAct(s string) bool {
	w := analyse(s).base
	return hasPrefix(w, []string{"check", "out"}) || hasPrefix(w, []string{"see", "you"})
}

// quotesIn gives the quoted texts of a clause, by counting NULs up to it.
func quotesIn(clause string, quotes []string) []string {
	if !strings.Contains(clause, "\x00") {
		return nil
	}
	return quotes
}

// content keeps the words that say what something is about.
func content(w, quotes []string) []string {
	out := []string{}
	for _, q := range quotes {
		w = append(w[:len(w):len(w)], analyse(q).base...)
	}
	for _, t := range w {
		if !stopwords[t] && !filler[t] && !has(out, t) && len(out) < 10 {
			out = append(out, t)
		}
	}
	return out
}

// filler words name the medium and not the thing.
var filler = set(`page website site web screen section tab link button menu item thing called named titled something anything
yourself myself via around through within`)

// verbs are the concepts that can be done; the order of phrases is that of
// concepts in lexicon.go.
var verbs = set(`signup login logout trial buy addcart checkout contact search subscribe unsubscribe download book cancel
delete undo edit save create send donate compare apply comment vote share upgrade choose quote return demo`)

// plainVerbs are further verbs of tasks, mapped to the concept they mean.
var plainVerbs = map[string]string{
	"request": "send", "ask": "contact", "message": "contact", "email": "contact", "call": "contact", "fill": "send",
	"complete": "send", "enter": "send", "click": "choose", "press": "choose", "put": "addcart", "rent": "book",
	"hire": "contact", "report": "send", "upload": "send", "write": "send", "post": "send", "confirm": "send", "configure": "edit", "set": "edit",
	"try": "trial", "renew": "buy", "pay": "checkout", "withdraw": "cancel", "invite": "share", "get": "buy",
	"install": "download", "explore": "", "log": "login", "customize": "edit", "customise": "edit", "turn": "edit", "enable": "edit",
	"disable": "edit", "add": "create", "generate": "create", "start": "create", "reset": "edit", "recover": "edit",
}

// verbAt finds the verb that a clause begins with and how many words it takes.
func verbAt(w []string) (string, int) {
	if len(w) == 0 {
		return "", 0
	}
	if w[0] == "add" {
		for _, t := range w[1:] {
			if t == "cart" || t == "basket" || t == "bag" || t == "trolley" {
				return "addcart", 1
			}
		}
	}
	verb, longest := "", -1
	for _, p := range phrases[w[0]] {
		if verbs[p.concept] && len(p.rest) > longest && hasPrefix(w[1:], p.rest) {
			verb, longest = p.concept, len(p.rest)
		}
	}
	if verb != "" {
		return verb, longest + 1
	}
	if v, ok := plainVerbs[w[0]]; ok && v != "" {
		return v, 1
	}
	return "", 0
}

// answerKind guesses what kind of answer a question wants.
func answerKind(q string) string {
	q = strings.ToLower(q)
	c := analyse(q).concepts
	switch {
	case has(c, "contact") || has(c, "phone") || has(c, "email"):
		return "contact"
	case strings.HasPrefix(q, "how much") || has(c, "price"):
		return "price"
	case strings.HasPrefix(q, "when") || has(c, "hours"):
		return "time"
	case strings.HasPrefix(q, "where") || has(c, "location"):
		return "place"
	case strings.HasPrefix(q, "how"):
		return "howto"
	}
	return ""
}

// termsOf lists what labels are compared with.
func termsOf(s Subgoal) []term {
	var out []term
	if s.Verb != "" {
		t := term{base: s.Verb, stem: stem(s.Verb), verb: true, weight: 1}
		if _, ok := concepts[s.Verb]; ok {
			t.concept, t.base, t.stem, t.own = s.Verb, "", "", s.own
		}
		out = append(out, t)
	}
	for _, o := range s.Object {
		t := term{base: o, stem: stem(o), weight: weight(o)}
		if c := conceptsIn([]string{o}); len(c) > 0 {
			t.concept = c[0]
		}
		out = append(out, t)
	}
	return out
}
