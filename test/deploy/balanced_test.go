package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"understudy/adapters/postgres/pgtest"
	"understudy/test/harness"
	"understudy/test/patience"
)

// pause is what a caller rests after each request.
const pause = 10 * time.Millisecond

// noticeLimit bounds the wait for haproxy to notice how a node is.
const noticeLimit = time.Minute

// TestNodesRestartInTurnBehindHaproxy: haproxy with the file that compose.yaml gives it, in
// front of three nodes with the settings that it gives them. Each is restarted in turn while
// clients read and write, and none of their requests fails. haproxy tells the nodes who
// calls, and WebSockets go through it.
func TestNodesRestartInTurnBehindHaproxy(t *testing.T) {
	t.Parallel()
	project := composed(t)
	on := place{dir: shortDir(t), binary: built(t)}
	front := free(t)
	delay, err := time.ParseDuration(*project.Services["api1"].Environment["UNDERSTUDY_DRAIN_DELAY"])
	if err != nil {
		t.Fatal(err)
	}
	delay = min(patience.Scaled(delay), time.Minute) // haproxy's looks are late where the machine is
	settings := map[string]string{
		"UNDERSTUDY_EVENTSTORE": "esdb://" + on.node(t, nil, "--insecure") + "?tls=false", "UNDERSTUDY_DATABASE_URL": pgtest.URL(t),
		"UNDERSTUDY_BASE_URL": "http://" + front + "/v1", "UNDERSTUDY_TRUSTED_PROXIES": "127.0.0.1/32", "UNDERSTUDY_DRAIN_DELAY": delay.String(),
		"UNDERSTUDY_PLANS": "team=1000000/unlimited",
	}
	serve := func(name, address string) *harness.Process {
		t.Helper()
		settings["UNDERSTUDY_LISTEN"] = address
		return on.serve(t, project.Services[name], settings)
	}
	serve("projector1", "127.0.0.1:0")
	file := strings.Replace(string(deployed(t, "haproxy.cfg")), "bind :8080", "bind "+front, 1)
	addresses, nodes := map[string]string{}, map[string]*harness.Process{}
	for _, name := range answering {
		addresses[name] = free(t)
		nodes[name] = serve(name, addresses[name])
		file = strings.Replace(file, name+":8080", addresses[name], 1)
	}
	haproxy := balance(t, on, file)
	caller := harness.Client{Addr: front, Key: sandboxKey(t, on)}
	through(t, caller)
	haproxyTellsWhoCalls(t, front)

	stop := callers(t, caller)
	for _, name := range answering {
		if code, err := nodes[name].Terminate(harness.StopLimit + delay); code != 0 || err != nil {
			t.Errorf("stop %s: %d, %v", name, code, err)
		}
		shows(t, haproxy, "Server api/"+name+" is DOWN, reason: Layer7 wrong status")
		nodes[name] = serve(name, addresses[name])
		shows(t, haproxy, "Server api/"+name+" is UP")
	}
	if answered := stop(); answered < 100 {
		t.Errorf("only %d requests were made meanwhile", answered)
	} else {
		t.Logf("%d requests were answered meanwhile", answered)
	}
	var ending sync.WaitGroup // at once: each takes its delay
	for _, node := range nodes {
		ending.Go(func() { _, _ = node.Terminate(harness.StopLimit + delay) })
	}
	ending.Wait()
}

func free(t *testing.T) string {
	t.Helper()
	address, err := harness.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// balance starts haproxy with a configuration.
func balance(t *testing.T, on place, configuration string) *harness.Process {
	t.Helper()
	file := filepath.Join(on.dir, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	haproxy, err := harness.Launch(exec.Command(program(t, "haproxy"), "-db", "-f", file)) //nolint:gosec // of the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := haproxy.Terminate(harness.StopLimit); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("haproxy's output:\n%s", haproxy.Printed())
		}
	})
	return haproxy
}

