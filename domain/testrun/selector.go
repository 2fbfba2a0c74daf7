package testrun

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// checkSelector says what is wrong with a list of CSS selectors (Selectors Level
// 4, as browsers take it in querySelectorAll), "" for nothing. Names of
// pseudo-classes are for the browser to know: there are new ones every year.
func checkSelector(text string) string {
	s := &selectors{rest: text}
	if wrong := s.list(false); wrong != "" {
		return wrong
	}
	if s.rest != "" {
		return s.unexpected()
	}
	return ""
}

// selectors is what is left of a text that is read from its beginning.
type selectors struct{ rest string }

var (
	cssSpace        = regexp.MustCompile(`^(?:[ \t\r\n\f]|/\*(?s:.*?)\*/)+`)
	cssName         = regexp.MustCompile(`^(?:--|-?(?:[A-Za-z_\x{80}-\x{10FFFF}]|` + cssEscape + `))(?:[\w\x{80}-\x{10FFFF}-]|` + cssEscape + `)*`)
	cssHash         = regexp.MustCompile(`^#(?:[\w\x{80}-\x{10FFFF}-]|` + cssEscape + `)+`)
	cssString       = regexp.MustCompile(`^(?:"(?:[^"\\\n\r\f]|\\(?s:.))*"|'(?:[^'\\\n\r\f]|\\(?s:.))*')`)
	cssAnyNamespace = regexp.MustCompile(`^\*?\|`)
	cssMatch        = regexp.MustCompile(`^[~|^$*]?=`)
	cssFlag         = regexp.MustCompile(`^[iIsS]`)
	// cssNth is An+B, and what may follow it in :nth-child.
	cssNth = regexp.MustCompile(`(?i)^[ \t\r\n\f]*(?:even|odd|[+-]?\d*n(?:[ \t\r\n\f]*[+-][ \t\r\n\f]*\d+)?|[+-]?\d+)[ \t\r\n\f]*`)
	cssOf  = regexp.MustCompile(`(?i)^of[ \t\r\n\f]+`)
)

const cssEscape = `\\(?:[0-9A-Fa-f]{1,6}[ \t\r\n\f]?|[^\r\n\f0-9A-Fa-f])`

var (
	// ofSelectors take selectors in parentheses, ofNumbers An+B.
	ofSelectors = []string{"is", "where", "not", "has", "matches", "-webkit-any", "host", "host-context"}
	ofNumbers   = []string{"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"}
)

// take reads what a pattern matches here, "" for nothing.
func (s *selectors) take(pattern *regexp.Regexp) string {
	found := pattern.FindString(s.rest)
	s.rest = s.rest[len(found):]
	return found
}

// skip reads one of these characters.
func (s *selectors) skip(any string) bool {
	if s.rest == "" || !strings.Contains(any, s.rest[:1]) {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *selectors) unexpected() string {
	if s.rest == "" {
		return "it ends too early"
	}
	_, size := utf8.DecodeRuneInString(s.rest)
	return fmt.Sprintf("%q is not expected there, before %q", s.rest[:size], clipped(s.rest[size:]))
}

// clipped is the beginning of a text.
func clipped(text string) string {
	for i, n := 0, 0; i < len(text); n++ {
		if n == 20 {
			return text[:i] + "…"
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return text
}

// list reads selectors with commas between them; relative ones may begin with a
// combinator.
func (s *selectors) list(relative bool) string {
	for {
		s.take(cssSpace)
		if relative {
			s.skip(">+~")
			s.take(cssSpace)
		}
		if wrong := s.complex(); wrong != "" {
			return wrong
		}
		if !s.skip(",") {
			return ""
		}
	}
}

// complex reads compounds with combinators between them, and the space after.
func (s *selectors) complex() string {
	for {
		if wrong := s.compound(); wrong != "" {
			return wrong
		}
		space := s.take(cssSpace) != ""
		switch {
		case s.rest == "" || strings.ContainsAny(s.rest[:1], ",)"):
			return ""
		case s.skip(">+~"):
			s.take(cssSpace)
		case !space:
			return s.unexpected()
		}
	}
}

// compound reads what says of one element what it is.
func (s *selectors) compound() string {
	found := s.element()
	for s.rest != "" {
		wrong := ""
		switch {
		case s.take(cssHash) != "":
		case s.skip("."):
			if s.take(cssName) == "" {
				return s.unexpected()
			}
		case s.skip("["):
			wrong = s.attribute()
		case s.skip(":"):
			wrong = s.pseudo()
		case found:
			return ""
		default:
			return s.unexpected()
		}
		if wrong != "" {
			return wrong
		}
		found = true
	}
	if !found {
		return s.unexpected()
	}
	return ""
}

// element reads the name of an element. Of namespaces only any, `*|`, and none,
// `|`, are known to querySelectorAll: nothing declares names for others.
func (s *selectors) element() bool {
	any := s.skip("*")
	if strings.HasPrefix(s.rest, "|") && !strings.HasPrefix(s.rest, "||") {
		s.skip("|")
		return s.skip("*") || s.take(cssName) != ""
	}
	return any || s.take(cssName) != ""
}

func (s *selectors) attribute() string {
	s.take(cssSpace)
	if s.take(cssAnyNamespace); s.take(cssName) == "" {
		return s.unexpected()
	}
	s.take(cssSpace)
	if s.skip("]") {
		return ""
	}
	if s.take(cssMatch) == "" {
		return s.unexpected()
	}
	s.take(cssSpace)
	if s.take(cssString) == "" && s.take(cssName) == "" {
		return s.unexpected() + "; put the value in quotes"
	}
	s.take(cssSpace)
	s.take(cssFlag)
	s.take(cssSpace)
	if !s.skip("]") {
		return s.unexpected()
	}
	return ""
}

// pseudo reads a pseudo-class or pseudo-element after its first colon.
func (s *selectors) pseudo() string {
	if s.skip(":") {
		return "a pseudo-element is no element, so that none can be seen"
	}
	name := strings.ToLower(s.take(cssName))
	if name == "" {
		return s.unexpected()
	}
	if slices.Contains([]string{"before", "after", "first-line", "first-letter"}, name) {
		return "a pseudo-element is no element, so that none can be seen"
	}
	arguments := s.skip("(")
	takes := slices.Contains(ofSelectors, name) && !strings.HasPrefix(name, "host") || slices.Contains(ofNumbers, name)
	switch {
	case !arguments && takes:
		return fmt.Sprintf(":%s needs its arguments in parentheses", name)
	case !arguments:
		return ""
	case slices.Contains(ofNumbers, name):
		if s.take(cssNth) == "" {
			return s.unexpected()
		}
		if s.take(cssOf) != "" {
			if wrong := s.list(false); wrong != "" {
				return wrong
			}
		}
	case slices.Contains(ofSelectors, name):
		if wrong := s.list(name == "has"); wrong != "" {
			return wrong
		}
	default:
		s.balanced()
	}
	if !s.skip(")") {
		return s.unexpected()
	}
	return ""
}

// balanced reads up to the parenthesis that closes the one before.
func (s *selectors) balanced() {
	for depth := 0; s.rest != ""; {
		if s.take(cssString) != "" {
			continue
		}
		switch s.rest[0] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return
			}
		}
		s.rest = s.rest[1:]
	}
}
