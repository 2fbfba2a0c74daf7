package findings

import (
	"slices"

	"understudy/domain/walk"
)

// walled reports the limit of the simulation at which a walk ended, where it was met
// first, and excuses the page.
func (x *examined) walled() {
	last := len(x.w.Steps) - 1
	if last < 0 || x.w.Outcome == walk.Succeeded {
		return
	}
	at := slices.IndexFunc(x.w.Steps[last].Signals, func(s walk.Signal) bool { return s.Kind == walk.SigLimitPage })
	if at < 0 {
		return
	}
	detail := x.w.Steps[last].Signals[at].Detail
	met := slices.IndexFunc(x.w.Steps, func(r walk.StepRecord) bool {
		return slices.ContainsFunc(r.Page.Limits, func(l walk.Limit) bool { return l.String() == detail })
	})
	if met < 0 { // a language is no part of a page
		met = last
	}
	o := x.about(met, LimitPage, Limit, nil)
	o.Detail, o.Quote = detail, x.w.Steps[last].Decision.Thought
	x.out = slices.DeleteFunc(x.out, func(f Observation) bool { return f.Channel == Observed && excused(&f, &o) })
	x.add(o)
}

// answers are the kinds by which a page says that something is missing.
var answers = map[string]bool{
	DisabledControl: true, FormError: true, UnspecificError: true, InputLost: true, ServerError: true, BrokenLink: true, ErrorClick: true,
}

// excused: the limit at which a walk ended is why something went wrong. Who cannot be
// simulated where the way goes on looks for it elsewhere, and is refused.
func excused(f, limit *Observation) bool {
	return wanderings[f.Kind] || answers[f.Kind] && (f.Place == limit.Place || f.Leads == limit.Template)
}

// endings are the limits that end a walk.
var endings = map[string]bool{
	LimitPage: true, LimitSteps: true, LimitGoal: true, LimitModel: true, LimitInputs: true, LimitPrivate: true, LimitUnsure: true, LimitBelief: true, LimitBusy: true,
}

// Walled reports whether the session ended at a part of a page that cannot be
// simulated.
func (s *Session) Walled() bool {
	return slices.ContainsFunc(s.Observations, func(o Observation) bool { return o.Kind == LimitPage })
}

// Limited reports whether the session ended for a reason that lies with the simulation.
func (s *Session) Limited() bool {
	return !s.Succeeded && slices.ContainsFunc(s.Observations, func(o Observation) bool {
		return endings[o.Kind] && (o.Kind != LimitSteps || !s.Stuck)
	})
}

// Met reports whether the session met a limit of the simulation.
func (s *Session) Met() bool {
	return slices.ContainsFunc(s.Observations, func(o Observation) bool { return o.Channel == Limit })
}
