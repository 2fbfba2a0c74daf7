package language

import (
	"slices"
	"strings"
	"sync"
)

// homes is what is kept together, and where: its things and the places' names.
type homes struct{ things, places []*Phrase }

// keeping are the tables of all languages, by name, read on first use.
var keeping = sync.OnceValue(func() map[string][]homes {
	out := map[string][]homes{}
	for lang, text := range Texts(folders, "kept.txt") {
		for line := range strings.Lines(text) {
			things, places, ok := strings.Cut(line, "|")
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			out[lang] = append(out[lang], homes{phrasesOf(lang, things), phrasesOf(lang, places)})
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

// The places that come to mind first, and how much less the others do: assumptions.
const (
	firstPlaces = 4
	otherPlaces = 0.8
	sameThing   = 0.75
)

// Kept is how likely it is that a place of a name keeps what words are about, 0 to 1: by
// where applications usually keep such things.
func Kept(words []Word, label *Phrase) float64 {
	said := label.Content()
	if len(said) == 0 || len(said) > 4 {
		return 0
	}
	best := 0.0
	for _, k := range keeping()[label.Language()] {
		place := 0.0
		for i, p := range k.places {
			all := slices.ContainsFunc(p.Content(), func(w Word) bool {
				return !slices.ContainsFunc(said, func(o Word) bool { return o.Lemma == w.Lemma })
			})
			if all {
				continue
			}
			share := float64(len(p.Content())) / float64(len(said))
			if i >= firstPlaces {
				share *= otherPlaces
			}
			place = max(place, share)
		}
		if place <= best {
			continue
		}
		about := &Phrase{Words: words}
		for _, t := range k.things {
			if c := Cover(t.Content(), about); c >= sameThing {
				best = max(best, place*c)
			}
		}
	}
	return best
}
