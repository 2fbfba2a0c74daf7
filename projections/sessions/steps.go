package sessions

import (
	"encoding/json"

	"understudy/domain/session"
)

// Steps are those of a walk. As JSON each is shown.
type Steps []session.Step

// ShownStep is a step as the API shows it. It has every field: what a step has nothing
// of is null.
type ShownStep struct {
	session.Step

	// These stand instead of the step's own.
	Action        shownAction   `json:"action"`
	ScreenshotID  *string       `json:"screenshot_id"`
	ViewportWidth *int          `json:"viewport_width"`
	ScrollY       int           `json:"scroll_y"`
	Signals       []shownSignal `json:"signals"`
}

type shownAction struct {
	Type   string          `json:"type"`
	Target *session.Target `json:"target"`
	Text   *string         `json:"text"`
}

type shownSignal struct {
	Kind   string  `json:"kind"`
	Detail *string `json:"detail"`
}

// MarshalJSON writes the steps as the API shows them, which the recorded ones are
// read from as well.
func (s Steps) MarshalJSON() ([]byte, error) {
	shown := make([]ShownStep, len(s))
	for i, step := range s {
		shown[i] = Shown(step)
	}
	return json.Marshal(shown)
}

// Shown is a step as the API shows it.
func Shown(step session.Step) ShownStep {
	signals := make([]shownSignal, len(step.Signals))
	for i, signal := range step.Signals {
		signals[i] = shownSignal{signal.Kind, orNull(signal.Detail)}
	}
	return ShownStep{
		Step: step, Action: shownAction{step.Action.Type, step.Action.Target, orNull(step.Action.Text)},
		ScreenshotID: orNull(step.ScreenshotID), ViewportWidth: orNull(step.ViewportWidth), ScrollY: step.ScrollY, Signals: signals,
	}
}

func orNull[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}
