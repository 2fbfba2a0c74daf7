package language

import (
	"slices"
	"strings"
	"sync"
)

// homes are what is kept together, and where: its things and the places' names, the
// likeliest first.
type homes struct{ things, places []*Phrase }

// home is one of the places of homes.
type home struct {
	of    *homes
	place int
}

// keeping are the places of all languages, by language and by each of the words of
// their names; they are read on first use.
var keeping = sync.OnceValue(func() map[string]map[string][]home {
	out := map[string]map[string][]home{}
	for lang, text := range Texts(folders, "kept.txt") {
		out[lang] = map[string][]home{}
		for line := range strings.Lines(text) {
			things, places, ok := strings.Cut(line, "|")
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			of := &homes{phrasesOf(lang, things), phrasesOf(lang, places)}
			for i, p := range of.places {
				for _, w := range p.Content() {
					for _, form := range forms(w) {
						out[lang][form] = append(out[lang][form], home{of, i})
					}
				}
			}
		}
	}
	return out
})

func phrasesOf(lang, list string) (out []*Phrase) {
	for name := range strings.SplitSeq(list, ";") {
		out = append(out, ReadAs(lang, strings.TrimSpace(name)))
	}
	return out
}

// forms are how a word is compared: by its lemma, and as it is, for a short label does
// not tell its language.
func forms(w Word) []string {
	if w.Lemma == w.Text {
		return []string{w.Text}
	}
	return []string{w.Lemma, w.Text}
}

// How much less each further place comes to mind, and at least; from where on a
// word means the thing; how many words the name of a place has at most: assumptions.
const (
	nextPlace = 0.06
	lastPlace = 0.7
	sameThing = 0.75
	longPlace = 4
)

// Kept is how likely it is that a place of a name keeps what words are about, 0 to 1: by
// where applications usually keep such things.
func Kept(words []Word, label *Phrase) float64 {
	said := label.Content()
	if len(words) == 0 || len(said) == 0 || len(said) > longPlace {
		return 0
	}
	var all []string
	for _, o := range said {
		all = append(all, forms(o)...)
	}
	about, best := &Phrase{Words: words}, 0.0
	for i, lang := range []string{label.Language(), words[0].Language()} {
		if i > 0 && lang == label.Language() {
			break
		}
		for _, form := range all {
			for _, h := range keeping()[lang][form] {
				place := h.of.places[h.place].Content()
				if !named(place, all) {
					continue
				}
				share := float64(len(place)) / float64(len(said))
				share *= max(lastPlace, 1-nextPlace*float64(h.place))
				if share <= best {
					continue
				}
				for _, t := range h.of.things {
					if c := Cover(t.Content(), about); c >= sameThing {
						best = max(best, min(1, share*c))
					}
				}
			}
		}
	}
	return best
}

// named: all words of a place's name are among some forms.
func named(place []Word, all []string) bool {
	return !slices.ContainsFunc(place, func(w Word) bool {
		return !slices.ContainsFunc(forms(w), func(form string) bool { return slices.Contains(all, form) })
	})
}
