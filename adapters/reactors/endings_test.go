package reactors_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"understudy/adapters/reactors"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
	"understudy/eventstore/storetest"
)

// An endpoint that does well is told of one success; after a failure, of the next one.
func TestASuccessThatFollowsAnotherIsNotTold(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.record("webhook-whk_1", webhook.Registered{
		WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Live, URL: "https://hooks.example/", Secret: "ciphertext", At: begin,
	})
	var mu sync.Mutex
	var told []string
	r := reactorsOf(l, func(r *reactors.Reactors) {
		r.Commands.(*commands).before = func(_ context.Context, e domain.Envelope) error {
			if c, ok := e.Command.(webhook.RecordDelivery); ok {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, fmt.Sprint(c.DeliveryID, " ", c.Delivered))
			}
			return nil
		}
	})
	stop := run(t, r)
	for i, delivered := range []bool{true, true, true, false, true, true} { // each in a batch of its own
		id := fmt.Sprint("dlv_", i)
		var end domain.Event = delivery.Abandoned{WebhookID: "whk_1", Attempts: 4, At: begin}
		if delivered {
			end = delivery.Delivered{WebhookID: "whk_1", Attempts: 1, At: begin}
		}
		last := l.record(delivery.Stream(id), delivery.Scheduled{
			DeliveryID: id, WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Live, EventName: "test.started", TestID: "test_1", Body: "{}", At: begin,
		}, end)
		storetest.Eventually(t, "the end of "+id, func() bool { return r.Checkpoints.(*checkpoints).of("delivery-endings") >= last.Position })
	}
	mu.Lock()
	if want := []string{"dlv_0 true", "dlv_3 false", "dlv_4 true"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	mu.Unlock()
	expect(t, "what is recorded", l.stream("webhook-whk_1")[1:], webhook.FailureCounted{DeliveryID: "dlv_3", Consecutive: 1, At: domain.At(l.stream("delivery-dlv_3")[1].Time)},
		webhook.Recovered{DeliveryID: "dlv_4", At: domain.At(l.stream("delivery-dlv_4")[1].Time)})
	l.settledTwice(r, stop)
}
