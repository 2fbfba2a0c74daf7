package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/eventstore"
	"understudy/test/harness"
	"understudy/test/patience"
)

// missed puts n deliveries to an endpoint into the log, recorded as skipped.
func (s *service) missed(t *testing.T, h hook, organizationID string, n int) {
	t.Helper()
	store := s.log(t, delivery.Catalogue)
	ctx, cancel := patience.Context(context.Background(), time.Minute)
	defer cancel()
	handler := eventstore.NewHandler(store, delivery.Decider, 0)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(32)
	for i := range n {
		g.Go(func() error {
			id := domain.FormatID(domain.PrefixDelivery, uuid.Must(uuid.NewV7()))
			_, err := handler.Handle(ctx, uuid.New(), delivery.Stream(id), delivery.Schedule{SkipReason: "disabled", Delivery: delivery.Scheduled{
				DeliveryID: id, WebhookID: h.ID, OrganizationID: organizationID, Environment: domain.Sandbox, EventName: "test.failed",
				TestID: fmt.Sprint("test_", i), Body: fmt.Sprintf(`{"event":"test.failed","test_id":"test_%d","timestamp":"2026-03-14T09:00:00.000Z","data":{}}`, i),
				At: domain.At(time.Now()),
			}}, domain.Meta{Actor: "e2e", OrganizationID: organizationID, Environment: domain.Sandbox})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}

// A replay of many that is cut off by kill -9, again and again, neither loses
// nor doubles any of them.
func TestAKilledReplayGoesOn(t *testing.T) {
	t.Parallel()
	const many = 1000
	s := own(t, harness.Loopback)
	c := s.sandbox()
	r := receive(t, c, nil, "test.failed")
	h := get[hook](t, c, "/webhooks/"+r.id)
	s.missed(t, h, get[struct{ ID string }](t, c, "/organization").ID, many)
	path := "/webhooks/" + r.id
	patience.Eventually(t, 20*time.Second, "all that was missed", func() bool {
		return read[replayed](t, c.post(t, path+"/replay", map[string]any{"preview": true}, http.StatusAccepted)).Count == many
	})
	ask := func() answer {
		return c.send(t, http.MethodPost, path+"/replay", map[string]any{"status": "skipped"}, "Idempotency-Key", "replay").wants(t, http.StatusAccepted, "")
	}
	first := ask()
	if n := read[replayed](t, first).Count; n != many {
		t.Errorf("%d are sent again", n)
	}
	count := func() int { return len(r.All()) }
	for kills, at := range []int{0, many / 4} {
		patience.Eventually(t, 30*time.Second, "a part of the replay", func() bool { return count() >= at })
		s.Killed(t)
		t.Logf("kill %d after %d attempts", kills+1, count())
		s.Begin(t)
	}
	if again := ask(); string(again.Body) != string(first.Body) {
		t.Errorf("asked again: %s, first %s", again.Body, first.Body)
	}
	messages := map[string]map[string]bool{} // deliveries by message
	patience.Eventually(t, time.Minute, "every message", func() bool {
		for _, got := range r.All() {
			id := got.ID
			if messages[id] == nil {
				messages[id] = map[string]bool{}
			}
			messages[id][got.Header.Get("X-Service-Delivery")] = true
		}
		return len(messages) == many
	})
	for id, deliveries := range messages {
		if len(deliveries) != 1 {
			t.Errorf("%s came as %d deliveries", id, len(deliveries))
		}
	}
	t.Logf("%d attempts at %d messages", count(), many)
	replays := 0
	for _, d := range all[sent](t, c, path+"/deliveries?event=test.failed") {
		if d.ReplayOf != nil {
			replays++
		}
	}
	if replays != many {
		t.Errorf("%d deliveries were made of %d", replays, many)
	}
}
