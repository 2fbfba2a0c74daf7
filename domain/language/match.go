package language

import (
	"math"
	"strings"
)

// The strengths of a match, as simulated-users.md has them; joined is for a verb
// with and without a particle ("back up", "back"), an assumption.
const (
	same      = 1.0
	inflexion = 0.9
	synonym   = 0.8
	derived   = 0.75
	related   = 0.7
	halved    = 0.5
)

// Vectors as near as far or less say nothing; from there on a match grows evenly to
// related at near. Chosen by looking at these pairs:
//
//	related                              unrelated or different
//	movie–film           .90             banana–contract       .17
//	bike–bicycle         .90             window–refund         .16
//	yearly–annual        .88             university–universe   .21
//	town–city            .83             library–borrow        .22
//	allow–permit         .81             message–cloud         .29
//	doctor–physician     .77             hours–garden          .32
//	amount–sum           .73             trash–bin, –delete    .11, .13 (a concept)
//	fee–pay              .71             increase–decrease     .88 (different)
//	writes–author        .70             Monday–Tuesday        .99 (different)
//	salary–wage          .68             buy–sell              .94 (different)
//	teach–teacher        .62             left–right            .77 (different)
//	student–tuition      .58             Anna–Maria            .75 (names)
//	opening–hours        .59             Paris–London          .73 (names)
//	hours–open           .54
//	boat–canoe           .50
//
// Words that are used alike but are different things are told apart by lists
// (different) and names by their classes (name.go), for no floor does.
const far, near = 0.45, 0.85

// Match is how far two words mean the same, 0 to 1, the same both ways round. A
// word that only itself will do for matches itself, or the last part of the one
// that it is joined in.
func Match(a, b Word) float64 {
	if a.joined != b.joined {
		return particled(a, b)
	}
	switch {
	case a.Text == b.Text:
		return same
	case a.Verbatim || b.Verbatim:
		switch {
		case a.Verbatim && b.Verbatim && a.Lemma == b.Lemma:
			return same // "1,000" and "1000"
		case lastPart(a.Text, b.Text) || lastPart(b.Text, a.Text):
			return synonym
		}
		return 0
	case a.Function || b.Function:
		return 0
	case lemmaOf(&a, &b) == lemmaOf(&b, &a):
		return inflexion
	case a.lang == b.lang && a.tongue().lists.different(a.Lemma, b.Lemma) || opposed(&a, &b):
		return 0
	case share(&a, &b, a.Lemma, b.Lemma):
		return synonym
	case a.head != "" && a.head == b.Lemma || b.head != "" && b.head == a.Lemma:
		return derived
	}
	likeness := vector(a, b)
	switch {
	case likeness == 0 || a.Capital && b.Capital && isName(a) && isName(b):
		return 0
	case begins(a.Lemma, b.Lemma):
		return derived
	}
	return likeness
}

// lemmaOf is the lemma of a word beside another: a word that was taken for English
// may be one of the other's language.
func lemmaOf(w, beside *Word) string {
	if w.lang == beside.lang || w.lang != 0 {
		return w.Lemma
	}
	return beside.tongue().lemma(w.Text)
}

// particled matches a verb that its particle makes another one of.
func particled(a, b Word) float64 {
	switch {
	case a.joined != "" && b.joined != "":
		if share(&a, &b, a.joined, b.joined) {
			return synonym // "log in", "sign in"
		}
		return 0
	case a.joined != "":
		a, b = b, a
	}
	switch { // b alone has a particle
	case a.Verbatim || a.Function:
		return 0
	case a.Lemma == b.joined:
		return inflexion
	case share(&a, &b, a.Lemma, b.joined):
		return synonym
	case a.Lemma == b.Lemma:
		return halved
	}
	return halved * vector(a, b)
}

// lastPart: an identifier ends in a word of its own ("csv.reader" in "reader").
func lastPart(whole, part string) bool {
	rest, ok := strings.CutSuffix(whole, part)
	return ok && len(part) >= 3 && rest != "" && strings.ContainsAny(rest[len(rest)-1:], "._/-#@")
}

// vector is the relatedness of two words by their vectors, 0 to related.
func vector(a, b Word) float64 {
	if a.index < 0 || b.index < 0 {
		return 0
	}
	return related * min(1, max(0, (cosine(a.index, b.index)-far)/(near-far)))
}

// begins: the two begin alike for most of their length ("author", "authorship").
func begins(a, b string) bool {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	return i >= 4 && i >= n-2 && max(len(a), len(b))-i <= 5
}

// Best is the best match of a word with any word of a phrase, with two neighbours
// written as one, or with the words that it has the initials of.
func Best(w Word, in *Phrase) float64 {
	best := 0.0
	for i := range in.Words {
		best = max(best, Match(w, in.Words[i]))
		if i > 0 && !in.Words[i].Part && joinedAs(in.Words[i-1], in.Words[i], w) {
			best = max(best, inflexion)
		}
		if best == same {
			return best
		}
	}
	if best < synonym && initials(w.Text, in.Words) {
		return synonym
	}
	return best
}

// joinedAs: two words in a row are another one written as one.
func joinedAs(first, second, whole Word) bool {
	n := len(first.Text)
	return n+len(second.Text) == len(whole.Text) && whole.Text[:n] == first.Text && whole.Text[n:] == second.Text
}

// leastInitials is how many words an abbreviation by initials is made of at least:
// shorter ones are met by chance.
const leastInitials = 3

// initials: a short word is made of the initials of words in a row, which may leave
// out small ones ("tos" of "terms of service" and of "terms on offer sold").
func initials(short string, words []Word) bool {
	if len(short) < leastInitials || len(short) > 5 || len(words) < leastInitials || lookUp(short) >= 0 && rank(lookUp(short)) < commonRank {
		return false
	}
	for from := range words {
		at := 0
		for _, w := range words[from:] {
			if at == len(short) || w.Part {
				break
			}
			if w.Text[0] == short[at] {
				at++
			} else if !w.Function || at == 0 {
				break
			}
		}
		if at == len(short) {
			return true
		}
	}
	return false
}

// leastWeight is what the least telling word counts for: an assumption.
const leastWeight = 0.05

// Cover is the share of the meaning of the wanted words that a phrase says, 0 to
// 1; 0 when nothing is wanted. Wanted neighbours that the phrase writes as one, or
// by their initials, are said.
func Cover(want []Word, in *Phrase) float64 {
	sum, all := 0.0, 0.0
	joined := false // with the word before
	for i, w := range want {
		best := Best(w, in)
		now := best < inflexion && i+1 < len(want) && said(in, func(o Word) bool { return joinedAs(w, want[i+1], o) })
		switch {
		case now || joined:
			best = max(best, inflexion)
		case best < synonym && len(want) >= leastInitials && said(in, func(o Word) bool { return initials(o.Text, want) && strings.Contains(o.Text, w.Text[:1]) }):
			best = synonym
		}
		joined = now
		weight := math.Max(leastWeight, w.IDF)
		sum += weight * best
		all += weight
	}
	if all == 0 {
		return 0
	}
	return min(1, sum/all)
}

func said(in *Phrase, is func(Word) bool) bool {
	for _, o := range in.Words {
		if !o.Function && is(o) {
			return true
		}
	}
	return false
}
