package walk

import (
	"regexp"
	"strings"
)

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
	// Private are the origins of private addresses that the page asked for and that the
	// test does not name, see Device.Private. They were not reached.
	Private []string `json:"private,omitempty"`
	// Truncated says that the page had more elements than were perceived.
	Truncated bool `json:"truncated"`
	// SelectorsVisible are those of the selectors the oracle asked for
	// (Conditions.SelectorVisible) that have a visible match on this page.
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
	// Kind is one of the Limit… constants.
	Kind string `json:"kind"`
	// Name is what it is called, or the host of a frame; "" when nothing tells.
	Name string `json:"name,omitempty"`
	Box  Box    `json:"box"`
}

// The kinds of limits. All but the language are told by the browser.
const (
	LimitCanvas   = "canvas"   // drawn and operated with the pointer, or most of the page
	LimitCaptcha  = "captcha"  // a proof of being human
	LimitFrame    = "frame"    // of another origin
	LimitShadow   = "shadow"   // a closed component that takes room
	LimitMedia    = "media"    // sound or moving pictures
	LimitSize     = "size"     // the page is larger than can be perceived: its end is not known
	LimitLanguage = "language" // of the page, named by its tag
)

// String is the limit as signals and reports name it: "canvas: Board".
func (l *Limit) String() string {
	if l.Name == "" {
		return l.Kind
	}
	return l.Kind + ": " + Shorten(l.Name, 80)
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

// MainHeading is what a page calls itself: its first top heading, and its title.
func MainHeading(page *Page) string {
	for i := range page.Texts {
		if t := &page.Texts[i]; t.Kind == "heading" && t.Level == 1 {
			return t.Text + " " + page.Title
		}
	}
	return page.Title
}

// SplitRoute divides an address into that of the document and the route of a single-page
// application, a path or a state of it ("#book=4"), "" for a fragment that names a part of the
// page, a text to jump to or none ("#", "#!").
func SplitRoute(address string) (document, route string) {
	document, route, _ = strings.Cut(address, "#")
	state := strings.Contains(route, "=") && !strings.HasPrefix(route, ":~:") // "#book=4&panel=details", and no text to jump to
	if !strings.HasPrefix(route, "/") && !strings.HasPrefix(route, "!") && !state || strings.Trim(route, "!/") == "" {
		return document, ""
	}
	return document, route
}

// StateKey identifies the state that a page is in for counting distinct states
// (lostness) and for comparing paths: its address and what it calls itself, so
// that single-page applications have several too. Pages of one address and main
// heading are one.
func StateKey(p *Page) string {
	u, route := SplitRoute(p.URL)
	if route != "" {
		u += "#" + route
	}
	u = strings.TrimSuffix(u, "/")
	for i := range p.Texts {
		if t := &p.Texts[i]; t.Kind == "heading" && t.Level <= 1 && !t.InDialog {
			return u + "|" + Shorten(t.Text, 80)
		}
	}
	return u + "|" + Shorten(p.Title, 80)
}

// ErrorsOn lists the validation errors that a page shows: the fields that
// carry one, and whether there is any, beside a field or not.
func ErrorsOn(page *Page) (fields []*Element, any bool) {
	for i := range page.Elements {
		if page.Elements[i].Error != "" {
			fields = append(fields, &page.Elements[i])
		}
	}
	for i := range page.Texts {
		t := &page.Texts[i]
		any = any || t.Kind == "alert" && errorText.MatchString(t.Text)
	}
	return fields, any || len(fields) > 0
}

var errorText = regexp.MustCompile(`(?i)\b(?:error|invalid|required|failed|incorrect|not valid|try again|please (?:enter|fill|select|choose|check|provide|correct)|must (?:be|have|contain|match)|went wrong|does not match|already (?:exists|taken|in use)|denied|expired)\b`)

// Shorten shortens a text to at most n bytes at a word's end.
func Shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	s = strings.ToValidUTF8(s[:n], "")
	if cut := strings.LastIndexByte(s, ' '); cut > n/2 {
		s = s[:cut]
	}
	return s + "…"
}
