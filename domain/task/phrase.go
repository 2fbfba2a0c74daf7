package task

import (
	"slices"
	"strings"

	"understudy/domain/language"
)

// phrases reads what stands behind a verb: the thing, then what prepositions and
// labels add.
func (s *Subgoal) phrases(tokens []token) {
	tokens = s.labels(tokens)
	from, means := 0, ""
	place := false
	for i := 0; i <= len(tokens); i++ {
		if _, n := kinds.at(tokens, i); n > 1 { // "date of birth"
			i += n - 1
			continue
		}
		if i > from && i < len(tokens) && tokens[i-1].colon && tokens[i-1].value != nil { // what is listed stands by itself
			place, from, means = s.segment(means, tokens[from:i], place), i, ""
		}
		if _, n := lists.at(tokens, i, "why"); n > 0 && i+n < len(tokens) && is(tokens[i], "so") && s.alters() {
			s.so(tokens[i+n:])
			tokens = tokens[:i]
		}
		if _, n := lists.at(tokens, i, "extent"); n > 0 { // how far it goes says nothing of what it is
			tokens = tokens[:i]
		}
		if i < len(tokens) && (tokens[i].value != nil || !is(tokens[i], "preposition")) {
			continue
		}
		if i < len(tokens) {
			if may := s.permitted(tokens[i:]); len(may) > 0 {
				s.segment(means, tokens[from:i], place)
				s.Values = append(s.Values, Value{Text: joined(may), Choose: true})
				return
			}
		}
		if i < len(tokens) && s.sends() {
			if starter, n := s.starts(tokens, i); n > 0 {
				s.segment(means, tokens[from:i], place)
				s.message(starter, tokens[i+n:])
				return
			}
		}
		place = s.segment(means, tokens[from:behind(tokens, from, i)], place)
		if s.in.has("why", means) && slices.ContainsFunc(tokens[from:i], func(t token) bool { return is(t, "finite") }) {
			return // so is what follows in a sentence of why
		}
		if i < len(tokens) {
			if means = tokens[i].low; i > 0 && i == from && (tokens[i-1].low == "due" || is(tokens[i-1], "why")) {
				means = tokens[i-1].low + " " + means
			}
			from = i + 1
		}
	}
}

// so is how something is to be changed ("so that the pages are dark").
func (s *Subgoal) so(tokens []token) {
	at := len(tokens) - 1
	for at > 0 && !is(tokens[at], "finite") && !tokens[at].tells() {
		at--
	}
	if given := picked(tokens[at:]); at > 0 && len(given) > 0 && !is(tokens[at], "finite") { // "so that it ends at 16:45"
		for _, v := range given {
			v.New = true
			s.Values = append(s.Values, v)
		}
		return
	}
	if at > 0 && at+1 < len(tokens) {
		s.Values = append(s.Values, Value{Text: joined(tokens[at+1:]), Hint: content(tokens[:at]), New: true, Choose: true})
	}
}

// behind is where a phrase ends before a preposition: a word that stands between a
// value with a comma and the preposition belongs to what follows ("…, paid from").
func behind(tokens []token, from, to int) int {
	if to < len(tokens) && to-2 >= from && tokens[to-2].comma && tokens[to-2].named() && !tokens[to-1].named() {
		return to - 1
	}
	return to
}

// starts: what is to be written begins here ("saying that", "to ask for"), with
// the words that lead to it and their number, 0 for none.
func (s *Subgoal) starts(tokens []token, i int) ([]string, int) {
	if e, n := lists.at(tokens, i, "message"); n > 0 {
		starter := e.words
		if i+1 < len(tokens) && is(tokens[i+1], "topic") {
			return append(starter[:1:1], tokens[i+1].low), 2
		}
		return starter, n
	}
	if is(tokens[i], "that") && i > 0 && len(s.Values) == 0 && i+1 < len(tokens) && !is(tokens[i+1], "says") {
		return []string{tokens[i].low}, 1
	}
	if tokens[i].low == "to" && i+1 < len(tokens) {
		if deed, said, rest := verbOf(tokens[i+1:]); deed == "ask" {
			return strings.Fields("to " + said), len(tokens) - i - len(rest)
		}
	}
	return nil, 0
}

