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
	// clock (the time on a given day), place, number,
	// percent, person, yesno, howto or "".
	Answer string `json:"answer,omitempty"`

	terms  []term
	own    string   // the verb as the task says it, when that is one word
	entity []string // words of the object that stand behind "of" or "for"
	kept   string   // the concept of where such things are kept, "" when not known
	names  []string // words of the object that are proper names
}

// Value is something that the task says to enter. Exactly one of Text and
// Input is set; Hint are the words before it ("the e-mail address").
type Value struct {
	Text  string `json:"text,omitempty"`
	Input string `json:"input,omitempty"`
	Hint  string `json:"hint,omitempty"`
	// Kind is what kind of detail it is, "" when only the hint tells.
	Kind ValueKind `json:"kind,omitempty"`
}

// term is one word or concept of a subgoal that labels are compared with.
type term struct {
	base     string
	stem     string
	concept  string
	own      string // the task's own word for a verb that is a concept
	verb     bool
	name     bool     // a proper name: the thing itself and nothing like it
	initials []string // what it may be called with other words for short ("wal" for "write-ahead logging")
	way      bool     // where such things are kept, which the answer need not say
	weight   float64
}

// telling: the word tells the thing from others; vague words and the site's own
// name do not.
func (t term) telling() bool { return !t.verb && !t.way && t.weight >= 0.5 }

