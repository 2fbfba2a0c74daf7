package mind

// Page is what one look at a page perceives: everything a simulated user may
// notice, read or act on, and nothing taken from class names or element ids.
// Boxes are CSS pixels relative to the top left of the visual viewport, so an
// element below the fold has a Y beyond Viewport.Height.
type Page struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	// Lang is the document's language tag, "" when it has none.
	Lang     string  `json:"lang"`
	Viewport Size    `json:"viewport"`
	ScrollY  float64 `json:"scroll_y"`
	// Height is the full height of the document in CSS px.
	Height   float64   `json:"height"`
	Elements []Element `json:"elements"`
	Texts    []Text    `json:"texts"`
	// Regions are landmarks and heading scopes; elements and texts point in.
	Regions []Region `json:"regions"`
	// Status is the HTTP status of the document, 0 when unknown.
	Status int `json:"status"`
	// Missing are hosts of other sites from which a script of the page got no
	// answer here. What depends on it does nothing.
	Missing []string `json:"missing,omitempty"`
	// Truncated says that the page had more elements than were perceived.
	Truncated bool `json:"truncated"`
	// SelectorsVisible are those of the selectors the oracle asked for
	// (SuccessConditions.SelectorVisible) that have a visible match on this page.
	SelectorsVisible []string `json:"selectors_visible,omitempty"`
	// Vitals are the page's loading measures so far; zero when unknown.
	Vitals Vitals `json:"vitals,omitzero"`
	// Violations are accessibility rules that an audit found broken here.
	Violations []Violation `json:"violations,omitempty"`
	// Limits are the parts of the page that nobody can be simulated on.
	Limits []Limit `json:"limits,omitempty"`
}

// Limit is a part of a page that is there for people and not perceived here.
type Limit struct {
	// Kind is canvas (drawn and operated with the pointer, or most of the page),
	// captcha, frame (of another origin), shadow (a closed component that takes
	// room) or media (sound or moving pictures).
	Kind string `json:"kind"`
	// Name is what it is called, or the host of a frame; "" when nothing tells.
	Name string `json:"name,omitempty"`
	Box  Box    `json:"box"`
}

// Vitals are web vitals of one view. A negative or zero LCP means unknown.
type Vitals struct {
	LCPMS float64 `json:"lcp_ms,omitempty"`
	INPMS float64 `json:"inp_ms,omitempty"`
	CLS   float64 `json:"cls,omitempty"`
}

// Violation is one broken accessibility rule, as axe-core names and grades it.
type Violation struct {
	Rule string `json:"rule"`
	// Impact is critical, serious, moderate or minor.
	Impact    string   `json:"impact"`
	Selectors []string `json:"selectors,omitempty"`
}

