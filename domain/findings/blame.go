package findings

import (
	"cmp"
	"slices"

	"understudy/domain/walk"
)

// weightOf is how able a kind is to end a walk by itself: 3 nobody gets past
// it, 2 the way on is there and is not found, 1 the way on is not known to be
// there. Other kinds slow people down and end a walk only where a replay has
// shown that they did.
var weightOf = map[string]int{
	ServerError: 3, RedirectLoop: 3, BrokenLink: 3, ErrorClick: 3, DeadClick: 3, DisabledControl: 3, ForcedAccount: 3,
	FormError: 3, UnspecificError: 3, InputLost: 3, Covered: 3, MouseOnly: 3, NoConfirmation: 3,
	OffScreen: 2, LowContrast: 2, UnclearLabel: 2, HiddenInMenu: 2, BelowFold: 2, CompetingLabels: 2,
	ScriptError: 1, LostScent: 1, EmptySearch: 1,
}

// weight is that of an observation's kind; of a layer that stayed open to the end as of
// what nobody gets past. A long shot that does nothing was no way on: people try such
// things when they are lost already.
func weight(o *Observation) int {
	switch {
	case o.Kind == Interruption && o.Deterministic:
		return 3
	case o.Kind == DeadClick && !o.Deterministic:
		return 0
	}
	return weightOf[o.Kind]
}

// stops: nobody gets past it.
func stops(o *Observation) bool { return o.Channel == Observed && weight(o) == 3 }

// compareBlame orders observations by how likely a lost session is to be blamed
// on them: what was not got past, what nobody gets past, what cost more, what
// came last.
func compareBlame(a, b *Observation) int {
	return cmp.Or(
		cmp.Compare(here(b.proven), here(a.proven)),
		cmp.Compare(here(a.Resolved), here(b.Resolved)),
		cmp.Compare(weight(b), weight(a)),
		cmp.Compare(b.CostMS, a.CostMS),
		cmp.Compare(b.Step, a.Step),
	)
}

// blamed is a session's observations with what its end is to be blamed on:
// the barrier that a replay has proven; else the one where it left the ways of
// the successful; without any to compare with the gravest one that it did not
// get past; nothing of the kind: the page on which it turned back.
func blamed(s *Session, w *ways) []Observation {
	out := slices.Clone(s.Observations)
	if len(s.Visits) == 0 {
		return out // recorded before ways were: its consequences were judged then
	}
	for i := range out {
		out[i].Consequence = ConsequenceNone
		if out[i].Channel == Observed {
			out[i].Consequence = ConsequenceRecovered
		}
	}
	left := w.divergence(s)
	out = slices.DeleteFunc(out, func(o Observation) bool {
		return w.needless(&o) || o.Guess && !w.split(o.Place) || o.Astray && (left != "" && left != o.Place || slices.ContainsFunc(s.Observations, func(c Observation) bool { return s.stopsBehind(&c, o.Place) }))
	})
	cleared := s.replayed(out)
	switch {
	case s.Misled && (left == "" || s.deceived(out, cleared) >= 0):
		if i := s.deceived(out, cleared); i >= 0 {
			out[i].Consequence = s.ending()
			out = s.dropWanderings(out, &out[i])
		}
	case s.Outcome == walk.OutOfSteps && s.passedBy(w) != nil:
		p := s.passedBy(w)
		out = append(dropExplained(s.dropWanderings(out, p), p), *p)
	case s.fellShort():
		if i, promoted := s.culprit(out, w, cleared); promoted != nil {
			out = append(dropExplained(s.dropWanderings(out, promoted), promoted), *promoted)
		} else if i >= 0 {
			out[i].Consequence = s.ending()
			out = s.dropWanderings(out, &out[i])
		} else if o := s.turnedBack(w); o != nil {
			out = append(slices.DeleteFunc(out, func(l Observation) bool { return l.Kind == LostScent && l.Place == o.Place }), *o)
		}
	case s.Succeeded:
		s.detour(out, cleared)
		out = append(out, s.barred(out, w)...)
	}
	out = slices.DeleteFunc(out, func(o Observation) bool {
		return wanderings[o.Kind] && o.Channel == Observed && o.Consequence == ConsequenceRecovered && !o.proven && (w.off(o.Place) || s.slight(&o) && !w.usual[turn(&o)])
	})
	for i := range out {
		out[i].slight = s.slight(&out[i]) && out[i].Consequence == ConsequenceRecovered
		switch o := &out[i]; {
		case o.Guess: // there was no one thing to be found
			o.Detail = "people went on by " + counted(w.choices(o.Place), "different thing")
		case o.Kind == LostScent && o.Element == nil:
			o.Element = w.wayOn(o.Place)
		}
	}
	return out
}

