package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Highlight is a telling moment of a session.
type Highlight struct {
	SessionID    string `json:"session_id"`
	Step         int    `json:"step"`
	Quote        string `json:"quote"`
	Tone         string `json:"tone"` // positive, negative or mixed
	Why          string `json:"why"`
	ScreenshotID string `json:"screenshot_id,omitempty"`
}

// perTone is how many highlights of each tone a report has at most.
const perTone = 2

// highlights picks moments for contrast: how the quickest reached the goal,
// how those who failed ended, and where those who succeeded were annoyed most.
// No quote is given twice.
func highlights(sessions []Session) []Highlight {
	h := highlighter{said: map[string]bool{}, list: []Highlight{}}
	won := slices.Clone(sessions)
	won = slices.DeleteFunc(won, func(s Session) bool { return !s.Findings.Succeeded || len(s.Steps) == 0 })
	slices.SortStableFunc(won, func(a, b Session) int { return cmp.Compare(a.SimulatedSeconds, b.SimulatedSeconds) })
	h.add(won, "positive", func(s Session) (int, string) {
		return len(s.Steps) - 1, fmt.Sprintf("%s reached the goal in %d steps, %.0f simulated seconds", s.Persona, len(s.Steps), s.SimulatedSeconds)
	})
	lost := slices.Clone(sessions)
	lost = slices.DeleteFunc(lost, func(s Session) bool { return s.Findings.Succeeded || len(s.Steps) == 0 })
	slices.SortStableFunc(lost, func(a, b Session) int { return cmp.Compare(b.peak(), a.peak()) })
	h.add(lost, "negative", func(s Session) (int, string) {
		return len(s.Steps) - 1, fmt.Sprintf("%s did not reach the goal (%s after %d steps)", s.Persona, strings.ReplaceAll(s.Outcome, "_", " "), len(s.Steps))
	})
	slices.SortStableFunc(won, func(a, b Session) int { return cmp.Compare(b.peak(), a.peak()) })
	h.add(slices.DeleteFunc(won, func(s Session) bool { return s.peak() == 0 }), "mixed", func(s Session) (int, string) {
		return s.worst(), fmt.Sprintf("the most annoying moment of %s, who succeeded all the same", s.Persona)
	})
	return h.list
}

type highlighter struct {
	said map[string]bool
	list []Highlight
}

func (h *highlighter) add(sessions []Session, tone string, pick func(Session) (step int, why string)) {
	n := 0
	for _, s := range sessions {
		if n == perTone {
			return
		}
		i, why := pick(s)
		step := s.Steps[i]
		if step.Thought == "" || h.said[step.Thought] {
			continue
		}
		h.said[step.Thought] = true
		h.list = append(h.list, Highlight{
			SessionID: s.ID, Step: step.Index, Quote: step.Thought, Tone: tone, Why: why, ScreenshotID: step.ScreenshotID,
		})
		n++
	}
}

// worst is the step with the most frustration, the first of several.
func (s Session) worst() int {
	worst := 0
	for i, step := range s.Steps {
		if step.Frustration > s.Steps[worst].Frustration {
			worst = i
		}
	}
	return worst
}

func (s Session) peak() float64 {
	if len(s.Steps) == 0 {
		return 0
	}
	return s.Steps[s.worst()].Frustration
}
