package browser_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"understudy/adapters/browser"
)

// TestThroughTheProxy speaks to a proxy that answers as our egress proxy does.
func TestThroughTheProxy(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	transport := &http.Transport{} // closing another test's server closes the default transport's connections
	defer transport.CloseIdleConnections()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.Host)
		mu.Unlock()
		name, _, _ := strings.Cut(r.Host, ".")
		switch name {
		case "dns", "refused", "timeout", "blocked":
			w.Header().Set("X-Understudy-Egress", name)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		response, err := transport.RoundTrip(r)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer func() { _ = response.Body.Close() }()
		w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
		w.WriteHeader(response.StatusCode)
		_, _ = io.Copy(w, response.Body)
	}))
	defer proxy.Close()
	s := open(t, browser.SessionOptions{ProxyURL: proxy.URL})
	for _, word := range []string{"dns", "refused", "timeout", "blocked"} {
		for _, scheme := range []string{"http://", "https://"} {
			_, err := s.Goto(t.Context(), scheme+word+".example/")
			var failure *browser.NavigationError
			if !errors.As(err, &failure) || failure.Code != word {
				t.Errorf("%s%s.example: %v", scheme, word, err)
			}
		}
	}
	if _, err := s.Goto(t.Context(), site.URL+"/facts.html"); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if last := asked[len(asked)-1]; last != "GET "+strings.TrimPrefix(site.URL, "http://") {
		t.Errorf("loopback did not go through the proxy; it was asked last for %s", last)
	}
}
