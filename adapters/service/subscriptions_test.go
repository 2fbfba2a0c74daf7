package service_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres/pgtest"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/webhooks"
	"understudy/test/patience"
)

// hooks are endpoints that are changed at random, with what they were at any position.
type hooks struct {
	*world
	chances   *rand.Rand
	revisions map[string]uint64
	// past is, for every position that something was recorded at, who was subscribed
	// then, by organization and event.
	past []moment
	now  map[string]hookState
}

type moment struct {
	position   uint64
	subscribed map[[2]string][]webhooks.Endpoint
}

type hookState struct {
	organization string
	events       []string
	status       webhook.Status
}

var (
	twoOrganizations = []string{"org_1", "org_2"}
	threeEvents      = []string{"test.started", "test.completed", "test.failed"}
)

// step records something: of an endpoint, or of what is none.
func (h *hooks) step() {
	h.t.Helper()
	id := fmt.Sprintf("whk_%d", h.chances.IntN(4))
	was, there := h.now[id]
	events := slices.DeleteFunc(slices.Clone(threeEvents), func(string) bool { return h.chances.IntN(2) == 0 })
	at := domain.At(time.Now())
	switch {
	case h.chances.IntN(3) == 0:
		other := newID(domain.PrefixDelivery)
		h.record(delivery.Stream(other), delivery.Scheduled{DeliveryID: other, Body: "{}", At: at})
	case !there:
		org := twoOrganizations[h.chances.IntN(2)]
		h.now[id] = hookState{org, events, webhook.Enabled}
		h.record(webhook.Stream(id), webhook.Registered{WebhookID: id, OrganizationID: org, Environment: domain.Live, URL: receiver, Events: events, At: at})
	case was.status == webhook.StatusDeleted:
		h.step()
	case h.chances.IntN(8) == 0:
		was.status = webhook.StatusDeleted
		h.now[id] = was
		h.record(webhook.Stream(id), webhook.Deleted{At: at})
	case h.chances.IntN(2) == 0 && was.status == webhook.Enabled:
		was.status = webhook.StatusDisabled
		h.now[id] = was
		h.record(webhook.Stream(id), webhook.Disabled{Consecutive: 10, At: at})
	default:
		was.events = events
		h.now[id] = was
		h.record(webhook.Stream(id), webhook.Changed{URL: receiver, Events: events, At: at})
	}
}

func (h *hooks) record(stream string, e domain.Event) {
	h.t.Helper()
	expected := eventstore.NoStream()
	if revision, there := h.revisions[stream]; there {
		expected = eventstore.Revision(revision)
	}
	appended, err := h.store.Append(h.ctx, stream, expected, []eventstore.Pending{{ID: domain.DeriveUUID(stream, fmt.Sprint(len(h.past))), Event: e}})
	h.must(err)
	h.revisions[stream] = appended.Revision
	m := moment{appended.Position, map[[2]string][]webhooks.Endpoint{}}
	for _, org := range twoOrganizations {
		for _, event := range threeEvents {
			of := []webhooks.Endpoint{}
			for i := range 4 {
				id := fmt.Sprintf("whk_%d", i)
				if s := h.now[id]; s.organization == org && s.status != webhook.StatusDeleted && (len(s.events) == 0 || slices.Contains(s.events, event)) { // none means all
					of = append(of, webhooks.Endpoint{ID: id, Status: s.status})
				}
			}
			m.subscribed[[2]string{org, event}] = of
		}
	}
	h.past = append(h.past, m)
}

// check asks who was subscribed at a moment and compares.
func (h *hooks) check(ctx context.Context, s *service.Subscriptions, m moment, org, event string) {
	got, err := s.Subscribed(ctx, projections.Owner{OrganizationID: org, Environment: domain.Live}, event, m.position)
	if err != nil {
		h.t.Errorf("%s of %s at %d: %v", event, org, m.position, err)
		return
	}
	if diff := cmp.Diff(m.subscribed[[2]string{org, event}], got); diff != "" {
		h.t.Errorf("%s of %s at %d (-want +got):\n%s", event, org, m.position, diff)
	}
}

// running is Subscriptions that run until the test has ended.
func (w *world) running(reads service.Reads) *service.Subscriptions {
	w.t.Helper()
	s := service.NewSubscriptions(reads, w.store, slog.New(slog.DiscardHandler))
	ended := make(chan error, 1)
	ctx, end := context.WithCancel(w.ctx)
	go func() { ended <- s.Run(ctx) }()
	w.t.Cleanup(func() {
		end()
		w.must(<-ended)
	})
	return s
}

