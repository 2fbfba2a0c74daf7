package task

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word of a task, or a value that was taken out of it.
type token struct {
	text, low string
	from, to  int // where it stands in the task, in bytes
	value     *Value
	quoted    bool
	// ends: a sentence ends here; comma, colon: one stands behind.
	ends, comma, colon bool
	asks               bool // the sentence is a question
	ordinal            int
	noun               bool     // a word that has its capital from the spelling of all nouns
	in                 *lexicon // of the task's language, nil for English
}

// named: the token is written as a name or a number is, so that it can be taken
// over as it stands.
func (t token) named() bool {
	r, _ := utf8.DecodeRuneInString(t.text)
	return t.value != nil || unicode.IsUpper(r) && !t.noun || unicode.IsDigit(r) || (r == '-' && unicode.IsDigit(rune(t.text[min(1, len(t.text)-1)])) || r == '/') && len(t.text) > 1 || t.marked()
}

// marked: the token has a mark or a digit inside that stands in no word, as identifiers do.
func (t token) marked() bool {
	at := strings.IndexAny(t.text, ":_.@0123456789")
	return at > 0 && (at+1 < len(t.text) || t.text[at] >= '0')
}

// number is the number that a token says, in digits or as a word, 0 for none.
func (t token) number() int {
	if n, err := strconv.Atoi(t.text); err == nil {
		return max(0, n)
	}
	return t.in.nth("numbers", t.low)
}

// shape is a form of values that a task writes without naming them.
type shape struct {
	kind    string
	pattern *regexp.Regexp
}

// shapesOf are all forms in the order in which they are tried: those of a language
// (its shapes.txt) stand among those of all. ordinal is that of "3rd".
func shapesOf(text string) (out []shape, ordinal *regexp.Regexp) {
	out = []shape{
		{"quoted", regexp.MustCompile(`^(?:"([^"]{1,1000})"|“([^”]{1,1000})”|„([^“”]{1,1000})[“”]|‘([^’]{1,1000})’|«([^»]{1,1000})»|` + "`([^`]{1,1000})`" + `|'([^']{1,1000})'(?:\W|$))`)},
		{"input", regexp.MustCompile(`^\{\{\s*([A-Za-z0-9_.\-]+)\s*\}\}`)},
		{"email", regexp.MustCompile(`^[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}`)},
		{"url", regexp.MustCompile(`^https?://\S+[^\s.,;!?)]`)},
	}
	for line := range strings.Lines(text) {
		kind, pattern, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		form := regexp.MustCompile("(?i)^(?:" + pattern + ")")
		if kind == "ordinal" {
			ordinal = form
			continue
		}
		out = append(out, shape{kind, form})
	}
	return append(out, shape{"phone", regexp.MustCompile(`^(?:\+\d[\d\s()/\-]{5,}\d|0\d[\d\s()/\-]{5,}\d|\d{3}[\s\-]\d{3}[\s\-]\d{4}\b|\d{3}-\d{4}\b)`)}), ordinal
}

// lex cuts a task into tokens.
func (l *lexicon) lex(task string) []token {
	if l == nil {
		l = english()
	}
	var out []token
	for at := 0; at < len(task); {
		r, size := utf8.DecodeRuneInString(task[at:])
		if unicode.IsSpace(r) {
			if r == '\n' && len(out) > 0 {
				out[len(out)-1].ends = true
			}
			at += size
			continue
		}
		if t, n := l.shaped(task[at:], out); n > 0 {
			t.from, t.to, t.in = at, at+n, l
			out = append(out, t)
			at += n
			continue
		}
		n := strings.IndexFunc(task[at:], unicode.IsSpace)
		if n < 0 {
			n = len(task) - at
		}
		if quote := strings.IndexAny(task[at+size:at+max(n, size)], `"“„«`); quote >= 0 { // a value that follows without a space
			n = size + quote
		}
		out = l.word(out, task, at, n)
		at += n
	}
	return out
}

// word adds the word of n bytes at a place, and what its punctuation says.
func (l *lexicon) word(out []token, task string, at, n int) []token {
	raw := task[at : at+n]
	trimmed := strings.TrimRight(raw, ".,;:!?…)]")
	mark := raw[len(trimmed):]
	if open := len(trimmed) - len(strings.TrimLeft(trimmed, "([")); open > 0 {
		trimmed, at = trimmed[open:], at+open
	}
	if trimmed != "" {
		t := token{text: trimmed, low: strings.ToLower(strings.ReplaceAll(trimmed, "’", "'")), from: at, to: at + len(trimmed), in: l}
		if m := l.ordinal.FindStringSubmatch(t.low); m != nil {
			t.ordinal, _ = strconv.Atoi(m[1])
		}
		t.noun = l.noun(trimmed, out)
		if asks, is := l.owns(t.low); is && l.has("asks", asks) { // "what's"
			verb := t
			verb.text, verb.low = "is", "is"
			t.text, t.low = asks, asks
			out = append(out, t)
			t = verb
		}
		out = append(out, t)
	}
	if n := len(out); n > 1 && l.has("percent", out[n-1].low) && numeric(out[n-2:n-1]) {
		out = out[:n-1] // of what a number is says its field
	}
	if len(out) > 0 {
		last := &out[len(out)-1]
		last.asks = last.asks || strings.Contains(mark, "?")
		last.comma = last.comma || strings.Contains(mark, ",")
		last.colon = last.colon || strings.Contains(mark, ":")
		last.ends = last.ends || strings.ContainsAny(mark, ";!?…") || strings.Contains(mark, ".") && !l.abbreviated(trimmed)
	}
	return out
}

// abbreviated: a full stop behind it ends no sentence.
func (l *lexicon) abbreviated(word string) bool {
	return len(word) == 1 && unicode.IsUpper(rune(word[0])) || l.has("abbreviation", strings.ToLower(word))
}

// shaped is the value at the beginning of a text, with its length in bytes, 0 for
// none. before are the tokens that precede it.
func (l *lexicon) shaped(text string, before []token) (token, int) {
	for _, s := range l.shapes {
		m := s.pattern.FindStringSubmatch(text)
		// A day of the week is a date where the task says on which day.
		if m == nil || s.kind == "day" && (len(before) == 0 || !is(before[len(before)-1], "dated")) {
			continue
		}
		whole, inner := m[0], m[0]
		for _, g := range m[1:] {
			if g != "" {
				inner = g
			}
		}
		if strings.TrimSpace(inner) == "" {
			continue // quotes around nothing
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
		case "day":
			v.Kind = "date"
		default:
			v.Kind = s.kind
		}
		return token{text: inner, low: "\x00", value: v, quoted: s.kind == "quoted"}, n
	}
	return token{}, 0
}
