package scoring

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type by = map[string]float64

func TestOverall(t *testing.T) {
	t.Parallel()
	all := []string{TaskCompletion, Trust, Speed}
	for _, c := range []struct {
		name     string
		scores   by
		criteria []string
		want     float64 // -1: none
	}{
		{"the mean", by{TaskCompletion: 1, Trust: 0.5, Speed: 0}, all, 0.5},
		{"what was not asked for does not count", by{TaskCompletion: 1, Trust: 0.5, Speed: 0}, all[:2], 0.75},
		{"what has no evidence is left out", by{TaskCompletion: 1, Trust: 0.5}, all, 0.75},
		{"a pleasant way to nowhere", by{TaskCompletion: 0, Trust: 1, Speed: 1}, all, 0},
		{"most of the way", by{TaskCompletion: 0.4, Trust: 1, Speed: 1}, all, 0.4},
		{"an unpleasant way to nowhere", by{TaskCompletion: 0.4, Trust: 0.1, Speed: 0.1}, all, 0.2},
		{"completion was not asked for", by{TaskCompletion: 0, Trust: 1, Speed: 0.5}, all[1:], 0.75},
		{"twice is once", by{TaskCompletion: 1, Trust: 0}, []string{Trust, TaskCompletion, Trust}, 0.5},
		{"nothing", by{Speed: 1}, all[:2], -1},
		{"nothing at all", nil, all, -1},
	} {
		got, ok := Overall(c.scores, c.criteria)
		if ok != (c.want >= 0) || ok && math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, %v, want %v", c.name, got, ok, c.want)
		}
	}
}

func TestAggregate(t *testing.T) {
	t.Parallel()
	tally := Aggregate([]by{{TaskCompletion: 1, Speed: 0.5}, {TaskCompletion: 0.2, Trust: 1}, {}}, []string{TaskCompletion, Speed, ErrorRecovery})
	means := tally.Means([]string{TaskCompletion, Speed, ErrorRecovery})
	if want := (by{TaskCompletion: 0.6, Speed: 0.5}); !maps.Equal(means, want) {
		t.Errorf("means %v, want %v", means, want)
	}
	if overall, ok := tally.Overall(); !ok || overall != 0.475 { // of 0.75 and 0.2
		t.Errorf("overall %v, %v", overall, ok)
	}
	if _, ok := Aggregate(nil, Default).Overall(); ok {
		t.Error("no sessions have an overall score")
	}
}

func scored() *rapid.Generator[by] {
	return rapid.MapOf(rapid.SampledFrom(Criteria), rapid.Float64Range(0, 1))
}

// TestOverallLaws: overall lies within [0,1] and within what task_completion
// allows, and no lower than the least score; a better score never makes it worse;
// a criterion without evidence, counted neither as 0 nor as 1, changes nothing.
func TestOverallLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sessions := rapid.SliceOfN(scored(), 1, 6).Draw(t, "sessions")
		criteria := rapid.SliceOfNDistinct(rapid.SampledFrom(Criteria), 1, -1, rapid.ID).Draw(t, "criteria")
		of := func(sessions []by, criteria []string) (float64, bool) { return Aggregate(sessions, criteria).Overall() }
		overall, ok := of(sessions, criteria)
		least, most, any := 1.0, 1.0, false
		for _, s := range sessions {
			for _, c := range criteria {
				if v, has := s[c]; has {
					least, any = min(least, v), true
				}
			}
		}
		if slices.Contains(criteria, TaskCompletion) && !slices.ContainsFunc(sessions, func(s by) bool { _, has := s[TaskCompletion]; return !has }) {
			most = Aggregate(sessions, criteria).Means(criteria)[TaskCompletion]
		}
		const rounding = 1.5e-4
		if ok != any || ok && (overall < least-rounding || overall > most+rounding) {
			t.Fatalf("overall %v, %v of %v; least score %v, task_completion %v", overall, ok, sessions, least, most)
		}
		i := rapid.IntRange(0, len(sessions)-1).Draw(t, "session")
		for c, v := range sessions[i] {
			better := slices.Clone(sessions)
			better[i] = maps.Clone(better[i])
			better[i][c] = rapid.Float64Range(v, 1).Draw(t, "better")
			if now, _ := of(better, criteria); now < overall {
				t.Fatalf("%s from %v to %v: overall falls from %v to %v", c, v, better[i][c], overall, now)
			}
		}
		for _, c := range Criteria {
			if slices.Contains(criteria, c) || slices.ContainsFunc(sessions, func(s by) bool { _, has := s[c]; return has }) {
				continue
			}
			if now, still := of(sessions, append(slices.Clone(criteria), c)); now != overall || still != ok {
				t.Fatalf("%s has no evidence and makes overall %v of %v", c, now, overall)
			}
		}
	})
}
