package persona

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"understudy/domain"
)

// maxName bounds names in characters, maxSummary summaries.
const (
	maxName    = 100
	maxSummary = 500
)

// Validate lists what is wrong with a persona by field; none means that it can
// be used. Facets that are not given are fine.
func (p Persona) Validate() []domain.FieldError {
	var errs []domain.FieldError
	switch n := utf8.RuneCountInString(p.Name); {
	case strings.TrimSpace(p.Name) == "":
		errs = append(errs, domain.FieldError{Field: "name", Code: "required", Message: "name must not be empty"})
	case n > maxName:
		errs = append(errs, domain.FieldError{Field: "name", Code: "too_long", Message: fmt.Sprintf("name must have at most %d characters", maxName)})
	}
	if utf8.RuneCountInString(p.Summary) > maxSummary {
		errs = append(errs, domain.FieldError{Field: "summary", Code: "too_long", Message: fmt.Sprintf("summary must have at most %d characters", maxSummary)})
	}
	return append(errs, p.Facets.Validate()...)
}

// Validate lists the facets that are given and not legal, by field: facets
// stand beside the name.
func (f Facets) Validate() []domain.FieldError {
	var errs []domain.FieldError
	word := func(name, value string, legal []string) {
		if value != "" && !slices.Contains(legal, value) {
			errs = append(errs, domain.FieldError{
				Field: name, Code: "unknown_value",
				Message: fmt.Sprintf("%s must be one of %s", name, strings.Join(legal, ", ")),
			})
		}
	}
	word("age_band", f.AgeBand, AgeBands)
	word("motivation", f.Motivation, motivations)
	word("information_processing", f.InformationProcessing, processings)
	word("self_efficacy", f.SelfEfficacy, levels)
	word("risk_attitude", f.RiskAttitude, riskAttitudes)
	word("learning_style", f.LearningStyle, learningStyles)
	word("domain_knowledge", f.DomainKnowledge, levels)
	word("language_level", f.LanguageLevel, languageLevels)

	number := func(name string, value, low, high float64) {
		if value == 0 {
			return // not given
		}
		if math.IsNaN(value) || value < low || value > high {
			errs = append(errs, domain.FieldError{
				Field: name, Code: "out_of_range",
				Message: fmt.Sprintf("%s must be between %v and %v", name, low, high),
			})
		}
	}
	number("reading_wpm", float64(f.ReadingWPM), 60, 450)
	number("patience", f.Patience, 0.2, 5)
	number("motor_precision", f.MotorPrecision, 0.1, 1)
	number("vision.contrast_factor", f.Vision.ContrastFactor, 1, 4)
	number("vision.min_font", f.Vision.MinFont, 6, 40)
	number("zoom", f.Zoom, 1, 4)
	number("typing_wpm", float64(f.TypingWPM), 8, 150)
	return errs
}
