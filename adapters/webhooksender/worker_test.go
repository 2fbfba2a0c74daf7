package webhooksender

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// work runs a worker over the ledger; the returned function stops it and
// tells how long that took.
func work(t *testing.T, l *ledger, drain time.Duration) (stop func() time.Duration) {
	t.Helper()
	w := &Worker{
		Sender: New(dial), Jobs: l, Deliveries: l, Logger: slog.New(slog.DiscardHandler),
		Owner: "worker", Wake: l.wake, Drain: drain,
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	stop = sync.OnceValue(func() time.Duration {
		begin := time.Now()
		cancel()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Run = %v", err)
			}
		case <-time.After(patience):
			t.Error("Run does not end")
		}
		return time.Since(begin)
	})
	t.Cleanup(func() { stop() })
	return stop
}

// hanging is a receiver that answers nothing until released. It counts the
// requests it holds, and the most it ever held.
type hanging struct {
	url       string
	held, max atomic.Int32
	release   func()
}

func newHanging(t *testing.T) *hanging {
	t.Helper()
	released := make(chan struct{})
	h := &hanging{release: sync.OnceFunc(func() { close(released) })}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		n := h.held.Add(1)
		for old := h.max.Load(); n > old && !h.max.CompareAndSwap(old, n); old = h.max.Load() {
		}
		select {
		case <-released:
		case <-r.Context().Done():
		}
		h.held.Add(-1)
	}))
	h.url = s.URL
	t.Cleanup(s.Close)
	t.Cleanup(h.release)
	return h
}

func TestAHangingEndpointDelaysNobodyElse(t *testing.T) {
	t.Parallel()
	l, slow := newLedger(), newHanging(t)
	url, got := receiver(t)
	l.add("slow", slow.url, 1000) // first in line
	l.add("quick", url, 100)
	go func() {
		for range got { //nolint:revive // the receiver's record is of no interest here
		}
	}()
	begin := time.Now()
	work(t, l, 0)
	l.await(t, "100 deliveries to the quick endpoint", func() bool { return l.delivered("quick") == 100 })
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("the quick endpoint waited %v", took)
	}
	l.mu.Lock()
	if n := l.delivered("slow"); n != 0 {
		t.Errorf("%d deliveries to an endpoint that never answered", n)
	}
	l.mu.Unlock()
	awaitHeld(t, slow, 8) // the quick endpoint may have been done before
	slow.release()
	l.await(t, "1,000 deliveries to the slow endpoint", func() bool { return l.delivered("slow") == 1000 })
	if n := slow.max.Load(); n > 8 {
		t.Errorf("the slow endpoint held %d requests at once, want at most 8", n)
	}
}

func TestARetryIsSentWhenItIsDue(t *testing.T) {
	t.Parallel()
	l := newLedger()
	l.backoff = 300 * time.Millisecond
	var mu sync.Mutex
	var times []time.Time
	var attempts, ids []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		times = append(times, time.Now())
		attempts = append(attempts, r.Header.Get("X-Service-Attempt"))
		ids = append(ids, r.Header.Get("webhook-id"))
		if len(times) < 3 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(s.Close)
	l.add("flaky", s.URL, 1)
	work(t, l, 0)
	l.await(t, "the third attempt", func() bool { return l.delivered("flaky") == 1 })
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(attempts, []string{"1", "2", "3"}) || ids[0] != ids[1] || ids[1] != ids[2] {
		t.Fatalf("attempts %v of %v", attempts, ids)
	}
	for i := range 2 {
		if gap := times[i+1].Sub(times[i]); gap < l.backoff || gap > l.backoff+500*time.Millisecond {
			t.Errorf("attempt %d came %v after the one before, want %v", i+2, gap, l.backoff)
		}
	}
}

func TestAttemptsUnderWayAreFinishedAtShutdown(t *testing.T) {
	t.Parallel()
	l, slow := newLedger(), newHanging(t)
	l.add("slow", slow.url, 50)
	stop := work(t, l, patience)
	l.await(t, "claims", func() bool { return l.leased() == 50 })
	awaitHeld(t, slow, 8)
	stopped := make(chan time.Duration, 1)
	go func() { stopped <- stop() }()
	l.await(t, "release of what had not begun", func() bool { return l.leased() == 8 })
	slow.release()
	<-stopped
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.delivered("slow"); n != 8 || l.leased() != 0 {
		t.Errorf("%d delivered, %d leases left; want 8 and 0", n, l.leased())
	}
}

func TestAHangingAttemptIsAbandonedAtShutdown(t *testing.T) {
	t.Parallel()
	l, slow := newLedger(), newHanging(t)
	l.add("slow", slow.url, 3)
	stop := work(t, l, 100*time.Millisecond)
	awaitHeld(t, slow, 3)
	if took := stop(); took < 100*time.Millisecond || took > 5*time.Second {
		t.Errorf("stopping took %v", took)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, e := range l.entries {
		if len(e.outcomes) != 0 || e.owner != "" {
			t.Errorf("%s: outcomes %v, lease of %q; want it untouched for the next worker", id, e.outcomes, e.owner)
		}
	}
}

// awaitHeld waits until the receiver holds n requests.
func awaitHeld(t *testing.T, h *hanging, n int32) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); h.held.Load() < n; <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("the receiver holds %d requests, want %d", h.held.Load(), n)
		}
	}
}

func TestAnOutcomeIsRecordedThroughAnOutage(t *testing.T) {
	t.Parallel()
	l := newLedger()
	l.failRecords = 2
	url, got := receiver(t)
	l.add("a", url, 1)
	work(t, l, 0)
	l.await(t, "the record", func() bool { return l.delivered("a") == 1 && l.leased() == 0 })
	if len(got) != 1 {
		t.Errorf("the delivery was sent %d times", len(got))
	}
}

func TestADeliveryThatNeedsNoAttemptIsLeftAlone(t *testing.T) {
	t.Parallel()
	l := newLedger()
	url, got := receiver(t)
	l.add("gone", "", 1)
	work(t, l, 0)
	l.await(t, "release", func() bool { return l.delivered("gone") == 1 && l.leased() == 0 })
	l.add("next", url, 1)
	l.await(t, "the next delivery", func() bool { return l.delivered("next") == 1 })
	if r := <-got; r.Headers["x-service-delivery"] != "next-00000" || len(got) != 0 {
		t.Errorf("received %v and %d more", r.Headers, len(got))
	}
}
