package e2e

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// asked sends a request under a name for the host, as a browser does that an
// attacker's name leads to this machine.
func asked(t *testing.T, address, method, path, host string, header ...string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, "http://"+address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(raw)
}

// TestNamesOfOthersAreNotAnswered: a page whose name an attacker turns to this machine
// (DNS rebinding) reaches nothing of it, though the browser holds it for the same site.
// Probes, which orchestrators send under names of their own, are told the least.
func TestNamesOfOthersAreNotAnswered(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback, "UNDERSTUDY_HOSTS=service.internal, .svc.example")
	_, port, _ := strings.Cut(s.Addr, ":")
	key := []string{"Authorization", "Bearer " + s.Live().Key}
	for _, path := range []string{"/v1/tests", "/v1/openapi.json", "/", "/sign-in", "/reports/rep_1", "/oauth/authorize", "/.well-known/oauth-authorization-server", "/metrics", "/nothing"} {
		for _, host := range []string{"evil.example", "evil.example:" + port, "127.0.0.1.evil.example", "localhost.evil.example:" + port, "service.internal.evil.example", "svc.example", "evilsvc.example"} {
			if status, body := asked(t, s.Addr, http.MethodGet, path, host, key...); status != http.StatusMisdirectedRequest || !strings.Contains(body, `"code":"wrong_host"`) {
				t.Errorf("%s under the name %s was answered with %d: %s", path, host, status, body)
			}
		}
	}
	if status, _ := asked(t, s.Addr, http.MethodPost, "/oauth/token", "evil.example"); status != http.StatusMisdirectedRequest {
		t.Errorf("a token was asked for under another name: %d", status)
	}
	for _, host := range []string{s.Addr, "127.0.0.1", "localhost:" + port, "LOCALHOST", "localhost.", "[::1]:" + port, "10.1.2.3:" + port, "service.internal", "api.svc.example:1"} {
		if status, body := asked(t, s.Addr, http.MethodGet, "/v1/tests", host, key...); status != http.StatusOK {
			t.Errorf("the service's own name %s was answered with %d: %s", host, status, body)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, body := asked(t, s.Addr, http.MethodGet, path, "pod-7.evil.example"); status != http.StatusOK || strings.Contains(body, "read_models") {
			t.Errorf("%s was answered with %d: %s", path, status, body)
		}
	}
}

// TestOnlyOperatorsAreToldOfTheInside: metrics, and what /readyz says beyond yes or no,
// are for the machine itself while the service is nobody else's, for the operator's
// listener, and for the operator's token.
func TestOnlyOperatorsAreToldOfTheInside(t *testing.T) {
	t.Parallel()
	inside, err := harness.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	local := running(t)
	public := own(t, "UNDERSTUDY_BASE_URL=https://api.understudy.example/v1", "UNDERSTUDY_OPERATOR_LISTEN="+inside)
	token := []string{"Authorization", "Bearer " + harness.OperatorToken}
	for name, one := range map[string]struct {
		address, host string
		header        []string
		told          bool
	}{
		"on the machine":              {local.Addr, local.Addr, nil, true},
		"by a proxy on the machine":   {local.Addr, local.Addr, []string{"X-Forwarded-For", "203.0.113.7"}, false},
		"with the token":              {public.Addr, public.Addr, token, true},
		"with the token, by any name": {public.Addr, "projector.understudy.svc", token, true},
		"without":                     {public.Addr, "api.understudy.example", nil, false},
		"without, on the machine":     {public.Addr, "127.0.0.1", nil, false},
		"with another token":          {public.Addr, public.Addr, []string{"Authorization", "Bearer wrong"}, false},
		"with a key":                  {public.Addr, public.Addr, []string{"Authorization", "Bearer " + public.Live().Key}, false},
		"on the operator's listener":  {inside, inside, nil, true},
	} {
		if one.told { // a busy machine tells less at first
			patience.Eventually(t, 30*time.Second, name+": the inside is told", func() bool {
				_, metrics := asked(t, one.address, http.MethodGet, "/metrics", one.host, one.header...)
				_, ready := asked(t, one.address, http.MethodGet, "/readyz", one.host, one.header...)
				return strings.Contains(metrics, "understudy_log_position") && strings.Contains(ready, "read_models")
			})
			continue
		}
		if status, body := asked(t, one.address, http.MethodGet, "/metrics", one.host, one.header...); status == http.StatusOK || strings.Contains(body, "understudy_log_position") {
			t.Errorf("%s: metrics were answered with %d", name, status)
		}
		if status, body := asked(t, one.address, http.MethodGet, "/readyz", one.host, one.header...); status != http.StatusOK || strings.Contains(body, "read_models") {
			t.Errorf("%s: /readyz was answered with %d: %s", name, status, body)
		}
	}
	// The operator's listener has nothing else, and heeds names as well.
	if status, _ := asked(t, inside, http.MethodGet, "/v1/tests", inside); status != http.StatusNotFound {
		t.Errorf("the operator's listener answered /v1/tests with %d", status)
	}
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/profile?seconds=1", "/debug/pprof/trace", "/debug/pprof/heap"} {
		if status, _ := asked(t, inside, http.MethodGet, path, "evil.example"); status != http.StatusMisdirectedRequest {
			t.Errorf("the operator's listener answered %s under another name with %d", path, status)
		}
	}
	if status, body := asked(t, inside, http.MethodGet, "/debug/pprof/", inside); status != http.StatusOK || !strings.Contains(body, "goroutine") {
		t.Errorf("the operator's listener answered for profiles with %d: %s", status, body)
	}
}
