package task

import (
	"slices"
	"strings"

	"understudy/domain/language"
)

// refer lets "it", "them" and "that message" mean what the subgoal before was
// about.
func (s *Subgoal) refer(before *Subgoal, tokens []token) {
	if n := len(tokens); n > 1 && s.Kind == Act && !s.bare() && (is(tokens[n-2], "place") || tokens[n-2].low == "to") && tokens[n-1].low == "it" {
		s.Place = append(s.Place, before.name()...) // "move the file into it"
		return
	}
	if slices.ContainsFunc(tokens, func(t token) bool { return is(t, "possessive") }) && s.Kind == Act && s.alters() && s.Literal == "" && before.Literal+texts(before.Object) != "" && len(s.Object) > 0 {
		s.Literal, s.Object = before.Literal, append(s.Object[:len(s.Object):len(s.Object)], before.Object...) // "change her city"
		if len(s.Values) == 0 {
			for _, v := range before.Values {
				v.Hint = s.Object[:len(s.Object)-len(before.Object)]
				s.Values = append(s.Values, v)
			}
		}
		return
	}
	if s.Kind == Inform && !slices.ContainsFunc(s.Object, language.Word.Named) && slices.ContainsFunc(tokens, func(t token) bool { return is(t, "pronoun") || is(t, "possessive") }) && before.Kind != Reach {
		s.Object = append(s.Object, before.name()...) // "and what was its message"
		if before.Literal == "" && len(before.Object) == 0 {
			s.Object = append(s.Object, before.Place...)
		}
		return
	}
	if len(tokens) > 1 && is(tokens[1], "pronoun") && before.Literal != "" && s.Literal == "" && len(s.Values)+len(before.Values) == 0 && len(s.Object) > 0 {
		s.Literal = before.Literal // "take it out of the list of feeds"
		return
	}
	if before.vague && len(s.Values) == 0 && s.in.has("written", s.Verb) && slices.ContainsFunc(before.Values, func(v Value) bool { return v.New }) { // "enter this in the register"
		s.Deed, s.Values = "edit", before.Values
		s.Object, s.Literal = append(s.Object, before.Object...), before.Literal
		return
	}
	if s.alters() && before.vague {
		s.said(before, tokens)
	}
	if s.alters() && s.bareThing() && len(s.Values) > 0 && before.vague && !is(tokens[0], "lets") { // "the film "X" has the wrong year. Put 1987 in place of 1978"
		s.Literal, s.Object, s.Place = before.Literal, before.Object, append(before.Place, s.Place...)
		return
	}
	again := slices.ContainsFunc(tokens, func(t token) bool { return is(t, "pronoun") || is(t, "so") })
	if s.Deed == "mark" {
		s.said(before, tokens)
	}
	for _, w := range s.Object {
		at := slices.IndexFunc(tokens, func(t token) bool { return t.low == strings.ToLower(w.Text) })
		if at > 0 && (before.Literal != "" || before.vague) && slices.ContainsFunc(tokens[max(0, at-2):at], func(t token) bool { return is(t, "demonstrative") }) {
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
	if !slices.ContainsFunc(before.Object, language.Word.Named) && slices.ContainsFunc(before.Place, language.Word.Named) && before.Literal == "" && before.vague {
		moved := *before // "a bed was put into room 3": it is the room that is spoken of
		moved.Object, moved.Place = slices.Concat(before.Object, before.Place), nil
		before = &moved
	}
	if before.vague && !before.own && s.meansTold() && (before.Literal != "" || slices.ContainsFunc(before.Object, language.Word.Named)) {
		s.Literal = before.Literal // "Moor Ltd has signed. Move the deal to Won"
		for _, w := range before.Object {
			if language.Best(w, &language.Phrase{Words: s.Object}) < sameName {
				s.Object = append(s.Object, w)
			}
		}
		if (s.alters() || s.Deed == "move") && len(s.Values) == 0 {
			s.Values = before.Values
		}
		if s.Place = append(append([]language.Word{}, before.Place...), s.Place...); s.Widget == "" {
			s.Widget = before.Widget
		}
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

// meansTold: it is done to something that it calls by no name.
func (s *Subgoal) meansTold() bool {
	return (s.Kind == Act && !s.in.has("makes anew", s.Deed) || s.Kind == Inform) && s.Literal == "" && s.Order == "" &&
		!slices.ContainsFunc(s.Object, language.Word.Named) && !slices.ContainsFunc(s.Values, func(v Value) bool { return v.Old })
}

// bareThing: it does not say what it is done to.
func (s *Subgoal) bareThing() bool {
	return s.Literal == "" && !slices.ContainsFunc(s.Object, func(w language.Word) bool { return !s.in.has("every", strings.ToLower(w.Text)) })
}

// said takes what was told of a thing for what it is to be made ("it was paid by card:
// mark it so").
func (s *Subgoal) said(before *Subgoal, tokens []token) {
	at := slices.IndexFunc(tokens, func(t token) bool { return is(t, "so") })
	if at < 0 || len(s.Values) > 0 || before.Rest == "" {
		return
	}
	s.Values = []Value{{Text: before.Rest, New: true, Choose: true}}
	s.Object = slices.DeleteFunc(s.Object, func(w language.Word) bool { return strings.EqualFold(w.Text, tokens[at].text) })
}
