package walk

// Conditions are what a test says success is. Every one that is given
// must have held at some time of the walk; they override the task's words.
type Conditions struct {
	// URLMatches is a regular expression over the address; one that does not
	// compile is compared as a plain part of it.
	URLMatches string `json:"url_matches,omitempty"`
	// TextVisible is a text that must be visible, in any case.
	TextVisible string `json:"text_visible,omitempty"`
	// SelectorVisible is a CSS selector that must have a visible match.
	SelectorVisible string `json:"selector_visible,omitempty"`
	// RequestMade is "METHOD /path" or a part of a URL that must have been
	// requested and answered with a status below 400.
	RequestMade string `json:"request_made,omitempty"`
}

// Given reports whether there is any condition.
func (c Conditions) Given() bool { return c != Conditions{} }

// Deed is what was done before a look, zero for the first look.
type Deed struct {
	Action Action
	// Target is the element acted on as the look before showed it, nil for none.
	Target *Element
	// DwellMS is the simulated time spent on the look before, from seeing it to
	// having acted, in ms. What stood uncovered there was read in it.
	DwellMS int
	Effect  Effect
}

// Judge decides whether a walk reached its goal, from what the browser saw. It is
// shown every look with what was done before it; the last look is followed by one
// more call with itself and a deed that ends the walk (Done or GiveUp).
type Judge interface {
	Observe(page Page, did Deed)
	Verdict() Completion
}
