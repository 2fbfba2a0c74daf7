package findings

import (
	"strings"

	"understudy/domain/walk"
)

// competing finds wrong turns among things that promised the same: a click
// that led nowhere where another element of the screen, with as good a promise
// and another target, then led on. Two equal names on the way without a wrong
// turn are static.
func (x *examined) competing() {
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		e := r.Decision.Target
		if e == nil || r.Decision.Purpose != walk.Navigate || r.Decision.Action.Type != walk.Click {
			continue
		}
		rivals := x.rivals(i)
		if len(rivals) == 0 {
			continue
		}
		o := x.observe(i, CompetingLabels, Static)
		for _, v := range rivals {
			o.Rivals = append(o.Rivals, v.Selector)
		}
		o.Detail = counted(len(rivals), "other") + ", such as " + walk.Quote(clip(rivals[0].Name, 60))
		u := x.rightOne(i, rivals)
		if u == nil && (!sameWords(e.Name, rivals[0].Name) || x.onWay[i] && r.Decision.Rivals == 0 || r.Decision.Scent < fairPromise) {
			continue // a long shot was no choice between the two
		}
		if u != nil {
			o.Detail = walk.Quote(clip(u.Name, 60)) + " was the right one"
		}
		if !x.onWay[i] {
			o.Channel, o.Consequence = Observed, ConsequenceRecovered
			o.CostMS = x.lostFrom(i)
		}
		x.add(o)
	}
}

// rivalGap is how much less a label may promise and still compete: about what
// the mind counts as a rival (Decision.Rivals), which reads it with noise.
const rivalGap = 0.05

// rivals are the elements on the screen that promise about as much as the step's
// target, which promises something, and lead elsewhere; of a wrong turn also
// those of the same words, whatever they promise and wherever they stand. Those of
// the same words that lead to parts of the same page do not compete.
func (x *examined) rivals(i int) []*walk.Element {
	r := &x.w.Steps[i]
	target := r.Decision.Target
	promised := x.promise(i, target.Name)
	least, most := max(fairPromise, promised-rivalGap), promised+clearlyMore
	var out []*walk.Element
	for j := range r.Page.Elements {
		e := &r.Page.Elements[j]
		if e.Selector == target.Selector || e.Disabled || e.CoveredBy != "" || walk.IsField(e) || e.Name == "" ||
			e.Href != "" && (e.Href == target.Href || sameWords(e.Name, target.Name) && samePage(e.Href, target.Href)) {
			continue
		}
		promises := func() bool {
			if !e.InViewport || promised < relevantPromise {
				return false
			}
			p := x.promise(i, e.Name)
			return p >= least && p <= most
		}
		if (x.onWay[i] || !sameWords(e.Name, target.Name)) && !promises() {
			continue
		}
		out = append(out, e)
		if len(out) == maxRivals {
			break
		}
	}
	return out
}

// maxRivals bounds the rivals that are told.
const maxRivals = 8

// rightOne is the rival by which the walk then went on from here, nil if the
// target itself was right or none was.
func (x *examined) rightOne(i int, rivals []*walk.Element) *walk.Element {
	if x.onWay[i] {
		return nil
	}
	for j := i + 1; j < len(x.w.Steps); j++ {
		t := x.w.Steps[j].Decision.Target
		if !x.led(j) || x.places[j] != x.places[i] || t == nil {
			continue
		}
		for _, v := range rivals {
			if v.Selector == t.Selector {
				return v
			}
		}
	}
	return nil
}

// samePage: the addresses differ at most in what part of a page they lead to.
func samePage(a, b string) bool {
	a, first := walk.SplitRoute(a)
	b, second := walk.SplitRoute(b)
	return a == b && first == second
}

func sameWords(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}
