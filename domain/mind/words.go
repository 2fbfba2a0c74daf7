package mind

import (
	"strings"
	"unicode"
)

// words is a label or a text taken apart: its words in their base form, their
// stems, and the interface concepts that they express.
type words struct {
	base     []string
	stems    []string
	concepts []string
	// joined are neighbouring words written as one ("back up" is "backup").
	joined []string
}

// maxWords bounds how much of one label or text is taken apart.
const maxWords = 240

// analyse takes a label apart.
func analyse(s string) words {
	raw := tokens(s)
	if len(raw) > maxWords {
		raw = raw[:maxWords]
	}
	w := words{base: make([]string, len(raw)), stems: make([]string, len(raw))}
	for i, t := range raw {
		w.base[i] = base(t)
		w.stems[i] = stem(w.base[i])
	}
	w.concepts = conceptsIn(w.base)
	if len(w.base) == 1 && ownPlace[w.base[0]] {
		w.concepts = appendConcept(w.concepts, "settings")
	}
	for i := 1; i < len(w.base); i++ {
		w.joined = append(w.joined, w.base[i-1]+w.base[i])
	}
	return w
}

// ownPlace are the labels, alone, under which apps keep what is the visitor's.
var ownPlace = set(`you me mine`)

// tokens splits a text into lower-case words of letters and digits. An
// apostrophe inside a word disappears with what follows it ("what's" is
// "what"), except in contractions of not.
func tokens(s string) []string {
	out := make([]string, 0, 8)
	start := -1
	lower := true
	for i, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || (r == '\'' || r == '’') && start >= 0 {
			if start < 0 {
				start = i
			}
			if r > unicode.MaxASCII || unicode.IsUpper(r) || r == '\'' {
				lower = false
			}
			continue
		}
		if start >= 0 {
			out = appendToken(out, s[start:i], lower)
			start, lower = -1, true
		}
	}
	if start >= 0 {
		out = appendToken(out, s[start:], lower)
	}
	return out
}

func appendToken(out []string, t string, plain bool) []string {
	if !plain {
		t = strings.ToLower(strings.ReplaceAll(t, "’", "'"))
		if cut := strings.IndexByte(t, '\''); cut >= 0 {
			if strings.HasSuffix(t, "n't") {
				t = strings.ReplaceAll(t, "'", "")
			} else {
				t = t[:cut]
			}
		}
	}
	if t == "" {
		return out
	}
	return append(out, t)
}

// irregular forms that rules would miss.
var irregular = map[string]string{
	"bought": "buy", "paid": "pay", "sent": "send", "found": "find", "men": "man", "women": "woman",
	"children": "child", "people": "person", "feet": "foot", "chose": "choose", "chosen": "choose",
	"went": "go", "wrote": "write", "written": "write", "got": "get", "news": "news", "is": "is", "this": "this",
	"undid": "undo", "undone": "undo", "undoing": "undo", "analysis": "analysis", "status": "status",
	"address": "address", "access": "access", "process": "process", "business": "business",
	"does": "do", "goes": "go", "us": "us", "has": "has", "was": "was", "as": "as", "its": "its", "his": "his", "yes": "yes",
	"licence": "license", "licences": "license", "licenced": "licensed", "colour": "color", "colours": "color",
	"catalogue": "catalog", "catalogues": "catalog", "favourite": "favorite", "favourites": "favorite", // British and American
	"db": "database", "dbs": "database",
	"always": "always", "css": "css", "series": "series", "lens": "lens",
}

// base is the word in the form that counts as the same word: singular, and
// the infinitive of regular verbs where it is certain enough.
func base(w string) string {
	if b, ok := irregular[w]; ok {
		return b
	}
	n := len(w)
	switch {
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "xes")):
		return w[:n-2]
	case n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i':
		return w[:n-1]
	}
	return w
}

// suffixes that a stem loses, longest first.
var suffixes = []string{
	"ization", "isation", "ations", "ation", "ments", "ment", "ness", "ings", "ing", "tion", "ions", "ion",
	"able", "ible", "ally", "ers", "ies", "ed", "er", "ly", "es", "al", "e", "y", "s",
}

// stem is the word without its endings. It is cruder than base: two words
// with the same stem are related, not the same.
func stem(w string) string {
	if len(w) > 6 && strings.HasSuffix(w, "ction") {
		return w[:len(w)-3] // collection, inspection: the t belongs to the verb
	}
	for _, s := range suffixes {
		if len(w)-len(s) >= 3 && strings.HasSuffix(w, s) {
			w = w[:len(w)-len(s)]
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 's' && w[n-1] != 'l' {
		w = w[:n-1]
	}
	return w
}

// trigram is the Dice coefficient of the words' letter triples, padded so that
// beginnings count.
func trigram(a, b string) float64 {
	if len(a) < 4 || len(b) < 4 || a[0] != b[0] {
		return 0 // a shared beginning is needed, or short words match by chance
	}
	a, b = "  "+a+" ", "  "+b+" "
	na, nb := len(a)-2, len(b)-2
	common := 0
	var used uint64
	for i := range na {
		for j := range min(nb, 64) {
			if used&(1<<j) == 0 && a[i:i+3] == b[j:j+3] {
				used |= 1 << j
				common++
				break
			}
		}
	}
	return 2 * float64(common) / float64(na+nb)
}

// stopwords carry no meaning of their own in a task or a label.
var stopwords = set(`a an the of to in on at for from by with and or but as is are be been was were it its this that these
those there here my your our their his her me you we they i he she who which what how why when where do does did can could
would should will may might must please so if then than into onto out up about over under off not no nor any some all each
every more most other such own same too very just also via per etc one us them get let want need using use try`)

func set(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// vague words say little in the language of websites: they weigh less than
// others, as a low inverse document frequency over interface labels would make them.
var vague = set(`company site website page thing information info detail online web new home service product item section
link button form app application team business last next first latest current free best good easy simple way user people
person account option about right available possible own two three number part today`)

// vagueWeight is how much a vague word of the goal says.
const vagueWeight = 0.35

// weight is how much a word of the goal says, vagueWeight for vague ones, 1 for
// the rest: a two-level stand-in for idf over interface labels, an assumption to
// be calibrated. The page's own frequencies refine it (scent.go).
func weight(baseWord string) float64 {
	if vague[baseWord] {
		return vagueWeight
	}
	return 1
}
