package mind

import "strings"

// broken handles pages that are errors.
func (m *Mind) broken(v *view) (Decision, bool) {
	if browserError(v.page) {
		return m.leaveError(v)
	}
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

// browserError: it is the browser that says something, not the site: the page
// was not reached, or cannot be shown again (the answer to a form that was sent).
func browserError(page *Page) bool { return strings.HasPrefix(page.URL, "chrome-error:") }

// maxErrorPages is how often the browser's own error page is left by going back
// before the walk ends.
const maxErrorPages = 4

// leaveError goes further back from an error page of the browser's. What is
// there before it has been seen already, so what was tried there stays tried and
// another way is taken.
func (m *Mind) leaveError(v *view) (Decision, bool) {
	again := m.last.Action.Type == Back
	m.erred++
	if m.erred > maxErrorPages || m.still > 1 || len(m.trail) == 0 && !again {
		return m.quit(v, EndBlocked, "The browser only shows an error and there is nowhere to go from here."), true
	}
	if !again {
		m.pending = append(m.pending, Signal{Kind: SigBrokenPage, Detail: "the browser could not open it"})
		m.shock(0.2)
		return m.back("The browser could not open this page. I go back.", 0), true
	}
	return m.back("The browser will not show this page again. I go back further.", 0), true
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
