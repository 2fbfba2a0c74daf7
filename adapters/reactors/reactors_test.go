package reactors_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/adapters/postgres/pgtest"
	"understudy/adapters/reactors"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/notice"
	"understudy/domain/process"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/eventstore/storetest"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/projections/webhooks"
)

// nobody is subscribed to anything.
type nobody struct{}

func (nobody) Subscribed(context.Context, projections.Owner, string, uint64) ([]webhooks.Endpoint, error) {
	return nil, nil
}

func (nobody) Shown(context.Context, uint64) error { return nil }

// nothing is selected by any replay.
type nothing struct{}

func (nothing) Page(context.Context, deliveries.Replay, string, int) ([]string, error) {
	return nil, nil
}

func (nothing) Waiting(context.Context, domain.Recorded, string, int) ([]string, error) {
	return nil, nil
}

func (nothing) Scheduled(context.Context, string) (delivery.Scheduled, error) {
	return delivery.Scheduled{}, errors.New("nothing was selected")
}

func created(testID string, sessions int) testrun.Created {
	return testrun.Created{
		TestID: testID, OrganizationID: "org_1", Environment: domain.Live, URL: "https://shop.example/", Task: "buy a lamp",
		Sessions: sessions, Model: "forager-2", Personas: testrun.Personas{Source: "auto-diverse"}, Criteria: []string{"task_completion"},
		Viewports: []string{"desktop", "mobile"}, Seed: 7, MaxSteps: 25, Gate: testrun.Gate{Threshold: 0.7}, CreatedAt: begin, EstimatedCompletion: begin,
	}
}

func started(sessions int) testrun.Started {
	return testrun.Started{URL: "https://shop.example/", Task: "buy a lamp", SessionsTotal: sessions, At: begin}
}

// cast are the streams of a test's sessions and how each begins.
func (l *eventLog) cast(testID string) (streams []string, queued []session.Queued) {
	l.t.Helper()
	first := l.stream(testrun.Stream(testID))[0]
	test := first.Event.(testrun.Created)
	c, err := process.NewCast(test)
	if err != nil {
		l.t.Fatal(err)
	}
	for i := range test.Sessions {
		q := c.Session(i, first)
		streams, queued = append(streams, session.Stream(q.SessionID)), append(queued, q)
	}
	return streams, queued
}

func eventsOf(recorded []domain.Recorded) (events []domain.Event) {
	for _, r := range recorded {
		events = append(events, r.Event)
	}
	return events
}

