package task

import (
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
)

// give takes the values out of a phrase of an act: literal ones, names and numbers
// behind the words that say what they are, and what a preposition makes one. The
// tokens that are none are left.
func (s *Subgoal) give(means string, tokens []token) (left []token) {
	if !s.in.has("enters", s.Deed) {
		return tokens
	}
	if s.Deed == "filter" && s.in.has("limits", s.Verb) && s.in.has("to", means) && len(tokens) > 0 && numeric(tokens[:1]) { // "limit the size to 5 MB"
		s.Deed = "edit"
	}
	if s.alters() && (s.in.has("becomes", means) || s.in.has("by", means) && s.in.has("exchanges", s.Verb)) && !valued(tokens) {
		if plain := trim(tokens); len(plain) > 0 {
			s.Values = append(s.Values, Value{Text: joined(plain), Kind: s.newKind(plain), Hint: s.Object, New: true})
		}
		return nil
	}
	if s.Deed == "type" && (s.in.has("place", means) || s.in.has("field", means)) && len(s.Values) > 0 && !valued(tokens) {
		s.into(tokens)
		return nil
	}
	if n := len(s.Values); s.Deed == "type" && s.in.has("of", means) && n > 0 && !valued(tokens) {
		s.Values[n-1].Hint = append(s.Values[n-1].Hint, content(tokens)...) // "as the number of guests"
		return nil
	}
	from := len(s.Values)
	for _, part := range parts(tokens) {
		if n := len(s.Values); n > from && means != "" && len(s.Values[n-1].Hint) > 0 && s.Values[n-1].Input == "" && len(part) == len(nameAt(part)) && !valued(part) {
			one := s.Values[n-1] // another of the same: "from the songs A, B and C"
			one.Text = text(part)
			s.Values = append(s.Values, one)
			continue
		}
		left = append(left, s.part(means, part)...)
	}
	return left
}

// newKind is the kind of what something is changed to.
func (s *Subgoal) newKind(tokens []token) string {
	number := numeric(tokens[:1])
	if kind := kindOf(s.in.lex(texts(s.Object))); kind != "" && (!number || kind != "username" && kind != "name" && kind != "text") {
		return kind
	}
	if number {
		return "number"
	}
	return ""
}

// into gives the values so far the field that the task names behind them.
func (s *Subgoal) into(tokens []token) {
	for i := range s.Values {
		v := &s.Values[i]
		if len(v.Hint) == 0 {
			v.Hint = content(tokens)
		}
		if v.Kind == "" {
			v.Kind = kindOf(tokens)
		}
	}
}

