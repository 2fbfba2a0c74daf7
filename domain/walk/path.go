package walk

import "slices"

// Path lists the indices of the steps that, loops left out, led from the start
// to where the walk ended: what somebody who knows the way would have done.
// A return to a page drops everything since it was left, unless a form was sent
// and taken meanwhile; looking around and acts without effect are no part of it. The final step that ends the walk is
// not included.
func (w Walked) Path() []int {
	type visit struct {
		state string
		steps []int
	}
	var trail []visit
	for i := range w.Steps {
		r := &w.Steps[i]
		state := StateKey(&r.Page)
		at, done := len(trail)-1, false
		for at >= 0 && trail[at].state != state {
			done = done || slices.ContainsFunc(trail[at].steps, func(s int) bool {
				return w.Steps[s].Decision.Purpose == Submit && w.Steps[s].Effect.Taken()
			})
			at--
		}
		switch {
		case at < 0 || done:
			trail = append(trail, visit{state: state})
		case at < len(trail)-1:
			trail = trail[:at+1]
			kept := trail[at].steps[:0]
			for _, s := range trail[at].steps {
				if w.Steps[s].Decision.Purpose == Fill { // what was typed before leaving had to be typed
					kept = append(kept, s)
				}
			}
			trail[at].steps = kept
		}
		if needed(r) {
			top := &trail[len(trail)-1]
			top.steps = append(top.steps, i)
		}
	}
	var out []int
	for _, v := range trail {
		out = append(out, v.steps...)
	}
	return out
}

func needed(r *StepRecord) bool {
	switch r.Decision.Purpose {
	case Fill:
		return r.Effect.Failed == ""
	case Navigate, Submit, OpenMenu, Seek:
		return r.Decision.shown(&r.Effect) || r.Decision.Action.Type == Type && r.Effect.Failed == ""
	case ReadOn, Dismiss, Return, Finish:
	}
	return false
}

// States lists the state of every step in order, a state that is stayed on
// once: the visits that lostness counts.
func (w Walked) States() []string {
	var out []string
	for i := range w.Steps {
		s := StateKey(&w.Steps[i].Page)
		if len(out) == 0 || out[len(out)-1] != s {
			out = append(out, s)
		}
	}
	return out
}
