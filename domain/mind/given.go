package mind

import "strings"

// givenValue finds a value of the task for a field: by the hint or the input's
// name, else the first given text for what the goal searches or sends.
func (m *Mind) givenValue(e *Element, kind fieldKind) (text, secret string, ok bool) {
	label := m.dict.of(e.Name + " " + e.Placeholder + " " + e.Autocomplete)
	for _, v := range m.goal.Values {
		if v.Kind != "" {
			if v.Text != "" && m.detailFits(e, kind, label, v) {
				return m.detail(e, kind, v), "", true
			}
			continue
		}
		if m.hintFits(e, kind, label, v) {
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
			if v.Input == "" && v.Kind == "" && !literal.MatchString(v.Text) && !secretHint(v.Hint) {
				return v.Text, "", true
			}
		}
	}
	return "", "", false
}

// secretHint: the words before a value make it part of a log-in.
func secretHint(hint string) bool {
	hint = strings.ToLower(hint)
	return strings.Contains(hint, "pass") || strings.Contains(hint, "secret") || strings.Contains(hint, "user") || strings.Contains(hint, "pin")
}

// hintFits: the words before a value, or its input's name, are those of the field.
func (m *Mind) hintFits(_ *Element, kind fieldKind, label *words, v Value) bool {
	hint := strings.ToLower(v.Hint + " " + v.Input)
	switch {
	case kind != fkOther && kind != fkName && strings.Contains(strings.NewReplacer("-", "", "_", " ").Replace(hint), strings.Fields(string(kind))[0]):
		return true
	case (kind == fkEmail || kind == fkUser) && literal.MatchString(v.Text):
		return true
	case kind == fkPassword && (strings.Contains(hint, "pass") || strings.Contains(hint, "secret")):
		return true
	case kind == fkUser && (strings.Contains(hint, "user") || strings.Contains(hint, "login")):
		return true
	case kind == fkEmail && v.Input != "" && (strings.Contains(hint, "user") || strings.Contains(hint, "login")):
		return true
	}
	for _, w := range tokens(hint) {
		if b := base(w); len(b) > 2 && !stopwords[b] && !fillerHints[b] && has(label.base, b) {
			return true
		}
	}
	return false
}

// detailFits: the field is for this kind of detail.
func (m *Mind) detailFits(e *Element, kind fieldKind, label *words, v Value) bool {
	switch v.Kind {
	case ValueAmount:
		return kind == fkAmount || kind == fkNumber && (has(label.base, "pound") || has(label.base, "sum") || has(label.base, "donation"))
	case ValueDate:
		about := m.dict.of(e.Group + " " + e.Name)
		return (kind == fkDate || kind == fkDay || kind == fkMonth || kind == fkYear) && !has(about.base, "birth")
	case ValueTime:
		return kind == fkTime
	case ValuePostcode:
		return kind == fkPostcode
	case ValueRegistration:
		return kind == fkPlate
	case ValuePhone:
		return kind == fkPhone
	case ValueQuantity:
		return kind == fkNumber
	case ValueRecipient:
		return kind == fkWho || kind == fkName && m.subgoal().Verb == "transfer"
	case ValueName:
		return kind == fkName || kind == fkGiven || kind == fkFamily
	case ValueReference:
		if kind == fkRefer || kind == fkAccount || kind == fkSortCode || kind == fkCode {
			return true
		}
	case ValueFrom, ValueTo:
		if kind == fkWho && v.Kind == ValueTo {
			return true
		}
		if kind == fkEmail || kind == fkPassword {
			return false
		}
	}
	for _, w := range tokens(v.Hint) {
		if b := base(w); len(b) > 2 && !stopwords[b] && !fillerHints[b] && !vague[b] && has(label.base, b) {
			return true
		}
	}
	return false
}

// detail is a value of the task as the field wants it.
func (m *Mind) detail(e *Element, kind fieldKind, v Value) string {
	name := strings.Fields(v.Text)
	switch kind {
	case fkDate:
		return dateForms(e, m.dayWanted(e), true)[0]
	case fkDay, fkMonth, fkYear:
		return m.datePartOf(e, kind)[0]
	case fkTime:
		if h, ok := parseClock(v.Text); ok {
			minutes := int(60*h + 0.5)
			return twoDigits(minutes/60) + ":" + twoDigits(minutes%60)
		}
		return m.made(e, fkTime, 0, true)[0]
	case fkGiven:
		return name[0]
	case fkFamily:
		return name[len(name)-1]
	default: // as the task says it
		return v.Text
	}
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
