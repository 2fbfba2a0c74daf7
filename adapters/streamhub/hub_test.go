package streamhub_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"understudy/adapters/streamhub"
	"understudy/domain"
	"understudy/projections/timeline"
	"understudy/test/patience"
)

func TestHistoryThenLiveThenTheEnd(t *testing.T) {
	t.Parallel()
	l := newLog()
	n := serve(t, streamhub.Options{Timeline: l})
	a, b := l.add("a", "session.step", ""), l.add("b", "session.step", "")
	first := n.dial(t, "a")
	first.wants(a)
	a2 := l.add("a", "session.step", "")
	first.wants(a2)
	resumed, other := n.dial(t, fmt.Sprintf("a?after=%d", a)), n.dial(t, "b")
	resumed.wants(a2)
	other.wants(b)
	done := l.add("a", "test.completed", "")
	for _, c := range []client{first, resumed} {
		if got, end := c.rest(); !slices.Equal(got, []uint64{done}) || end != websocket.StatusNormalClosure {
			t.Errorf("%v, closed with %d", got, end)
		}
	}
	// Whoever comes later gets the same, and the end at once after the last.
	if got, end := n.dial(t, "a").rest(); !slices.Equal(got, []uint64{a, a2, done}) || end != websocket.StatusNormalClosure {
		t.Errorf("%v, closed with %d", got, end)
	}
	if got, end := n.dial(t, fmt.Sprintf("a?after=%d", done)).rest(); len(got) > 0 || end != websocket.StatusNormalClosure {
		t.Errorf("%v, closed with %d", got, end)
	}
	b2 := l.add("b", "session.step", "")
	other.wants(b2) // nothing of the other test came between
}

func TestNobodyMissesAMessageWhileManyComeAndGo(t *testing.T) {
	t.Parallel()
	const tests, each = 120, 60 // more tests than the reader asks for by name
	l := newLog()
	n := serve(t, streamhub.Options{Timeline: l})
	want := make([][]uint64, tests)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := range each {
			for test := range tests {
				kind := "session.step"
				if i == each-1 {
					kind = "test.completed"
				}
				want[test] = append(want[test], l.add(strconv.Itoa(test), kind, ""))
			}
		}
	}()
	got := make([][]uint64, tests)
	var clients sync.WaitGroup
	for test := range tests {
		clients.Go(func() {
			at := uint64(0)
			for leaving := 3 + test%9; ; {
				c := n.dial(t, fmt.Sprintf("%d?after=%d", test, at))
				for range leaving {
					p, end := c.next()
					if end == websocket.StatusNormalClosure {
						return
					}
					if end != 0 {
						t.Errorf("closed with %d", end)
						return
					}
					got[test], at = append(got[test], p), p
				}
				_ = c.CloseNow()
			}
		})
	}
	clients.Wait()
	<-written
	for test := range tests {
		if !slices.Equal(got[test], want[test]) {
			t.Errorf("test %d: %v, want %v", test, got[test], want[test])
		}
	}
}

func TestManyWatchedTestsAreReadByOne(t *testing.T) {
	t.Parallel()
	const tests = 300
	l := newLog()
	n := serve(t, streamhub.Options{Timeline: l})
	clients := make([]client, tests)
	for i := range clients {
		first := l.add(strconv.Itoa(i), "session.step", "")
		clients[i] = n.dial(t, strconv.Itoa(i))
		clients[i].wants(first)
	}
	// Live from here: everybody has his feed once he has had a live message.
	for i, c := range clients {
		c.wants(l.add(strconv.Itoa(i), "session.step", ""))
	}
	before := l.asked.Load()
	p := l.add("7", "session.step", "")
	clients[7].wants(p)
	// The message, and perhaps a look or two by the clock: not one a test.
	if asked := l.asked.Load() - before; asked > 20 {
		t.Errorf("one message of one test made %d questions", asked)
	}
}