var (
	quoted      = regexp.MustCompile(`"([^"]{1,200})"|“([^”]{1,200})”|‘([^’]{1,200})’|(?:^|\s)'([^']{1,200})'`)
	placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z0-9_.\-]+)\s*\}\}`)
	literal     = regexp.MustCompile(`[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}`)
	anyValue    = regexp.MustCompile(quoted.String() + `|` + placeholder.String() + `|` + literal.String())
	clauseCut   = regexp.MustCompile(`(?i)\s*(?:[.;!?]+(?:\s+|$)|,?\s+(?:and\s+)?(?:then|afterwards|after that|finally)\s+|\n+)\s*`)
	leadIn      = regexp.MustCompile(`(?i)^(?:please|first|next|finally|now|also|try to|try and|attempt to|i want to|i would like to|i'd like to|i need to|you want to|you need to|you would like to|you are trying to|your task is to|as an? [\w\s-]{1,40},(?: i want to)?|the user (?:wants|needs) to|users? should|imagine you want to|can you|could you|help me|go ahead and|make sure to|to)\s+`)
	askLead     = regexp.MustCompile(`(?i)^(?:find out|figure out|learn|discover|look up|check|understand|see|read up on|read about|read|tell me|determine|research|know|work out|get to know|inform yourself)\s+(?:about\s+|whether\s+|if\s+)?`)
	questions   = regexp.MustCompile(`(?i)^(?:how to|how do (?:i|you|we)|how can (?:i|you|we)|how much|how many|how long|how|what|where|when|who|which|why|whether|is there|are there|does|do they|can i)\b\s*`)
	deedAsked   = regexp.MustCompile(`(?i)^how (?:to|do|can)\b`)
	reachLead   = regexp.MustCompile(`(?i)^(?:find|locate|go to|navigate to|open|visit|view|show me|show|get to|reach|browse to|browse|look at|look for|land on|see|access)\s+`)
	tail        = regexp.MustCompile(`(?i)\s+(?:on|from|at|in|of) (?:this|the|our|their) (?:website|web site|site|web page|webpage|home ?page)\b.*$`)
	withValues  = regexp.MustCompile(`(?i)\s+(?:with|using|as|under|entering|by entering)\s+(?:the |my |your |an? )?[^,]*?\x00.*$`)
	// favour is what others are to do with the thing ("and have it sent home"):
	// it belongs to the same act and says nothing about what to look for.
	favour = regexp.MustCompile(`(?i),?\s+and\s+(?:have|get)\s+(?:it|them|one|this|that)\s+\w+.*$`)
	// tellWhom is who is told something; what is told says more.
	tellWhom = regexp.MustCompile(`(?i)^(?:tell|let)\s+[\w\s]{1,40}?\s+(?:know\s+)?that\s+`)
	// whose is a relative clause that only says whose thing it is.
	whose = regexp.MustCompile(`(?i)\s+(?:something|anything|things?|items?|what)\s+(?:that\s+|which\s+)?(?:you|i|we|they)\s+[\w\s]{1,30}$`)
	// word after the name of what is to be entered, without quotes around it.
	bareValue = regexp.MustCompile(`(?i)\b(?:with|using|and)\s+(?:the\s+|my\s+|your\s+)?(password|user ?name|passcode|pin|code)\s+(?:is\s+)?([^\s,;"“‘{]*[^\s,;.!?"“‘{])`)
	andSplit  = regexp.MustCompile(`(?i),?\s+and\s+|,\s+`)
	// aside is why or how something is done: no part of what is looked for.
	aside = regexp.MustCompile(`(?i),?\s+(?:so that|in order to|because|since|without|if you can|if possible|but|unless)\s+.*$`)
	// titles of people and streets end in a full stop that ends no sentence.
	titles = regexp.MustCompile(`\b(Dr|Mr|Mrs|Ms|St|No)\.\s+`)
	// prefixed verbs are looked for under the plain ones ("pre-order").
	prefixed = regexp.MustCompile(`(?i)\b(?:pre|re)-(\p{L})`)
	// onlyShow narrows a list down.
	onlyShow = regexp.MustCompile(`(?i)^(?:show|list|see|view|display)(?:\s+me)?\s+only\s+`)
	// becomes is what something is changed to.
	becomes = regexp.MustCompile(`(?i)^(.+?)\s+(?:to|into)\s+(?:be\s+)?(.+)$`)
	// switched are things that are turned on or off, the word before or behind.
	switched = regexp.MustCompile(`(?i)^(?:turn|switch)\s+(?:(on|off)\s+(.+)|(.+?)\s+(on|off)\b(.*))$`)
	between  = regexp.MustCompile(`(?i)\bfrom\s+(?:my |your |the )?(.+?)(?:\s+account)?(?:\s+(?:to|into|for|with|on)\b|\s*$)`)
	ofWhat   = regexp.MustCompile(`(?i)\s(?:of|for)\s`)
	onto     = regexp.MustCompile(`(?i)\b(?:to|into)\s+(?:my |your |the )?(.+?)(?:\s+account)?(?:\s+(?:from|for|with|on|as)\b|\s*$)`)
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
	text = titles.ReplaceAllString(text, "$1 ")
	text = prefixed.ReplaceAllString(text, "$1")
	text = g.takeBare(text)
	text, quotes := g.takeValues(text)
	text, marks := g.takeDetails(text)
	for _, sentence := range clauseCut.Split(text, -1) {
		for _, clause := range splitActs(sentence) {
			if s, ok := g.parseClause(clause, quotes, marks); ok {
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

// takeBare puts quotation marks around values that stand bare behind the name
// of what they are ("with the password tideline-demo").
func (g *Goal) takeBare(text string) string {
	return bareValue.ReplaceAllString(text, `with the $1 "$2"`)
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

// quotesIn gives the quoted texts of a clause, by counting NULs up to it.
func quotesIn(clause string, quotes []string) []string {
	if !strings.Contains(clause, "\x00") {
		return nil
	}
	return quotes
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
	if s.kept != "" {
		out = append(out, term{concept: s.kept, way: true, weight: 1})
	}
	for _, o := range s.Object {
		t := term{base: o, stem: stem(o), weight: weight(o), name: has(s.names, o)}
		if s.Verb == "contact" && s.Kind == Act {
			t.weight *= 0.25 // what a message is about is not what leads to where it is written
		}
		if c := conceptsIn([]string{o}); len(c) > 0 && !inCompound(s.Text, o) {
			t.concept = c[0]
		}
		t.initials = initialsWith(s.Object, o)
		out = append(out, t)
	}
	return out
}
