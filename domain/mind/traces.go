package mind

import (
	"math"
	"regexp"
	"strings"
)

// state is how a toggle or a list stands.
type state struct {
	checked bool
	value   string
}

// statesOf are the states of everything on a page that has one.
func statesOf(page *Page) map[string]state {
	out := map[string]state{}
	for i := range page.Elements {
		if e := &page.Elements[i]; hasState(e) {
			out[stateKey(e)] = state{e.Checked, e.Value}
		}
	}
	return out
}

func hasState(e *Element) bool {
	switch e.Role {
	case "checkbox", "switch", "radio", "combobox", "button", "tab", "option", "menuitemcheckbox", "menuitemradio", "link", "slider":
		return true
	}
	return false
}

func stateKey(e *Element) string { return e.Role + "|" + e.Name + "|" + e.Selector }

// traces are what an act of this kind leaves behind apart from words, as
// confidence, and what it is.
func (w *witness) traces(s *Subgoal, page *Page, eff *Effect, sees func(*Text) bool) (float64, string) {
	switch s.Verb {
	case "login":
		if !hasPassword(page) && hasControl(page, "logout") && !w.known[hash(0, "control:logout")] {
			return 0.5, "one can log out now"
		}
		if w.gated && w.submits == 0 && !hasPassword(page) && !stillAsks(page) {
			return 0.5, "no password is asked for any more"
		}
	case "signup", "trial":
		from := w.words(w.from)
		if w.submits <= 1 && !has(from.concepts, "login") && (has(from.concepts, "signup") || has(from.concepts, "trial")) && hasControl(page, "logout") && !w.known[hash(0, "control:logout")] {
			return 0.5, "one can log out now"
		}
	case "search":
		if q := strings.ToLower(query(page.URL)); eff.Navigated && q != "" && containsAny(q, s.Object) {
			return 0.6, "the results are for what was searched"
		}
		if eff.Mutated && w.searchedFor(s, page) && coverage(s, w.words(pageWords(page, sees))) > 0.3 {
			return 0.85, "the list shows what was searched"
		}
	case "addcart":
		if h := w.words(MainHeading(page)); has(h.concepts, "cart") && coverage(s, w.words(pageWords(page, sees))) > 0.5 {
			return 0.5, "it is in the cart"
		}
	case "choose":
		if eff.Navigated && coverage(s, w.words(MainHeading(page))) >= 0.6 {
			return 0.6, "the chosen thing opened"
		}
	case "compare":
		if share, named := objectCoverage(s, w.words(headingsSeen(page, sees)+pageWords(page, sees))); share >= 0.8 && named && has(w.words(MainHeading(page)).concepts, "compare") {
			return 0.85, "they stand side by side"
		}
	}
	if c, proof := w.switched(s, page, eff); c > 0 {
		return c, proof
	}
	if c, proof := w.flipped(s, page, eff); c > 0 {
		return c, proof
	}
	return w.echoed(s, page, sees)
}

// switched: a toggle or a list that is about the object stands as the goal
// wants it and did not before. Where it belongs to a form that has to be sent,
// that counts once the form was taken.
func (w *witness) switched(s *Subgoal, page *Page, eff *Effect) (float64, string) {
	if !switching[s.Verb] || w.states == nil {
		return 0, ""
	}
	if w.turned && w.submits == 0 {
		return 0.5, "what was switched was taken"
	}
	for i := range page.Elements {
		e := &page.Elements[i]
		was, known := w.states[stateKey(e)]
		if !hasState(e) || !known || was == (state{e.Checked, e.Value}) && (was.checked == e.Checked) {
			continue
		}
		if !w.wantedState(s, page, e, was) {
			continue
		}
		if e.Form > 0 && (formSends(page, e.Form) || formAsks(page, e.Form)) && w.submits > 0 && !eff.Navigated {
			w.turned = true
			return 0.3, "“" + clip(e.Name, 60) + "” was switched"
		}
		if w.submits == 0 {
			return 0.5, "“" + clip(e.Name, 60) + "” was switched"
		}
		return 0.85, "“" + clip(e.Name, 60) + "” was switched"
	}
	return 0, ""
}

// switching are the verbs that leave something in another state.
var switching = set(`on off freeze unfreeze save follow filter sort choose edit vote unsubscribe subscribe`)

func (w *witness) wantedState(s *Subgoal, page *Page, e *Element, was state) bool {
	heading := ""
	if e.Region >= 0 && e.Region < len(page.Regions) {
		heading = page.Regions[e.Region].Heading
	}
	named := w.words(e.Name + " " + e.Group + " " + heading + " " + MainHeading(page))
	share, all := objectCoverage(s, named)
	fits := share >= objectLeast && all && (len(s.Object) == 0 || objectSaid(s, w.words(e.Name+" "+e.Group)))
	if e.Role == "combobox" {
		if e.Value == was.value || e.Value == "" {
			return false
		}
		value := w.words(e.Value)
		if s.Verb == "edit" || s.Verb == "choose" {
			for _, v := range w.goal.Values {
				if v.Kind == ValueTo && strings.Contains(strings.ToLower(e.Value), strings.ToLower(v.Text)) {
					return true
				}
			}
			return false
		}
		share, _ := objectCoverage(s, w.words(e.Value+" "+e.Name))
		top := 0.0
		for _, t := range s.terms {
			if !t.verb {
				top = math.Max(top, said(t, value))
			}
		}
		return (s.Verb == "filter" || s.Verb == "sort") && top >= matchStem && share >= 0.4
	}
	wantOff := s.Verb == "off" || s.Verb == "unsubscribe" || s.Verb == "unfreeze"
	if e.Checked == was.checked || e.Checked == wantOff {
		return false
	}
	return fits || verbSaid(s, w.words(e.Name)) >= matchStem
}

