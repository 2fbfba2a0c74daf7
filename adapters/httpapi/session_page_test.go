package httpapi_test

import (
	"context"
	"fmt"
	"image/color"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/session"
)

// look opens a page as a browser does, without a key.
func (s *served) look(address string) got {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), "GET", strings.TrimPrefix(address, app), nil)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	return s.serve(r)
}

// aSession stores a session and its steps, and answers with its page's address.
func (s *served) aSession(t *testing.T, test, doc string, steps ...string) (id, page string) {
	t.Helper()
	id = newID("ses")
	if doc == "" {
		doc = sessionJSON(id, test)
	}
	s.sessions.put(s.keys["all"], id, 5, strings.NewReplacer("SESSION", id, "TEST", test).Replace(doc))
	s.traces.put(s.keys["all"], id, 5, traceJSON(t, id, steps...))
	links, _ := s.send("GET", "/sessions/"+id, "all", "").wants(t, 200, "").object(t)["links"].(map[string]any)
	page, _ = links["page"].(string)
	return id, page
}

// aStep is a step at /page-<index> that took 5 s, with more members.
func aStep(index int, members string) string {
	return fmt.Sprintf(`{"index":%d,"at":"2026-11-21T12:00:01.000Z","url":"https://e.x/page-%d","title":"Page %d","observation":"I see things.",
"thought":"Thought %d.","simulated_ms":5000,"scent":0.4,"frustration":0.25,"screenshot_id":null,%s}`, index, index, index, index, members)
}

const noAction = `"action":{"type":"wait","target":null},"signals":[]`

func TestASessionsPageTellsTheWalk(t *testing.T) {
	t.Parallel()
	s := newService(t)
	shot, film := newID("art"), newID("art")
	s.shots.put(s.keys["all"], shot, 0, `{"id":"`+shot+`","step":0,"taken_at":"2026-11-21T12:00:01.000Z","width":780,"height":1600}`)
	target := func(y int) string {
		return fmt.Sprintf(`"target":{"role":"button","name":"Add to basket","selector":"#add","box":{"x":39,"y":%d,"w":78,"h":80}}`, y)
	}
	framed := func(index, y int) string {
		return strings.Replace(aStep(index, `"viewport_width":390,"action":{"type":"click",`+target(y)+`},"signals":[]`), `"screenshot_id":null`, `"screenshot_id":"`+shot+`"`, 1)
	}
	id, address := s.aSession(t, s.aTest(), "", framed(0, 200), framed(1, 2000),
		aStep(2, `"action":{"type":"type","text":"{{password}}","target":{"role":"textbox","name":"Password","selector":"#p"}},"signals":[]`),
		aStep(3, `"action":{"type":"click","target":{"role":"button","name":"","selector":"#x"}},"signals":[{"kind":"dead_click","detail":"nothing moved"},{"kind":"brand_new"}]`))
	s.records.put(s.keys["all"], id, 5, `{"session_id":"`+id+`","format":"webm","artifact_id":"`+film+`","duration_seconds":12.5,"bytes":4096}`)
	if !strings.HasPrefix(address, app+"/sessions/"+id+"?expires=") {
		t.Fatal(address)
	}
	g := s.look(address)
	if g.StatusCode != 200 || !strings.HasPrefix(g.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %s", g.StatusCode, g.body)
	}
	body := string(g.body)
	for _, want := range []string{
		"Ada", "careful", "Find the prices", "succeeded", "verified", "93 % sure", "the page says thank you", "predicted",
		"task completion", "no evidence", "no evidence: no error was met", "40 s", "1.5 s",
		`<video controls`, `poster="` + base + "/artifacts/" + shot, base + "/artifacts/" + film,
		`id="step-1"`, `id="step-4"`, "0:05", "0:15", "Page 2", "https://e.x/page-2", "I see things.", "Thought 2.",
		"clicks <b>“<bdi>Add to basket</bdi>”</b>", "types <code>{{password}}</code> in <b>“<bdi>Password</bdi>”</b>", "clicks a button without a name",
		"nothing happened", "nothing moved", "brand new", `class="step trouble" id="step-4"`, `href="#step-4"`, "as Ada saw it at step 1; the target “Add to basket” is in a red frame", "frustration 25 %", `<rect width="25" height="1"/>`,
		// The box on a picture of 390 × 800 CSS px.
		`<foreignObject x="10%" y="25%" width="20%" height="10%">`, "further down", "?box=39%2C200%2C78%2C80%2C390",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Count(body, "<script") != 1 || !strings.Contains(body, `<script src="/assets/player.js" defer></script>`) || strings.Count(body, `loading="lazy"`) != 2 {
		t.Errorf("scripts, or pictures that do not wait: %s", body)
	}
	if csp := g.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "media-src 'self' http://understudy.test;") {
		t.Errorf("CSP %q", csp)
	}
	for _, found := range regexp.MustCompile(`(?:src|poster|href)="`+regexp.QuoteMeta(base)+`([^"]+)"`).FindAllStringSubmatch(body, -1) {
		s.artifacts[shot], s.artifacts[film] = s.aFile(), s.aFile()
		s.send("GET", strings.ReplaceAll(found[1], "&amp;", "&"), "", "").wants(t, 200, "")
	}
}

