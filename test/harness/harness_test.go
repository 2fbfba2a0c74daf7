package harness

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/test/patience"
)

func TestAProgramIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	p, err := Launch(exec.Command("sh", "-c", `trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.05; done`))
	if err != nil {
		t.Fatal(err)
	}
	if said, err := p.Shows(t.Context(), time.Minute, "ready\n"); err != nil {
		t.Fatalf("%q: %v", said, err)
	}
	if code, err := p.Terminate(time.Minute); err != nil || code != 3 || p.Printed() != "ready\nbye\n" {
		t.Errorf("it left with %d (%v) and said %q", code, err, p.Printed())
	}
	if _, err := p.Shows(t.Context(), time.Minute, "more"); err == nil || !strings.Contains(err.Error(), "ended with 3") {
		t.Errorf("waiting for one that has ended: %v", err)
	}
	deaf, err := Launch(exec.Command("sh", "-c", `trap '' TERM; echo ready; while :; do sleep 0.05; done`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := deaf.Shows(t.Context(), time.Minute, "ready\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := deaf.End(syscall.SIGTERM, time.Millisecond); err == nil {
		t.Error("one that stays is said to have left")
	}
	<-deaf.Exited()
}

func post(t *testing.T, url, signature string, body []byte) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/one", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Service-Signature", signature)
	r.Header.Set("X-Service-Attempt", "2")
	r.Header.Set("Webhook-Id", "dlv_1")
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
	return res.StatusCode
}

func TestAReceiverTakesOnlyWhatIsSigned(t *testing.T) {
	t.Parallel()
	late := time.Duration(0)
	r := Receive("secret", func(got Received) (int, time.Duration) {
		if got.Path != "/one" || got.ID != "dlv_1" || got.Attempt != 2 || got.Event != "test.started" {
			t.Errorf("replies to %+v", got)
		}
		return http.StatusTeapot, late
	})
	body := []byte(`{"event":"test.started","test_id":"test_1","data":{}}`)
	if status := post(t, r.URL, Signature("another", body), body); status != http.StatusUnauthorized || r.Forged() != 1 || len(r.All()) != 0 {
		t.Errorf("a forged delivery gets %d, %d are forged", status, r.Forged())
	}
	if status := post(t, r.URL, Signature("secret", body), body); status != http.StatusTeapot || len(r.Of("test_1", "test.started")) != 1 {
		t.Errorf("a delivery gets %d, %d are there", status, len(r.All()))
	}
	if len(r.Of("test_1", "test.completed"))+len(r.Of("test_2")) != 0 {
		t.Error("another test or event is taken for it")
	}
	late = time.Hour
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		post(t, r.URL, Signature("secret", body), body)
	}()
	if err := patience.Until(t.Context(), time.Minute, func() bool { return len(r.All()) == 2 }); err != nil {
		t.Fatal(err)
	}
	r.Close()
	<-answered
}

func TestACallIsPatientAndSaysWhatWasRefused(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch asked++; {
		case r.URL.Path != "/v1/webhooks":
			w.WriteHeader(http.StatusNotFound)
		case asked == 1:
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			_, _ = w.Write([]byte(`{"id":"whk_1"}`))
		}
	}))
	defer server.Close()
	c := Client{Addr: strings.TrimPrefix(server.URL, "http://")}
	if id, err := c.Register(t.Context(), "http://127.0.0.1/", "secret"); err != nil || id != "whk_1" || asked != 2 {
		t.Errorf("registered %q after %d requests: %v", id, asked, err)
	}
	var refused *Refused
	if _, err := c.Call(t.Context(), http.MethodGet, "/nothing", nil, nil); !errors.As(err, &refused) || refused.StatusCode != http.StatusNotFound {
		t.Errorf("a call that is refused: %v", err)
	}
}
