package comparison

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"understudy/domain"
	"understudy/domain/gate"
	"understudy/domain/stats"
)

// overall is the primary score, decided on before any data: the criteria are
// tested only through it.
const overall = gate.Overall

// leaningLeast is the probability of being better from which a difference that
// is not significant is told as leaning (an assumption), and leaningMost the
// two-sided p-value that goes with it.
const leaningLeast, leaningMost = 0.9, 0.2

// transfer is said of every comparison until runs with people have been held
// against it.
const transfer = "none yet: these are simulated users, and more of them shrink sampling error but not the model's bias"

// Build compares two tests that have ended. The same tests give the same
// result; the sessions given may be changed. Tests that cannot be compared, and
// tests without a usable session on either side, are refused.
func Build(a, b Test) (Result, error) {
	if err := Comparable(a, b); err != nil {
		return Result{}, err
	}
	r := Result{
		Design: Unpaired, Sessions: SidePair{len(usable(a.Sessions)), len(usable(b.Sessions))},
		Criteria: Criteria{}, Notes: []string{}, WithoutEvidence: []string{}, Transfer: transfer,
	}
	if r.Sessions.A == 0 || r.Sessions.B == 0 {
		return r, domain.Refuse(domain.CodeConflict, "no session of %s was carried through: there is nothing to compare", map[bool]string{true: "A", false: "B"}[r.Sessions.A == 0])
	}
	matched, paired := pairs(a.Sessions, b.Sessions)
	var both []pair
	if paired && a.Model == b.Model { // in another model nobody is the same
		both = usablePairs(matched)
	}
	if len(both) > 0 {
		r.Design, r.Pairs = Paired, len(both)
		shareClock(both)
	}
	d := &data{paired: r.Design == Paired, pairs: both, a: usable(a.Sessions), b: usable(b.Sessions), seed: seedOf(a.ID, b.ID), criteria: Common(a, b)}
	d.bootstrap = stats.NewBootstrap(d.seed)
	d.scores(&r)
	r.Success, r.Time = d.success(), d.time()
	r.Issues = changes(&a, &b)
	r.Paths = paths(&a, &b, both)
	if a.Model != b.Model {
		r.Notes = append(r.Notes, fmt.Sprintf("The tests have different models, %s and %s: their people are not the same and are not compared in pairs, and a difference may be the models'.", a.Model, b.Model))
	}
	if a.Success != b.Success {
		r.Notes = append(r.Notes, "The tests have different conditions of success.")
	}
	r.Notes, r.Methods = append(r.Notes, d.notes(&r)...), d.methods()
	r.decide()
	return r, nil
}

// data are the sessions as the design has them.
type data struct {
	paired    bool
	pairs     []pair
	a, b      []*Session
	seed      uint64
	bootstrap *stats.Bootstrap
	criteria  []string
}

// seedOf is the seed of everything resampled for two tests.
func seedOf(a, b string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(a + "\x00" + b)) // a hash takes everything
	return h.Sum64()
}

// values are the scores of both sides; of pairs, of those with evidence on both.
func (d *data) values(criterion string) (a, b []float64) {
	if d.paired {
		for _, p := range d.pairs {
			x, okA := scoreOf(p.a, criterion, d.criteria)
			y, okB := scoreOf(p.b, criterion, d.criteria)
			if okA && okB {
				a, b = append(a, x), append(b, y)
			}
		}
		return a, b
	}
	for _, side := range []struct {
		from []*Session
		to   *[]float64
	}{{d.a, &a}, {d.b, &b}} {
		for _, s := range side.from {
			if v, ok := scoreOf(s, criterion, d.criteria); ok {
				*side.to = append(*side.to, v)
			}
		}
	}
	return a, b
}

func (d *data) scores(r *Result) {
	var names []string
	var p []float64
	for _, c := range append([]string{overall}, d.criteria...) {
		a, b := d.values(c)
		if len(a) == 0 || len(b) == 0 {
			r.WithoutEvidence = append(r.WithoutEvidence, c)
			continue
		}
		s := d.compare(a, b)
		r.Criteria[c] = s
		if c != overall {
			names, p = append(names, c), append(p, s.PValue)
		}
	}
	primary, tested := r.Criteria[overall]
	if !tested {
		return
	}
	for i, adjusted := range stats.ThroughPrimary(primary.PValue, p) {
		s := r.Criteria[names[i]]
		s.PAdjusted = adjusted
		r.Criteria[names[i]] = s.judged()
	}
	r.Criteria[overall] = primary.judged()
}

// compare holds the scores of both sides against each other.
func (d *data) compare(a, b []float64) Score {
	s := Score{A: meanOf(a), B: meanOf(b)}
	var size float64
	if d.paired {
		diff := stats.Differences(a, b)
		s.Difference = effect(stats.SignFlipInterval(diff, d.seed).Cut(-1, 1))
		s.PValue, s.PRank = stats.SignFlip(diff, d.seed), stats.Wilcoxon(diff)
		s.ProbabilityBBetter = d.bootstrap.BetterPaired(diff)
		size = stats.CohenDz(diff)
		s.SessionsNeeded = stats.PairsNeeded(deviation(diff), stats.SmallestEffect)
	} else {
		s.Difference = effect(stats.Welch(a, b).Cut(-1, 1))
		s.PValue, s.PRank = stats.Permutation(a, b, d.seed), stats.MannWhitney(a, b)
		s.ProbabilityBBetter = d.bootstrap.Better(a, b)
		size = stats.HedgesG(a, b)
		s.SessionsNeeded = stats.PerSideNeeded(math.Sqrt((square(deviation(a))+square(deviation(b)))/2), stats.SmallestEffect)
	}
	s.PAdjusted = s.PValue
	if !math.IsNaN(size) && !math.IsInf(size, 0) {
		s.EffectSize = &size
	}
	return s
}

