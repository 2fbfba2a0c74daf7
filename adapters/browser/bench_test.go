package browser_test

import (
	"slices"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

// BenchmarkSteps tells the median of each step of a session in ms.
func BenchmarkSteps(b *testing.B) {
	times := map[string][]time.Duration{}
	measure := func(what string, fn func() error) {
		start := time.Now()
		if err := fn(); err != nil {
			b.Fatal(err)
		}
		times[what] = append(times[what], time.Since(start))
	}
	for b.Loop() {
		var s *browser.Session
		measure("open", func() (err error) { s, err = shared.Open(b.Context(), browser.SessionOptions{}); return })
		measure("goto", func() error { _, err := s.Goto(b.Context(), site.URL+"/facts.html"); return err })
		var p walk.Page
		measure("look", func() (err error) { p, err = s.Look(b.Context()); return })
		measure("look-again", func() (err error) { p, err = s.Look(b.Context()); return })
		measure("screenshot", func() error { _, _, _, err := s.Screenshot(b.Context()); return err })
		for _, e := range p.Elements {
			if e.Name == "More" {
				measure("click", func() error {
					_, err := s.Act(b.Context(), walk.Action{Type: walk.Click, Ref: e.Ref}, "")
					return err
				})
			}
		}
		measure("close", s.Close)
	}
	for what, all := range times {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, what+"-ms")
	}
}
