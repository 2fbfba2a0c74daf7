package findings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// together are the kinds of which one cause shows at several places, with the title for
// more than one: the worst by its name and how many others there are; of what is a
// page's matter how many pages.
var together = map[string]string{
	LowContrast: "%s and %d more are hard to read", SmallTarget: "%s and %d more are hard to hit",
	UnlabelledField: "%s and %d more do not say what they want", UnclearLabel: "%s and %d more do not say what they do",
	DeadClick:         "Nothing happens when %s and %d more are clicked",
	ErrorClick:        "Clicking %s and %d more causes an error",
	Interruption:      "The same dialog or banner gets in the way on %d pages",
	AccessibilityRule: "%s and %d more break an accessibility rule", MouseOnly: "%s and %d more cannot be used without a mouse",
	NeedlessField: "%s and %d more ask for what the task does not need",
	SlowPage:      "%d pages take long to come to rest", LayoutShift: "%d pages jump while they are being read",
	ScriptError: "A script fails on %d pages", UnfamiliarWords: "Many words on %d pages are hard for these visitors",
	WallOfText: "Walls of text on %d pages",
}

// class tells apart the causes of one kind that are put right in different ways. What is
// no kind of several places, or a matter of words, has none.
func class(o *Observation) (string, bool) {
	switch _, ok := together[o.Kind]; {
	case !ok:
		return "", false
	case o.Kind == UnclearLabel:
		return "", o.Element == nil || unnamed(o.Element.Name) || o.Detail == onlyShape
	case o.Kind == AccessibilityRule || o.Kind == ScriptError || o.Kind == UnlabelledField:
		return o.Detail, true
	case o.Kind == ErrorClick || o.Kind == Interruption:
		return o.Detail, o.Detail != ""
	case o.Kind == DeadClick:
		return o.Detail, strings.HasPrefix(o.Detail, leadsNowhere)
	}
	return "", true
}

// leadsNowhere begins what is said of a link whose address is a placeholder.
const leadsNowhere = "its address is "

// onlyShape is what is said of a control that shows a shape instead of its name.
const onlyShape = "no words, only a shape"

// group is the clusters of one cause: where it shows.
type group struct {
	cluster
	places []*cluster
}

// grouped gathers the clusters of one cause. Controls that impeded somebody are told page
// by page, pages that share one of them together; those that impeded nobody go with them
// where there is such a page, else with their like on all pages, and so does what is a
// page's matter.
func (cs *clusters) grouped() []*group {
	impeded := map[string]bool{}
	shared := cs.sharing()
	key := func(c *cluster, page string) string {
		class, _ := class(&c.sample)
		if page = shared.of(page); !strings.Contains(together[c.sample.Kind], "%s") {
			page = ""
		}
		return strings.Join([]string{c.sample.Kind, class, page}, "\x00")
	}
	for _, c := range cs.by {
		if _, several := class(&c.sample); several && c.observed() {
			impeded[key(c, c.sample.Template)] = true
		}
	}
	by := map[string]*group{}
	for _, k := range slices.Sorted(maps.Keys(cs.by)) {
		c := cs.by[k]
		if _, several := class(&c.sample); several {
			if k = key(c, c.sample.Template); !impeded[k] {
				k = key(c, "")
			}
		}
		g := by[k]
		if g == nil {
			g = &group{cluster: cluster{key: k, sample: c.sample, sessions: map[string]Observation{}}}
			by[k] = g
		}
		g.places = append(g.places, c)
		for _, id := range c.order {
			g.put(id, c.sessions[id])
		}
		if len(g.places) == 1 {
			g.sample = c.sample // the page that stands for a failure that several lead to
		}
	}
	out := slices.Collect(maps.Values(by))
	for _, g := range out {
		slices.SortFunc(g.places, func(a, b *cluster) int {
			return cmp.Or(cmp.Compare(costOf(&b.sample), costOf(&a.sample)), cmp.Compare(b.touched(), a.touched()), cmp.Compare(a.key, b.key))
		})
	}
	return out
}

// pages maps the template of a page to that of one with which it shares a control.
type pages map[string]string

// of is the page that stands for all that share a control with one.
func (p pages) of(page string) string {
	for p[page] != "" {
		page = p[page]
	}
	return page
}

