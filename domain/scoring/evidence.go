package scoring

// Evidence is what a walk showed, reduced to what the nine formulas need.
// Everything is optional: what is missing makes its criterion nil.
type Evidence struct {
	// Steps of the walk; without any there is no evidence at all.
	Steps int `json:"steps"`

	// Completion.
	Verified      bool `json:"verified"`
	SubgoalsDone  int  `json:"subgoals_done"`
	SubgoalsTotal int  `json:"subgoals_total"`

	// Decisions that the task needs, in order; the one that was not reached last.
	Decisions []Decision `json:"decisions,omitempty"`

	// Lostness: distinct states N, states visited S, fewest needed R.
	// FewestStates and BestSeconds are those of the walk's own shortest way, as
	// other sessions are not known when one is scored.
	DistinctStates int `json:"distinct_states"`
	VisitedStates  int `json:"visited_states"`
	FewestStates   int `json:"fewest_states"`
	// Progress is the share of the way to the goal that was made, 0 to 1.
	Progress float64 `json:"progress"`

	// Seconds is the walk's simulated time, BestSeconds the persona's time on
	// the shortest path of this walk.
	Seconds     float64 `json:"seconds"`
	BestSeconds float64 `json:"best_seconds"`

	Reading Reading `json:"reading"`

	// RequiredSteps on the shortest path of this walk, with the one that a walk
	// which fell short did not get past, and how many of them were impeded by a
	// barrier of accessibility.
	RequiredSteps int `json:"required_steps"`
	ImpededSteps  int `json:"impeded_steps"`
	// RuleWeights are the weights of the accessibility rules that failed on
	// the path, each rule once.
	RuleWeights []float64 `json:"rule_weights,omitempty"`

	Errors []ErrorMet `json:"errors,omitempty"`

	// RiskAversion of the persona, 0 to 1, and the trust risks that were met.
	RiskAversion float64     `json:"risk_aversion"`
	Risks        []TrustRisk `json:"risks,omitempty"`

	Views []View `json:"views,omitempty"`
}

// Decision is one choice that the task needs.
type Decision struct {
	Reached bool `json:"reached"`
	// ExcessSeconds beyond what somebody who knows the way needs.
	ExcessSeconds float64 `json:"excess_seconds"`
	WrongClicks   int     `json:"wrong_clicks"`
}

// Reading is about the words that were attended to.
type Reading struct {
	Words int `json:"words"`
	// Grade is the Flesch–Kincaid grade of what was read, ToleratedGrade what
	// this persona reads without effort.
	Grade          float64 `json:"grade"`
	ToleratedGrade float64 `json:"tolerated_grade"`
	// UnfamiliarShare of the words, 0 to 1.
	UnfamiliarShare float64 `json:"unfamiliar_share"`
	// ShortBlockShare is the share of words in blocks of at most 80 words.
	ShortBlockShare float64 `json:"short_block_share"`
}

// ErrorMet is one error that the page told the user.
type ErrorMet struct {
	Resolved bool `json:"resolved"`
	// Seconds from meeting it to having resolved it.
	Seconds float64 `json:"seconds"`
	// InputKept: what had been entered was still there.
	InputKept bool `json:"input_kept"`
	// Specific: the message stood beside its field and said what is wrong.
	Specific bool `json:"specific"`
}

// TrustRisk is something that costs trust.
type TrustRisk string

// The trust risks.
const (
	Insecure       TrustRisk = "insecure"        // asks for data without https
	LateCost       TrustRisk = "late_cost"       // a cost appears at the end
	ForcedAccount  TrustRisk = "forced_account"  // an account is demanded for something else
	SensitiveField TrustRisk = "sensitive_field" // asks for what the task does not need
	MissingTerms   TrustRisk = "missing_terms"   // wants data or money without terms in sight
	Interruption   TrustRisk = "interruption"    // something unasked-for had to be put away
)

// View is the loading of one page in milliseconds, CLS without unit. Zero LCP
// and INP mean that they are unknown.
type View struct {
	LCPMS float64 `json:"lcp_ms"`
	INPMS float64 `json:"inp_ms"`
	CLS   float64 `json:"cls"`
}
