package sites_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"understudy/test/sites"
)

// guest is a visitor without a browser: cookies, redirects, and the last page.
type guest struct {
	t    *testing.T
	base string
	c    *http.Client
}

func visit(t *testing.T, name string, o sites.Options) *guest {
	t.Helper()
	base, stop, err := sites.Serve(t.Context(), name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{} // closing another test's server closes the default transport's connections
	t.Cleanup(transport.CloseIdleConnections)
	return &guest{t, base, &http.Client{Transport: transport, Jar: jar, Timeout: 10 * time.Second}}
}

// answer is what a site has sent.
type answer struct {
	status int
	body   string
	header http.Header
	// at is where redirects have led.
	at *url.URL
}

func send(t *testing.T, c *http.Client, method, address string, form url.Values) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, string(b), res.Header, res.Request.URL}
}

func (g *guest) get(path string) (int, string) {
	g.t.Helper()
	a := send(g.t, g.c, http.MethodGet, g.base+path, nil)
	return a.status, a.body
}

func (g *guest) post(path, fields string) (int, string) {
	g.t.Helper()
	v, err := url.ParseQuery(fields)
	if err != nil {
		g.t.Fatal(err)
	}
	a := send(g.t, g.c, http.MethodPost, g.base+path, v)
	return a.status, a.body
}

// reached asks the site for the goals of this guest's own cookie.
func (g *guest) reached(goal string) bool {
	g.t.Helper()
	u, _ := url.Parse(g.base)
	_, body := g.get("/_truth")
	var truth map[string]map[string]bool
	if err := json.Unmarshal([]byte(body), &truth); err != nil {
		g.t.Fatalf("/_truth: %v in %s", err, body)
	}
	for _, k := range g.c.Jar.Cookies(u) {
		if k.Name == "sid" {
			return truth[k.Value][goal]
		}
	}
	g.t.Fatal("the site gave no session cookie")
	return false
}

func (g *guest) wants(status int, body string, wantStatus int, text string) {
	g.t.Helper()
	if status != wantStatus || !strings.Contains(body, text) {
		g.t.Fatalf("got %d, want %d and a page with %q:\n%s", status, wantStatus, text, body)
	}
}

var link = regexp.MustCompile(`(?:href|src)="([^"#]*)`)

// crawl follows every link from start and returns the pages that are missing
// and how many were seen.
func crawl(t *testing.T, h http.Handler, start string) (broken []string, seen int) {
	t.Helper()
	srv := httptest.NewServer(h)
	defer srv.Close()
	return crawlAs(t, srv.Client(), srv.URL, start)
}

// crawlAs crawls with the cookies that a client has.
func crawlAs(t *testing.T, c *http.Client, base, start string) (broken []string, seen int) {
	t.Helper()
	done := map[string]bool{}
	queue := []string{base + start}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if done[at] {
			continue
		}
		done[at] = true
		a := send(t, c, http.MethodGet, at, nil)
		if a.status != 200 {
			broken = append(broken, strings.TrimPrefix(at, base))
			continue
		}
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(a.body, -1) {
			u, err := a.at.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			if err != nil {
				t.Fatalf("%s links to %q: %v", at, m[1], err)
			}
			switch {
			case u.Scheme == "data" || u.Scheme == "tel" || u.Scheme == "mailto":
			case u.Host != strings.TrimPrefix(base, "http://"):
				t.Errorf("%s asks another host: %s", at, u)
			default:
				queue = append(queue, u.String())
			}
		}
	}
	return broken, len(done)
}

func TestEveryLinkLeadsToAPage(t *testing.T) {
	t.Parallel()
	least := map[string]int{sites.Shop: 23, sites.SaaS: 15, sites.Docs: 17, sites.Clinic: 6, sites.Bank: 8, sites.News: 32, sites.App: 40, sites.Permit: 38}
	for _, name := range sites.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken, seen := crawl(t, sites.Site(name), "/")
			if len(broken) > 0 || seen < least[name] {
				t.Errorf("%d addresses seen, want at least %d; broken: %v", seen, least[name], broken)
			}
		})
	}
	t.Run("under prefixes", func(t *testing.T) {
		t.Parallel()
		if broken, seen := crawl(t, sites.Handler(), "/"); len(broken) > 0 || seen < 60 {
			t.Errorf("%d addresses seen, broken: %v", seen, broken)
		}
	})
}

func TestUnknownNamesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		o    sites.Options
	}{{"nowhere", sites.Options{}},
		{sites.Shop, sites.Options{Faults: []sites.Fault{{Kind: "typo", Path: "/", Selector: "a"}}}},
		{sites.Shop, sites.Options{Faults: []sites.Fault{{Kind: "dead_control", Path: "/"}}}},
		{sites.SaaS, sites.Options{Faults: []sites.Fault{{Kind: "dead_control", Path: "pricing", Selector: "a"}}}},
		{sites.SaaS, sites.Options{Faults: []sites.Fault{{Kind: "dead_control", Path: "/", Selector: "a["}}}},
		{sites.SaaS, sites.Options{Faults: []sites.Fault{{Kind: "low_contrast", Path: "/", Selector: "a", Background: "white"}}}},
		{sites.SaaS, sites.Options{Decoys: []sites.Fault{{Kind: "slow_page", Path: "/"}}}},
	} {
		if _, err := sites.New(c.name, c.o); err == nil {
			t.Errorf("New(%q, %v) was not refused", c.name, c.o)
		}
	}
}

func TestTasksNameExistingStartsAndSites(t *testing.T) {
	t.Parallel()
	for _, name := range sites.Names() {
		if len(sites.Tasks[name]) < 3 {
			t.Errorf("%s has %d tasks", name, len(sites.Tasks[name]))
		}
		for _, task := range sites.Tasks[name] {
			g := visit(t, name, sites.Options{})
			if status, _ := g.get(task.Start); status != 200 {
				t.Errorf("%s starts at %s, which answers %d", task.Name, task.Start, status)
			}
			if g.reached(task.Truth) {
				t.Errorf("%s is done before it was begun", task.Name)
			}
		}
	}
}
