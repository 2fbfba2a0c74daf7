package forager

import (
	"math"
	"strconv"
	"strings"

	"understudy/domain/walk"
)

// site is what is remembered of the pages that were seen: a map of places, and
// what was tried, wherever it stands.
type site struct {
	places map[string]*place
	// homes are the places on which a control was seen: what stands on two is the
	// site's bar and one thing everywhere.
	homes map[string]string
	bars  map[string]bool
	// tried counts fruitless uses of a control for a subgoal, by subgoal and key.
	tried map[string]int
	// links are the addresses that were opened, by subgoal.
	links map[string]bool
	// holds is what something that opens held when it was open last: the best worth
	// of what was not there without it.
	holds map[string]float64
	trail []string // keys of the places to go back to
	// renamed are the keys of controls whose generated identifiers another drawing of
	// their page has changed, with those that they had.
	renamed map[string]string
}

func newSite() site {
	return site{places: map[string]*place{}, homes: map[string]string{}, bars: map[string]bool{}, tried: map[string]int{}, links: map[string]bool{}, holds: map[string]float64{}, renamed: map[string]string{}}
}

// place is what is remembered of one page.
type place struct {
	key, url string
	visits   int
	screens  int              // screenfuls looked at
	settled  bool             // looked through: what is good enough counts now
	ends     boxes            // what of it was seen to its end
	looked   spans            // the parts of it that were on the screen
	seen     map[string]sight // controls that were noticed
	passed   map[string]bool  // controls that were on the screen, noticed or not
	read     map[string]bool  // passages that were read
	left     float64          // the best untried worth when it was left
	searched bool
	opened   map[string]int  // menus that were opened, by the visit
	covered  map[string]bool // controls under something that was not put away
	away     int             // layers put away here
	subgoal  int             // for which it was looked through
	promised float64         // the scent of what led here for that subgoal
}

// boxes are what is scrolled: the page, a layer over it, a box in it.
type boxes int

const (
	whole boxes = 1 << iota
	layer
	inner
)

// spans are parts of a page from top to bottom, in CSS px, apart from each other.
type spans [][2]float64

// with are the parts and another one.
func (s spans) with(top, bottom float64) (all spans) {
	for _, part := range s {
		if part[1] < top || part[0] > bottom {
			all = append(all, part)
			continue
		}
		top, bottom = min(top, part[0]), max(bottom, part[1])
	}
	return append(all, [2]float64{top, bottom})
}

// lacks reports whether something of some height, in CSS px, between two places is in none
// of the parts.
func (s spans) lacks(top, bottom, height float64) bool {
	missing := bottom - top
	for _, part := range s {
		missing -= max(0, min(bottom, part[1])-max(top, part[0]))
	}
	return missing >= height
}

// sight is when a control was first noticed: at which step, and after how many times reading on.
type sight struct{ step, screen int }

func (st *site) at(p *walk.Page) *place {
	key := strings.TrimRight(walk.StateKey(p), "?#")
	pl := st.places[key]
	if pl == nil {
		pl = &place{key: key, url: p.URL, seen: map[string]sight{}, passed: map[string]bool{}, read: map[string]bool{}, opened: map[string]int{}, covered: map[string]bool{}}
		st.places[key] = pl
	}
	return pl
}

// meet takes a control in: the same one on another place is the site's bar.
func (st *site) meet(key, place string) {
	home, known := st.homes[key]
	switch {
	case !known:
		st.homes[key] = place
	case home != place && !st.bars[key]:
		for n := range mostSubgoals { // what was tried at home was tried everywhere
			st.tried[strconv.Itoa(n)+"||"+key] += st.tried[st.tryKey(n, home, key)]
		}
		st.bars[key] = true
	}
}

// mostSubgoals is how many a goal has.
const mostSubgoals = 8

// keyOf finds the same control again on a later look and on other pages: by
// what it is, what it is called and where it leads, else by its place in the
// document.
func keyOf(e *walk.Element) string {
	if e.Href != "" {
		_, part, _ := strings.Cut(e.Href, "#")
		return e.Role + "|" + e.Name + "|" + walk.Path(e.Href) + "#" + part
	}
	return e.Role + "|" + e.Name + "|" + e.Selector
}

// key is that of a control, whatever its page calls it by now.
func (st *site) key(e *walk.Element) string {
	key := keyOf(e)
	if was, ok := st.renamed[key]; ok {
		return was
	}
	return key
}

// redraw finds the controls of a place again whose selectors differ by numbers alone from those
// of controls of their name that stood there and are gone: a page that draws itself anew counts on.
func (st *site) redraw(pl *place, elements []walk.Element) {
	here, lost := map[string]bool{}, map[string]string{}
	for i := range elements {
		here[st.key(&elements[i])] = true
	}
	for key := range pl.passed {
		if shape := shape(key); !here[key] && shape != "" && (lost[shape] == "" || key < lost[shape]) {
			lost[shape] = key
		}
	}
	for i := range elements {
		key := keyOf(&elements[i])
		if shape := shape(key); !pl.passed[st.key(&elements[i])] && elements[i].Href == "" && lost[shape] != "" {
			st.renamed[key], lost[shape] = lost[shape], ""
		}
	}
}

// shape is a key without the numbers of its selector, "" for one that has none.
func shape(key string) string {
	at := strings.LastIndexByte(key, '|')
	numbers := numberless(key[at+1:])
	if numbers == "" {
		return ""
	}
	return key[:at+1] + numbers
}

// tries is how often a control was used in vain for a subgoal: on this place,
// or anywhere when it belongs to the site's bar.
func (st *site) tries(subgoal int, place, key string) int {
	return st.tried[st.tryKey(subgoal, place, key)]
}

func (st *site) try(subgoal int, place, key string, n int) {
	k := st.tryKey(subgoal, place, key)
	st.tried[k] = max(0, st.tried[k]+n)
}

func (st *site) tryKey(subgoal int, place, key string) string {
	if st.bars[key] {
		place = ""
	}
	return strconv.Itoa(subgoal) + "|" + place + "|" + key
}

// was reports whether an address was opened for a subgoal.
func (st *site) was(subgoal int, href string) bool {
	return st.links[strconv.Itoa(subgoal)+"|"+cutFragment(href)]
}

func (st *site) visit(subgoal int, href string) {
	st.links[strconv.Itoa(subgoal)+"|"+cutFragment(href)] = true
}

func (st *site) unvisit(subgoal int, href string) {
	delete(st.links, strconv.Itoa(subgoal)+"|"+cutFragment(href))
}

// cutFragment is an address without what names a part of its page.
func cutFragment(href string) string {
	document, route := walk.SplitRoute(href)
	if route != "" {
		document = href
	}
	return strings.TrimSuffix(document, "/")
}

// astern is the best that the places behind promise, by what was left there.
func (st *site) astern() float64 {
	best := 0.0
	for _, key := range st.trail {
		if pl := st.places[key]; pl != nil {
			best = math.Max(best, pl.left)
		}
	}
	return best
}
