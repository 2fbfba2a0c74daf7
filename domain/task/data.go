package task

import (
	"cmp"
	"embed"
	"regexp"
	"slices"
	"strings"

	"understudy/domain/language"
)

// The lists of all languages, a folder each.
//
//go:embed */*.txt
var folders embed.FS

// shelf is one of the lists that every language has; tokens are looked up in that of
// the language of their task.
type shelf int

const (
	verbs     shelf = iota // verbs with their deeds
	lists                  // small sets of words
	questions              // with the kind of answer
	widgets                // controls and places
	kinds                  // of values
	persons                // who says what of themselves
	openings               // of messages
)

var files = [...]string{verbs: "verbs", lists: "words", questions: "questions", widgets: "widgets", kinds: "values", persons: "persons", openings: "messages"}

// lexicon are the lists of one language; a small list that it lacks is that of English.
type lexicon struct {
	name   string
	lists  [len(files)]list
	orders map[string][]string // its own small lists, as they are written
	shapes []shape
	// ordinal is the form of "3rd".
	ordinal *regexp.Regexp
}

// lexicons are those of all languages, by name.
var lexicons = readLexicons()

func readLexicons() map[string]*lexicon {
	out := map[string]*lexicon{}
	for i, file := range files {
		for lang, text := range language.Texts(folders, file+".txt") {
			if out[lang] == nil {
				out[lang] = &lexicon{name: lang, orders: map[string][]string{}}
			}
			out[lang].lists[i] = parseList(text)
			if shelf(i) == lists {
				out[lang].order(text)
			}
		}
	}
	forms := language.Texts(folders, "shapes.txt")
	for lang, l := range out {
		for i := range l.lists {
			if l.lists[i] == nil {
				l.lists[i] = out[language.English].lists[i]
			}
		}
		form, ok := forms[lang]
		if !ok {
			form = forms[language.English]
		}
		l.shapes, l.ordinal = shapesOf(form)
	}
	return out
}

// order keeps the small lists in the order in which they are written.
func (l *lexicon) order(text string) {
	for line := range strings.Lines(text) {
		name, words, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for w := range strings.SplitSeq(words, ";") {
			l.orders[name] = append(l.orders[name], strings.TrimSpace(w))
		}
	}
}

// english are the lists of what has no language.
func english() *lexicon { return lexicons[language.English] }

// named is the name of the language.
func (l *lexicon) named() string {
	if l == nil {
		return language.English
	}
	return l.name
}

// lexiconOf are the lists for what is written in a language.
func lexiconOf(lang string) *lexicon {
	if l := lexicons[lang]; l != nil {
		return l
	}
	return english()
}

// of is the list of a token's language.
func (s shelf) of(t token) list {
	if t.in == nil {
		return english().lists[s]
	}
	return t.in.lists[s]
}

// at finds a phrase that stands at a place, as list.at.
func (s shelf) at(tokens []token, from int, means ...string) (found entry, n int) {
	if from < 0 || from >= len(tokens) {
		return entry{}, 0
	}
	return s.of(tokens[from]).at(tokens, from, means...)
}

// spread finds a phrase with a gap, as list.spread.
func (s shelf) spread(tokens []token) (found entry, rest []token, ok bool) {
	if len(tokens) == 0 {
		return entry{}, nil, false
	}
	return s.of(tokens[0]).spread(tokens)
}

// gap stands in a phrase for any words: "turn … on"; a last word with atEnd behind it
// ends the clause: "gib … ein$".
const gap, atEnd = "…", "$"

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
				rest = append(rest, tokens[len(e.words):from]...)
				switch last := tokens[to-1]; {
				case to == len(tokens):
				case e.means == "delete" && is(last, "away"): // "take the book off the list"
					last.low = "from"
					rest = append(rest, last)
				case e.means == "assign": // "hand it over to Mia"
					rest = append(rest, last)
				}
				rest = append(rest, tokens[to:]...)
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
		w, last := strings.CutSuffix(w, atEnd)
		if i >= len(tokens) || tokens[i].low != w || last && i+1 < len(tokens) {
			return 0
		}
		i++
	}
	return i
}

// is reports whether a token alone is in one of the small lists.
func is(t token, name string) bool {
	for _, e := range t.in.small(name)[t.low] {
		if e.means == name && len(e.words) == 1 && len(e.tail) == 0 {
			return true
		}
	}
	return false
}

// owner is the language whose small list counts: English when this one lacks it.
func (l *lexicon) owner(name string) *lexicon {
	if l == nil || l.orders[name] == nil {
		return english()
	}
	return l
}

// small is the table that has a small list.
func (l *lexicon) small(name string) list {
	return l.owner(name).lists[lists]
}

// begins reports whether a text begins with a word or phrase of a small list, then
// another.
func (l *lexicon) begins(name, text, then string) bool {
	return slices.ContainsFunc(l.owner(name).orders[name], func(w string) bool { return strings.HasPrefix(text, w+" "+then) })
}

// read is a text that is known to be in the language.
func (l *lexicon) read(text string) *language.Phrase {
	if l == nil || l.name == language.English {
		return language.Read(text)
	}
	return language.ReadAs(l.name, text)
}

// noun: a word with a capital is no name, for in its language all nouns have one: it is
// known, or stands behind what stands before no name ("beim Zahnarzt", "einem roten Schal").
func (l *lexicon) noun(word string, before []token) bool {
	words := l.read(word).Words
	if !language.CapitalNouns(l.name) || len(words) == 0 || words[0].Verbatim {
		return false
	}
	n := len(before)
	if n > 1 && !before[n-1].named() && !is(before[n-1], "preposition") && is(before[n-2], "article") {
		n-- // "einem roten Schal"
	}
	article := n > 0 && (is(before[n-1], "article") || is(before[n-1], "contracted") || l.nth("numbers", before[n-1].low) > 0)
	return article || !words[0].Capital
}

// in are the lists of tokens.
func in(tokens []token) *lexicon {
	if len(tokens) == 0 {
		return nil
	}
	return tokens[0].in
}

// has reports whether a word or phrase is in one of the small lists.
func (l *lexicon) has(name, phrase string) bool {
	words := strings.Fields(phrase)
	if len(words) == 0 {
		return false
	}
	return slices.ContainsFunc(l.small(name)[words[0]], func(e entry) bool { return e.means == name && slices.Equal(e.words, words) })
}

// owns takes off what tells that something is somebody's ("Mia's").
func (l *lexicon) owns(word string) (who string, is bool) {
	for _, ending := range l.owner("owns").orders["owns"] {
		if who, is = strings.CutSuffix(word, ending); is && who != "" {
			return who, true
		}
	}
	return word, false
}

// nth is the place from 1 of a word in a list that is written in order, 0 for none.
func (l *lexicon) nth(name, word string) int {
	return slices.Index(l.owner(name).orders[name], word) + 1
}
