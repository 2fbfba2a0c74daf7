package task

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
)

// The lists of a language: verbs with their deeds, questions with the kind of
// answer, controls and places, kinds of values, and small sets of words. A second
// language is a second folder.
var (
	//go:embed en/verbs.txt
	verbsText string
	//go:embed en/words.txt
	wordsText string
	//go:embed en/questions.txt
	questionsText string
	//go:embed en/widgets.txt
	widgetsText string
	//go:embed en/values.txt
	valuesText string

	verbs     = parseList(verbsText)
	lists     = parseList(wordsText)
	questions = parseList(questionsText)
	widgets   = parseList(widgetsText)
	kinds     = parseList(valuesText)
)

// gap stands in a phrase for any words: "turn … on".
const gap = "…"

// entry is a phrase of a list with what it stands for; tail is what follows a gap.
type entry struct {
	words, tail []string
	means       string
}

// list is a table of phrases by their first word, the longest first.
type list map[string][]entry

func parseList(text string) list {
	out := list{}
	for _, line := range strings.Split(text, "\n") {
		means, phrases, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for _, p := range strings.Split(phrases, ";") {
			head, tail, _ := strings.Cut(p, gap)
			if words := strings.Fields(head); len(words) > 0 {
				out[words[0]] = append(out[words[0]], entry{words, strings.Fields(tail), strings.TrimSpace(means)})
			}
		}
	}
	for _, entries := range out {
		slices.SortStableFunc(entries, func(a, b entry) int {
			return cmp.Compare(len(b.words)+len(b.tail), len(a.words)+len(a.tail))
		})
	}
	return out
}

// at finds the longest phrase without a gap that stands at a place, of the given
// meanings or of any. n is its number of tokens, 0 for none.
func (l list) at(tokens []token, from int, means ...string) (found entry, n int) {
	if from < 0 || from >= len(tokens) {
		return entry{}, 0
	}
	for _, e := range l[tokens[from].low] {
		if len(e.tail) == 0 && (len(means) == 0 || slices.Contains(means, e.means)) && stands(tokens[from:], e.words) {
			return e, len(e.words)
		}
	}
	return entry{}, 0
}

// spread finds a phrase with a gap that begins the tokens, and gives the tokens
// without it. Articles inside what follows the gap do not count.
func (l list) spread(tokens []token) (found entry, rest []token, ok bool) {
	if len(tokens) == 0 {
		return entry{}, nil, false
	}
	for _, e := range l[tokens[0].low] {
		if len(e.tail) == 0 || !stands(tokens, e.words) {
			continue
		}
		for from := len(e.words); from < len(tokens); from++ {
			if to := tailAt(tokens, from, e.tail); to > 0 {
				rest = append(append(rest, tokens[len(e.words):from]...), tokens[to:]...)
				return e, rest, true
			}
		}
	}
	return entry{}, nil, false
}

func stands(tokens []token, words []string) bool {
	if len(words) > len(tokens) {
		return false
	}
	for i, w := range words {
		if tokens[i].low != w {
			return false
		}
	}
	return true
}

// tailAt is where the words of a tail end that stand from a place on, 0 when they
// do not stand there.
func tailAt(tokens []token, from int, tail []string) int {
	i := from
	for n, w := range tail {
		for n > 0 && i < len(tokens) && is(tokens[i], "article") {
			i++
		}
		if i >= len(tokens) || tokens[i].low != w {
			return 0
		}
		i++
	}
	return i
}

// is reports whether a token alone is in one of the small lists.
func is(t token, name string) bool {
	for _, e := range lists[t.low] {
		if e.means == name && len(e.words) == 1 && len(e.tail) == 0 {
			return true
		}
	}
	return false
}

// has reports whether a word or phrase is in one of the small lists.
func has(name, phrase string) bool {
	words := strings.Fields(phrase)
	if len(words) == 0 {
		return false
	}
	return slices.ContainsFunc(lists[words[0]], func(e entry) bool { return e.means == name && slices.Equal(e.words, words) })
}

// nth is the place from 1 of a word in a list that is written in order, 0 for none.
func nth(name, word string) int {
	for _, line := range strings.Split(wordsText, "\n") {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			for i, w := range strings.Split(rest, ";") {
				if strings.TrimSpace(w) == word {
					return i + 1
				}
			}
		}
	}
	return 0
}
