package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/session"
)

// What a film shows of a step at least and at most, and of a page of the sandbox, where
// it shows each of the first maxSketches pages once.
const (
	shortestStep = 700 * time.Millisecond
	longestStep  = 3 * time.Second
	sketched     = time.Second
	maxSketches  = 8
)

// filmTimes are when the film of a walk comes to its steps, in seconds. length is the
// film's, which counts where they do not agree.
func filmTimes(env domain.Environment, steps []session.Step, length float64) []float64 {
	times := make([]float64, len(steps))
	var at time.Duration
	var pages []string
	for i, step := range steps {
		if env == domain.Sandbox {
			page := slices.Index(pages, step.URL)
			if page < 0 {
				page = len(pages)
				pages = append(pages, step.URL)
			}
			at = time.Duration(min(page, maxSketches-1)) * sketched
		}
		times[i] = at.Seconds()
		if env != domain.Sandbox {
			at += min(max(time.Duration(step.SimulatedMS)*time.Millisecond, shortestStep), longestStep)
		}
	}
	if total := at.Seconds(); env != domain.Sandbox && total > 0 && length > 0 {
		for i := range times {
			times[i] *= length / total
		}
	}
	return times
}

// course is a walk's frustration over its steps, as a drawing 100 units wide and 20 high.
type course struct {
	Marks []timeMark
	// Most is the greatest frustration, at step MostAt.
	Most   float64
	MostAt int
}

// timeMark is a step on the timeline.
type timeMark struct {
	Number      int
	X, Wide     float64
	Y, Tall     float64
	Frustration float64
	Trouble     bool
}

// End is where the next step begins.
func (m timeMark) End() float64 { return m.X + m.Wide }

// leastTop is the frustration at the top of the drawing where none is greater.
const timelineHeight, leastTop = 20, 0.25

// timelineOf draws a walk: each step is as wide as the time that it took a person, but
// wide enough to be hit.
func timelineOf(steps []stepView) *course {
	if len(steps) == 0 {
		return nil
	}
	widths, total := make([]float64, len(steps)), 0.0
	for i, s := range steps {
		widths[i] = min(max(float64(s.SimulatedMS), 700), 15_000)
		total += widths[i]
	}
	t := &course{MostAt: 1}
	for _, s := range steps {
		if felt := min(s.Frustration, 1); felt > t.Most {
			t.Most, t.MostAt = felt, s.Number
		}
	}
	x, top := 0.0, max(t.Most, leastTop)
	for i, s := range steps {
		wide, felt := 100*widths[i]/total, min(max(s.Frustration, 0), 1)
		t.Marks = append(t.Marks, timeMark{s.Number, x, wide, timelineHeight * (1 - felt/top), timelineHeight * felt / top, felt, s.Trouble})
		x += wide
	}
	return t
}

// besideView is something else of a step that is framed on its picture: what was
// overlooked or stood in the way.
type besideView struct {
	frameView
	Words string
}

// besides are the kinds of what is framed, and what is said of it.
var besides = map[string]string{
	findings.LowContrast: "overlooked, hard to see", findings.OffScreen: "overlooked", findings.HiddenInMenu: "overlooked, in a menu",
	findings.BelowFold: "overlooked, further down", findings.Covered: "covered", findings.CompetingLabels: "promises the same",
	findings.UnclearLabel: "unclear", findings.SmallTarget: "small", findings.DisabledControl: "cannot be used", findings.MouseOnly: "no key reaches it",
}

// beside frames on the pictures of steps what was observed of elements that were not
// acted on in them.
func (v *sessionView) beside(found *session.Findings) {
	if found == nil {
		return
	}
	for _, o := range found.Observations {
		words, shown := besides[o.Kind]
		i := slices.IndexFunc(v.Steps, func(s stepView) bool { return s.Index == o.Step })
		if !shown || o.Element == nil || i < 0 || v.Steps[i].Shot == nil || targetOf(v.Steps[i].Step).Selector == o.Element.Selector {
			continue
		}
		shot := v.Steps[i].Shot
		frame, _, _ := frameOn(o.Element.Box, o.Viewport.Width, shot.Width, shot.Height)
		if frame != nil && len(shot.Beside) < 5 {
			if name := strings.TrimSpace(o.Element.Name); name != "" {
				words = quoteOr(name, "") + ": " + words
			}
			shot.Beside = append(shot.Beside, besideView{*frame, words})
		}
	}
}

// Place is the frame for a script: left, top, width and height in percent.
func (f frameView) Place() string {
	return fmt.Sprintf("%.2f %.2f %.2f %.2f", f.Left, f.Top, f.Width, f.Height)
}
