package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/eventstore"
)

const (
	// burstDeliveries of burstBody bytes go to burstEndpoints in the burst.
	burstDeliveries = 10_000
	burstEndpoints  = 100
	burstBody       = 1024
	// bareSenders is how many requests the bare loop has under way, as many as
	// the sender at most.
	bareSenders = 128
	// quietPerSecond is the rate of deliveries while nothing else is to do, for
	// quietSeconds.
	quietPerSecond = 50
	quietSeconds   = 30
	// quietEndpoints get each event of that phase: with the rate limit's 1,000
	// requests a minute, tests alone would not make the rate.
	quietEndpoints = 5
	// sinkLimit bounds the wait for deliveries.
	sinkLimit = 5 * time.Minute
)

// sink takes the deliveries of many endpoints, told apart by path, and notes
// how late each came. Endpoints below /hang never get an answer.
type sink struct {
	server *httptest.Server
	taken  atomic.Int64
	bytes  atomic.Int64
	ended  chan struct{} // closed at the end, so that hanging requests end

	mu   sync.Mutex
	late times
	last time.Time
}

func newSink() *sink {
	s := &sink{ended: make(chan struct{})}
	s.server = httptest.NewServer(http.HandlerFunc(s.take))
	return s
}

func (s *sink) take(_ http.ResponseWriter, r *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if strings.HasPrefix(r.URL.Path, "/hang") {
		select {
		case <-r.Context().Done():
		case <-s.ended:
		}
		return
	}
	var told struct{ Timestamp time.Time }
	if json.Unmarshal(body, &told) == nil {
		s.mu.Lock()
		s.late, s.last = append(s.late, at.Sub(told.Timestamp)), at
		s.mu.Unlock()
	}
	s.bytes.Add(int64(len(body)))
	s.taken.Add(1)
}

// reset forgets what has come so far.
func (s *sink) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = nil
	s.taken.Store(0)
	s.bytes.Store(0)
}

// await waits until n deliveries have come and returns how late they were and
// when the last one came.
func (s *sink) await(ctx context.Context, n int64) (times, time.Time, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, sinkLimit, fmt.Errorf("fewer than %d deliveries within %s", n, sinkLimit))
	defer cancel()
	for s.taken.Load() < n {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, time.Time{}, fmt.Errorf("%d have come: %w", s.taken.Load(), context.Cause(ctx))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late, s.last, nil
}

