package sandbox

import "strings"

// The magic tasks. A task that equals one of them, in any case and without
// surrounding space, forces an outcome; a longer task that contains the words
// is an ordinary task.
const (
	// MagicFail makes every session fail: Site.Failure is not nil.
	MagicFail = "fail"
	// MagicGiveUp is a site on which nothing leads to the goal.
	MagicGiveUp = "give up"
	// MagicSlow is a site that takes six seconds for everything and asks the
	// runner to take real time for each step (StepDelayMS).
	MagicSlow = "slow"
	// MagicGateFails is a site whose form never accepts anything, so that the
	// sessions complete with scores far below any sensible threshold.
	MagicGateFails = "gate fails"
)

// Magic is the magic task that a task is, "" for an ordinary one.
func Magic(task string) string {
	t := strings.ToLower(strings.TrimSpace(task))
	switch t {
	case MagicFail, MagicGiveUp, MagicSlow, MagicGateFails:
		return t
	}
	return ""
}

// slowSettleMS is how long each act takes on the slow site, slowStepMS the
// real time that a runner takes for it, so that clients can watch progress.
const (
	slowSettleMS = 6000
	slowStepMS   = 250
)
