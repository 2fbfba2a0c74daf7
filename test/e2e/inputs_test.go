package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestInputsGoToTheTargetsSiteOnly: a page that sends people on to another origin gets
// nothing typed there, and the trace and the report say so; where the test lists that
// origin, it does.
func TestInputsGoToTheTargetsSiteOnly(t *testing.T) {
	t.Parallel()
	const secret = "Lantern-77-Copper"
	var mu sync.Mutex
	var got []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		got = append(got, r.FormValue("password"))
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><html lang=en><title>Log in</title><h1>Log in</h1><form method=post action=/in>
			<label>Password <input type=password name=password></label><button>Log in</button></form>`)
	}))
	t.Cleanup(other.Close)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/login", http.StatusFound)
	}))
	t.Cleanup(target.Close)
	live := running(t).live()
	request := map[string]any{
		"url": target.URL + "/", "task": "Log in with the password {{password}}", "sessions": 1, "seed": 4, "max_steps": 8, "inputs": map[string]string{"password": secret}, "private_origins": []string{other.URL},
	}
	received := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(strings.Join(got, " "), secret)
	}
	body := func(path string) string {
		return string(live.send(t, http.MethodGet, path, nil).wants(t, http.StatusOK, "").Body)
	}

	refused := live.create(t, request)
	live.completed(t, refused.ID, liveLimit)
	if received() {
		t.Error("the other site was given the input")
	}
	note := `"kind":"limit_inputs","detail":"` + other.URL
	if trace := body("/sessions/" + live.sessions(t, refused.ID)[0].ID + "/trace"); !strings.Contains(trace, note) {
		t.Errorf("the trace does not say so: %s", trace)
	}
	if report := body("/tests/" + refused.ID + "/report"); !strings.Contains(report, "limit_inputs") {
		t.Errorf("the report does not say so: %.3000s", report)
	}

	request["inputs_origins"] = []string{other.URL}
	allowed := live.create(t, request)
	live.completed(t, allowed.ID, liveLimit)
	if !received() {
		t.Error("the origin that is listed was not given the input")
	}
	if doc := body("/tests/" + allowed.ID); !strings.Contains(doc, `"inputs_origins":["`+other.URL+`"]`) {
		t.Errorf("the test does not tell its origins: %s", doc)
	}

	for _, origin := range []string{"example.com", "https://example.com/path", "https://a@example.com", "ftp://example.com", "https://example.com?x"} {
		request["inputs_origins"] = []string{origin}
		live.send(t, http.MethodPost, "/tests", request).wants(t, http.StatusUnprocessableEntity, "")
	}
}
