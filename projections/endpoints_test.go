package projections_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/webhooks"
)

func (w *world) register(id string, meta domain.Meta, events ...string) {
	w.tell(webhook.Stream(id), webhook.Register{Webhook: webhook.Registered{
		WebhookID: id, OrganizationID: meta.OrganizationID, Environment: meta.Environment,
		URL: "https://hooks.example/" + id, Events: events, Secret: "ciphertext", At: w.at(),
	}}, meta)
}

func (w *world) abandon(id string, n int) {
	for i := range n {
		w.tell(webhook.Stream(id), webhook.RecordDelivery{DeliveryID: fmt.Sprint(id, i), Now: w.at()}, domain.Meta{})
	}
}

// last is the position of the newest event.
func (w *world) last() uint64 { return w.log[len(w.log)-1].Position }

// An event goes to the endpoints as they stood at its position, whatever
// became of them since.
func TestSubscribedAsOfAPosition(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	w.register("whk_all", owner(0))
	one := w.last()
	w.register("whk_some", owner(0), "test.completed", "test.failed")
	w.register("whk_sandbox", owner(2))
	w.register("whk_other", owner(1))
	two := w.last()
	w.abandon("whk_all", 10)
	disabled := w.log[len(w.log)-2].Position // the warning comes after it
	w.tell(webhook.Stream("whk_all"), webhook.Delete{Now: w.at()}, owner(0))
	deleted := w.last()
	w.tell(webhook.Stream("whk_some"), webhook.Delete{Now: w.at()}, owner(0))
	fill(t, pool, webhooks.Projection, w.log)

	all, some := webhooks.Endpoint{ID: "whk_all", Status: webhook.Enabled}, webhooks.Endpoint{ID: "whk_some", Status: webhook.Enabled}
	off := webhooks.Endpoint{ID: "whk_all", Status: webhook.StatusDisabled}
	for _, c := range []struct {
		when     string
		position uint64
		event    string
		owner    projections.Owner
		want     []webhooks.Endpoint
	}{
		{"before anything", one - 1, "test.completed", org0, []webhooks.Endpoint{}},
		{"from its own position on", one, "test.completed", org0, []webhooks.Endpoint{all}},
		{"both", two, "test.completed", org0, []webhooks.Endpoint{all, some}},
		{"an event that one is not subscribed to", two, "test.progress", org0, []webhooks.Endpoint{all}},
		{"just before it was disabled", disabled - 1, "test.completed", org0, []webhooks.Endpoint{all, some}},
		{"disabled", disabled, "test.completed", org0, []webhooks.Endpoint{off, some}},
		{"just before it was deleted", deleted - 1, "test.progress", org0, []webhooks.Endpoint{off}},
		{"deleted", deleted, "test.completed", org0, []webhooks.Endpoint{some}},
		{"all deleted", deleted + 1_000_000, "test.completed", org0, []webhooks.Endpoint{}},
		{
			"another environment", deleted, "test.started", projections.Owner{OrganizationID: "org_0", Environment: domain.Sandbox},
			[]webhooks.Endpoint{{ID: "whk_sandbox", Status: webhook.Enabled}},
		},
		{
			"another organization", deleted, "test.started", projections.Owner{OrganizationID: "org_1", Environment: domain.Live},
			[]webhooks.Endpoint{{ID: "whk_other", Status: webhook.Enabled}},
		},
	} {
		got, err := webhooks.Subscribed(testContext(t), pool, c.owner, c.event, c.position)
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.when, c.want, got)
	}
}

func TestWebhookDocuments(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	w.register("whk_1", owner(0), "test.failed")
	w.register("whk_2", owner(0))
	w.abandon("whk_2", 10)
	w.register("whk_3", owner(0))
	w.tell(webhook.Stream("whk_3"), webhook.Delete{Now: w.at()}, owner(0))
	fill(t, pool, webhooks.Projection, w.log)
	ctx := testContext(t)

	doc, err := webhooks.Get(ctx, pool, "whk_2", org0)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(doc.JSON, &got); err != nil {
		t.Fatal(err)
	}
	if got["status"] != "disabled" || got["consecutive_failures"] != 10.0 || got["disabled_at"] == nil || len(got["events"].([]any)) != 6 {
		t.Errorf("a disabled endpoint of all events is %s", doc.JSON)
	}
	if _, shown := got["secret"]; shown {
		t.Errorf("the secret is shown: %s", doc.JSON)
	}
	_, err = webhooks.Get(ctx, pool, "whk_3", org0)
	if domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("a deleted endpoint: %v", err)
	}
	page, more, err := webhooks.List(ctx, pool, org0, projections.Created{}, "", 10)
	if err != nil || more {
		t.Fatal(more, err)
	}
	same(t, "endpoints, newest first", []string{"whk_2", "whk_1"}, idsOf(page))
}
