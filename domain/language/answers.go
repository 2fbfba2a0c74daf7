package language

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// pattern is one form of an answer.
type pattern struct {
	*regexp.Regexp
	digit bool // nothing without a digit matches
}

func parsePatterns(of string) map[Kind][]pattern {
	out := map[Kind][]pattern{}
	for line := range strings.Lines(of) {
		kind, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		tree, err := syntax.Parse("(?i)"+text, syntax.Perl)
		if err != nil {
			continue // a test says so
		}
		out[Kind(kind)] = append(out[Kind(kind)], pattern{regexp.MustCompile("(?i)" + text), needsDigit(tree)})
	}
	return out
}

// needsDigit reports whether everything that a pattern matches has a digit, so that
// most passages are told apart without trying it.
func needsDigit(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpLiteral:
		return slices.ContainsFunc(tree.Rune, isDigit)
	case syntax.OpCharClass: // the bounds of its ranges
		return !slices.ContainsFunc(tree.Rune, func(r rune) bool { return !isDigit(r) })
	case syntax.OpCapture, syntax.OpPlus:
		return needsDigit(tree.Sub[0])
	case syntax.OpRepeat:
		return tree.Min > 0 && needsDigit(tree.Sub[0])
	case syntax.OpConcat:
		for _, sub := range tree.Sub {
			if needsDigit(sub) {
				return true
			}
		}
	case syntax.OpAlternate:
		for _, sub := range tree.Sub {
			if !needsDigit(sub) {
				return false
			}
		}
		return true
	default: // nothing, or any sign
	}
	return false
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// Holds reports whether a text holds an answer of a kind; every text holds
// Anything.
func Holds(kind Kind, text string) bool { return kind == Anything || Find(kind, text) != "" }

// maxAnswer bounds how much of a text is searched for an answer, in bytes.
const maxAnswer = 4000

// Find is the first part of a text that is an answer of a kind, "" for none. Of a
// longer text the first 4,000 bytes are searched.
func Find(kind Kind, text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxAnswer)], "")
	digits := strings.ContainsAny(text, "0123456789")
	l := of(text)
	patterns := english().patterns[kind]
	if l.at != 0 { // figures are written in other languages as in English, or nearly
		patterns = slices.Concat(l.patterns[kind], patterns)
	}
	for _, p := range patterns {
		if p.digit && !digits {
			continue
		}
		if m := p.FindString(text); m != "" {
			return strings.TrimRight(m, ".,")
		}
	}
	switch kind {
	case Person:
		return personIn(l, text)
	case Place:
		return placeIn(l, text)
	default:
		return ""
	}
}

// Order says what a superlative goes by: whether the least is wanted, and of which
// kind of answer. A word that is not known orders by number, the most.
func Order(word string) (least bool, kind Kind) {
	for _, l := range tongues() {
		for line := range strings.Lines(l.orders) {
			f := strings.Fields(line)
			if len(f) != 3 {
				continue
			}
			if said := strings.ReplaceAll(f[0], "_", " "); said == word || l.at != 0 && l.lemma(said) == l.lemma(word) {
				return f[1] == "least", Kind(f[2])
			}
		}
	}
	return false, Number
}
