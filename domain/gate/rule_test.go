package gate_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/gate"
	"understudy/domain/scoring"
)

type by = map[string]float64

func num(v float64) *float64 { return &v }

func TestWhatATestLeavesOpenIsTheOrganizations(t *testing.T) {
	t.Parallel()
	strict := gate.Rule{Threshold: num(0.9), Criteria: by{scoring.TaskCompletion: 0.95, scoring.Trust: 0.8, scoring.Speed: 0.1}}
	scored := []string{scoring.TaskCompletion, scoring.Trust}
	for name, c := range map[string]struct {
		organization, own gate.Rule
		want              gate.Config
	}{
		"nobody says anything":           {want: gate.Config{Threshold: 0.7}},
		"the organization alone":         {organization: strict, want: gate.Config{Threshold: 0.9, Criteria: by{scoring.TaskCompletion: 0.95, scoring.Trust: 0.8}}},
		"criteria of the test go first":  {organization: strict, own: gate.Rule{Criteria: by{scoring.Trust: 0.2}}, want: gate.Config{Threshold: 0.9, Criteria: by{scoring.TaskCompletion: 0.95, scoring.Trust: 0.2}}},
		"a test with its own threshold":  {organization: strict, own: gate.Rule{Threshold: num(0.5)}, want: gate.Config{Threshold: 0.5}},
		"a threshold of 0 is one":        {organization: strict, own: gate.Rule{Threshold: num(0)}, want: gate.Config{Threshold: 0}},
		"an organization's 0 is one":     {organization: gate.Rule{Threshold: num(0)}, want: gate.Config{Threshold: 0}},
		"the organization has only some": {organization: gate.Rule{Criteria: by{scoring.Trust: 0.8}}, want: gate.Config{Threshold: 0.7, Criteria: by{scoring.Trust: 0.8}}},
	} {
		if got := c.organization.For(c.own, scored); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func rules() *rapid.Generator[gate.Rule] {
	return rapid.Custom(func(t *rapid.T) gate.Rule {
		return gate.Rule{
			Threshold: rapid.Ptr(rapid.Float64Range(0, 1), true).Draw(t, "threshold"),
			Criteria:  rapid.MapOf(rapid.SampledFrom(scoring.Criteria), rapid.Float64Range(0, 1)).Draw(t, "criteria"),
		}
	})
}

// Every threshold comes from one of the rules and judges something that is
// scored; neither rule is changed; asked again with the answer, it is the same.
func TestForLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		organization, own := rules().Draw(t, "organization"), rules().Draw(t, "own")
		scored := rapid.SliceOfDistinct(rapid.SampledFrom(scoring.Criteria), rapid.ID).Draw(t, "scored")
		before := [2]int{len(organization.Criteria), len(own.Criteria)}
		got := organization.For(own, scored)
		if before != [2]int{len(organization.Criteria), len(own.Criteria)} {
			t.Fatal("a rule was changed")
		}
		for name, threshold := range own.Criteria {
			if got.Criteria[name] != threshold {
				t.Fatalf("%s: %v, the test says %v", name, got.Criteria[name], threshold)
			}
		}
		for name, threshold := range got.Criteria {
			if _, named := own.Criteria[name]; named {
				continue
			}
			if threshold != organization.Criteria[name] || own.Threshold != nil || !slices.Contains(scored, name) {
				t.Fatalf("%s: %v of %+v for %+v that scores %v", name, threshold, organization, own, scored)
			}
		}
		again := organization.For(gate.Rule{Threshold: &got.Threshold, Criteria: got.Criteria}, scored)
		if !reflect.DeepEqual(again, got) {
			t.Fatalf("%+v, asked again %+v", got, again)
		}
		if err := (gate.Rule{Threshold: &got.Threshold, Criteria: got.Criteria}).Validate(""); err != nil {
			t.Fatal(err)
		}
	})
}

func TestRulesThatAreNone(t *testing.T) {
	t.Parallel()
	for field, wrong := range map[string]gate.Rule{
		"quality_gate.threshold":      {Threshold: num(1.01)},
		"quality_gate.criteria.trust": {Criteria: by{"trust": -0.1}},
		"quality_gate.criteria.speed": {Threshold: num(1), Criteria: by{"speed": math.NaN(), "trust": 0}},
		"quality_gate.criteria":       {Criteria: by{"beauty": 0.5}},
	} {
		err := wrong.Validate("quality_gate")
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.CodeValidationFailed || len(refusal.Fields) != 1 || refusal.Fields[0].Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
