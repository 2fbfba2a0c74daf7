package demosite_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"understudy/adapters/demosite"
)

// visitor is a client of the site.
type visitor struct {
	t   *testing.T
	srv *httptest.Server
}

func visit(t *testing.T) *visitor {
	t.Helper()
	srv := httptest.NewServer(demosite.Handler())
	t.Cleanup(srv.Close)
	return &visitor{t, srv}
}

func (v *visitor) get(path string) (status int, body string) {
	v.t.Helper()
	return v.ask(http.MethodGet, path, nil)
}

func (v *visitor) post(path string, form url.Values) (status int, body string) {
	v.t.Helper()
	return v.ask(http.MethodPost, path, form)
}

func (v *visitor) ask(method, path string, form url.Values) (status int, body string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.srv.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := v.srv.Client().Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

var link = regexp.MustCompile(`(?:href|src)="(/[^"#]*)`)

func TestOnlyTheDocumentedLinkIsBroken(t *testing.T) {
	t.Parallel()
	v := visit(t)
	queue, seen, broken := []string{"/"}, map[string]bool{}, []string{}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		status, body := v.get(at)
		if status != 200 {
			broken = append(broken, at)
			continue
		}
		for _, m := range link.FindAllStringSubmatch(body, -1) {
			queue = append(queue, m[1])
		}
		if strings.Contains(body, `="http`) {
			t.Errorf("%s asks another host", at)
		}
	}
	if !slices.Equal(broken, []string{"/guides/brewing"}) || len(seen) < 10 {
		t.Errorf("%d addresses seen; broken: %v", len(seen), broken)
	}
}

func TestSubscribing(t *testing.T) {
	t.Parallel()
	v := visit(t)
	form := url.Values{"plan": {"monthly"}, "name": {"Ann Lee"}, "email": {"ann@example.org"}, "address": {"1 Quay Street"}, "postcode": {"YO21 3PU"}}
	status, body := v.post("/subscribe", form)
	if status != 422 || !strings.Contains(body, "how we should grind it") || !strings.Contains(body, `value="Ann Lee"`) {
		t.Errorf("a form without a grind answered %d:\n%s", status, body)
	}
	form.Set("grind", "Filter")
	status, body = v.post("/subscribe", form)
	if status != 200 || !strings.Contains(body, demosite.SuccessText) || !strings.Contains(body, "Harbour Monthly") {
		t.Errorf("a complete form answered %d:\n%s", status, body)
	}
	if _, body = v.get("/welcome"); strings.Contains(body, demosite.SuccessText) {
		t.Error("the confirmation shows without a subscription")
	}
}

func TestDeliberateFlawsAreThere(t *testing.T) {
	t.Parallel()
	v := visit(t)
	_, body := v.get("/subscribe")
	if button := regexp.MustCompile(`<button class="menu-button"[^>]*>`).FindString(body); button == "" || strings.Contains(button, "aria-label=") {
		t.Errorf("the menu button is %q", button)
	}
	if !strings.Contains(body, "novalidate") || strings.Contains(body, " required") {
		t.Error("the form says before it is sent what it needs")
	}
	if _, css := v.get("/style.css"); !strings.Contains(css, ".cta{background:#f5e2c6;color:#cfa676}") {
		t.Error("the call to action is no longer pale on pale")
	}
}
