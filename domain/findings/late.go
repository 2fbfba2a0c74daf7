package findings

import (
	"slices"

	"understudy/domain/walk"
)

// hasty are the kinds that a late machine can make of a page without fault: what it
// shows is not there yet, or comes late.
var hasty = map[string]bool{
	DeadClick: true, Covered: true, DisabledControl: true, SlowPage: true, LayoutShift: true, Interruption: true,
}

// late reports the acts of which the machine was too late to tell what came, and leaves
// out what it may have made of the page, wrong turns after such an act included.
func (x *examined) late() {
	hurt := len(x.w.Steps)
	x.signals(walk.SigLimitBusy, func(i int, s walk.Signal, _ *walk.Element) {
		o := x.observe(i, LimitBusy, Limit)
		o.Detail = s.Detail
		x.add(o)
		hurt = min(hurt, i)
	})
	x.out = slices.DeleteFunc(x.out, func(o Observation) bool {
		return o.Channel != Limit && (hasty[o.Kind] && x.lateAt(o.Step) || wanderings[o.Kind] && o.Step > hurt)
	})
}

// lateAt: the machine was late in a step, or when what it looked at came about.
func (x *examined) lateAt(i int) bool {
	return x.w.Steps[i].Effect.Late || i > 0 && x.w.Steps[i-1].Effect.Late
}

// hurt reports whether the session did not succeed after an act of which a late machine
// kept from telling what came of it.
func (s *Session) hurt() bool {
	return !s.Succeeded && slices.ContainsFunc(s.Observations, func(o Observation) bool { return o.Kind == LimitBusy })
}
