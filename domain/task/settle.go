package task

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/domain/language"
)

// settings is where what a site is like is kept, by its interface concept.
const settings = "settings"

// alters: the act turns something into something else.
func (s *Subgoal) alters() bool { return s.Deed == "rename" || s.Deed == "edit" }

// sends: the act sends words to somebody.
func (s *Subgoal) sends() bool { return s.in.has("writes", s.Deed) }

// settle puts right what the words of an act mean together.
func (s *Subgoal) settle() {
	switch s.Deed {
	case "type", "login", "signup":
		s.Values = slices.DeleteFunc(s.Values, func(v Value) bool { return s.in.has("pronoun", strings.ToLower(v.Text)) }) // "paste it"
		low := strings.Fields(strings.ToLower(s.Text))
		for i := range s.Values {
			v := &s.Values[i]
			if s.Ordinal > 0 && v.Ordinal == 0 {
				v.Ordinal = s.Ordinal // "the 2nd textbox" stands behind its value
			}
			for _, w := range low {
				v.Both = v.Both || s.in.has("both", w)
			}
		}
	case "search":
		if len(s.Values) == 0 && s.Literal != "" {
			s.Values, s.Literal = []Value{{Text: s.Literal}}, ""
		}
		first := len(s.Values) == 0 || len(s.Values[0].Hint) > 0
		if first && len(s.Object) > 0 {
			s.Values = append([]Value{{Text: texts(s.Object), Kind: "search"}}, s.Values...)
		}
	case "edit":
		if s.Widget == "option" {
			s.Widget = "" // it is what is set there, by whatever field
		}
		s.edited()
	case "create":
		if document := s.in.has("document", s.Widget); document && s.in.has("written", s.Verb) && len(s.Values) > 0 && len(s.Place) > 0 {
			s.Deed = "edit" // what is written into something leaves the rest
			if kindOf(s.in.lex(texts(s.Object))) == "text" {
				s.Object = nil // it is about the page, not about the sentence
			}
		}
		for i := range s.Values {
			if v := &s.Values[i]; v.Kind == "" && v.Input == "" && len(s.Values) == 1 {
				v.Kind = "text"
			}
		}
	case "sort":
		if len(s.Place) > 0 {
			s.Object, s.Place = s.Place, s.Object
		}
	case "reply", "comment":
		for i := range s.Values {
			if s.Values[i].Kind == "" {
				s.Values[i].Kind = "text"
			}
		}
	}
}

// venue leaves out a place that is the site itself ("in the shop").
func (s *Subgoal) venue() {
	if len(s.Place) == 1 && s.in.has("venue", s.Place[0].Lemma) && (len(s.Object)+len(s.Values) > 0 || s.Literal != "") && s.Widget == "" {
		s.Place = nil
	}
}

// edited tells the old from the new: what is named alone is the thing itself, and
// what is written is new.
func (s *Subgoal) edited() {
	if words := strings.Fields(strings.ToLower(s.Rest)); len(s.Place) == 0 && s.Literal == "" { // of the site itself
		for i := 1; i < len(words); i++ {
			if s.in.has("ownsite", words[i-1]+" "+words[i]) && len(s.Object) > 1 {
				s.Object, s.Place, s.Widget = s.Object[:len(s.Object)-1], language.Read(settings).Words, ""
			}
		}
	}
	for i := range s.Values { // "the title of the calendar": what of it is changed
		if v := &s.Values[i]; v.New && len(v.Hint) == 0 && len(s.Object) > 0 && strings.Contains(strings.ToLower(s.Rest), strings.ToLower(s.Object[0].Text)+" of ") {
			v.Hint = s.Object[:1:1]
		}
	}
	fresh := false
	for _, v := range s.Values {
		fresh = fresh || v.New
	}
	for i := 0; i < len(s.Values); i++ {
		v := &s.Values[i]
		switch {
		case !v.Old || fresh:
		case s.Literal == "" && v.Kind != "text":
			s.Literal = v.Text
			s.Values = append(s.Values[:i], s.Values[i+1:]...)
			i--
		default:
			v.Old, v.New = false, true
		}
	}
}

// say adds words to the message of an act.
func (s *Subgoal) say(values []Value) {
	for _, v := range values {
		for i := range s.Values {
			if s.Values[i].Kind == "text" && v.Kind == "text" && len(s.Values[i].Hint) == 0 {
				s.Values[i].Text += " " + v.Text
				v.Text = ""
				break
			}
		}
		if v.Text != "" {
			s.Values = append(s.Values, v)
		}
	}
}

// message words what is to be written as who writes it would. starter are the words
// that lead to it ("saying", "to ask for").
func (s *Subgoal) message(starter []string, tokens []token) {
	for _, t := range tokens {
		if t.quoted {
			s.Values = append(s.Values, Value{Text: t.value.Text, Kind: "text"})
			return
		}
	}
	opening := s.in.wording(starter)
	asks := opening != ""
	for len(tokens) > 0 && (is(tokens[0], "pronoun") && len(tokens) > 1 && (asks || s.in.has("tells", starter[len(starter)-1])) || is(tokens[0], "that") && len(tokens) > 1) {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		return
	}
	told := s.in.asSelf(joined(tokens), true)
	if last := starter[len(starter)-1]; asks && s.in.has("topic", last) {
		told = last + " " + told
	}
	if asks {
		told = opening + " " + told
	}
	r, n := utf8.DecodeRuneInString(told)
	s.Values = append(s.Values, Value{Text: string(unicode.ToUpper(r)) + told[n:] + ".", Kind: "text"})
}

// wording is how a message begins that asks for something, "" for one that tells:
// by the first of the words that lead to it which says so.
func (l *lexicon) wording(starter []string) string {
	for _, w := range starter {
		if e, n := openings.at([]token{{low: w, in: l}}, 0); n > 0 {
			return e.means
		}
	}
	return ""
}

// asSelf turns what somebody is told about themselves into what they say, and in a
// message (writing) those who are written about into who is addressed.
func (l *lexicon) asSelf(said string, writing bool) string {
	words := strings.Fields(said)
	self := false // the word before is I
	for i, w := range words {
		bare := strings.TrimRight(w, ",.;:!?")
		low, mark := strings.ToLower(bare), w[len(bare):]
		was := self
		self = false
		if l.has("i or me", low) {
			self = i == 0 || l.has("subject", strings.ToLower(words[i-1])) || strings.HasSuffix(words[i-1], ",") ||
				i+1 < len(words) && mark == "" && (l.has("auxiliary", strings.ToLower(words[i+1])) || strings.HasSuffix(words[i+1], "ed"))
			if words[i] = "me" + mark; self {
				words[i] = "I" + mark
			}
			continue
		}
		for _, e := range persons.of(token{in: l})[low] {
			other, written := strings.CutPrefix(e.means, "*")
			if written && writing || !written && (low != "are" && low != "were" || was) {
				words[i] = other + mark
			}
		}
	}
	return strings.Join(words, " ")
}
