package mind

import (
	"math"

	"understudy/domain/persona"
)

// traits are the parameters of the walk that a persona's facets and the seed
// decide. Where a number has no source it is an assumption, to be calibrated on
// pages of ours; the direction of every effect follows GenderMag's facets or
// the literature on ageing.
type traits struct {
	// aspiration is the scent at which an element is clicked at once; settle is
	// what is good enough on the second pass.
	aspiration, settle float64
	// screens is how many screenfuls are looked at before settling.
	screens int
	// further is how many screenfuls are looked at though something promising
	// was seen.
	further int
	// noise scales the logistic noise on scent (SNIF-ACT 2.0: s = 1 at a scale of 50).
	noise float64
	// patienceMS is how many unproductive simulated milliseconds are put up with.
	patienceMS float64
	// slow multiplies motor and perceptual operators.
	slow float64
	// keyMS is the time of one keystroke.
	keyMS float64
	// wpm is the reading speed.
	wpm float64
	// readShare of the words on a new page are read.
	readShare float64
	// sigma is the endpoint's standard deviation in px.
	sigma float64
	// contrast multiplies needed contrast; minFont is the smallest legible text.
	contrast, minFont float64
	// caution is the risk aversion, 0 to 1.
	caution float64
	// doubt multiplies frustration: low self-efficacy quits sooner.
	doubt float64
	// searches: goes for the search box early.
	searches bool
	// tinkers: tries an unlabelled control rather than leaving it.
	tinkers bool
	// insists is how often a thing that did nothing is clicked again.
	insists int
	reader  bool
	keys    bool
}

func traitsOf(p persona.Persona, seed uint64, tune Tuning) traits {
	f := p.Facets.WithDefaults()
	t := traits{
		aspiration: tune.Aspiration, settle: tune.Settle, screens: tune.Screens, noise: tune.Noise,
		slow: ageFactor[f.AgeIndex()], wpm: float64(f.ReadingWPM), readShare: 0.24,
		keyMS:  60000 / (float64(f.TypingWPM) * 5),
		sigma:  2 / f.MotorPrecision,
		reader: f.ScreenReader, keys: f.KeyboardOnly || f.ScreenReader,
		contrast: f.Vision.ContrastFactor, minFont: f.Vision.MinFont / f.Zoom,
		doubt: 1, tinkers: f.LearningStyle == persona.Tinkering,
	}
	// Thoroughness: comprehensive readers look at more before they act
	// (GenderMag; the k of SNIF-ACT), selective ones at less. Words read:
	// 20–28 % of a page's (Weinreich et al. 2008).
	if f.InformationProcessing == persona.Comprehensive {
		t.aspiration, t.screens, t.further, t.readShare = t.aspiration+0.08, 5, 1, 0.28
	} else {
		t.readShare = 0.20
	}
	switch f.RiskAttitude {
	case persona.Averse:
		t.settle, t.caution = t.settle+0.06, 1
	case persona.Tolerant:
		t.settle, t.caution = t.settle-0.06, 0.2
	default:
		t.caution = 0.5
	}
	switch f.SelfEfficacy {
	case persona.Low:
		t.doubt = 1.35
	case persona.High:
		t.doubt = 0.8
	}
	switch f.LanguageLevel {
	case persona.Basic:
		t.noise *= 2.2
	case persona.Intermediate:
		t.noise *= 1.6
	case persona.Fluent:
		t.noise *= 1.2
	}
	switch f.DomainKnowledge {
	case persona.Low:
		t.noise *= 1.3
	case persona.High:
		t.noise *= 0.8
	}
	if f.Motivation == persona.Exploratory {
		t.screens++
		t.settle -= 0.03
	}
	t.searches = f.SelfEfficacy == persona.High && f.InformationProcessing == persona.Selective || f.DomainKnowledge == persona.High
	if f.ScreenReader {
		t.screens = 6 // hearing a page through is the only way to know it
	}
	// Log-normal around the median (dwell times are no abandonment hazard);
	// σ = 0.35 within a persona is an assumption.
	t.patienceMS = tune.PatienceSeconds * 1000 * f.Patience * math.Exp(0.35*gauss(seed, "patience"))
	// People with assistive technology know that everything takes longer.
	if f.ScreenReader || f.Zoom >= 2 {
		t.patienceMS *= 1.5
	}
	t.insists = 1
	if t.tinkers || f.Patience < 0.6 {
		t.insists = 2
	}
	t.aspiration += 0.03 * gauss(seed, "aspiration")
	return t
}

// ageFactor slows operators down by age band. Older adults' operators take
// 1.5–1.8 times the young ones', but the published set overestimated times by a
// third: about half the gap is used.
var ageFactor = [...]float64{1, 1, 1.03, 1.08, 1.15, 1.27, 1.38}
