package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/test/harness"
)

const (
	// retries are due evenly over retrySpan, to retryEndpoints.
	retries        = 10_000
	retrySpan      = time.Minute
	retryEndpoints = 100
	// retryLead is from the record of the first failures to the first retry:
	// time for the service to start on them.
	retryLead = 30 * time.Second
	// timerShare is how much of the span is fired by timers for comparison: one
	// part of so many.
	timerShare = 6
)

// pending makes events that an append records, each under a random id.
func pending(events ...domain.Event) []eventstore.Pending {
	out := make([]eventstore.Pending, len(events))
	for i, e := range events {
		out[i] = eventstore.Pending{ID: uuid.New(), Event: e}
	}
	return out
}

// events is an event store without a service.
type events struct {
	node  *node.Node
	store *eventstore.Store
}

func openEvents(ctx context.Context, dir string) (*events, error) {
	n, err := node.Start(ctx, node.Options{Dir: dir, Socket: dir + ".sock", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	store, err := eventstore.Open(eventstore.Config{
		URL: n.ConnectionString(), Socket: n.Socket(), Codec: eventstore.NewCodec(delivery.Catalogue, webhook.Catalogue),
	})
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return &events{n, store}, nil
}

func (e *events) close() error { return errors.Join(e.store.Close(), e.node.Close()) }

// measureRetries finds out how late retries are. The failures before them are
// recorded while the service is down, so that their times are known.
func measureRetries(ctx context.Context, b *bench) error {
	late := &arrivals{}
	to := harness.Receive("", late.take) // the timers sign nothing
	defer to.Close()
	const name = "retries"
	var endpoints []string
	err := b.with(ctx, name, func(s *service) (err error) {
		endpoints, err = register(ctx, s.Sandbox(), to, "", retryEndpoints, "test.started")
		return err
	})
	if err != nil {
		return err
	}
	n := b.n(retries)
	if late.due, err = recordFailures(ctx, filepath.Join(b.dir, name, "data", "events"), endpoints, n); err != nil {
		return err
	}
	var ours times
	if err := b.with(ctx, name, func(*service) error { ours, err = late.await(ctx, n); return err }); err != nil {
		return err
	}
	timers, err := fireTimers(ctx, to.URL, late, n/timerShare)
	if err != nil {
		return err
	}
	b.table.add("deliveries", fmt.Sprintf("%d pending retries, due evenly over %s: late by", n, short(retrySpan)), ours.furthest(), "p99 ≤ 100 ms",
		fmt.Sprintf("to %d endpoints, from the time that is recorded to the receiver", retryEndpoints))
	b.table.add("deliveries", "  timers of a bare loop that POSTs as often", timers.furthest(), "", fmt.Sprintf("n=%d, nothing recorded", len(timers)))
	return nil
}

// recordFailures records n deliveries whose first attempt has failed, and whose
// next ones are due evenly over the span. It tells when, by delivery.
func recordFailures(ctx context.Context, dir string, endpoints []string, n int) (due map[string]time.Time, err error) {
	e, err := openEvents(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	var owner webhook.Registered
	err = e.store.ReadStream(ctx, webhook.Stream(endpoints[0]), 0, func(r domain.Recorded) error {
		owner = r.Event.(webhook.Registered)
		return nil
	})
	if err != nil {
		return nil, err
	}
	first := time.Now().Add(retryLead)
	var group sync.WaitGroup
	failures := make([]error, bareSenders)
	for w := range bareSenders {
		group.Go(func() {
			for i := w; i < n && failures[w] == nil; i += bareSenders {
				at := first.Add(time.Duration(i) * retrySpan / time.Duration(n))
				failures[w] = recordFailure(ctx, e.store, owner, endpoints[i%len(endpoints)], retryID(i), at)
			}
		})
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	return retryTimes(ctx, e.store, n)
}

// retryTimes reads when n retries are due: the pause that was decided, after the
// time of the record.
func retryTimes(ctx context.Context, store *eventstore.Store, n int) (map[string]time.Time, error) {
	due := map[string]time.Time{}
	err := store.Subscribe(ctx, eventstore.Subscription{Name: "retries", Prefixes: []string{delivery.StreamPrefix}},
		func(_ context.Context, b eventstore.Batch) error {
			for _, r := range b.Events {
				if e, ok := r.Event.(delivery.Attempted); ok {
					due[r.Stream[len(delivery.StreamPrefix):]] = r.Time.Add(e.NextDueAt.Sub(e.At.Time))
				}
			}
			if len(due) >= n {
				return errEnough
			}
			return nil
		})
	if !errors.Is(err, errEnough) {
		return nil, err
	}
	return due, nil
}

func retryID(i int) string { return fmt.Sprintf("dlv_%026d", i) }

// recordFailure records a delivery and that its first attempt has failed.
func recordFailure(ctx context.Context, store *eventstore.Store, owner webhook.Registered, endpoint, id string, due time.Time) error {
	now := domain.At(time.Now())
	stream, next := delivery.Stream(id), domain.At(due)
	at, err := store.Append(ctx, stream, eventstore.NoStream(), pending(delivery.Scheduled{
		DeliveryID: id, WebhookID: endpoint, OrganizationID: owner.OrganizationID, Environment: owner.Environment,
		EventName: "test.started", Body: `{"event":"test.started"}`, At: now,
	}))
	if err != nil {
		return err
	}
	now = domain.At(time.Now())
	_, err = store.Append(ctx, stream, eventstore.Revision(at.Revision), pending(
		delivery.Attempted{Attempt: 1, StatusCode: http.StatusServiceUnavailable, Error: "status_503", At: now, NextDueAt: &next}))
	return err
}

// arrivals takes deliveries and notes how long after their time they came.
type arrivals struct {
	due map[string]time.Time // by delivery

	mu   sync.Mutex
	late times
}

func (l *arrivals) take(got harness.Received) (int, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if due, ok := l.due[got.Header.Get("X-Service-Delivery")]; ok {
		l.late = append(l.late, got.At.Sub(due))
	}
	return http.StatusOK, 0
}

// await waits until n have come, tells how late they were and forgets them.
func (l *arrivals) await(ctx context.Context, n int) (times, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, sinkLimit, fmt.Errorf("fewer than %d deliveries within %s", n, sinkLimit))
	defer cancel()
	for {
		l.mu.Lock()
		late := l.late
		l.mu.Unlock()
		if len(late) >= n {
			l.late = nil
			return late, nil
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("%d have come: %w", len(late), context.Cause(ctx))
		}
	}
}

// fireTimers posts n times at the rate of the retries, each by a timer of its own.
func fireTimers(ctx context.Context, url string, to *arrivals, n int) (times, error) {
	first := time.Now().Add(time.Second)
	to.due = map[string]time.Time{}
	for i := range n {
		to.due[retryID(i)] = first.Add(time.Duration(i) * retrySpan / time.Duration(n*timerShare))
	}
	for id, due := range to.due {
		time.AfterFunc(time.Until(due), func() {
			// Of those that fail, fewer come than are waited for.
			_, _ = harness.Client{}.Send(ctx, http.MethodPost, url, struct{}{}, "X-Service-Delivery", id, "X-Service-Attempt", "1")
		})
	}
	return to.await(ctx, n)
}
