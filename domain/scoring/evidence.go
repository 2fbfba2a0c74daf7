package scoring

// Evidence is what a walk showed, reduced to what the nine formulas need.
// Everything is optional: a criterion that it says nothing about has no score.
type Evidence struct {
	// Steps of the walk; without any there is no evidence at all.
	Steps int

	// Completion.
	Verified      bool
	SubgoalsDone  int
	SubgoalsTotal int

	// Decisions that the task needs, in order; the one that was not reached last.
	Decisions []Decision

	// Lostness: distinct states N, states visited S, fewest needed R.
	// FewestStates and BestSeconds are those of the walk's own shortest way, as
	// other sessions are not known when one is scored.
	DistinctStates int
	VisitedStates  int
	FewestStates   int
	// Progress is the share of the way to the goal that was made, 0 to 1.
	Progress float64
	// Entered: a field was filled in.
	Entered bool

	// Seconds is the walk's simulated time, BestSeconds the persona's time on
	// the shortest path of this walk.
	Seconds     float64
	BestSeconds float64

	Reading Reading

	// RequiredSteps on the shortest path of this walk, with the one that a walk
	// which fell short did not get past, and how many of them were impeded by a
	// barrier of accessibility.
	RequiredSteps int
	ImpededSteps  int
	// RuleWeights are the weights of the accessibility rules that failed on
	// the path, each rule once.
	RuleWeights []float64

	Errors []ErrorMet

	// RiskAversion of the persona, 0 to 1, and the trust risks that were met.
	RiskAversion float64
	Risks        []TrustRisk

	Views []View
}

// Decision is one choice that the task needs.
type Decision struct {
	Reached bool
	// ExcessSeconds beyond what somebody who knows the way needs.
	ExcessSeconds float64
	WrongClicks   int
}

// Reading is about the words that were attended to.
type Reading struct {
	Words int
	// Grade is the Flesch–Kincaid grade of what was read, ToleratedGrade what
	// this persona reads without effort.
	Grade          float64
	ToleratedGrade float64
	// UnfamiliarShare of the words, 0 to 1.
	UnfamiliarShare float64
	// ShortBlockShare is the share of words in blocks of at most 80 words.
	ShortBlockShare float64
}

// ErrorMet is one error that the page told the user.
type ErrorMet struct {
	Resolved bool
	// Seconds from meeting it to having resolved it.
	Seconds float64
	// InputKept: what had been entered was still there.
	InputKept bool
	// Specific: the message stood beside its field and said what is wrong.
	Specific bool
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
	LCPMS float64
	INPMS float64
	CLS   float64
}