// register makes n endpoints below a path, for some events.
func (s *sink) register(ctx context.Context, c client, path string, n int, events ...string) error {
	for i := range n {
		_, err := c.send(ctx, http.MethodPost, "/v1/webhooks", map[string]any{
			"url": fmt.Sprintf("%s%s/%d", s.server.URL, path, i), "secret": "known to the bench alone", "events": events,
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sink) close() {
	close(s.ended)
	s.server.Close()
}

// measureDeliveries finds out how many webhooks a second are delivered
// durably, how late one is when nothing else is to do, and what an endpoint
// that hangs does to the others.
func measureDeliveries(ctx context.Context, b *bench) error {
	to := newSink()
	defer to.close()
	burst := func(s *service) error { return measureBurst(ctx, b, s, to) }
	quiet := func(s *service) error { return measureQuiet(ctx, b, s, to) }
	hanging := func(s *service) error { return measureHanging(ctx, b, s, to) }
	return errors.Join(b.with(ctx, "burst", burst), b.with(ctx, "quiet", quiet), b.with(ctx, "hanging", hanging))
}

// started is a test of one session whose test.started has about so many bytes.
func started(bodyBytes int) map[string]any {
	body := signUp(1)
	body["task"] = strings.Repeat("Sign up for the newsletter. ", max(1, (bodyBytes-250)/28))
	return body
}

func measureBurst(ctx context.Context, b *bench, s *service, to *sink) error {
	const section = "deliveries"
	c := s.sandbox()
	if err := to.register(ctx, c, "/burst", burstEndpoints, "test.started"); err != nil {
		return err
	}
	// The first test draws the pictures and films that all share.
	if _, err := walkAll(ctx, s, 1); err != nil {
		return err
	}
	if _, _, err := to.await(ctx, burstEndpoints); err != nil {
		return err
	}
	tests := max(1, b.n(burstDeliveries)/burstEndpoints)
	n := int64(tests * burstEndpoints)
	to.reset()
	before, err := s.cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	for range tests {
		if _, _, err := c.create(ctx, started(burstBody)); err != nil {
			return err
		}
	}
	_, last, err := to.await(ctx, n)
	if err != nil {
		return err
	}
	took := last.Sub(began)
	after, err := s.cpu()
	if err != nil {
		return err
	}
	size := int(to.bytes.Load() / n)
	bare, err := bareLoop(ctx, to, int(n), size)
	if err != nil {
		return err
	}
	appends, err := bareAppends(ctx, b, int(n), size)
	if err != nil {
		return err
	}
	b.table.add(section, fmt.Sprintf("burst of %d of %d bytes", n, size), perSecond(int(n), took), "≥ 2,500/s, ≥ 1,000/s at least",
		fmt.Sprintf("%d tests to %d endpoints, from the first POST; %.1f %% of the bare loop, %.0f %% of its bare appends; %s", tests, burstEndpoints,
			100*bare.Seconds()/took.Seconds(), 100*appends.Seconds()/took.Seconds(), after.minus(before).shares(int(n))))
	b.table.add(section, "  a bare loop that POSTs the same bodies", perSecond(int(n), bare), "", fmt.Sprintf("%d at a time, nothing recorded", bareSenders))
	b.table.add(section, "  the durable appends that it makes, by themselves", perSecond(int(n), appends), "",
		fmt.Sprintf("two for each delivery, three events; %d at a time through the port, nothing sent or projected", bareSenders))
	return nil
}

// bareLoop posts n bodies of a size to the sink and tells how long that took.
func bareLoop(ctx context.Context, to *sink, n, size int) (time.Duration, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = bareSenders, bareSenders
	defer transport.CloseIdleConnections()
	poster := &http.Client{Transport: transport, Timeout: requestLimit}
	body := bytes.Repeat([]byte("x"), size)
	var left atomic.Int64
	left.Store(int64(n))
	var group sync.WaitGroup
	failures := make(chan error, bareSenders)
	began := time.Now()
	for range bareSenders {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.server.URL+"/bare", bytes.NewReader(body))
				if err == nil {
					var res *http.Response
					if res, err = poster.Do(r); err == nil {
						_, err = io.Copy(io.Discard, res.Body)
						_ = res.Body.Close()
					}
				}
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	took := time.Since(began)
	close(failures)
	return took, <-failures
}

// bareAppends records what n deliveries of bodies of a size record, in a store of
// its own, and tells how long that took.
func bareAppends(ctx context.Context, b *bench, n, size int) (took time.Duration, err error) {
	events, err := openEvents(ctx, filepath.Join(b.dir, "appends"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, events.close()) }()
	body := strings.Repeat("x", size)
	var left atomic.Int64
	left.Store(int64(n))
	var group sync.WaitGroup
	failures := make(chan error, bareSenders)
	began := time.Now()
	for range bareSenders {
		group.Go(func() {
			for i := left.Add(-1); i >= 0; i = left.Add(-1) {
				id, now := fmt.Sprintf("dlv_%026d", i), domain.At(time.Now())
				stream := delivery.Stream(id)
				at, err := events.store.Append(ctx, stream, eventstore.NoStream(), pending(delivery.Scheduled{
					DeliveryID: id, WebhookID: "whk_bench", OrganizationID: "org_bench", Environment: domain.Sandbox,
					EventName: "test.started", Body: body, At: now,
				}))
				if err == nil {
					_, err = events.store.Append(ctx, stream, eventstore.Revision(at.Revision), pending(
						delivery.Attempted{Attempt: 1, StatusCode: http.StatusOK, At: now},
						delivery.Delivered{WebhookID: "whk_bench", Attempts: 1, At: now}))
				}
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	took = time.Since(began)
	close(failures)
	return took, <-failures
}

func measureQuiet(ctx context.Context, b *bench, s *service, to *sink) error {
	c := s.sandbox()
	if err := to.register(ctx, c, "/quiet", quietEndpoints, "test.started"); err != nil {
		return err
	}
	late, err := steadily(ctx, c, to, quietEndpoints, quietPerSecond, b.n(quietSeconds*quietPerSecond))
	if err != nil {
		return err
	}
	b.table.add("deliveries", fmt.Sprintf("event to receiver, %d/s", quietPerSecond), late.spread(), "p50 ≤ 5 ms, p99 ≤ 25 ms",
		fmt.Sprintf("n=%d, to %d endpoints; from the event's time, in whole milliseconds", len(late), quietEndpoints))
	return nil
}

// steadily creates tests so that so many deliveries a second go out, n in all,
// and returns how late they were.
func steadily(ctx context.Context, c client, to *sink, endpoints, perSecond, n int) (times, error) {
	tests := max(1, n/endpoints)
	to.reset()
	ticks := time.NewTicker(time.Second * time.Duration(endpoints) / time.Duration(perSecond))
	defer ticks.Stop()
	for range tests {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if _, _, err := c.create(ctx, signUp(1)); err != nil {
			return nil, err
		}
	}
	late, _, err := to.await(ctx, int64(tests*endpoints))
	return late, err
}

func measureHanging(ctx context.Context, b *bench, s *service, to *sink) error {
	c := s.sandbox()
	const others = burstEndpoints - 1
	if err := to.register(ctx, c, "/others", others, "test.started"); err != nil {
		return err
	}
	// In turns, so that whatever else the machine does meets both.
	const rounds = 4
	n := b.n(40*others) / rounds
	var without, with times
	for range rounds {
		late, err := steadily(ctx, c, to, others, others, n)
		if err != nil {
			return err
		}
		without = append(without, late...)
		var hanging struct {
			ID string `json:"id"`
		}
		if _, err = c.send(ctx, http.MethodPost, "/v1/webhooks", map[string]any{
			"url": to.server.URL + "/hang", "secret": "known to the bench alone", "events": []string{"test.started"},
		}, &hanging); err != nil {
			return err
		}
		if late, err = steadily(ctx, c, to, others, others, n); err != nil {
			return err
		}
		with = append(with, late...)
		if _, err = c.send(ctx, http.MethodDelete, "/v1/webhooks/"+hanging.ID, nil, nil); err != nil {
			return err
		}
	}
	b.table.add("deliveries", fmt.Sprintf("%d endpoints beside one that hangs", others), with.spread(), "p99 at most 5 ms more",
		fmt.Sprintf("without it %s; n=%d each, in %d turns, one test a second", without.spread(), len(with), rounds))
	return nil
}
