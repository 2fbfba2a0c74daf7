package egress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"understudy/test/patience"
)

// upgradeSite answers an upgrade and then echoes, as a WebSocket server does.
func upgradeSite(t *testing.T) *httptest.Server {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, in, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_, _ = io.Copy(conn, in)
	}))
	t.Cleanup(site.Close)
	return site
}

// expectEcho sends a line and reads it back.
func expectEcho(t *testing.T, conn io.Writer, in *bufio.Reader, line string) {
	t.Helper()
	if _, err := io.WriteString(conn, line); err != nil {
		t.Fatal(err)
	}
	if got, err := in.ReadString('\n'); got != line {
		t.Fatalf("echo = %q, %v", got, err)
	}
}

func TestProxyUpgradesInBothForms(t *testing.T) {
	t.Parallel()
	host := strings.TrimPrefix(upgradeSite(t).URL, "http://")
	p := startProxy(t, NewPolicy(loopback))
	upgrade := " HTTP/1.1\r\nHost: " + host + "\r\nConnection: Upgrade\r\nUpgrade: echo\r\n"

	got := connect(t, p, host, func(conn net.Conn, in *bufio.Reader) {
		_, _ = io.WriteString(conn, "GET /"+upgrade+"\r\n")
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("upgrade in a tunnel: %v", err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("upgrade in a tunnel: %v", res)
		}
		expectEcho(t, conn, in, "hello\n")
	})
	if got.status != http.StatusOK {
		t.Fatalf("CONNECT: %d", got.status)
	}

	ctx, cancel := patience.Context(t.Context(), limit)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/", nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	res, err := through(t, p, p.user(t, "http://"+host)).Transport.RoundTrip(req)
	if err != nil {
		t.Fatalf("upgrade in absolute form: %v", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("upgrade in absolute form: %v", res)
	}
	body := res.Body.(io.ReadWriteCloser)
	expectEcho(t, body, bufio.NewReader(body), "hello\n")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _ = io.ReadAll(body); ctx.Err() != nil {
		t.Error("the upgraded connection outlives the proxy")
	}
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

func TestCloseEndsTunnelsAndTheListener(t *testing.T) {
	t.Parallel()
	host := strings.TrimPrefix(upgradeSite(t).URL, "http://")
	for _, end := range []string{"Close", "context"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p, err := StartProxy(ctx, NewPolicy(loopback), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			connect(t, p, host, func(_ net.Conn, in *bufio.Reader) {
				if end == "context" {
					cancel()
				} else if err := p.Close(); err != nil {
					t.Error(err)
				}
				if _, err := in.ReadByte(); err == nil || isTimeout(err) {
					t.Errorf("the tunnel stays open: %v", err)
				}
			})
			if err := p.Close(); err != nil {
				t.Errorf("closing again: %v", err)
			}
			if c, err := dial(t, p); err == nil {
				c.Close()
				t.Error("the listener stays open")
			}
		})
	}
}

func TestIdleTunnelsEndAndBusyOnesStay(t *testing.T) {
	t.Parallel()
	idle := patience.Scaled(time.Second)
	far := listen(t)
	defer far.Close()
	go func() { // sends for four idle times, then falls silent
		conn, err := far.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		tick := time.NewTicker(idle / 5)
		defer tick.Stop()
		for range 20 {
			<-tick.C
			_, _ = conn.Write([]byte("."))
		}
		_, _ = io.Copy(io.Discard, conn)
	}()
	p := startIdleProxy(t, NewPolicy(loopback), idle)
	connect(t, p, far.Addr().String(), func(conn net.Conn, in *bufio.Reader) {
		got, err := io.ReadAll(in)
		if err != nil && isTimeout(err) {
			t.Error("a silent tunnel stays open")
		}
		if len(got) != 20 {
			t.Errorf("%d of 20 bytes arrived before the tunnel ended: %v", len(got), err)
		}
	})
}
