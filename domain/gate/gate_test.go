package gate

import (
	"math"
	"reflect"
	"testing"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	num := func(v float64) *float64 { return &v }
	asked := []string{"cta_findability", "trust"}
	cases := []struct {
		name    string
		cfg     Config
		scores  map[string]float64
		overall *float64
		passed  bool
		failed  []string
	}{
		{"all above", Config{Threshold: 0.7}, map[string]float64{"task_completion": 0.9, "cta_findability": 0.7}, num(0.8), true, []string{}},
		{"a criterion of its own", Config{Threshold: 0.7, Criteria: map[string]float64{"task_completion": 0.95}},
			map[string]float64{"task_completion": 0.9, "cta_findability": 0.9}, num(0.9), false, []string{"task_completion"}},
		{"a lower bar of its own", Config{Threshold: 0.7, Criteria: map[string]float64{"speed": 0.2}},
			map[string]float64{"task_completion": 1, "speed": 0.3}, num(0.7), true, []string{}},
		{"order of failures", Config{Threshold: 0.7}, map[string]float64{"speed": 0.1, "trust": 0.1, "task_completion": 0.1}, num(0.1), false,
			[]string{"task_completion", "trust", "speed", "overall"}},
		{"overall alone", Config{Threshold: 0.7, Criteria: map[string]float64{"speed": 0.1}}, map[string]float64{"speed": 0.3}, num(0.3), false, []string{"overall"}},
		{"no evidence", Config{Threshold: 0}, nil, nil, false, asked},
		{"left-out criterion", Config{Threshold: 0.7, Criteria: map[string]float64{"speed": 0.9}}, map[string]float64{"task_completion": 0.8}, num(0.8), true, []string{}},
		{"rounding", Config{Threshold: 0.7}, map[string]float64{"task_completion": 0.7}, num((0.1 + 0.6) * 0.99999999999), true, []string{}},
		{"not a number", Config{Threshold: 0.1}, map[string]float64{"task_completion": math.NaN()}, num(0.5), false, []string{"task_completion"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := Evaluate(c.cfg, []string{"trust", "cta_findability"}, c.scores, c.overall)
			if v.Passed != c.passed || (v.Reason == NoEvidence) != (c.overall == nil) || !reflect.DeepEqual(v.FailedCriteria, c.failed) {
				t.Errorf("got %+v, want passed %v, failed %v", v, c.passed, c.failed)
			}
		})
	}
}
