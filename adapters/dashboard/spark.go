package dashboard

import (
	"fmt"
	"slices"
	"strings"

	"understudy/projections/tests"
)

// The size of a spark line, and how many scores it shows at most.
const (
	sparkWidth, sparkHeight, sparkMargin = 88, 22, 3
	sparkMost                            = 12
)

// spark is the overall scores of the last tests of an address and a task, oldest first.
type spark struct{ Scores []float64 }

// sparkOf is of the tests like this one, until this one.
func sparkOf(t tests.Document, scores []tests.Score) (s spark) {
	for _, score := range scores {
		if score.URL == t.URL && score.Task == t.Task && score.ID <= t.ID && score.Overall != nil && len(s.Scores) < sparkMost {
			s.Scores = append(s.Scores, *score.Overall)
		}
	}
	slices.Reverse(s.Scores)
	return s
}

// Shown: there is a course to see.
func (s spark) Shown() bool { return len(s.Scores) > 1 }

// Width is that of the picture.
func (spark) Width() int { return sparkWidth }

// Height is that of the picture.
func (spark) Height() int { return sparkHeight }

func (s spark) at(i int) (x, y float64) {
	const w, h = sparkWidth - 2*sparkMargin, sparkHeight - 2*sparkMargin
	return sparkMargin + w*float64(i)/float64(max(1, len(s.Scores)-1)), sparkMargin + h*(1-min(1, max(0, s.Scores[i])))
}

// Line is the course, for an SVG polyline.
func (s spark) Line() string {
	var points []string
	for i := range s.Scores {
		x, y := s.at(i)
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
	}
	return strings.Join(points, " ")
}

// LastX is where the newest score stands.
func (s spark) LastX() string { x, _ := s.at(len(s.Scores) - 1); return fmt.Sprintf("%.1f", x) }

// LastY is the height of the newest score.
func (s spark) LastY() string { _, y := s.at(len(s.Scores) - 1); return fmt.Sprintf("%.1f", y) }

// Words say what is drawn.
func (s spark) Words() string {
	var all []string
	for _, score := range s.Scores {
		all = append(all, percentWords(score))
	}
	return fmt.Sprintf("Overall scores of the last %d tests of this address and task: %s", len(all), strings.Join(all, ", "))
}
