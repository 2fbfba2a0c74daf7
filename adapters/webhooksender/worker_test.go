package webhooksender

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/test/patience"
)

// work runs a worker over the ledger; the returned function stops it and
// tells how long that took.
func work(t *testing.T, l *ledger, drain time.Duration) (stop func() time.Duration) {
	t.Helper()
	return workOver(t, l, drain, dial)
}

func workOver(t *testing.T, l *ledger, drain time.Duration, over DialFunc) (stop func() time.Duration) {
	t.Helper()
	return workAs(t, workerOf(l, drain, New(over)))
}

func workerOf(l *ledger, drain time.Duration, s *Sender) *Worker {
	return &Worker{Sender: s, Jobs: l, Deliveries: l, Logger: slog.New(slog.DiscardHandler), Owner: "worker", Wake: l.wake, Drain: drain}
}

func workAs(t *testing.T, w *Worker) (stop func() time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	stop = sync.OnceValue(func() time.Duration {
		begin := time.Now()
		cancel()
		if err := patience.Receive(t, limit, "the end of the worker", ended); !errors.Is(err, context.Canceled) {
			t.Errorf("Run = %v", err)
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
	work(t, l, 0)
	l.await(t, "100 deliveries to the quick endpoint", func() bool { return l.delivered("quick") == 100 })
	l.mu.Lock()
	for id, e := range l.entries {
		if e.job.Endpoint == "slow" && len(e.outcomes) > 0 {
			t.Errorf("%s has ended (%+v) before the quick ones were done", id, e.outcomes)
		}
	}
	l.mu.Unlock()
	awaitHeld(t, slow, 8) // the quick endpoint may have been done before
	slow.release()
	l.await(t, "1,000 deliveries to the slow endpoint", func() bool { return l.delivered("slow") == 1000 })
	if n := slow.max.Load(); n > 8 {
		t.Errorf("the slow endpoint held %d requests at once, want at most 8", n)
	}
}

func TestHangingEndpointsOfOneOrganizationDelayNoOther(t *testing.T) {
	t.Parallel()
	l, slow := newLedger(), newHanging(t)
	url, _ := receiver(t)
	for i := range 20 {
		l.add(fmt.Sprint("acme/", i), slow.url, 20)
	}
	work(t, l, 0)
	awaitHeld(t, slow, 64) // as many as they get
	l.add("quick", url, 1)
	l.await(t, "the delivery to the other organization", func() bool { return l.delivered("quick") == 1 })
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.attempts("quick"); n > 0 {
		t.Errorf("it came after %d attempts had timed out", n)
	}
	if n := slow.max.Load(); n > 64 {
		t.Errorf("one organization had %d attempts under way, want half of all at most", n)
	}
}

func TestEndpointsThatTimedOutTakeOnePlaceEach(t *testing.T) {
	t.Parallel()
	const endpoints, each = 16, 100
	l, slow := newLedger(), newHanging(t)
	url, _ := receiver(t)
	for i := range endpoints { // of as many organizations
		l.add(fmt.Sprint("slow", i), slow.url, each)
	}
	workAs(t, workerOf(l, 0, newSender(dial, patience.Scaled(300*time.Millisecond))))
	before := 0
	l.await(t, "the first attempts to each", func() bool { before = l.attempts("quick"); return before >= endpoints*defaultPerEndpoint })
	l.add("quick", url, 1)
	l.await(t, "a delivery to another endpoint", func() bool { return l.delivered("quick") == 1 })
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.attempts("quick") - before; n > 4*endpoints {
		t.Errorf("it came after %d more attempts had timed out", n)
	}
}

func TestWhatWaitsForASlowEndpointIsLeftToOthers(t *testing.T) {
	t.Parallel()
	l, slow := newLedger(), newHanging(t)
	l.add("slow", slow.url, 500)
	workAs(t, workerOf(l, 0, newSender(dial, patience.Scaled(300*time.Millisecond))))
	l.await(t, "the first attempts", func() bool { return l.attempts("") >= defaultPerEndpoint })
	l.await(t, "the end of the leases of what cannot begin soon", func() bool { return l.leased() <= 2 })
}

// TestWhatIsUnderWayIsNotBegunAgain: a worker that claims anew what it is sending, because its
// lease was lost, sends it once.
func TestWhatIsUnderWayIsNotBegunAgain(t *testing.T) {
	t.Parallel()
	l := newLedger()
	var requests atomic.Int32
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		requests.Add(1)
		<-release
	}))
	t.Cleanup(s.Close)
	l.add("acme", s.URL, 1)
	stop := work(t, l, limit)
	patience.Eventually(t, limit, "the request", func() bool { return requests.Load() == 1 })
	l.loseLeases()
	l.await(t, "another claim", func() bool { return l.entries["acme-00000"].owner == "worker" })
	close(release)
	l.await(t, "the delivery", func() bool { return l.delivered("acme") == 1 })
	stop()
	if n := requests.Load(); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}

// TestWhatAnotherHasTakenIsNotSent: a worker whose event store was slow to tell it what to
// send, and whose lease a crash lost meanwhile, leaves it to whom it went to.
func TestWhatAnotherHasTakenIsNotSent(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{true, false} {
		l := newLedger()
		l.loads = make(chan struct{})
		url, got := receiver(t)
		l.add("acme", url, 1)
		stop := work(t, l, limit)
		l.await(t, "a claim", func() bool { return l.leased() == 1 })
		claimed := time.Now()
		if taken {
			l.mu.Lock()
			l.entries["acme-00000"].owner = "another"
			l.mu.Unlock()
		}
		patience.Eventually(t, limit, "the lease to be old", func() bool { return time.Since(claimed) > renewAfter })
		close(l.loads)
		stop()
		if sent := len(got) > 0; sent == taken {
			t.Errorf("taken by another: %v, sent: %v", taken, sent)
		}
	}
}

func TestAttemptsUnderWayAreFinishedAtShutdown(t *testing.T) {
	t.Parallel()
	l, slow := newLedger(), newHanging(t)
	l.add("slow", slow.url, 50)
	stop := work(t, l, patience.Scaled(limit))
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
	if took := stop(); took < 100*time.Millisecond {
		t.Errorf("stopping took %v, less than the drain", took)
	}
	// One that was waited for would have an outcome: its timeout.
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
	patience.Eventually(t, limit, fmt.Sprintf("%d requests that the receiver holds", n), func() bool { return h.held.Load() >= n })
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
