package service_test

import (
	"slices"
	"testing"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
)

// TestRetriesWaitForAnEndpointThatTakesThem: those of one that is paused are
// known as such, until it is enabled.
func TestRetriesWaitForAnEndpointThatTakesThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hook, id, first := newID(domain.PrefixWebhook), newID(domain.PrefixDelivery), newID(domain.PrefixDelivery)
	_, err := w.RegisterWebhook(w.ctx, call(alice, hook), hook, service.NewWebhook{URL: "http://receiver.example/"})
	w.must(err)
	at := domain.At(time.Now())
	deliver := func(id string, command delivery.Command) {
		_, err := w.Streams.Execute(w.ctx, domain.Envelope{ID: domain.DeriveUUID(id, at.String()), Stream: delivery.Stream(id), Command: command})
		w.must(err)
	}
	for _, id := range []string{id, first} {
		deliver(id, delivery.Schedule{Delivery: delivery.Scheduled{DeliveryID: id, WebhookID: hook, OrganizationID: alice.OrganizationID, Environment: alice.Environment, Body: "{}", At: at}})
	}
	_, err = w.Streams.Deliveries.Handle(w.ctx, domain.DeriveUUID(id, "1"), delivery.Stream(id),
		delivery.Command(delivery.RecordAttempt{Attempt: 1, StatusCode: 500, Now: domain.At(at.Add(time.Hour))}), domain.Meta{})
	w.must(err)
	paused, err := w.PauseWebhook(w.ctx, call(alice, hook+" pause"), hook)
	w.must(err)
	if doc, err := paused.Decode(); err != nil || doc.Status != webhook.StatusDisabled || doc.DisabledReason == nil || *doc.DisabledReason != "paused" {
		t.Errorf("paused it is %s", paused.JSON)
	}
	var because domain.Recorded
	w.must(w.Streams.Store.ReadStream(w.ctx, webhook.Stream(hook), 0, func(e domain.Recorded) error {
		because = e
		return nil
	}))
	retries := service.Retries{Reads: w.Reads, Streams: w.Streams}
	if got, err := retries.Waiting(w.ctx, because, "", 10); err != nil || !slices.Equal(got, []string{id}) {
		t.Errorf("waiting are %v, %v, want %s", got, err, id)
	}
	resumed, err := w.EnableWebhook(w.ctx, call(alice, hook+" enable"), hook)
	w.must(err)
	if doc, err := resumed.Decode(); err != nil || doc.Status != webhook.Enabled || doc.DisabledReason != nil {
		t.Errorf("resumed it is %s", resumed.JSON)
	}
	if got, err := retries.Waiting(w.ctx, because, "", 10); err != nil || len(got) != 0 {
		t.Errorf("resumed, there wait %v, %v", got, err)
	}
}
