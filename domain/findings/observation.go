package findings

import (
	"regexp"
	"strings"

	"understudy/domain/walk"
)

// Channel keeps what impeded somebody apart from what an audit says.
type Channel string

// The channels.
const (
	// Observed: a step of someone was impeded.
	Observed Channel = "observed"
	// Static: a rule says so, nobody was impeded; an appendix.
	Static Channel = "static"
	// Limit: the simulation could not go on; never an issue of the page.
	Limit Channel = "limit"
)

// Consequence is what an observation cost the session.
type Consequence string

// The consequences, worst first. Detection knows of recoveries only; what a
// lost session is to be blamed on is decided with all sessions in view (Rank).
const (
	ConsequenceBlocked   Consequence = "blocked"
	ConsequenceAbandoned Consequence = "abandoned"
	ConsequenceDetour    Consequence = "detour" // more than twice what was needed
	ConsequenceRecovered Consequence = "recovered"
	ConsequenceNone      Consequence = "none"
)

// Element is what an observation or an issue points at. Its box is that of the
// observation's own step, in CSS px from the top left of the viewport.
type Element struct {
	Role     string
	Name     string
	Selector string
	Box      walk.Box
}

// Observation is one thing that went wrong at one step of one session.
type Observation struct {
	Kind    string
	Channel Channel
	// Template is the page's address without what varies (Template), Place the
	// state that the page was in (placeOf).
	Template string
	Place    string
	PageURL  string
	Element  *Element
	// Area of the page concerned where it is no element: a dialog, a text.
	Area *walk.Box
	// Viewport that the element's box is relative to, in CSS px.
	Viewport walk.Size
	Step     int
	// Quote of the trace, Detail in a few words.
	Quote       string
	Detail      string
	Consequence Consequence
	// CostMS is the simulated time that it cost.
	CostMS int
	// Deterministic faults reproduce for everybody: one session proves them.
	Deterministic bool
	// Resolved: the walk went on from here after all.
	Resolved bool
	// Astray: the walk got lost somewhere behind this place, which is the last one
	// that was certainly right. Sessions that got further know better.
	Astray bool
	// Compliant: what was overlooked meets WCAG's contrast. Some people cannot see
	// it all the same.
	Compliant bool
	// Unmet: it hinders people unlike this session's only, who came across it.
	Unmet bool
	// Guess: the walk went on from here by something that promised little, and was
	// lucky. It counts where others went on by other things.
	Guess bool
	// Leads is the template of the address that failed: what links to one broken
	// page, and buttons that send to it, are one matter.
	Leads string
	// Rivals are the selectors of the elements that promised as much.
	Rivals []string
	// proven by a replay without the barrier, slight beside what the whole walk
	// took; known to the ranking only.
	proven, slight bool
}

var (
	varying    = regexp.MustCompile(`^(?:\d+|[0-9a-fA-F]{8,}|[0-9a-fA-F-]{32,36}|[A-Za-z]*_?\d{3,}[A-Za-z0-9_-]*)$`)
	selectorID = regexp.MustCompile(`(#[A-Za-z_-]*)(?:\d{4,}|[0-9a-f]{8,})[0-9a-fA-F_-]*`)
)

// Template is an address without scheme, query and fragment, without the file that stands
// for its folder, and with numbers and identifiers in its path replaced by ":id", so that
// one page has one name and pages of one kind count as one.
func Template(raw string) string {
	_, rest, ok := strings.Cut(raw, "://")
	if !ok {
		rest = raw
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	parts := strings.Split(strings.TrimSuffix(rest, "/"), "/")
	if last := len(parts) - 1; last > 0 && (parts[last] == "index.html" || parts[last] == "index.htm") {
		parts = parts[:last]
	}
	for i := 1; i < len(parts); i++ {
		if varying.MatchString(parts[i]) {
			parts[i] = ":id"
		}
	}
	return strings.Join(parts, "/")
}

// placeOf identifies the state of a page across sessions: the template of its
// address, the route of a single-page application, and its main heading.
func placeOf(p *walk.Page) string {
	place := Template(p.URL)
	if _, route := walk.SplitRoute(p.URL); route != "" {
		place += "#" + Template("/"+route)
	}
	_, heading, _ := strings.Cut(walk.StateKey(p), "|")
	return clip(place, 200) + "|" + heading
}

// normalSelector drops the long numbers of generated ids. Short ones tell things
// of one page apart (address1 and address2).
func normalSelector(e *Element) string {
	if e == nil {
		return ""
	}
	if e.Selector == "" {
		return e.Role + "|" + strings.ToLower(e.Name)
	}
	return selectorID.ReplaceAllString(e.Selector, "$1*")
}

func pointAt(e *walk.Element) *Element {
	if e == nil {
		return nil
	}
	return &Element{Role: e.Role, Name: clip(e.Name, maxName), Selector: e.Selector, Box: e.Box}
}

// maxName bounds the names of elements, which pages can make as long as they like.
const maxName = 200

func elementBySelector(p *walk.Page, selector string) *walk.Element {
	if selector == "" {
		return nil
	}
	for i := range p.Elements {
		if e := &p.Elements[i]; e.Selector == selector {
			return e
		}
	}
	return nil
}

func clip(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n]) + "…"
}
