package mind

// broken handles pages that are errors.
func (m *Mind) broken(v *view) (Decision, bool) {
	if v.page.Status < 400 || m.handedBack(v) {
		return Decision{}, false
	}
	m.pending = append(m.pending, Signal{Kind: SigBrokenPage, Detail: statusText(v.page.Status)})
	m.shock(0.2)
	if len(m.trail) > 0 {
		return Decision{Action: Action{Type: Back}, Purpose: Return,
			Thought: "This is an error page (" + statusText(v.page.Status) + "). I go back."}, true
	}
	if v.best >= m.t.settle {
		return Decision{}, false
	}
	return m.quit(v, EndBlocked, "The page shows an error ("+statusText(v.page.Status)+") and there is nowhere to go from here."), true
}

// handedBack: the site answered a form with the form and an error status
// (422 and the like), which is how many say that something is missing.
func (m *Mind) handedBack(v *view) bool {
	if !refusalStatus(v.page.Status) {
		return false
	}
	for i := range v.percepts {
		if e := v.percepts[i].e; isField(e) && kindOf(e) != fkSearch {
			return true
		}
	}
	return false
}

// refusalStatus: the server understood and refused what was sent (RFC 9110).
func refusalStatus(status int) bool {
	return status == 400 || status == 401 || status == 403 || status == 409 || status == 422
}

// quit ends the walk without the goal.
func (m *Mind) quit(_ *view, end, thought string) Decision {
	return Decision{Action: Action{Type: GiveUp}, End: end, Purpose: Finish, Thought: thought}
}