func TestPagesOpenForWhoMayRead(t *testing.T) {
	t.Parallel()
	s := newService(t)
	test := s.aTest()
	id, address := s.aSession(t, test, "", aStep(0, noAction))
	_, other := s.aSession(t, test, "", aStep(0, noAction))
	open := func(key string) got {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/sessions/"+id, nil)
		r.Header.Set("Authorization", "Bearer "+key)
		return s.serve(r)
	}
	open("read").wants(t, 200, "")
	open("other").wants(t, 404, "not_found")
	for name, refused := range map[string]string{
		"the token of another session": app + "/sessions/" + id + other[strings.Index(other, "?"):],
		"a later expiry":               strings.Replace(address, "expires=1", "expires=2", 1),
		"a report's token":             s.links.ReportURL("org_a", domain.Live, id, noon),
	} {
		refused = strings.Replace(refused, "/reports/", "/sessions/", 1)
		g := s.look(refused)
		if g.StatusCode != 403 || !strings.HasPrefix(g.Header.Get("Content-Type"), "text/html") || strings.Contains(string(g.body), "Ada") {
			t.Errorf("%s: %d %s", name, g.StatusCode, g.body)
		}
	}
	s.travel(30*24*time.Hour + 11*time.Hour)
	if g := s.look(address); g.StatusCode != 200 {
		t.Errorf("%d before its last day is over", g.StatusCode)
	}
	s.travel(time.Hour)
	g := s.look(address)
	if g.StatusCode != 403 || !strings.Contains(string(g.body), "this address has expired") || !strings.Contains(string(g.body), g.Header.Get("X-Request-Id")) {
		t.Errorf("%d %s", g.StatusCode, g.body)
	}
	if g := s.look(app + "/sessions/" + newID("ses") + "?expires=1&token=x"); g.StatusCode != 403 {
		t.Errorf("%d", g.StatusCode)
	}
}

