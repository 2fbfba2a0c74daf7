package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

// What is to be withheld never reaches the server, however the page sends it, and
// everything else does.
func TestRequestsAreWithheld(t *testing.T) {
	t.Parallel()
	var orders, notes atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/orders"):
			orders.Add(1)
		case r.Method == http.MethodPost:
			notes.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><html lang=en><title>Shop</title><form method=post action="/orders?now" target=_self><button>Buy</button></form>
			<button onclick="fetch('/orders', {method: 'POST', body: 'x'})">Buy quickly</button>
			<form method=post action=/orders/new target=_blank><button>Buy aside</button></form>
			<form method=post action=/notes><button>Note</button></form><a href=/orders>My orders</a>`)
	}))
	t.Cleanup(server.Close)
	s := open(t, browser.SessionOptions{})
	again := func(method, url string) bool { return method == http.MethodPost && strings.Contains(url, "/orders") }
	if err := s.Withhold(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if e, err := s.Goto(t.Context(), server.URL); err != nil || e.Withheld {
		t.Fatalf("a page that sends nothing: %+v, %v", e, err)
	}
	if e := act(t, s, walk.Click, "Note", ""); e.Withheld || !e.Taken() || notes.Load() != 1 {
		t.Errorf("what may be sent: %+v, %d notes", e, notes.Load())
	}
	if e := act(t, s, walk.Click, "My orders", ""); e.Withheld || !e.Navigated {
		t.Errorf("what only asks: %+v", e)
	}
	for _, how := range []string{"Buy", "Buy quickly", "Buy aside"} {
		if e := act(t, s, walk.Click, how, ""); !e.Withheld || e.Taken() {
			t.Errorf("%s: %+v", how, e)
		}
	}
	if n := orders.Load(); n != 0 {
		t.Errorf("%d orders reached the server", n)
	}
}
