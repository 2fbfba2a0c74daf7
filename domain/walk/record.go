package walk

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/persona"
	"understudy/domain/task"
)

// Walk collects what happened in a session: the input of scoring and findings.
type Walk struct {
	goal    task.Goal
	persona persona.Persona
	steps   []StepRecord
	clock   int
	clicks  []click
}

type click struct {
	at   int
	box  Box
	dead bool
}

// NewWalk starts collecting.
func NewWalk(goal task.Goal, p persona.Persona) *Walk {
	return &Walk{goal: goal, persona: p}
}

// Record adds one step: what was looked at, what was decided and what came of
// it. It returns the step with the signals that the effect adds.
func (w *Walk) Record(page Page, d Decision, eff Effect) StepRecord {
	r := StepRecord{Index: len(w.steps), Page: page, Decision: d, Effect: eff, ClockMS: w.clock}
	for _, s := range d.Signals {
		if s.Kind != SigDeadClick { // it is felt a step late; it belongs to the step that clicked
			r.Signals = append(r.Signals, s)
		}
	}
	if len(page.Private) > 0 {
		r.Signals = append(r.Signals, Signal{Kind: SigLimitPrivate, Detail: strings.Join(page.Private, ", ")})
	}
	r.Signals = append(r.Signals, w.effectSignals(&r)...)
	r.Progress = eff.Navigated && d.Purpose == Navigate || d.Purpose == Fill && eff.Failed == "" || d.Purpose == Submit && (eff.Navigated || eff.Mutated) || d.End == EndDone
	w.steps = append(w.steps, r)
	w.clock += d.SimulatedMS
	return r
}

// Thresholds of signals that users already trust (PostHog's rage click: three
// clicks, each gap under 1 s and 30 px; the quick back's 5 s is common practice).
const (
	rageClicks   = 3
	rageGapPX    = 30
	quickBackMS  = 5000
	slowSettleMS = 4000 // LCP is "poor" from 4 s (web.dev)
)

// effectSignals compares the action with its effect.
func (w *Walk) effectSignals(r *StepRecord) []Signal {
	var out []Signal
	d, eff := &r.Decision, &r.Effect
	if d.End != "" {
		return nil
	}
	failed := failedRequest(r)
	refusal := d.Purpose == Submit && refusalStatus(eff.Status) // an answer to what was sent, no fault
	if refusal {
		failed = ""
	}
	if d.Action.Type == Click && d.Target != nil {
		dead := !d.shown(eff) && eff.Failed == "" && !eff.Late
		w.clicks = append(w.clicks, click{at: w.clock, box: d.Target.Box, dead: dead})
		if dead && len(eff.Errors) == 0 {
			out = append(out, Signal{Kind: SigDeadClick, Detail: "nothing changed, nothing moved"})
		}
		if w.raging() {
			out = append(out, Signal{Kind: SigRageClick})
		}
		if len(eff.Errors) > 0 || failed != "" {
			out = append(out, Signal{Kind: SigErrorClick, Detail: Shorten(first(eff.Errors, failed), 120)})
		}
	}
	if len(eff.Errors) > 0 {
		out = append(out, Signal{Kind: SigScriptError, Detail: Shorten(eff.Errors[0], 120)})
	}
	if len(eff.Console) > 0 {
		out = append(out, Signal{Kind: SigConsoleError, Detail: Shorten(eff.Console[0], 120)})
	}
	if failed != "" {
		out = append(out, Signal{Kind: SigFailedRequest, Detail: Shorten(failed, 120)})
	}
	if eff.Status >= 400 && !refusal {
		out = append(out, Signal{Kind: SigBrokenPage, Detail: statusText(eff.Status)})
	}
	if eff.SettleMS >= slowSettleMS && !eff.Late {
		out = append(out, Signal{Kind: SigSlow, Detail: strconv.FormatFloat(float64(eff.SettleMS)/1000, 'f', 1, 64) + " s"})
	}
	switch {
	case eff.Late && (eff.Failed != "" || d.Action.Type == Click && !d.shown(eff)):
		out = append(out, Signal{Kind: SigLimitBusy, Detail: cmp.Or(Shorten(eff.Failed, 120), "nothing was seen to change")})
	case eff.Refused != "":
		out = append(out, Signal{Kind: SigLimitInputs, Detail: eff.Refused})
	case eff.Failed != "":
		out = append(out, Signal{Kind: SigActionFailed, Detail: Shorten(eff.Failed, 120)})
	}
	if d.Action.Type == Back && len(w.steps) > 0 {
		prev := &w.steps[len(w.steps)-1]
		if prev.Effect.Navigated && w.clock+d.SimulatedMS-(prev.ClockMS+prev.Decision.SimulatedMS) <= quickBackMS {
			out = append(out, Signal{Kind: SigQuickBack})
		}
	}
	return out
}

