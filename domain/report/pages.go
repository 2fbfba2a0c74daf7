package report

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"understudy/domain/stats"
)

// The bounds of what is told of pages and paths; the most frequent come first.
const (
	maxFunnel    = 20
	maxPaths     = 10
	maxPathPages = 15
)

// The bases of a Funnel.
const (
	SuccessfulWay = "successful_way"
	FirstVisits   = "first_visits"
)

// journey is a session reduced to the pages that it went through, a stay counted
// once. Pages are numbers into an atlas.
type journey struct {
	session *Session
	pages   []int
}

// atlas is the pages of a test.
type atlas struct {
	pages  []Page
	places map[string]int // pages by places as the findings write them
	walks  []journey      // of the sessions that saw a page, in their order
}

var digits = regexp.MustCompile(`\d+`)

func newAtlas(sessions []Session) *atlas {
	a := &atlas{places: map[string]int{}}
	known := map[Page]int{}
	for i := range sessions {
		s := &sessions[i]
		if len(s.Findings.Visits) == 0 {
			continue
		}
		w := journey{session: s}
		for _, place := range s.Findings.Visits {
			n, ok := a.places[place]
			if !ok {
				p := pageOf(place)
				if n, ok = known[p.alike()]; !ok {
					n = len(a.pages)
					known[p.alike()] = n
					a.pages = append(a.pages, p)
				}
				a.places[place] = n
			}
			if len(w.pages) == 0 || w.pages[len(w.pages)-1] != n {
				w.pages = append(w.pages, n)
			}
		}
		a.walks = append(a.walks, w)
	}
	return a
}

// pageOf reads a place as the findings write it.
func pageOf(place string) Page {
	address, heading, _ := strings.Cut(place, "|")
	return Page{Address: address, Heading: heading}
}

// alike is what pages that are told as one have in common: numbers in headings (of an
// order, a version) do not tell them apart.
func (p Page) alike() Page {
	p.Heading = digits.ReplaceAllString(p.Heading, "#")
	return p
}

// distinct is how many different pages a walk saw.
func (w journey) distinct() int {
	sorted := slices.Sorted(slices.Values(w.pages))
	return len(slices.Compact(sorted))
}

// direct is the walk without its detours: what lies between two visits of a
// page is left out.
func (w journey) direct() (out []int) {
	for _, p := range w.pages {
		if i := slices.Index(out, p); i >= 0 {
			out = out[:i]
		}
		out = append(out, p)
	}
	return out
}

// tally counts walks by their sequence of pages.
type tally struct {
	pages     []int
	sessions  int
	succeeded int
}

// tallied groups walks by a sequence made of each, the most frequent first;
// among equals the one with more successes, the shorter one, the earlier one.
func tallied(walks []journey, of func(journey) []int) []tally {
	at := map[string]int{}
	var out []tally
	var key strings.Builder
	for _, w := range walks {
		pages := of(w)
		key.Reset()
		for _, p := range pages {
			key.WriteRune(rune(p)) // pages are far fewer than there are runes
			key.WriteByte(' ')
		}
		i, known := at[key.String()]
		if !known {
			i = len(out)
			at[key.String()] = i
			out = append(out, tally{pages: pages})
		}
		out[i].sessions++
		if w.session.Findings.Succeeded {
			out[i].succeeded++
		}
	}
	slices.SortStableFunc(out, func(a, b tally) int {
		return cmp.Or(cmp.Compare(b.sessions, a.sessions), cmp.Compare(b.succeeded, a.succeeded), cmp.Compare(len(a.pages), len(b.pages)))
	})
	return out
}

func (a *atlas) paths() Paths {
	all := tallied(a.walks, func(w journey) []int { return w.pages })
	out := Paths{Distinct: len(all), Common: []Path{}}
	for _, t := range all[:min(len(all), maxPaths)] {
		p := Path{Length: len(t.pages), Sessions: t.sessions, Succeeded: t.succeeded, Pages: []Page{}}
		for _, n := range t.pages[:min(len(t.pages), maxPathPages)] {
			p.Pages = append(p.Pages, a.pages[n])
		}
		out.Common = append(out.Common, p)
	}
	return out
}

// funnel counts who reached the pages, and who was lost on each: where what the end of a
// session is blamed on stands, else where it ended.
func (a *atlas) funnel(lost map[string]string) Funnel {
	f := Funnel{Basis: SuccessfulWay, Sessions: len(a.walks), Pages: []FunnelPage{}}
	reached, ended := make([]int, len(a.pages)), make([]int, len(a.pages))
	var won []journey
	for _, w := range a.walks {
		for _, p := range slices.Compact(slices.Sorted(slices.Values(w.pages))) {
			reached[p]++
		}
		if w.session.Findings.Succeeded {
			won = append(won, w)
		} else {
			at, known := a.places[lost[w.session.ID]]
			if !known {
				at = w.pages[len(w.pages)-1]
			}
			ended[at]++
			f.EndedElsewhere++
		}
	}
	way := a.byFirstVisit(reached)
	if len(won) > 0 {
		way = tallied(won, journey.direct)[0].pages
	} else {
		f.Basis = FirstVisits
	}
	for _, p := range way[:min(len(way), maxFunnel)] {
		low, high := stats.Wilson(reached[p], len(a.walks), stats.Z95)
		f.Pages = append(f.Pages, FunnelPage{
			Page: a.pages[p], Reached: reached[p], Share: round4(float64(reached[p]) / float64(len(a.walks))),
			Low: round4(low), High: round4(high), Ended: ended[p],
		})
		f.EndedElsewhere -= ended[p]
	}
	return f
}

// byFirstVisit lists the maxFunnel pages that most sessions saw, by how early
// they were first seen on average.
func (a *atlas) byFirstVisit(reached []int) []int {
	sum := make([]int, len(a.pages))
	for _, w := range a.walks {
		seen := map[int]bool{}
		for i, p := range w.pages {
			if !seen[p] {
				seen[p] = true
				sum[p] += i
			}
		}
	}
	order := make([]int, len(a.pages))
	for p := range order {
		order[p] = p
	}
	slices.SortStableFunc(order, func(p, q int) int { return cmp.Compare(reached[q], reached[p]) })
	order = order[:min(len(order), maxFunnel)]
	mean := func(p int) float64 { return float64(sum[p]) / float64(reached[p]) }
	slices.SortStableFunc(order, func(p, q int) int { return cmp.Compare(mean(p), mean(q)) })
	return order
}