// permitted is what the thing that is made may do, where that comes next ("that may only
// see invoices"): it is chosen from what is offered.
func (s *Subgoal) permitted(tokens []token) []token {
	n := len(tokens) - 1
	if s.Deed != "create" && s.Deed != "share" || !is(tokens[0], "relative") || n < 2 || !is(tokens[1], "permits") && !is(tokens[n], "permits") {
		return nil
	}
	said := slices.DeleteFunc(slices.Clone(tokens[1:]), func(t token) bool { return is(t, "permits") || is(t, "merely") })
	if slices.ContainsFunc(said, func(t token) bool { return t.value != nil }) {
		return nil
	}
	return said
}

// segment reads one phrase with the preposition before it, "" for none. within:
// the phrase before said where, so that this one says more of it.
func (s *Subgoal) segment(means string, tokens []token, within bool) (place bool) {
	if s.in.has("till", means) && s.Kind == Act && len(tokens) > 0 && tokens[0].value != nil && !tokens[0].quoted {
		v := *tokens[0].value // "extend it until 30 June"
		v.Hint, v.New = language.Read(means).Words, s.alters()
		s.Values = append(s.Values, v)
	}
	if s.in.has("why", means) {
		return false // why or how long is no part of what is looked for
	}
	if s.in.has("path", means) {
		s.Place, s.Object = append(s.Place, s.Object...), nil
	}
	place = s.Kind != Inform && s.in.has("place", means) || s.Kind == Act && s.in.has("to", means) && !s.alters() ||
		within && s.in.has("more", means)
	if len(trim(tokens)) == 0 {
		return within
	}
	if s.Deed == "delete" && s.in.has("from", means) && slices.ContainsFunc(tokens, func(t token) bool { return s.in.singular(t.low) == "list" }) {
		place = false // "take it off the list of downloads": it is one of them
	}
	if tokens = s.marks(means, tokens); len(trim(tokens)) == 0 {
		return place
	}
	if s.Kind == Act {
		tokens = s.give(means, tokens)
	}
	tokens = trim(tokens)
	left := tokens[:0:0]
	for _, t := range tokens {
		switch {
		case t.value == nil:
			left = append(left, t)
		case t.quoted && s.Literal == "" && (!place || s.Kind != Act):
			s.Literal = t.value.Text
		case t.quoted && means == "" && s.Kind == Act && s.Deed != "merge":
			s.also = append(s.also, t.value.Text) // "tick off "A" and "B""
		default:
			s.put(place || t.quoted, named(t))
		}
	}
	if (s.in.has("naming", means) || s.Deed == "click" && means == "") && len(left) > 0 && s.Literal == "" {
		s.Literal = text(left)
		return place
	}
	if s.in.has("relative", means) {
		for len(left) > 0 && is(left[0], "says") {
			left = left[1:]
		}
	}
	if at := apposed(left); at > 0 && s.Kind == Act && !place && means == "" && s.Literal == "" {
		s.Literal, left = text(left[at:]), left[:at]
	}
	s.put(place, content(left))
	return place
}

// named are the words of a value, which is a name where it was quoted.
func named(t token) []language.Word {
	words := slices.Clone(language.Read(t.value.Text).Content())
	for i := range words {
		words[i].Capital = words[i].Capital || t.quoted
	}
	return words
}

// nameAt are the tokens at the beginning that are written as a name is.
func nameAt(tokens []token) []token {
	n := 0
	for n < len(tokens) && tokens[n].named() {
		n++
	}
	return tokens[:n]
}

// apposed is where a name stands behind the noun that it is the name of ("the card
// Book the movers"), to the end; 0 for nowhere.
func apposed(tokens []token) int {
	at := slices.IndexFunc(tokens, token.named)
	if at < 1 || is(tokens[at-1], "article") || numeric(tokens[at:]) || strings.Contains(text(tokens[at:]), "'s ") || len(content(tokens[at-1:at])) == 0 {
		return 0
	}
	return at
}