func TestAMessageIsMadeReadyOnceForAll(t *testing.T) {
	t.Parallel()
	const subscribers = 50
	var made atomic.Int64
	l := newLog()
	n := serve(t, streamhub.Options{Timeline: l, Address: func(m timeline.Stored) []byte { made.Add(1); return m.JSON }})
	clients := make([]client, subscribers)
	for i := range clients {
		clients[i] = n.dial(t, "a")
	}
	n.holds(t, subscribers)
	// Until all are live a message may be history to some.
	for made.Load() == 0 || made.Load() > 1 {
		made.Store(0)
		p := l.add("a", "session.step", "")
		for _, c := range clients {
			c.wants(p)
		}
	}
}

func TestASlowReaderIsClosedAndResumes(t *testing.T) {
	t.Parallel()
	const messages = 4000
	l := newLog()
	n := serve(t, streamhub.Options{Timeline: l, PingEvery: time.Hour}) // it is slow, not gone
	slow, quick := n.dial(t, "a"), n.dial(t, "a")
	first := l.add("a", "session.step", "")
	slow.wants(first)
	quick.wants(first)
	large := strings.Repeat("x", 4<<10) // more than sockets hold
	// The quick one is not held up.
	got := []uint64{first}
	for range messages / 100 {
		from := len(got)
		for range 100 {
			got = append(got, l.add("a", "session.step", large))
		}
		quick.wants(got[from:]...)
	}
	got = append(got, l.add("a", "test.completed", ""))
	if last, end := quick.rest(); len(last) != 1 || end != websocket.StatusNormalClosure {
		t.Fatalf("the quick one got %v in the end and was closed with %d", last, end)
	}
	part, end := slow.rest()
	if end != websocket.StatusTryAgainLater {
		t.Fatalf("the slow one was closed with %d after %d messages, want 1013", end, len(part))
	}
	rest, end := n.dial(t, fmt.Sprintf("a?after=%d", part[len(part)-1])).rest()
	if end != websocket.StatusNormalClosure || !slices.Equal(append(part, rest...), got[1:]) {
		t.Errorf("%d and %d messages make not all %d; closed with %d", len(part), len(rest), len(got), end)
	}
}

func TestTheHubsEndSendsEverybodyElsewhere(t *testing.T) {
	t.Parallel()
	l := newLog()
	n := serve(t, streamhub.Options{Timeline: l, Published: silent{}})
	a, events := n.dial(t, "a"), n.dial(t, "events")
	p := l.add("a", "session.step", "")
	a.wants(p)
	events.wants(5)
	closed := make(chan struct{})
	go func() { defer close(closed); n.Close() }()
	for _, c := range []client{a, events} {
		if got, end := c.rest(); len(got) > 0 || end != websocket.StatusGoingAway {
			t.Errorf("%v, closed with %d, want 1001", got, end)
		}
	}
	<-closed
	if n.refuses(t, "a") != http.StatusServiceUnavailable {
		t.Error("a hub that has ended takes connections")
	}
}

// refuses is the status of the answer to a connection that is not let in.
func (n node) refuses(t *testing.T, path string) int {
	t.Helper()
	ctx, cancel := patience.Context(t.Context(), waiting)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, n.url+path, nil) //nolint:bodyclose // the library closes it
	if err == nil {
		_ = conn.CloseNow()
		return http.StatusSwitchingProtocols
	}
	if res == nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

func TestAFullHubRefusesUntilSomebodyLeaves(t *testing.T) {
	t.Parallel()
	n := serve(t, streamhub.Options{Limit: 2})
	one := n.dial(t, "a")
	n.dial(t, "b")
	if status := n.refuses(t, "c"); status != http.StatusServiceUnavailable {
		t.Errorf("the third of two was answered with %d", status)
	}
	_ = one.CloseNow()
	n.holds(t, 1)
	if status := n.refuses(t, "c"); status != http.StatusSwitchingProtocols {
		t.Errorf("a place had become free; the answer was %d", status)
	}
}

