package comparison

// The verdicts on one score, and how strong they are.
const (
	ABetter    = "a_better"
	BBetter    = "b_better"
	NoEvidence = "no_evidence"

	Significant = "significant"
	Leaning     = "leaning"
	None        = "none"

	Paired   = "paired"
	Unpaired = "unpaired"
)

// Result is what a comparison comes to, as it is built, recorded and answered. B
// is held against A: every difference is B less A, every ratio B to A.
type Result struct {
	// Design is paired when both tests had the same people with the same seeds on
	// the same screens, else unpaired.
	Design string `json:"design"`
	// Pairs are those with a usable session on both sides, 0 when unpaired.
	Pairs    int      `json:"pairs"`
	Sessions SidePair `json:"sessions"`
	Winner   *string  `json:"winner"`
	Decision string   `json:"decision"`
	Criteria Criteria `json:"criteria"`
	Success  Success  `json:"success"`
	Time     Time     `json:"time"`
	Issues   Changes  `json:"issues"`
	Paths    Paths    `json:"paths"`
	Notes    []string `json:"notes"`
	Methods  []string `json:"methods"`
	Transfer string   `json:"transfer_to_people"`
	// WithoutEvidence names criteria that one of the sides has no evidence for.
	WithoutEvidence []string `json:"criteria_without_evidence"`
}

// SidePair is a number for each side.
type SidePair struct {
	A int `json:"a"`
	B int `json:"b"`
}

// Criteria are the results by criterion, overall among them.
type Criteria map[string]Score

// Score is the comparison of one score in [0,1].
type Score struct {
	A          Mean    `json:"a"`
	B          Mean    `json:"b"`
	Difference Effect  `json:"difference"`
	PValue     float64 `json:"p_value"`
	PAdjusted  float64 `json:"p_adjusted"`
	// PRank is the p-value of the second method, which goes by ranks.
	PRank float64 `json:"p_value_ranks"`
	// EffectSize is Cohen's d_z of pairs or Hedges' g, null where all are alike.
	EffectSize         *float64 `json:"effect_size"`
	ProbabilityBBetter float64  `json:"probability_b_better"`
	Verdict            string   `json:"verdict"`
	Strength           string   `json:"strength"`
	// SessionsNeeded on each side to find a difference of stats.SmallestEffect.
	SessionsNeeded int `json:"sessions_needed"`
}

// Mean is one side's mean score with its 95 % interval.
type Mean struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	N    int     `json:"n"`
}

// Effect is a difference or a ratio with its 95 % interval; a limit that the
// data do not set is null.
type Effect struct {
	Estimate float64  `json:"estimate"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
}

// Success compares how many reached the goal.
type Success struct {
	A          Share   `json:"a"`
	B          Share   `json:"b"`
	Difference Effect  `json:"difference"`
	PValue     float64 `json:"p_value"`
	Method     string  `json:"method"`
}

// Share is a proportion with its Wilson interval.
type Share struct {
	Succeeded int     `json:"succeeded"`
	Total     int     `json:"total"`
	Rate      float64 `json:"rate"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
}

// Time compares the simulated time of those who reached the goal.
type Time struct {
	// MedianA and MedianB are seconds, null where nobody reached it.
	MedianA *float64 `json:"median_seconds_a"`
	MedianB *float64 `json:"median_seconds_b"`
	// Ratio of the geometric means, null when there is nothing to compare.
	Ratio  *Effect `json:"ratio"`
	PValue float64 `json:"p_value"`
	// N is how many pairs, or how many on both sides, are compared; Censored how
	// many were left out because they did not reach the goal.
	N        int `json:"n"`
	Censored int `json:"censored"`
}

// Changes are the issues of severity 2 and more of both tests, matched by their
// cause: notes that nobody stumbled over are left out.
type Changes struct {
	// Fixed were found with A and not with B, although sessions came to the page.
	Fixed []Change `json:"fixed"`
	// New were found with B only.
	New []Change `json:"new"`
	// Unchanged were found with both.
	Unchanged []Change `json:"unchanged"`
	// NotReached were found with A on pages that no session of B came to.
	NotReached []Change `json:"not_reached"`
}

// Change is one issue, as it was found with either design.
type Change struct {
	Kind  string `json:"kind"`
	Title string `json:"title"`
	// Page is the address below that of the test, "start" for the tested page.
	Page string `json:"page"`
	A    *Found `json:"a"`
	B    *Found `json:"b"`
}

// Found is an issue in one of the tests.
type Found struct {
	Rank     int `json:"rank"`
	Severity int `json:"severity"`
	Affected int `json:"affected"`
	Total    int `json:"total"`
}

// Paths say where people went with either design.
type Paths struct {
	// A and B are the commonest ways, the most frequent first.
	A []Path `json:"a"`
	B []Path `json:"b"`
	// Diverge are the pages after which the same people went on differently, the
	// most frequent first; empty when the tests are not paired.
	Diverge []Fork `json:"diverge"`
}

// Path is the pages that sessions came by, a stay counted once.
type Path struct {
	Pages     []string `json:"pages"`
	Sessions  int      `json:"sessions"`
	Succeeded int      `json:"succeeded"`
}

// Fork is a page after which pairs went on to different pages. Next is "" where
// the session ended there.
type Fork struct {
	At    string `json:"at"`
	NextA string `json:"next_a"`
	NextB string `json:"next_b"`
	Pairs int    `json:"pairs"`
	// OnlyA and OnlyB of these pairs reached the goal with one design only.
	OnlyA int `json:"succeeded_only_a"`
	OnlyB int `json:"succeeded_only_b"`
}
