package findings

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"understudy/domain"
	"understudy/domain/stats"
	"understudy/domain/walk"
)

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
	// Ways what would have led on, KnownBy how that is known: sessions, links, unknown.
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

// costs of consequences; a recovery costs at most 0.4, by the time it took.
const (
	costBlocked   = 1.0
	costAbandoned = 0.8
	costDetour    = 0.4
	costStatic    = 0.02
	// recoveredFullMS is the delay at which a recovery costs all of its 0.4.
	recoveredFullMS = 60000
)

// maxEvidence bounds the evidence that an issue carries; the worst come first.
const maxEvidence = 10

// leastShare of the sessions that met the page must be lost to a barrier that
// is neither deterministic nor proven before it is severe: fewer are what
// people differ by (about one in ten gives up a task that can be done; an
// assumption, calibrated on our clean sites).
const leastShare = 0.2

type cluster struct {
	key      string
	sample   Observation
	sessions map[string]Observation // the worst of each session
	order    []string
}

// Rank merges the observations of all sessions of a test into issues, one per
// detector, normalised selector and page template, ordered by the Wilson lower
// bound of affected ÷ exposed × the share of sessions exposed × cost. Limits of
// the simulation come apart and are never issues. The result does not depend
// on the order of the sessions beyond the order of evidence.
func Rank(sessions []Session) (issues []Issue, limits []LimitNote) {
	known := waysOf(sessions)
	all := clusters{by: map[string]*cluster{}, of: map[string]*Session{}}
	exposed := map[string]int{}
	limited, named := map[string]map[string]bool{}, map[string]map[string]bool{}
	for i := range sessions {
		s := &sessions[i]
		all.of[s.SessionID] = s
		for _, t := range s.Templates {
			exposed[t]++
		}
		for _, o := range blamed(s, &known) {
			if o.Channel != Limit {
				all.add(s.SessionID, o)
				continue
			}
			if limited[o.Kind] == nil {
				limited[o.Kind], named[o.Kind] = map[string]bool{}, map[string]bool{}
			}
			limited[o.Kind][s.SessionID] = true
			switch o.Kind {
			case LimitScript:
				for _, host := range strings.Split(o.Detail, ", ") {
					named[o.Kind][host] = true
				}
			case LimitPage:
				named[o.Kind][o.Detail] = true
			}
		}
	}
	for _, c := range all.by {
		c.represent()
	}
	all.mergeEffects()
	for _, c := range all.by {
		issues = append(issues, c.issue(max(exposed[c.sample.Template], len(c.sessions)), len(sessions), len(known.left) > 0))
	}
	slices.SortFunc(issues, func(a, b Issue) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.ID, b.ID))
	})
	for i := range issues {
		issues[i].Rank = i + 1
	}
	for kind, by := range limited {
		note := LimitNote{Kind: kind, Description: texts[kind].title, Sessions: len(by)}
		if len(named[kind]) > 0 {
			note.Description += ": " + strings.Join(slices.Sorted(maps.Keys(named[kind])), ", ")
		}
		limits = append(limits, note)
	}
	slices.SortFunc(limits, func(a, b LimitNote) int { return cmp.Compare(a.Kind, b.Kind) })
	return issues, limits
}

// costOf is what one observation cost its session, 0 to 1.
func costOf(o *Observation) float64 {
	if o.Channel == Static || o.slight {
		return costStatic
	}
	switch o.Consequence {
	case ConsequenceBlocked:
		return costBlocked
	case ConsequenceAbandoned:
		return costAbandoned
	case ConsequenceDetour:
		return costDetour
	case ConsequenceRecovered, ConsequenceNone:
	}
	return 0.05 + 0.35*math.Min(1, float64(o.CostMS)/recoveredFullMS)
}

