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

func fetch(t *testing.T, res *http.Response, err error) (int, string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

var link = regexp.MustCompile(`(?:href|src)="(/[^"#]*)`)

func TestOnlyTheDocumentedLinkIsBroken(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(demosite.Handler())
	defer srv.Close()
	queue, seen, broken := []string{"/"}, map[string]bool{}, []string{}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		res, err := srv.Client().Get(srv.URL + at)
		status, body := fetch(t, res, err)
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
	srv := httptest.NewServer(demosite.Handler())
	defer srv.Close()
	form := url.Values{"plan": {"monthly"}, "name": {"Ann Lee"}, "email": {"ann@example.org"}, "address": {"1 Quay Street"}, "postcode": {"YO21 3PU"}}
	res, err := srv.Client().PostForm(srv.URL+"/subscribe", form)
	status, body := fetch(t, res, err)
	if status != 422 || !strings.Contains(body, "how we should grind it") || !strings.Contains(body, `value="Ann Lee"`) {
		t.Errorf("a form without a grind answered %d:\n%s", status, body)
	}
	form.Set("grind", "Filter")
	res, err = srv.Client().PostForm(srv.URL+"/subscribe", form)
	status, body = fetch(t, res, err)
	if status != 200 || !strings.Contains(body, demosite.SuccessText) || !strings.Contains(body, "Harbour Monthly") {
		t.Errorf("a complete form answered %d:\n%s", status, body)
	}
	res, err = srv.Client().Get(srv.URL + "/welcome")
	if _, body = fetch(t, res, err); strings.Contains(body, demosite.SuccessText) {
		t.Error("the confirmation shows without a subscription")
	}
}

func TestDeliberateFlawsAreThere(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(demosite.Handler())
	defer srv.Close()
	res, err := srv.Client().Get(srv.URL + "/subscribe")
	_, body := fetch(t, res, err)
	if button := regexp.MustCompile(`<button class="menu-button"[^>]*>`).FindString(body); button == "" || strings.Contains(button, "aria-label=") {
		t.Errorf("the menu button is %q", button)
	}
	if !strings.Contains(body, "novalidate") || strings.Contains(body, " required") {
		t.Error("the form says before it is sent what it needs")
	}
	res, err = srv.Client().Get(srv.URL + "/style.css")
	if _, css := fetch(t, res, err); !strings.Contains(css, ".cta{background:#f5e2c6;color:#cfa676}") {
		t.Error("the call to action is no longer pale on pale")
	}
}
