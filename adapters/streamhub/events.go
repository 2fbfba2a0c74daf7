package streamhub

import (
	"context"
	"encoding/json"
	"net/http"

	"understudy/domain"
)

// listeners is how many connections follow public events at once, ofOne those of one
// organization. Each reads the log by itself: they are people at work, not crowds.
const listeners, ofOne = 64, 16

// Event is a public event as an endpoint of its organization would get it.
type Event struct {
	// ID is the id of the delivery, the same whenever the event is told.
	ID       string `json:"id"`
	Name     string `json:"event"`
	TestID   string `json:"test_id"`
	Position uint64 `json:"position"`
	// Body is the delivery's body, to the byte.
	Body string `json:"body"`
}

// Published are the public events of organizations.
type Published interface {
	// Follow tells the events of an organization and environment after a
	// position, nil for those from now on, in order and each once, until ctx ends
	// or tell fails. Before the first it calls begun with the position after
	// which it begins.
	Follow(ctx context.Context, organizationID string, env domain.Environment, after *uint64,
		begun func(position uint64) error, tell func(Event) error) error
}

// ServeEvents upgrades the request and sends the public events of an
// organization and environment after a position, nil for those from now on,
// until the client leaves or the service goes down (1001). The first message
// tells the position from which to resume. It refuses with
// domain.CodeUnavailable when the hub is full or going down, and with
// domain.CodeTooManyAtOnce when the organization has its share of it.
func (h *Hub) ServeEvents(w http.ResponseWriter, r *http.Request, organizationID string, env domain.Environment, after *uint64) error {
	if err := h.listen(organizationID); err != nil {
		return err
	}
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		less(h.listeners, organizationID)
	}()
	return h.serve(w, r, organizationID, "", func(c *connection) error {
		send := func(v any) error {
			text, err := json.Marshal(v)
			if err != nil {
				return err
			}
			return c.write(framed(text))
		}
		err := h.Published.Follow(c.leave, organizationID, env, after, func(position uint64) error {
			return send(struct {
				Type     string `json:"type"`
				Position uint64 `json:"position"`
			}{"ready", position})
		}, func(e Event) error {
			return send(struct {
				Type string `json:"type"`
				Event
			}{"event", e})
		})
		if c.leave.Err() != nil {
			return context.Cause(c.leave)
		}
		return err
	})
}

// listen counts one more who follows public events, if there is room.
func (h *Hub) listen(organizationID string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := 0
	for _, n := range h.listeners {
		all += n
	}
	switch {
	case all >= listeners:
		return errFull
	case h.listeners[organizationID] >= ofOne:
		return errCrowded
	}
	h.listeners[organizationID]++
	return nil
}
