package process

import (
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
)

// PingName is the event's name in a ping's envelope and header. No test has it
// and nothing subscribes to it.
const PingName = "ping"

// Ping is a message to try an endpoint with: an envelope like any other, whose
// test_id is empty because there is no test.
func Ping(deliveryID string, endpoint webhook.Registered, now domain.Time) (delivery.Schedule, error) {
	body, err := Body(Message{Name: PingName, Data: object{
		"webhook_id": endpoint.WebhookID, "message": "This is a ping. If its signature is right, the endpoint is ready for events.",
	}}, now)
	return delivery.Schedule{Delivery: delivery.Scheduled{
		DeliveryID: deliveryID, WebhookID: endpoint.WebhookID,
		OrganizationID: endpoint.OrganizationID, Environment: endpoint.Environment,
		EventName: PingName, Body: body, Ping: true, At: now,
	}}, err
}

// Replay makes a delivery again, as a delivery of its own with the same body
// and message. It is refused while the first is under way, when it is older
// than webhook.ReplayWindow, and when the endpoint takes none.
func Replay(deliveryID string, source delivery.State, endpoint webhook.State, now domain.Time) (delivery.Schedule, error) {
	switch age := now.Sub(source.Delivery.At.Time); {
	case source.Status == "":
		return delivery.Schedule{}, domain.Refuse(domain.CodeNotFound, "there is no such delivery")
	case source.Delivery.Ping:
		return delivery.Schedule{}, domain.Refuse(domain.CodeWrongState,
			"this was a ping; POST /v1/webhooks/%s/test sends another", source.Delivery.WebhookID)
	case source.Status == delivery.Pending:
		return delivery.Schedule{}, domain.Refuse(domain.CodeWrongState,
			"the delivery is still under way; wait until its status is delivered, abandoned or skipped")
	case age > webhook.ReplayWindow:
		return delivery.Schedule{}, domain.Refuse(domain.CodeTooOld,
			"the delivery is of %s, and only the last 72 hours are sent again; its payload is in GET /v1/deliveries/%s",
			source.Delivery.At, source.Delivery.DeliveryID)
	}
	if err := endpoint.CanReceive(); err != nil {
		return delivery.Schedule{}, err
	}
	return again(deliveryID, source.Delivery, now), nil
}

// ReplayEach makes a delivery again because a replay asked for it. What it is
// made from is for the caller to find: what the request selects as of its
// position, which never changes.
func ReplayEach(e domain.Recorded, source delivery.Scheduled) domain.Envelope {
	id := domain.DeriveID(domain.PrefixDelivery, e.Time, e.ID.String(), source.DeliveryID)
	return envelope(e, delivery.Stream(id), "schedule", again(id, source, domain.At(e.Time)))
}

func again(deliveryID string, source delivery.Scheduled, now domain.Time) delivery.Schedule {
	replay := source
	replay.DeliveryID, replay.ReplayOf, replay.MessageID, replay.At = deliveryID, source.DeliveryID, source.Message(), now
	return delivery.Schedule{Delivery: replay}
}

// SkipRetries tells of an endpoint's event whether deliveries that wait for a
// retry are skipped from then on, and why.
func SkipRetries(e domain.Recorded) (reason string, skip bool) {
	switch e.Event.(type) {
	case webhook.Disabled, webhook.Paused:
		return string(webhook.StatusDisabled), true
	case webhook.Deleted:
		return string(webhook.StatusDeleted), true
	}
	return "", false
}

// SkipRetry skips a delivery because of an endpoint's event.
func SkipRetry(e domain.Recorded, deliveryID, reason string) domain.Envelope {
	return envelope(e, delivery.Stream(deliveryID), "skip", delivery.Skip{Reason: reason, Now: domain.At(e.Time)})
}
