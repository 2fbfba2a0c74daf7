package walk

import "unicode/utf16"

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
	// Colours are those of its text and of what is behind it ("#777777 on #ffffff"), where
	// the contrast is below 4.5.
	Colours string `json:"colours,omitempty"`
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

// IsField reports whether an element takes a value.
func IsField(e *Element) bool {
	switch e.Role {
	case "textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "listbox", "switch", "slider", "file":
		return e.InputType != "hidden" && e.InputType != "submit" && e.InputType != "button" && e.InputType != "image"
	}
	return false
}

// ValueCut reports whether a look may show only the beginning of what a field holds: 8,000
// UTF-16 units of plain text of several lines, 200 of all else (adapters/browser/script/states.js).
func (e *Element) ValueCut() bool {
	most := 200
	if e.Multiline && !e.Rich {
		most = 8000
	}
	return len(e.Value) >= most && len(utf16.Encode([]rune(e.Value))) >= most
}
