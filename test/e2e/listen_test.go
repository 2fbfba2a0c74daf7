package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
	"understudy/test/sites"
)

// listening is `understudy webhooks listen` at work, with what it forwards to.
type listening struct {
	*receiver
	*harness.Process
}

// secretLine begins the line that shows a generated secret.
const secretLine = "signing secret of this run: "

// printed are the lines so far that match.
func (l *listening) printed(pattern string) (out []string) {
	for line := range strings.Lines(l.Printed()) {
		if line = strings.TrimSuffix(line, "\n"); regexp.MustCompile(pattern).MatchString(line) {
			out = append(out, line)
		}
	}
	return out
}

// listen forwards events to a receiver of its own, signed with webhookSecret. It
// runs until the end of the test, when Ctrl-C must end it with 0.
func listen(t *testing.T, s *service, key string, args ...string) *listening {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"--server", "http://" + s.Addr + "/v1", "--key-file", file}, args...)
	return listenWith(t, serve(t, webhookSecret, nil), []string{"UNDERSTUDY_WEBHOOK_SECRET=" + webhookSecret}, args...)
}

// listenWith forwards to a receiver with nothing set but args and env.
func listenWith(t *testing.T, to *receiver, env []string, args ...string) *listening {
	t.Helper()
	cmd := exec.Command(harness.Binary(), append([]string{"webhooks", "listen", "--forward", to.URL}, args...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	p, err := harness.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if code, err := p.End(os.Interrupt, harness.StopLimit); err != nil || code != 0 {
			t.Errorf("listen left with %d (%v): %s", code, err, p.Printed())
		}
	})
	if said, err := p.Shows(t.Context(), 30*time.Second, "listening at "); err != nil {
		t.Fatalf("listen: %v: %s", err, said)
	}
	return &listening{to, p}
}

func TestListenForwardsWhatWouldBeDelivered(t *testing.T) {
	t.Parallel()
	s := running(t)
	c := s.sandbox()
	hook := receive(t, c, nil)
	every, ends, others := listen(t, s, s.Keys.Test), listen(t, s, s.Keys.Test, "--events", "test.completed,test.failed"), listen(t, s, s.Keys.Live)
	created := c.create(t, signUp(10))
	verdict := []string{"quality_gate.passed", "quality_gate.failed"}
	hook.await(t, created.ID, time.Minute, "test.completed")
	hook.await(t, created.ID, time.Minute, verdict...)
	every.await(t, created.ID, time.Minute, "test.completed")
	patience.Eventually(t, time.Minute, "13 deliveries", func() bool { return len(hook.Of(created.ID)) == 13 })
	forwarded := every.Of(created.ID)
	alike(t, hook.Of(created.ID), forwarded)
	for _, got := range forwarded {
		if got.Header.Get("X-Service-Attempt") != "1" || got.Header.Get("X-Service-Delivery") != got.ID {
			t.Errorf("%s came with %v", got.Event, got.Header)
		}
	}
	patience.Eventually(t, 10*time.Second, "a line for each event", func() bool { return len(every.printed(" "+created.ID+"  204  [0-9]+ ms$")) == 13 })
	if n := len(every.printed("secret")); n > 0 {
		t.Error("a secret that was given is printed")
	}
	ends.await(t, created.ID, time.Minute, "test.completed")
	if got := ends.Of(created.ID); len(got) != 1 {
		t.Errorf("of the ends came %d events", len(got))
	}
	first := hook.Of(created.ID, "test.completed")[0]
	patience.Eventually(t, time.Minute, "its end", func() bool { return get[sent](t, c, "/deliveries/"+first.ID).Status == "delivered" })
	c.post(t, "/deliveries/"+first.ID+"/replay", nil, http.StatusCreated)
	patience.Eventually(t, time.Minute, "the replay", func() bool { return len(every.Of(created.ID, "test.completed")) == 2 })
	if again := every.Of(created.ID, "test.completed")[1]; again.ID != first.ID || string(again.Body) != string(first.Body) {
		t.Errorf("the replay of %s, %s, came as %s, %s", first.ID, first.Body, again.ID, again.Body)
	}
	// What comes later proves that nothing came before.
	nowhere, err := harness.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mine := s.live().create(t, map[string]any{"url": "http://" + nowhere + "/", "task": "Look"})
	others.await(t, mine.ID, time.Minute, "test.failed")
	if got := others.Of(created.ID); len(got) > 0 {
		t.Errorf("a listener of the other environment got %s", got[0].Body)
	}
}

func TestListenMakesASecretAndTakesTheLocalKey(t *testing.T) {
	t.Parallel()
	s := running(t)
	c := s.sandbox()
	l := listenWith(t, serve(t, "", nil), []string{"UNDERSTUDY_LISTEN=" + s.Addr, "UNDERSTUDY_DATA_DIR=" + s.Data()}, "--sandbox")
	shown := l.printed("^" + secretLine + "whsec_")
	if len(shown) != 1 {
		t.Fatalf("it printed %v", l.printed(""))
	}
	secret := strings.TrimPrefix(shown[0], secretLine)
	created := c.create(t, signUp(2))
	got := l.await(t, created.ID, time.Minute, "test.completed")[0]
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, got := range l.All() {
		if got.Header.Get("X-Service-Signature") != harness.Signature(secret, got.Body) {
			t.Errorf("%s is not signed with the secret that is shown", got.Body)
		}
	}
	verify := func(body string, header http.Header) error {
		cmd := exec.CommandContext(t.Context(), harness.Binary(), "webhooks", "verify", "--secret-file", file)
		for name := range header {
			cmd.Args = append(cmd.Args, "--header", name+": "+header.Get(name))
		}
		cmd.Stdin = strings.NewReader(body)
		return cmd.Run()
	}
	if err := verify(string(got.Body), got.Header); err != nil {
		t.Errorf("verify refuses what was sent: %v", err)
	}
	if verify(string(got.Body)+" ", got.Header) == nil || verify(string(got.Body), http.Header{}) == nil {
		t.Error("verify takes another body, or no signature")
	}
	if strings.Contains(l.Printed(), s.Keys.Test) {
		t.Errorf("the key is shown: %s", l.Printed())
	}
}

func TestListenRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	s := running(t)
	url := "http://" + s.Addr
	other := serveSite(t, sites.Shop)
	for name, c := range map[string]struct {
		args, env []string
		want      string
	}{
		"no receiver":        {[]string{}, nil, "--forward"},
		"an unknown event":   {[]string{"--forward", "http://127.0.0.1:1", "--events", "test.over"}, nil, "test.started"},
		"no key":             {[]string{"--forward", "http://127.0.0.1:1", "--server", url}, []string{"UNDERSTUDY_DATA_DIR=" + s.Data()}, "UNDERSTUDY_API_KEY"},
		"a key nobody knows": {[]string{"--forward", "http://127.0.0.1:1", "--server", url}, []string{"UNDERSTUDY_API_KEY=svc_test_nobodys"}, "refuses: this key is unknown"},
		"another service":    {[]string{"--forward", "http://127.0.0.1:1", "--server", other}, []string{"UNDERSTUDY_API_KEY=" + s.Keys.Test}, "no answer of Understudy"},
	} {
		cmd := exec.CommandContext(t.Context(), harness.Binary(), append([]string{"webhooks", "listen"}, c.args...)...)
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, c.env...)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "nobodys") {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}
