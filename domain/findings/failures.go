package findings

import (
	"slices"
	"strconv"
	"strings"

	"understudy/domain/walk"
)

// failures finds what broke after an action. Definitions:
//
//   - redirect_loop: the browser gave the navigation up after too many redirects
//     (20 in Chromium and Firefox; RFC 9110, 15.4 asks clients to detect cycles).
//   - server_error: what was sent with a form was answered by a status of 500 or
//     more, or by one that says that the form's address does not exist.
//   - broken_link: a navigation was answered by 400 or more, or failed on the
//     site's own host.
//   - error_click: a click was followed by an uncaught exception or a failed
//     request (PostHog), and what it was for did not happen.
//   - script_error: an uncaught exception; observed when the step had no other
//     effect, else static.
func (x *examined) failures() {
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		switch {
		case r.Decision.End != "":
		case strings.Contains(r.Effect.NetError, "TOO_MANY_REDIRECTS"):
			x.failed(i, RedirectLoop, "the address leads back to itself")
		case r.Effect.NetError != "":
			if own(r) && r.Decision.Action.Type != walk.Back { // a form's answer is not shown again unasked
				x.failed(i, BrokenLink, r.Effect.NetError)
			}
		case x.handedBack(i): // refusals are forms' matter
		case r.HasSignal(walk.SigBrokenPage) && r.Effect.Status >= 400 && r.Decision.Target != nil && own(r) && !guarded(r.Effect.Status):
			kind := BrokenLink
			if r.Decision.Purpose == walk.Submit || sends(r) {
				kind = ServerError
			}
			x.failed(i, kind, "status "+strconv.Itoa(r.Effect.Status))
		case r.HasSignal(walk.SigErrorClick):
			x.errorClick(i)
		case r.HasSignal(walk.SigScriptError):
			x.scriptError(i)
		}
	}
	x.startedBroken()
}

// handedBack: what was sent was answered with the form again and a status that says that
// what was entered is not right (RFC 9110, 15.5), as servers answer that check forms.
func (x *examined) handedBack(i int) bool {
	r := &x.w.Steps[i]
	return (r.Decision.Purpose == walk.Submit || sends(r)) && r.Effect.Status >= 400 && r.Effect.Status < 500 && i+1 < len(x.w.Steps) &&
		cameBack(r.Decision.Target, &r.Page, &x.w.Steps[i+1].Page)
}

// failed records a failure at the element that led to it.
func (x *examined) failed(i int, kind, detail string) {
	o := x.observe(i, kind, Observed)
	o.Detail = detail
	if r := &x.w.Steps[i]; r.Effect.URL != "" && r.Effect.Navigated {
		o.Leads = Template(r.Effect.URL)
	}
	o.CostMS = x.costOfError(i)
	x.add(o)
}

// sends: the click sent a form of the page, which may have no fields at all.
func sends(r *walk.StepRecord) bool {
	if e := r.Decision.Target; e == nil || e.Href != "" {
		return false
	}
	for _, q := range r.Effect.Requests {
		if q.Kind == "document" && q.Method != "GET" {
			return true
		}
	}
	return r.Decision.Target.Submit
}

// costOfError is the time of a step that failed and what was lost after it.
func (x *examined) costOfError(i int) int {
	return x.w.Steps[i].Decision.SimulatedMS + x.lostFrom(i+1)
}

func (x *examined) errorClick(i int) {
	r := &x.w.Steps[i]
	happened := r.Effect.Navigated || r.Effect.NewTab || r.Effect.Download || r.Effect.Mutated && len(r.Effect.Errors) == 0
	server := false
	for _, q := range r.Effect.Requests {
		server = server || q.Status >= 500 && q.Method != "GET"
	}
	if happened && (!server || r.Effect.Navigated && r.Effect.Status > 0 && r.Effect.Status < 400) {
		x.scriptError(i) // what it was for was answered, whatever else the page asked for
		return
	}
	kind, detail := ErrorClick, detailOf(r, walk.SigErrorClick)
	if server && r.Decision.Purpose == walk.Submit {
		kind, detail = ServerError, detailOf(r, walk.SigFailedRequest, walk.SigErrorClick)
	}
	if !server && len(r.Effect.Errors) > 0 && x.outOfReach(i) {
		return
	}
	x.failed(i, kind, detail)
}

func (x *examined) scriptError(i int) {
	r := &x.w.Steps[i]
	if len(r.Effect.Errors) == 0 || x.outOfReach(i) {
		return
	}
	channel := Static
	if !r.Effect.Navigated && !r.Effect.Mutated && !r.Effect.Scrolled {
		channel = Observed
	}
	o := x.about(i, ScriptError, channel, nil)
	o.Detail = detailOf(r, walk.SigScriptError, walk.SigErrorClick)
	if channel == Observed {
		o.CostMS = x.lostFrom(i)
	}
	x.add(o)
}

// missing are the other sites whose scripts did not come to the step's page, or to
// the one it led to.
func (x *examined) missing(i int) []string {
	out := slices.Clone(x.w.Steps[i].Page.Missing)
	if i+1 < len(x.w.Steps) && x.w.Steps[i].Effect.Navigated {
		out = append(out, x.w.Steps[i+1].Page.Missing...)
	}
	return out
}

// outOfReach records that a step did nothing, or failed, where scripts of other
// sites were missing, and reports whether they were: such a step says nothing
// about what people would meet.
func (x *examined) outOfReach(i int) bool {
	hosts := x.missing(i)
	if len(hosts) == 0 {
		return false
	}
	o := x.observe(i, LimitScript, Limit)
	o.Detail = strings.Join(hosts, ", ")
	x.add(o)
	return true
}

// startedBroken: the very first page was an error.
func (x *examined) startedBroken() {
	if len(x.w.Steps) == 0 || x.w.Steps[0].Page.Status < 400 || x.w.Steps[0].Page.Status == 401 {
		return
	}
	o := x.about(0, BrokenLink, Observed, nil)
	o.Detail = "status " + strconv.Itoa(x.w.Steps[0].Page.Status)
	x.add(o)
}

// guarded: the status asks for a log-in or for patience, which is no fault.
func guarded(status int) bool { return status == 401 || status == 429 }

// own: the failed navigation was to the page's own host. Other hosts are
// another's pages, and may be out of reach for the simulation only.
func own(r *walk.StepRecord) bool {
	e := r.Decision.Target
	if e == nil || e.Href == "" {
		return true
	}
	host := func(raw string) string {
		h, _, _ := strings.Cut(Template(raw), "/")
		return h
	}
	return host(e.Href) == host(r.Page.URL)
}

func detailOf(r *walk.StepRecord, kinds ...string) string {
	for _, k := range kinds {
		for _, s := range r.Signals {
			if s.Kind == k && s.Detail != "" {
				return clip(s.Detail, 160)
			}
		}
	}
	return ""
}
