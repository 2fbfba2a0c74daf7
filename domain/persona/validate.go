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

// Kind is what a facet may be: one of Words, a number from Low to High, a whole one
// where Whole says so, or, without either, yes or no.
type Kind struct {
	// Name is the facet's in JSON, with a dot before a part of an object.
	Name      string
	Words     []string
	Low, High float64
	Whole     bool
}

// Kinds are those of all facets.
var Kinds = []Kind{
	{Name: "age_band", Words: AgeBands},
	{Name: "motivation", Words: motivations},
	{Name: "information_processing", Words: processings},
	{Name: "self_efficacy", Words: levels},
	{Name: "risk_attitude", Words: riskAttitudes},
	{Name: "learning_style", Words: learningStyles},
	{Name: "domain_knowledge", Words: levels},
	{Name: "language_level", Words: languageLevels},
	{Name: "reading_wpm", Low: 60, High: 450, Whole: true},
	{Name: "patience", Low: 0.2, High: 5},
	{Name: "motor_precision", Low: 0.1, High: 1},
	{Name: "vision.contrast_factor", Low: 1, High: 4},
	{Name: "vision.min_font", Low: 6, High: 40},
	{Name: "zoom", Low: 1, High: 4},
	{Name: "typing_wpm", Low: 8, High: 150, Whole: true},
	{Name: "keyboard_only"},
	{Name: "screen_reader"},
}

// words and numbers are the facets by the names of their kinds.
func (f Facets) words() map[string]string {
	return map[string]string{
		"age_band": f.AgeBand, "motivation": f.Motivation, "information_processing": f.InformationProcessing, "self_efficacy": f.SelfEfficacy,
		"risk_attitude": f.RiskAttitude, "learning_style": f.LearningStyle, "domain_knowledge": f.DomainKnowledge, "language_level": f.LanguageLevel,
	}
}

func (f Facets) numbers() map[string]float64 {
	return map[string]float64{
		"reading_wpm": float64(f.ReadingWPM), "patience": f.Patience, "motor_precision": f.MotorPrecision,
		"vision.contrast_factor": f.Vision.ContrastFactor, "vision.min_font": f.Vision.MinFont, "zoom": f.Zoom, "typing_wpm": float64(f.TypingWPM),
	}
}

// Validate lists the facets that are given and not legal, by field: facets
// stand beside the name.
func (f Facets) Validate() []domain.FieldError {
	var errs []domain.FieldError
	words, numbers := f.words(), f.numbers()
	for _, k := range Kinds {
		word, value := words[k.Name], numbers[k.Name]
		switch {
		case k.Words != nil && word != "" && !slices.Contains(k.Words, word):
			errs = append(errs, domain.FieldError{
				Field: k.Name, Code: "unknown_value", Message: fmt.Sprintf("%s must be one of %s", k.Name, strings.Join(k.Words, ", ")),
			})
		case k.High > 0 && value != 0 && (math.IsNaN(value) || value < k.Low || value > k.High):
			errs = append(errs, domain.FieldError{
				Field: k.Name, Code: "out_of_range", Message: fmt.Sprintf("%s must be between %v and %v", k.Name, k.Low, k.High),
			})
		}
	}
	return errs
}

// Of is the facet of this kind that somebody has: a word or a number. What they have or
// have not is "true" or "".
func (k Kind) Of(f Facets) (word string, number float64) {
	if has := (k.Name == "keyboard_only" && f.KeyboardOnly) || (k.Name == "screen_reader" && f.ScreenReader); has {
		return "true", 0
	}
	return f.words()[k.Name], f.numbers()[k.Name]
}
