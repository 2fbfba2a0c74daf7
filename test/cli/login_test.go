package cli_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"understudy/test/harness"
	"understudy/test/patience"
)

// visitor is a browser as far as forms and redirects go.
type visitor struct {
	*http.Client
	at   *url.URL
	page *goquery.Document
}

func newVisitor(t *testing.T) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{Client: &http.Client{Jar: jar}}
}

func (v *visitor) goes(ctx context.Context, t *testing.T, method, address string, form url.Values) string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := v.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	v.at = res.Request.URL
	if v.page, err = goquery.NewDocumentFromReader(strings.NewReader(string(body))); err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// sends the form that a button with these words is in, with what is filled in.
func (v *visitor) sends(ctx context.Context, t *testing.T, button string, fill url.Values) string {
	t.Helper()
	var form *goquery.Selection
	var pressed *goquery.Selection
	v.page.Find("form").Each(func(_ int, f *goquery.Selection) {
		f.Find("button").Each(func(_ int, b *goquery.Selection) {
			if strings.Contains(b.Text(), button) {
				form, pressed = f, b
			}
		})
	})
	if form == nil {
		t.Fatalf("%s has no button %q:\n%s", v.at, button, v.page.Text())
	}
	values := url.Values{}
	form.Find("input[type=hidden], input[checked]").Each(func(_ int, in *goquery.Selection) {
		values.Add(in.AttrOr("name", ""), in.AttrOr("value", ""))
	})
	if name, named := pressed.Attr("name"); named {
		values.Set(name, pressed.AttrOr("value", ""))
	}
	for name, value := range fill {
		values[name] = value
	}
	action, err := v.at.Parse(form.AttrOr("action", ""))
	if err != nil {
		t.Fatal(err)
	}
	return v.goes(ctx, t, http.MethodPost, action.String(), values)
}

var opened = regexp.MustCompile(`http://\S+/oauth/authorize\S+`)

// TestAPersonSignsInByTheBrowser: login is answered on loopback, the other commands
// act for the person, an expired token is renewed, and logout takes it back.
func TestAPersonSignsInByTheBrowser(t *testing.T) {
	s := harness.Common(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yaml")
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(harness.Binary(), args...)
		cmd.Dir = dir
		cmd.Env = append(s.Environ(), "UNDERSTUDY_CONFIG="+config, "UNDERSTUDY_DATA_DIR="+dir)
		return cmd
	}
	v := newVisitor(t)
	login := func(scopes ...string) {
		t.Helper()
		p, err := harness.Launch(command(append([]string{"login", "http://" + s.Addr, "--no-browser"}, scopes...)...))
		if err != nil {
			t.Fatal(err)
		}
		printed, err := p.Shows(t.Context(), harness.StartLimit, "/oauth/authorize?")
		if err != nil {
			t.Fatal(err)
		}
		v.goes(t.Context(), t, http.MethodGet, opened.FindString(printed), nil)
		if v.page.Find("input[name=password]").Length() > 0 {
			v.sends(t.Context(), t, "Sign in", url.Values{"email": {s.Keys.Email}, "password": {s.Keys.Password}})
		}
		if told := v.sends(t.Context(), t, "Allow", nil); !strings.Contains(told, "Signed in. You can close this window") {
			t.Fatalf("the browser is told:\n%s", told)
		}
		patience.Receive(t, harness.StartLimit, "login's end", p.Exited())
		if p.Code() != 0 || !strings.Contains(p.Printed(), "is called as "+s.Keys.Email) {
			t.Fatalf("login ended with %d:\n%s", p.Code(), p.Printed())
		}
	}
	login()

	lists := func(when string) {
		t.Helper()
		if out, err := command("list", "-n", "1").CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", when, err, out)
		}
	}
	lists("with a fresh token")
	// As it is after an hour.
	raw, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	late := regexp.MustCompile(`until: .*`).ReplaceAllString(string(raw), "until: 2026-01-01T00:00:00Z")
	if err := os.WriteFile(config, []byte(late), 0o600); err != nil {
		t.Fatal(err)
	}
	lists("with a token that has to be renewed")
	lists("with the renewed one")

	if out, err := command("logout").CombinedOutput(); err != nil {
		t.Fatalf("logout: %v\n%s", err, out)
	}
	if err := os.WriteFile(config, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := command("list").CombinedOutput(); err == nil {
		t.Errorf("what was taken back still counts:\n%s", out)
	}

	login("--scope", "tests:read")
	lists("with a token that may only read tests")
	if out, err := command("keys", "create", "mine").CombinedOutput(); err == nil {
		t.Errorf("what it was not allowed is done:\n%s", out)
	}
}
