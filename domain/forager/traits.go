package forager

import (
	"math"

	"understudy/domain/persona"
)

// traits are the parameters of the walk that a persona's facets and the seed
// decide. Where a number has no source it is an assumption; the direction of
// every effect follows GenderMag's facets or the literature on ageing.
type traits struct {
	// aspiration is the scent at which a thing is used at once; settle is what is
	// good enough once the page was looked through.
	aspiration, settle float64
	// screens is how many screenfuls of a page that promises nothing are looked at.
	screens int
	// noise scales the logistic noise on scent (SNIF-ACT 2.0: s = 1 at a scale of 50).
	noise float64
	// exacting is added to the score from which a passage counts as the answer.
	exacting float64
	// patienceMS is how many unproductive simulated milliseconds are put up with.
	patienceMS float64
	// slow multiplies motor and perceptual operators; keyMS is one keystroke.
	slow, keyMS float64
	// wpm is the reading speed; readShare of the words of a new page are read.
	wpm, readShare float64
	// sigma is the endpoint's standard deviation in px.
	sigma float64
	// contrast multiplies needed contrast; minFont is the smallest legible text in px.
	contrast, minFont float64
	// caution is the risk aversion, 0 to 1; doubt multiplies frustration.
	caution, doubt float64
	// searches: goes for the search box early; tinkers: tries what is unclear.
	searches, tinkers bool
	// insists is how often a thing that did nothing is tried again.
	insists int
	// explores is how many places are looked into that promise nothing.
	explores     int
	reader, keys bool
}

// ageFactor slows operators down by age band. Older adults' operators take
// 1.5–1.8 times the young ones', but the published set overestimated times by a
// third: about half the gap is used.
var ageFactor = [...]float64{1, 1, 1.03, 1.08, 1.15, 1.27, 1.38}

// mostExplored is how many places are looked into that promise nothing by those who
// are as patient as most: an assumption.
const mostExplored = 6

// patienceSeconds is the median of the unproductive seconds that are put up
// with: an assumption.
const patienceSeconds = 120

func traitsOf(p persona.Persona, seed uint64) traits {
	f := p.Facets.WithDefaults()
	t := traits{
		aspiration: 0.55, settle: 0.30, screens: 3, noise: 0.02,
		slow: ageFactor[f.AgeIndex()], wpm: float64(f.ReadingWPM), readShare: 0.20,
		keyMS: 60000 / (float64(f.TypingWPM) * 5), sigma: 2 / f.MotorPrecision,
		reader: f.ScreenReader, keys: f.KeyboardOnly || f.ScreenReader,
		contrast: f.Vision.ContrastFactor, minFont: f.Vision.MinFont / f.Zoom,
		doubt: 1, caution: 0.5, insists: 1, tinkers: f.LearningStyle == persona.Tinkering,
	}
	// Thorough readers look at more before they act (the k of SNIF-ACT); 20 to
	// 28 % of a page's words are read (Weinreich et al. 2008).
	if f.InformationProcessing == persona.Comprehensive {
		t.aspiration, t.screens, t.readShare, t.exacting = t.aspiration+0.08, 5, 0.28, 0.03
	}
	switch f.RiskAttitude {
	case persona.Averse:
		t.settle, t.caution, t.exacting = t.settle+0.06, 1, t.exacting+0.02
	case persona.Tolerant:
		t.settle, t.caution, t.exacting = t.settle-0.06, 0.2, t.exacting-0.02
	}
	switch f.SelfEfficacy {
	case persona.Low:
		t.doubt = 1.35
	case persona.High:
		t.doubt = 0.8
	}
	t.noise *= map[string]float64{persona.Basic: 2.2, persona.Intermediate: 1.6, persona.Fluent: 1.2, persona.Native: 1}[f.LanguageLevel]
	t.noise *= map[string]float64{persona.Low: 1.3, persona.Medium: 1, persona.High: 0.8}[f.DomainKnowledge]
	if f.Motivation == persona.Exploratory {
		t.screens++
		t.settle -= 0.03
	}
	t.searches = f.SelfEfficacy == persona.High && f.InformationProcessing == persona.Selective || f.DomainKnowledge == persona.High
	// Log-normal around the median (dwell times are no abandonment hazard).
	t.patienceMS = patienceSeconds * 1000 * f.Patience * math.Exp(0.35*gauss(seed, "patience"))
	if f.ScreenReader || f.Zoom >= 2 {
		t.patienceMS *= 1.5 // people with assistive technology know that everything takes longer
	}
	t.explores = max(1, int(math.Round(mostExplored*math.Min(1, f.Patience))))
	if t.tinkers || f.Patience < 0.6 {
		t.insists = 2
	}
	t.aspiration += 0.03 * gauss(seed, "aspiration")
	return t
}
