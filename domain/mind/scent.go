package mind

import "math"

// The strengths of a match between a word of the goal and a word of a label,
// from the table of scent without a language model.
const (
	matchExact   = 1.0
	matchSynonym = 0.8
	matchStem    = 0.7
	matchTrigram = 0.5
	trigramLeast = 0.5
	// moreShare is the same for labels such as "read more", which mean
	// nothing but "more of what the heading says": an assumption, to be calibrated.
	moreShare = 0.75
)

// termMatch is how well one term of the goal is met by the words, 0 to 1.
func termMatch(t term, w *words) float64 {
	best := 0.0
	if t.concept != "" && has(w.concepts, t.concept) {
		best = matchSynonym
		if t.verb {
			best = 0.95 // the verb itself is a concept: any of its names is the verb
		}
	}
	if t.base == "" {
		if t.concept != "" && best == 0 {
			best = expansion(t.concept, w)
		}
		return best
	}
	for i, b := range w.base {
		if b == t.base {
			return matchExact
		}
		if best < matchStem && len(t.stem) >= 3 && w.stems[i] == t.stem {
			best = matchStem
		}
		if best < matchSynonym && t.abbreviates(b) {
			best = matchSynonym
		}
		if best < matchTrigram && alike(t.base, b) {
			best = matchTrigram
		}
	}
	if best < matchStem && has(w.joined, t.base) {
		best = matchSynonym
	}
	if best == 0 && t.concept != "" {
		best = expansion(t.concept, w)
	}
	return best
}

// alike reports words that look the same but for spelling or ending. Between
// 0.5 and 0.6 a common beginning of five letters is wanted too, or "commit"
// would be "command".
func alike(a, b string) bool {
	d := trigram(a, b)
	return d >= 0.6 || d >= trigramLeast && len(a) >= 5 && len(b) >= 5 && a[:5] == b[:5]
}

// expansion is the scent of labels that lead to a concept without naming it.
func expansion(concept string, w *words) float64 {
	best := 0.0
	for _, c := range w.concepts {
		best = math.Max(best, leadsTo[concept][c])
	}
	return best
}

// similarity of a subgoal and a label, 0 to 1, the verb and the object counted
// apart. The object's side is half its best word and half its coverage, so
// that "red lamp" beats "blue lamp" and both beat "contact".
func similarity(s *Subgoal, w *words) float64 {
	return math.Max(fit(s, w), instructs(s, w))
}

// instructs is the promise of labels under which instructions are kept to those
// who look for any: "Documentation", "Help with orders". In a label of more than
// two words the first or the last of them has to say it: "Does it support dates?"
// is no support.
func instructs(s *Subgoal, w *words) float64 {
	if s.Answer != "howto" || len(w.base) == 0 || dodges(s, w) {
		return 0
	}
	concepts := w.concepts
	if n := len(w.base); n > 2 {
		concepts = append(conceptsIn(w.base[:1]), conceptsIn(w.base[n-1:])...)
	}
	switch {
	case has(concepts, "docs"):
		return 0.45 * dilution(len(w.base))
	case has(concepts, "help"):
		return 0.4 * dilution(len(w.base))
	}
	return 0
}

// fit is the similarity of the words themselves.
func fit(s *Subgoal, w *words) float64 {
	if len(w.base) == 0 {
		return 0
	}
	if dodges(s, w) {
		return 0
	}
	verb, verbs := 0.0, false
	var sum, total, top float64
	for _, t := range s.terms {
		m := termMatch(t, w)
		if t.verb {
			verb, verbs = math.Max(verb, m), true
			continue
		}
		sum += t.weight * m
		total += t.weight
		top = math.Max(top, t.weight*m)
	}
	sim := verb
	if total > 0 {
		object := 0.5*top + 0.5*sum/total*math.Min(1, total)
		if verbs {
			// Either is a promise, both are a stronger one; a question needs both
			// the more, the more its object says.
			both := 0.22
			if s.Kind == Inform {
				both += 0.28 * math.Min(1, total)
			}
			sim = (1-both)*math.Max(verb, object) + both*math.Min(verb, object)
		} else {
			sim = object
		}
	}
	return sim * dilution(len(w.base))
}

// dilution lowers the scent of labels so long that the matching word drowns,
// as in cards that are links as a whole.
func dilution(n int) float64 {
	if n <= 4 {
		return 1
	}
	return math.Max(0.55, 1-0.02*float64(n-4))
}

// dodges reports labels that undo the goal or lead away from it.
func dodges(s *Subgoal, w *words) bool {
	if takesAway(s, w) {
		return true
	}
	for _, c := range w.concepts {
		if c == s.Verb {
			return false
		}
	}
	for _, c := range w.concepts {
		if has(opposites[s.Verb], c) {
			return true
		}
		if destructive[c] && s.Verb != c && !asks(s, c) && len(w.base) <= 3 {
			return true
		}
	}
	return false
}

// takesAway: the label is that of a control that makes less of something, whatever
// it names: "Remove Blue Lamp from basket", "One Blue Lamp less".
func takesAway(s *Subgoal, w *words) bool {
	n := len(w.base)
	if s.Kind != Act || n == 0 || lessens[s.Verb] {
		return false
	}
	return less[w.base[0]] || w.base[n-1] == "less" || w.base[n-1] == "fewer"
}

// less are the first words of such labels, lessens the goals that want them.
var less, lessens = set(`remove delete decrease reduce subtract minus less fewer`), set(`delete cancel undo edit off return unsubscribe`)

func asks(s *Subgoal, concept string) bool {
	for _, t := range s.terms {
		if t.concept == concept || leadsTo[t.concept][concept] > 0 {
			return true
		}
	}
	return false
}

// coverage is the share of the goal's meaning that the words hold, 0 to 1,
// without expansion: what a text must say to be the answer.
func coverage(s *Subgoal, w *words) float64 {
	var sum, total float64
	for _, t := range s.terms {
		if t.way {
			continue
		}
		sum += t.weight * said(t, w)
		total += t.weight
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// said is how far the words say a term: its own word, a synonym or its stem,
// without what merely leads there or looks alike.
func said(t term, w *words) float64 {
	best := 0.0
	if t.concept != "" && has(w.concepts, t.concept) {
		best = matchSynonym
	}
	for i, b := range w.base {
		switch {
		case b == t.base || b == t.own:
			return matchExact
		case best < matchSynonym && t.abbreviates(b):
			best = matchSynonym
		case best < matchSynonym && len(t.base) > 5 && t.base[:2] == "re" && t.base[2:] == b:
			best = matchSynonym // "reopens" is "opens again"
		case best < matchStem && len(t.stem) >= 3 && w.stems[i] == t.stem:
			best = matchStem
		}
	}
	if best < matchStem && t.base != "" && has(w.joined, t.base) {
		best = matchSynonym
	}
	return best
}

// objectSaid reports whether the words hold a telling word of the object itself.
func objectSaid(s *Subgoal, w *words) bool {
	for _, t := range s.terms {
		if !t.verb && t.weight >= 0.5 && said(t, w) >= matchStem {
			return true
		}
	}
	return false
}

// verbSaid is how far the words say the subgoal's verb, 0 without one.
func verbSaid(s *Subgoal, w *words) float64 {
	for _, t := range s.terms {
		if t.verb {
			return said(t, w)
		}
	}
	return 0
}
