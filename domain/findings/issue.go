package findings

import "understudy/domain/walk"

// Issue is one root cause with its evidence, as reports show it.
type Issue struct {
	ID          string
	Rank        int
	Kind        string
	Title       string
	Description string
	// Severity: 4 blocked, 3 abandoned or a long detour, 2 delayed, 1 a rule
	// says so and nobody was impeded, or one person of several went astray.
	Severity      int
	SeverityLabel string
	// Folded: below the first ten, or a note.
	Folded    bool
	Frequency Frequency
	Cost      Cost
	// Proven is how many sessions ended because of it, as a replay of one of them has shown.
	Proven     int
	Criteria   []string
	PageURL    string
	Element    *Element
	Evidence   []Evidence
	Suggestion string
	Standard   string
	// Places are where the cause shows, those that touched most sessions first.
	Places []Place
	// Turn tells of a page where people turned back, nil for other issues.
	Turn *Turn
	// Score is what the rank follows.
	Score float64
}

// Hindered reports whether somebody was held up by it. What nobody was is a note.
func (i *Issue) Hindered() bool { return i.Severity > 1 || i.Cost.Ended+i.Cost.Slowed > 0 }

// Cost is what an issue cost the sessions that it affected: how many it ended, how many
// others went on after it, and the mean simulated time in seconds that each of those lost.
type Cost struct {
	Ended   int
	Slowed  int
	Seconds float64
}

// Place is one element, or part, of a page at which a cause shows.
type Place struct {
	PageURL string
	Element *Element
	Detail  string
	// Sessions is how many it touched; Shown is a step that shows it.
	Sessions int
	Shown    Evidence
}

// Turn is a page where sessions turned back without success.
type Turn struct {
	// Expected are the task's own words for what was looked for.
	Expected []string
	// Taken is what they went on with there in vain, NotTaken what else was on offer;
	// Ways what would have led on, KnownBy how that is known: sessions, links, page (others
	// found it there), unknown.
	Taken    []Offer
	NotTaken []Offer
	Ways     []Offer
	KnownBy  string
}

// Offer is a control that was on offer where people turned back.
type Offer struct {
	Role     string
	Name     string
	Selector string
	// Sessions is how many took it, of a way how many took it that succeeded.
	Sessions int
	// Noticed is seen, unread (on the screen, but nameless, faint, or a mere shape) or
	// unseen.
	Noticed string
}

// Frequency is how many of the sessions that met the page were affected, with
// the 95 % Wilson interval of the share.
type Frequency struct {
	Affected int
	Total    int
	Low      float64
	High     float64
}

// Evidence points into a session's trace.
type Evidence struct {
	SessionID string
	Step      int
	Quote     string
	// Box of what is meant at that very step, in CSS px from the top left of a
	// viewport that is ViewportWidth wide; nil where nothing on the screen is.
	Box           *walk.Box
	ViewportWidth int
}

// LimitNote is one limit of the simulation and how many sessions it touched.
type LimitNote struct {
	Kind        string
	Description string
	Sessions    int
}

// SeverityLabels by severity.
var SeverityLabels = [...]string{"none", "note", "minor", "major", "critical"}
