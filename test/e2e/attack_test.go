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

// goesOn: tests are made and completed all the while, at least one of them before the
// attack is over, where that is known, and the service stays small.
func goesOn(t *testing.T, s *service, c client, attacked func() bool) {
	t.Helper()
	meanwhile := 0
	for range 3 {
		c.completed(t, c.create(t, harness.SignUp(4)).ID, time.Minute)
		if attacked != nil && attacked() {
			meanwhile++
		}
	}
	if attacked != nil && meanwhile == 0 {
		t.Error("no test was completed while the service was under attack")
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

// slowAnswers are answers by their status, and how long the first and the last took.
type slowAnswers struct {
	sync.Mutex
	by          map[int]int
	first, last time.Duration
}

func (e *slowAnswers) count(status int, took time.Duration) {
	e.Lock()
	defer e.Unlock()
	if len(e.by) == 0 {
		e.by, e.first = map[int]int{}, took
	}
	e.by[status]++
	e.first, e.last = min(e.first, took), max(e.last, took)
}

func (e *slowAnswers) any() bool {
	e.Lock()
	defer e.Unlock()
	return len(e.by) > 0
}

// TestAttackBySlowBodies: who sends a body byte by byte is told by the interface after half a
// minute that it did not come, is refused by pages after a minute, for the form's proof did not
// come either, and holds up nobody.
func TestAttackBySlowBodies(t *testing.T) {
	for _, to := range []struct {
		name, path, header string
		status             int
		after              time.Duration
	}{
		{"interface", "/v1/tests", "Authorization: Bearer %s\r\nContent-Type: application/json", http.StatusBadRequest, 30 * time.Second},
		{"pages", "/sign-in", "X-Key: %s\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded", http.StatusForbidden, time.Minute},
	} {
		t.Run(to.name, func(t *testing.T) {
			s := own(t)
			c := s.sandbox()
			// The attackers have a key of their own, and the minute's requests with it.
			head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\n"+to.header+"\r\nContent-Length: 1000000\r\n\r\n{", to.path, s.Addr, s.Keys.Live)
			var slow sync.WaitGroup
			var answers slowAnswers
			for range slowClients {
				conn, began := connect(t, s, head), time.Now()
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
						answers.count(0, time.Since(began))
						return
					}
					_ = answer.Body.Close()
					answers.count(answer.StatusCode, time.Since(began))
				})
			}
			goesOn(t, s, c, func() bool { return !answers.any() })
			slow.Wait()
			t.Logf("answers by status: %v, the first after %s, the last after %s", answers.by, answers.first, answers.last)
			if answers.by[to.status] != slowClients {
				t.Errorf("slow bodies were answered %v by status, want %d", answers.by, to.status)
			}
			// A clock ends them, not work: a machine that is slow is no slower with the first.
			if answers.first < to.after-5*time.Second || answers.first > to.after+15*time.Second {
				t.Errorf("the first was answered after %s, want %s", answers.first, to.after)
			}
		})
	}
}

// established is how many connections the service has accepted and not given up.
func established(t *testing.T, s *service) (n int) {
	t.Helper()
	_, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	const local, state, is = 1, 3, "01"
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) > state && strings.HasSuffix(f[local], fmt.Sprintf(":%04X", number)) && f[state] == is {
			n++
		}
	}
	return n
}

// TestAttackBySlowReaders: who asks for answers and streams and reads none of them holds up
// nobody, costs little, and is given up within a minute.
func TestAttackBySlowReaders(t *testing.T) {
	s := own(t)
	c := s.sandbox()
	made := c.create(t, harness.SignUp(4))
	for i := range slowClients {
		say := strings.Repeat(fmt.Sprintf("GET /v1/openapi.json HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", s.Addr, s.Keys.Live), 100)
		if i%3 == 0 {
			say = fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
				strings.TrimPrefix(made.StreamURL, "ws://"+s.Addr), s.Addr)
		}
		connect(t, s, say)
	}
	goesOn(t, s, c, func() bool { return established(t, s) >= slowClients*2/3 })
	patience.Eventually(t, 90*time.Second, "who reads nothing is given up", func() bool { return established(t, s) < slowClients/10 })
}
