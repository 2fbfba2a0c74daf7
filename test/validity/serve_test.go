package validity

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// TestFence: the proxy answers for the site and keeps everything else out.
func TestFence(t *testing.T) {
	t.Parallel()
	server := serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.Path)) }))
	defer server.Close()
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	proxy, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return proxy, nil }}}
	for address, want := range map[string]int{Origin + "/a": http.StatusOK, other.URL + "/": http.StatusForbidden, "http://example.com/": http.StatusForbidden} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: %d, want %d", address, answer.StatusCode, want)
		}
	}
}
