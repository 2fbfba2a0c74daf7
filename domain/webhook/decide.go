package webhook

import (
	"slices"

	"understudy/domain"
)

// Status is where an endpoint stands.
type Status string

// The statuses of an endpoint. A stream without events has the empty one.
const (
	Enabled        Status = "enabled"
	StatusDisabled Status = "disabled"
	StatusDeleted  Status = "deleted"
)

// State is what deciding, and the sender, need to know.
type State struct {
	Status      Status
	Consecutive int
	// Last is the delivery counted last, so that a redelivered ending is not
	// counted twice.
	Last string
	// Webhook is the endpoint as it is now. Its Secret is the one that was in
	// force before Rotation.
	Webhook  Registered
	Rotation Rotation
	// Replay is the replay asked for last.
	Replay string
}

// Decider is the endpoint's stream as pure functions.
var Decider = domain.Decider[State, Command, Event]{
	Decide: decide,
	Evolve: evolve,
	Done:   func(s State) bool { return s.Status == StatusDeleted },
}

func evolve(s State, e Event) State {
	switch e := e.(type) {
	case Registered:
		s.Status, s.Webhook = Enabled, e
	case Changed:
		s.Webhook.URL, s.Webhook.Events = e.URL, e.Events
	case FailureCounted:
		s.Consecutive, s.Last = e.Consecutive, e.DeliveryID
	case Recovered:
		s.Consecutive, s.Last = 0, e.DeliveryID
	case Disabled, Paused:
		s.Status = StatusDisabled
	case Reenabled:
		s.Status, s.Consecutive = Enabled, 0
	case SecretRotated:
		if s.Rotation.ID != "" { // the one before is over
			s.Webhook.Secret = s.Rotation.Secret
		}
		s.Rotation = Rotation{ID: e.RotationID, Secret: e.Secret, StartedAt: e.At, EndsAt: e.EndsAt}
	case SecretPromoted:
		s.Rotation.Promoted = true
	case ReplayRequested:
		s.Replay = e.ReplayID
	case Deleted:
		s.Status = StatusDeleted
	case OwnerWarned:
	}
	return s
}

func decide(s State, c Command) ([]Event, error) {
	if c, ok := c.(Register); ok {
		if s.Status != "" {
			return nil, nil
		}
		return []Event{c.Webhook}, nil
	}
	if s.Status == "" || s.Status == StatusDeleted {
		if _, told := c.(RecordDelivery); told {
			return nil, nil
		}
		return nil, domain.Refuse(domain.CodeNotFound, "there is no such webhook")
	}
	switch c := c.(type) {
	case Register: // decided above
	case RecordDelivery:
		return recordDelivery(s, c), nil
	case Change:
		return change(s, c), nil
	case Pause:
		if s.Status == StatusDisabled {
			return nil, nil
		}
		return []Event{Paused{At: c.Now}}, nil
	case Enable:
		if s.Status == Enabled {
			return nil, nil
		}
		return []Event{Reenabled{At: c.Now}}, nil
	case RotateSecret:
		return rotateSecret(s, c)
	case PromoteSecret:
		return promoteSecret(s, c)
	case RequestReplay:
		return requestReplay(s, c)
	case Delete:
		return []Event{Deleted{At: c.Now}}, nil
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

func recordDelivery(s State, c RecordDelivery) []Event {
	switch {
	case s.Status != Enabled || s.Last == c.DeliveryID:
		return nil
	case c.Delivered && s.Consecutive == 0:
		return nil
	case c.Delivered:
		return []Event{Recovered{DeliveryID: c.DeliveryID, At: c.Now}}
	}
	n := s.Consecutive + 1
	events := []Event{FailureCounted{DeliveryID: c.DeliveryID, Consecutive: n, At: c.Now}}
	if n >= DisableAfter {
		events = append(events, Disabled{Consecutive: n, At: c.Now})
	}
	if slices.Contains(WarnAt[:], n) {
		events = append(events, OwnerWarned{Consecutive: n, At: c.Now})
	}
	return events
}

func change(s State, c Change) []Event {
	changed := Changed{URL: s.Webhook.URL, Events: s.Webhook.Events, At: c.Now}
	if c.URL != nil {
		changed.URL = *c.URL
	}
	if c.Events != nil {
		changed.Events = *c.Events
	}
	if changed.URL == s.Webhook.URL && slices.Equal(changed.Events, s.Webhook.Events) {
		return nil
	}
	changed.Events = append([]string{}, changed.Events...)
	return []Event{changed}
}

func requestReplay(s State, c RequestReplay) ([]Event, error) {
	if s.Replay == c.ReplayID {
		return nil, nil
	}
	if err := s.CheckReplay(c); err != nil {
		return nil, err
	}
	return []Event{ReplayRequested{ReplayID: c.ReplayID, From: c.From, To: c.To, Which: c.Which, At: c.Now}}, nil
}

// CheckReplay refuses a replay that the endpoint cannot have now; a preview is
// refused for the same reasons.
func (s State) CheckReplay(c RequestReplay) error {
	if err := s.CanReceive(); err != nil {
		return err
	}
	if earliest := c.Now.Add(-ReplayWindow); c.From.Before(earliest) {
		return domain.Invalid("from", "too_old",
			"from is more than 72 hours ago, and older deliveries are not sent again; ask from %s on, and read what happened before from GET /v1/tests",
			domain.At(earliest))
	}
	if c.To.Before(c.From.Time) {
		return domain.Invalid("to", "out_of_range", "to must not be before from")
	}
	return nil
}

// CanReceive refuses what would go to an endpoint that takes no deliveries.
func (s State) CanReceive() error {
	switch s.Status {
	case Enabled:
		return nil
	case StatusDisabled:
		return domain.Refuse(domain.CodeWrongState,
			"the webhook is disabled, so a replay would be skipped; enable it first with POST /v1/webhooks/%s/enable", s.Webhook.WebhookID)
	case StatusDeleted:
		return domain.Refuse(domain.CodeWrongState, "the webhook is deleted; register the endpoint again to get what happens from then on")
	}
	return domain.Refuse(domain.CodeNotFound, "there is no such webhook")
}
