package walk

import (
	"regexp"
	"strings"
)

// Decision is what a simulated user does next and why.
type Decision struct {
	Action Action `json:"action"`
	// Target is the element acted on, nil for acts without one. It is a copy.
	Target *Element `json:"target,omitempty"`
	// Observation says what was seen, Thought why this is done: plain
	// sentences in the first person, made of the quantities below.
	Observation string `json:"observation"`
	Thought     string `json:"thought"`
	// SimulatedMS is the modelled human time of looking, deciding and acting.
	SimulatedMS int `json:"simulated_ms"`
	// Scent of what was chosen, 0 to 1; Frustration 0 to 1 after this look.
	Scent       float64  `json:"scent"`
	Frustration float64  `json:"frustration"`
	Signals     []Signal `json:"signals,omitempty"`
	// End is "" while the walk goes on, else done, gave_up or blocked. It is the
	// walker's own opinion; the oracle decides about success.
	End string `json:"end,omitempty"`
	// Subgoal is the index of the subgoal that was pursued.
	Subgoal int `json:"subgoal"`
	// Assessed is how many labels were looked at, WordsRead how many words.
	Assessed  int `json:"assessed"`
	WordsRead int `json:"words_read"`
	// Rivals is how many other elements smelled as good as the target.
	Rivals int `json:"rivals,omitempty"`
	// Purpose says what kind of move it is.
	Purpose Purpose `json:"purpose"`
}

// shown reports whether an action showed anything. That the page jumped to its
// top is nothing to who pressed a link without a destination, unless it is
// called so.
func (d *Decision) shown(eff *Effect) bool {
	jumped := d.Action.Type == Click && d.Target != nil && strings.HasSuffix(d.Target.Href, "#") && !toTop.MatchString(d.Target.Name)
	return eff.changed() || eff.Scrolled && !jumped
}

// toTop are names of links that lead to where their page begins.
var toTop = regexp.MustCompile(`(?i)\b(?:top|up|start|home)\b`)

// Ends of a walk in the walker's own opinion.
const (
	EndDone    = "done"
	EndGaveUp  = "gave_up"
	EndBlocked = "blocked"
	// EndLimit: a budget ended the walk, not the walker.
	EndLimit = "limit"
)

// Purpose is the kind of a move.
type Purpose string

// The purposes of moves.
const (
	Navigate Purpose = "navigate" // follow a scent
	ReadOn   Purpose = "read_on"  // scroll to see more
	Dismiss  Purpose = "dismiss"  // get a dialog or banner out of the way
	Fill     Purpose = "fill"     // fill in a field
	Submit   Purpose = "submit"   // send a form
	OpenMenu Purpose = "open_menu"
	Seek     Purpose = "search" // use the search box
	Return   Purpose = "return" // go back
	Finish   Purpose = "finish" // done, or nothing left to do
)

// Signal is one thing worth noticing in a step. Kinds are the Sig… constants.
type Signal struct {
	Kind string `json:"kind"`
	// Detail says what exactly in a few words, "" when the kind says it all.
	Detail string `json:"detail,omitempty"`
	// Selector is the element concerned when it is not the step's target.
	Selector string `json:"selector,omitempty"`
}

// The kinds of signals. Those up to SigHesitation come from the walker, the
// others from comparing an action with its effect (Walk.Record).
const (
	SigMissedTarget   = "missed_target"    // an unsteady hand landed beside a small target
	SigRivals         = "competing_labels" // several elements promised the same
	SigUnclear        = "unclear_label"    // had to guess at a control without a readable name
	SigHardToSee      = "hard_to_see"      // a relevant thing was overlooked for contrast or size
	SigCovered        = "covered"          // a relevant thing lay under something else
	SigDisabled       = "disabled_control" // a needed control could not be used
	SigInterrupted    = "interruption"     // something unasked-for had to be put away
	SigFieldError     = "field_error"      // a field refused its value
	SigUnlabelled     = "unlabelled_field" // a field did not say what it wants
	SigForcedAccount  = "forced_account"   // an account was demanded on the way
	SigBelowFold      = "below_fold"       // the right thing was only found by scrolling
	SigHiddenMenu     = "hidden_in_menu"   // the right thing was only found inside a menu
	SigUnfamiliar     = "unfamiliar_words" // the page's words were hard for this persona
	SigLongText       = "wall_of_text"     // a block too long to be read
	SigLostScent      = "lost_scent"       // nothing here promised the goal
	SigHesitation     = "hesitation"       // acted on a weak promise
	SigDeadClick      = "dead_click"
	SigRageClick      = "rage_click"
	SigErrorClick     = "error_click"
	SigQuickBack      = "quick_back"
	SigBrokenPage     = "broken_page" // 4xx, 5xx
	SigFailedRequest  = "failed_request"
	SigScriptError    = "script_error"
	SigConsoleError   = "console_error" // scripts said so and went on: evidence for developers
	SigSlow           = "slow_page"
	SigActionFailed   = "action_failed" // the browser could not carry the action out
	SigMouseOnly      = "mouse_only"    // a needed thing that no key reaches
	SigLimitPage      = "limit_page"    // a limit of the simulation, never an issue: what is needed is on a Limit of the page
	SigUnknownGoal    = "limit_goal"    // likewise: nothing in the task could be understood
	SigLimitExhausted = "limit_steps"   // likewise: the step budget ended the walk
	SigLimitBusy      = "limit_busy"    // likewise: the machine was too late to tell what came of an act
	SigLimitInputs    = "limit_inputs"  // likewise: an input was not typed at another site
	SigLimitPrivate   = "limit_private" // likewise: the page asked for a private address that the test does not name
	SigLimitModel     = "limit_model"   // likewise: a language model's budget is spent, or its answer was no act
)
