package httpapi

import (
	"bytes"
	"time"
)

// DecorateMessage adds to a message of a test's stream the address of each
// screenshot beside its id.
func (l *Links) DecorateMessage(message []byte) []byte {
	if !bytes.Contains(message, []byte(`"screenshot_id"`)) {
		return message // as most are
	}
	now := time.Now()
	out, err := decorate(message, func(_ int, has fields) []member {
		if id := has.text("screenshot_id"); id != "" {
			return []member{{"screenshot_url", l.ArtifactURL(id, now)}}
		}
		return nil
	})
	if err != nil {
		return message // stored messages are JSON; were one not, it is sent as it is
	}
	return out
}
