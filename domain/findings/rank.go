package findings

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"understudy/domain"
	"understudy/domain/stats"
)

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

// Rank merges the observations of all sessions of a test into issues, one for each cause
// with the places where it shows and one for each control: what ended walks or sent them
// a long way round first, then what cost time, then what only could; of these by the Wilson lower bound of affected ÷ exposed × the share of sessions exposed × cost.
// Limits of the simulation come apart and are never issues. The result does not depend
// on the order of the sessions beyond the order of evidence.
func Rank(sessions []Session) (issues []Issue, limits []LimitNote) {
	known := waysOf(sessions)
	all := clusters{by: map[string]*cluster{}, of: map[string]*Session{}}
	limited, named := map[string]map[string]bool{}, map[string]map[string]bool{}
	for i := range sessions {
		s := &sessions[i]
		all.of[s.SessionID] = s
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
	groups := slices.DeleteFunc(all.grouped(), func(g *group) bool { return g.passing(all.exposed(g)) })
	tell := func(g *group) told {
		i := g.issue(all.exposed(g), len(sessions), len(known.left) > 0)
		if i.Kind == LostScent {
			g.turnedBack(&i, all.of, &known)
		}
		return told{i, g}
	}
	ranked := make([]told, len(groups))
	for i, g := range groups {
		ranked[i] = tell(g)
	}
	slices.SortFunc(ranked, byCost)
	ranked = singled(ranked, tell)
	slices.SortFunc(ranked, byCost)
	for _, t := range ranked {
		issues = append(issues, t.Issue)
	}
	for i := range issues {
		issues[i].Rank, issues[i].Folded = i+1, i >= maxShown || issues[i].Severity <= 1
		if issues[i].Folded {
			issues[i].Places = issues[i].Places[:min(len(issues[i].Places), maxFolded)]
		}
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

// told is an issue and the group that it tells of.
type told struct {
	Issue
	of *group
}

// byCost is the order in which issues are told.
func byCost(a, b told) int {
	return cmp.Or(cmp.Compare(b.tier(), a.tier()), cmp.Compare(b.Score, a.Score), cmp.Compare(b.Severity, a.Severity),
		cmp.Compare(len(b.of.places), len(a.of.places)), cmp.Compare(a.ID, b.ID))
}

// passing: fewer than leastShare of those who met it missed the way there, and all of
// them put it right. That many do on any page; nothing about it shows that it is to blame.
func (g *group) passing(exposed int) bool {
	if !wanderings[g.sample.Kind] || float64(len(g.sessions)) >= leastShare*float64(exposed) {
		return false
	}
	for _, o := range g.sessions {
		if o.Channel != Observed || o.Consequence != ConsequenceRecovered || o.proven {
			return false
		}
	}
	return true
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

// maxShown is how many issues a report shows unfolded.
const maxShown = 10

// tier orders what ended walks before what cost time, and that before what only could.
func (i *Issue) tier() int {
	if !i.Hindered() {
		return 0
	}
	return min(i.Severity, 3)
}

// exposed is how many sessions came to a page of the group.
func (cs *clusters) exposed(g *group) int {
	n := 0
	for _, s := range cs.of {
		n += here(slices.ContainsFunc(g.places, func(c *cluster) bool { return slices.Contains(s.Templates, c.sample.Template) }))
	}
	return max(n, len(g.sessions))
}

// worst are the sessions of a cluster, the one that it cost most first.
func (c *cluster) worst() []string {
	ids := slices.Clone(c.order)
	slices.SortStableFunc(ids, func(a, b string) int {
		x, y := c.sessions[a], c.sessions[b]
		return cmp.Or(cmp.Compare(here(x.Unmet), here(y.Unmet)), cmp.Compare(costOf(&y), costOf(&x)))
	})
	return ids
}

// issue is what a group comes to among the sessions exposed to its pages and
// all of the test; compared: some session succeeded, so that ways can be compared.
func (g *group) issue(exposed, total int, compared bool) Issue {
	affected := g.touched()
	low, high := stats.Wilson(affected, exposed, stats.Z95)
	weight, proven, lostMS := 0.0, 0, 0
	observed := false
	var cost Cost
	for _, id := range g.order {
		o := g.sessions[id]
		weight += costOf(&o)
		observed = observed || o.Channel == Observed
		proven += here(o.proven)
		switch {
		case o.Consequence == ConsequenceBlocked || o.Consequence == ConsequenceAbandoned:
			cost.Ended++
		case o.Channel == Observed && o.CostMS > 0:
			cost.Slowed++
			lostMS += o.CostMS
		}
	}
	if cost.Slowed > 0 {
		cost.Seconds = math.Round(float64(lostMS)/float64(cost.Slowed)/100) / 10
	}
	weight /= float64(len(g.order))
	if g.lone(total) {
		weight, observed = costStatic, false
	}
	severity := g.severity(exposed, observed)
	if g.sample.Kind == LostScent && proven == 0 {
		if !agreed(affected, exposed, total, compared) {
			severity = min(severity, 2)
		}
		if cost.Ended == 0 && 2*affected < exposed {
			severity = min(severity, 1)
		}
	}
	t := wordsOf(&g.sample)
	i := Issue{
		ID:   "iss_" + strings.ReplaceAll(domain.DeriveUUID("issue", g.key).String(), "-", ""),
		Kind: g.sample.Kind, Title: g.title(), Description: t.description + detailIn(&g.sample),
		Severity: severity, SeverityLabel: SeverityLabels[severity], Cost: cost,
		Frequency: Frequency{Affected: affected, Total: exposed, Low: round4(low), High: round4(high)}, Proven: proven,
		Criteria: append([]string{}, t.criteria...), PageURL: g.sample.PageURL, Element: g.sample.Element,
		Suggestion: advice(&g.sample), Standard: t.standard,
		Score: low * float64(exposed) / float64(max(1, total)) * weight,
	}
	if ids := g.worst(); affected > 0 {
		for _, id := range ids[:min(affected, maxEvidence)] {
			o := g.sessions[id]
			i.Evidence = append(i.Evidence, evidenceOf(id, &o))
		}
	} else {
		i.Description += " " + nobodyMet[g.sample.Kind]
		o := g.sessions[ids[0]]
		i.Evidence = append(i.Evidence, evidenceOf(ids[0], &o))
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
	nameless := o.Element != nil && unnamed(o.Element.Name)
	switch {
	case o.proven || o.Kind == UnclearLabel && nameless:
		return false
	case o.Kind == DeadClick: // one long shot
		return !o.Deterministic
	case o.Kind == SmallTarget: // one slip
		return o.Consequence == ConsequenceRecovered
	case o.Kind == LowContrast: // one person's eyes, where WCAG's contrast is kept
		return o.Compliant && o.Consequence == ConsequenceRecovered
	case o.Kind == UnclearLabel || o.Kind == HiddenInMenu || o.Kind == BelowFold:
		return o.Consequence == ConsequenceRecovered
	}
	return wanderings[o.Kind]
}

// severity follows the consequences. Two sessions, or one that was ended by what is
// deterministic, for the severities that stop releases; a barrier that is
// neither proven nor deterministic must also have stopped its share of those
// who met it.
func (c *cluster) severity(exposed int, observed bool) int {
	blocked, abandoned, detours, sure := 0, 0, 0, 0
	for _, id := range c.order {
		switch o := c.sessions[id]; o.Consequence {
		case ConsequenceBlocked:
			blocked++
			sure += here(o.proven)
		case ConsequenceAbandoned:
			abandoned++
			sure += here(o.proven)
		case ConsequenceDetour:
			detours++
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
	lost := abandoned + blocked
	switch {
	case enough(blocked):
		return 4
	case enough(lost), lost+detours >= 2 && float64(lost+detours) >= detourShare*float64(exposed):
		return 3
	case observed:
		return 2
	}
	return 1
}

// detourShare of those who met the page must have gone a long way round, or been lost,
// for that to be severe where most get there in the end (an assumption).
const detourShare = 0.5

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
