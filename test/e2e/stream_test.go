package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"

	"github.com/coder/websocket"
)

// message is one of a test's stream.
type message struct {
	Type      string
	TestID    string `json:"test_id"`
	SessionID string `json:"session_id"`
	Position  uint64
	Timestamp time.Time
	Data      json.RawMessage
}

// stream reads a test's WebSocket.
type stream struct {
	conn *websocket.Conn
	end  websocket.StatusCode // 0 while it is open
}

// follow opens a stream; after is the position to resume from, 0 for all.
func follow(t testing.TB, address string, after uint64) *stream {
	t.Helper()
	if after > 0 {
		address += fmt.Sprintf("%safter=%d", map[bool]string{true: "&", false: "?"}[strings.Contains(address, "?")], after)
	}
	ctx, cancel := context.WithTimeout(context.Background(), harness.RequestLimit)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, address, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		t.Fatalf("open the stream: %v", err)
	}
	conn.SetReadLimit(4 << 20)
	s := &stream{conn: conn}
	t.Cleanup(s.close)
	return s
}

func (s *stream) close() { _ = s.conn.CloseNow() }

// next is the next message; ok is false when the server has closed.
func (s *stream) next(ctx context.Context) (m message, ok bool, err error) {
	_, raw, err := s.conn.Read(ctx)
	if err != nil {
		if s.end = websocket.CloseStatus(err); s.end == -1 {
			return m, false, fmt.Errorf("the stream broke off: %w", err)
		}
		return m, false, nil
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, false, fmt.Errorf("not a message: %w: %.200s", err, raw)
	}
	return m, true, nil
}

// take reads until enough is true of what was read.
func (s *stream) take(t testing.TB, within time.Duration, enough func([]message) bool) (out []message) {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), within)
	defer cancel()
	for !enough(out) {
		m, ok, err := s.next(ctx)
		if err != nil || !ok {
			t.Fatalf("the stream ended with %d after %d messages: %v", s.end, len(out), err)
		}
		out = append(out, m)
	}
	return out
}

// all reads until the server closes.
func (s *stream) all(within time.Duration) (out []message, err error) {
	ctx, cancel := patience.Context(context.Background(), within)
	defer cancel()
	for {
		m, ok, err := s.next(ctx)
		if err != nil || !ok {
			return out, err
		}
		out = append(out, m)
	}
}

// rest reads to the end, which must be a close with 1000.
func (s *stream) rest(t testing.TB, within time.Duration) []message {
	t.Helper()
	out, err := s.all(within)
	if err != nil {
		t.Fatal(err)
	}
	if s.end != websocket.StatusNormalClosure {
		t.Errorf("the stream was closed with %d, want 1000", s.end)
	}
	return out
}

// kinds counts messages by type.
func kinds(messages []message) map[string]int {
	n := map[string]int{}
	for _, m := range messages {
		n[m.Type]++
	}
	return n
}

// places are the positions and types of messages, to compare runs of them.
func places(messages []message) []string {
	out := make([]string, len(messages))
	for i, m := range messages {
		out[i] = fmt.Sprintf("%d %s %s", m.Position, m.Type, m.SessionID)
	}
	return out
}
