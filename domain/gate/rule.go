package gate

import (
	"maps"
	"slices"

	"understudy/domain"
	"understudy/domain/scoring"
)

// Rule is what one side demands; what it leaves open is for another to say.
type Rule struct {
	// Threshold is nil where the rule has none.
	Threshold *float64
	// Criteria are thresholds of single criteria.
	Criteria map[string]float64
}

// Validate refuses thresholds outside 0 to 1 and criteria that nobody scores.
// field is where the rule stands in what was asked for, such as "quality_gate".
func (r Rule) Validate(field string) error {
	if r.Threshold != nil && !isShare(*r.Threshold) {
		return domain.Invalid(field+".threshold", "out_of_range", "threshold must be between 0 and 1")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Criteria)) {
		switch {
		case !slices.Contains(scoring.Criteria, name):
			return domain.Invalid(field+".criteria", "unknown_field", "%q is not a criterion; the criteria are %v", name, scoring.Criteria)
		case !isShare(r.Criteria[name]):
			return domain.Invalid(field+".criteria."+name, "out_of_range", "the threshold of %s must be between 0 and 1", name)
		}
	}
	return nil
}

// isShare is false for what is not a number.
func isShare(v float64) bool { return v >= 0 && v <= 1 }

// For is what is demanded of a test that scores these criteria and has a rule
// of its own, in an organization whose rule is the receiver.
//
// A test with a threshold of its own is judged by its own rule alone: its
// threshold then says what holds for every criterion that it does not name. A
// test without one takes the organization's threshold, DefaultThreshold when it
// has none either, and the organization's thresholds of single criteria, for
// those that the test scores and does not name itself.
func (r Rule) For(own Rule, scored []string) Config {
	cfg := Config{Threshold: DefaultThreshold, Criteria: maps.Clone(own.Criteria)}
	if own.Threshold != nil {
		cfg.Threshold = *own.Threshold
		return cfg
	}
	if r.Threshold != nil {
		cfg.Threshold = *r.Threshold
	}
	for _, name := range scored {
		threshold, demanded := r.Criteria[name]
		if _, named := own.Criteria[name]; !demanded || named {
			continue
		}
		if cfg.Criteria == nil {
			cfg.Criteria = map[string]float64{}
		}
		cfg.Criteria[name] = threshold
	}
	return cfg
}