func TestAnOrganizationHasItsShareOfTheHubAndNoMore(t *testing.T) {
	t.Parallel()
	n := serve(t, streamhub.Options{Limit: 10, PerOrganization: 2})
	one := n.dial(t, "a?of=crowd")
	n.dial(t, "b?of=crowd")
	if status := n.refuses(t, "a?of=crowd"); status != http.StatusTooManyRequests {
		t.Errorf("the third of two was answered with %d", status)
	}
	n.dial(t, "a?of=others")
	_ = one.CloseNow()
	n.holds(t, 2)
	if status := n.refuses(t, "a?of=crowd"); status != http.StatusSwitchingProtocols {
		t.Errorf("a place had become free; the answer was %d", status)
	}
}

func TestClientsArePingedAndTheDeadAreFound(t *testing.T) {
	t.Parallel()
	n := serve(t, streamhub.Options{PingEvery: 20 * time.Millisecond, PongTimeout: patience.Scaled(2 * time.Second)})
	pings := make(chan struct{}, 3)
	ctx, cancel := patience.Context(t.Context(), waiting)
	defer cancel()
	alive, _, err := websocket.Dial(ctx, n.url+"a", &websocket.DialOptions{ //nolint:bodyclose // the library closes it
		OnPingReceived: func(context.Context, []byte) bool {
			select {
			case pings <- struct{}{}:
			default: // whoever counts comes later; the answer must not wait
			}
			return true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = alive.CloseNow() }()
	alive.CloseRead(ctx)
	// This one never reads, and so never answers.
	n.dial(t, "a")
	n.holds(t, 2)
	n.holds(t, 1)
	for len(pings) > 0 {
		<-pings
	}
	for range 3 {
		select {
		case <-pings:
		case <-ctx.Done():
			t.Fatal("the one that answers is pinged no more")
		}
	}
}

func TestTextsOfAnyLengthArriveWhole(t *testing.T) {
	t.Parallel()
	lengths := []int{1, 125, 126, 127, 65_535, 65_536, 65_537}
	l := newLog()
	n := serve(t, streamhub.Options{Timeline: l, Address: func(m timeline.Stored) []byte {
		return bytes.Repeat([]byte("x"), lengths[m.Position-1])
	}})
	ctx, cancel := patience.Context(t.Context(), waiting)
	defer cancel()
	for i, length := range lengths {
		p := l.add("a", "session.step", "")
		c := n.dial(t, fmt.Sprintf("a?after=%d", i))
		c.SetReadLimit(1 << 20)
		if _, text, err := c.Read(ctx); err != nil || len(text) != length {
			t.Errorf("message %d has %d bytes, want %d: %v", p, len(text), length, err)
		}
	}
}

// stuck is a client that has been told more than sockets hold and reads
// nothing.
func (n node) stuck(t *testing.T, l *log) {
	t.Helper()
	n.dial(t, "a")
	n.holds(t, 1)
	for range 16 {
		l.add("a", "session.step", strings.Repeat("x", 1<<20))
	}
}

func TestAClientThatAcceptsNothingIsCutOff(t *testing.T) {
	t.Parallel()
	l := newLog()
	n := serve(t, streamhub.Options{Timeline: l, PingEvery: 20 * time.Millisecond, PongTimeout: patience.Scaled(2 * time.Second)})
	n.stuck(t, l)
	n.holds(t, 0)
}

func TestTheHubsEndDoesNotWaitForAClientThatAcceptsNothing(t *testing.T) {
	t.Parallel()
	l := newLog()
	n := serve(t, streamhub.Options{Timeline: l, PingEvery: time.Hour})
	n.stuck(t, l)
	ended := make(chan struct{})
	go func() { defer close(ended); n.Close() }()
	patience.Receive(t, waiting, "the end of the hub", ended)
}

// silent follows without an event; it begins after position 5.
type silent struct{}

func (silent) Follow(ctx context.Context, _ string, _ domain.Environment, _ *uint64, begun func(uint64) error, _ func(streamhub.Event) error) error {
	if err := begun(5); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}
