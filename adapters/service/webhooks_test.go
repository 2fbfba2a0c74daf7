package service_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/test/patience"
)

const receiver = "https://hooks.example/"

// hook makes an endpoint of alice's.
func (w *world) hook(secret string) string {
	w.t.Helper()
	id := newID(domain.PrefixWebhook)
	_, err := w.RegisterWebhook(w.ctx, call(alice, id), id, service.NewWebhook{URL: receiver, Secret: secret})
	w.must(err)
	return id
}

func TestASecretIsShownOnceAndStaysTheRecordedOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := newID(domain.PrefixWebhook)
	register := func(secret string) service.WithSecret {
		got, err := w.RegisterWebhook(w.ctx, call(alice, id), id, service.NewWebhook{URL: receiver, Secret: secret})
		w.must(err)
		return got
	}
	if got := register(""); got.Secret != "whsec_made" {
		t.Errorf("it was given %q", got.Secret)
	}
	if got := register("another of a second try"); got.Secret != "whsec_made" {
		t.Errorf("tried again it was given %q", got.Secret)
	}
	_, err := w.RegisterWebhook(w.ctx, call(alice, "denied"), newID(domain.PrefixWebhook), service.NewWebhook{URL: w.denied})
	w.refused(err, domain.CodeTargetNotAllowed)

	_, err = w.RotateSecret(w.ctx, call(alice, "r0"), id, "rot_0", "whsec_made")
	w.at(err, "secret")
	for range 2 { // told again, it is the same rotation
		rotated, err := w.RotateSecret(w.ctx, call(alice, "r1"), id, "rot_1", "whsec_second")
		w.must(err)
		if rotated.Secret != "whsec_second" {
			t.Errorf("rotated to %q", rotated.Secret)
		}
	}
	_, err = w.RotateSecret(w.ctx, call(alice, "r2"), id, "rot_2", "")
	w.refused(err, domain.CodeWrongState)
	_, err = w.PromoteSecret(w.ctx, call(alice, "p"), id)
	w.must(err)
}

func TestAnEndpointIsItsOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, url := w.hook(""), w.denied
	for name, act := range map[string]func(service.Call) error{
		"change": func(c service.Call) error {
			_, err := w.ChangeWebhook(w.ctx, c, id, service.WebhookChange{})
			return err
		},
		"enable":  func(c service.Call) error { _, err := w.EnableWebhook(w.ctx, c, id); return err },
		"rotate":  func(c service.Call) error { _, err := w.RotateSecret(w.ctx, c, id, "rot_1", ""); return err },
		"promote": func(c service.Call) error { _, err := w.PromoteSecret(w.ctx, c, id); return err },
		"ping": func(c service.Call) error {
			_, err := w.PingWebhook(w.ctx, c, id, newID(domain.PrefixDelivery))
			return err
		},
		"replay": func(c service.Call) error {
			_, err := w.ReplayRange(w.ctx, c, id, "rpl_1", service.NewReplay{})
			return err
		},
		"delete": func(c service.Call) error { return w.DeleteWebhook(w.ctx, c, id) },
	} {
		for _, p := range []service.Principal{mallory, sandbox} {
			if err := act(call(p, name)); domain.CodeOf(err) != domain.CodeNotFound {
				t.Errorf("%s by %s: %v", name, p.KeyID, err)
			}
		}
	}
	_, err := w.ChangeWebhook(w.ctx, call(alice, "c1"), id, service.WebhookChange{URL: &url})
	w.refused(err, domain.CodeTargetNotAllowed)
	w.must(w.DeleteWebhook(w.ctx, call(alice, "d"), id))
	_, err = w.Webhook(w.ctx, alice, id)
	w.refused(err, domain.CodeNotFound)
	// What there was of it can still be seen.
	if page, err := w.Events(w.ctx, alice, id, service.History{Limit: 1}); err != nil || len(page.Events) != 1 || page.Next == nil || *page.Next != 1 {
		t.Errorf("its history is %+v, %v", page, err)
	}
}

func TestWhatTheSenderSendsAndRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sending := service.NewSending(w.Streams, w.Reads, sealing{}, true)
	id := w.hook("whsec_first")
	ping := newID(domain.PrefixDelivery)
	_, err := w.PingWebhook(w.ctx, call(alice, ping), id, ping)
	w.must(err)
	next, _, err := sending.Next(w.ctx, ping, 0, true)
	w.must(err)
	if next == nil || next.URL != receiver || next.Secret != "whsec_first" || next.Previous != "" || next.Number != 1 {
		t.Fatalf("it sends %+v", next)
	}
	_, err = w.RotateSecret(w.ctx, call(alice, "r"), id, "rot_1", "whsec_second")
	w.must(err)
	next, _, err = sending.Next(w.ctx, ping, 0, true)
	w.must(err)
	if next.Secret != "whsec_second" || next.Previous != "whsec_first" {
		t.Errorf("during a rotation it signs with %q and %q", next.Secret, next.Previous)
	}
	outcome := delivery.RecordAttempt{Attempt: 1, Delivered: true, StatusCode: 204, Now: domain.At(time.Now())}
	first, err := sending.Record(w.ctx, next.Scheduled, outcome)
	w.must(err)
	if again, err := sending.Record(w.ctx, next.Scheduled, outcome); err != nil || again != first {
		t.Errorf("recorded again at %d, %v; first at %d", again, err, first)
	}
	if after, position, err := sending.Next(w.ctx, ping, 0, true); err != nil || after != nil || position < first {
		t.Errorf("after its end it sends %+v at %d, %v", after, position, err)
	}
}

// TestWhoReceivesADeliveryMayAskForIt: also before the read model has it.
func TestWhoReceivesADeliveryMayAskForIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	endpoint, err := w.Streams.Webhooks.Load(w.ctx, webhook.Stream(w.hook("")))
	w.must(err)
	behind, err := w.Pool.Begin(w.ctx)
	w.must(err)
	model := deliveries.Projection
	_, err = behind.Exec(w.ctx, "SELECT position FROM "+projections.PostgresSchema(model.Name, model.Version)+".projector FOR UPDATE")
	w.must(err)
	id := newID(domain.PrefixDelivery)
	ping, err := process.Ping(id, endpoint.State.Webhook, domain.At(time.Now()))
	w.must(err)
	asked := call(alice, id)
	_, err = w.Streams.Deliveries.Handle(w.ctx, asked.CommandID, delivery.Stream(id), ping, asked.Meta)
	w.must(err)
	_, err = w.Reads.Delivery(w.ctx, alice, id)
	w.refused(err, domain.CodeNotFound)
	short, cancel := context.WithTimeout(w.ctx, 100*time.Millisecond)
	defer cancel()
	_, err = w.Delivery(short, alice, id)
	w.refused(err, domain.CodeUnavailable)
	w.must(behind.Rollback(w.ctx))
	_, err = w.Delivery(w.ctx, alice, id)
	w.must(err)
	_, err = w.Delivery(w.ctx, alice, newID(domain.PrefixDelivery))
	w.refused(err, domain.CodeNotFound)
}