// judged is the score with its verdict: significant below stats.Alpha, leaning
// where B is better, or worse, with the probability leaningLeast and chance alone
// would not do the same in more than leaningMost: where few people walk
// differently the bootstrap is sure of what one of them did.
func (s Score) judged() Score {
	s.Verdict, s.Strength = NoEvidence, None
	switch {
	case s.PAdjusted < stats.Alpha && s.Difference.Estimate != 0:
		s.Strength = Significant
	case s.PValue <= leaningMost && (s.ProbabilityBBetter >= leaningLeast || s.ProbabilityBBetter <= 1-leaningLeast):
		s.Strength = Leaning
	default:
		return s
	}
	if s.Verdict = ABetter; s.Difference.Estimate > 0 {
		s.Verdict = BBetter
	}
	return s
}

// decide names the winner: the better of the two by the primary score, where
// the difference is significant.
func (r *Result) decide() {
	primary, ok := r.Criteria[overall]
	switch {
	case !ok:
		r.Decision = "There is no score that both tests have evidence for."
		return
	case primary.Strength == Significant:
		winner := map[string]string{ABetter: "a", BBetter: "b"}[primary.Verdict]
		r.Winner = &winner
		r.Decision = fmt.Sprintf("%s is better: overall %s points (p %s).", map[string]string{"a": "A", "b": "B"}[winner], points(primary.Difference.Estimate), chance(primary.PValue))
	case primary.Strength == Leaning:
		r.Decision = fmt.Sprintf("Leaning to %s, not significant: overall %s points (p %s). About %d sessions on each side would find a difference of %.0f points.",
			map[string]string{ABetter: "A", BBetter: "B"}[primary.Verdict], points(primary.Difference.Estimate), chance(primary.PValue), primary.SessionsNeeded, 100*stats.SmallestEffect)
	default:
		r.Decision = fmt.Sprintf("No evidence of a difference: overall %s points (p %s). About %d sessions on each side would find a difference of %.0f points.",
			points(primary.Difference.Estimate), chance(primary.PValue), primary.SessionsNeeded, 100*stats.SmallestEffect)
	}
}

// points is a difference of scores in points with its sign.
func points(difference float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f", 100*difference), "-", "−", 1)
}

// chance is a p-value with its sign of relation, to three digits.
func chance(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("= %.3f", p)
}

// fewPairs is the number of pairs below which the sign-flip test cannot reach
// .05. Intervals of skewed scores cover too little on fewer than skewedSessions
// on either side: about 92 % with 20 and exponential losses, 85 % with 20 and
// 90 % with 60 where one in ten loses .3 to .8 (bench-validity, section study).
const fewPairs, skewedSessions = 6, 100

func (d *data) notes(r *Result) []string {
	var out []string
	switch {
	case d.paired && r.Pairs < fewPairs:
		out = append(out, fmt.Sprintf("With %d pairs no difference can be significant: run at least %d sessions.", r.Pairs, fewPairs))
	case !d.paired:
		out = append(out, "The tests had different people, seeds or screens: a paired comparison of two variants needs far fewer sessions.")
	}
	if least := min(r.Sessions.A, r.Sessions.B); least < skewedSessions {
		out = append(out, fmt.Sprintf("With fewer than %d sessions, intervals of scores that are mostly alike with a few large losses cover less than 95 %%: about 85 %% with 20.", skewedSessions))
	}
	if o := r.Criteria[overall]; d.paired && o.Strength == Significant && math.Abs(o.Difference.Estimate) < stats.SmallestEffect {
		out = append(out, fmt.Sprintf("The difference of overall is significant and yet smaller than %.2f: with the same people and seeds an edit that hinders nobody can be told apart too.", stats.SmallestEffect))
	}
	if d.paired && r.Pairs < len(d.a) {
		out = append(out, fmt.Sprintf("%d sessions of A and %d of B have no usable partner and are left out of the scores.", len(d.a)-r.Pairs, len(d.b)-r.Pairs))
	}
	for _, c := range r.WithoutEvidence {
		out = append(out, fmt.Sprintf("There is no evidence for %s on both sides.", c))
	}
	return out
}

func (d *data) methods() []string {
	common := []string{
		"overall was chosen as the primary score beforehand; the criteria are tested only through it: adjusted p = max(primary p, Holm's)",
		"probability that B is better: Bayesian bootstrap, ties count half",
		"intervals of 95 %, two-sided tests at .05",
	}
	if d.paired {
		return append([]string{
			"scores: sign-flip permutation test of the pairs' differences, and the interval from inverting it; by ranks, Wilcoxon's signed-rank test; effect size d_z",
			"success: McNemar's test, mid-p, and Newcombe's interval for pairs",
			"time: geometric mean ratio of pairs that both reached the goal, Student's t on logarithms",
			"efficiency: the shortest known time of a person is common to both designs",
		}, common...)
	}
	return append([]string{
		"scores: permutation test of the means, and Welch's interval; by ranks, the Mann–Whitney test; effect size Hedges' g",
		"success: N − 1 chi-square, Fisher's exact test where counts are tiny, and Newcombe's interval",
		"time: ratio of geometric means of those who reached the goal, Welch's t on logarithms",
	}, common...)
}

func sorted(values []float64) []float64 {
	out := slices.Clone(values)
	slices.Sort(out)
	return out
}
