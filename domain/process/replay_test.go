package process_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/notice"
	"understudy/domain/process"
	"understudy/domain/webhook"
)

var endpoint = webhook.State{Status: webhook.Enabled, Webhook: webhook.Registered{
	WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Sandbox, Secret: "ciphertext",
}}

func ended(status delivery.Status) delivery.State {
	return delivery.State{Status: status, Attempts: 4, Delivery: delivery.Scheduled{
		DeliveryID: "dlv_1", WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Sandbox,
		EventName: "test.completed", TestID: "test_1", Body: `{"a" : "<1>"}`, At: domain.At(begin),
	}}
}

func TestReplaysOfOneDelivery(t *testing.T) {
	t.Parallel()
	const window = 72 * time.Hour
	of := func(change func(*delivery.State)) delivery.State {
		s := ended(delivery.StatusAbandoned)
		change(&s)
		return s
	}
	off, gone := endpoint, endpoint
	off.Status, gone.Status = webhook.StatusDisabled, webhook.StatusDeleted
	for _, c := range []struct {
		name    string
		source  delivery.State
		to      webhook.State
		after   time.Duration
		refused domain.Code
	}{
		{"abandoned", ended(delivery.StatusAbandoned), endpoint, time.Hour, ""},
		{"skipped", ended(delivery.StatusSkipped), endpoint, time.Hour, ""},
		{"delivered", ended(delivery.StatusDelivered), endpoint, time.Hour, ""},
		{"exactly 72 hours old", ended(delivery.StatusSkipped), endpoint, window, ""},
		{"a millisecond older", ended(delivery.StatusSkipped), endpoint, window + time.Millisecond, domain.CodeTooOld},
		{"under way", ended(delivery.Pending), endpoint, time.Hour, domain.CodeWrongState},
		{"a ping", of(func(s *delivery.State) { s.Delivery.Ping = true }), endpoint, time.Hour, domain.CodeWrongState},
		{"nothing", delivery.State{}, endpoint, time.Hour, domain.CodeNotFound},
		{"to a disabled endpoint", ended(delivery.StatusSkipped), off, time.Hour, domain.CodeWrongState},
		{"to a deleted one", ended(delivery.StatusSkipped), gone, time.Hour, domain.CodeWrongState},
	} {
		now := domain.At(begin.Add(c.after))
		got, err := process.Replay("dlv_2", c.source, c.to, now)
		if domain.CodeOf(err) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.refused != "" {
			continue
		}
		want := c.source.Delivery
		want.DeliveryID, want.ReplayOf, want.MessageID, want.At = "dlv_2", "dlv_1", "dlv_1", now
		if diff := cmp.Diff(delivery.Schedule{Delivery: want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// However often a message is replayed, receivers know it by the first id.
func TestReplaysOfReplays(t *testing.T) {
	t.Parallel()
	source := ended(delivery.StatusAbandoned)
	for _, id := range []string{"dlv_2", "dlv_3", "dlv_4"} {
		made, err := process.Replay(id, source, endpoint, domain.At(begin))
		if err != nil {
			t.Fatal(err)
		}
		if d := made.Delivery; d.Message() != "dlv_1" || d.ReplayOf != source.Delivery.DeliveryID || d.Body != source.Delivery.Body {
			t.Errorf("%+v", d)
		}
		source = delivery.State{Status: delivery.StatusAbandoned, Delivery: made.Delivery}
	}
}

// A replay of many makes the same deliveries however often it is begun anew.
func TestAReplayThatBeginsAnewMakesTheSame(t *testing.T) {
	t.Parallel()
	request := recorded(webhook.Stream("whk_1"), webhook.ReplayRequested{ReplayID: "rpl_1", Which: webhook.All})
	source := ended(delivery.StatusAbandoned).Delivery
	first, again := process.ReplayEach(request, source), process.ReplayEach(request, source)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Error(diff)
	}
	made := first.Command.(delivery.Schedule).Delivery
	if first.Stream != delivery.Stream(made.DeliveryID) || made.DeliveryID == source.DeliveryID || made.Message() != "dlv_1" || made.At.String() != domain.At(begin).String() {
		t.Errorf("%+v", made)
	}
	other := source
	other.DeliveryID = "dlv_9"
	if process.ReplayEach(request, other).Stream == first.Stream {
		t.Error("two deliveries become one")
	}
	request.ID = domain.DeriveUUID("another request")
	if process.ReplayEach(request, source).Stream == first.Stream {
		t.Error("two replays become one")
	}
}

func TestPingsHaveTheEnvelopeOfEvents(t *testing.T) {
	t.Parallel()
	ping, err := process.Ping("dlv_1", endpoint.Webhook, domain.At(begin))
	if err != nil {
		t.Fatal(err)
	}
	want := delivery.Schedule{Delivery: delivery.Scheduled{
		DeliveryID: "dlv_1", WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Sandbox, EventName: "ping", Ping: true,
		Body: `{"event":"ping","test_id":"","timestamp":"2026-03-14T09:00:00.123Z","data":{"message":` +
			`"This is a ping. If its signature is right, the endpoint is ready for events.","webhook_id":"whk_1"}}`,
		At: domain.At(begin),
	}}
	if diff := cmp.Diff(want, ping); diff != "" {
		t.Error(diff)
	}
}

func TestPingsDoNotCount(t *testing.T) {
	t.Parallel()
	for _, e := range []domain.Event{
		delivery.Delivered{WebhookID: "whk_1", Ping: true}, delivery.Abandoned{WebhookID: "whk_1", Ping: true},
		delivery.Skipped{WebhookID: "whk_1"},
	} {
		if c, counted := process.CountDelivery(recorded(delivery.Stream("dlv_1"), e)); counted {
			t.Errorf("%+v: %+v", e, c)
		}
	}
}

func TestOwnersAreTold(t *testing.T) {
	t.Parallel()
	for consecutive, disabled := range map[int]bool{5: false, 7: false, 10: true} {
		e := recorded(webhook.Stream("whk_1"), webhook.OwnerWarned{Consecutive: consecutive})
		c, ok := process.NotifyOwner(e)
		request, is := c.Command.(notice.Request)
		if !ok || !is {
			t.Fatalf("%+v", c)
		}
		n := request.Notice
		if c.Stream != notice.Stream(n.NoticeID) || n.WebhookID != "whk_1" || n.OrganizationID != "org_1" || n.Consecutive != consecutive || n.Disabled != disabled {
			t.Errorf("%+v", n)
		}
		if again, _ := process.NotifyOwner(e); again.ID != c.ID || again.Stream != c.Stream {
			t.Error("told again it is another notice")
		}
	}
	if _, ok := process.NotifyOwner(recorded(webhook.Stream("whk_1"), webhook.Disabled{Consecutive: 10})); ok {
		t.Error("an owner is told twice of one end")
	}
}