func TestReportsLeadToTheStep(t *testing.T) {
	t.Parallel()
	s := newService(t)
	test := s.aTest()
	session, _ := s.aSession(t, test, "", aStep(2, noAction), aStep(3, noAction))
	id := newID("rep")
	s.reports.put(s.keys["all"], id, 3, strings.ReplaceAll(reportJSON(id, test), "ses_1", session))
	s.tests.put(s.keys["all"], test, 9, strings.Replace(string(s.tests.rows[test].doc.JSON), `"report_id":null`, `"report_id":"`+id+`"`, 1))
	for range 2 { // the second time from the report that the session's page names
		s.travel(24 * time.Hour)
		report := s.look(s.links.ReportURL("org_a", domain.Live, id, noon))
		at := regexp.MustCompile(`href="([^"]*/sessions/[^"]*)#step-4"`).FindSubmatch(report.body)
		if report.StatusCode != 200 || at == nil {
			t.Fatalf("%d, no way to the step: %s", report.StatusCode, report.body)
		}
		page := s.look(strings.ReplaceAll(string(at[1]), "&amp;", "&"))
		if page.StatusCode != 200 || !strings.Contains(string(page.body), `id="step-4"`) {
			t.Fatalf("%d %s", page.StatusCode, page.body)
		}
		back := regexp.MustCompile(`href="([^"]*/reports/[^"]*)"`).FindSubmatch(page.body)
		if back == nil {
			t.Fatal("no way back to the report")
		}
		// Going to and fro renews nothing.
		if got := strings.ReplaceAll(string(back[1]), "&amp;", "&"); got != s.links.ReportURL("org_a", domain.Live, id, noon) {
			t.Errorf("a day later the way back is %s", got)
		}
	}
	evidence := string(s.send("GET", "/reports/"+id, "all", "").wants(t, 200, "").body)
	if !strings.Contains(evidence, `"session_url":"`+app+"/sessions/"+session) {
		t.Errorf("%s", evidence)
	}
}

func TestSessionsWithoutAWalkHaveAPage(t *testing.T) {
	t.Parallel()
	s := newService(t)
	test := s.aTest()
	doc := func(status, failure string) string {
		return `{"id":"SESSION","test_id":"TEST","index":0,"status":"` + status + `","outcome":null,"completion":null,
"persona":{"id":"per_1","name":"Ada","summary":"careful"},"viewport":"mobile","seed":1,"model":"forager-1","started_at":null,"finished_at":null,
"duration_seconds":null,"simulated_seconds":0,"steps":0,"pages_visited":0,"scores":null,"failure":` + failure + `}`
	}
	for status, want := range map[string]string{
		"queued": "waits for its turn", "running": "still going on", "cancelled": "was cancelled",
		"failed": "The browser went away",
	} {
		failure := "null"
		if status == "failed" {
			failure = `{"code":"browser_lost","message":"The browser went away"}`
		}
		_, address := s.aSession(t, test, doc(status, failure))
		g := s.look(address)
		if body := string(g.body); g.StatusCode != 200 || !strings.Contains(body, want) || strings.Contains(body, "<video") || strings.Contains(body, ">Scores<") {
			t.Errorf("%s: %d %s", status, g.StatusCode, body)
		}
	}
}

func TestWhatPagesSayStaysText(t *testing.T) {
	t.Parallel()
	s := newService(t)
	steps := make([]string, 0, 120)
	for i := range 119 {
		steps = append(steps, aStep(i, noAction))
	}
	nasty := `"action":{"type":"click","target":{"role":"link","name":"\u202e<img src=x onerror=alert(1)> שלום 🛒","selector":"a"}},"signals":[{"kind":"error_click","detail":"</li><script>alert(2)</script>"}]`
	steps = append(steps, strings.NewReplacer("https://e.x/page-119", "javascript:alert(3)", "Thought 119.", strings.Repeat("long", 5000)).Replace(aStep(119, nasty)))
	_, address := s.aSession(t, s.aTest(), "", steps...)
	g := s.look(address)
	body := string(g.body)
	if g.StatusCode != 200 || strings.Count(body, "<script") != 1 || strings.Contains(body, "<img src=x") || strings.Contains(body, `"javascript:`) {
		t.Errorf("%d: what a page says became part of this one", g.StatusCode)
	}
	if !strings.Contains(body, "<bdi>\u202e&lt;img") || !strings.Contains(body, "שלום 🛒") || strings.Count(body, `<li class="step`) != 120 || !strings.Contains(body, "9:55") {
		t.Error("something is missing of a long walk")
	}
}

// aFile is the content of some artifact.
func (s *served) aFile() service.Artifact {
	id, _ := s.anArtifact(aPicture(s.t, 78, 160, color.White))
	return s.artifacts[id]
}

// Findings are what a test says was noticed.
func (r reads) Findings(_ context.Context, _ service.Principal, sessionID string) (*session.Findings, error) {
	return r.found[sessionID], nil
}
