package delivery_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/domaintest"
)

var begin = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

func at(d time.Duration) domain.Time { return domain.At(begin.Add(d)) }

var scheduled = delivery.Scheduled{
	DeliveryID: "dlv_1", WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Live,
	EventName: "test.completed", TestID: "test_1", Body: `{"event":"test.completed"}`, At: at(0),
}

// fails is the command, missed the fact, of an attempt that was answered 503.
func fails(attempt int, now time.Duration) delivery.RecordAttempt {
	return delivery.RecordAttempt{Attempt: attempt, StatusCode: 503, Error: "status 503", LatencyMS: 12, Response: "busy", Now: at(now)}
}

func missed(attempt int, now time.Duration, due *domain.Time) delivery.Attempted {
	return delivery.Attempted{Attempt: attempt, StatusCode: 503, Error: "status 503", LatencyMS: 12, Response: "busy", At: at(now), NextDueAt: due}
}

func succeeds(attempt int, now time.Duration) delivery.RecordAttempt {
	return delivery.RecordAttempt{Attempt: attempt, Delivered: true, StatusCode: 204, LatencyMS: 8, Now: at(now)}
}

func hit(attempt int, now time.Duration) delivery.Attempted {
	return delivery.Attempted{Attempt: attempt, StatusCode: 204, LatencyMS: 8, At: at(now)}
}

func due(d time.Duration) *domain.Time {
	t := at(d)
	return &t
}

type (
	fact   = domaintest.Case[delivery.Command, delivery.Event]
	events = []delivery.Event
)

// The retry table, word by word: 5 seconds, 30 seconds and 5 minutes after
// the failure; abandoned when the third retry fails too.
func TestRetryTable(t *testing.T) {
	t.Parallel()
	const first, second, third, fourth = 1700 * time.Millisecond, 9 * time.Second, 42 * time.Second, 400 * time.Second
	domaintest.For(t, delivery.Decider).
		When(delivery.Schedule{Delivery: scheduled}).Then(scheduled).
		When(fails(1, first)).Then(missed(1, first, due(first+5*time.Second))).
		When(fails(2, second)).Then(missed(2, second, due(second+30*time.Second))).
		When(fails(3, third)).Then(missed(3, third, due(third+5*time.Minute))).
		When(fails(4, fourth)).Then(missed(4, fourth, nil), delivery.Abandoned{WebhookID: "whk_1", Attempts: 4, At: at(fourth)}).
		When(fails(5, fourth)).Then().
		When(succeeds(5, fourth)).Then()
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	once := events{scheduled, missed(1, time.Second, due(6*time.Second))}
	timeout := delivery.RecordAttempt{Attempt: 1, Error: "no answer within 10 s", LatencyMS: 10_000, Now: at(10 * time.Second)}
	domaintest.Run(t, delivery.Decider, []fact{
		{Name: "delivered at once", Given: once[:1], When: succeeds(1, time.Second), Then: events{
			hit(1, time.Second), delivery.Delivered{WebhookID: "whk_1", Attempts: 1, At: at(time.Second)},
		}},
		{Name: "no answer at all", Given: once[:1], When: timeout, Then: events{
			delivery.Attempted{Attempt: 1, Error: "no answer within 10 s", LatencyMS: 10_000, At: at(10 * time.Second), NextDueAt: due(15 * time.Second)},
		}},
		{Name: "delivered by the first retry", Given: once, When: succeeds(2, 6*time.Second), Then: events{
			hit(2, 6*time.Second), delivery.Delivered{WebhookID: "whk_1", Attempts: 2, At: at(6 * time.Second)},
		}},
		{Name: "an attempt told again", Given: once, When: fails(1, 2*time.Second)},
		{Name: "an attempt told again as a success", Given: once, When: succeeds(1, 2*time.Second)},
		{Name: "an attempt that skips one", Given: once, When: fails(3, 2*time.Second), Refused: domain.CodeConflict},
		{Name: "an attempt at nothing", When: fails(1, time.Second)},
	})
}