// formAsks: the form wants something to be typed, so that a choice in it is not all.
func formAsks(page *Page, form int) bool {
	for i := range page.Elements {
		if e := &page.Elements[i]; e.Form == form && takesText(e) {
			return true
		}
	}
	return false
}

// formSends: the form has something to send it with.
func formSends(page *Page, form int) bool {
	for i := range page.Elements {
		if e := &page.Elements[i]; e.Form == form && e.Submit {
			return true
		}
	}
	return false
}

// flips are what the control of an act is called once it is done.
var flips = map[string][]string{
	"freeze": {"unfreeze", "unblock", "unlock"}, "unfreeze": {"freeze", "block", "lock"}, "follow": {"following", "unfollow"},
	"save": {"saved", "unsave", "remove from", "remove bookmark", "bookmarked"}, "subscribe": {"unsubscribe", "subscribed"},
	"on": {"turn off", "switch off", "disable"}, "off": {"turn on", "switch on", "enable"}, "play": {"pause"}, "vote": {"voted"},
}

// flipped: the control that does the act now offers to take it back.
func (w *witness) flipped(s *Subgoal, page *Page, eff *Effect) (float64, string) {
	if len(flips[s.Verb]) == 0 || w.states == nil || eff.Navigated && w.submits > 1 {
		return 0, ""
	}
	for i := range page.Elements {
		e := &page.Elements[i]
		if _, known := w.states[stateKey(e)]; known || e.Role != "button" && e.Role != "link" && e.Role != "switch" {
			continue
		}
		name := strings.ToLower(e.Name)
		for _, f := range flips[s.Verb] {
			if strings.HasPrefix(name, f) {
				if w.submits <= 1 {
					return 0.5, "it can be taken back with “" + clip(e.Name, 60) + "”"
				}
				return 0.85, "it can be taken back with “" + clip(e.Name, 60) + "”"
			}
		}
	}
	return 0, ""
}

// echoed: after a request was accepted the page shows what the task gave to be
// entered, which it did not show before.
func (w *witness) echoed(s *Subgoal, page *Page, sees func(*Text) bool) (float64, string) {
	if w.submits > 0 || !keeps[s.Verb] || stillAsks(page) {
		return 0, ""
	}
	for i := range page.Texts {
		t := &page.Texts[i]
		if !sees(t) || w.known[hash(0, t.Text)] {
			continue
		}
		text := strings.ToLower(t.Text)
		for _, v := range w.goal.Values {
			if len(v.Text) >= 4 && v.Kind != ValueAmount && v.Kind != ValueDate && strings.Contains(text, strings.ToLower(v.Text)) {
				return 0.45, "it now shows “" + clip(t.Text, 60) + "”"
			}
		}
		if share, named := objectCoverage(s, w.words(t.Text)); s.Verb == "create" && len(s.Object) > 0 && share >= 0.5 && named && t.Kind != "heading" {
			return 0.45, "it now shows “" + clip(t.Text, 60) + "”"
		}
	}
	return 0, ""
}

// keeps are the verbs whose result is shown in the words that were entered.
var keeps = set(`create edit comment reply save upload share`)

// searchedFor: a search box holds the object's words.
func (w *witness) searchedFor(s *Subgoal, page *Page) bool {
	for i := range page.Elements {
		e := &page.Elements[i]
		if kindOf(e) == fkSearch && e.Value != "" && containsAny(strings.ToLower(e.Value), s.Object) {
			return true
		}
	}
	return false
}

// downloaded: a file came.
func downloaded(eff *Effect) bool {
	if eff.Download {
		return true
	}
	for _, r := range eff.Requests {
		if r.Kind == "document" && r.Status >= 200 && r.Status < 300 && fileURL.MatchString(r.URL) {
			return true
		}
	}
	return false
}

// fileURL is the address of something that is kept rather than shown.
var fileURL = regexp.MustCompile(`(?i)\.(?:pdf|csv|xlsx?|docx?|zip|txt|json|ics|mp3|epub|tar\.gz|exe|dmg|deb)$`)

// pendingLeast bounds the confidence on a page that wants the deed confirmed:
// what was accepted so far was a step on the way.
const pendingLeast = 0.6

// reviewing are headings of pages that show what was entered before it is sent.
var reviewing = regexp.MustCompile(`(?i)\b(?:check|review|confirm)\b.{0,30}\b(?:answers?|details|order|payment|booking|transfer|application|everything|information|appointment|summary)\b|\bis (?:everything|this|all) (?:right|correct)\b|\bbefore you (?:send|pay|submit|confirm)\b`)

// lastPress are labels of buttons that finish a deed.
var lastPress = regexp.MustCompile(`(?i)^(?:confirm|submit|place|pay|complete|finish|accept and|send (?:application|payment|money|report|request)|book (?:now|this|it|appointment))\b`)

// asksToConfirm: the page wants a last confirmation.
func asksToConfirm(page *Page, emphasis bool) bool {
	for i := range page.Texts {
		if t := &page.Texts[i]; t.Kind == "heading" && t.Level <= 2 && reviewing.MatchString(t.Text) {
			return true
		}
	}
	if emphasis {
		return false
	}
	for i := range page.Elements {
		e := &page.Elements[i]
		if e.Role == "button" && !e.Disabled && lastPress.MatchString(e.Name) {
			return true
		}
	}
	return false
}
