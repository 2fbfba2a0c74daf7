package projections_test

import (
	"fmt"
	"testing"
	"time"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/domain/webhook"
	"understudy/projections/deliveries"
	"understudy/projections/webhooks"
)

// ends schedules a delivery and lets it end: delivered, abandoned, skipped,
// or pending for not at all.
func (w *world) ends(id, event string, end delivery.Status) {
	w.schedule(delivery.Scheduled{DeliveryID: id, EventName: event, Ping: event == process.PingName}, end)
}

func (w *world) schedule(d delivery.Scheduled, end delivery.Status) {
	d.WebhookID, d.OrganizationID, d.Environment, d.Body, d.At = "whk_1", "org_0", domain.Live, "{}", w.at()
	d.TestID = "test_" + d.DeliveryID
	stream := delivery.Stream(d.DeliveryID)
	w.tell(stream, delivery.Schedule{Delivery: d}, owner(0))
	switch end {
	case delivery.StatusDelivered:
		w.tell(stream, delivery.RecordAttempt{Attempt: 1, Delivered: true, Now: w.at()}, owner(0))
	case delivery.StatusAbandoned:
		for n := range 4 {
			w.tell(stream, delivery.RecordAttempt{Attempt: n + 1, Now: w.at()}, owner(0))
		}
	case delivery.StatusSkipped:
		w.tell(stream, delivery.Skip{Reason: "disabled", Now: w.at()}, owner(0))
	case delivery.Pending:
	}
}

func TestWhatAReplaySelects(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	began := w.at()
	w.ends("dlv_1", "test.started", delivery.StatusDelivered)
	w.ends("dlv_2", "test.failed", delivery.StatusAbandoned)
	w.ends("dlv_3", "test.failed", delivery.StatusSkipped)
	w.ends("dlv_4", "test.failed", delivery.Pending)
	w.ends("dlv_5", process.PingName, delivery.StatusAbandoned)
	before := w.last()
	// A replay of dlv_2 that fails as well, one of dlv_3 that arrives.
	w.schedule(delivery.Scheduled{DeliveryID: "dlv_6", EventName: "test.failed", ReplayOf: "dlv_2", MessageID: "dlv_2"}, delivery.StatusAbandoned)
	between := w.last()
	w.schedule(delivery.Scheduled{DeliveryID: "dlv_7", EventName: "test.failed", ReplayOf: "dlv_3", MessageID: "dlv_3"}, delivery.StatusDelivered)
	end := w.last()
	fill(t, pool, deliveries.Projection, w.log)
	ctx := testContext(t)

	all := func(which webhook.Which, position uint64) deliveries.Replay {
		return deliveries.Replay{WebhookID: "whk_1", From: began.Time, To: w.at().Time, Which: which, Position: position}
	}
	late := all(webhook.All, end)
	late.From = late.To.Add(time.Millisecond)
	other := all(webhook.All, end)
	other.WebhookID = "whk_2"
	for _, c := range []struct {
		when string
		of   deliveries.Replay
		want []string
	}{
		{"failed", all(webhook.Failed, before), []string{"dlv_2"}},
		{"skipped", all(webhook.Skipped, before), []string{"dlv_3"}},
		{"undelivered", all(webhook.Undelivered, before), []string{"dlv_2", "dlv_3"}},
		{"all", all(webhook.All, before), []string{"dlv_1", "dlv_2", "dlv_3"}},
		{"the last delivery of a message counts", all(webhook.Undelivered, between), []string{"dlv_3", "dlv_6"}},
		{"what has arrived since is left out", all(webhook.Undelivered, end), []string{"dlv_6"}},
		{"all, each message once", all(webhook.All, end), []string{"dlv_1", "dlv_6", "dlv_7"}},
		{"of another time", late, []string{}},
		{"of another endpoint", other, []string{}},
	} {
		n, err := deliveries.CountReplay(ctx, pool, c.of)
		if err != nil || n != len(c.want) {
			t.Errorf("%s: counted %d, %v", c.when, n, err)
		}
		got, after := []string{}, ""
		for page := []string{""}; len(page) > 0; {
			if page, err = deliveries.ReplayPage(ctx, pool, c.of, after, 2); err != nil {
				t.Fatal(err)
			}
			if got = append(got, page...); len(page) > 0 {
				after = page[len(page)-1]
			}
		}
		same(t, c.when, c.want, got)
	}
}

func TestFiltersOfDeliveries(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	w.ends("dlv_1", "test.started", delivery.StatusDelivered)
	cut := w.at()
	w.now = w.now.Add(time.Second)
	w.ends("dlv_2", "test.failed", delivery.StatusAbandoned)
	w.ends("dlv_3", "test.failed", delivery.StatusSkipped)
	fill(t, pool, deliveries.Projection, w.log)
	for i, c := range []struct {
		by   deliveries.Query
		want []string
	}{
		{deliveries.Query{}, []string{"dlv_3", "dlv_2", "dlv_1"}},
		{deliveries.Query{Event: "test.failed"}, []string{"dlv_3", "dlv_2"}},
		{deliveries.Query{Event: "test.failed", Status: "abandoned"}, []string{"dlv_2"}},
		{deliveries.Query{TestID: "test_dlv_1"}, []string{"dlv_1"}},
		{deliveries.Query{CreatedAfter: cut.Time}, []string{"dlv_3", "dlv_2"}},
		{deliveries.Query{CreatedBefore: cut.Add(time.Millisecond)}, []string{"dlv_1"}},
	} {
		c.by.WebhookID, c.by.Limit = "whk_1", 10
		page, _, err := deliveries.List(testContext(t), pool, org0, c.by)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprint("filter ", i), c.want, idsOf(page))
	}
}

// A subscription that was changed, and an endpoint that was enabled again, count
// from the position on, also when everything comes in one batch.
func TestSubscribedAfterChanges(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	w.register("whk_1", owner(0), "test.failed")
	first := w.last()
	names := []string{"test.started"}
	w.tell(webhook.Stream("whk_1"), webhook.Change{Events: &names, Now: w.at()}, owner(0))
	changed := w.last()
	w.abandon("whk_1", 10)
	w.tell(webhook.Stream("whk_1"), webhook.Enable{Now: w.at()}, owner(0))
	enabled := w.last()
	fill(t, pool, webhooks.Projection, w.log)
	on := []webhooks.Endpoint{{ID: "whk_1", Status: webhook.Enabled}}
	for _, c := range []struct {
		when     string
		event    string
		position uint64
		want     []webhooks.Endpoint
	}{
		{"the old event before", "test.failed", first, on},
		{"the new event before", "test.started", first, []webhooks.Endpoint{}},
		{"the old event after", "test.failed", changed, []webhooks.Endpoint{}},
		{"the new event after", "test.started", changed, on},
		{"disabled", "test.started", enabled - 1, []webhooks.Endpoint{{ID: "whk_1", Status: webhook.StatusDisabled}}},
		{"enabled again", "test.started", enabled, on},
	} {
		got, err := webhooks.Subscribed(testContext(t), pool, org0, c.event, c.position)
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.when, c.want, got)
	}
}