// part takes the value out of one part of a phrase, between commas and "and".
func (s *Subgoal) part(means string, tokens []token) (left []token) {
	for i, t := range tokens {
		if t.value != nil {
			before := tokens[:i]
			if !s.value(*t.value, t.quoted, means, before) {
				return append(append(left, tokens[:i+1]...), s.part(means, tokens[i+1:])...)
			}
			if means == "" && len(s.Object) == 0 && s.Deed != "type" && s.Deed != "choose" || s.in.has("place", means) && !t.quoted {
				left = append(left, before...)
			}
			return append(left, s.part(means, tokens[i+1:])...)
		}
		if e, n := kinds.at(tokens, i, "password", "username"); n > 0 && i+n+1 == len(tokens) && !isWidget(tokens, i+n) && tokens[i+n].value == nil {
			s.Values = append(s.Values, Value{Text: tokens[i+n].text, Kind: e.means, Hint: content(tokens[i : i+n])})
			return left
		}
	}
	article := len(tokens) > 0 && is(tokens[0], "article")
	plain := trim(tokens)
	if len(plain) == 0 {
		return tokens
	}
	name := len(plain)
	for name > 0 && plain[name-1].named() {
		name--
	}
	if name == len(plain) && name == 2 && (kindOf(plain[:1]) == "name" || kindOf(plain[:1]) == "username") {
		name = 1 // "name pebble"
	}
	own := name == 0 // nothing but a name
	if n := len(nameAt(plain)); s.in.has("recipient", s.Deed) && means == "" && n > 0 && n < len(plain) && is(plain[n], "article") {
		s.part("to", plain[:n]) // "send Mia a mail"
		return plain[n:]
	}
	v := Value{Text: text(plain), Kind: kindOf(plain[:name]), Hint: language.Read(means).Words}
	switch given := s.in.has("given", s.Deed); {
	case s.Deed == "move" && (s.in.has("puts", s.Verb) || s.in.has("files", s.Verb)) && s.in.has("under", means):
		if name == len(plain) {
			name = 0
		}
		v.Text, v.Kind, v.Hint, v.New, v.Choose = text(plain[name:]), "", nil, true, true // where it is put
		s.Place = append(s.Place, content(plain)...)
	case s.Deed == "mark" && s.in.has("as", means):
		v.Text, v.Kind, v.Hint, v.New, v.Choose = text(plain), "", nil, true, true // what it is from now on
	case s.Deed == "share" && s.in.has("as", means):
		v.Choose, v.Hint = true, nil // what they are to be there
	case s.in.has("tagging", s.Verb) && s.in.has("with", means):
		v.Text, v.Kind, v.Hint, v.New = text(plain), "", language.Read(s.Verb).Words, true
	case given && s.in.has("naming", means):
		v.Kind, v.Hint = "name", s.Object
		if s.Deed == "edit" || s.Deed == "rename" {
			v.Old = true
		}
	case own && s.Deed == "assign" && means == "" && !article:
		v.Choose, v.Hint = true, nil
	case own && s.in.has("recipient", s.Deed) && (s.in.has("to", means) || s.in.has("with", means) || s.in.has("into", means)):
		v.Choose, v.New = s.Deed == "move" || s.Deed == "assign", s.Deed == "move"
		if numeric(plain) {
			v.Kind = "number"
		} else {
			s.Place = append(s.Place, content(plain)...)
		}
	case s.alters() && s.in.has("of", means) && name > 0 && name < len(plain) && !numeric(plain[name:]):
		return tokens // "the password of your son Emil": it is his
	case s.alters() && s.in.has("from", means):
		v.Old, v.Hint, v.Kind = true, s.Object, s.newKind(plain)
	case own && s.Deed == "apply" && s.in.has("place", means):
		v.Hint = s.Object // "you live in Leeds"
	case own && s.Deed == "create" && s.in.has("for", means) && slices.ContainsFunc(s.Object, func(w language.Word) bool { return s.in.has("personal", w.Lemma) }):
		v.Kind, v.Hint = "name", nil // "a contact for Ida Moor"
	case own && s.Deed == "create" && means == "" && !article && !numeric(plain) && !identifier(plain):
		if v.Hint = nil; len(plain) > 1 { // who or what is put there
			v.Kind = "name"
		}
	case own && s.Deed == "create" && s.in.has("from", means) && len(s.Values) > 0 && s.Values[len(s.Values)-1].Kind == "name" && !numeric(plain) && !identifier(plain):
		v.Kind = "city"
	case own && s.Deed == "create" && (numeric(plain) || identifier(plain)):
		v.Hint = language.Read(means).Words
		if numeric(plain) {
			v.Kind, v.Hint = "amount", nil
		}
	case own && (s.Deed == "login" || s.Deed == "signup") && s.in.has("as", means), own && s.Deed == "signup" && s.in.has("for", means):
		v.Kind = "name"
		if s.Deed == "login" {
			v.Kind = "username"
		}
		v.Hint = language.Read(v.Kind).Words
	case own && s.in.has("routed", s.Deed) && means != "" && !s.in.has("more", means):
		if n := len(s.Object); means == "by" && n > 0 && (strings.HasSuffix(s.Object[n-1].Text, "ed") || strings.HasSuffix(s.Object[n-1].Text, "en")) {
			v.Hint, s.Object = s.Object[n-1:n:n], s.Object[:n-1] // "directed by"
		}
		v.Text, _ = s.in.owns(v.Text)
	case s.Deed == "login" && s.in.has("as", means):
		v.Kind = "username"
	case (s.Deed == "choose" || s.Deed == "solve") && means == "" && (!article || own):
		v.Hint, v.Choose = nil, true
	case s.Deed == "type" && means == "" && !article:
		v.Hint = nil
	case (s.Deed == "book" || s.Deed == "search" || s.Deed == "filter") && plain[0].number() > 0 && (means != "" || len(plain) > 1):
		v.Text, v.Kind, v.Hint = strconv.Itoa(plain[0].number()), "number", content(plain[1:])
	case given && name > 0 && name < len(plain) && (s.Deed != "search" || means != ""):
		v.Text, v.Hint = text(plain[name:]), content(plain[:name])
		v.Choose, v.Old = s.in.has("chosen", s.Deed), s.Deed == "rename"
		if means == "" {
			left = plain[:name]
		}
		if s.Deed == "edit" && means == "" {
			return tokens // "the album Summer" is changed, not entered
		}
		if s.Deed == "create" && v.Kind == "" && means == "" {
			v.Kind = "name"
		}
	default:
		return tokens
	}
	v.Ordinal = s.Ordinal
	s.Values = append(s.Values, v)
	return left
}

