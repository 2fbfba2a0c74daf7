package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
)

const (
	// largestMessage bounds a message of a stream, in bytes.
	largestMessage = 4 << 20
	// silenceLimit is how long nothing may come, not even a ping, which the service
	// sends every 20 s.
	silenceLimit = 45 * time.Second
	// connectLimit bounds one try to connect.
	connectLimit = 15 * time.Second
)

// Message is one of a test's stream (schema StreamMessage). Data is told apart by Type.
type Message struct {
	Type      string          `json:"type"`
	TestID    string          `json:"test_id"`
	SessionID string          `json:"session_id,omitempty"`
	Position  int64           `json:"position"` // to resume after
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

func (m Message) place() int64 { return m.Position }

// WebhookEvent is a message of the stream of webhook events (schema
// WebhookStreamMessage). One of the type "ready" begins each connection, and has a
// position only.
type WebhookEvent struct {
	Type     string
	Position int64 // to resume after
	ID       string
	Event    string
	TestID   string `json:"test_id"`
	Body     string
}

func (e WebhookEvent) place() int64 { return e.Position }

// Watch follows a test over its stream: its history first, then what happens, until
// its last message. A lost connection is made again and nothing is left out or told
// twice; lost is told why, once for each time. It ends with an error when the service
// refuses, there is nothing to call with, or ctx ends.
func (c *Client) Watch(ctx context.Context, testID string, lost func(error)) iter.Seq2[Message, error] {
	return follow[Message](ctx, c, nil, lost, "tests", url.PathEscape(testID), "stream")
}

// WebhookEvents follows what endpoints are sent, after a position (nil: from now on),
// as Watch follows a test. It has no last message.
func (c *Client) WebhookEvents(ctx context.Context, after *int64, lost func(error)) iter.Seq2[WebhookEvent, error] {
	return follow[WebhookEvent](ctx, c, after, lost, "webhooks", "stream")
}

// follow reads a stream of messages that have their place in it.
func follow[M interface{ place() int64 }](ctx context.Context, c *Client, after *int64, lost func(error), path ...string) iter.Seq2[M, error] {
	return func(yield func(M, error) bool) {
		place := after
		for pause, told := firstPause, false; ; {
			ended, err := connected(ctx, c, c.base.JoinPath(path...), place, func(m M) bool {
				at := m.place()
				pause, told, place = firstPause, false, &at
				return yield(m, nil)
			})
			if ended {
				return
			}
			refused, keyless := (*Error)(nil), (*keylessError)(nil)
			if ctx.Err() != nil || errors.As(err, &refused) || errors.As(err, &keyless) {
				var none M
				yield(none, errors.Join(err, ctx.Err()))
				return
			}
			if !told {
				told = true
				lost(err)
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
			pause = min(2*pause, lastPause)
		}
	}
}

// keylessError is that there is nothing to call with, and will not be.
type keylessError struct{ error }

func (e *keylessError) Unwrap() error { return e.error }

// connected reads one connection to its end. ended: the stream has, or nobody wants more.
func connected[M any](ctx context.Context, c *Client, at *url.URL, after *int64, yield func(M) bool) (ended bool, err error) {
	if after != nil {
		at.RawQuery = fmt.Sprintf("after=%d", *after)
	}
	conn, silence, err := c.dial(ctx, at)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.CloseNow() }()
	defer silence.Stop()
	for {
		_, raw, err := conn.Read(ctx)
		if websocket.CloseStatus(err) == websocket.StatusNormalClosure {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		silence.Reset(silenceLimit)
		var m M
		if err := json.Unmarshal(raw, &m); err != nil {
			return false, fmt.Errorf("not a message: %w", err)
		}
		if !yield(m) {
			return true, nil
		}
	}
}

// dial opens a WebSocket that is closed once silence has run out.
func (c *Client) dial(ctx context.Context, at *url.URL) (conn *websocket.Conn, silence *time.Timer, err error) {
	bearer, err := c.bearer(ctx)
	if unreachable := (*UnreachableError)(nil); err != nil && !errors.As(err, &unreachable) {
		return nil, nil, &keylessError{err}
	}
	if err != nil {
		return nil, nil, err
	}
	dial, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	conn, res, err := websocket.Dial(dial, at.String(), &websocket.DialOptions{ //nolint:bodyclose // the library closes it
		HTTPHeader:     http.Header{"Authorization": {"Bearer " + bearer}},
		OnPingReceived: func(context.Context, []byte) bool { silence.Reset(silenceLimit); return true }, // while it is read
	})
	switch {
	case err == nil:
	case res == nil, res.StatusCode == http.StatusTooManyRequests, res.StatusCode >= http.StatusInternalServerError:
		return nil, nil, &UnreachableError{Address: c.base.Scheme + "://" + c.base.Host, Cause: err}
	default:
		res.Request = &http.Request{URL: at}
		return nil, nil, refusal(res)
	}
	conn.SetReadLimit(largestMessage)
	return conn, time.AfterFunc(silenceLimit, func() { _ = conn.CloseNow() }), nil
}
