package mind

import "strings"

// givenValue finds a value of the task for a field: by the hint or the input's
// name, else the first given text for what the goal searches or sends.
func (m *Mind) givenValue(e *Element, kind fieldKind) (text, secret string, ok bool) {
	label := m.dict.of(e.Name + " " + e.Placeholder + " " + e.Autocomplete)
	for _, v := range m.goal.Values {
		hint := strings.ToLower(v.Hint + " " + v.Input)
		match := kind != fkOther && kind != fkName && strings.Contains(strings.NewReplacer("-", "", "_", " ").Replace(hint), strings.Fields(string(kind))[0])
		switch {
		case (kind == fkEmail || kind == fkUser) && literal.MatchString(v.Text):
			match = true
		case kind == fkPassword && (strings.Contains(hint, "pass") || strings.Contains(hint, "secret")):
			match = true
		case kind == fkUser && (strings.Contains(hint, "user") || strings.Contains(hint, "login")):
			match = true
		case kind == fkEmail && v.Input != "" && (strings.Contains(hint, "user") || strings.Contains(hint, "login")):
			match = true
		}
		if !match {
			for _, w := range tokens(hint) {
				if b := base(w); len(b) > 2 && !stopwords[b] && !fillerHints[b] && has(label.base, b) {
					match = true
				}
			}
		}
		if match {
			return v.Text, v.Input, true
		}
	}
	// Inputs that the task names nowhere are still meant for their fields.
	for _, in := range m.goal.Inputs {
		for _, w := range tokens(strings.ReplaceAll(in, "_", " ")) {
			if strings.HasPrefix(string(kind), w) || len(w) > 3 && has(label.base, base(w)) {
				return "", in, true
			}
		}
	}
	if kind == fkSearch || kind == fkMessage {
		for _, v := range m.goal.Values {
			if v.Input == "" && !literal.MatchString(v.Text) {
				return v.Text, "", true
			}
		}
	}
	return "", "", false
}

var fillerHints = set(`sign log enter type with using field input value form your`)

// searchWords are the object's words as one would type them; the second
// attempt is shorter.
func (m *Mind) searchWords(attempt int) string {
	s := m.subgoal()
	w := s.Object
	if len(w) == 0 && s.Verb != "" {
		w = []string{s.Verb}
		if names := concepts[s.Verb]; len(names) > 0 {
			w = []string{names[0]}
		}
	}
	if s.Kind == Inform && s.Verb != "" && len(s.Object) > 0 {
		if s.own != "" {
			w = append([]string{s.own}, w...)
		} else if names, ok := concepts[s.Verb]; ok {
			w = append([]string{names[0]}, w...)
		} else {
			w = append([]string{s.Verb}, w...)
		}
	}
	if attempt > 0 && len(w) > 1 {
		w = w[len(w)-1:]
	}
	return strings.Join(w, " ")
}
