package language

import (
	"slices"
	"strconv"
	"strings"
)

// concept is something that interfaces call by many names.
type concept struct {
	destructive, picture bool
	leads                map[string]float64
	opposes              []string
}

// name is one of a concept's names, by lemmas and without articles.
type name struct {
	rest    []string // after the first word; gap stands for up to maxGap words
	concept string
	whole   bool // it is one only where nothing else is said
}

const (
	gap    = "*"
	maxGap = 4
)

// table is what the concepts.txt of a language says. What a concept is like stands in
// that of English; the others have its names.
type table struct {
	tongue   *tongue
	concepts map[string]*concept
	first    map[string][]name   // by their first word, the longest first
	single   map[string][]string // the concepts that a word alone is a name of, in any text
	pairs    map[[2]string]bool  // names of two words
}

// names is the table of English.
func names() *table { return english().names }

func parseConcepts(of *tongue, text string) *table {
	t := &table{of, map[string]*concept{}, map[string][]name{}, map[string][]string{}, map[[2]string]bool{}}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if id, called, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && of.at != 0 {
			for text := range strings.SplitSeq(called, ";") {
				t.add(strings.TrimSpace(id), text)
			}
			continue
		}
		parts := strings.Split(strings.TrimSpace(line), "|")
		if len(parts) < 3 {
			continue
		}
		parts = append(parts, "", "")
		id := strings.TrimSpace(parts[0])
		c := &concept{
			destructive: strings.Contains(parts[1], "x"), picture: strings.Contains(parts[1], "i"),
			leads: map[string]float64{}, opposes: strings.Fields(parts[4]),
		}
		for lead := range strings.SplitSeq(parts[3], ",") {
			if to, strength, ok := strings.Cut(strings.TrimSpace(lead), " "); ok {
				c.leads[to], _ = strconv.ParseFloat(strength, 64)
			}
		}
		t.concepts[id] = c
		for text := range strings.SplitSeq(parts[2], ";") {
			t.add(id, text)
		}
	}
	for _, list := range t.first {
		slices.SortStableFunc(list, func(a, b name) int { return len(b.rest) - len(a.rest) })
	}
	return t
}

func (t *table) add(id, text string) {
	text, whole := strings.CutPrefix(strings.TrimSpace(text), "=")
	var lemmas []string
	for part := range strings.FieldsSeq(text) {
		if part == gap {
			lemmas = append(lemmas, gap)
			continue
		}
		scan(part, func(raw string) bool {
			if w := t.tongue.word(raw); !t.tongue.is("article", w.Text) {
				lemmas = append(lemmas, w.Lemma)
			}
			return true
		})
	}
	if len(lemmas) == 0 {
		return
	}
	n := name{lemmas[1:], id, whole}
	if slices.ContainsFunc(t.first[lemmas[0]], func(o name) bool { return o.concept == id && slices.Equal(o.rest, n.rest) }) {
		return
	}
	t.first[lemmas[0]] = append(t.first[lemmas[0]], n)
	switch {
	case len(lemmas) == 1 && !whole:
		t.single[lemmas[0]] = append(t.single[lemmas[0]], id)
	case len(lemmas) == 2:
		t.pairs[[2]string{lemmas[0], lemmas[1]}] = true
	}
}

// known: the word alone is a name of a concept.
func (t *table) known(lemma string) bool { return len(t.single[lemma]) > 0 }

// share: both words alone are names of one concept, each by a lemma in its language.
func share(a, b *Word, as, bs string) bool {
	of := b.tongue().names.single[bs]
	for _, c := range a.tongue().names.single[as] {
		if slices.Contains(of, c) {
			return true
		}
	}
	return false
}

// opposed: both words alone are names of concepts, none in common, of which one
// undoes the other.
func opposed(a, b *Word) bool {
	opposed := false
	for _, x := range a.tongue().names.single[a.Lemma] {
		for _, y := range b.tongue().names.single[b.Lemma] {
			if x == y {
				return false
			}
			opposed = opposed || Opposes(x, y) || Opposes(y, x)
		}
	}
	return opposed
}

// express lists the concepts that words express: at each place the longest names,
// whose words do not count again alone, so that "add to cart" is no cart.
func express(l *tongue, words []Word) []string {
	t := l.names
	lemmas := make([]string, 0, len(words))
	for i, w := range words {
		// A joined word that is not known counts by its parts ("opening-hours").
		apart := !w.Verbatim && i+1 < len(words) && words[i+1].Part && !w.known()
		if !apart && (!w.Part || !verbatimBefore(words, i)) && !l.is("article", w.Text) {
			lemmas = append(lemmas, t.named(&w))
		}
	}
	var out []string
	used := make([]bool, len(lemmas))
	for i := range lemmas {
		longest := -1
		for _, n := range t.first[lemmas[i]] {
			if used[i] || len(n.rest) < longest || n.whole && (i > 0 || len(n.rest)+1 < len(lemmas)) {
				continue
			}
			last, ok := follows(lemmas, i, n.rest)
			if !ok {
				continue
			}
			longest = len(n.rest)
			if slices.Contains(n.rest, gap) {
				used[last] = true
			} else {
				for at := i + 1; at <= last; at++ {
					used[at] = true
				}
			}
			if !slices.Contains(out, n.concept) {
				out = append(out, n.concept)
			}
		}
	}
	slices.Sort(out)
	return slices.Clip(out)
}

// named is what names have of a word: its lemma, or that of what a compound ends in
// ("Jahresgebühr" is a "Gebühr").
func (t *table) named(w *Word) string {
	if w.head != "" {
		return w.head
	}
	return w.Lemma
}

// verbatimBefore: the word that a part belongs to is known or verbatim and counts as
// a whole.
func verbatimBefore(words []Word, i int) bool {
	for i > 0 && words[i].Part {
		i--
	}
	return words[i].Verbatim || words[i].known()
}

// follows reports whether the rest of a name stands behind a word, and where its
// last word is.
func follows(lemmas []string, at int, rest []string) (last int, ok bool) {
	last = at
	for k, w := range rest {
		if w == gap {
			for skip := 1; k+1 < len(rest) && skip <= maxGap; skip++ {
				if end, ok := follows(lemmas, last+skip, rest[k+1:]); ok {
					return end, true
				}
			}
			return 0, false
		}
		if last++; last >= len(lemmas) || lemmas[last] != w {
			return 0, false
		}
	}
	return last, true
}

// anything is the line of the table for what leads to every goal.
const anything = "*"

// Leads is how much a label of one concept smells of a goal of another that is
// not its own, 0 to 0.6: what people expect on the way.
func Leads(goal, label string) float64 {
	t := names()
	if goal == label || t.concepts[goal] == nil {
		return 0
	}
	if strength, ok := t.concepts[goal].leads[label]; ok {
		return strength
	}
	return t.concepts[anything].leads[label]
}

// Opposes reports whether a label of one concept undoes or dodges a goal of
// another.
func Opposes(goal, label string) bool {
	c := names().concepts[goal]
	return c != nil && slices.Contains(c.opposes, label)
}

// Destructive reports concepts that are only wanted when they are asked for.
func Destructive(id string) bool {
	c := names().concepts[id]
	return c != nil && c.destructive
}

// Pictured reports concepts whose icon most people know.
func Pictured(id string) bool {
	c := names().concepts[id]
	return c != nil && c.picture
}