// put adds words to the place, or to the thing while there is none.
func (s *Subgoal) put(place bool, words []language.Word) {
	if place && (len(s.Object) != 0 || len(s.Values) != 0 || s.Literal != "" || s.Deed != "") {
		s.Place = append(s.Place, words...)
	} else {
		s.Object = append(s.Object, words...)
	}
}

// marks takes out of a phrase what says which one: the kind of control or place,
// ordinals, superlatives and counts.
func (s *Subgoal) marks(means string, tokens []token) []token {
	var out []token
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if _, n := lists.at(tokens, i, "fixed"); n > 0 {
			out = append(out, tokens[i:i+n]...)
			i += n - 1
			continue
		}
		if n := s.widget(means, tokens, i, len(out)); n > 0 {
			i += n - 1
			continue
		}
		if e, n := lists.at(tokens, i, "order"); n > 0 && t.value == nil && (i+n != len(tokens) || i != 0 || means != "") {
			s.Order = strings.Join(e.words, " ")
			i += n - 1
			continue
		}
		if s.numeral(tokens, i) {
			continue
		}
		out = append(out, t)
	}
	return out
}

// widget reads the kind of control or place that stands at a place of a phrase:
// how many of its tokens are used up, 0 when none is there or the word stays.
func (s *Subgoal) widget(means string, tokens []token, i, before int) int {
	e, n := widgets.at(tokens, i)
	if n == 0 || tokens[i].value != nil || s.in.has("naming", means) || s.Kind == Inform ||
		tokens[i].named() && i+n < len(tokens) && !strings.HasPrefix(tokens[i+n].text, "#") && tokens[i+n].value == nil ||
		tokens[i].named() && i+n == len(tokens) { // a name
		return 0
	}
	thing := strings.HasPrefix(e.means, "*")
	number := i+n < len(tokens) && strings.HasPrefix(tokens[i+n].text, "#")
	ends := i+n == len(tokens) || tokens[i+n].value != nil || number || is(tokens[i+n], "joins") || tokens[i+n-1].comma
	if !ends && (!tokens[i+n].named() || tokens[i].named()) {
		return 0
	}
	uses := s.Deed == "click" || s.Deed == "choose" || s.Deed == "check" || s.Deed == "uncheck" || s.Deed == "type" || s.Deed == "search"
	if s.in.has("given", s.Deed) && kindOf(tokens[i:i+n]) != "" && i+n < len(tokens) && !s.in.has("place", means) && !s.in.has("to", means) {
		return 0 // "the message "Hi"" is no place
	}
	if list := e.means == "list" && !uses && s.in.has("place", means); !list && (s.Widget == "" || !thing && uses) {
		s.Widget = strings.TrimPrefix(e.means, "*")
	}
	if number {
		s.Literal = text(tokens[i : i+n+1])
		return n + 1
	}
	// An act on a message is about a message; a control is only how it is done.
	if e.means == "option" && s.alters() {
		return 0 // what is changed is no control
	}
	about := s.Kind == Act && !uses && !s.in.has("place", means) && !s.in.has("to", means)
	if about && (thing && !is(tokens[i], "site") || !thing && n == 1 && before == 0) {
		return 0
	}
	return n
}

// numeral reads an ordinal or a count.
func (s *Subgoal) numeral(tokens []token, i int) bool {
	t := tokens[i]
	if t.value != nil {
		return false
	}
	last := i+1 == len(tokens)
	_, control := widgets.at(tokens, i+1)
	switch {
	case t.ordinal > 0:
		s.Ordinal = t.ordinal
	case is(t, "last") && (control > 0 || !last && tokens[i+1].low == "one"):
		s.Ordinal = -1
	case !last && s.Kind != Inform && t.in.nth("ordinal", t.low) > 0:
		s.Ordinal = t.in.nth("ordinal", t.low)
	case s.Kind == Act && s.Count == 0 && !last && t.number() > 0 && t.number() < 100 && !tokens[i+1].named() && !is(tokens[i+1], "and") && len(tokens[i+1].text) > 2:
		s.Count = t.number()
		return !s.in.has("counted", s.Deed)
	default:
		return false
	}
	return true
}