// value gives a literal value its place in a subgoal; false: it is the name of what
// is used, or of where.
func (s *Subgoal) value(v Value, quoted bool, means string, before []token) bool {
	noun := kindOf(before)
	to := s.in.has("becomes", means) || s.in.has("by", means)
	switch {
	case quoted && s.worded && means == "": // what is written stands elsewhere
		return false
	case quoted && !s.in.has("direct", s.Deed) && (noun != "text" || !s.sends()) && (!to || !s.in.has("recipient", s.Deed)):
		return false
	case quoted && s.in.has("to", means) && (s.Deed == "create" || (s.Deed == "assign" || s.Deed == "share") && len(content(before)) > 0):
		return false
	case quoted && s.in.has("place", means) && (s.Deed != "create" || noun == "") && s.Deed != "rename" && s.Deed != "type" && !s.in.has("routed", s.Deed) && s.Deed != "choose" && !s.alters() && (s.Deed != "move" || !s.in.has("under", means)):
		return false
	case quoted && means == "" && s.Deed == "edit" && s.in.has("tagging", s.Verb):
		return false
	case quoted && s.Deed == "edit" && (s.in.has("of", means) || s.in.has("inside", means) || s.in.has("naming", means)):
		return false
	case quoted && s.in.has("place", means) && !s.in.has("into", means) && !s.in.has("from", means) && s.alters():
		return false
	}
	if s.alters() && (quoted && means == "" || s.in.has("from", means)) || s.Deed == "rename" && s.in.has("naming", means) {
		v.Old = true
	}
	if s.alters() && to {
		v.New = true
	}
	hint := v.New
	v.Hint = slices.DeleteFunc(content(before[max(0, len(before)-4):]), func(w language.Word) bool { return s.in.has("every", w.Text) || s.in.has("numbers", w.Text) })
	if n := len(s.Object); n > 0 && len(before) == 0 && s.in.has("with", means) && s.Deed == "type" && s.in.has("starts", s.Object[n-1].Text) {
		v.Hint, v.Choose, s.Object = s.Object[n-1:n:n], true, s.Object[:n-1] // "that starts with"
	}
	if len(v.Hint) == 0 && !s.in.has("for", means) && (v.Kind == "date" || v.Kind == "time" || s.in.has("recipient", s.Deed) || s.in.has("routed", s.Deed)) {
		v.Hint = language.Read(strings.TrimSuffix(means, " on")).Words
	}
	if hint && len(v.Hint) == 0 && s.Literal == "" && !slices.ContainsFunc(s.Values, func(v Value) bool { return v.Old }) {
		v.Hint = s.Object // "set the sender to "Moor Ltd""
	}
	if v.Kind == "" {
		v.Kind = noun
	}
	if v.Kind == "" && v.Input != "" {
		called := strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(v.Input)
		if v.Kind = kindOf(s.in.lex(called)); v.Kind == "" { // inputs are often called in English
			v.Kind = kindOf(english().lex(called))
		}
	}
	if s.in.has("naming", means) && v.Kind == "" {
		v.Kind = "name"
	}
	v.New = v.New || s.Deed == "move" && to
	v.Choose = v.Choose || s.in.has("chosen", s.Deed) || v.New && quoted && s.Deed == "move"
	v.Ordinal = s.Ordinal
	s.Values = append(s.Values, v)
	return true
}

