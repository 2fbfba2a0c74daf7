package findings

// scope is how near an observation must be to explain another.
type scope int

const (
	sameStep    scope = iota // of one session, at one step
	sameElement              // of one session, at one element
	samePlace                // of one session, at one place
)

// explanation says that observations of one kind are what follows from others.
// The root keeps the blame; what follows is not reported beside it.
type explanation struct {
	effect  string
	roots   []string
	scope   scope
	because string
}

// broken are the kinds that reproduce for everybody.
var broken = []string{ServerError, RedirectLoop, BrokenLink, ErrorClick, DeadClick, DisabledControl, ForcedAccount}

// unfindable are the kinds by which a thing that is there is not found.
var unfindable = []string{Covered, MouseOnly, LowContrast, UnclearLabel, HiddenInMenu, BelowFold}

// explanations, all of them, with why.
var explanations = []explanation{
	{ScriptError, []string{ErrorClick, ServerError, DeadClick}, sameStep, "the exception is why the click failed"},
	{ErrorClick, []string{ServerError, BrokenLink, RedirectLoop}, sameStep, "the failed request is the failed page"},
	{DeadClick, []string{Interruption}, samePlace, "what is behind a layer that stays open, or leads nowhere in it, is not what stops people"},
	{Covered, []string{Interruption}, samePlace, "the layer is what covers it"},
	{LostScent, []string{Interruption}, samePlace, "nobody gets to what lies behind the layer"},
	{QuickBack, []string{Interruption}, samePlace, "nobody gets to what lies behind the layer"},
	{DeadClick, []string{ErrorClick, ServerError, Covered}, sameElement, "a click that fails, or that something else receives, seems dead"},
	{LowContrast, []string{Covered}, sameElement, "what lies under something else is not overlooked for its contrast"},
	{UnclearLabel, []string{LowContrast, Covered}, sameElement, "a label that cannot be read says nothing"},
	{BelowFold, []string{LowContrast, Covered, HiddenInMenu}, sameElement, "it would have been seen while scrolling"},
	{UnclearLabel, []string{SmallTarget}, sameElement, "what is too small to hold words says nothing"},
	{LowContrast, []string{DisabledControl}, sameElement, "it is grey because it cannot be used"},
	{LowContrast, []string{SmallTarget}, sameElement, "what is too small to be noticed is not overlooked for its contrast"},
	{BelowFold, []string{CompetingLabels}, samePlace, "nearer ones that promised the same were tried first"},
	{BelowFold, []string{LowContrast, UnclearLabel, Covered, MouseOnly}, samePlace, "a nearer way on was on the first screen and was not taken"},
	{HiddenInMenu, []string{LowContrast, UnclearLabel, Covered, MouseOnly}, samePlace, "a nearer way on was on the first screen and was not taken"},
	{CompetingLabels, []string{LowContrast, Covered, DeadClick, ErrorClick}, sameElement, "the other one was taken because this one could not be"},
	{NoConfirmation, []string{DeadClick, ErrorClick, ServerError, Covered}, sameElement, "a click that fails can tell nothing"},
	{NoConfirmation, []string{FormError, UnspecificError, InputLost, DisabledControl}, samePlace, "the form did answer"},
	{LostScent, []string{NoConfirmation, EmptySearch}, samePlace, "the way on was found and told nothing"},
	{BelowFold, []string{OffScreen}, sameElement, "it is not below but beside the screen"},
	{LowContrast, []string{OffScreen}, sameElement, "what is beside the screen is not overlooked for its contrast"},
	{LostScent, []string{OffScreen}, samePlace, "the way on is there and was not found"},
	{FormError, []string{UnlabelledField}, sameElement, "who does not know what a field wants enters the wrong thing"},
	{UnspecificError, []string{ServerError}, samePlace, "the message tells of the server's failure"},
	{InputLost, []string{ServerError}, samePlace, "the server's failure is why the form was left"},
	{DisabledControl, []string{FormError}, samePlace, "a refused value is why it stays disabled, and it says so"},
	{QuickBack, broken, samePlace, "a way on that fails sends people to other links"},
	{QuickBack, unfindable, samePlace, "who does not find the right thing tries wrong ones"},
	{QuickBack, []string{CompetingLabels, LostScent}, samePlace, "who does not find the right thing tries wrong ones"},
	{LostScent, broken, samePlace, "the way on was found and failed"},
	{LostScent, []string{FormError, UnspecificError, InputLost, ScriptError}, samePlace, "the way on was found and failed"},
	{LostScent, unfindable, samePlace, "the way on is there and was not found"},
	{LostScent, []string{SmallTarget}, samePlace, "what is too small to be read or hit is not taken"},
	{LostScent, []string{CompetingLabels}, samePlace, "there were too many ways on, not none"},
}

// rootsOf drops the observations that others explain. What an explained
// observation cost is added to its root, so that a cause is never ranked below
// its effect.
func rootsOf(all []Observation) []Observation {
	root := make([]int, len(all))
	for i := range all {
		root[i] = -1
		for j := range all {
			if i != j && all[j].Channel == Observed && all[i].Channel != Limit && explains(&all[j], &all[i]) {
				root[i] = j
				break
			}
		}
	}
	var out []Observation
	at := make([]int, len(all))
	for i := range all {
		if at[i] = -1; root[i] < 0 {
			at[i] = len(out)
			out = append(out, all[i])
		}
	}
	for i := range all {
		r := root[i]
		for n := 0; r >= 0 && root[r] >= 0 && n < len(all); n++ {
			r = root[r]
		}
		if r < 0 || at[r] < 0 || all[i].Channel != Observed {
			continue
		}
		o := &out[at[r]]
		o.CostMS = max(o.CostMS, all[i].CostMS)
		o.Resolved = o.Resolved && all[i].Resolved
	}
	return out
}

// explains reports whether the root, which was observed, accounts for the effect.
func explains(root, effect *Observation) bool {
	if root.Kind == Interruption && !root.Deterministic {
		return false // it was put away
	}
	for _, e := range explanations {
		if e.effect != effect.Kind || !contains(e.roots, root.Kind) {
			continue
		}
		switch e.scope {
		case sameStep:
			if root.Step == effect.Step {
				return true
			}
		case sameElement:
			if root.Place == effect.Place && normalSelector(root.Element) == normalSelector(effect.Element) {
				return true
			}
		case samePlace:
			if root.Place == effect.Place {
				return true
			}
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
