package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestATestReachesOnlyItsOwnPortOfThisMachine: the operator allows loopback, and a page there
// goes for another port of the machine by every way that needs nobody's help. It gets there
// where the test lists that origin; else nothing does, and the report says what to do.
func TestATestReachesOnlyItsOwnPortOfThisMachine(t *testing.T) {
	t.Parallel()
	var touched atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		touched.Add(1)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><html lang=en><title>Plans</title><h1>Plans</h1><p>The price is 12 euros.</p>`)
	}))
	t.Cleanup(other.Close)
	at := strings.TrimPrefix(other.URL, "http://")
	_, port, _ := strings.Cut(at, ":")
	attack := strings.NewReplacer("AT", at, "PORT", port).Replace(`<!doctype html><html lang=en><title>Shop</title><h1>Shop</h1>
		<p><a href="http://AT/plans">See the price</a></p>
		<img src="http://AT/img" alt=""><iframe src="http://localhost:PORT/frame" title=frame></iframe>
		<form id=f method=post target=frame action="http://[::ffff:127.0.0.1]:PORT/form"></form><iframe name=frame title=form></iframe>
		<script>
			f.submit()
			fetch("http://AT/fetch", {mode: "no-cors"}).catch(() => {})
			fetch("/to?AT").catch(() => {})
			new WebSocket("ws://AT/websocket")
			navigator.sendBeacon("http://0x7f.1:PORT/beacon", "x")
			open("http://AT/window")
		</script>`)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/to" {
			http.Redirect(w, r, other.URL+"/redirected", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, attack)
	}))
	t.Cleanup(target.Close)
	live := running(t).live()
	request := map[string]any{"url": target.URL + "/", "task": "Find the price", "sessions": 1, "seed": 4, "max_steps": 6}

	refused := live.create(t, request)
	live.completed(t, refused.ID, liveLimit)
	if n := touched.Load(); n != 0 {
		t.Errorf("another port of the machine was asked %d times", n)
	}
	for what, path := range map[string]string{"trace": "/sessions/" + live.sessions(t, refused.ID)[0].ID + "/trace", "report": "/tests/" + refused.ID + "/report"} {
		said := string(live.send(t, http.MethodGet, path, nil).wants(t, http.StatusOK, "").Body)
		if !strings.Contains(said, "limit_private") || !strings.Contains(said, other.URL) {
			t.Errorf("the %s does not say so: %.3000s", what, said)
		}
	}

	request["url"] = target.URL + "/to"
	failed := live.ended(t, live.create(t, request).ID, time.Minute)
	if failed.Failure == nil || failed.Failure.Code != "target_unreachable" || !strings.Contains(failed.Failure.Message, other.URL+", a private address") ||
		!strings.Contains(failed.Failure.Message, "private_origins") || touched.Load() != 0 {
		t.Errorf("a target that redirects there: %+v, asked %d times", failed.Failure, touched.Load())
	}

	request["private_origins"] = []string{other.URL}
	allowed := live.create(t, request)
	live.completed(t, allowed.ID, liveLimit)
	if touched.Load() == 0 {
		t.Error("the origin that is listed was not reached")
	}
	if doc := string(live.send(t, http.MethodGet, "/tests/"+allowed.ID, nil).wants(t, http.StatusOK, "").Body); !strings.Contains(doc, `"private_origins":["`+other.URL+`"]`) {
		t.Errorf("the test does not tell its private origins: %s", doc)
	}

	for _, origin := range []string{"127.0.0.1:80", "http://127.0.0.1/path", "ftp://127.0.0.1", "http://a@127.0.0.1"} {
		request["private_origins"] = []string{origin}
		live.send(t, http.MethodPost, "/tests", request).wants(t, http.StatusUnprocessableEntity, "validation_failed")
	}
	request["private_origins"] = []string{"https://example.com", "http://10.0.0.1"} // which the operator denies
	denied := live.send(t, http.MethodPost, "/tests", request).problem(t)
	if denied.Code != "target_not_allowed" || len(denied.Errors) != 1 || denied.Errors[0].Pointer != "/private_origins/1" {
		t.Errorf("what the operator denies: %+v", denied)
	}
}
