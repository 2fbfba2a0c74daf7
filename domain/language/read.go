package language

import (
	_ "embed"
	"strings"
	"unicode"
)

//go:embed en/lists.txt
var listsText string

var (
	functions  = map[string]bool{}
	irregulars = map[string]string{}
	foreign    = map[string]map[string]bool{} // function words of other languages, by language
	languages  []string
)

func init() {
	for _, line := range strings.Split(listsText, "\n") {
		kind, words, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		switch kind {
		case "function":
			for _, w := range strings.Fields(words) {
				functions[w] = true
			}
		case "spelling", "irregular":
			for _, pair := range strings.Split(words, ";") {
				if f := strings.Fields(pair); len(f) == 2 {
					irregulars[f[0]] = f[1]
				}
			}
		default:
			foreign[kind] = map[string]bool{}
			languages = append(languages, kind)
			for _, w := range strings.Fields(words) {
				foreign[kind][w] = true
			}
		}
	}
}

// maxWords bounds how much of a text is read.
const maxWords = 400

// Read takes a text apart. It is total; of a longer text the first 400 words are
// read. A word joined of several by . _ - / or # is followed by its parts.
func Read(text string) *Phrase {
	p := &Phrase{Text: text}
	for _, raw := range split(text) {
		if len(p.Words) >= maxWords {
			break
		}
		w := wordOf(raw)
		p.Words = append(p.Words, w)
		if parts := strings.FieldsFunc(raw, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); len(parts) > 1 {
			for _, part := range parts {
				w := wordOf(part)
				w.Part = true
				p.Words = append(p.Words, w)
			}
		}
	}
	p.Concepts = express(p.Words)
	return p
}

func wordOf(raw string) Word {
	low := strings.ToLower(raw)
	w := Word{Text: low, Lemma: lemma(low), Function: functions[low], Verbatim: verbatim(raw), index: lookUp(low)}
	w.Capital = unicode.IsUpper([]rune(raw)[0])
	if w.Verbatim {
		w.Lemma = low
	}
	w.IDF = idf(min(rank(w.index), rank(lookUp(w.Lemma))))
	if w.Function {
		w.IDF = 0
	}
	return w
}

// split cuts a text into words of letters and digits, joined by what identifiers
// are joined with, and into signs that stand alone. An apostrophe ends a word,
// except in contractions of not.
func split(text string) []string {
	var out []string
	runes := []rune(text)
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '#' && i+1 < len(runes) && unicode.IsDigit(runes[i+1]):
			from := i
			for i++; i < len(runes); i++ {
				c := runes[i]
				if unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.Mn, c) {
					continue
				}
				joins := strings.ContainsRune("._-/@:'’", c) && i+1 < len(runes) && (unicode.IsLetter(runes[i+1]) || unicode.IsDigit(runes[i+1]))
				if !joins || (c == '/' || c == ':') && !digits(runes[from:i]) {
					break
				}
			}
			out = append(out, contraction(string(runes[from:i])))
		case strings.ContainsRune("+×✕✖☰≡⋮…⋯▶►⏸❚›»→‹«←", r):
			out = append(out, string(r))
			i++
		default:
			i++
		}
	}
	return out
}

func digits(runes []rune) bool {
	for _, r := range runes {
		if unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// contraction cuts what an apostrophe adds: "what's" is what, "don't" stays.
func contraction(w string) string {
	w = strings.ReplaceAll(w, "’", "'")
	if at := strings.IndexByte(w, '\''); at > 0 {
		if strings.HasSuffix(w, "n't") {
			return strings.ReplaceAll(w, "'", "")
		}
		return w[:at]
	}
	return w
}

// verbatim: nothing but the word itself will do: numbers, and what mixes letters
// with digits or joins them as identifiers do.
func verbatim(raw string) bool {
	letters, numbers, upper := 0, 0, 0
	for i, r := range raw {
		switch {
		case unicode.IsDigit(r):
			numbers++
		case unicode.IsLetter(r):
			letters++
			if i > 0 && unicode.IsUpper(r) {
				upper++
			}
		case r == '.' || r == '_' || r == '@' || r == '/':
			return true
		}
	}
	return numbers > 0 || upper > 0 && upper < letters-1
}

// endings are the regular endings of English with what the base form has instead,
// the longest first.
var endings = []struct{ ending, base string }{
	{"ies", "y"}, {"ied", "y"}, {"sses", "ss"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"ing", "e"}, {"ing", ""}, {"ed", "e"}, {"ed", ""}, {"es", "e"}, {"es", ""}, {"s", ""},
}

// lemma is the base form of a word in lower case. A candidate counts when it is a
// word that is known and, for verbs, near in meaning, so that "news" and "thing"
// keep themselves.
func lemma(w string) string {
	if base, ok := irregulars[w]; ok {
		return base
	}
	if len(w) < 4 || strings.HasSuffix(w, "ss") || functions[w] {
		return w
	}
	own := lookUp(w)
	for _, e := range endings {
		stem, ok := strings.CutSuffix(w, e.ending)
		if !ok || len(stem)+len(e.base) < 3 {
			continue
		}
		for _, base := range []string{stem + e.base, undoubled(stem, e.base)} {
			index := lookUp(base)
			if base == "" || base == w || index < 0 || functions[base] {
				continue
			}
			if own < 0 || cosine(own, index) >= inflected {
				if spelled, ok := irregulars[base]; ok {
					return spelled
				}
				return base
			}
		}
	}
	return w
}

// undoubled is a stem without its doubled last consonant ("planning", "plan"), ""
// for one that has none.
func undoubled(stem, base string) string {
	n := len(stem)
	if base != "" || n < 3 || stem[n-1] != stem[n-2] || strings.IndexByte("aeiouls", stem[n-1]) >= 0 {
		return ""
	}
	return stem[:n-1]
}

// Readable is the language that a text seems to be in, told by its function words,
// and whether there are lists for it. Texts too short to tell are taken for
// readable.
func Readable(text string) (lang string, ok bool) {
	counts := map[string]int{}
	words := split(strings.ToLower(text))
	for _, w := range words[:min(len(words), maxWords)] {
		if functions[w] {
			counts["en"]++
		}
		for _, l := range languages {
			if foreign[l][w] {
				counts[l]++
			}
		}
	}
	best := "en"
	for _, l := range languages {
		if counts[l] > counts[best] && counts[l] >= leastTelling {
			best = l
		}
	}
	return best, best == "en"
}

// leastTelling is how many function words tell a language: an assumption.
const leastTelling = 5
