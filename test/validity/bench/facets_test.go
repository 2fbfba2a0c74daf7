package main

import (
	"testing"

	"understudy/domain/stats"
	"understudy/domain/walk"
)

func TestMedianInterval(t *testing.T) {
	t.Parallel()
	var values []float64
	for i := range 100 {
		values = append(values, float64(100-i))
	}
	// Conover's ranks for n = 100: 50 ∓ 9.8.
	if mid, low, high := medianInterval(values); mid != 50.5 || low != 41 || high != 60 {
		t.Errorf("%v, %v to %v", mid, low, high)
	}
}

func TestALevelIsHeldAgainstPeople(t *testing.T) {
	t.Parallel()
	between := func(low, high float64) (r stats.Result) {
		r.Low, r.High = low, high
		return r
	}
	none := between(0.9, 1.1)
	for _, test := range []struct {
		level         facetLevel
		time, left    stats.Result
		worse, better float64 // of completion
		alike         tally
		want          string
	}{
		{facetLevel{slower: true}, between(1.1, 1.3), none, 0, 0, tally{}, "yes"},
		{facetLevel{slower: true}, none, none, 0, 0, tally{}, "not seen"},
		{facetLevel{slower: true}, between(0.7, 0.9), none, 0, 0, tally{}, "NO"},
		{facetLevel{slower: true, fewer: true}, between(1.1, 1.3), none, 0.1, 0.2, tally{}, "NO"},
		{facetLevel{fewer: true}, none, none, -0.3, -0.1, tally{}, "yes"},
		{facetLevel{sooner: true}, none, between(0.4, 0.6), -0.1, 0.1, tally{}, "yes"},
		{facetLevel{same: true}, none, none, 0, 0, tally{3, 3}, "yes"},
		{facetLevel{same: true}, none, none, 0, 0, tally{2, 3}, "NO"},
	} {
		if got := test.level.verdict(test.time, test.left, test.worse, test.better, test.alike); got != test.want {
			t.Errorf("%+v: %s, not %s", test, got, test.want)
		}
	}
}

func TestScreenfuls(t *testing.T) {
	t.Parallel()
	at := func(y, height float64, ms int) walk.StepRecord {
		return walk.StepRecord{Page: walk.Page{Viewport: walk.Size{Height: 800}, Height: height, ScrollY: y}, Decision: walk.Decision{SimulatedMS: ms}}
	}
	got := screenfulsOf(&walk.Walked{Steps: []walk.StepRecord{
		at(0, 8000, 1000), at(1200, 8000, 400), at(7200, 8000, 50), at(0, 900, 9999), // the last is no tall page
	}})
	if got != [6]float64{1000, 200, 200, 0, 0, 50} {
		t.Errorf("%v", got)
	}
}
