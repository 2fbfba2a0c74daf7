package process

import (
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
)

// CountEnding tells a test that one of its sessions has ended.
func CountEnding(e domain.Recorded) (domain.Envelope, bool) {
	end := func(testID string, index int, usable bool) (domain.Envelope, bool) {
		return envelope(e, testrun.Stream(testID), "record_session_end", testrun.RecordSessionEnd{
			SessionID: streamID(e, session.StreamPrefix), Index: index, Usable: usable, Now: domain.At(e.Time),
		}), true
	}
	switch event := e.Event.(type) {
	case session.Completed:
		return end(event.TestID, event.Index, true)
	case session.Failed:
		return end(event.TestID, event.Index, false)
	}
	return domain.Envelope{}, false
}

// CountDelivery tells an endpoint how a delivery to it ended.
func CountDelivery(e domain.Recorded) (domain.Envelope, bool) {
	count := func(webhookID string, delivered bool) (domain.Envelope, bool) {
		return envelope(e, webhook.Stream(webhookID), "record_delivery", webhook.RecordDelivery{
			DeliveryID: streamID(e, delivery.StreamPrefix), Delivered: delivered, Now: domain.At(e.Time),
		}), true
	}
	switch event := e.Event.(type) {
	case delivery.Delivered:
		return count(event.WebhookID, true)
	case delivery.Abandoned:
		return count(event.WebhookID, false)
	}
	return domain.Envelope{}, false
}

func streamID(e domain.Recorded, prefix string) string { return e.Stream[len(prefix):] }
