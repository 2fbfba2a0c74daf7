package egress

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/test/patience"
)

// limit bounds every wait of these tests for something that must come, on an idle
// machine.
const limit = 30 * time.Second

// canary listens on every address of this machine, IPv4 and IPv6, TCP and UDP,
// for what must not come.
type canary struct {
	t    *testing.T
	port int
	mu   sync.Mutex
	came map[string]bool // first lines of what was sent, by connection
	more chan struct{}   // closed and made anew whenever came grows
}

// samePort listens for both at one port, which browsers and other tests take ports of one
// of them from.
func samePort(ctx context.Context) (tcp net.Listener, udp net.PacketConn, err error) {
	for range 50 {
		if tcp, err = new(net.ListenConfig).Listen(ctx, "tcp", ":0"); err != nil {
			return nil, nil, err
		}
		port := strconv.Itoa(tcp.Addr().(*net.TCPAddr).Port)
		if udp, err = new(net.ListenConfig).ListenPacket(ctx, "udp", ":"+port); err == nil {
			return tcp, udp, nil
		}
		_ = tcp.Close()
	}
	return nil, nil, err
}

func startCanary(t *testing.T) *canary {
	t.Helper()
	c := &canary{t: t, came: make(map[string]bool), more: make(chan struct{})}
	tcp, udp, err := samePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = tcp.Close(), udp.Close() })
	c.port = tcp.Addr().(*net.TCPAddr).Port
	go func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			go c.greet(conn)
		}
	}()
	go func() {
		packet := make([]byte, 1500)
		for {
			n, _, err := udp.ReadFrom(packet)
			if err != nil {
				return
			}
			c.note("udp " + string(packet[:min(n, 40)]))
		}
	}()
	return c
}

// greet notes a connection by its first line and answers so that nobody waits.
func (c *canary) greet(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience.Scaled(limit)))
	in := bufio.NewReader(conn)
	first, err := in.Peek(1)
	if err != nil || first[0] == 0x16 { // a TLS handshake, or no word at all
		c.note("tcp connection without a request")
		return
	}
	line, _ := in.ReadString('\n')
	c.note(strings.TrimSpace(line))
	for { // read the headers, else closing resets the connection
		header, err := in.ReadString('\n')
		if err != nil || strings.TrimSpace(header) == "" {
			break
		}
	}
	_, _ = conn.Write([]byte("HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n"))
}

func (c *canary) note(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.came[line] = true
	close(c.more)
	c.more = make(chan struct{})
}

// saw reports whether a request for /path came.
func (c *canary) saw(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range c.came {
		if strings.Contains(line, "/"+path+" ") || strings.Contains(line, "/"+path+"?") {
			return true
		}
	}
	return false
}

// waits until something has come that done asks for, and reports whether it did.
func (c *canary) waits(done func() bool) bool {
	ctx, cancel := patience.Context(context.Background(), limit)
	defer cancel()
	for {
		c.mu.Lock()
		more := c.more
		c.mu.Unlock()
		if done() {
			return true
		}
		select {
		case <-more:
		case <-ctx.Done():
			return done()
		}
	}
}

// untouched fails the test unless nothing but the test's own two signals came.
// They come last and prove that the canary would have told of earlier ones.
func (c *canary) untouched() {
	c.t.Helper()
	res, err := ask(c.t, "http://127.0.0.1:"+strconv.Itoa(c.port)+"/signal")
	if err != nil {
		c.t.Fatal(err)
	}
	_ = res.Body.Close()
	udp, err := new(net.Dialer).DialContext(c.t.Context(), "udp", "127.0.0.1:"+strconv.Itoa(c.port))
	if err != nil {
		c.t.Fatal(err)
	}
	defer udp.Close()
	if _, err := udp.Write([]byte("signal")); err != nil {
		c.t.Fatal(err)
	}
	own := []string{"GET /signal HTTP/1.1", "udp signal"}
	if !c.waits(func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.came[own[0]] && c.came[own[1]]
	}) {
		c.t.Fatal("the canary does not tell of what comes")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range c.came {
		if !slices.Contains(own, line) {
			c.t.Errorf("escaped: %q", line)
		}
	}
}

// ask sends a plain GET around every policy.
func ask(t *testing.T, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	// The default transport's connections are closed with other tests' servers.
	return (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
}