// wanderings are the kinds of what happens to people who have missed the way:
// other pages promise nothing, wrong things are tried.
var wanderings = map[string]bool{LostScent: true, QuickBack: true, UnclearLabel: true, CompetingLabels: true}

// dropWanderings leaves out what a session met elsewhere after the barrier that
// its end is blamed on: somebody who got past would not have been there. What
// nobody gets past is in the way from the first visit on.
func (s *Session) dropWanderings(all []Observation, culprit *Observation) []Observation {
	at, place, kind := culprit.Step, culprit.Place, culprit.Kind
	stops := weightOf[kind] == 3 && slices.Contains(s.Visits, place)
	return slices.DeleteFunc(all, func(o Observation) bool {
		if !wanderings[o.Kind] || o.Channel != Observed || o.Place == place {
			return false
		}
		if o.Kind == kind { // who was lost in one place is lost from there on, and had got past what was before
			return kind == LostScent && o.Consequence == ConsequenceRecovered
		}
		return o.Step > at || stops && slices.Index(s.Visits, o.Place) > slices.Index(s.Visits, place)
	})
}

// slightShare is the part of a walk's time up to which a wrong turn that was put
// right is what any walk has (an assumption, calibrated on our clean sites).
const slightShare = 0.2

// slightKinds are the wrong turns that may be slight.
var slightKinds = map[string]bool{CompetingLabels: true, QuickBack: true}

// slight: a wrong turn that was put right and cost little of what the walk took.
func (s *Session) slight(o *Observation) bool {
	return slightKinds[o.Kind] && float64(o.CostMS) < slightShare*float64(s.SimulatedMS)
}

func (s *Session) ending() Consequence {
	if s.Outcome == walk.Blocked {
		return ConsequenceBlocked
	}
	return ConsequenceAbandoned
}

// replayed marks what replays have proven, and lists what they have cleared. A
// control that stayed disabled is not cleared by having been forced open in
// vain: what the page does behind it is its own.
func (s *Session) replayed(out []Observation) (cleared []bool) {
	cleared = make([]bool, len(out))
	for i := range out {
		for _, c := range s.Causes {
			if c.is(&out[i]) {
				out[i].proven = out[i].proven || c.Proven
				cleared[i] = !out[i].proven && c.Kind != DisabledControl
			}
		}
	}
	return cleared
}

// deceived is what made a session take for done what was not, or left it without an
// answer: the gravest that nobody gets past, or the search whose empty results it ended
// at; -1 without any.
func (s *Session) deceived(out []Observation, cleared []bool) int {
	at := -1
	for i := range out {
		o := &out[i]
		ended := o.Kind == EmptySearch && o.Place == s.Visits[len(s.Visits)-1]
		if (stops(o) || ended) && !o.Resolved && !cleared[i] && (at < 0 || compareBlame(o, &out[at]) < 0) {
			at = i
		}
	}
	return at
}