// labels takes out what stands behind labels: "from: A to: B", "one of each: A, B".
func (s *Subgoal) labels(tokens []token) []token {
	if s.Kind != Act || !s.in.has("enters", s.Deed) && s.Deed != "buy" && s.Deed != "addcart" && s.Deed != "on" {
		return tokens
	}
	var left []token
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if !t.colon || i+1 == len(tokens) || t.value != nil && (!s.alters() || len(becomes(tokens[i+1:])) != 2) {
			left = append(left, t)
			continue
		}
		end := i + 1
		for end < len(tokens) && (end <= i+1 || !is(tokens[end], "preposition") || end+1 >= len(tokens) || !tokens[end].colon && tokens[end+1].value == nil) {
			if end > i+1 && tokens[end].colon {
				break
			}
			end++
		}
		if is(t, "preposition") {
			v := Value{Text: joined(tokens[i+1 : end]), Hint: language.Read(t.text).Words}
			if s.sends() && s.in.has("with", t.low) { // "answer the question with: …"
				v.Kind, v.Hint, end = "text", nil, len(tokens)
				v.Text = joined(tokens[i+1:])
				s.worded = true
			}
			s.Values = append(s.Values, v)
		} else if changed := becomes(tokens[i+1:]); s.alters() && len(changed) == 2 { // "the assignee: Jorun instead of Matteo"
			s.Values, left, end = append(s.Values, changed...), append(left, t), len(tokens)
		} else {
			label := left[max(0, len(left)-3):]
			if kindOf([]token{t}) == "text" && !tokens[i+1].quoted { // the words to the end
				s.Values, end = append(s.Values, Value{Text: joined(tokens[i+1:]), Hint: content([]token{t}), Kind: "text"}), len(tokens)
				i = end - 1
				continue
			}
			s.fill(tokens[i+1:end], append(label[:len(label):len(label)], t))
			if !is(t, "every") {
				left = append(left, t)
			}
		}
		i = end - 1
	}
	return left
}

// fill reads what stands behind a label: fields with their values, or several
// things to choose, or the one value of the label.
func (s *Subgoal) fill(tokens, label []token) {
	list, labelled := [][]token{}, false
	for _, p := range parts(tokens) {
		p = trim(p)
		at := slices.IndexFunc(p, token.named)
		if at < 1 {
			if !labelled {
				list = append(list, p)
			}
			continue
		}
		v := Value{Text: joined(p[at:]), Hint: content(p[:at]), Kind: kindOf(p[:at])}
		if t := p[at]; t.value != nil {
			v.Text, v.Input = t.value.Text, t.value.Input
		}
		s.Values, labelled = append(s.Values, v), true
	}
	each, several := false, false
	for _, t := range label {
		each = each || is(t, "every")
		several = several || s.Deed == "create" && t.number() > 1
	}
	for _, p := range list {
		if p = trim(p); len(p) == 0 {
			continue
		}
		v := Value{Text: text(p), Hint: content(label), Kind: kindOf(label), Choose: each || s.in.has("chosen", s.Deed)}
		if several {
			v.Hint = nil // what they are is said of the thing
		}
		if p[0].value != nil {
			v.Text, v.Input = p[0].value.Text, p[0].value.Input
		} else if !several && !each && len(list) > 1 {
			v.Text = joined(tokens)
			s.Values = append(s.Values, v)
			return
		}
		s.Values = append(s.Values, v)
	}
}