func shows(t *testing.T, p *harness.Process, text string) {
	t.Helper()
	if said, err := p.Shows(t.Context(), noticeLimit, text); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
}

// sandboxKey is that of the installation's first organization.
func sandboxKey(t *testing.T, on place) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(on.dir, "data", "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	var keys struct{ Test string }
	if err := json.Unmarshal(raw, &keys); err != nil {
		t.Fatal(err)
	}
	return keys.Test
}

// errand is a test that nobody walks.
var errand = map[string]any{"url": "https://shop.example.com/", "task": "Find the price", "sessions": 1}

// through waits until haproxy passes requests on, and follows a test by a WebSocket.
func through(t *testing.T, c harness.Client) {
	t.Helper()
	patience.Eventually(t, noticeLimit, "haproxy passes requests on", func() bool {
		a, err := c.Send(t.Context(), http.MethodGet, "/tests", nil)
		return err == nil && a.StatusCode == http.StatusOK
	})
	var made harness.Test
	if _, err := c.Call(t.Context(), http.MethodPost, "/tests", errand, &made); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := patience.Context(t.Context(), noticeLimit)
	defer cancel()
	stream, _, err := websocket.Dial(ctx, made.StreamURL, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		t.Fatalf("open the stream: %v", err)
	}
	defer func() { _ = stream.CloseNow() }()
	if _, err := c.Call(t.Context(), http.MethodDelete, "/tests/"+made.ID, nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, raw, err := stream.Read(ctx); err != nil || !strings.Contains(string(raw), made.ID) {
		t.Errorf("the stream has %s: %v", raw, err)
	}
}

// haproxyTellsWhoCalls: who sends no key is counted by the address that haproxy sees,
// whatever they say of themselves.
func haproxyTellsWhoCalls(t *testing.T, front string) {
	t.Helper()
	left := func(from, claimed string) (window, remaining string) {
		t.Helper()
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+front+"/v1/tests", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Forwarded-For", claimed)
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.Header.Get("X-RateLimit-Reset"), res.Header.Get("X-RateLimit-Remaining")
	}
	for i := range 3 { // a minute may end among them
		one, two := fmt.Sprint("127.0.0.", 2+2*i), fmt.Sprint("127.0.0.", 3+2*i)
		window, first := left(one, "203.0.113.1")
		_, second := left(one, "203.0.113.2")
		last, other := left(two, "203.0.113.2")
		if window != last {
			continue
		}
		if first == "" || second == first || other != first {
			t.Errorf("an address is left %s and then %s, another %s", first, second, other)
		}
		return
	}
	t.Error("no minute is long enough for three requests")
}

// callers read and write, over connections that they keep and over new ones, until stop
// is called, which tells how many requests were answered as they should. All must be.
func callers(t *testing.T, c harness.Client) (stop func() int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var answered atomic.Int64
	var all sync.WaitGroup
	ask := func(connection, method, path string, body any, wants int) []byte {
		a, err := c.Send(ctx, method, path, body, "Connection", connection)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		switch {
		case ctx.Err() != nil && errors.Is(err, context.Canceled):
		case err != nil:
			t.Errorf("%s %s: %v", method, path, err)
		case a.StatusCode != wants:
			t.Errorf("%s %s: %d %s", method, path, a.StatusCode, a.Body)
		default:
			answered.Add(1)
		}
		return a.Body
	}
	for _, connection := range []string{"", "close"} {
		all.Go(func() {
			for ctx.Err() == nil {
				ask(connection, http.MethodGet, "/tests", nil, http.StatusOK)
			}
		})
		all.Go(func() {
			for ctx.Err() == nil {
				var made harness.Test
				if err := json.Unmarshal(ask(connection, http.MethodPost, "/tests", errand, http.StatusCreated), &made); err == nil {
					ask(connection, http.MethodDelete, "/tests/"+made.ID, nil, http.StatusOK)
				}
			}
		})
	}
	return func() int64 {
		cancel()
		all.Wait()
		return answered.Load()
	}
}
