package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"

	"github.com/coder/websocket"
)

// unsteady reads a test's stream over connections that it breaks off at
// random, lefts times at least, until the server says that the test is over.
// failing are errors of connecting that it may meet.
type unsteady struct {
	random *rand.Rand
	// most is how many messages one connection may bring.
	most  int
	lefts int
	// mayFail: the service may be away for a moment.
	mayFail bool
	got     []message
}

// read follows the stream to its end.
func (u *unsteady) read(ctx context.Context, address string) error {
	for {
		ended, err := u.once(ctx, address)
		switch {
		case ended:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("after %d messages and %d connections: %w", len(u.got), u.lefts, ctx.Err())
		case err != nil && !u.mayFail:
			return fmt.Errorf("after %d messages and %d connections: %w", len(u.got), u.lefts, err)
		case err != nil:
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		u.lefts++
	}
}

// once reads a few messages after the last one and leaves, mostly without a
// good-bye, at times before the first.
func (u *unsteady) once(ctx context.Context, address string) (ended bool, err error) {
	if n := len(u.got); n > 0 {
		address += fmt.Sprintf("&after=%d", u.got[n-1].Position)
	}
	dial, cancel := context.WithTimeout(ctx, harness.RequestLimit)
	defer cancel()
	conn, _, err := websocket.Dial(dial, address, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		return false, err
	}
	conn.SetReadLimit(4 << 20)
	defer func() { _ = conn.CloseNow() }()
	s := &stream{conn: conn}
	for range u.random.IntN(u.most + 1) {
		m, ok, err := s.next(ctx)
		if err != nil || !ok {
			return s.end == websocket.StatusNormalClosure, err
		}
		u.got = append(u.got, m)
	}
	if u.random.IntN(4) == 0 {
		_ = conn.Close(websocket.StatusNormalClosure, "")
	}
	return false, nil
}

// toldAll checks that what a client has read is everything, once and in order:
// what another one reads in one go, and what the sessions say.
func toldAll(t *testing.T, c client, created harness.Test, got []message) {
	t.Helper()
	if !slices.IsSortedFunc(got, func(a, b message) int { return int(a.Position) - int(b.Position) }) {
		t.Error("the messages came out of order")
	}
	whole := follow(t, created.StreamURL, 0).rest(t, time.Minute)
	if a, b := places(got), places(whole); !slices.Equal(a, b) {
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("%d and %d messages; the first that differs, %d: %s, want %s", len(a), len(b), i, a[i], b[i])
			}
		}
		t.Fatalf("%d messages, want %d", len(a), len(b))
	}
	ended, steps := map[string]int{}, map[string]int{}
	for _, m := range got {
		switch m.Type {
		case "session.completed", "session.failed":
			ended[m.SessionID]++
		case "session.step":
			steps[m.SessionID]++
		}
	}
	for _, session := range c.sessions(t, created.ID) {
		if ended[session.ID] != 1 || session.Attempt == 1 && steps[session.ID] != session.Steps {
			t.Errorf("session %d: told of %d ends and %d steps of %d", session.Index, ended[session.ID], steps[session.ID], session.Steps)
		}
	}
	if len(ended) != created.SessionsTotal {
		t.Errorf("told of the ends of %d sessions, want %d", len(ended), created.SessionsTotal)
	}
}

// seeded is chance that a failure can be repeated with.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano()) //nolint:gosec // any number will do
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // nothing secret
}

func TestAThousandDisconnectsLoseNothing(t *testing.T) {
	t.Parallel()
	const sessions, disconnects = 1000, 1000
	c := running(t).sandbox()
	created := c.create(t, signUp(sessions))
	u := &unsteady{random: seeded(t), most: 16}
	ctx, cancel := patience.Context(t.Context(), 3*time.Minute)
	defer cancel()
	if err := u.read(ctx, created.StreamURL); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d messages over %d connections", len(u.got), u.lefts+1)
	if u.lefts < disconnects {
		t.Errorf("disconnected %d times, want %d at least", u.lefts, disconnects)
	}
	toldAll(t, c, created, u.got)
}

// TestAKilledServiceLosesNoMessage has two readers that come and go, one of
// the test's stream and one of the webhook events, while the service is killed.
func TestAKilledServiceLosesNoMessage(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	hook := receive(t, c, nil)
	forwarded := listen(t, s, s.Keys.Test)
	created := c.create(t, signUp(1000))
	u := &unsteady{random: seeded(t), most: 60, mayFail: true}
	ctx, cancel := patience.Context(t.Context(), 3*time.Minute)
	defer cancel()
	read := make(chan error, 1)
	go func() { read <- u.read(ctx, created.StreamURL) }()
	hook.await(t, created.ID, time.Minute, "test.progress")
	s.Restarted(t)
	if err := <-read; err != nil {
		t.Fatal(err)
	}
	t.Logf("%d messages over %d connections", len(u.got), u.lefts+1)
	toldAll(t, c, created, u.got)

	for name, to := range map[string]interface {
		Of(id string, events ...string) []harness.Received
	}{"receiver": hook, "listener": forwarded} {
		patience.Eventually(t, time.Minute, "all 13 events at the "+name, func() bool {
			ids := map[string]bool{}
			for _, got := range to.Of(created.ID) {
				ids[got.ID] = true
			}
			return len(ids) == 13
		})
	}
	alike(t, hook.Of(created.ID), forwarded.Of(created.ID))
}

// alike checks that what was listened to is what was delivered, each event
// once and in order. A delivery may come twice after a kill.
func alike(t *testing.T, delivered, forwarded []harness.Received) {
	t.Helper()
	bodies := func(all []harness.Received) []string {
		out := make([]string, len(all))
		for i, got := range all {
			out[i] = string(got.Body)
		}
		return out
	}
	a, b := bodies(delivered), bodies(forwarded)
	if !slices.IsSortedFunc(forwarded, func(a, b harness.Received) int { return a.Timestamp.Compare(b.Timestamp) }) {
		t.Error("the events were forwarded out of order")
	}
	slices.Sort(a)
	slices.Sort(b)
	if a = slices.Compact(a); !slices.Equal(a, b) {
		t.Errorf("delivered:\n%s\nforwarded:\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	names := func(h http.Header) (out []string) {
		for name := range h {
			out = append(out, name)
		}
		slices.Sort(out)
		return out
	}
	if len(a) > 0 && len(b) > 0 && !slices.Equal(names(delivered[0].Header), names(forwarded[0].Header)) {
		t.Errorf("delivered with %v, forwarded with %v", names(delivered[0].Header), names(forwarded[0].Header))
	}
	ids := map[string]bool{}
	for _, got := range forwarded {
		wellFormed(t, got)
		ids[got.ID] = true
	}
	if len(ids) != len(b) {
		t.Errorf("%d events were forwarded under %d ids", len(b), len(ids))
	}
}
