package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"understudy/test/harness"
)

const (
	// besideEvery is the pace of who reads beside a large test.
	besideEvery = 200 * time.Millisecond
	besideAim   = "p99 ≤ 50 ms"
	// streamMessage is the largest message of a stream that is read, in bytes.
	streamMessage = 4 << 20
)

// measureBeside finds out what somebody meets who reads lists and reports, and somebody
// who watches, while the sessions of a large test are walked.
func measureBeside(ctx context.Context, b *bench, s *service, endedID string, sessions int) error {
	var answers, socket, models times
	c, ended := s.Sandbox(), make(chan streamed)
	reads := func(ctx context.Context, t harness.Test) error {
		paths := []string{"/tests?limit=20", "/tests/" + endedID + "/report", "/tests/" + t.ID + "/sessions?limit=20", "/tests/" + endedID}
		return steadilyUntil(ctx, func(i int) error {
			took, err := c.Call(ctx, http.MethodGet, paths[i%len(paths)], nil, nil)
			answers = append(answers, took)
			return err
		})
	}
	shown := func(ctx context.Context, _ harness.Test) error {
		return steadilyUntil(ctx, func(int) error {
			select {
			case m := <-ended:
				err := showsEnd(ctx, c, m.SessionID)
				models = append(models, time.Since(m.Timestamp))
				return err
			case <-ctx.Done():
				return nil
			}
		})
	}
	watches := func(ctx context.Context, t harness.Test) (err error) {
		socket, err = watch(ctx, t.StreamURL, ended)
		return err
	}
	if _, err := walkAll(ctx, s, sessions, reads, shown, watches); err != nil {
		return err
	}
	b.table.add("sandbox", "  beside it: lists and reports", answers.spread(), besideAim, fmt.Sprintf("n=%d, one each %s", len(answers), besideEvery))
	b.table.add("sandbox", "  from an event to its WebSocket", socket.spread(), besideAim, fmt.Sprintf("n=%d, from the event's time, in whole milliseconds", len(socket)))
	b.table.add("sandbox", "  from an event to GET that shows it", models.spread(), besideAim, fmt.Sprintf("n=%d ends of sessions, as their message came", len(models)))
	return nil
}

// steadilyUntil does something again and again until ctx ends or it fails.
func steadilyUntil(ctx context.Context, do func(i int) error) error {
	ticks := time.NewTicker(besideEvery)
	defer ticks.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		if err := do(i); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// streamed is a message of a stream, as far as somebody looks at it.
type streamed struct {
	Type      string
	SessionID string `json:"session_id"`
	Timestamp time.Time
}

// watch reads a test's stream to its end, tells how late each message was, and offers
// those of sessions that have ended.
func watch(ctx context.Context, address string, ended chan<- streamed) (late times, err error) {
	conn, _, err := websocket.Dial(ctx, address, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(streamMessage)
	for {
		_, raw, err := conn.Read(ctx)
		if err != nil {
			if ctx.Err() != nil || websocket.CloseStatus(err) == websocket.StatusNormalClosure {
				return late, nil
			}
			return late, err
		}
		var m streamed
		if err := json.Unmarshal(raw, &m); err != nil {
			return late, err
		}
		late = append(late, time.Since(m.Timestamp))
		if m.Type == "session.completed" {
			select {
			case ended <- m:
			default: // nobody waits for one
			}
		}
	}
}

// showsEnd reads a session until it is shown as completed.
func showsEnd(ctx context.Context, c harness.Client, sessionID string) error {
	for {
		var session struct{ Status string }
		if _, err := c.Call(ctx, http.MethodGet, "/sessions/"+sessionID, nil, &session); err != nil || session.Status == "completed" {
			return err
		}
	}
}
