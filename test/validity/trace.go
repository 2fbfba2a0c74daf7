package validity

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"understudy/domain/walk"
)

// Trace tells a walk in plain text, one step a line. Two walks with the same
// trace did and thought the same.
func (r *Result) Trace() string {
	var b strings.Builder
	f := r.Who.Facets
	fmt.Fprintf(&b, "%s %s: %s %s %s %s patience %.2f keys %v reader %v zoom %v\n", r.Errand, r.View, f.AgeBand, f.InformationProcessing,
		f.RiskAttitude, f.LanguageLevel, f.Patience, f.KeyboardOnly, f.ScreenReader, f.Zoom)
	for i := range r.Walked.Steps {
		b.WriteString(line(&r.Walked.Steps[i]))
	}
	c := r.Walked.Completion
	for _, wrong := range r.Mistaken {
		fmt.Fprintf(&b, "besides, %s\n", wrong)
	}
	if r.Broken != "" {
		fmt.Fprintf(&b, "ended because %s\n", r.Broken)
	}
	fmt.Fprintf(&b, "outcome %s, truth %v, oracle %s %.2f: %s\n", r.Walked.Outcome, r.Reached, c.Status, c.Confidence, c.Evidence)
	return strings.ReplaceAll(b.String(), Origin, "")
}

func line(s *walk.StepRecord) string {
	d := &s.Decision
	name := ""
	if d.Target != nil {
		name = " " + d.Target.Role + " “" + d.Target.Name + "”"
	}
	var signals []string
	for _, signal := range s.Signals {
		signals = append(signals, " !"+signal.Kind)
	}
	slices.Sort(signals)
	return fmt.Sprintf("%2d %s y%.0f | %s%s %q scent %.2f frustration %.2f %.1fs | %s | %s%s\n", s.Index, s.Page.URL, s.Page.ScrollY,
		d.Action.Type, name, d.Action.Text, d.Scent, d.Frustration, float64(d.SimulatedMS)/1000, d.Observation, d.Thought, strings.Join(signals, ""))
}

// Actions is what was done, one action a line, without what was thought.
func (r *Result) Actions() string {
	var b strings.Builder
	for i := range r.Walked.Steps {
		d := &r.Walked.Steps[i].Decision
		selector := ""
		if d.Target != nil {
			selector = d.Target.Selector
		}
		fmt.Fprintf(&b, "%s %s %q %s\n", d.Action.Type, selector, d.Action.Text, d.End)
	}
	return b.String()
}

// Keep writes the trace of a walk, and its picture when there is one, into a
// directory, which is made when it is not there.
func (r *Result) Keep(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("keep a trace: %w", err)
	}
	name := filepath.Join(dir, fmt.Sprintf("%s-%s-%d", strings.ReplaceAll(r.Errand, "/", "-"), r.View, r.Seed))
	if err := os.WriteFile(name+".txt", []byte(r.Trace()), 0o600); err != nil {
		return fmt.Errorf("keep a trace: %w", err)
	}
	if len(r.Picture) == 0 {
		return nil
	}
	if err := os.WriteFile(name+".jpg", r.Picture, 0o600); err != nil {
		return fmt.Errorf("keep a picture: %w", err)
	}
	return nil
}

// FirstDifference is the first line that two traces do not share, of both.
func FirstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "\n" + x[i] + "\n" + y[i]
		}
	}
	if len(x) == len(y) {
		return ""
	}
	return "one ends earlier"
}
