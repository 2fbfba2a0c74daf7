package scoring

import "math"

// A formula gives a score, or the reason why there is no evidence for one.
//
// A fault that was met is evidence wherever it was met; that none was met is
// evidence only of a walk that came to where it could have met one.
type formula func(Evidence) (score float64, missing string)

// halfway is the progress from which on a walk has come to where pages ask for
// something, and so to where trust is at stake: an assumption, as data, money and
// accounts are asked for late on a way.
const halfway = 0.5

// taskCompletion is 1 when verified, else 0.4 · subgoals done ÷ total.
func taskCompletion(e Evidence) (float64, string) {
	if e.Verified {
		return 1, ""
	}
	if e.SubgoalsTotal == 0 {
		return 0, ""
	}
	return 0.4 * float64(e.SubgoalsDone) / float64(e.SubgoalsTotal), ""
}

// ctaFindability is the mean over the decisions the task needs of
// exp(−excess seconds ÷ 30) ÷ (1 + wrong clicks) when reached, else 0.
func ctaFindability(e Evidence) (float64, string) {
	if len(e.Decisions) == 0 {
		return 0, "nothing had to be found"
	}
	sum := 0.0
	for _, d := range e.Decisions {
		if d.Reached {
			sum += math.Exp(-math.Max(0, d.ExcessSeconds)/30) / (1 + float64(d.WrongClicks))
		}
	}
	return sum / float64(len(e.Decisions)), ""
}

// Lostness is √((N/S − 1)² + (R/N − 1)²) with R/N cut at 1 (Smith 1996): up to
// 0.4 is fine, above 0.5 is lost. Without visited states it is 0.
func Lostness(distinct, visited, fewest int) float64 {
	if visited <= 0 || distinct <= 0 {
		return 0
	}
	n, s := float64(distinct), float64(visited)
	r := math.Min(1, float64(fewest)/n)
	return math.Hypot(n/s-1, r-1)
}

// navigation is (1 − lostness cut to 1) · (0.5 + 0.5 · progress). Who never left
// the first page and did not reach the goal there has not navigated.
func navigation(e Evidence) (float64, string) {
	if e.VisitedStates == 0 || e.DistinctStates < 2 && !e.Verified {
		return 0, "the walk did not leave its first page"
	}
	l := unit(Lostness(e.DistinctStates, e.VisitedStates, e.FewestStates))
	return (1 - l) * (0.5 + 0.5*unit(e.Progress)), ""
}

// efficiency is the time on the shortest known path over the time taken, 0
// without success.
func efficiency(e Evidence) (float64, string) {
	if !e.Verified {
		return 0, ""
	}
	if e.Seconds <= 0 {
		return 0, "the walk took no simulated time"
	}
	return e.BestSeconds / e.Seconds, ""
}

// readability is over attended words 0.4 · clip((tolerated grade + 6 −
// Flesch–Kincaid) ÷ 6) + 0.3 · (1 − clip(unfamiliar share ÷ 0.10)) + 0.3 · the
// share of words in blocks of at most 80.
func readability(e Evidence) (float64, string) {
	r := e.Reading
	if r.Words == 0 {
		return 0, "there were no words to read"
	}
	return 0.4*unit((r.ToleratedGrade+6-r.Grade)/6) + 0.3*(1-unit(r.UnfamiliarShare/0.10)) + 0.3*unit(r.ShortBlockShare), ""
}

// RuleWeight is the weight of a failed accessibility rule by its impact.
func RuleWeight(impact string) float64 {
	switch impact {
	case "critical":
		return 0.4
	case "serious":
		return 0.2
	case "moderate":
		return 0.05
	case "minor":
		return 0.02
	}
	return 0
}

// accessibility is (1 − impeded ÷ required steps) · exp(−Σ weights of failed
// rules on the path). Who fell short without a step on the path (the one
// required step is the one that was not got past) and met no barrier has shown
// nothing.
func accessibility(e Evidence) (float64, string) {
	if e.RequiredSteps == 0 || e.RequiredSteps == 1 && !e.Verified && e.ImpededSteps == 0 && len(e.RuleWeights) == 0 {
		return 0, "no step of the way was taken, and no barrier was met"
	}
	sum := 0.0
	for _, w := range e.RuleWeights {
		sum += w
	}
	return (1 - unit(float64(e.ImpededSteps)/float64(e.RequiredSteps))) * math.Exp(-sum), ""
}

// errorRecovery is the mean over errors met of 0.5 · 2^(−seconds ÷ 30) + 0.3
// for kept input + 0.2 for a specific message beside the field when resolved,
// else 0. Without errors there is no evidence.
func errorRecovery(e Evidence) (float64, string) {
	if len(e.Errors) == 0 {
		return 0, "no error was met"
	}
	sum := 0.0
	for _, m := range e.Errors {
		if !m.Resolved {
			continue
		}
		sum += 0.5 * math.Exp2(-math.Max(0, m.Seconds)/30)
		if m.InputKept {
			sum += 0.3
		}
		if m.Specific {
			sum += 0.2
		}
	}
	return sum / float64(len(e.Errors)), ""
}

// riskWeights of the trust risks; each kind counts once.
var riskWeights = map[TrustRisk]float64{
	Insecure: 0.3, LateCost: 0.25, ForcedAccount: 0.2, SensitiveField: 0.15, MissingTerms: 0.1, Interruption: 0.1,
}

// trust is clip(1 − risk aversion · Σ weights of the risks met). Without any risk
// there is evidence where the goal was reached, something was filled in, or half
// of the way was made.
func trust(e Evidence) (float64, string) {
	if len(e.Risks) == 0 && !e.Verified && !e.Entered && e.Progress < halfway {
		return 0, "the walk ended before anything was asked for: nothing was filled in, and less than half of the way was made"
	}
	sum := 0.0
	seen := map[TrustRisk]bool{}
	for _, r := range e.Risks {
		if !seen[r] {
			seen[r] = true
			sum += riskWeights[r]
		}
	}
	return 1 - unit(e.RiskAversion)*sum, ""
}

// speed is the mean over views of the worst of LCP, INP and CLS: 1 up to good,
// 0.5 at poor, 0 at twice poor, linear between. The bounds are web.dev's:
// LCP 2.5/4 s, INP 200/500 ms, CLS 0.1/0.25.
func speed(e Evidence) (float64, string) {
	sum, n := 0.0, 0
	for _, v := range e.Views {
		if v.LCPMS <= 0 && v.INPMS <= 0 {
			continue
		}
		worst := grade(v.CLS, 0.1, 0.25)
		if v.LCPMS > 0 {
			worst = math.Min(worst, grade(v.LCPMS, 2500, 4000))
		}
		if v.INPMS > 0 {
			worst = math.Min(worst, grade(v.INPMS, 200, 500))
		}
		sum += worst
		n++
	}
	if n == 0 {
		return 0, "no page told how quickly it loaded"
	}
	return sum / float64(n), ""
}

func grade(v, good, poor float64) float64 {
	switch {
	case v <= good:
		return 1
	case v <= poor:
		return 1 - 0.5*(v-good)/(poor-good)
	}
	return unit(0.5 - 0.5*(v-poor)/poor)
}