// culprit is the observation that a session's end is to be blamed on, or a
// suspect that becomes one; -1 and nil without any.
func (s *Session) culprit(out []Observation, w *ways, cleared []bool) (int, *Observation) {
	best := func(fits func(*Observation) bool) int {
		at := -1
		for i := range out {
			o := &out[i]
			if o.Channel != Observed || cleared[i] || !o.proven && weight(o) == 0 || !fits(o) {
				continue
			}
			if at < 0 || compareBlame(o, &out[at]) < 0 {
				at = i
			}
		}
		return at
	}
	if i := best(func(o *Observation) bool { return o.proven }); i >= 0 {
		return i, nil
	}
	for i := range s.Suspects {
		for _, c := range s.Causes {
			if c.Proven && c.is(&s.Suspects[i]) {
				return -1, s.promoted(&s.Suspects[i], true)
			}
		}
	}
	if p := s.passedBy(w); p != nil {
		return -1, p
	}
	if s.Stuck {
		// Nobody left anywhere: what took the time is to blame.
		if i := best(func(o *Observation) bool { return o.CostMS >= detourLeastMS && weight(o) > 1 }); i >= 0 {
			return i, nil
		}
	}
	if left := w.divergence(s); left != "" {
		i := best(func(o *Observation) bool { return o.Place == left })
		if i >= 0 && weight(&out[i]) > 1 {
			return i, nil
		}
		if p := s.suspectAt(left, w); p != nil {
			return -1, p
		}
		if i >= 0 {
			return i, nil
		}
		// The way was left without a sign of why: what stopped the walk lies
		// beyond, on a wrong turn, and is no reason for having taken it.
		return -1, nil
	}
	if s.Frontier != "" {
		if i := best(func(o *Observation) bool { return s.stopsBehind(o, s.Frontier) }); i >= 0 {
			return i, nil
		}
		if i := best(func(o *Observation) bool { return o.Place == s.Frontier && weight(o) > 1 }); i >= 0 {
			return i, nil
		}
		if i := s.deceived(out, cleared); i >= 0 {
			return i, nil
		}
		if p := s.untried(s.Frontier, w); p != nil {
			return -1, p
		}
		if i := best(func(o *Observation) bool { return o.Place == s.Frontier }); i >= 0 {
			return i, nil
		}
	}
	// Who goes round in circles until the budget ends may have been no match for
	// the task: without a sign of what is wrong that is no fault of the page.
	return best(func(o *Observation) bool { return !s.Stuck || weight(o) > 1 }), nil
}

// passedBy is the first control that all who succeeded went on by, that this session came
// to and never took, and that a rule objects to for how it is noticed: whatever it went on
// with was not the way.
func (s *Session) passedBy(w *ways) *Observation {
	for _, place := range s.Visits {
		at := slices.IndexFunc(s.Stops, func(t Stop) bool { return t.Place == place })
		if at < 0 {
			continue
		}
		for i := range s.Suspects {
			o := &s.Suspects[i]
			key := normalSelector(o.Element)
			if o.Place != place || o.Kind == SmallTarget || w.winners == 0 || w.used[place][key] < w.winners || s.clearedOf(o) || s.Stops[at].took(key) {
				continue
			}
			return s.promoted(o, false)
		}
	}
	return nil
}

// stopsBehind: the session got further than the place, and was then stopped by
// something that fails for everybody.
func (s *Session) stopsBehind(o *Observation, place string) bool {
	return o.Channel == Observed && o.Deterministic && !o.Resolved && weight(o) == 3 && slices.Index(s.Visits, o.Place) > slices.Index(s.Visits, place)
}

// unusable are the kinds by which nobody can have used, or read, what is there, the
// surest first. What says nothing is to blame only where it is the one thing of its kind
// on the page: of several nobody can tell which led on. Faint words are none of these: a
// bright button with faint words is seen all the same.
var unusable = []struct {
	kind string
	only bool
}{{Covered, false}, {MouseOnly, false}, {DisabledControl, false}, {UnclearLabel, true}, {HiddenInMenu, false}, {SmallTarget, true}}

// untried is a suspect of these at the place where a session went astray and nobody found
// the way on.
func (s *Session) untried(place string, w *ways) *Observation {
	for _, u := range unusable {
		var found *Observation
		n := 0
		for i := range s.Suspects {
			o := &s.Suspects[i]
			if o.Kind == u.kind && o.Place == place && !s.clearedOf(o) && !w.needless(o) && (o.Kind != SmallTarget || o.Detail == tooSmall) {
				if n++; found == nil {
					found = o
				}
			}
		}
		if n == 1 || n > 1 && !u.only {
			return s.promoted(found, false)
		}
	}
	return nil
}

