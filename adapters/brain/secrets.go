package brain

import (
	"strings"

	"understudy/domain/walk"
)

// secrets knows the fields that secrets went into. A page may write such a value
// its own way, in groups or in capitals, so that nobody can strike it from the
// page: what these fields hold is not told.
type secrets struct {
	fields map[string]bool   // by their marks
	before map[string]string // what fields held when a secret was typed last, until the next look
}

// typed says that a secret goes into a field of a page.
func (s *secrets) typed(into *walk.Element, page *walk.Page) {
	s.add(into)
	s.before = map[string]string{}
	for i := range page.Elements {
		for _, mark := range marks(&page.Elements[i]) {
			s.before[mark] = page.Elements[i].Value
		}
	}
}

// look finds the fields that changed together with the one that was typed into:
// a page may spread a code over several, or copy a value.
func (s *secrets) look(page *walk.Page) {
	for i := range page.Elements {
		e := &page.Elements[i]
		for _, mark := range marks(e) {
			if held, ok := s.before[mark]; ok && e.Value != "" && e.Value != held {
				s.add(e)
			}
		}
	}
	s.before = nil
}

func (s *secrets) add(e *walk.Element) {
	for _, mark := range marks(e) {
		s.fields[mark] = true
	}
}

// hide reports whether what a field holds is not to be told. Nothing is to be
// told of the dots of a password field either, which would be its length.
func (s *secrets) hide(e *walk.Element) bool {
	for _, mark := range marks(e) {
		if s.fields[mark] {
			return true
		}
	}
	return strings.Trim(e.Value, "•") == ""
}

// marks are what a field is known by on later looks. Either is enough, as a page
// that is drawn anew may change one: rather too few values are told than one too
// many.
func marks(e *walk.Element) (out []string) {
	if e.Selector != "" {
		out = append(out, "selector "+e.Selector)
	}
	if e.Name != "" {
		out = append(out, "name "+strings.ToLower(e.Name))
	}
	return out
}
