package language

import "strings"

// endings are the regular endings of English with what the base form has instead.
var endings = [...]struct{ ending, base string }{
	{"s", ""}, {"es", ""}, {"ies", "y"}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"ed", "e"}, {"ied", "y"},
}

// How near the vectors of a form and its base are at least, by the form's ending:
// chosen by reading the candidates of the vocabulary in order of their nearness.
// Plurals whose singular is the commoner word need none (vans and van have .30);
// those of rare singulars do (hms and hm).
const (
	nearPlural = 0.42 // cbs and cb have .03, signatures and signature .44
	nearHissed = 0.5  // in -us, -is and -as: menus and menu are near, focus and any other are not
	nearIng    = 0.55 // opening and open have .71, rating and rate .51
	nearEd     = 0.42 // renamed and rename have .45
)

// lemma is the base form of a word in lower case: of the bases that its ending
// allows, the one that is known and nearest in meaning; the word itself when there
// is none. British and American spellings have one lemma. The lemma of a lemma is
// itself.
func lemma(w string) string {
	for range 3 { // "openings", "opening", "open"
		next := base(w)
		if next == w {
			break
		}
		w = next
	}
	return w
}

func base(w string) string {
	if b, ok := data().bases[w]; ok {
		return b
	}
	if len(w) < 4 || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "ics") || is("function", w) {
		return w
	}
	own := lookUp(w)
	best, nearest := w, -1.0
	for _, e := range endings {
		stem, ok := strings.CutSuffix(w, e.ending)
		if !ok || len(stem)+len(e.base) < 2 {
			continue
		}
		for _, candidate := range [...]string{stem + e.base, undoubled(stem, e.base)} {
			index := lookUp(candidate)
			if candidate == "" || index < 0 || is("function", candidate) {
				continue
			}
			near := 1 - float64(rank(index))/(2*known) // of an unknown form the commonest base
			if own >= 0 {
				near = cosine(own, index)
				if near < needed(w, e.ending, own, index) {
					continue
				}
			}
			if near > nearest {
				best, nearest = candidate, near
			}
		}
	}
	if best == w {
		best = respelled(w, own)
	}
	if best == w && own < 0 {
		return singular(w)
	}
	return best
}

// singular is the base of a word that nothing is known of and that ends as regular plurals do
// ("webhooks"), the word itself where it does not.
func singular(w string) string {
	const least = 5 // letters: an assumption
	if len(w) < least || !strings.HasSuffix(w, "s") || strings.ContainsAny(w[len(w)-2:len(w)-1], "suia'") {
		return w
	}
	if stem, ok := strings.CutSuffix(w, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(w, "s")
}

// needed is how near a form and its base are at least.
func needed(form, ending string, own, index int32) float64 {
	switch {
	case ending == "ing":
		return nearIng
	case ending == "ed" || ending == "ied":
		return nearEd
	case strings.HasSuffix(form, "us") || strings.HasSuffix(form, "is") || strings.HasSuffix(form, "as"):
		return nearHissed
	case len(form) > 4 && rank(index) < rank(own):
		return 0
	}
	return nearPlural
}

// Verbal reports whether an English word is inflected as verbs are: texts tell that it was done.
func Verbal(word string) bool {
	w := strings.ToLower(word)
	if len(w) < 3 || is("function", w) {
		return false
	}
	for _, past := range [...]string{strings.TrimSuffix(w, "e") + "ed", w + w[len(w)-1:] + "ed"} {
		if lookUp(past) >= 0 && lemma(past) == w {
			return true
		}
	}
	return false
}

// undoubled is a stem without its doubled last consonant ("planning", "plan"), ""
// for one that has none.
func undoubled(stem, base string) string {
	n := len(stem)
	if base != "" || n < 4 || stem[n-1] != stem[n-2] || strings.IndexByte("aeiou", stem[n-1]) >= 0 {
		return ""
	}
	return stem[:n-1]
}

// nearSpelling is how near two spellings of one word are at least: colour and color
// have .88, centre and center .77; four and for are no pair, for a function word is
// never a spelling of another.
const nearSpelling = 0.5

// respelled is a word in its American spelling.
func respelled(w string, own int32) string {
	for _, r := range data().respells {
		stem, ok := strings.CutSuffix(w, r[0])
		if !ok || len(stem) < 2 {
			continue
		}
		american := stem + r[1]
		index := lookUp(american)
		if index >= 0 && !is("function", american) && (own < 0 || cosine(own, index) >= nearSpelling) {
			return american
		}
	}
	return w
}
