package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"understudy/domain/walk"
)

// The kinds of moments.
const (
	Best         = "best"
	Worst        = "worst"
	TurningPoint = "turning_point"
)

// The bounds of highlights.
const (
	// perMoment is how many highlights of each kind a report has at most.
	perMoment = 2
	// fewSessions is how many sessions may give more than one highlight each:
	// with fewer than this there is not enough to choose from.
	fewSessions = 4
	// turnSeconds of fruitless looking make what ends it a turning point, and
	// turnFrustration, in one step, what causes it (both are judgements).
	turnSeconds     = 5.0
	turnFrustration = 0.1
)

// moment is a candidate: a step and why it tells something.
type moment struct {
	session *Session
	step    int // index into the session's steps
	tone    string
	why     string
}

// highlights picks moments for contrast: how the best sessions reached the goal
// and how the worst ended, and where others turned to the good or to the bad.
// One session gives one highlight unless there are few, and nothing is quoted
// twice. What went wrong comes first.
func highlights(sessions []Session) []Highlight {
	h := highlighter{said: map[string]bool{}, used: map[string]bool{}, list: []Highlight{}}
	var won, lost []*Session
	for i := range sessions {
		switch s := &sessions[i]; {
		case len(s.Steps) == 0:
			continue
		case s.Findings.Succeeded:
			won = append(won, s)
		default:
			lost = append(lost, s)
		}
	}
	h.few = len(won)+len(lost) < fewSessions
	slices.SortStableFunc(won, func(a, b *Session) int { return cmp.Compare(a.SimulatedSeconds, b.SimulatedSeconds) })
	slices.SortStableFunc(lost, func(a, b *Session) int {
		return cmp.Or(cmp.Compare(b.peak(), a.peak()), cmp.Compare(b.SimulatedSeconds, a.SimulatedSeconds))
	})
	h.add(Best, best(won))
	h.add(Worst, worst(won, lost))
	h.add(TurningPoint, turns(won, lost))
	slices.SortStableFunc(h.list, func(a, b Highlight) int { return cmp.Compare(ranks[a.Moment], ranks[b.Moment]) })
	return h.list
}

// ranks say which moments are told first: what went wrong.
var ranks = map[string]int{Worst: 0, TurningPoint: 1, Best: 2}

// best are the successes from the quickest on, of those who noticed.
func best(won []*Session) (out []moment) {
	noticed := slices.DeleteFunc(slices.Clone(won), (*Session).gaveUp)
	for i, s := range noticed {
		why := fmt.Sprintf("%s reached the goal in %s, %.0f simulated seconds", s.Persona, plural(len(s.Steps), "step"), s.SimulatedSeconds)
		if i == 0 && len(won) > 1 && s == won[0] {
			why += fmt.Sprintf(", the quickest of the %d who did", len(won))
		}
		out = append(out, moment{s, len(s.Steps) - 1, "positive", why})
	}
	return out
}

// worst are the ends of those who failed, other outcomes before more of the
// same; where nobody failed, the end of who did not notice that they had not, or
// the hardest moment of those who took longest.
func worst(won, lost []*Session) (out []moment) {
	var again []moment
	seen := map[string]bool{}
	for _, s := range lost {
		m := moment{s, len(s.Steps) - 1, "negative",
			fmt.Sprintf("%s did not reach the goal (%s after %s)", s.Persona, s.end(), plural(len(s.Steps), "step"))}
		if seen[s.Outcome] {
			again = append(again, m)
			continue
		}
		seen[s.Outcome] = true
		out = append(out, m)
	}
	if out = append(out, again...); len(out) > 0 || len(won) < 2 {
		return out
	}
	if i := slices.IndexFunc(won, (*Session).gaveUp); i >= 0 {
		s := won[i]
		return []moment{{s, len(s.Steps) - 1, "mixed", fmt.Sprintf("%s had the goal on the screen, did not notice, and gave up after %s", s.Persona, plural(len(s.Steps), "step"))}}
	}
	quickest, slowest := won[0], won[len(won)-1]
	if quickest.SimulatedSeconds <= 0 || slowest.SimulatedSeconds < 1.5*quickest.SimulatedSeconds {
		return nil
	}
	return []moment{{slowest, slowest.worst(), "mixed", fmt.Sprintf("The hardest moment of %s, who took %.1f times as long as the quickest",
		slowest.Persona, slowest.SimulatedSeconds/quickest.SimulatedSeconds)}}
}