// raging: three dead clicks in a row at one place. The model's clicks are
// slower than the definition's second; what counts is that they were repeated.
func (w *Walk) raging() bool {
	n := len(w.clicks)
	if n < rageClicks {
		return false
	}
	for i := n - rageClicks + 1; i < n; i++ {
		a, b := w.clicks[i-1].box, w.clicks[i].box
		if math.Hypot(a.X+a.W/2-b.X-b.W/2, a.Y+a.H/2-b.Y-b.H/2) >= rageGapPX || !w.clicks[i-1].dead {
			return false
		}
	}
	return w.clicks[n-1].dead
}

// failedRequest is the first request of the step that failed, "" for none. What
// a script sent with a form and had refused is an answer, and other hosts are
// another's matter.
func failedRequest(s *StepRecord) string {
	for _, r := range s.Effect.Requests {
		if s.Decision.Purpose == Submit && r.Method != "GET" && refusalStatus(r.Status) || Host(r.URL) != Host(s.Page.URL) && r.Kind != "document" {
			continue
		}
		if (r.Kind == "xhr" || r.Kind == "fetch" || r.Kind == "document") && (r.Status >= 400 || r.Status == 0) && !beacon.MatchString(r.URL) {
			if r.Status == 0 && r.Kind == "document" {
				continue // a navigation that another one replaced
			}
			return r.Method + " " + Path(r.URL) + " " + statusText(r.Status)
		}
	}
	return ""
}

func first(list []string, other string) string {
	if len(list) > 0 {
		return list[0]
	}
	return other
}

// Walked is a finished walk.
type Walked struct {
	Goal       task.Goal
	Persona    persona.Persona
	Steps      []StepRecord
	Completion Completion
	// Outcome is succeeded, gave_up, blocked, out_of_steps, or "" when the
	// walker thought it was done and the oracle could not confirm it.
	Outcome     string
	SimulatedMS int
	// Pages is how many distinct pages were visited.
	Pages int
}

// Hurt reports whether the walk fell short after an act of which a late machine kept
// from telling what came of it.
func (w *Walked) Hurt() bool {
	return w.Outcome != Succeeded && slices.ContainsFunc(w.Steps, func(r StepRecord) bool { return r.HasSignal(SigLimitBusy) })
}

// Sent reports whether the walk had a server change something.
func (w *Walked) Sent() bool {
	return slices.ContainsFunc(w.Steps, func(r StepRecord) bool { return len(r.Sent()) > 0 })
}

// Result closes the walk with the oracle's verdict. A verified goal is a
// success whatever the walker thought.
func (w *Walk) Result(c Completion) Walked {
	out := Walked{Goal: w.goal, Persona: w.persona, Steps: w.steps, Completion: c, SimulatedMS: w.clock}
	pages := map[string]bool{}
	for i := range w.steps {
		pages[StateKey(&w.steps[i].Page)] = true
	}
	out.Pages = len(pages)
	end := ""
	if n := len(w.steps); n > 0 {
		end = w.steps[n-1].Decision.End
	}
	out.Outcome = OutcomeOf(c, end)
	return out
}

// OutcomeOf is the outcome of a walk by the oracle's verdict and how the walker ended it.
func OutcomeOf(c Completion, end string) string {
	switch {
	case c.Status == Verified:
		return Succeeded
	case end == EndGaveUp:
		return GaveUp
	case end == EndBlocked:
		return Blocked
	case end == "", end == EndLimit:
		return OutOfSteps
	}
	return ""
}

func statusText(status int) string { return "HTTP " + strconv.Itoa(status) }

// refusalStatus: the server understood and refused what was sent (RFC 9110).
func refusalStatus(status int) bool {
	return status == 400 || status == 401 || status == 403 || status == 409 || status == 422
}

// beacon are the requests by which pages tell others of their visitors.
var beacon = regexp.MustCompile(`(?i)analytics|beacon|collect|pixel|telemetry|/track|sentry|metrics|gtm|/log\b`)
