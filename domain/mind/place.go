package mind

import "strings"

// place is what is remembered of one page.
type place struct {
	key     string
	url     string
	visits  int
	tried   map[string]int
	aimed   map[string]int // how often was aimed at a thing
	opened  map[string]int // the visit on which a menu was last opened
	seen    map[string]sight
	screens int
	found   int // the screenful that first held something promising
	bottom  bool
	settled bool            // second pass: the lower aspiration counts
	read    map[string]bool // sections that a link led to, by its name
	sought  bool
	menus   int
	scents  float64
	count   float64
	best    float64 // strongest scent seen here so far
	before  float64 // the same before the last look
	offers  float64 // second-best untried scent when it was left
}

// sight is when a thing on a page was first noticed.
type sight struct {
	step   int
	screen int // 1 for the first screenful
}

func (pl *place) saw(key string) bool {
	_, ok := pl.seen[key]
	return ok
}

// form is the place as far as its forms go: one that comes back with a word of
// thanks in its address is still the same.
func (pl *place) form() string {
	_, heading, _ := strings.Cut(pl.key, "|")
	return path(pl.url) + "|" + heading
}

// touchWidth is the viewport width below which people use a finger.
const touchWidth = 900

// placeKey identifies a page: its address and what it calls itself, so that
// single-page applications have pages too.
func placeKey(p *Page) string {
	u := strings.TrimSuffix(strings.TrimSuffix(p.URL, "#!"), "/")
	if i := strings.IndexByte(u, '#'); i >= 0 && !strings.HasPrefix(u[i:], "#/") && !strings.HasPrefix(u[i:], "#!") {
		u = strings.TrimSuffix(u[:i], "/")
	}
	for i := range p.Texts {
		if t := &p.Texts[i]; t.Kind == "heading" && t.Level <= 1 && !t.InDialog {
			return u + "|" + clip(t.Text, 80)
		}
	}
	return u + "|" + clip(p.Title, 80)
}

// StateKey identifies the state that a page is in for counting distinct states
// (lostness) and for comparing paths. Pages of one address and main heading are one.
func StateKey(p *Page) string { return placeKey(p) }

func elementKey(e *Element) string {
	// Where a site is served from does not change how it is perceived, and a
	// thing that was opened is the same whichever way its triangle points.
	return e.Role + "|" + strings.TrimLeft(e.Name, "►▸▹⯈▼▾▿⯆ ") + "|" + path(e.Href) + "?" + query(e.Href) + "|" + e.Selector
}