// TestAnAttemptOfAnotherReleaseIsNotMadeAgain: beside a process of another release, whose
// worklist is another read model, a lease says nothing of how far this one's is.
func TestAnAttemptOfAnotherReleaseIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	here := service.NewSending(w.Streams, w.Reads, sealing{}, true)
	other := service.NewSending(service.NewStreams(w.store), w.Reads, sealing{}, true)
	id := newID(domain.PrefixDelivery)
	_, err := w.Streams.Deliveries.Handle(w.ctx, domain.DeriveUUID(id), delivery.Stream(id), delivery.Schedule{Delivery: delivery.Scheduled{
		DeliveryID: id, WebhookID: w.hook(""), OrganizationID: alice.OrganizationID, Environment: alice.Environment,
		EventName: "test.failed", TestID: "test_1", Body: "{}", At: domain.At(time.Now()),
	}}, domain.Meta{})
	w.must(err)
	next, _, err := here.Next(w.ctx, id, 0, true)
	w.must(err)
	_, err = here.Record(w.ctx, next.Scheduled, delivery.RecordAttempt{Attempt: 1, StatusCode: 503, Now: domain.At(time.Now())})
	w.must(err)
	second, err := other.Record(w.ctx, next.Scheduled, delivery.RecordAttempt{Attempt: 2, Delivered: true, StatusCode: 204, Now: domain.At(time.Now())})
	w.must(err)
	if next, position, err := here.Next(w.ctx, id, 1, true); err != nil || next != nil || position < second {
		t.Errorf("it sends %+v at %d, %v", next, position, err)
	}
}

func TestADeletedEndpointIsSentNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, shared := range []bool{true, false} {
		sending := service.NewSending(w.Streams, w.Reads, sealing{}, shared)
		id, ping := w.hook(""), newID(domain.PrefixDelivery)
		_, err := w.PingWebhook(w.ctx, call(alice, ping), id, ping)
		w.must(err)
		if next, _, err := sending.Next(w.ctx, ping, 0, true); err != nil || next == nil { // what this process has kept of it
			t.Fatalf("before, it sends %+v, %v", next, err)
		}
		w.must(w.DeleteWebhook(w.ctx, call(alice, "d"+ping), id))
		next, position, err := sending.Next(w.ctx, ping, 0, true)
		if err != nil || next != nil || position == 0 {
			t.Fatalf("it sends %+v, %v", next, err)
		}
		state, err := w.Streams.Deliveries.Load(w.ctx, delivery.Stream(ping))
		if err != nil || state.State.Status != delivery.StatusSkipped {
			t.Errorf("the delivery is %s, %v", state.State.Status, err)
		}
	}
}

// A process that was paused may schedule what another one has long delivered: nothing
// of it is sent again.
func TestWhatAnotherProcessHasDeliveredIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sending := service.NewSending(w.Streams, w.Reads, sealing{}, true)
	id, d := w.hook(""), newID(domain.PrefixDelivery)
	schedule := domain.Envelope{ID: domain.DeriveUUID(d), Stream: delivery.Stream(d), Command: delivery.Schedule{Delivery: delivery.Scheduled{
		DeliveryID: d, WebhookID: id, OrganizationID: alice.OrganizationID, Environment: alice.Environment, EventName: "test.started", TestID: "test_1", Body: "{}",
	}}}
	elsewhere := service.NewStreams(w.store)
	_, err := elsewhere.Schedule(w.ctx, schedule)
	w.must(err)
	delivered, err := service.NewSending(elsewhere, w.Reads, sealing{}, true).
		Record(w.ctx, delivery.Scheduled{DeliveryID: d}, delivery.RecordAttempt{Attempt: 1, Delivered: true, StatusCode: 200, Now: domain.At(time.Now())})
	w.must(err)
	_, err = w.Streams.Schedule(w.ctx, schedule)
	w.must(err)
	if next, position, err := sending.Next(w.ctx, d, 0, false); err != nil || next != nil || position < delivered {
		t.Errorf("it sends %+v at %d, %v", next, position, err)
	}
}