func expect(t *testing.T, what string, got []domain.Recorded, want ...domain.Event) {
	t.Helper()
	if diff := cmp.Diff(want, eventsOf(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestAStartedTestGetsItsSessions(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.record("testrun-test_1", created("test_1", 5))
	r := reactorsOf(l, nil)
	stop := run(t, r)
	cause := l.record("testrun-test_1", started(5))
	streams, queued := l.cast("test_1")
	for i, stream := range streams {
		got := l.await(stream, 1)
		expect(t, fmt.Sprint("session ", i), got, queued[i])
		if m := got[0].Meta; m.CausationID != cause.ID.String() || m.CorrelationID != "c1" || m.OrganizationID != "org_1" || m.Actor != "process" {
			t.Errorf("session %d was made by %+v", i, m)
		}
	}
	l.settledTwice(r, stop)
}

func TestATestWhosePersonasAreGoneFails(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	test := created("test_1", 2)
	test.Personas = testrun.Personas{Source: "pack", PackID: "a pack of before"}
	l.record("testrun-test_1", test, started(2))
	l.record("testrun-test_2", created("test_2", 1), started(1))
	r := reactorsOf(l, nil)
	stop := run(t, r)
	got := l.await("testrun-test_1", 3)
	if failed, ok := got[2].Event.(testrun.Failed); !ok || failed.Code != testrun.PersonasUnavailable || failed.SessionsTotal != 2 {
		t.Errorf("the test went on with %+v", got[2].Event)
	}
	streams, _ := l.cast("test_2")
	l.await(streams[0], 1) // and held up no other
	l.settledTwice(r, stop)
}

func TestACancelledTestEndsEverySessionThatHasNotEnded(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.record("testrun-test_1", created("test_1", 4), started(4))
	streams, queued := l.cast("test_1")
	ended := session.Failed{TestID: "test_1", Index: 1, Attempt: 1, Code: "browser_died", At: begin}
	l.record(streams[0], queued[0])
	l.record(streams[1], queued[1], session.Started{TestID: "test_1", Attempt: 1, Worker: "w", At: begin}, ended)
	l.record("testrun-test_1", testrun.SessionEnded{SessionID: queued[1].SessionID, Index: 1, At: begin})
	l.record("testrun-test_1", testrun.Cancelled{SessionsCompleted: 1, SessionsFailed: 1, SessionsTotal: 4, At: begin})
	r := reactorsOf(l, nil)
	stop := run(t, r)
	for _, i := range []int{0, 2, 3} { // one that waits, and two that were never made
		got := l.await(streams[i], 2)
		end, ok := got[1].Event.(session.Cancelled)
		if !ok || end.TestID != "test_1" || len(got) != 2 {
			t.Errorf("session %d: %+v", i, eventsOf(got))
		}
		expect(t, "its begin", got[:1], queued[i])
	}
	l.settledTwice(r, stop)
	if got := l.stream(streams[1]); len(got) != 3 {
		t.Errorf("a session that had ended: %+v", eventsOf(got))
	}
}

// Making many sessions holds up neither a cancellation nor a message.
func TestNoReactorWaitsForAnother(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.record("testrun-test_1", created("test_1", 3), started(3))
	l.record("testrun-test_2", created("test_2", 1), testrun.Cancelled{SessionsTotal: 1, At: begin})
	released := make(chan struct{})
	r := reactorsOf(l, func(r *reactors.Reactors) {
		r.Endpoints = everybody{"whk_1"}
		r.Commands.(*commands).before = func(ctx context.Context, e domain.Envelope) error {
			if _, making := e.Command.(session.Queue); !making {
				return nil
			}
			select {
			case <-released:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	stop := run(t, r)
	cancelled, _ := l.cast("test_2")
	l.await(cancelled[0], 2)
	l.await(delivery.Stream(process.DeliveryID(l.stream("testrun-test_1")[1], "whk_1")), 1)
	made, _ := l.cast("test_1")
	for _, stream := range made {
		if n := len(l.stream(stream)); n != 0 {
			t.Errorf("%s has %d events", stream, n)
		}
	}
	if at := r.Checkpoints.(*checkpoints).of("session-creation"); at >= l.stream("testrun-test_1")[1].Position {
		t.Errorf("the checkpoint is %d, past a reaction that is under way", at)
	}
	close(released)
	for _, stream := range made {
		l.await(stream, 1)
	}
	l.settledTwice(r, stop)
}

func TestEveryEndingIsCountedOnce(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.record("testrun-test_1", created("test_1", 2), started(2))
	streams, queued := l.cast("test_1")
	r := reactorsOf(l, nil)
	stop := run(t, r)
	for i, stream := range streams {
		l.await(stream, 1)
		l.record(stream, session.Started{TestID: "test_1", Attempt: 1, Worker: "w", At: begin},
			session.Failed{TestID: "test_1", Index: i, Attempt: 1, Code: "browser_died", At: begin})
	}
	storetest.Eventually(t, "both endings", func() bool {
		n := 0
		for _, e := range l.stream("testrun-test_1") {
			if _, ok := e.Event.(testrun.SessionEnded); ok {
				n++
			}
		}
		return n == 2
	})
	l.settledTwice(r, stop)
	counted := map[string]int{}
	for _, e := range l.stream("testrun-test_1") {
		if end, ok := e.Event.(testrun.SessionEnded); ok {
			counted[end.SessionID]++
		}
	}
	if diff := cmp.Diff(map[string]int{queued[0].SessionID: 1, queued[1].SessionID: 1}, counted); diff != "" {
		t.Errorf("endings counted (-want +got):\n%s", diff)
	}
}

// everybody are endpoints that are subscribed to everything, always.
type everybody []string

func (ids everybody) Subscribed(context.Context, projections.Owner, string, uint64) (all []webhooks.Endpoint, err error) {
	for _, id := range ids {
		all = append(all, webhooks.Endpoint{ID: id, Status: webhook.Enabled})
	}
	return all, nil
}

func (everybody) Shown(context.Context, uint64) error { return nil }

// shown are the endpoints of the real read model, once it has come as far.
type shown struct {
	pool      projections.Querier
	positions *projections.Positions
}

func (s shown) Subscribed(ctx context.Context, owner projections.Owner, event string, position uint64) ([]webhooks.Endpoint, error) {
	if err := s.positions.Wait(ctx, webhooks.Projection.Name, position); err != nil {
		return nil, err
	}
	return webhooks.Subscribed(ctx, s.pool, owner, event, position)
}

func (shown) Shown(context.Context, uint64) error { return nil }

// Who was subscribed when it happened is told, whatever became of the endpoints
// until it is sent: the reactors begin when all of that is long past.
func TestFanOutTellsWhoWasSubscribedThen(t *testing.T) {
	t.Parallel()
	l, pool := newLog(t), pgtest.Pool(t)
	register := func(id string, events ...string) {
		l.record(webhook.Stream(id), webhook.Registered{
			WebhookID: id, OrganizationID: "org_1", Environment: domain.Live, URL: "https://hooks.example/" + id,
			Events: events, Secret: "ciphertext", At: begin,
		})
	}
	l.record("testrun-test_1", created("test_1", 1))
	register("whk_all")
	register("whk_other", "test.completed")
	register("whk_deleted")
	register("whk_disabled")
	register("whk_changed", "test.started")
	l.record(webhook.Stream("whk_disabled"), webhook.Disabled{Consecutive: 10, At: begin})
	l.record(webhook.Stream("whk_deleted"), webhook.Deleted{At: begin})
	cause := l.record("testrun-test_1", started(1))
	register("whk_late")
	l.record(webhook.Stream("whk_changed"), webhook.Changed{URL: "https://hooks.example/", Events: []string{"test.failed"}, At: begin})
	l.record(webhook.Stream("whk_other"), webhook.Changed{URL: "https://hooks.example/", Events: []string{"test.started"}, At: begin})
	l.record(webhook.Stream("whk_all"), webhook.Disabled{Consecutive: 10, At: begin})

	if err := projections.Prepare(l.context(), pool, webhooks.Projection); err != nil {
		t.Fatal(err)
	}
	positions := projections.NewPositions()
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		p := &projections.Projector{Projection: webhooks.Projection, Pool: pool, Log: l.store, Positions: positions, Logger: slog.New(slog.DiscardHandler)}
		ended <- p.Run(ctx)
	}()
	t.Cleanup(func() {
		end()
		if err := storetest.Wait(t, "the end of the projector", ended); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	r := reactorsOf(l, func(r *reactors.Reactors) { r.Endpoints = shown{pool, positions} })
	stop := run(t, r)

	of := func(webhookID string) string { return delivery.Stream(process.DeliveryID(cause, webhookID)) }
	message, _ := process.Publish(cause, links{})
	body, err := process.Body(message, domain.At(cause.Time))
	if err != nil {
		t.Fatal(err)
	}
	scheduled := func(webhookID string) delivery.Scheduled {
		return delivery.Scheduled{
			DeliveryID: process.DeliveryID(cause, webhookID), WebhookID: webhookID, OrganizationID: "org_1", Environment: domain.Live,
			EventName: "test.started", TestID: "test_1", Body: body, At: domain.At(cause.Time),
		}
	}
	expect(t, "to all events", l.await(of("whk_all"), 1), scheduled("whk_all"))
	expect(t, "to one that has changed since", l.await(of("whk_changed"), 1), scheduled("whk_changed"))
	expect(t, "to a disabled one", l.await(of("whk_disabled"), 2), scheduled("whk_disabled"),
		delivery.Skipped{WebhookID: "whk_disabled", Reason: "disabled", At: domain.At(cause.Time)})
	l.settledTwice(r, stop)
	for _, id := range []string{"whk_other", "whk_deleted", "whk_late"} {
		if got := l.stream(of(id)); len(got) != 0 {
			t.Errorf("%s was told: %+v", id, eventsOf(got))
		}
	}
}

// failedDeliveries records n deliveries to an endpoint that are abandoned.
func (l *eventLog) failedDeliveries(webhookID string, n int) {
	for i := range n {
		id := fmt.Sprint("dlv_", i)
		l.record(delivery.Stream(id), delivery.Scheduled{
			DeliveryID: id, WebhookID: webhookID, OrganizationID: "org_1", Environment: domain.Live,
			EventName: "test.started", TestID: "test_1", Body: "{}", At: begin,
		}, delivery.Abandoned{WebhookID: webhookID, Attempts: 4, At: begin})
	}
}

func TestAnEndpointThatFailsIsDisabledAndItsOwnerTold(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.record("webhook-whk_1", webhook.Registered{
		WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Live, URL: "https://hooks.example/", Secret: "ciphertext", At: begin,
	})
	l.failedDeliveries("whk_1", webhook.DisableAfter+2)
	r := reactorsOf(l, nil)
	stop := run(t, r)
	// Registered, ten failures, disabled, and a warning at 5, 7 and 10.
	all := l.await("webhook-whk_1", 1+webhook.DisableAfter+1+len(webhook.WarnAt))
	var warned []int
	var notices []notice.Requested
	for _, e := range all {
		w, ok := e.Event.(webhook.OwnerWarned)
		if !ok {
			continue
		}
		warned = append(warned, w.Consecutive)
		id := domain.DeriveID(domain.PrefixNotice, e.Time, e.ID.String())
		notices = append(notices, l.await(notice.Stream(id), 1)[0].Event.(notice.Requested))
	}
	if !slices.Equal(warned, webhook.WarnAt[:]) {
		t.Errorf("the owner is warned at %v failures", warned)
	}
	for i, n := range notices {
		if n.WebhookID != "whk_1" || n.OrganizationID != "org_1" || n.Consecutive != warned[i] || n.Disabled != (warned[i] == webhook.DisableAfter) {
			t.Errorf("notice %d: %+v", i, n)
		}
	}
	l.settledTwice(r, stop)
	if now := l.stream("webhook-whk_1"); len(now) != len(all) {
		t.Errorf("after it was disabled: %+v", eventsOf(now[len(all):]))
	}
}

// selection is a replay's, in small pages.
type selection struct {
	l   *eventLog
	ids []string
}

func (s selection) Page(_ context.Context, which deliveries.Replay, after string, _ int) ([]string, error) {
	if which.WebhookID != "whk_1" || which.Which != webhook.Failed || !which.From.Equal(begin.Time) {
		return nil, fmt.Errorf("the replay selects %+v", which)
	}
	i, found := slices.BinarySearch(s.ids, after)
	if found {
		i++
	}
	return s.ids[i:min(i+2, len(s.ids))], nil
}

func (s selection) Scheduled(ctx context.Context, id string) (delivery.Scheduled, error) {
	all, err := s.l.read(ctx, delivery.Stream(id))
	if err != nil {
		return delivery.Scheduled{}, err
	}
	return all[0].Event.(delivery.Scheduled), nil
}

func TestAReplayMakesWhatItSelectsAgain(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.failedDeliveries("whk_1", 5)
	ids := []string{"dlv_0", "dlv_1", "dlv_2", "dlv_3", "dlv_4"}
	request := l.record("webhook-whk_1", webhook.ReplayRequested{
		ReplayID: "rpl_1", From: begin, To: domain.At(begin.Add(time.Hour)), Which: webhook.Failed, At: begin,
	})
	// Cut off in its midst, it begins anew and makes nothing twice.
	cut := errors.New("the store is away")
	failures := 1
	r := reactorsOf(l, func(r *reactors.Reactors) {
		r.Replays = selection{l, ids}
		r.Commands.(*commands).before = func(_ context.Context, e domain.Envelope) error {
			if s, ok := e.Command.(delivery.Schedule); ok && s.Delivery.ReplayOf == "dlv_4" && failures > 0 {
				failures--
				return cut
			}
			return nil
		}
	})
	stop := run(t, r)
	for _, id := range ids {
		again := domain.DeriveID(domain.PrefixDelivery, request.Time, request.ID.String(), id)
		expect(t, "the replay of "+id, l.await(delivery.Stream(again), 1), delivery.Scheduled{
			DeliveryID: again, WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Live,
			EventName: "test.started", TestID: "test_1", Body: "{}", At: domain.At(request.Time), ReplayOf: id, MessageID: id,
		})
	}
	l.settledTwice(r, stop)
}

// waiting are the deliveries of whk_1 that wait for a retry, in small pages.
type waiting []string

func (w waiting) Waiting(_ context.Context, because domain.Recorded, after string, _ int) ([]string, error) {
	if because.Stream != "webhook-whk_1" {
		return nil, nil
	}
	i, found := slices.BinarySearch(w, after)
	if found {
		i++
	}
	return w[i:min(i+2, len(w))], nil
}

// TestConformanceNothingWaitsForAnEndpointThatTakesNothing: what waits for a retry is
// skipped, not when the retry would have been due.
func TestConformanceNothingWaitsForAnEndpointThatTakesNothing(t *testing.T) {
	t.Parallel()
	for reason, event := range map[string]domain.Event{
		"disabled": webhook.Disabled{Consecutive: 10, At: begin}, "paused": webhook.Paused{At: begin}, "deleted": webhook.Deleted{At: begin},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			l := newLog(t)
			due := domain.At(begin.Add(time.Hour))
			ids := waiting{"dlv_0", "dlv_1", "dlv_2"}
			for _, id := range ids {
				l.record(delivery.Stream(id), delivery.Scheduled{DeliveryID: id, WebhookID: "whk_1", At: begin}, delivery.Attempted{Attempt: 1, At: begin, NextDueAt: &due})
			}
			l.record("webhook-whk_1", webhook.Registered{WebhookID: "whk_1", At: begin})
			because := l.record("webhook-whk_1", event)
			r := reactorsOf(l, func(r *reactors.Reactors) { r.Retries = ids })
			stop := run(t, r)
			told := "disabled"
			if reason == "deleted" {
				told = reason
			}
			for _, id := range ids {
				expect(t, id, l.await(delivery.Stream(id), 3)[2:], delivery.Skipped{WebhookID: "whk_1", Reason: told, At: domain.At(because.Time)})
			}
			l.settledTwice(r, stop)
		})
	}
}

// A refusal is an answer; anything else is tried again, and the checkpoint waits.
func TestAFailureIsTriedAgainAndARefusalIsNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		tried int // the most often
	}{
		"an outage":   {eventstore.ErrUnavailable, 3},
		"not found":   {domain.Refuse(domain.CodeNotFound, "there is no such session"), 1},
		"wrong state": {domain.Refuse(domain.CodeWrongState, "the session has ended"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLog(t)
			l.record("testrun-test_1", created("test_1", 1))
			cause := l.record("testrun-test_1", started(1))
			tries := make(chan uint64, 10)
			kept := newCheckpoints()
			r := reactorsOf(l, func(r *reactors.Reactors) {
				r.Checkpoints = kept
				r.Commands.(*commands).before = func(context.Context, domain.Envelope) error {
					if len(tries) == 2 {
						tries <- kept.of("session-creation")
						return nil
					}
					tries <- kept.of("session-creation")
					return c.err
				}
			})
			stop := run(t, r)
			storetest.Eventually(t, "the checkpoint", func() bool { return kept.of("session-creation") >= cause.Position })
			stop()
			if len(tries) != c.tried {
				t.Errorf("%d tries, want %d", len(tries), c.tried)
			}
			close(tries)
			for at := range tries {
				if at >= cause.Position {
					t.Errorf("the checkpoint was %d while the event at %d was not done", at, cause.Position)
				}
			}
			streams, _ := l.cast("test_1")
			if n := len(l.stream(streams[0])); n != c.tried/3 {
				t.Errorf("%d events of the session", n)
			}
		})
	}
}

// of a newer program
type paused struct {
	At domain.Time `json:"at"`
}

func (paused) EventType() string { return "testrun.paused.v1" }

// What this program does not know might change what comes after it: it does
// what comes before, and leaves the rest to the program that knows.
func TestReactorsHoldBeforeAnUnknownEvent(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	newer := l.open(append(process.Catalogue(), domain.Recordable[paused]()))
	l.record("testrun-test_1", created("test_1", 1))
	before := l.record("testrun-test_1", started(1))
	l.recordBy(newer, "testrun-test_2", paused{At: begin})
	l.record("testrun-test_3", created("test_3", 1))
	after := l.record("testrun-test_3", started(1))
	kept, word := newCheckpoints(), &said{}
	r := reactorsOf(l, func(r *reactors.Reactors) {
		r.Checkpoints, r.Logger = kept, slog.New(slog.NewTextHandler(word, nil))
	})
	stop := run(t, r)
	holding := []string{"session-creation", "session-cancellation", "fan-out"}
	for _, name := range holding {
		storetest.Eventually(t, name+" holds", func() bool {
			return kept.of(name) == before.Position
		})
	}
	storetest.Eventually(t, "word of it", func() bool { return strings.Count(word.text(), "holding before") == len(holding) })
	streams, _ := l.cast("test_1")
	l.await(streams[0], 1)
	stop()
	held, _ := l.cast("test_3")
	if n := len(l.stream(held[0])); n != 0 {
		t.Errorf("a reactor went past what it does not know: %d events", n)
	}

	stop = run(t, reactorsOf(l, func(r *reactors.Reactors) {
		c := newCommands(newer)
		r.Log, r.Checkpoints, r.Commands, r.Tests = newer, kept, c, c
	}))
	l.await(held[0], 1)
	storetest.Eventually(t, "the checkpoint", func() bool { return kept.of("session-creation") >= after.Position })
	stop()
}