// suspectAt is a suspect at the place that is the very element which led the
// successful sessions on from there, or whose rival it is.
func (s *Session) suspectAt(place string, w *ways) *Observation {
	used := w.used[place]
	if len(used) == 0 {
		return nil
	}
	for i := range s.Suspects {
		o := &s.Suspects[i]
		if o.Kind == BelowFold && s.Stuck && s.Visits[len(s.Visits)-1] == place {
			continue // who was still at it might have scrolled there yet
		}
		if o.Place == place && used[normalSelector(o.Element)] > 0 && !s.clearedOf(o) {
			return s.promoted(o, false)
		}
	}
	if o := s.vagueAt(place, w); o != nil {
		return o
	}
	for i := range s.Observations {
		o := &s.Observations[i]
		if o.Kind != CompetingLabels || o.Place != place || used[normalSelector(o.Element)] > 0 || s.clearedOf(o) {
			continue
		}
		for _, rival := range o.Rivals {
			if used[normalSelector(&Element{Selector: rival})] > 0 {
				return s.promoted(o, false)
			}
		}
	}
	return nil
}

// vagueScent is the scent below which even those who went on by an element had
// to guess: the least that the most careful personas act on.
const vagueScent = 0.3

// vagueAt blames the words of the element that led others on, where those who
// found it guessed too.
func (s *Session) vagueAt(place string, w *ways) *Observation {
	e := w.wayOn(place)
	if e == nil {
		return nil
	}
	if scent := w.by[place][normalSelector(e)].Scent; scent == 0 || scent >= vagueScent {
		return nil // 0: what it promised is not known
	}
	for i := range s.Observations {
		if o := s.Observations[i]; o.Place == place && o.Kind == LostScent {
			o.Kind, o.Element, o.Detail = UnclearLabel, e, vague
			if by := w.by[place][normalSelector(e)]; by.Opens {
				o.Kind, o.Detail = HiddenInMenu, "under “"+clip(by.Name, 60)+"”"
				if inside := w.inside(place); inside != nil {
					o.Element = inside
				}
			}
			if s.clearedOf(&o) {
				return nil
			}
			return s.promoted(&o, false)
		}
	}
	return nil
}

func (s *Session) clearedOf(o *Observation) bool {
	for _, c := range s.Causes {
		if c.is(o) {
			return !c.Proven
		}
	}
	return false
}

// promoted is a suspect that impeded the session after all.
func (s *Session) promoted(o *Observation, proven bool) *Observation {
	p := *o
	p.Channel, p.Consequence, p.proven, p.Resolved = Observed, s.ending(), proven, false
	return &p
}

// dropExplained leaves out what a promoted suspect explains.
func dropExplained(all []Observation, root *Observation) []Observation {
	return slices.DeleteFunc(all, func(o Observation) bool { return o.Channel == Observed && explains(root, &o) })
}

// Thresholds of detours: more than twice the moves and the time of the way, one
// spare move for looking that it worked; of that this barrier cost at least half
// the way's time and 15 s (the latter an assumption). What lies further down the
// page is on the way.
const (
	detourFactor  = 2
	detourLeastMS = 15000
)

// detour blames a long way round on the barrier that cost most of it. Reading
// and scrolling is a delay, no way round.
func (s *Session) detour(out []Observation, cleared []bool) {
	if s.Moves <= detourFactor*len(s.Way)+1 || s.SimulatedMS <= detourFactor*s.WayMS {
		return
	}
	at := -1
	for i := range out {
		o := &out[i]
		if o.Channel != Observed || cleared[i] || weight(o) < 2 || o.Kind == BelowFold || o.CostMS < detourLeastMS || 2*o.CostMS < s.WayMS {
			continue
		}
		if at < 0 || o.CostMS > out[at].CostMS {
			at = i
		}
	}
	if at >= 0 {
		out[at].Consequence = ConsequenceDetour
	}
}
