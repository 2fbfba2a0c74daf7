package report

import (
	"cmp"
	"fmt"
	"slices"

	"understudy/domain/findings"
	"understudy/domain/scoring"
	"understudy/domain/walk"
)

// The kinds of positive findings.
const (
	PositiveSuccess   = "everyone_succeeded"
	PositiveAtOnce    = "found_at_once"
	PositiveRecovery  = "errors_put_right"
	PositiveNoFaults  = "no_faults_met"
	PositiveFast      = "fast_pages"
	PositiveStraight  = "short_ways"
	PositiveNoPointer = "works_without_pointer"
)

// The bounds of positive findings: what fewer than leastShown sessions show is
// an anecdote, and atOnceMS of looking around is none worth a word (both are
// judgements). maxAtOnce bounds how many things are said to be found at once.
const (
	leastShown = 3
	atOnceMS   = 3000
	maxAtOnce  = 3
	fastScore  = 0.95 // of speed, where 1 is good by all Web Vitals
)

// faults are the kinds of observations that are plainly the page's failure, or
// may be.
var faults = map[string]bool{
	findings.BrokenLink: true, findings.ScriptError: true, findings.ErrorClick: true, findings.DeadClick: true,
	findings.ServerError: true, findings.RedirectLoop: true, findings.DisabledControl: true, findings.LimitScript: true,
}

// refusals are what a form tells people that they did wrong.
var refusals = map[string]bool{findings.FormError: true, findings.UnspecificError: true, findings.InputLost: true}

// positives collects what worked. Nothing is said that an issue of the report
// takes back.
func positives(sessions []Session, a *atlas, lost Lostness, issues []findings.Issue) []Positive {
	out := []Positive{}
	add := func(p Positive) {
		if p.Evidence == nil {
			p.Evidence = []Moment{}
		}
		out = append(out, p)
	}
	n := len(sessions)
	won, faultless, refused, recovered, timed, fast, handless, managed := 0, 0, 0, 0, 0, 0, 0, 0
	var right []Moment
	for i := range sessions {
		s := &sessions[i]
		met, slow, turned, resolved := false, false, -1, true
		for j := range s.Findings.Observations {
			o := &s.Findings.Observations[j]
			met = met || faults[o.Kind]
			slow = slow || o.Kind == findings.SlowPage || o.Kind == findings.LayoutShift
			if refusals[o.Kind] && o.Channel == findings.Observed {
				turned, resolved = o.Step, resolved && o.Resolved
			}
		}
		won += one(s.Findings.Succeeded)
		faultless += one(!met)
		if turned >= 0 {
			refused++
			if resolved && s.Findings.Succeeded {
				recovered++
				right = append(right, Moment{SessionID: s.ID, Step: turned, ScreenshotID: s.picture(turned)})
			}
		}
		if v, ok := s.Scores[scoring.Speed]; ok {
			timed++
			fast += one(v >= fastScore && !slow)
		}
		if s.Traits.KeyboardOnly || s.Traits.ScreenReader {
			handless++
			managed += one(s.Findings.Succeeded)
		}
	}
	if n >= leastShown && won == n {
		add(Positive{Kind: PositiveSuccess, Text: fmt.Sprintf("All %d simulated users reached the goal.", n), Sessions: won, Total: n})
	}
	for _, p := range atOnce(sessions, a, issues) {
		add(p)
	}
	if refused > 0 && recovered == refused {
		add(Positive{Kind: PositiveRecovery, Text: fmt.Sprintf("%s a form refused something put it right and reached the goal.", allOf(refused, "whom")),
			Sessions: recovered, Total: refused, Evidence: right[:1]})
	}
	if handless > 0 && managed == handless {
		add(Positive{Kind: PositiveNoPointer, Text: fmt.Sprintf("%s without a pointing device reached the goal.", allOf(handless, "")), Sessions: managed, Total: handless})
	}
	if straight, arrived := a.straight(lost.FewestPages); arrived >= leastShown && straight == arrived {
		add(Positive{Kind: PositiveStraight, Text: fmt.Sprintf("All %d who reached the goal took a way that was hardly longer than the shortest, which is %s.", arrived, plural(*lost.FewestPages, "page")),
			Sessions: straight, Total: arrived})
	}
	if n >= leastShown && faultless == n {
		add(Positive{Kind: PositiveNoFaults, Text: fmt.Sprintf("Nobody met a dead control, a broken link, or an error of a script or the server on the %s seen.", plural(len(a.pages), "page")),
			Sessions: n, Total: n})
	}
	if timed >= leastShown && fast == timed {
		add(Positive{Kind: PositiveFast, Text: "Pages were quick and stayed in place in every session that measured it (Web Vitals, in this laboratory).", Sessions: fast, Total: timed})
	}
	return out
}

// allOf counts people who did the same: "All 3", "The one to whom".
func allOf(n int, whom string) string {
	text := fmt.Sprintf("All %d", n)
	if n == 1 {
		text = "The one"
	}
	if whom != "" {
		text += " to " + whom
	}
	return text
}

// atOnce are the controls that everybody who came to their page went on by, with
// no wrong click and next to no looking around, those that most used first. A page that
// was a detour for everybody has none.
func atOnce(sessions []Session, a *atlas, issues []findings.Issue) []Positive {
	type control struct{ place, selector string }
	type use struct {
		name     string
		sessions int
		first    Moment
	}
	led := map[int]bool{}
	for _, w := range a.walks {
		if w.session.Findings.Succeeded {
			for _, page := range w.direct() {
				led[page] = true
			}
		}
	}
	blamed := map[string]bool{}
	for i := range issues {
		if e := issues[i].Element; e != nil {
			blamed[e.Selector], blamed[e.Name] = true, true
		}
	}
	came := map[string]int{}
	used := map[control]*use{}
	var order []control
	for i := range sessions {
		s := &sessions[i]
		seen := map[string]bool{}
		for _, v := range s.Findings.Visits {
			came[v] += one(!seen[v])
			seen[v] = true
		}
		counted := map[control]bool{}
		for _, p := range s.Findings.Way {
			c := control{p.Place, p.Selector}
			if page, known := a.places[p.Place]; known && !led[page] || p.Field || p.Name == "" || p.Selector == "" || p.LostMS > atOnceMS || p.WrongClicks > 0 || counted[c] || blamed[p.Selector] || blamed[p.Name] {
				continue
			}
			counted[c] = true
			if used[c] == nil {
				used[c] = &use{name: p.Name, first: Moment{SessionID: s.ID, Step: p.Step, ScreenshotID: s.picture(p.Step)}}
				order = append(order, c)
			}
			used[c].sessions++
		}
	}
	order = slices.DeleteFunc(order, func(c control) bool { return used[c].sessions < max(leastShown, came[c.place]) })
	slices.SortStableFunc(order, func(a, b control) int { return cmp.Compare(used[b].sessions, used[a].sessions) })
	var out []Positive
	for _, c := range order[:min(len(order), maxAtOnce)] {
		u := used[c]
		where := pageOf(c.place).Heading
		if where == "" {
			where = pageOf(c.place).Address
		}
		out = append(out, Positive{
			Kind: PositiveAtOnce, Text: fmt.Sprintf("All %d who came to %s went on by %s at once, without a wrong click.", u.sessions, walk.Quote(where), walk.Quote(u.name)),
			Sessions: u.sessions, Total: came[c.place], Evidence: []Moment{u.first},
		})
	}
	return out
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
