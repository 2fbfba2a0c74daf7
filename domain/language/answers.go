package language

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

var (
	//go:embed en/answers.txt
	answersText string
	//go:embed en/orders.txt
	ordersText string
)

var patterns = sync.OnceValue(func() map[Kind][]*regexp.Regexp {
	out := map[Kind][]*regexp.Regexp{}
	for _, line := range strings.Split(answersText, "\n") {
		if kind, pattern, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(line, "#") {
			out[Kind(kind)] = append(out[Kind(kind)], regexp.MustCompile("(?i)"+pattern))
		}
	}
	return out
})

// Holds reports whether a text holds an answer of a kind; every text holds
// Anything.
func Holds(kind Kind, text string) bool { return kind == Anything || Find(kind, text) != "" }

// maxAnswer bounds how much of a text is searched for an answer, in bytes.
const maxAnswer = 4000

// Find is the first part of a text that is an answer of a kind, "" for none.
func Find(kind Kind, text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxAnswer)], "")
	switch kind {
	case Person:
		return named(text, 2)
	case Place:
		if name := named(text, 1); name != "" && strings.Contains(" "+strings.ToLower(text), " in ") {
			return name
		}
	}
	for _, p := range patterns()[kind] {
		if m := p.FindString(text); m != "" {
			return m
		}
	}
	if kind == Place {
		return named(text, 1)
	}
	return ""
}

// named is the first run of at least n words in capitals that are no words of the
// language: the vocabulary knows what is written small, too.
func named(text string, n int) string {
	var run []string
	for _, f := range strings.Fields(text) {
		w := strings.Trim(f, ".,;:!?()\"“”'’")
		if w != "" && unicode.IsUpper([]rune(w)[0]) && !common(w) || len(run) > 0 && len(w) == 1 && unicode.IsUpper(rune(w[0])) {
			run = append(run, w)
			if len(run) >= n && strings.TrimRight(f, ".,;:!?") != f {
				break
			}
			continue
		}
		if len(run) >= n {
			break
		}
		run = nil
	}
	if len(run) < n {
		return ""
	}
	return strings.Join(run, " ")
}

// common: the word is one of those that stand in any text, so that its capital
// only begins a sentence or a title.
func common(w string) bool {
	low := strings.ToLower(w)
	if functions[low] || len(names[lemma(low)]) > 0 {
		return true
	}
	return rank(lookUp(low)) <= commonRank && !strings.HasSuffix(low, "son") && lemma(low) != low
}

// commonRank is the frequency rank up to which a word is common: an assumption.
const commonRank = 3000

// Order says what a superlative goes by: whether the least is wanted, and of which
// kind of answer. A word that is not known orders by number, the most.
func Order(word string) (least bool, kind Kind) {
	for _, line := range strings.Split(ordersText, "\n") {
		if f := strings.Fields(line); len(f) == 3 && strings.ReplaceAll(f[0], "_", " ") == word {
			return f[1] == "least", Kind(f[2])
		}
	}
	return false, Number
}
