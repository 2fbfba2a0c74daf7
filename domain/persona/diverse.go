package persona

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"understudy/domain"
)

// epoch is the time in the ids of personas that come from a seed: they belong
// to no moment.
var epoch = time.Unix(0, 0)

// The dimensions of the facet space that AutoDiverse stratifies over.
const (
	dimAge = iota
	dimMotivation
	dimProcessing
	dimEfficacy
	dimRisk
	dimLearning
	dimReading
	dimDomain
	dimLanguage
	dimPatience
	dimTyping
	dimAccess
	dims
)

// AutoDiverse makes n personas spread over the whole facet space: each facet
// is cut into n equal strata, every stratum is used once, and the strata of
// different facets are paired at random (Latin hypercube sampling: McKay,
// Beckman and Conover 1979), so that ten personas already span every facet.
// The same seed and n give the same personas. n < 1 gives none.
func AutoDiverse(seed uint64, n int) []Persona {
	if n < 1 {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	strata := make([][]int, dims)
	for d := range strata {
		strata[d] = rng.Perm(n)
	}
	names := namer(seed)
	out := make([]Persona, n)
	for i := range out {
		var u [dims]float64
		for d := range u {
			u[d] = (float64(strata[d][i]) + rng.Float64()) / float64(n)
		}
		f := facetsAt(u)
		out[i] = Persona{
			ID: domain.DeriveID(domain.PrefixPersona, epoch, "auto-diverse",
				strconv.FormatUint(seed, 10), strconv.Itoa(n), strconv.Itoa(i)),
			Name:    names(i),
			Summary: Summarize(f),
			Facets:  f,
		}
	}
	return out
}

// facetsAt maps a point of the unit cube to facets. Abilities depend on age
// and language as they do among people.
func facetsAt(u [dims]float64) Facets {
	age := pick(u[dimAge], 0.13, 0.20, 0.19, 0.17, 0.14, 0.11, 0.06)
	f := Facets{
		AgeBand:               AgeBands[age],
		Motivation:            motivations[pick(u[dimMotivation], 0.6, 0.4)],
		InformationProcessing: processings[pick(u[dimProcessing], 0.45, 0.55)],
		SelfEfficacy:          levels[pick(u[dimEfficacy], 0.3, 0.4, 0.3)],
		RiskAttitude:          riskAttitudes[pick(u[dimRisk], 0.35, 0.4, 0.25)],
		LearningStyle:         learningStyles[pick(u[dimLearning], 0.55, 0.45)],
		DomainKnowledge:       levels[pick(u[dimDomain], 0.35, 0.4, 0.25)],
		LanguageLevel:         languageLevels[pick(u[dimLanguage], 0.08, 0.14, 0.18, 0.6)],
		Patience:              round(math.Exp(0.45*normal(u[dimPatience])), 2),
		MotorPrecision:        1,
		Vision:                Vision{ContrastFactor: 1, MinFont: defaultMinFont},
		Zoom:                  1,
	}
	f.Patience = math.Min(5, math.Max(0.2, f.Patience))

	// Adults read 175–300 words a minute (Brysbaert 2019), the old and those
	// who read a second language slower.
	wpm := 175 + 125*u[dimReading]
	wpm *= []float64{1, 1, 1, 0.98, 0.95, 0.88, 0.8}[age]
	wpm *= map[string]float64{Basic: 0.55, Intermediate: 0.7, Fluent: 0.88, Native: 1}[f.LanguageLevel]
	f.ReadingWPM = int(wpm)

	// 20–90 words a minute, from hunt-and-peck to skilled; slower with age.
	f.TypingWPM = int((20 + 70*u[dimTyping]) * []float64{1, 1, 0.97, 0.92, 0.82, 0.7, 0.6}[age])

	// Ageing needs larger, stronger text and costs precision: shapes of the
	// change are textbook knowledge, sizes are assumptions to be calibrated.
	if age >= 5 {
		f.Vision.ContrastFactor = []float64{1.2, 1.4}[age-5]
		f.Vision.MinFont = []float64{11, 12}[age-5]
		f.MotorPrecision = []float64{0.7, 0.55}[age-5]
	}
	// More than one adult in five lives with a disability that matters here
	// (WHO 2022 says 16 % of people; the share is raised so that ten personas
	// meet two or three of the barriers). The tenth without a pointer comes last,
	// so that one of ten always is: what fails for them fails for nobody else.
	switch pick(u[dimAccess], 0.72, 0.08, 0.06, 0.04, 0.05, 0.05) {
	case 1:
		f.Vision.ContrastFactor, f.Vision.MinFont = 1.8, 14
	case 2:
		f.Zoom, f.Vision.MinFont, f.Vision.ContrastFactor = 2, 16, math.Max(1.3, f.Vision.ContrastFactor)
	case 3:
		f.MotorPrecision = 0.3
	case 4:
		f.KeyboardOnly = true
	case 5:
		f.ScreenReader, f.KeyboardOnly = true, true
	}
	return f
}

// pick returns the index of the share that u in [0,1) falls into.
func pick(u float64, shares ...float64) int {
	for i, s := range shares {
		if u < s {
			return i
		}
		u -= s
	}
	return len(shares) - 1
}

// normal is the standard normal quantile of u.
func normal(u float64) float64 {
	return math.Sqrt2 * math.Erfinv(2*math.Min(0.999, math.Max(0.001, u))-1)
}

func round(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
}