// end is how a session ended, in words.
func (s *Session) end() string {
	if s.Findings.Walled() {
		return "a limit of the simulation"
	}
	if s.Findings.Misled {
		return "took it for done"
	}
	if s.last().Action == string(walk.Done) {
		return "took it for done, which could not be confirmed,"
	}
	return strings.ReplaceAll(s.Outcome, "_", " ")
}

func (s *Session) last() *Step { return &s.Steps[len(s.Steps)-1] }

// gaveUp: the session's last act was to leave.
func (s *Session) gaveUp() bool { return s.last().Action == string(walk.GiveUp) }

// turns are, taking turns, where successful sessions found the way after they
// had looked for it longest, and where others lost heart.
func turns(won, lost []*Session) (out []moment) {
	var good, bad []moment
	cost := map[*Session]float64{}
	for _, s := range won {
		for _, p := range s.Findings.Way {
			i := slices.IndexFunc(s.Steps, func(st Step) bool { return st.Index == p.Step })
			if seconds := float64(p.LostMS) / 1000; i >= 0 && seconds >= turnSeconds && seconds > cost[s] {
				cost[s] = seconds
				m := moment{s, i, "mixed", fmt.Sprintf("%s finds the way on here after %.0f simulated seconds of looking for it", s.Persona, seconds)}
				if good = slices.DeleteFunc(good, func(m moment) bool { return m.session == s }); p.WrongClicks > 0 {
					m.why += " and " + plural(p.WrongClicks, "wrong click")
				}
				good = append(good, m)
			}
		}
	}
	for _, s := range lost {
		at, rise := 0, 0.0
		for i := 1; i < len(s.Steps)-1; i++ { // how it ended is told elsewhere
			if d := s.Steps[i].Frustration - s.Steps[i-1].Frustration; d > rise {
				at, rise = i, d
			}
		}
		if rise >= turnFrustration {
			cost[s] = rise
			bad = append(bad, moment{s, at, "negative", fmt.Sprintf("%s, who gets no further than %s, begins to lose heart here", s.Persona, ended(s))})
		}
	}
	dearest := func(a, b moment) int { return cmp.Compare(cost[b.session], cost[a.session]) }
	slices.SortStableFunc(good, dearest)
	slices.SortStableFunc(bad, dearest)
	for i := range max(len(good), len(bad)) {
		if i < len(bad) {
			out = append(out, bad[i])
		}
		if i < len(good) {
			out = append(out, good[i])
		}
	}
	return out
}

// ended is the page that a session ended on, in words.
func ended(s *Session) string {
	if n := len(s.Findings.Visits); n > 0 {
		if p := pageOf(s.Findings.Visits[n-1]); p.Heading != "" {
			return walk.Quote(p.Heading)
		}
	}
	return "this"
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

type highlighter struct {
	said map[string]bool // quotes, see gist
	used map[string]bool // sessions
	few  bool
	list []Highlight
}

// gist is a quote without what varies between people who think the same.
func gist(quote string) string {
	return digits.ReplaceAllString(strings.ToLower(strings.Join(strings.Fields(quote), " ")), "#")
}

func (h *highlighter) add(kind string, candidates []moment) {
	n := 0
	for _, m := range candidates {
		if n == perMoment {
			return
		}
		step := m.session.Steps[m.step]
		key := gist(step.Thought)
		if key == "" || h.said[key] || h.used[m.session.ID] && !h.few {
			continue
		}
		h.said[key], h.used[m.session.ID] = true, true
		h.list = append(h.list, Highlight{
			SessionID: m.session.ID, Step: step.Index, Quote: step.Thought, Tone: m.tone, Moment: kind, Why: m.why, PageTitle: walk.Shorten(step.Title, maxName), ScreenshotID: step.ScreenshotID,
		})
		n++
	}
}

// worst is the step with the most frustration, the first of several.
func (s *Session) worst() int {
	worst := 0
	for i, step := range s.Steps {
		if step.Frustration > s.Steps[worst].Frustration {
			worst = i
		}
	}
	return worst
}

func (s *Session) peak() float64 {
	if len(s.Steps) == 0 {
		return 0
	}
	return s.Steps[s.worst()].Frustration
}
