package streamhub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

const (
	// pingEvery keeps connections through proxies and finds dead ones.
	pingEvery = 20 * time.Second
	// pongTimeout is how long a client may take to answer a ping.
	pongTimeout = 10 * time.Second
	// writeTimeout is how long a client may take to accept one message.
	writeTimeout = 10 * time.Second
)

var (
	errTooSlow  = errors.New("streamhub: the reader is too slow")
	errShutdown = errors.New("streamhub: the service is going down")
)

// ServeStream upgrades the request and sends the test's messages after a
// position, 0 for all of them, until the last one, which is followed by a
// close with 1000. A slow reader is closed with 1013, everybody with 1001 when
// the service goes down; both resume with ?after=<position>.
func (h *Hub) ServeStream(w http.ResponseWriter, r *http.Request, testID string, after uint64) error {
	h.mu.Lock()
	if h.ctx.Err() != nil {
		h.mu.Unlock()
		return errShutdown
	}
	h.live.Add(1)
	h.mu.Unlock()
	defer h.live.Done()
	// The capability is in the address or the header, never a cookie, so a
	// foreign page gains nothing by connecting: any origin may.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return nil // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }()
	// The hub's end does not cancel the connection's context: a client is to
	// get its close frame.
	ctx, cancel := context.WithCancelCause(conn.CloseRead(context.WithoutCancel(r.Context())))
	defer cancel(nil)
	go ping(ctx, cancel, conn)
	switch err := h.stream(ctx, conn, testID, int64(after)); {
	case err == nil:
		_ = conn.Close(websocket.StatusNormalClosure, "the test has ended")
	case errors.Is(err, errTooSlow):
		_ = conn.Close(websocket.StatusTryAgainLater, "too slow; resume with ?after=<position>")
	case errors.Is(err, errShutdown):
		_ = conn.Close(websocket.StatusGoingAway, "going down; resume with ?after=<position>")
	case ctx.Err() == nil:
		h.logger.Warn("stream ended", "test", testID, "error", err)
		_ = conn.Close(websocket.StatusInternalError, "resume with ?after=<position>")
	}
	return nil
}

func ping(ctx context.Context, cancel context.CancelCauseFunc, conn *websocket.Conn) {
	ticks := time.NewTicker(pingEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		pong, stop := context.WithTimeout(ctx, pongTimeout)
		err := conn.Ping(pong)
		stop()
		if err != nil {
			cancel(fmt.Errorf("no pong: %w", err))
			return
		}
	}
}

// stream returns nil after the test's last message.
func (h *Hub) stream(ctx context.Context, conn *websocket.Conn, testID string, position int64) error {
	if position == 0 {
		position = -1
	}
	// History page by page, until little enough is left to join the feed.
	for {
		last, n, ended, err := h.history(ctx, conn, testID, position, page)
		if err != nil || ended {
			return err
		}
		position = last
		if n < page {
			break
		}
	}
	f, s, joined := h.join(testID, position)
	defer h.leave(f, s)
	for position < joined {
		last, n, ended, err := h.history(ctx, conn, testID, position, int(min(int64(page), joined-position)))
		if err != nil || ended {
			return err
		}
		if n == 0 {
			break
		}
		position = last
	}
	for {
		select {
		case m, open := <-s.messages:
			switch {
			case open && int64(m.Position) > position:
				if err := write(ctx, conn, m.JSON); err != nil {
					return err
				}
				position = int64(m.Position)
			case !open && s.tooSlow:
				return errTooSlow
			case !open && s.ended:
				return nil
			case !open:
				return errShutdown
			}
		case <-h.ctx.Done():
			return errShutdown
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// history sends one page and tells the position reached, how many messages
// there were, and whether the last of the test was among them.
func (h *Hub) history(ctx context.Context, conn *websocket.Conn, testID string, position int64, limit int) (last int64, n int, ended bool, err error) {
	if h.ctx.Err() != nil {
		return position, 0, false, errShutdown
	}
	read, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	messages, err := h.timeline.After(read, testID, position, limit)
	if err != nil {
		return position, 0, false, err
	}
	if len(messages) == 0 {
		// A client may resume after the very last message.
		ended, err = h.timeline.Ended(read, testID, uint64(max(position, 0)))
		return position, 0, ended, err
	}
	if ended, err = h.ended(read, testID, messages); err != nil {
		return position, 0, false, err
	}
	for _, m := range messages {
		if err := write(ctx, conn, h.decorate(m.JSON)); err != nil {
			return position, 0, false, err
		}
		position = int64(m.Position)
	}
	return position, len(messages), ended, nil
}

func write(ctx context.Context, conn *websocket.Conn, message []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, message)
}