func TestScheduleAndSkip(t *testing.T) {
	t.Parallel()
	skipped := func(reason string, d time.Duration) delivery.Skipped {
		return delivery.Skipped{WebhookID: "whk_1", Reason: reason, At: at(d)}
	}
	skip := delivery.Skip{Reason: "disabled", Now: at(9 * time.Second)}
	delivered := events{scheduled, hit(1, 0), delivery.Delivered{WebhookID: "whk_1", Attempts: 1, At: at(0)}}
	domaintest.Run(t, delivery.Decider, []fact{
		{Name: "scheduled again", Given: events{scheduled}, When: delivery.Schedule{Delivery: scheduled}},
		{
			Name: "to a disabled endpoint", When: delivery.Schedule{Delivery: scheduled, SkipReason: "disabled"},
			Then: events{scheduled, skipped("disabled", 0)},
		},
		{
			Name: "disabled while a retry waits", Given: events{scheduled, missed(1, time.Second, due(6*time.Second))}, When: skip,
			Then: events{skipped("disabled", 9*time.Second)},
		},
		{Name: "skipped again", Given: events{scheduled, skipped("disabled", 0)}, When: skip},
		{Name: "skipped after it was delivered", Given: delivered, When: skip},
		{Name: "attempted after it was skipped", Given: events{scheduled, skipped("disabled", 0)}, When: succeeds(1, time.Second)},
	})
}

// However attempts end and whenever they are made, a delivery has at most four
// of them, each due by the table after the failure before it.
func TestRetriesOfAnyHistory(t *testing.T) {
	t.Parallel()
	waits := []time.Duration{5 * time.Second, 30 * time.Second, 5 * time.Minute}
	rapid.Check(t, func(t *rapid.T) {
		state := delivery.Decider.Fold(delivery.Decider.Initial, events{scheduled})
		now := time.Duration(0)
		for attempt := 1; attempt <= 5; attempt++ {
			now += time.Duration(rapid.IntRange(0, 3_600_000).Draw(t, "later")) * time.Millisecond
			c := fails(attempt, now)
			c.Delivered = rapid.Bool().Draw(t, "delivered")
			yielded, err := delivery.Decider.Decide(state, c)
			if err != nil {
				t.Fatal(err)
			}
			ended := state.Status != delivery.Pending
			state = delivery.Decider.Fold(state, yielded)
			want := delivery.StatusDelivered
			switch {
			case ended:
				if len(yielded) > 0 {
					t.Fatalf("attempt %d of an ended delivery: %v", attempt, yielded)
				}
				continue
			case c.Delivered:
			case attempt == 4:
				want = delivery.StatusAbandoned
			default:
				want = delivery.Pending
				if diff := cmp.Diff(due(now+waits[attempt-1]), yielded[0].(delivery.Attempted).NextDueAt); diff != "" {
					t.Fatalf("after attempt %d (-want +got):\n%s", attempt, diff)
				}
			}
			if state.Status != want {
				t.Fatalf("%s after attempt %d, want %s", state.Status, attempt, want)
			}
		}
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, delivery.Decider, rapid.Custom(func(t *rapid.T) delivery.Command {
		switch rapid.IntRange(0, 9).Draw(t, "command") {
		case 0, 1:
			reason := rapid.SampledFrom([]string{"", "", "disabled"}).Draw(t, "reason")
			return delivery.Schedule{Delivery: scheduled, SkipReason: reason}
		case 2:
			return delivery.Skip{Reason: "deleted", Now: at(time.Minute)}
		}
		c := fails(rapid.IntRange(1, 5).Draw(t, "attempt"), time.Minute)
		c.Delivered = rapid.IntRange(0, 9).Draw(t, "delivered") == 0
		return c
	}))
}

func TestEvolveIsTotal(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, delivery.Decider, delivery.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, delivery.Catalogue)
}

// A ping is for whoever looks: one attempt, and its ending says that it was one.
func TestPing(t *testing.T) {
	t.Parallel()
	ping := scheduled
	ping.Ping, ping.EventName, ping.TestID = true, "ping", ""
	domaintest.For(t, delivery.Decider).
		When(delivery.Schedule{Delivery: ping}).Then(ping).
		When(fails(1, time.Second)).Then(missed(1, time.Second, nil), delivery.Abandoned{WebhookID: "whk_1", Attempts: 1, Ping: true, At: at(time.Second)})
	domaintest.For(t, delivery.Decider).Given(ping).
		When(succeeds(1, time.Second)).Then(hit(1, time.Second), delivery.Delivered{WebhookID: "whk_1", Attempts: 1, Ping: true, At: at(time.Second)})
}
