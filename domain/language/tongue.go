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
//go:embed */lists.txt */concepts.txt */answers.txt */orders.txt
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
}

// tongues are the installed languages: those that have a list of words, English
// first, then by name. They are read on first use.
var tongues = sync.OnceValue(func() []*tongue {
	concepts, answers, orders := Texts(folders, "concepts.txt"), Texts(folders, "answers.txt"), Texts(folders, "orders.txt")
	var all []*tongue
	for name, text := range Texts(folders, "lists.txt") {
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
		l.stems = l.known()
	}
	return all
})

// Installed are the languages that can be read, English first.
func Installed() []string {
	var out []string
	for _, l := range tongues() {
		out = append(out, l.name)
	}
	return out
}

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

// known are the lemmas that the lists of a language have.
func (l *tongue) known() map[string]bool {
	out := map[string]bool{}
	for w := range l.lists.words["words"] {
		out[l.lemma(w)] = true
	}
	for w, base := range l.lists.bases {
		out[l.lemma(w)], out[l.lemma(base)] = true, true
	}
	for first, list := range l.names.first {
		out[first] = true
		for _, n := range list {
			for _, w := range n.rest {
				out[w] = true
			}
		}
	}
	return out
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
	if l.lists.folds != nil {
		w = l.lists.folds.Replace(w)
	}
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
// what stands before it: assumptions.
const leastHead, leastRest = 4, 3

// head is the lemma of the last part of a compound that is not known itself, "" for
// none, in languages that write compounds as one.
func (l *tongue) head(w string) string {
	if len(l.lists.words["compounds"]) == 0 || len(w) < leastHead+leastRest || lookUp(w) >= 0 {
		return ""
	}
	for i := range w {
		if i >= leastRest && len(w)-i >= leastHead {
			if stem := l.lemma(w[i:]); l.stems[stem] && len(stem) >= leastHead {
				return stem
			}
		}
	}
	return ""
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
// list; English in doubt. A function word alone tells no language.
func detect(words []Word) *tongue {
	best, most := english(), 0
	for _, l := range tongues()[1:] {
		own, content, others := 0, false, 0
		for i := range words {
			if w := &words[i]; !w.Verbatim && l.owns(w.Text) {
				own++
				content = content || !l.is("function", w.Text)
			}
		}
		if own == 0 || len(words) == 1 && !content {
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

// has reports whether the lists of a language have a word.
func (l *tongue) has(w string) bool { return l.is("function", w) || l.stems[l.lemma(w)] }

// owns reports whether a language has a word that English has not, or hardly.
func (l *tongue) owns(w string) bool {
	if !l.has(w) && l.head(w) == "" {
		return false
	}
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
	if len(tongues()) == 1 {
		return english()
	}
	var words []Word
	scan(text, func(raw string) bool {
		first, _ := utf8.DecodeRuneInString(raw)
		words = append(words, Word{Text: strings.ToLower(raw), Capital: unicode.IsUpper(first), Verbatim: verbatim(raw)})
		return len(words) < maxWords
	})
	return detect(words)
}
