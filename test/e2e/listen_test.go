package e2e

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// listening is `understudy webhooks listen` at work.
type listening struct {
	*receiver
	cmd    *exec.Cmd
	exited chan struct{}

	mu    sync.Mutex
	lines []string
}

// secretLine begins the line that shows a generated secret.
const secretLine = "signing secret of this run: "

func (l *listening) print(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	if made, ok := strings.CutPrefix(line, secretLine); ok {
		l.receiver.mu.Lock()
		defer l.receiver.mu.Unlock()
		l.signedWith = made
	}
}

// printed are the lines so far that match.
func (l *listening) printed(pattern string) (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if regexp.MustCompile(pattern).MatchString(line) {
			out = append(out, line)
		}
	}
	return out
}

// listen forwards events to a receiver of its own, signed with webhookSecret
// unless env or args say otherwise. It runs until the end of the test, when
// Ctrl-C must end it with 0.
func listen(t *testing.T, s *service, key string, args ...string) *listening {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"--url", "http://" + s.addr + "/v1", "--key-file", file}, args...)
	return listenWith(t, nil, []string{"UNDERSTUDY_WEBHOOK_SECRET=" + webhookSecret}, args...)
}

func listenWith(t *testing.T, reply func(received) int, env []string, args ...string) *listening {
	t.Helper()
	l := &listening{receiver: &receiver{}, exited: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		w.WriteHeader(l.take(request, reply))
	}))
	l.cmd = exec.CommandContext(context.Background(), binary, append([]string{"webhooks", "listen", "--forward-to", server.URL}, args...)...) // ended by Ctrl-C
	l.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	l.cmd.Stderr = &stderr
	started := make(chan error, 1)
	endWithTests(l.cmd)
	go func() {
		defer close(l.exited)
		runtime.LockOSThread() // what ties it to the tests is tied to this thread
		err := l.cmd.Start()
		if started <- err; err != nil {
			return
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			l.print(lines.Text())
		}
		_ = l.cmd.Wait() // the exit status says how it ended
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.cmd.Process.Signal(syscall.SIGINT)
		<-l.exited
		server.Close()
		if code := l.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("listen left with %d: %s", code, &stderr)
		}
		if l.forged > 0 {
			t.Errorf("%d forwarded events had no valid signature", l.forged)
		}
	})
	eventually(t, 30*time.Second, "listen is connected", func() bool {
		select {
		case <-l.exited:
			t.Fatalf("listen ended: %s", &stderr)
		default:
		}
		return len(l.printed("^listening at ")) > 0
	})
	return l
}

func TestListenForwardsWhatWouldBeDelivered(t *testing.T) {
	t.Parallel()
	s := running(t)
	c := s.sandbox()
	hook := receive(t, c, nil)
	every, ends, others := listen(t, s, s.keys.Test), listen(t, s, s.keys.Test, "--events", "test.completed,test.failed"), listen(t, s, s.keys.Live)
	created := c.create(t, signUp(10))
	verdict := []string{"quality_gate.passed", "quality_gate.failed"}
	hook.await(t, created.ID, time.Minute, "test.completed")
	hook.await(t, created.ID, time.Minute, verdict...)
	every.await(t, created.ID, time.Minute, "test.completed")
	eventually(t, time.Minute, "13 deliveries", func() bool { return len(hook.of(created.ID)) == 13 })
	forwarded := every.of(created.ID)
	alike(t, hook.of(created.ID), forwarded)
	for _, got := range forwarded {
		if got.header.Get("X-Service-Attempt") != "1" || got.header.Get("X-Service-Delivery") != got.header.Get("webhook-id") {
			t.Errorf("%s came with %v", got.Event, got.header)
		}
	}
	eventually(t, 10*time.Second, "a line for each event", func() bool { return len(every.printed(" "+created.ID+"  204  [0-9]+ ms$")) == 13 })
	if n := len(every.printed("secret")); n > 0 {
		t.Error("a secret that was given is printed")
	}
	ends.await(t, created.ID, time.Minute, "test.completed")
	if got := ends.of(created.ID); len(got) != 1 {
		t.Errorf("of the ends came %d events", len(got))
	}
	// What comes later proves that nothing came before.
	nowhere, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	mine := s.live().create(t, map[string]any{"url": "http://" + nowhere + "/", "task": "Look"})
	others.await(t, mine.ID, time.Minute, "test.failed")
	if got := others.of(created.ID); len(got) > 0 {
		t.Errorf("a listener of the other environment got %s", got[0].body)
	}
}

func TestListenMakesASecretAndTakesTheLocalKey(t *testing.T) {
	t.Parallel()
	s := running(t)
	c := s.sandbox()
	l := listenWith(t, nil, []string{"UNDERSTUDY_LISTEN=" + s.addr, "UNDERSTUDY_DATA_DIR=" + s.data()}, "--environment", "test")
	if len(l.printed("^"+secretLine+"whsec_")) != 1 {
		t.Fatalf("it printed %v", l.printed(""))
	}
	created := c.create(t, signUp(2))
	got := l.await(t, created.ID, time.Minute, "test.completed")[0]
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(l.signedWith), 0o600); err != nil {
		t.Fatal(err)
	}
	verify := func(body string, header http.Header) error {
		cmd := exec.CommandContext(t.Context(), binary, "webhooks", "verify", "--secret-file", file)
		for name := range header {
			cmd.Args = append(cmd.Args, "--header", name+": "+header.Get(name))
		}
		cmd.Stdin = strings.NewReader(body)
		return cmd.Run()
	}
	if err := verify(string(got.body), got.header); err != nil {
		t.Errorf("verify refuses what was sent: %v", err)
	}
	if verify(string(got.body)+" ", got.header) == nil || verify(string(got.body), http.Header{}) == nil {
		t.Error("verify takes another body, or no signature")
	}
	for _, argument := range slices.Concat(l.cmd.Args, l.printed("")) {
		if strings.Contains(argument, s.keys.Test) {
			t.Errorf("the key is shown: %s", argument)
		}
	}
}

func TestListenRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	s := running(t)
	url := "http://" + s.addr + "/v1"
	for name, c := range map[string]struct {
		args, env []string
		want      string
	}{
		"no receiver":         {[]string{}, nil, "--forward-to"},
		"an unknown event":    {[]string{"--forward-to", "http://127.0.0.1:1", "--events", "test.over"}, nil, "test.started"},
		"no key":              {[]string{"--forward-to", "http://127.0.0.1:1", "--url", url}, []string{"UNDERSTUDY_DATA_DIR=" + s.data()}, "UNDERSTUDY_API_KEY"},
		"a key nobody knows":  {[]string{"--forward-to", "http://127.0.0.1:1", "--url", url}, []string{"UNDERSTUDY_API_KEY=svc_test_nobodys"}, "401"},
		"no such environment": {[]string{"--forward-to", "http://127.0.0.1:1", "--environment", "prod"}, []string{"UNDERSTUDY_DATA_DIR=" + s.data()}, "--environment"},
		"not the base URL":    {[]string{"--forward-to", "http://127.0.0.1:1", "--url", "http://" + s.addr}, []string{"UNDERSTUDY_API_KEY=" + s.keys.Test}, "404"},
	} {
		cmd := exec.CommandContext(t.Context(), binary, append([]string{"webhooks", "listen"}, c.args...)...)
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, c.env...)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "nobodys") {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}