// A change whose answer this process has not got, as one that was recorded after the
// wait for it was given up, counts as soon as the log tells it.
func TestALostChangeOfAnEndpointCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sending := service.NewSending(w.Streams, w.Reads, sealing{}, false)
	ctx, end := context.WithCancel(w.ctx)
	followed := make(chan error, 1)
	go func() { followed <- sending.Follow(ctx) }()
	t.Cleanup(func() {
		end()
		w.must(<-followed)
	})
	id, ping := w.hook(""), newID(domain.PrefixDelivery)
	_, err := w.PingWebhook(w.ctx, call(alice, ping), id, ping)
	w.must(err)
	sends := func() *service.Attempt {
		next, _, err := sending.Next(w.ctx, ping, 0, true)
		w.must(err)
		return next
	}
	if next := sends(); next == nil || next.URL != receiver {
		t.Fatalf("before, it sends %+v", next)
	}
	elsewhere := service.NewStreams(w.store).Webhooks
	for number := 0; w.ctx.Err() == nil; number++ { // until following has begun
		url := fmt.Sprint(receiver, number)
		_, err = elsewhere.Handle(w.ctx, domain.DeriveUUID(id, url), webhook.Stream(id), webhook.Change{URL: &url, Now: domain.At(time.Now())}, domain.Meta{})
		w.must(err)
		if patience.Until(w.ctx, time.Second, func() bool { return sends().URL == url }) == nil {
			return
		}
	}
	t.Error("the change never counted")
}

func TestReplaysSelectWhatTheyCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.hook("")
	at := domain.At(time.Now().Add(-time.Minute))
	var sources []string
	for range 3 { // two of them abandoned
		source := newID(domain.PrefixDelivery)
		sources = append(sources, source)
		scheduled := delivery.Scheduled{
			DeliveryID: source, WebhookID: id, OrganizationID: alice.OrganizationID, Environment: alice.Environment,
			EventName: "test.failed", TestID: "test_1", Body: "{}", At: at,
		}
		commands := []delivery.Command{delivery.Schedule{Delivery: scheduled}}
		for attempt := 1; attempt <= len(delivery.Backoff)+1 && len(sources) < 3; attempt++ {
			commands = append(commands, delivery.RecordAttempt{Attempt: attempt, StatusCode: 503, Now: at})
		}
		for _, c := range commands {
			result, err := w.Streams.Deliveries.Handle(w.ctx, domain.DeriveUUID(newID("cmd")), delivery.Stream(source), c, domain.Meta{})
			w.must(err)
			w.must(w.Positions.Wait(w.ctx, "deliveries", result.Position))
		}
	}
	preview, err := w.ReplayRange(w.ctx, call(alice, "p"), id, "rpl_0", service.NewReplay{Which: webhook.Undelivered, Preview: true})
	if err != nil || preview.Count != 2 || preview.ID != nil {
		t.Errorf("the preview is %+v, %v", preview, err)
	}
	for range 2 { // told again, it is the same replay
		replay, err := w.ReplayRange(w.ctx, call(alice, "r"), id, "rpl_1", service.NewReplay{Which: webhook.Undelivered})
		if err != nil || replay.Count != 2 || replay.ID == nil || *replay.ID != "rpl_1" {
			t.Errorf("the replay is %+v, %v", replay, err)
		}
	}
	_, err = w.ReplayRange(w.ctx, call(alice, "old"), id, "rpl_2", service.NewReplay{Which: webhook.All, From: time.Now().Add(-100 * time.Hour)})
	w.at(err, "from")

	again := newID(domain.PrefixDelivery)
	_, err = w.ReplayDelivery(w.ctx, call(mallory, again), sources[0], again)
	w.refused(err, domain.CodeNotFound)
	_, err = w.ReplayDelivery(w.ctx, call(alice, again), sources[0], again)
	w.must(err)
	_, err = w.ReplayDelivery(w.ctx, call(alice, "pending"), sources[2], newID(domain.PrefixDelivery))
	w.refused(err, domain.CodeWrongState)
	page, err := w.Deliveries(w.ctx, alice, service.Query{WebhookID: id, Limit: 3})
	if err != nil || len(page.Items) != 3 || page.Next == "" || page.Items[0].ID != again {
		t.Errorf("its deliveries are %+v, %v", page, err)
	}
}