// Size is a width and a height in CSS px.
type Size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Box is a rectangle in CSS px.
type Box struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Element is one thing that can be acted on, in visual order (top to bottom,
// then left to right).
type Element struct {
	// Ref addresses the element for the next action. It holds for this look only.
	Ref string `json:"ref"`
	// Role is the ARIA role: link, button, textbox, searchbox, checkbox, radio,
	// combobox (a select too), menuitem, tab, switch, slider, spinbutton, file, …
	Role string `json:"role"`
	// Name is the accessible name; NameSource says where from: text, aria,
	// label, alt, title, placeholder, value, icon (what its picture shows, as the
	// page calls it), shape (its colour and form) or "" for a control without a name.
	Name       string `json:"name"`
	NameSource string `json:"name_source"`
	// Selector finds the element again in a later session: a short CSS path.
	Selector string `json:"selector"`
	// Href is the absolute target of a link.
	Href string `json:"href,omitempty"`
	// InputType is the type attribute of an input ("email", "password", …).
	InputType    string   `json:"input_type,omitempty"`
	Autocomplete string   `json:"autocomplete,omitempty"`
	Placeholder  string   `json:"placeholder,omitempty"`
	Pattern      string   `json:"pattern,omitempty"`
	Min          string   `json:"min,omitempty"`
	Max          string   `json:"max,omitempty"`
	Value        string   `json:"value,omitempty"`
	Options      []string `json:"options,omitempty"`
	// Form numbers the form the element belongs to from 1; 0 is none.
	Form     int  `json:"form,omitempty"`
	Submit   bool `json:"submit,omitempty"`
	Required bool `json:"required,omitempty"`
	Checked  bool `json:"checked,omitempty"`
	Disabled bool `json:"disabled,omitempty"`
	// Expanded is "true" or "false" for what opens and closes, else "".
	Expanded string `json:"expanded,omitempty"`
	// Holds are the links that it hides while it is closed, at most 20. Nobody
	// sees them; they tell afterwards what was missed.
	Holds []Held `json:"holds,omitempty"`
	// Error is the validation message shown for this field, "" when none is.
	Error string `json:"error,omitempty"`
	Box   Box    `json:"box"`
	// InViewport: the centre of the element can be seen without scrolling.
	InViewport bool `json:"in_viewport"`
	// CoveredBy describes what lies over the element's centre ("dialog 'Cookies'").
	CoveredBy string `json:"covered_by,omitempty"`
	// Contrast is the WCAG 2.2 ratio of its text, 1 to 21; 0 when unknown.
	Contrast float64 `json:"contrast"`
	// FontSize is in CSS px; Bold is a weight of at least 700.
	FontSize float64 `json:"font_size"`
	Bold     bool    `json:"bold,omitempty"`
	// Icon: no visible text, only a picture or glyph.
	Icon bool `json:"icon,omitempty"`
	// Region is an index into Page.Regions, -1 for none.
	Region int `json:"region"`
	// InDialog: part of an open dialog or modal layer.
	InDialog bool `json:"in_dialog,omitempty"`
	// MouseOnly: reacts to a pointer, but no key reaches it and assistive
	// technology is told nothing of it (a div with a click handler).
	MouseOnly bool `json:"mouse_only,omitempty"`
	// Submenu: pointing at it shows more items, which are hidden now.
	Submenu bool `json:"submenu,omitempty"`
	// Draggable: can be dragged to another place; see Action.To.
	Draggable bool `json:"draggable,omitempty"`
	// Accept is a file field's list of types, MaxLength a text field's limit in
	// characters, 0 without one, Help the hint that belongs to a field.
	Accept    string `json:"accept,omitempty"`
	MaxLength int    `json:"max_length,omitempty"`
	Help      string `json:"help,omitempty"`
	// Group is the question that a field answers together with others: the
	// legend of its fieldset or the name of its group, "" for none.
	Group string `json:"group,omitempty"`
	// Salience is how much its box stands out from what is behind it, by fill,
	// border and size, whatever its label says: 0 (not at all, or more than a
	// window's height away from the view) to 1.
	Salience float64 `json:"salience,omitempty"`
	// Selected: the current tab, row, option, page or the like.
	Selected bool `json:"selected,omitempty"`
	// Multiline: takes several lines. Rich: an editor of formatted text.
	Multiline bool `json:"multiline,omitempty"`
	Rich      bool `json:"rich,omitempty"`
	// ReadOnly: a field that cannot be changed. Focused: keys go here.
	ReadOnly bool `json:"read_only,omitempty"`
	Focused  bool `json:"focused,omitempty"`
	// Popup is what it says it opens: menu, listbox, tree, grid or dialog, else "".
	Popup string `json:"popup,omitempty"`
	// Row is the number from 1 of the table row, list item or card that it stands
	// in, the same as that of the texts there; 0 for none.
	Row int `json:"row,omitempty"`
	// Level is its depth from 1 in a tree or in lists within lists, 0 for none.
	Level int `json:"level,omitempty"`
	// Tip is its tooltip, where that is not its name.
	Tip string `json:"tip,omitempty"`
}

// Held is a link inside something closed.
type Held struct {
	Name     string `json:"name"`
	Selector string `json:"selector"`
	Href     string `json:"href"`
}

// Text is one visible block of words that is not itself a control.
type Text struct {
	Text string `json:"text"`
	// Kind is heading, paragraph, item, cell, label, alert or status.
	Kind string `json:"kind"`
	// Level is the heading's level 1–6, 0 for everything else.
	Level      int     `json:"level,omitempty"`
	Box        Box     `json:"box"`
	InViewport bool    `json:"in_viewport"`
	Contrast   float64 `json:"contrast"`
	FontSize   float64 `json:"font_size"`
	Region     int     `json:"region"`
	InDialog   bool    `json:"in_dialog,omitempty"`
	// Row is the number of the row, item or card that it stands in; see Element.Row.
	Row int `json:"row,omitempty"`
	// Head is what the words are of: the heads of a cell's column and row, joined
	// by ", ", or the term of a definition.
	Head string `json:"head,omitempty"`
	// Covered: something else lies over its middle.
	Covered bool `json:"covered,omitempty"`
}

// Region is a landmark or the scope of a heading.
type Region struct {
	// Kind is banner, navigation, main, complementary, contentinfo, form,
	// search, dialog, section or heading.
	Kind    string `json:"kind"`
	Heading string `json:"heading"`
	Box     Box    `json:"box"`
}

// kind is that of a region, by its index, "" for none.
func (p *Page) kind(region int) string {
	if region < 0 || region >= len(p.Regions) {
		return ""
	}
	return p.Regions[region].Kind
}

// ActionType is what a simulated user can do.
type ActionType string

// The actions. Done and GiveUp end the walk; the oracle, not the walker, says
// whether Done is true.
const (
	Click  ActionType = "click"
	Type   ActionType = "type"   // replace the field's content with Text
	Append ActionType = "append" // add Text at the end of the field's content
	Select ActionType = "select" // choose the option Text
	Check  ActionType = "check"  // tick a checkbox or radio
	Press  ActionType = "press"  // press the key Text, e.g. "Enter", "Escape"
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
	// Arrived: the event reached the element that was aimed at. Missed is what lay
	// there instead ("dialog 'Cookies'"); the act was not carried out then.
	Arrived bool   `json:"arrived,omitempty"`
	Missed  string `json:"missed,omitempty"`
	// Moved: the page had to be scrolled for the act.
	Moved bool `json:"moved,omitempty"`
	// SettleMS is how long the page took to come to rest, in real ms; watching it
	// on the first visit is not counted.
	SettleMS int `json:"settle_ms,omitempty"`
}

// changed reports whether the page became another, or opened something.
func (e *Effect) changed() bool { return e.Navigated || e.Mutated || e.NewTab || e.Download }

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
func (e *Effect) Taken() bool {
	for _, q := range e.Requests {
		if q.Method != "GET" && q.Method != "HEAD" && q.Status >= 200 && q.Status < 400 && (q.Kind == "document" || q.Kind == "xhr" || q.Kind == "fetch") {
			return true
		}
	}
	return false
}