// issue is what a cluster comes to among the sessions exposed to its page and
// all of the test; compared: some session succeeded, so that ways can be compared.
func (c *cluster) issue(exposed, total int, compared bool) Issue {
	affected := len(c.sessions)
	low, high := stats.Wilson(affected, exposed, stats.Z95)
	cost, proven := 0.0, 0
	observed := false
	for _, id := range c.order {
		o := c.sessions[id]
		cost += costOf(&o)
		observed = observed || o.Channel == Observed
		proven += here(o.proven)
	}
	cost /= float64(affected)
	if c.lone(total) {
		cost, observed = costStatic, false
	}
	severity := c.severity(exposed, observed)
	if c.sample.Kind == LostScent && proven == 0 && !agreed(affected, exposed, total, compared) {
		severity = min(severity, 2)
	}
	t := texts[c.sample.Kind]
	i := Issue{
		ID:   "iss_" + strings.ReplaceAll(domain.DeriveUUID("issue", c.key).String(), "-", ""),
		Kind: c.sample.Kind, Title: titled(&c.sample), Description: t.description,
		Severity: severity, SeverityLabel: SeverityLabels[severity],
		Frequency: Frequency{Affected: affected, Total: exposed, Low: round4(low), High: round4(high)}, Proven: proven,
		Criteria: append([]string{}, t.criteria...), PageURL: c.sample.PageURL, Element: c.sample.Element,
		Suggestion: t.suggestion, Standard: t.standard,
		Score: low * float64(exposed) / float64(max(1, total)) * cost,
	}
	if c.sample.Detail != "" {
		i.Description += " (" + c.sample.Detail + ")"
	}
	ids := slices.Clone(c.order)
	slices.SortStableFunc(ids, func(a, b string) int {
		x, y := c.sessions[a], c.sessions[b]
		return cmp.Compare(costOf(&y), costOf(&x))
	})
	for _, id := range ids[:min(len(ids), maxEvidence)] {
		o := c.sessions[id]
		i.Evidence = append(i.Evidence, evidenceOf(id, &o))
	}
	return i
}

// agreedShare of all sessions must have been lost at one page for it to be
// called the reason when nobody reached the goal: without a way that works to
// hold against it, where people gave up says little of where they went wrong.
// Where others did reach it, lostShare of those who met the page must have been
// lost there: that some search where most go on is what people differ by, as
// long as nothing is seen that misled them (both are assumptions).
const agreedShare, lostShare = 0.75, 0.5

// agreed: enough people were lost at one page for it to be a major fault
// although nothing is known to be wrong with it.
func agreed(affected, exposed, total int, compared bool) bool {
	if compared {
		return float64(affected) >= lostShare*float64(exposed)
	}
	return float64(affected) >= agreedShare*float64(total)
}

// severalSessions is how many sessions a test needs before one of them is one
// person's way of looking and no evidence about the page (an assumption).
const severalSessions = 3

// lone: of several people one went astray or looked longer here. People read
// labels differently and make slips, so that this is to be expected on any page.
func (c *cluster) lone(total int) bool {
	if len(c.sessions) > 1 || total < severalSessions {
		return false
	}
	o := c.sessions[c.order[0]]
	nameless := o.Element != nil && strings.TrimSpace(o.Element.Name) == ""
	switch {
	case o.proven || o.Kind == UnclearLabel && nameless:
		return false
	case o.Kind == SmallTarget: // one slip on what meets WCAG's least size
		return o.Element != nil && min(o.Element.Box.W, o.Element.Box.H) >= leastTarget
	case o.Kind == LowContrast: // one person's eyes, where WCAG's contrast is kept
		return o.Compliant && o.Consequence == ConsequenceRecovered
	case o.Kind == UnclearLabel || o.Kind == HiddenInMenu || o.Kind == BelowFold:
		return o.Consequence == ConsequenceRecovered
	}
	return wanderings[o.Kind]
}

// severity follows the consequences. Two sessions, or one reproduction of what
// is deterministic, for the severities that stop releases; a barrier that is
// neither proven nor deterministic must also have stopped its share of those
// who met it.
func (c *cluster) severity(exposed int, observed bool) int {
	blocked, lost, sure := 0, 0, 0
	for _, id := range c.order {
		switch o := c.sessions[id]; o.Consequence {
		case ConsequenceBlocked:
			blocked++
			lost++
			sure += here(o.proven)
		case ConsequenceAbandoned, ConsequenceDetour:
			lost++
			sure += here(o.proven)
		case ConsequenceRecovered, ConsequenceNone:
		}
	}
	enough := func(n int) bool {
		switch {
		case c.sample.Deterministic:
			return n >= 1
		case sure >= 2:
			return n >= 2
		}
		return n >= 2 && float64(n) >= leastShare*float64(exposed)
	}
	switch {
	case enough(blocked):
		return 4
	case enough(lost):
		return 3
	case observed:
		return 2
	}
	return 1
}

func evidenceOf(id string, o *Observation) Evidence {
	e := Evidence{SessionID: id, Step: o.Step, Quote: o.Quote, ViewportWidth: o.Viewport.Width}
	switch {
	case o.Area != nil:
		e.Box = o.Area
	case o.Element != nil && o.Element.Box.W > 0 && o.Element.Box.H > 0:
		e.Box = &o.Element.Box
	default:
		e.ViewportWidth = 0
	}
	return e
}

func round4(v float64) float64 { return math.Round(v*10000) / 10000 }
