package process

import (
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/notice"
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

// CountEndings tells each test which of its sessions have ended: of all events
// together one command a test, because the endings of a large test queue up at
// its one stream. A redelivery may group the same events otherwise; a test
// counts each of its sessions once all the same.
func CountEndings(events []domain.Recorded) []domain.Envelope {
	var out []domain.Envelope
	of := map[string]int{} // the place in out of a test's stream
	for _, e := range events {
		one, ok := CountEnding(e)
		if !ok {
			continue
		}
		i, more := of[one.Stream]
		if !more {
			of[one.Stream] = len(out)
			out = append(out, one)
			continue
		}
		out[i] = together(out[i], one)
	}
	return out
}

// together adds an ending to those of the same test.
func together(all, one domain.Envelope) domain.Envelope {
	ends, several := all.Command.(testrun.RecordSessionEnds)
	if !several {
		ends.Ends = []testrun.RecordSessionEnd{all.Command.(testrun.RecordSessionEnd)}
	}
	ends.Ends = append(ends.Ends, one.Command.(testrun.RecordSessionEnd))
	one.ID, one.Command = domain.DeriveUUID(all.ID.String(), one.ID.String()), ends
	return one
}

// FailTest ends the test of an event, whose sessions cannot be made.
func FailTest(e domain.Recorded, code, message string) domain.Envelope {
	return envelope(e, e.Stream, "fail", testrun.Fail{Code: code, Message: message, Now: domain.At(e.Time)})
}

// CountDelivery tells an endpoint how a delivery to it ended. Pings are for
// whoever looks: they neither count as failures nor end a row of them.
func CountDelivery(e domain.Recorded) (domain.Envelope, bool) {
	count := func(webhookID string, delivered bool) (domain.Envelope, bool) {
		return envelope(e, webhook.Stream(webhookID), "record_delivery", webhook.RecordDelivery{
			DeliveryID: streamID(e, delivery.StreamPrefix), Delivered: delivered, Now: domain.At(e.Time),
		}), true
	}
	switch event := e.Event.(type) {
	case delivery.Delivered:
		if !event.Ping {
			return count(event.WebhookID, true)
		}
	case delivery.Abandoned:
		if !event.Ping {
			return count(event.WebhookID, false)
		}
	}
	return domain.Envelope{}, false
}

// NotifyOwner requests the notice of a warning.
func NotifyOwner(e domain.Recorded) (domain.Envelope, bool) {
	warned, ok := e.Event.(webhook.OwnerWarned)
	if !ok {
		return domain.Envelope{}, false
	}
	id := domain.DeriveID(domain.PrefixNotice, e.Time, e.ID.String())
	return envelope(e, notice.Stream(id), "request", notice.Request{Notice: notice.Requested{
		NoticeID: id, OrganizationID: e.Meta.OrganizationID, Environment: e.Meta.Environment,
		WebhookID: streamID(e, webhook.StreamPrefix), Consecutive: warned.Consecutive,
		Disabled: warned.Consecutive >= webhook.DisableAfter, At: domain.At(e.Time),
	}}), true
}

// CountDeliveries tells endpoints how deliveries to them ended: for each endpoint
// what there is to tell, in the order of the events. A success that follows
// another says nothing new and is left out; a redelivery that groups the same
// events otherwise tells it, to no effect.
func CountDeliveries(events []domain.Recorded) [][]domain.Envelope {
	var out [][]domain.Envelope
	of := map[string]int{} // the place in out of an endpoint's stream
	delivered := map[string]bool{}
	for _, e := range events {
		one, ok := CountDelivery(e)
		if !ok {
			continue
		}
		success := one.Command.(webhook.RecordDelivery).Delivered
		if success && delivered[one.Stream] {
			continue
		}
		delivered[one.Stream] = success
		i, more := of[one.Stream]
		if !more {
			i = len(out)
			of[one.Stream], out = i, append(out, nil)
		}
		out[i] = append(out[i], one)
	}
	return out
}

func streamID(e domain.Recorded, prefix string) string { return e.Stream[len(prefix):] }
