package egress

import (
	"io"
	"net"
	"net/http"
	"time"
)

// tunnel serves CONNECT: it dials through the policy and then passes bytes
// both ways until both sides have ended, nothing moves for the idle time, or
// the proxy closes.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	upstream, err := reachOf(r.Context()).DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	defer upstream.Close()
	browser, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		p.fail(w, r, err)
		return
	}
	defer browser.Close()
	if !p.enter(browser, upstream) {
		return
	}
	defer p.leave(browser, upstream)

	near := &idleConn{Conn: browser, idle: p.idle}
	far := &idleConn{Conn: upstream, idle: p.idle}
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		// What the browser sent ahead is still in the server's buffer.
		early := io.LimitReader(buffered, int64(buffered.Reader.Buffered()))
		pass(far, io.MultiReader(early, near))
	}()
	pass(near, far)
	<-sent
}

// pass copies until src ends and tells dst so. When either of them breaks,
// both directions end, because a tunnel with a hole is of no use.
func pass(dst *idleConn, src io.Reader) {
	_, err := io.Copy(dst, src)
	if half, ok := dst.Conn.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	_ = dst.Close()
}

// enter registers the two ends of a tunnel, unless the proxy has closed.
func (p *Proxy) enter(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.tunnels.Add(1)
	for _, conn := range conns {
		p.open[conn] = struct{}{}
	}
	return true
}

func (p *Proxy) leave(conns ...net.Conn) {
	p.mu.Lock()
	for _, conn := range conns {
		delete(p.open, conn)
	}
	p.mu.Unlock()
	p.tunnels.Done()
}

// idleConn is a connection that fails with a time-out once nothing moved over
// it, in either direction, for the idle time.
type idleConn struct {
	net.Conn

	idle time.Duration
}

func (c *idleConn) Read(b []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.idle)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c *idleConn) Write(b []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.idle)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
