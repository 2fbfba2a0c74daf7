package walk

import "strings"

// ActionType is what a simulated user can do.
type ActionType string

// The actions. Done and GiveUp end the walk; the oracle, not the walker, says
// whether Done is true.
const (
	Click ActionType = "click"
	// DoubleClick and RightClick are for who has a mouse: the first opens a thing, or
	// its words to be written over, the second shows the menu of a thing.
	DoubleClick ActionType = "double_click"
	RightClick  ActionType = "right_click"
	Type        ActionType = "type"   // replace the field's content with Text
	Append      ActionType = "append" // add Text at the end of the field's content
	Select      ActionType = "select" // choose the option Text
	Check       ActionType = "check"  // tick a checkbox or radio
	Press       ActionType = "press"  // press the key Text, e.g. "Enter", "Escape"
	// Scroll goes "up" or "down" (Text) by the height of the window or, with a Ref,
	// of the scrolling box that the element stands in. A Ref without a Text brings
	// the element into view.
	Scroll ActionType = "scroll"
	Back   ActionType = "back"
	Wait   ActionType = "wait"
	Hover  ActionType = "hover"  // point at the element and stay there
	Upload ActionType = "upload" // choose a small made-up file named Text
	Drag   ActionType = "drag"   // drag the element onto the element To
	GiveUp ActionType = "give_up"
	Done   ActionType = "done"
)

// Action is one act on the page. Ref is empty for acts without an element.
// Secret names the input whose value the adapter types in place of Text, so
// that the value itself is in no trace.
type Action struct {
	Type   ActionType
	Ref    string
	Text   string
	Secret string
	// To is the ref of the element that Drag drops on.
	To string
}

// Effect is what came of an action, as the browser (or the sandbox) saw it.
type Effect struct {
	// Navigated: another document or a new URL; URL is where we are now.
	Navigated bool   `json:"navigated,omitempty"`
	URL       string `json:"url,omitempty"`
	// Mutated: the page changed visibly within its settling time.
	Mutated  bool `json:"mutated,omitempty"`
	Scrolled bool `json:"scrolled,omitempty"`
	// NewTab and Download: the action opened a tab (now the current one) or
	// started a download.
	NewTab   bool `json:"new_tab,omitempty"`
	Download bool `json:"download,omitempty"`
	// Status is the HTTP status of the navigation, 0 without one.
	Status int `json:"status,omitempty"`
	// Requests are the page's own requests since the action, newest last.
	Requests []Request `json:"requests,omitempty"`
	// NetError is the browser's name for why a navigation failed
	// ("ERR_TOO_MANY_REDIRECTS"), "" when it did not.
	NetError string `json:"net_error,omitempty"`
	// Errors are uncaught exceptions of scripts since the action.
	Errors []string `json:"errors,omitempty"`
	// Console are the errors that scripts wrote to the console since the action.
	Console []string `json:"console,omitempty"`
	// Dialogs are the browser's own message boxes since the action, each with its
	// kind in front ("alert: Saved"); they were answered, prompts left empty.
	Dialogs []string `json:"dialogs,omitempty"`
	// Failed says why the action itself could not be carried out, "" when it was.
	Failed string `json:"failed,omitempty"`
	// Refused is the origin at which an input was not typed, see Device.InputsAt; "" for none.
	Refused string `json:"refused,omitempty"`
	// Arrived: the event reached the element that was aimed at. Missed is what lay
	// there instead ("dialog 'Cookies'"); the act was not carried out then.
	Arrived bool   `json:"arrived,omitempty"`
	Missed  string `json:"missed,omitempty"`
	// Withheld: the page asked for what Tab.Withhold keeps it from, at this act or before.
	Withheld bool `json:"withheld,omitempty"`
	// Moved: the page had to be scrolled for the act.
	Moved bool `json:"moved,omitempty"`
	// SettleMS is how long the page took to come to rest, in real ms; typing and watching it
	// on the first visit are not counted, nor how late the machine was.
	SettleMS int `json:"settle_ms,omitempty"`
	// Late: the machine of the browser was so late meanwhile that what the page did not do,
	// or did late, is not its fault.
	Late bool `json:"late,omitempty"`
}

// changed reports whether the page became another, or opened something.
func (e *Effect) changed() bool { return e.Navigated || e.Mutated || e.NewTab || e.Download }

// Overtaken reports whether the act had led to another page by the next look, after its effect
// was told: a busy machine, or a page that waits first, is late without saying so.
func (e *Effect) Overtaken(next *Page) bool {
	before, _, _ := strings.Cut(e.URL, "#")
	after, _, _ := strings.Cut(next.URL, "#")
	return !e.Navigated && e.Failed == "" && before != "" && before != after
}

// Request is one HTTP exchange of the page. URLs are without query strings.
type Request struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Status int    `json:"status"` // 0: failed before an answer
	// Kind is document, xhr, fetch, script, stylesheet, image, font or other.
	Kind string `json:"kind"`
	// Carries is how many of the different texts typed or chosen in this session
	// so far its address or its body carries.
	Carries int `json:"carries,omitempty"`
	// Caused: it began with the act, and is none of the page's own recurring ones.
	Caused bool `json:"caused,omitempty"`
}

// Taken reports whether a request of the page that asks its server to change
// something was accepted, wherever the server is.
func (e *Effect) Taken() bool { return len(e.accepted()) > 0 }
