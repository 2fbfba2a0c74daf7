package task

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// token is one word of a task, or a value that was taken out of it.
type token struct {
	text, low string
	value     *Value
	quoted    bool
	// ends: a sentence ends here; comma: a comma stands behind.
	ends, comma bool
	ordinal     int
}

// shapes are the values that a task writes without naming them, in the order in
// which they are tried.
var shapes = []struct {
	kind    string
	pattern *regexp.Regexp
}{
	{"quoted", regexp.MustCompile(`^(?:"([^"]{1,1000})"|“([^”]{1,1000})”|‘([^’]{1,1000})’|«([^»]{1,1000})»|'([^']{1,1000})'(?:\W|$))`)},
	{"input", regexp.MustCompile(`^\{\{\s*([A-Za-z0-9_.\-]+)\s*\}\}`)},
	{"email", regexp.MustCompile(`^[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}`)},
	{"url", regexp.MustCompile(`^https?://\S+[^\s.,;!?)]`)},
	{"time", regexp.MustCompile(`(?i)^(?:\d{1,2}:\d{2}(?:\s?[ap]\.?m\b)?|\d{1,2}\s?[ap]m\b)`)},
	{"date", regexp.MustCompile(`(?i)^(?:\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{4}-\d{2}-\d{2}|\d{1,2}(?:st|nd|rd|th)?\s(?:of\s)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:,?\s\d{4})?|(?:january|february|march|april|may|june|july|august|september|october|november|december)\s\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s\d{4})?)`)},
	{"amount", regexp.MustCompile(`(?i)^(?:[$€£]\s?\d[\d,]*(?:\.\d+)?|\d[\d,]*(?:\.\d+)?\s?(?:[$€£]|dollars?|euros?|pounds?)\b)`)},
}

var ordinalShape = regexp.MustCompile(`^(\d+)(?:st|nd|rd|th)$`)

// lex cuts a task into tokens.
func lex(text string) []token {
	var out []token
	for text != "" {
		r := []rune(text[:min(len(text), 4)])[0]
		if unicode.IsSpace(r) {
			if r == '\n' && len(out) > 0 {
				out[len(out)-1].ends = true
			}
			text = text[len(string(r)):]
			continue
		}
		if t, n := shaped(text); n > 0 {
			out = append(out, t)
			text = text[n:]
			continue
		}
		n := strings.IndexFunc(text, unicode.IsSpace)
		if n < 0 {
			n = len(text)
		}
		word := text[:n]
		if at := strings.IndexAny(word[1:], `"“«`); at >= 0 { // a value that follows without a space
			word, n = word[:at+1], at+1
		}
		text = text[n:]
		trimmed := strings.TrimRight(word, ".,;:!?…)")
		mark := word[len(trimmed):]
		trimmed = strings.TrimLeft(trimmed, "(")
		if trimmed != "" {
			t := token{text: trimmed, low: strings.ToLower(strings.ReplaceAll(trimmed, "’", "'"))}
			if m := ordinalShape.FindStringSubmatch(t.low); m != nil {
				t.ordinal, _ = strconv.Atoi(m[1])
			}
			out = append(out, t)
		}
		if len(out) > 0 {
			last := &out[len(out)-1]
			last.comma = last.comma || strings.Contains(mark, ",")
			last.ends = last.ends || strings.ContainsAny(mark, ";!?…") || strings.Contains(mark, ".") && !title(trimmed) || mark == ":" && trimmed != "" && strings.HasPrefix(text, "\n")
		}
	}
	return out
}

// title: a full stop behind it ends no sentence.
func title(word string) bool {
	return len(word) == 1 && unicode.IsUpper(rune(word[0])) || strings.Contains(" Dr Mr Mrs Ms St No Prof ", " "+word+" ")
}

// shaped is the value at the beginning of a text, with its length in bytes, 0 for
// none.
func shaped(text string) (token, int) {
	for _, s := range shapes {
		m := s.pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		whole, inner := m[0], m[0]
		for _, g := range m[1:] {
			if g != "" {
				inner = g
			}
		}
		v := &Value{Text: strings.TrimSpace(inner)}
		n := len(whole)
		switch s.kind {
		case "quoted":
			if text[0] == '\'' {
				n = len(inner) + 2
			}
		case "input":
			v.Text, v.Input = "", inner
		default:
			v.Kind = s.kind
		}
		return token{text: inner, low: "\x00", value: v, quoted: s.kind == "quoted"}, n
	}
	return token{}, 0
}
