package brain

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"understudy/domain/forager"
	"understudy/domain/walk"
)

// The one tool that a model has: an act on the page.
const (
	toolName        = "act"
	toolDescription = "Do one thing on the page that you perceive, as the person you are."
)

// The acts, as the model names them.
const (
	actScrollDown = "scroll_down"
	actScrollUp   = "scroll_up"
)

var acts = []string{
	string(walk.Click), string(walk.Type), string(walk.Append), string(walk.Select), string(walk.Check), string(walk.Press), actScrollDown, actScrollUp,
	string(walk.Hover), string(walk.DoubleClick), string(walk.RightClick), string(walk.Upload), string(walk.Drag), string(walk.Back), string(walk.Wait), string(walk.Done), string(walk.GiveUp),
}

// keys are those that may be pressed.
var keys = []string{"Enter", "Escape", "Tab", "Space", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"}

// toolSchema is the JSON Schema of an answer, in the subset that strict modes
// take: every property required, what is optional may be null.
func toolSchema() map[string]any {
	optional := func(kind, what string) map[string]any {
		return map[string]any{"type": []string{kind, "null"}, "description": what}
	}
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"thought":  map[string]any{"type": "string", "description": "What goes through your mind now, in the first person, one or two short sentences."},
			"action":   map[string]any{"type": "string", "enum": acts},
			"element":  optional("integer", "The number in brackets of the control to act on; null for acts without one."),
			"text":     optional("string", "What to type; the option to select, word for word; the key to press; the name of the file to upload. Else null."),
			"input":    optional("string", "The name of the input to type in place of text. Else null."),
			"to":       optional("integer", "For drag: the number of the control to drop on. Else null."),
			"remember": optional("string", "A fact to remember on later pages, such as a price or a choice made. Else null."),
		},
		"required":             []string{"thought", "action", "element", "text", "input", "to", "remember"},
		"additionalProperties": false,
	}
}

// act is an answer.
type act struct {
	Thought  string  `json:"thought"`
	Action   string  `json:"action"`
	Element  *int    `json:"element"`
	Text     *string `json:"text"`
	Input    *string `json:"input"`
	To       *int    `json:"to"`
	Remember *string `json:"remember"`
}

// maxTyped bounds what a model may type, in characters.
const maxTyped = 2000

// understand reads an answer strictly: what it names has to be there. The error
// is told to the model.
func understand(r reply, controls []forager.Sensed, inputs []string) (act, walk.Action, error) {
	a, err := decode(r)
	if err != nil {
		return a, walk.Action{}, err
	}
	out := walk.Action{Type: walk.ActionType(a.Action)}
	text := ""
	if a.Text != nil {
		text = *a.Text
	}
	switch {
	case !slices.Contains(acts, a.Action):
		return a, out, fmt.Errorf("there is no action %q", clip(a.Action, 80))
	case len([]rune(text)) > maxTyped:
		return a, out, errors.New("text is too long")
	}
	switch a.Action {
	case actScrollDown:
		return a, walk.Action{Type: walk.Scroll, Text: "down"}, nil
	case actScrollUp:
		return a, walk.Action{Type: walk.Scroll, Text: "up"}, nil
	}
	switch out.Type {
	case walk.Done, walk.GiveUp, walk.Back, walk.Wait, walk.Scroll:
		return a, out, nil
	case walk.Press:
		if !slices.Contains(keys, text) {
			return a, out, fmt.Errorf("only these keys can be pressed: %s", strings.Join(keys, ", "))
		}
		out.Text = text
		if a.Element == nil {
			return a, out, nil
		}
	case walk.Click, walk.DoubleClick, walk.RightClick, walk.Type, walk.Append, walk.Select, walk.Check, walk.Hover, walk.Upload, walk.Drag:
	}
	target, err := control(a.Element, controls)
	if err != nil {
		return a, out, err
	}
	out.Ref = target.Ref
	err = fit(&out, a, text, target, controls, inputs)
	return a, out, err
}

// decode reads the arguments of the call; models that answer with the bare
// object instead mean the same.
func decode(r reply) (a act, err error) {
	text := r.arguments
	if text == "" {
		begin, end := strings.IndexByte(r.text, '{'), strings.LastIndexByte(r.text, '}')
		if begin < 0 || end < begin {
			return a, errors.New("the answer has to be a call of " + toolName)
		}
		text = r.text[begin : end+1]
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return a, errors.New("the arguments do not fit the schema of " + toolName)
	}
	return a, nil
}

// control finds what a number stands for.
func control(number *int, controls []forager.Sensed) (*walk.Element, error) {
	if number == nil {
		return nil, errors.New("element is missing: this action needs the number of a control")
	}
	if *number < 1 || *number > len(controls) {
		return nil, fmt.Errorf("there is no control [%d] on what you perceive now", *number)
	}
	c := &controls[*number-1]
	if !c.Usable {
		return nil, fmt.Errorf("control [%d] cannot be used now", *number)
	}
	return &c.Element, nil
}

// fit completes an act on an element with its text and checks that the element
// takes it.
func fit(out *walk.Action, a act, text string, target *walk.Element, controls []forager.Sensed, inputs []string) error {
	switch out.Type {
	case walk.Type, walk.Append:
		if !typable(target) {
			return fmt.Errorf("nothing can be typed into control [%d], a %s", *a.Element, target.Role)
		}
		if name := named(a.Input, text); name != "" {
			if !slices.Contains(inputs, name) {
				return fmt.Errorf("there is no input %q", clip(name, 80))
			}
			out.Secret = name
			return nil
		}
		if text == "" {
			return errors.New("text is missing: what is to be typed?")
		}
		out.Text = text
	case walk.Select:
		for _, option := range target.Options {
			if strings.EqualFold(strings.TrimSpace(option), strings.TrimSpace(text)) {
				out.Text = option
				return nil
			}
		}
		return fmt.Errorf("control [%d] has no option %q", *a.Element, clip(text, 80))
	case walk.Check:
		if target.Role != "checkbox" && target.Role != "radio" && target.Role != "switch" {
			return fmt.Errorf("control [%d] is a %s and cannot be ticked; click it", *a.Element, target.Role)
		}
	case walk.Upload:
		if target.Role != "file" {
			return fmt.Errorf("control [%d] takes no file", *a.Element)
		}
		out.Text = text
	case walk.Drag:
		onto, err := control(a.To, controls)
		if err != nil {
			return fmt.Errorf("to: %w", err)
		}
		out.To = onto.Ref
	case walk.Click, walk.DoubleClick, walk.RightClick, walk.Hover, walk.Press, walk.Scroll, walk.Back, walk.Wait, walk.GiveUp, walk.Done:
	}
	return nil
}

// named is the input that an answer wants typed: by its field, or because the
// text is the input's placeholder in the task.
func named(input *string, text string) string {
	if input != nil && *input != "" {
		return strings.TrimSpace(strings.Trim(*input, "{}"))
	}
	if rest, ok := strings.CutPrefix(strings.TrimSpace(text), "{{"); ok {
		if name, ok := strings.CutSuffix(rest, "}}"); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

func typable(e *walk.Element) bool {
	switch e.Role {
	case "textbox", "searchbox", "spinbutton":
		return true
	case "combobox":
		// An input's options are suggestions; a list's are all there is.
		return len(e.Options) == 0 || e.InputType != ""
	}
	return false
}
