package language

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

//go:embed en/concepts.txt
var conceptsText string

// concept is something that interfaces call by many names.
type concept struct {
	id                   string
	destructive, picture bool
	leads                map[string]float64
	opposes              []string
}

// name is one of a concept's names, by lemmas.
type name struct {
	rest    []string // after the first word
	concept string
}

var (
	concepts = map[string]*concept{}
	names    = map[string][]name{} // by their first word, the longest first
)

func init() {
	for _, line := range strings.Split(conceptsText, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "|")
		for len(parts) < 5 {
			parts = append(parts, "")
		}
		c := &concept{
			id: strings.TrimSpace(parts[0]), destructive: strings.Contains(parts[1], "x"), picture: strings.Contains(parts[1], "i"),
			leads: map[string]float64{}, opposes: strings.Fields(parts[4]),
		}
		for _, lead := range strings.Split(parts[3], ",") {
			if to, strength, ok := strings.Cut(strings.TrimSpace(lead), " "); ok {
				c.leads[to], _ = strconv.ParseFloat(strength, 64)
			}
		}
		concepts[c.id] = c
		for _, n := range strings.Split(parts[2], ";") {
			words := split(n)
			if len(words) == 0 {
				continue
			}
			lemmas := make([]string, len(words))
			for i, w := range words {
				lemmas[i] = lemma(strings.ToLower(w))
			}
			if !slices.ContainsFunc(names[lemmas[0]], func(o name) bool { return o.concept == c.id && slices.Equal(o.rest, lemmas[1:]) }) {
				names[lemmas[0]] = append(names[lemmas[0]], name{lemmas[1:], c.id})
			}
		}
	}
	for _, list := range names {
		slices.SortStableFunc(list, func(a, b name) int { return len(b.rest) - len(a.rest) })
	}
}

// express lists the concepts that words express: at each place the longest names,
// whose words do not count again alone, so that "add to cart" is no cart.
func express(words []Word) []string {
	var out []string
	lemmas := make([]string, 0, len(words))
	for _, w := range words {
		if !w.Part {
			lemmas = append(lemmas, w.Lemma)
		}
	}
	for i := 0; i < len(lemmas); {
		step, longest := 1, -1
		for _, n := range names[lemmas[i]] {
			if len(n.rest) < longest || i+1+len(n.rest) > len(lemmas) || !slices.Equal(n.rest, lemmas[i+1:i+1+len(n.rest)]) {
				continue
			}
			longest = len(n.rest)
			step = longest + 1
			if !slices.Contains(out, n.concept) {
				out = append(out, n.concept)
			}
		}
		i += step
	}
	slices.Sort(out)
	return out
}

// Leads is how much a label of one concept smells of a goal of another that is
// not its own, 0 to 0.6: what people expect on the way.
func Leads(goal, label string) float64 {
	if c := concepts[goal]; c != nil && goal != label {
		return c.leads[label]
	}
	return 0
}

// Opposes reports whether a label of one concept undoes or dodges a goal of
// another.
func Opposes(goal, label string) bool {
	c := concepts[goal]
	return c != nil && slices.Contains(c.opposes, label)
}

// Destructive reports concepts that are only wanted when they are asked for.
func Destructive(id string) bool {
	c := concepts[id]
	return c != nil && c.destructive
}

// Pictured reports concepts whose icon most people know.
func Pictured(id string) bool {
	c := concepts[id]
	return c != nil && c.picture
}
