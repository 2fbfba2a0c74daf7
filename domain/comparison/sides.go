package comparison

import (
	"slices"
	"strings"

	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/scoring"
)

// Test is one of the compared tests as the comparison sees it.
type Test struct {
	ID       string
	URL      string
	Task     string
	Model    string
	MaxSteps int
	// Success are the test's own conditions of success as JSON, "" without any.
	Success  string
	Criteria []string
	Sessions []Session
}

// Session is one session of a compared test.
type Session struct {
	ID    string
	Index int
	// Who tells people apart: the persona's facets, the screen and the seed.
	Who string
	// Usable: it was carried through, so that its scores count.
	Usable    bool
	Succeeded bool
	// Seconds are simulated.
	Seconds  float64
	Scores   map[string]float64
	Findings findings.Session
}

// Comparable says why two tests cannot be held against each other, nil when
// they can: people who were sent to do different things or who were judged by
// other rules differ by more than the design.
func Comparable(a, b Test) error {
	refuse := func(format string, args ...any) error {
		return domain.Invalid("b", "incomparable", format, args...)
	}
	switch {
	case a.ID == b.ID:
		return refuse("a and b are the same test")
	case !strings.EqualFold(strings.Join(strings.Fields(a.Task), " "), strings.Join(strings.Fields(b.Task), " ")):
		return refuse("the tests have different tasks, %q and %q: compare tests of one task", a.Task, b.Task)
	case a.MaxSteps != b.MaxSteps:
		return refuse("sessions of one test may take %d steps and those of the other %d: run one of them again with the other's max_steps", a.MaxSteps, b.MaxSteps)
	case len(Common(a, b)) == 0:
		return refuse("the tests have no criterion in common: %s against %s", strings.Join(a.Criteria, ", "), strings.Join(b.Criteria, ", "))
	}
	return nil
}

// Common are the criteria that both tests asked for, in their order.
func Common(a, b Test) []string {
	var out []string
	for _, c := range scoring.Criteria {
		if slices.Contains(a.Criteria, c) && slices.Contains(b.Criteria, c) {
			out = append(out, c)
		}
	}
	return out
}

// pair is the same person with the same seed on the same screen with both
// designs.
type pair struct{ a, b *Session }

// pairs matches the sessions of two tests by their numbers. matched: both tests
// had the same people throughout.
func pairs(a, b []Session) (out []pair, matched bool) {
	if len(a) == 0 || len(a) != len(b) {
		return nil, false
	}
	byIndex := map[int]*Session{}
	for i := range b {
		byIndex[b[i].Index] = &b[i]
	}
	for i := range a {
		other := byIndex[a[i].Index]
		if other == nil || other.Who != a[i].Who {
			return nil, false
		}
		out = append(out, pair{&a[i], other})
	}
	return out, true
}

// usable are the pairs whose sessions were both carried through.
func usablePairs(all []pair) []pair {
	return slices.DeleteFunc(slices.Clone(all), func(p pair) bool { return !p.a.Usable || !p.b.Usable })
}

func usable(all []Session) []*Session {
	var out []*Session
	for i := range all {
		if all[i].Usable {
			out = append(out, &all[i])
		}
	}
	return out
}

// shareClock makes efficiency common to both designs: the time on the shortest
// way that is known of a person is the lesser of the two designs' (an own way
// that is short with one design only would flatter the other). Sessions without
// success keep their 0. The sessions given are changed.
func shareClock(all []pair) {
	for _, p := range all {
		best := 0.0
		for _, s := range []*Session{p.a, p.b} {
			if own := s.Scores[scoring.Efficiency] * s.Seconds; s.Succeeded && own > 0 && (best == 0 || own < best) {
				best = own
			}
		}
		for _, s := range []*Session{p.a, p.b} {
			if _, known := s.Scores[scoring.Efficiency]; known && s.Succeeded && s.Seconds > 0 {
				s.Scores[scoring.Efficiency] = min(1, best/s.Seconds)
			}
		}
	}
}

// scoreOf is a session's score by a criterion, or its overall score by those.
func scoreOf(s *Session, criterion string, criteria []string) (float64, bool) {
	if criterion == overall {
		return scoring.Overall(s.Scores, criteria)
	}
	v, ok := s.Scores[criterion]
	return v, ok
}
