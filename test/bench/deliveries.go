package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/eventstore"
	"understudy/test/harness"
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
	*harness.Receiver
	taken atomic.Int64
	bytes atomic.Int64

	mu   sync.Mutex
	late times
	last time.Time
}

func newSink() *sink {
	s := &sink{}
	s.Receiver = harness.Receive(hookSecret, s.take)
	return s
}

func (s *sink) take(got harness.Received) (status int, after time.Duration) {
	if strings.HasPrefix(got.Path, "/hang") {
		return http.StatusOK, time.Hour
	}
	if !got.Timestamp.IsZero() {
		s.mu.Lock()
		s.late, s.last = append(s.late, got.At.Sub(got.Timestamp)), got.At
		s.mu.Unlock()
	}
	s.bytes.Add(int64(len(got.Body)))
	s.taken.Add(1)
	return http.StatusOK, 0
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

// measureDeliveries finds out how many webhooks a second are delivered
// durably, how late one is when nothing else is to do, and what an endpoint
// that hangs does to the others.
func measureDeliveries(ctx context.Context, b *bench) error {
	to := newSink()
	defer to.Close()
	burst := func(s *service) error { return measureBurst(ctx, b, s, to) }
	quiet := func(event, meanwhile string) func(*service) error {
		return func(s *service) error { return measureQuiet(ctx, b, s, to, event, meanwhile) }
	}
	hanging := func(s *service) error { return measureHanging(ctx, b, s, to) }
	return errors.Join(b.with(ctx, "burst", burst),
		b.with(ctx, "quiet", quiet("test.started", "while its session is walked")),
		b.with(ctx, "quieter", quiet("test.completed", "when nothing is left to do")),
		b.with(ctx, "hanging", hanging))
}

// started is a test of one session whose test.started has about so many bytes.
func started(bodyBytes int) map[string]any {
	body := harness.SignUp(1)
	body["task"] = strings.Repeat("Sign up for the newsletter. ", max(1, (bodyBytes-250)/28))
	return body
}

func measureBurst(ctx context.Context, b *bench, s *service, to *sink) error {
	const section = "deliveries"
	c := s.Sandbox()
	if _, err := register(ctx, c, to.Receiver, "/burst", burstEndpoints, "test.started"); err != nil {
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
		if _, _, err := c.Create(ctx, started(burstBody)); err != nil {
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
	poster := &http.Client{Transport: transport, Timeout: harness.RequestLimit}
	body := fmt.Appendf(nil, `{"pad":%q}`, strings.Repeat("x", max(0, size-len(`{"pad":""}`))))
	signature := harness.Signature(hookSecret, body)
	var left atomic.Int64
	left.Store(int64(n))
	var group sync.WaitGroup
	failures := make(chan error, bareSenders)
	began := time.Now()
	for range bareSenders {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL+"/bare", bytes.NewReader(body))
				if err == nil {
					r.Header.Set("X-Service-Signature", signature)
					r.Header.Set("X-Service-Attempt", "1")
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

// measureQuiet finds out how late the webhooks of one event of every test are.
func measureQuiet(ctx context.Context, b *bench, s *service, to *sink, event, meanwhile string) error {
	c := s.Sandbox()
	if _, err := register(ctx, c, to.Receiver, "/quiet", quietEndpoints, event); err != nil {
		return err
	}
	late, err := steadily(ctx, c, to, quietEndpoints, quietPerSecond, b.n(quietSeconds*quietPerSecond))
	if err != nil {
		return err
	}
	b.table.add("deliveries", fmt.Sprintf("%s to receiver, %d/s", event, quietPerSecond), late.spread(), "p50 ≤ 5 ms, p99 ≤ 25 ms",
		fmt.Sprintf("%s; n=%d, to %d endpoints; from the event's time, in whole milliseconds", meanwhile, len(late), quietEndpoints))
	return nil
}

// steadily creates tests so that so many deliveries a second go out, n in all,
// and returns how late they were.
func steadily(ctx context.Context, c harness.Client, to *sink, endpoints, perSecond, n int) (times, error) {
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
		if _, _, err := c.Create(ctx, harness.SignUp(1)); err != nil {
			return nil, err
		}
	}
	late, _, err := to.await(ctx, int64(tests*endpoints))
	return late, err
}

func measureHanging(ctx context.Context, b *bench, s *service, to *sink) error {
	c := s.Sandbox()
	const others = burstEndpoints - 1
	if _, err := register(ctx, c, to.Receiver, "/others", others, "test.started"); err != nil {
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
		hanging, err := c.Register(ctx, to.URL+"/hang", hookSecret, "test.started")
		if err != nil {
			return err
		}
		if late, err = steadily(ctx, c, to, others, others, n); err != nil {
			return err
		}
		with = append(with, late...)
		if _, err = c.Call(ctx, http.MethodDelete, "/webhooks/"+hanging, nil, nil); err != nil {
			return err
		}
	}
	b.table.add("deliveries", fmt.Sprintf("%d endpoints beside one that hangs", others), with.spread(), "p99 at most 5 ms more",
		fmt.Sprintf("without it %s; n=%d each, in %d turns, one test a second", without.spread(), len(with), rounds))
	return nil
}
