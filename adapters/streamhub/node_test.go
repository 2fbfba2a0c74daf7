package streamhub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
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

// waiting bounds every wait of these tests, on an idle machine.
const waiting = 20 * time.Second

// log is a timeline in memory.
type log struct {
	mu       sync.Mutex
	messages []timeline.Stored
	changed  chan struct{}
	asked    atomic.Int64 // questions about what is new
	ended    atomic.Int64 // questions about ends
}

func newLog() *log { return &log{changed: make(chan struct{})} }

// add records a message of a test and returns its position.
func (l *log) add(test, kind, more string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := uint64(len(l.messages)) + 1
	l.messages = append(l.messages, timeline.Stored{
		TestID: test, Position: p, Type: kind,
		JSON: fmt.Appendf(nil, `{"type":%q,"test_id":%q,"position":%d,"more":%q}`, kind, test, p, more),
	})
	close(l.changed)
	l.changed = make(chan struct{})
	return p
}

func (l *log) where(limit int, yes func(timeline.Stored) bool) (out []timeline.Stored) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.messages {
		if yes(m) && len(out) < limit {
			m.JSON = slices.Clone(m.JSON)
			out = append(out, m)
		}
	}
	return out
}

func (l *log) After(_ context.Context, test string, position int64, limit int) ([]timeline.Stored, error) {
	return l.where(limit, func(m timeline.Stored) bool { return m.TestID == test && int64(m.Position) > position }), nil
}

func (l *log) Last(context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked.Add(1)
	return int64(len(l.messages)), nil
}

func (l *log) Between(_ context.Context, after, upTo int64, tests []string, limit int) ([]timeline.Stored, error) {
	return l.where(limit, func(m timeline.Stored) bool {
		return int64(m.Position) > after && int64(m.Position) <= upTo && (len(tests) == 0 || slices.Contains(tests, m.TestID))
	}), nil
}

func (l *log) Ended(_ context.Context, tests []string, position uint64) (over []string, _ error) {
	l.ended.Add(1)
	for _, m := range l.where(len(tests), func(m timeline.Stored) bool {
		return m.Type == "test.completed" && m.Position <= position && slices.Contains(tests, m.TestID)
	}) {
		over = append(over, m.TestID)
	}
	return over, nil
}

func (l *log) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// node is a hub behind a real server: /<test>?after=<position>, and /events.
type node struct {
	*streamhub.Hub
	url string
}

func serve(t *testing.T, o streamhub.Options) node {
	t.Helper()
	o.Logger = slog.New(slog.DiscardHandler)
	if o.Address == nil {
		o.Address = func(m timeline.Stored) []byte { return m.JSON }
	}
	if o.Limit == 0 {
		o.Limit = 100_000
	}
	if o.Timeline == nil {
		o.Timeline = newLog()
	}
	h := streamhub.New(o)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		after, err := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64)
		known := err == nil
		of := r.URL.Query().Get("of")
		if test := strings.TrimPrefix(r.URL.Path, "/"); test != "events" {
			err = h.ServeStream(w, r, of, test, after)
		} else if known {
			err = h.ServeEvents(w, r, "org", domain.Live, &after)
		} else {
			err = h.ServeEvents(w, r, "org", domain.Live, nil)
		}
		if err != nil {
			status := http.StatusServiceUnavailable
			if domain.CodeOf(err) == domain.CodeTooManyAtOnce {
				status = http.StatusTooManyRequests
			}
			http.Error(w, err.Error(), status)
		}
	}))
	t.Cleanup(func() { h.Close(); server.Close() })
	return node{h, "ws" + strings.TrimPrefix(server.URL, "http") + "/"}
}

// holds waits until the hub has so many connections.
func (n node) holds(t *testing.T, connections int) {
	t.Helper()
	patience.Eventually(t, waiting, fmt.Sprintf("%d connections", connections), func() bool { return n.Connections() == connections })
}

// client is one subscriber.
type client struct {
	*websocket.Conn
	t *testing.T
}

func (n node) dial(t *testing.T, path string) client {
	t.Helper()
	ctx, cancel := patience.Context(t.Context(), waiting)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, n.url+path, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return client{conn, t}
}

// next is the next message's position, or the code of the close.
func (c client) next() (position uint64, end websocket.StatusCode) {
	c.t.Helper()
	ctx, cancel := patience.Context(context.Background(), waiting)
	defer cancel()
	_, raw, err := c.Read(ctx)
	if err != nil {
		return 0, websocket.CloseStatus(err)
	}
	var m struct{ Position uint64 }
	if err := json.Unmarshal(raw, &m); err != nil {
		c.t.Fatalf("%v: %s", err, raw)
	}
	return m.Position, 0
}

// rest are the positions of all messages up to the close.
func (c client) rest() (out []uint64, end websocket.StatusCode) {
	c.t.Helper()
	for {
		p, end := c.next()
		if end != 0 {
			return out, end
		}
		out = append(out, p)
	}
}

func (c client) wants(positions ...uint64) {
	c.t.Helper()
	for _, want := range positions {
		if p, end := c.next(); p != want || end != 0 {
			c.t.Fatalf("position %d (close %d), want %d", p, end, want)
		}
	}
}
