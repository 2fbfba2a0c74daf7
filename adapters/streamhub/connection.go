package streamhub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"understudy/domain"
)

const (
	// pingEvery and pongTimeout are the defaults of Options.
	pingEvery   = 20 * time.Second
	pongTimeout = 10 * time.Second
	// departure is how long a client may take to accept what it is being sent
	// when the hub is closed. Otherwise pings tell who accepts nothing.
	departure = 5 * time.Second
	// talk is how many messages of a client are ignored in a minute.
	talk = 120
)

var (
	errTooSlow  = errors.New("streamhub: the reader is too slow")
	errGone     = errors.New("streamhub: the client has gone")
	errShutdown = errors.New("streamhub: the service is going down")
	errFull     = domain.Refuse(domain.CodeUnavailable, "this node holds as many streams as it may; try again in a moment")
	errCrowded  = domain.Refuse(domain.CodeTooManyAtOnce, "this organization has as many streams open as it may; close some, or try again later")
)

// connection is an accepted WebSocket. Two goroutines belong to it: the
// request's, which writes, and one that reads control frames.
type connection struct {
	wire *wire
	// leave ends with the connection or with the hub.
	leave context.Context
}

// enter counts a connection of an organization, if there is room for it.
func (h *Hub) enter(organizationID string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ctx.Err() != nil:
		return domain.Refuse(domain.CodeUnavailable, "this node is going down; try again")
	case h.connections >= h.Limit:
		return errFull
	case h.PerOrganization > 0 && h.of[organizationID] >= h.PerOrganization:
		return errCrowded
	}
	h.connections++
	h.of[organizationID]++
	h.live.Add(1)
	return nil
}

func (h *Hub) exit(organizationID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.connections--
	less(h.of, organizationID)
	h.live.Done()
}

// less takes one off a count.
func less(counts map[string]int, of string) {
	if counts[of]--; counts[of] == 0 {
		delete(counts, of)
	}
}

// Connections is how many there are now.
func (h *Hub) Connections() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.connections
}

// serve upgrades the request, sends what send writes and closes: with 1000
// when send returns nil, 1013 for a slow reader, 1008 for one that talks too much,
// 1001 when the service goes down. With an error it has not answered.
func (h *Hub) serve(w http.ResponseWriter, r *http.Request, organizationID, ended string, send func(*connection) error) error {
	if err := h.enter(organizationID); err != nil {
		return err
	}
	defer h.exit(organizationID)
	// The capability is in the address or the header, never a cookie, so a
	// foreign page gains nothing by connecting: any origin may.
	var wire wire
	socket, err := websocket.Accept(upgrade{w, &wire}, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return nil //nolint:nilerr // Accept has answered
	}
	defer func() { _ = socket.CloseNow() }()
	ctx, heard := hear(context.WithoutCancel(r.Context()), socket)
	// A client is to get its close frame, so the hub's end must not cut ctx.
	leave, depart := context.WithCancelCause(ctx)
	defer depart(nil)
	defer context.AfterFunc(h.ctx, func() {
		depart(errShutdown)
		_ = wire.SetWriteDeadline(time.Now().Add(departure)) // it fails where there is nothing left to bound
	})()
	defer h.keepAlive(ctx, socket)()
	switch err := send(&connection{wire: &wire, leave: leave}); {
	case err == nil:
		_ = socket.Close(websocket.StatusNormalClosure, ended)
	case errors.Is(err, errTooSlow):
		_ = socket.Close(websocket.StatusTryAgainLater, "too slow; resume with ?after=<position>")
	case errors.Is(err, errShutdown):
		_ = socket.Close(websocket.StatusGoingAway, "going down; resume with ?after=<position>")
	case errors.Is(err, errGone) || ctx.Err() != nil:
		heard()
		h.Logger.Debug("stream ended", "path", r.URL.Path, "error", err)
	default:
		h.Logger.Warn("stream ended", "path", r.URL.Path, "error", err)
		_ = socket.Close(websocket.StatusInternalError, "resume with ?after=<position>")
	}
	return nil
}

// hear reads what a client sends, and ignores it: a stream only tells. Who sends
// more than talk messages a minute is closed with 1008. The context ends with the
// connection, and heard waits for who is being closed to have been told so.
func hear(parent context.Context, socket *websocket.Conn) (ctx context.Context, heard func()) {
	ctx, end := context.WithCancel(parent)
	closing, closed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(closed)
		defer end()
		defer func() { _ = socket.CloseNow() }()
		var since time.Time
		for said := 0; ; said++ {
			if now := time.Now(); now.Sub(since) >= time.Minute {
				since, said = now, 0
			}
			if said > talk {
				close(closing)
				_ = socket.Close(websocket.StatusPolicyViolation, "too many messages; this stream only tells")
				return
			}
			_, message, err := socket.Reader(ctx)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, message); err != nil {
				return
			}
		}
	}()
	return ctx, func() {
		select {
		case <-closing:
			<-closed
		default:
		}
	}
}

// keepAlive pings until stop is called, and cuts the connection when there is
// no answer, which also ends a write that nobody accepts. Between pings it is a
// timer and no goroutine.
func (h *Hub) keepAlive(ctx context.Context, socket *websocket.Conn) (stop func() bool) {
	var timer *time.Timer
	armed := make(chan struct{})
	timer = time.AfterFunc(h.PingEvery, func() {
		<-armed
		pong, stop := context.WithTimeout(ctx, h.PongTimeout)
		defer stop()
		if err := socket.Ping(pong); err != nil {
			h.Logger.Debug("stream without a pong", "error", err)
			_ = socket.CloseNow()
			return
		}
		timer.Reset(h.PingEvery)
	})
	close(armed)
	return timer.Stop
}

// write sends one frame; its error is errGone: nobody takes it.
func (c *connection) write(f frame) error {
	if err := c.wire.send(f); err != nil {
		return fmt.Errorf("%w: %w", errGone, err)
	}
	return nil
}
