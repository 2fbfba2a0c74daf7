package task

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
)

// The lists of a language: verbs with their deeds, questions with the kind of
// answer, and small sets of words. A second language is a second folder.
var (
	//go:embed en/verbs.txt
	verbsText string
	//go:embed en/words.txt
	wordsText string
	//go:embed en/questions.txt
	questionsText string

	verbs     = parseList(verbsText)
	lists     = parseList(wordsText)
	questions = parseList(questionsText)
)

// entry is a phrase of a list with what it stands for.
type entry struct {
	words []string
	means string
}

// list is a table of phrases, longest first.
type list []entry

func parseList(text string) list {
	var out list
	for _, line := range strings.Split(text, "\n") {
		means, phrases, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for _, p := range strings.Split(phrases, ";") {
			if words := strings.Fields(p); len(words) > 0 {
				out = append(out, entry{words, strings.TrimSpace(means)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int { return cmp.Compare(len(b.words), len(a.words)) })
	return out
}

// at finds the longest phrase of a list that stands at a place of a clause, of
// the given meanings or of any. n is its number of tokens, 0 for none.
func (l list) at(tokens []token, from int, means ...string) (found entry, n int) {
	for _, e := range l {
		if len(means) > 0 && !slices.Contains(means, e.means) || from+len(e.words) > len(tokens) {
			continue
		}
		same := true
		for i, w := range e.words {
			if tokens[from+i].low != w {
				same = false
				break
			}
		}
		if same {
			return e, len(e.words)
		}
	}
	return entry{}, 0
}

// is reports whether a token alone is in one of the small lists.
func is(t token, name string) bool {
	_, n := lists.at([]token{t}, 0, name)
	return n > 0
}
