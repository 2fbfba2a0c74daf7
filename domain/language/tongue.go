package language

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// English is the language that is read where no other one is told, and whose lists
// stand in for what a language lacks. It alone has vectors.
const English = "en"

// The lists of all languages, a folder each.
//
//go:embed */lists.txt */concepts.txt */answers.txt */orders.txt */kept.txt
var folders embed.FS

// Texts are the texts of a file in the folders of all languages, by language: a
// folder that lacks the file is not among them.
func Texts(of fs.FS, file string) map[string]string {
	out := map[string]string{}
	found, _ := fs.Glob(of, "*/"+file)
	for _, at := range found {
		if text, err := fs.ReadFile(of, at); err == nil {
			out[path.Dir(at)] = string(text)
		}
	}
	return out
}

// tongue is one installed language.
type tongue struct {
	name     string
	at       uint8 // in tongues: English is 0
	lists    *lists
	names    *table
	patterns map[Kind][]pattern
	orders   string
	stems    map[string]bool // lemmas that its lists have
	listed   map[string]bool // words as its lists have them, and folded
}

// tongues are the installed languages: those that have a list of words, English
// first, then by name. They are read on first use.
var tongues = sync.OnceValue(func() []*tongue { return readTongues(folders) })

func readTongues(from fs.FS) []*tongue {
	concepts, answers, orders := Texts(from, "concepts.txt"), Texts(from, "answers.txt"), Texts(from, "orders.txt")
	var all []*tongue
	for name, text := range Texts(from, "lists.txt") {
		of := data()
		if name != English {
			of = parseLists(text)
		}
		all = append(all, &tongue{name: name, lists: of, patterns: parsePatterns(answers[name]), orders: orders[name]})
	}
	slices.SortFunc(all, func(a, b *tongue) int {
		switch {
		case a.name == English:
			return -1
		case b.name == English:
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	for i, l := range all {
		l.at = uint8(min(i, 255))
		l.names = parseConcepts(l, concepts[l.name])
		l.known(concepts[l.name])
	}
	return all
}

// Installed are the languages that can be read, English first.
func Installed() []string {
	var out []string
	for _, l := range tongues() {
		out = append(out, l.name)
	}
	return out
}

// CapitalNouns reports languages that write all nouns with a capital, so that one tells
// no name.
func CapitalNouns(lang string) bool { return tongueOf(lang).capitals() }

func (l *tongue) capitals() bool { return l.is("capitals", "nouns") }

// english is the first of the languages.
func english() *tongue { return tongues()[0] }

// tongueOf is the installed language of a name, English for none.
func tongueOf(name string) *tongue {
	for _, l := range tongues() {
		if l.name == name {
			return l
		}
	}
	return english()
}

// tongue is the language that a word was read in.
func (w *Word) tongue() *tongue { return tongues()[w.lang] }

// Language is the name of the language that a word was read in.
func (w *Word) Language() string { return w.tongue().name }

// Base is a word of a language as lemmas are compared.
func Base(lang, word string) string { return tongueOf(lang).lemma(strings.ToLower(word)) }

// Language is the name of the language that a phrase was read in.
func (p *Phrase) Language() string { return tongues()[p.lang].name }

// Of is the name of the language that a text is in.
func Of(text string) string { return of(text).name }

// is reports whether a word is in the list of a kind.
func (l *tongue) is(kind, word string) bool { return l.lists.words[kind][word] }

// known collects the words that the lists of a language have, and their lemmas.
func (l *tongue) known(concepts string) {
	l.stems, l.listed = map[string]bool{}, map[string]bool{}
	add := func(raw string) bool {
		if w := l.word(raw); !w.Function && !w.Verbatim {
			l.stems[w.Lemma], l.listed[w.Text], l.listed[l.folded(w.Text)] = true, true, true
		}
		return true
	}
	for _, list := range []string{"words", "shared"} {
		for w := range l.lists.words[list] {
			add(w)
		}
	}
	for w := range l.lists.bases {
		add(w)
	}
	if l.at == 0 {
		return
	}
	for line := range strings.Lines(concepts) {
		if _, names, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			scan(names, add)
		}
	}
}

// lemma is the base form of a word in lower case. A language other than English has
// its irregular forms, then its endings, which are taken off while enough is left;
// what is left is no word of it but the same for all forms of one.
func (l *tongue) lemma(w string) string {
	if l.at == 0 {
		return lemma(w)
	}
	if b, ok := l.lists.bases[w]; ok {
		w = b
	}
	if l.is("function", w) {
		return w
	}
	return l.stem(l.folded(w))
}

// folded is a word with the letters that are read as others.
func (l *tongue) folded(w string) string {
	if l.lists.folds == nil {
		return w
	}
	return l.lists.folds.Replace(w)
}

// stem is a folded word without its endings.
func (l *tongue) stem(w string) string {
	for again := true; again; {
		again = false
		for _, e := range l.lists.endings {
			if stem, ok := strings.CutSuffix(w, e.ending); ok && utf8.RuneCountInString(stem) >= e.least {
				w, again = stem, true
				break
			}
		}
	}
	return w
}

// leastHead is how many letters the last part of a compound has at least, leastRest
// what stands before it, longCompound how long it is at most, in bytes: assumptions.
const leastHead, leastRest, longCompound = 4, 3, 50

// head is the last part of a compound that is not known itself, folded, and its lemma,
// "" for none, in languages that write compounds as one.
func (l *tongue) head(w string) (part, lemma string) {
	if len(l.lists.words["compounds"]) == 0 || len(w) < leastHead+leastRest || len(w) > longCompound || lookUp(w) >= 0 {
		return "", ""
	}
	w = l.folded(w)
	for i := range w {
		if i >= leastRest && len(w)-i >= leastHead {
			if stem := l.stem(w[i:]); l.stems[stem] && len(stem) >= leastHead {
				return w[i:], stem
			}
		}
	}
	return "", ""
}

// How rare a word of English is from which on another language may call it its own,
// and up to which a small or a capital one tells English: nearly all German words that
// the vocabulary has lie above the first. Assumptions.
const (
	foreignRank = 8000
	smallRank   = 20000
	capitalRank = 3000
)

// detect is the language that words are in: the one that lists more words that are
// no common ones of English than there are common words of English that it does not
// list; English in doubt. One function word tells no language.
func detect(words []Word) *tongue {
	best, most := english(), 0
	for _, l := range tongues()[1:] {
		own, others := 0, 0
		small, telling := "", false // a function word, and whether there is more
		for i := range words {
			if w := &words[i]; !w.Verbatim && l.owns(w.Text) {
				own++
				telling = telling || !l.is("function", w.Text) || small != "" && small != w.Text
				small = w.Text
			}
		}
		if !telling {
			continue
		}
		for i := range words {
			if w := &words[i]; !w.Verbatim && !w.Part && plainEnglish(w) && !l.has(w.Text) {
				others++
			}
		}
		if own-others > most {
			best, most = l, own-others
		}
	}
	return best
}

// has reports whether the lists of a language have a word in some form.
func (l *tongue) has(w string) bool { return l.is("function", w) || l.stems[l.lemma(w)] }

// owns reports whether a language has a word that English has not, or hardly: as its
// lists have it where English has it at all, else in any form, or joined of such words.
func (l *tongue) owns(w string) bool {
	switch {
	case l.is("shared", w):
		return false
	case l.is("function", w) || l.listed[w]:
		return hardlyEnglish(w)
	case l.has(w):
		return lookUp(lemma(w)) < 0 && hardlyEnglish(w)
	}
	part, _ := l.head(w)
	return l.listed[part] && !l.is("shared", part) && lookUp(lemma(w)) < 0 && hardlyEnglish(w) && hardlyEnglish(part)
}

func hardlyEnglish(w string) bool {
	e := english()
	if e.is("function", w) || e.lists.bases[w] != "" {
		return false
	}
	base := lemma(w)
	return min(rank(lookUp(w)), rank(lookUp(base))) > foreignRank && !e.names.known(w) && !e.names.known(base)
}

// plainEnglish: a word is a common one of English, and no name.
func plainEnglish(w *Word) bool {
	if english().is("function", w.Text) {
		return true
	}
	index := lookUp(w.Text)
	switch {
	case index < 0:
		return false
	case !w.Capital:
		return rank(index) <= smallRank
	}
	return rank(index) <= capitalRank && !isName(Word{Text: w.Text, index: index})
}

// of is the language of a text.
func of(text string) *tongue {
	switch {
	case len(tongues()) == 1:
		return english()
	case len(text) <= keptLength: // it is kept, or will be read
		return tongues()[Read(text).lang]
	}
	var words []Word
	scan(text, func(raw string) bool {
		first, _ := utf8.DecodeRuneInString(raw)
		words = append(words, Word{Text: strings.ToLower(raw), Capital: unicode.IsUpper(first), Verbatim: verbatim(raw)})
		return len(words) < maxWords
	})
	return detect(words)
}
