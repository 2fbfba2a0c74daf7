package httpapi

import (
	"encoding/json"
	"time"

	"understudy/projections/timeline"
)

// AddressMessage adds to a message of a test's stream the address of the
// screenshot that it names.
func (l *Links) AddressMessage(m timeline.Stored) []byte {
	var err error
	out := []byte(m.JSON)
	switch m.Type {
	case timeline.TypeStep:
		out, err = addressed(m, func(data *timeline.Step) bool {
			if data.ScreenshotID == nil {
				return false
			}
			url := l.ArtifactURL(*data.ScreenshotID, time.Now())
			data.ScreenshotURL = &url
			return true
		})
	case timeline.TypeScreenshot:
		out, err = addressed(m, func(data *struct {
			timeline.Screenshot
			ScreenshotURL string `json:"screenshot_url"`
		}) bool {
			data.ScreenshotURL = l.ArtifactURL(data.ScreenshotID, time.Now())
			return true
		})
	}
	if err != nil {
		return m.JSON // stored messages are JSON; were one not, it is sent as it is
	}
	return out
}

// addressed is a message with what add, if it does, adds to its data.
func addressed[T any](m timeline.Stored, add func(*T) bool) ([]byte, error) {
	var data T
	message := timeline.Message{Data: &data}
	if err := json.Unmarshal(m.JSON, &message); err != nil {
		return nil, err
	}
	if !add(&data) {
		return m.JSON, nil
	}
	return encoded(message)
}