// TestWhoWasSubscribedIsAsOfThePosition: whether it was followed, remembered or read,
// asked in whatever order, while endpoints go on changing.
func TestWhoWasSubscribedIsAsOfThePosition(t *testing.T) {
	t.Parallel()
	h := &hooks{
		world: newWorld(t), chances: rand.New(rand.NewPCG(1, 2)), //nolint:gosec // the same each time
		revisions: map[string]uint64{}, now: map[string]hookState{},
	}
	for range 20 {
		h.step()
	}
	s := h.running(h.Reads) // of what is there already, and what comes
	for range 30 {
		h.step()
		past := slices.Clone(h.past)
		var asking sync.WaitGroup
		for range 6 {
			m := past[len(past)-1]
			if h.chances.IntN(2) == 0 {
				m = past[h.chances.IntN(len(past))]
			}
			org, event := twoOrganizations[h.chances.IntN(2)], threeEvents[h.chances.IntN(3)]
			asking.Go(func() { h.check(h.ctx, s, m, org, event) })
		}
		if h.chances.IntN(2) == 0 {
			h.step() // while they ask
		}
		asking.Wait()
	}
	for _, m := range h.past {
		for _, org := range twoOrganizations {
			for _, event := range threeEvents {
				h.check(h.ctx, s, m, org, event)
			}
		}
	}
}

// TestWhoIsSubscribedIsRemembered: while no endpoint changes, the database need not be there.
func TestWhoIsSubscribedIsRemembered(t *testing.T) {
	t.Parallel()
	h := &hooks{world: newWorld(t), revisions: map[string]uint64{}, now: map[string]hookState{}}
	h.now["whk_1"] = hookState{"org_1", threeEvents, webhook.Enabled}
	h.record(webhook.Stream("whk_1"), webhook.Registered{WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Live, Events: threeEvents})
	h.must(h.Positions.Wait(h.ctx, "webhooks", h.past[0].position))
	asked, err := pgxpool.NewWithConfig(h.ctx, h.Pool.Config())
	h.must(err)
	reads := h.Reads
	reads.Pool = asked
	s := h.running(reads)
	h.check(h.ctx, s, h.past[0], "org_1", "test.started")
	asked.Close()
	h.record(delivery.Stream("dlv_1"), delivery.Scheduled{DeliveryID: "dlv_1", Body: "{}"})
	h.check(h.ctx, s, h.past[1], "org_1", "test.started")
}

// TestAnOlderReadModelTellsNoSubscribers: a Postgres that crashed may have lost what
// it said that it had, and what it answers is not to be remembered.
func TestAnOlderReadModelTellsNoSubscribers(t *testing.T) {
	t.Parallel()
	h := &hooks{world: newWorld(t), revisions: map[string]uint64{}, now: map[string]hookState{}}
	pool, positions := pgtest.Pool(t), projections.NewPositions()
	h.must(projections.Prepare(h.ctx, pool, webhooks.Projection))
	s := h.running(service.NewReads(pool, positions, nil))
	h.now["whk_1"] = hookState{"org_1", threeEvents, webhook.Enabled}
	h.record(webhook.Stream("whk_1"), webhook.Registered{WebhookID: "whk_1", OrganizationID: "org_1", Environment: domain.Live, Events: threeEvents})
	positions.Advance("webhooks", int64(h.past[0].position)) //nolint:gosec // it fits
	_, err := s.Subscribed(h.ctx, projections.Owner{OrganizationID: "org_1", Environment: domain.Live}, "test.started", h.past[0].position)
	h.refused(err, domain.CodeUnavailable)

	projector := &projections.Projector{Projection: webhooks.Projection, Pool: pool, Log: h.store, Positions: positions, Logger: slog.New(slog.DiscardHandler)}
	ctx, end := context.WithCancel(h.ctx)
	ended := make(chan error, 1)
	go func() { ended <- projector.Run(ctx) }()
	t.Cleanup(func() {
		end()
		h.must(<-ended)
	})
	patience.Eventually(t, limit, "the read model to be there again", func() bool {
		at, err := projections.ReadPosition(h.ctx, pool, webhooks.Projection)
		h.must(err)
		return at >= int64(h.past[0].position) //nolint:gosec // it fits
	})
	h.check(h.ctx, s, h.past[0], "org_1", "test.started")
}