// sharing are the pages on which one and the same control (a site's menu, a search box)
// impeded somebody in the same way.
func (cs *clusters) sharing() pages {
	out, first := pages{}, map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(cs.by)) {
		c := cs.by[k]
		e := c.sample.Element
		if e == nil || unnamed(e.Name) || !c.observed() {
			continue
		}
		control := strings.Join([]string{c.sample.Kind, c.sample.Detail, e.Role, e.Name}, "\x00")
		a, known := first[control]
		if !known {
			first[control] = c.sample.Template
			continue
		}
		if a, b := out.of(a), out.of(c.sample.Template); a != b {
			out[b] = a
		}
	}
	return out
}

func (c *cluster) observed() bool {
	for _, o := range c.sessions {
		if o.Channel == Observed {
			return true
		}
	}
	return false
}

// touched is how many sessions met what the cluster is about.
func (c *cluster) touched() (n int) {
	for _, o := range c.sessions {
		n += here(!o.Unmet)
	}
	return n
}

// maxPlaces bounds the places that an issue names, maxFolded those of one that is folded.
const maxPlaces, maxFolded = 10, 3

// where are the places of a group, its own element first.
func (g *group) where() (out []Place) {
	for _, c := range g.places[:min(len(g.places), maxPlaces)] {
		id := c.worst()[0]
		o := c.sessions[id]
		out = append(out, Place{
			PageURL: c.sample.PageURL, Element: c.sample.Element, Detail: c.sample.Detail, Sessions: c.touched(), Shown: evidenceOf(id, &o),
		})
	}
	return out
}

// things is how many controls the places of a group are; one on several pages counts once.
func (g *group) things() int {
	names := map[string]bool{}
	for _, c := range g.places {
		key := c.key
		if e := c.sample.Element; e != nil && !unnamed(e.Name) {
			key = e.Role + "\x00" + e.Name
		}
		names[key] = true
	}
	return len(names)
}

// title is that of the group's worst place, and how many others there are.
func (g *group) title() string {
	format, n := together[g.sample.Kind], g.things()
	if g.sample.Detail == onlyPlaceholder {
		format = "%s and %d more say what they want only until typing begins"
	}
	switch {
	case n < 2:
		return titled(&g.sample)
	case strings.Contains(format, "%s"):
		return fmt.Sprintf(format, namedIn(format, g.sample.Element), n-1)
	}
	return fmt.Sprintf(format, n)
}

// singled leaves one issue for each control: what else is said of it is added to the
// gravest. Issues come ranked; of one that loses places what is left is told anew.
func singled(issues []told, tell func(*group) told) []told {
	first := map[string]int{}
	out := issues[:0]
	for _, issue := range issues {
		g, known := issue.of, -1
		places := slices.DeleteFunc(slices.Clone(g.places), func(c *cluster) bool {
			at, taken := first[c.control()]
			if taken {
				known = at
			}
			return taken
		})
		if len(places) == 0 {
			out[known].Description += " Also: " + lowerFirst(issue.Title) + detailIn(&g.sample) + "."
			continue
		}
		for _, c := range places {
			if key := c.control(); key != "" {
				first[key] = len(out)
			}
		}
		if len(places) < len(g.places) {
			issue = tell(groupOf(g.key, places))
		}
		issue.Places = issue.of.where()
		out = append(out, issue)
	}
	return out
}

// groupOf is a group of some places, the first of which stands for it.
func groupOf(key string, places []*cluster) *group {
	g := &group{cluster: cluster{key: key, sessions: map[string]Observation{}}, places: places}
	for _, c := range places {
		for _, id := range c.order {
			g.put(id, c.sessions[id])
		}
	}
	g.sample = places[0].sample
	return g
}

// control is what a cluster is about, "" where it is no control of a page.
func (c *cluster) control() string {
	if c.sample.Element == nil || c.sample.Kind == LostScent {
		return ""
	}
	return c.sample.Template + "\x00" + normalSelector(c.sample.Element)
}

func detailIn(o *Observation) string {
	if o.Detail == "" {
		return ""
	}
	return " (" + o.Detail + ")"
}

func lowerFirst(s string) string {
	if s == "" || strings.HasPrefix(s, "“") {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
