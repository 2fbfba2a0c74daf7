package dashboard

import (
	"net/url"
	"slices"
	"strings"

	"understudy/domain/task"
	"understudy/domain/testrun"
)

// understood is a task as it is read, and how it is recognised that it was done.
type understood struct {
	Goals []goal
	// Given are the conditions that decide in place of the task's words.
	Given []string
	// Missing are the names that the task mentions without a value, Open: the task
	// says a password in clear.
	Missing []string
	Open    bool
	// Faults are what is wrong with conditions.
	Faults map[string]string
}

// goal is a part of a task.
type goal struct {
	Does, Text string
	// Recognised says by what.
	Recognised string
	Enters     []string
	// Guessed: no verb of it is known.
	Guessed bool
}

// doing is what the kinds of goals are called.
var doing = map[task.Kind]string{task.Act: "Do", task.Inform: "Find out", task.Reach: "Get to"}

// signs say by what it is recognised that an act was done, by its deed. Any other is
// recognised by what is sent.
var signs = map[string]string{
	"click": "the control that it names is pressed and reacts", "switch": "the control that it names is pressed and reacts",
	"choose": "it is chosen and taken over", "check": "it is ticked and stays so", "uncheck": "it is unticked and stays so", "type": "the field has it, and it is taken over",
	"solve": "the field has it, and it is taken over", "copy": "the field has it, and it is taken over",
	"search": "the search is sent, and what comes carries its words", "download": "a file comes", "print": "a file comes",
	"filter": "all that is listed then fits", "sort": "the list stands in that order",
	"delete": "it was listed and is gone, while the others are there", "archive": "it was listed and is gone, while the others are there",
	"done": "it is marked as done, or gone from its list", "cancel": "it is gone, or a cancellation is sent and accepted",
	"move": "it stands at its new place", "create": "what was made stands there afterwards", "edit": "it stands there as it was to be", "rename": "it stands there under its new name",
	"addcart": "the cart has it",
}

// Examples are tasks as they can be worded.
func (understood) Examples() []string {
	return []string{
		"Find out what a day ticket for children costs", "Subscribe to the newsletter with the e-mail address ada@example.org",
		"Put the cheapest tent into the cart", "Log in as ada with the password {{password}} and turn on the dark theme",
	}
}

func understoodOf(form url.Values) (u understood) {
	u.Faults = map[string]string{}
	given := testrun.Success{
		URLMatches: form.Get("success.url_matches"), TextVisible: form.Get("success.text_visible"),
		SelectorVisible: form.Get("success.selector_visible"), RequestMade: form.Get("success.request_made"),
	}
	for _, c := range []struct{ says, what string }{
		{"the address matches", given.URLMatches}, {"this text can be seen:", given.TextVisible},
		{"an element can be seen that this selector finds:", given.SelectorVisible}, {"this request is answered with success:", given.RequestMade},
	} {
		if c.what != "" {
			u.Given = append(u.Given, c.says+" "+c.what)
		}
	}
	wish := testrun.Create{Wish: testrun.Wish{Task: "-", Model: testrun.Embedded, Success: &given}, Models: []string{testrun.Embedded}}
	if _, _, faults, _ := told(wish.Check()); faults != nil {
		u.Faults = faults
	}
	text := strings.TrimSpace(form.Get("task"))
	if text == "" {
		return u
	}
	var inputs []string
	for _, name := range form["input"] {
		if name = inputName(name); name != "" {
			inputs = append(inputs, name)
		}
	}
	for _, name := range testrun.Mentioned(text) {
		if !slices.Contains(inputs, name) && !slices.Contains(u.Missing, name) {
			u.Missing = append(u.Missing, name)
		}
	}
	for _, s := range task.Parse(text, slices.Concat(inputs, u.Missing)).Subgoals {
		g := goal{Does: doing[s.Kind], Text: strings.TrimRight(s.Text, " .!?"), Guessed: s.Kind == task.Reach && s.Verb == ""}
		if s.Kind == task.Inform && s.Rest != "" {
			g.Text = strings.TrimRight(s.Rest, " .!?")
		}
		g.Recognised = recognised(&s)
		for _, v := range s.Values {
			u.Open = u.Open || v.Kind == "password" && v.Text != ""
			g.Enters = append(g.Enters, entered(v))
		}
		u.Goals = append(u.Goals, g)
	}
	return u
}

func recognised(s *task.Subgoal) string {
	switch s.Kind {
	case task.Inform:
		return "an answer stands on the screen long enough to be read"
	case task.Reach:
		return "a page or section that calls itself so is come to"
	case task.Act:
	}
	if sign, known := signs[s.Deed]; known {
		return sign
	}
	if len(s.Values) > 0 {
		return "what was entered is sent and accepted, and the page answers to it"
	}
	return "it is sent and accepted, or what is switched stands as it was to be"
}

// entered is a value as the task gives it; of a secret only its name.
func entered(v task.Value) string {
	what := "“" + v.Text + "”"
	if v.Input != "" {
		what = "{{" + v.Input + "}}"
	}
	if v.Choose {
		return what + " (chosen)"
	}
	if v.Kind != "" && v.Kind != "text" {
		return what + " (" + v.Kind + ")"
	}
	return what
}

func inputName(name string) string { return strings.Trim(strings.TrimSpace(name), "{} ") }
