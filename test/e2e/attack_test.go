//go:build attack

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// slowClients is how many there are of each kind, and mostMemory what the service may take
// meanwhile, in MiB.
const (
	slowClients = 300
	mostMemory  = 600
)

// connect opens a connection to the service and says something on it.
func connect(t *testing.T, s *service, say string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, say); err != nil {
		t.Fatal(err)
	}
	return conn
}

// goesOn: tests are made and completed all the while, and the service stays small.
func goesOn(t *testing.T, s *service, c client) {
	t.Helper()
	for range 3 {
		c.completed(t, c.create(t, harness.SignUp(4)).ID, time.Minute)
	}
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.PID()), "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(after + " 0")[0])
	if err != nil || kib>>10 > mostMemory {
		t.Errorf("the service took %d MiB (%v)", kib>>10, err)
	}
	t.Logf("%d MiB", kib>>10)
}

// TestAttackBySlowBodies: who sends a body byte by byte is told after half a minute that it
// did not come, and holds up nobody.
func TestAttackBySlowBodies(t *testing.T) {
	s := own(t)
	c := s.sandbox()
	head := fmt.Sprintf("POST /v1/tests HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{", s.Addr, s.Keys.Test)
	var slow sync.WaitGroup
	for range slowClients {
		conn := connect(t, s, head)
		slow.Go(func() {
			drip, stop := context.WithCancel(t.Context())
			defer stop()
			go func() {
				for tick := time.NewTicker(time.Second); drip.Err() == nil; <-tick.C {
					_, _ = conn.Write([]byte(" "))
				}
			}()
			_ = conn.SetReadDeadline(time.Now().Add(patience.Scaled(2 * time.Minute)))
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("a slow body was not answered: %v", err)
				return
			}
			_ = answer.Body.Close()
			if answer.StatusCode != http.StatusBadRequest && answer.StatusCode != http.StatusTooManyRequests {
				t.Errorf("a slow body was answered with %d", answer.StatusCode)
			}
		})
	}
	goesOn(t, s, c)
	slow.Wait()
}

// TestAttackBySlowReaders: who asks for answers and streams and reads none of them costs
// little, and holds up nobody.
func TestAttackBySlowReaders(t *testing.T) {
	s := own(t)
	c := s.sandbox()
	made := c.create(t, harness.SignUp(4))
	for i := range slowClients {
		say := strings.Repeat(fmt.Sprintf("GET /v1/openapi.json HTTP/1.1\r\nHost: %s\r\n\r\n", s.Addr), 100)
		if i%3 == 0 {
			say = fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
				strings.TrimPrefix(made.StreamURL, "ws://"+s.Addr), s.Addr)
		}
		connect(t, s, say)
	}
	goesOn(t, s, c)
}
