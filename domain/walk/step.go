package walk

// DefaultMaxSteps is the budget of steps of a session, which the loop keeps:
// people do not know of it, so neither does the walker.
const DefaultMaxSteps = 25

// StepRecord is one step as it was: what was seen, decided and caused.
type StepRecord struct {
	Index    int      `json:"index"`
	Page     Page     `json:"page"`
	Decision Decision `json:"decision"`
	Effect   Effect   `json:"effect"`
	// Signals are the decision's and those that its effect adds.
	Signals []Signal `json:"signals,omitempty"`
	// ClockMS is the simulated time at which the step began.
	ClockMS int `json:"clock_ms"`
	// Progress: the step brought the goal nearer.
	Progress bool `json:"progress"`
}

// HasSignal reports whether a step carries a signal.
func (r *StepRecord) HasSignal(kind string) bool {
	for _, s := range r.Signals {
		if s.Kind == kind {
			return true
		}
	}
	return false
}

// Completion is the oracle's verdict.
type Completion struct {
	// Status is verified, not_reached or unverified (signs of success that are
	// too weak to count as either).
	Status string `json:"status"`
	// Confidence that the goal was reached, 0 to 1.
	Confidence float64 `json:"confidence"`
	// Evidence says in a sentence what was seen.
	Evidence string `json:"evidence"`
	// Subgoals reached, of how many.
	SubgoalsDone  int `json:"subgoals_done"`
	SubgoalsTotal int `json:"subgoals_total"`
}

// The statuses of a Completion.
const (
	Verified   = "verified"
	NotReached = "not_reached"
	Unverified = "unverified"
)

// Outcome of a session, as clients see it; "" is neither success nor failure.
const (
	Succeeded  = "succeeded"
	GaveUp     = "gave_up"
	Blocked    = "blocked"
	OutOfSteps = "out_of_steps"
)
