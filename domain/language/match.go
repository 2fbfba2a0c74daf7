package language

import (
	"math"
	"strings"
)

// The strengths of a match. Words whose vectors are nearer than near are related:
// in the vectors town and city have .83, fee and pay .71, hours and open .54,
// unrelated words −.04 to .15; far and near are mapped to 0 and related.
const (
	same      = 1.0
	inflexion = 0.9
	synonym   = 0.8
	derived   = 0.75
	related   = 0.7
	far, near = 0.45, 0.85
	// inflected is how near the vectors of a word and its base form are at least:
	// planning and plan have .7, news and new .3.
	inflected = 0.42
)

// Match is how far two words mean the same, 0 to 1, the same both ways round. A
// word that only itself will do for matches itself, or the last part of the one
// that it is joined in.
func Match(a, b Word) float64 {
	switch {
	case a.Text == b.Text:
		return same
	case a.Verbatim || b.Verbatim:
		if lastPart(a.Text, b.Text) || lastPart(b.Text, a.Text) {
			return synonym
		}
		return 0
	case a.Function || b.Function:
		return 0
	case a.Lemma == b.Lemma:
		return inflexion
	case shareConcept(a.Lemma, b.Lemma):
		return synonym
	}
	near := vector(a, b)
	if stems(a.Lemma, b.Lemma) && near > 0 {
		return derived
	}
	return near
}

// lastPart: an identifier ends in a word of its own ("csv.reader" in "reader").
func lastPart(whole, part string) bool {
	rest, ok := strings.CutSuffix(whole, part)
	return ok && len(part) >= 3 && rest != "" && strings.ContainsAny(rest[len(rest)-1:], "._/-")
}

// vector is the relatedness of two words by their vectors, 0 to related.
func vector(a, b Word) float64 {
	x, y := lookUp(a.Lemma), lookUp(b.Lemma)
	if x < 0 || y < 0 {
		return 0
	}
	return related * math.Max(0, math.Min(1, (cosine(x, y)-far)/(near-far)))
}

// stems: the two begin alike for most of their length ("author", "authorship").
func stems(a, b string) bool {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	return i >= 4 && i >= n-2 && max(len(a), len(b))-i <= 5
}

// shareConcept: both words alone are names of one interface concept.
func shareConcept(a, b string) bool {
	for _, x := range names[a] {
		if len(x.rest) > 0 {
			continue
		}
		for _, y := range names[b] {
			if len(y.rest) == 0 && x.concept == y.concept {
				return true
			}
		}
	}
	return false
}

// Best is the best match of a word with any word of a phrase, or with two
// neighbours written as one.
func Best(w Word, in *Phrase) float64 {
	best := 0.0
	for i := range in.Words {
		best = math.Max(best, Match(w, in.Words[i]))
		if i > 0 && !in.Words[i].Part && in.Words[i-1].Text+in.Words[i].Text == w.Text {
			best = math.Max(best, inflexion)
		}
		if best == same {
			break
		}
	}
	return best
}

// Cover is the share of the meaning of the wanted words that a phrase says, 0 to
// 1; 0 when nothing is wanted.
func Cover(want []Word, in *Phrase) float64 {
	sum, all := 0.0, 0.0
	for _, w := range want {
		weight := math.Max(0.05, w.IDF)
		sum += weight * Best(w, in)
		all += weight
	}
	if all == 0 {
		return 0
	}
	return sum / all
}
