package language

import (
	"strconv"
	"strings"
	"sync"
)

// lists are the closed word lists of the language.
type lists struct {
	words     map[string]map[string]bool // by kind
	bases     map[string]string          // irregular forms and spellings, with their lemma
	respells  [][2]string                // endings of British spellings, with the American ones
	distinct  map[string][]int           // the sets of different things that a word is of
	endings   []ending                   // what is taken off words, in the order in which it is tried
	folds     *strings.Replacer          // letters that are read as others, nil for none
	languages []string                   // those that are only told, by their function words
	foreign   map[string][]int           // the languages that a word is a function word of
}

// ending is taken off a word of which at least so many letters are left.
type ending struct {
	ending string
	least  int
}

func parseLists(of string) *lists {
	l := &lists{words: map[string]map[string]bool{}, bases: map[string]string{}, distinct: map[string][]int{}, foreign: map[string][]int{}}
	sets := 0
	var folds []string
	for line := range strings.Lines(of) {
		kind, text, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(kind, "#") {
			continue
		}
		for entry := range strings.SplitSeq(text, ";") {
			f := strings.Fields(entry)
			if kind == "distinct" || kind == "calendar" {
				for _, w := range f {
					l.distinct[w] = append(l.distinct[w], sets)
				}
				sets++
			}
			switch {
			case kind == "distinct": // they are nothing but told apart
			case kind == "ending" && len(f) == 2:
				least, _ := strconv.Atoi(f[1])
				l.endings = append(l.endings, ending{f[0], least})
			case kind == "fold" && len(f) == 2:
				folds = append(folds, f...)
			case kind == "respell" && len(f) == 2:
				l.respells = append(l.respells, [2]string{f[0], f[1]})
			case (kind == "spelling" || kind == "irregular") && len(f) == 2:
				l.bases[f[0]] = f[1]
			case kind == "keep":
				for _, w := range f {
					l.bases[w] = w
				}
			case strings.HasPrefix(kind, "language "):
				for w := range set(f) {
					l.foreign[w] = append(l.foreign[w], len(l.languages))
				}
				l.languages = append(l.languages, kind[len("language "):])
			default:
				if l.words[kind] == nil {
					l.words[kind] = map[string]bool{}
				}
				for _, w := range f {
					l.words[kind][w] = true
				}
			}
		}
	}
	if len(folds) > 0 {
		l.folds = strings.NewReplacer(folds...)
	}
	return l
}

// data reads the lists of English on first use.
var data = sync.OnceValue(func() *lists { return parseLists(Texts(folders, "lists.txt")[English]) })

func set(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// is reports whether a word is in the list of a kind of English.
func is(kind, word string) bool { return data().words[kind][word] }

// different reports whether two words are different things of one set.
func (l *lists) different(a, b string) bool {
	of := l.distinct
	for _, x := range of[a] {
		for _, y := range of[b] {
			if x == y {
				return a != b
			}
		}
	}
	return false
}
