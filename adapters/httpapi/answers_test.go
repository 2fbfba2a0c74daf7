package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/adapters/httpapi"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/testrun"
	"understudy/projections/sessions"
)

func notReady(component, message string) httpapi.NotReady {
	return httpapi.NotReady{Component: component, Message: message}
}

type page struct {
	Data       []map[string]any `json:"data"`
	HasMore    bool             `json:"has_more"`
	NextCursor *string          `json:"next_cursor"`
}

func (g got) page(t testing.TB) page {
	t.Helper()
	var p page
	if err := json.Unmarshal(g.body, &p); err != nil {
		t.Fatalf("%v: %s", err, g.body)
	}
	return p
}

func TestPagesHangTogether(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var made []string
	for range 5 {
		made = append(made, s.aTest())
	}
	var seen []string
	path := "/tests?limit=2&status=running"
	for range 3 {
		g := s.send("GET", path, "all", "").wants(t, 200, "")
		p := g.page(t)
		for _, item := range p.Data {
			id, _ := item["id"].(string)
			seen = append(seen, id)
		}
		if p.HasMore != (p.NextCursor != nil) || p.HasMore != (g.Header.Get("Link") != "") {
			t.Fatalf("has_more, next_cursor and Link disagree: %s, Link %q", g.body, g.Header.Get("Link"))
		}
		if !p.HasMore {
			break
		}
		link := regexp.MustCompile(`^<http://understudy\.test/v1(/tests\?.*)>; rel="next"$`).FindStringSubmatch(g.Header.Get("Link"))
		if link == nil || !strings.Contains(link[1], "limit=2") || !strings.Contains(link[1], "status=running") {
			t.Fatalf("Link %q", g.Header.Get("Link"))
		}
		path = link[1]
	}
	if len(seen) != 5 || seen[0] != made[4] || seen[4] != made[0] {
		t.Errorf("seen %v, made %v", seen, made)
	}
	if empty := s.send("GET", "/reports", "all", "").wants(t, 200, ""); !strings.Contains(string(empty.body), `"data":[]`) {
		t.Errorf("an empty list is %s", empty.body)
	}
}

func TestACursorBelongsToItsList(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.aTest()
	s.aTest()
	cursor := *s.send("GET", "/tests?limit=1", "all", "").page(t).NextCursor
	s.send("GET", "/tests?limit=50&cursor="+cursor, "all", "").wants(t, 200, "")
	for name, try := range map[string][2]string{
		"another filter":       {"/tests?status=failed&cursor=" + cursor, "all"},
		"another list":         {"/reports?cursor=" + cursor, "all"},
		"another organization": {"/tests?cursor=" + cursor, "other"},
		"another environment":  {"/tests?cursor=" + cursor, "sandbox"},
		"another key in it":    {"/tests?cursor=" + cursor[:len(cursor)-2] + "zz", "all"},
	} {
		p := s.isProblem(s.send("GET", try[0], try[1], "").wants(t, 422, "validation_failed"))
		if len(p.Errors) != 1 || p.Errors[0].Parameter != "cursor" || p.Errors[0].Code != "invalid_cursor" {
			t.Errorf("%s: %+v", name, p.Errors)
		}
	}
}

func TestWhatIsStillCurrentIsNotSentAgain(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.aTest()
	etag := s.send("GET", "/tests/"+id, "all", "").wants(t, 200, "").Header.Get("ETag")
	if etag != `"0"` {
		t.Errorf("ETag %q is not the revision", etag)
	}
	for _, header := range []string{etag, "W/" + etag, `"9", ` + etag, "*"} {
		g := s.send("GET", "/tests/"+id, "all", "", "If-None-Match", header)
		if g.StatusCode != 304 || len(g.body) != 0 || g.Header.Get("ETag") != etag {
			t.Errorf("If-None-Match %s: %d, %d bytes", header, g.StatusCode, len(g.body))
		}
	}
	g := s.send("DELETE", "/tests/"+id, "all", "").wants(t, 200, "")
	if g.object(t)["status"] != "cancelled" || g.Header.Get("ETag") != `"1"` {
		t.Errorf("%s %s", g.Header.Get("ETag"), g.body)
	}
	s.send("GET", "/tests/"+id, "all", "", "If-None-Match", etag).wants(t, 200, "")
}

func TestSignedAddressesAreTheSameAllDay(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := newID("rep")
	s.reports.put(s.keys["all"], id, 3, reportJSON(id, newID("test")))
	first := s.send("GET", "/reports/"+id, "all", "").wants(t, 200, "")
	s.travel(11 * time.Hour)
	s.send("GET", "/reports/"+id, "all", "", "If-None-Match", first.Header.Get("ETag")).wants(t, 304, "")
	s.travel(time.Hour)
	next := s.send("GET", "/reports/"+id, "all", "", "If-None-Match", first.Header.Get("ETag")).wants(t, 200, "")
	if bytes.Equal(first.body, next.body) {
		t.Error("the next day has the same addresses")
	}
	url := regexp.MustCompile(`"screenshot_url":"([^"]+)"`).FindStringSubmatch(string(first.body))
	expires, err := strconv.ParseInt(regexp.MustCompile(`expires=(\d+)`).FindStringSubmatch(url[1])[1], 10, 64)
	if left := time.Unix(expires, 0).Sub(noon); err != nil || left < 24*time.Hour || left > 48*time.Hour {
		t.Errorf("%s holds for %v", url[1], left)
	}
	if strings.Count(string(first.body), "screenshot_url") != 2 {
		t.Errorf("screenshots without address: %s", first.body)
	}
}

func TestTheEdgeKeepsOrderAndDigits(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := newID("test")
	s.tests.put(s.keys["all"], id, 7, strings.NewReplacer(`"seed":4711`, `"seed":9007199254740991`, `"task":"T"`, `"task":"a <b> & \"c\" ☃"`).
		Replace(testJSON(id, service.NewTest{Wish: testrun.Wish{URL: "https://e.x/?a=1&b=2", Task: "T", Sessions: 1, Model: "m", Criteria: []string{"trust"}, Viewports: []string{"mobile"}, Personas: testrun.Personas{Source: "auto-diverse"}}})))
	g := s.send("GET", "/tests/"+id, "all", "").wants(t, 200, "")
	for _, want := range []string{`"seed":9007199254740991`, `"task":"a <b> & \"c\" ☃"`, `"report_url":null`} {
		if !strings.Contains(string(g.body), want) {
			t.Errorf("%s lacks %s", g.body, want)
		}
	}
}

func TestTheEdgeTakesNoEscapeForText(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.aTest()
	stored := strings.Replace(string(s.tests.rows[id].doc.JSON), `"task":"`, `"task":"a \u003cb\u003e \u0026 \\u003cb\\\u003e `, 1)
	s.tests.put(s.keys["all"], id, 7, stored)
	for _, path := range []string{"/tests/" + id, "/tests"} {
		g := s.send("GET", path, "all", "").wants(t, 200, "")
		if want := `"task":"a <b> & \\u003cb\\> `; !strings.Contains(string(g.body), want) {
			t.Errorf("%s lacks %s", g.body, want)
		}
	}
}

func sessionJSON(id, testID string) string {
	return `{"id":"` + id + `","test_id":"` + testID + `","index":0,"status":"completed","outcome":"succeeded",
"completion":{"status":"verified","confidence":0.93,"evidence":"the page says thank you"},"persona":{"id":"per_1","name":"Ada","summary":"careful","risk":"averse"},
"viewport":"desktop","seed":1,"model":"forager-1","started_at":"2026-11-21T12:00:00.000Z","finished_at":null,"duration_seconds":1.5,
"simulated_seconds":40,"steps":1,"pages_visited":1,"scores":{"task_completion":1,"trust":null},"reasons_without_evidence":{"error_recovery":"no error was met"}}`
}

// traceJSON is a trace with these steps, as the read model has it.
func traceJSON(t *testing.T, id string, steps ...string) string {
	t.Helper()
	trace := sessions.Trace{SessionID: id}
	if err := json.Unmarshal([]byte("["+strings.Join(steps, ",")+"]"), &trace.Steps); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(trace)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestASessionWithItsTrace(t *testing.T) {
	t.Parallel()
	s := newService(t)
	test := s.aTest()
	id := newID("ses")
	s.sessions.put(s.keys["all"], id, 5, sessionJSON(id, test))
	s.traces.put(s.keys["all"], id, 5, traceJSON(t, id, `{"index":0,"at":"2026-11-21T12:00:01.000Z","url":"https://e.x","title":"","observation":"o","thought":"t","action":{"type":"click","target":null},"simulated_ms":900,"scent":0.4,"frustration":0,"signals":[]}`))
	s.records.put(s.keys["all"], id, 5, `{"session_id":"`+id+`","format":"webm","artifact_id":"`+newID("art")+`","duration_seconds":12.5,"bytes":4096}`)
	full := s.send("GET", "/sessions/"+id, "all", "").wants(t, 200, "")
	o := full.object(t)
	links, _ := o["links"].(map[string]any)
	trace, _ := o["trace"].(map[string]any)
	if links["trace"] != base+"/sessions/"+id+"/trace" || trace["session_id"] != id || !strings.HasPrefix(full.Header.Get("ETag"), `"5-`) {
		t.Errorf("%s", full.body)
	}
	if g := s.send("GET", "/tests/"+test+"/sessions/"+id, "all", "").wants(t, 200, ""); g.object(t)["trace"] != nil {
		t.Error("the short form has a trace")
	}
	s.send("GET", "/tests/"+newID("test")+"/sessions/"+id, "all", "").wants(t, 404, "not_found")
	s.send("GET", "/sessions/"+id+"/trace", "all", "").wants(t, 200, "")
	if g := s.send("GET", "/tests/"+test+"/sessions?status=completed", "all", "").wants(t, 200, ""); len(g.page(t).Data) != 1 || s.sessions.asked.TestID != test {
		t.Errorf("%s", g.body)
	}
	if g := s.send("GET", "/sessions/"+id+"/recording", "all", "").wants(t, 200, ""); !strings.Contains(string(g.body), base+"/artifacts/art_") {
		t.Errorf("%s", g.body)
	}
	shot := newID("art")
	s.shots.put(s.keys["all"], shot, 0, `{"id":"`+shot+`","step":0,"taken_at":"2026-11-21T12:00:01.000Z","width":1280,"height":800}`)
	if g := s.send("GET", "/sessions/"+id+"/screenshots", "all", "").wants(t, 200, ""); !strings.Contains(string(g.body), shot+"?expires=") || s.shots.asked.SessionID != id {
		t.Errorf("%s", g.body)
	}
	s.traces.put(s.keys["all"], id, 6, `{"session_id":"`+id+`","steps":[]}`)
	s.send("GET", "/sessions/"+id, "all", "", "If-None-Match", full.Header.Get("ETag")).wants(t, 200, "")
}

func TestReportOfATest(t *testing.T) {
	t.Parallel()
	s := newService(t)
	test := s.aTest()
	s.send("GET", "/tests/"+test+"/report", "all", "").wants(t, 404, "not_found")
	made := s.send("POST", "/tests/"+test+"/reports", "all", "").wants(t, 201, "").object(t)
	id, _ := made["id"].(string)
	s.send("POST", "/tests/"+test+"/reports", "all", `{"criteria":["trust"]}`).wants(t, 201, "")
	s.send("POST", "/tests/"+test+"/reports", "all", `{"criteria":["beauty"]}`).wants(t, 422, "validation_failed")
	doc := strings.Replace(string(s.tests.rows[test].doc.JSON), `"report_id":null`, `"report_id":"`+id+`"`, 1)
	s.tests.put(s.keys["all"], test, 9, doc)
	g := s.send("GET", "/tests/"+test+"/report", "all", "").wants(t, 200, "")
	if g.object(t)["id"] != id {
		t.Errorf("%s", g.body)
	}
	url, _ := s.send("GET", "/tests/"+test, "all", "").wants(t, 200, "").object(t)["report_url"].(string)
	if !strings.HasPrefix(url, app+"/reports/"+id+"?expires=") || g.object(t)["report_url"] != url {
		t.Errorf("report_url %q", url)
	}
	open := func(path, key string) got {
		r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		return s.serve(r)
	}
	view := open(strings.TrimPrefix(url, app), "")
	if view.StatusCode != 200 || !strings.HasPrefix(view.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %s", view.StatusCode, view.body)
	}
	for _, want := range []string{"<strong>Passed</strong>", "82 %", "no evidence", "A dead button", "Where &lt;b&gt;is&lt;/b&gt; it?", base + "/artifacts/art_", "Find the prices"} {
		if !strings.Contains(string(view.body), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if !strings.Contains(view.Header.Get("Content-Security-Policy"), "img-src 'self' http://understudy.test;") {
		t.Errorf("CSP %q", view.Header.Get("Content-Security-Policy"))
	}
	open("/reports/"+id, "all").wants(t, 200, "")
	open("/reports/"+id, "read").wants(t, 403, "forbidden")
	open("/reports/"+id, "").wants(t, 401, "unauthenticated")
	open("/reports/"+newID("rep")+strings.TrimPrefix(url, app+"/reports/"+id), "").wants(t, 403, "forbidden")
}

func TestFailuresHideTheirCause(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.tests.err = errors.New("password=hunter2 is wrong")
	g := s.send("GET", "/tests/"+newID("test"), "all", "").wants(t, 500, "internal_error")
	if strings.Contains(string(g.body), "hunter2") || !strings.Contains(s.log.String(), "hunter2") {
		t.Errorf("the cause belongs into the log alone: %s", g.body)
	}
	s.tests.err = nil
	s.commands.before = func() error { panic("lost the thread") }
	g = s.send("POST", "/tests", "all", smallest).wants(t, 500, "internal_error")
	if strings.Contains(string(g.body), "thread") || !strings.Contains(s.log.String(), "lost the thread") || !strings.Contains(s.log.String(), "fixture_test.go") {
		t.Errorf("a panic's value and stack belong into the log alone: %s", g.body)
	}
	s.commands.before = nil
	s.send("POST", "/tests", "all", smallest).wants(t, 201, "")
}

func TestRefusalsOfTheDomainKeepTheirCode(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for code, status := range map[domain.Code]int{
		domain.CodeNotFound: 404, domain.CodeWrongState: 409, domain.CodeConflict: 409, domain.CodeValidationFailed: 422,
		domain.CodeForbidden: 403, domain.CodeTargetNotAllowed: 422,
		domain.CodeModelUnavailable: 422, domain.CodeUnavailable: 503,
	} {
		s.commands.before = func() error { return domain.Refuse(code, "because") }
		g := s.send("POST", "/tests", "all", smallest).wants(t, status, string(code))
		if p := s.isProblem(g); p.Detail != "because" || p.Instance != "/v1/tests" {
			t.Errorf("%s", g.body)
		}
	}
	s.commands.before = func() error { return domain.Invalid("personas.pack_id", "unknown", "there is no pack pack_x") }
	p := s.isProblem(s.send("POST", "/tests", "all", smallest).wants(t, 422, "validation_failed"))
	if len(p.Errors) != 1 || p.Errors[0].Pointer != "/personas/pack_id" {
		t.Errorf("%+v", p.Errors)
	}
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	t.Parallel()
	s := newService(t)
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	id := s.aTest()
	for path, status := range map[string]int{"/tests/" + id: 200, "/tests/" + newID("test"): 404} {
		r := httptest.NewRequestWithContext(t.Context(), "HEAD", server.URL+"/v1"+path, nil)
		r.RequestURI = ""
		r.Header.Set("Authorization", "Bearer all")
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != status || res.ContentLength <= 0 || res.Header.Get("X-RateLimit-Limit") != "1000" {
			t.Errorf("HEAD %s: %d, length %d", path, res.StatusCode, res.ContentLength)
		}
	}
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _ := s.send("POST", "/webhooks", "all", `{"url":"https://e.x/h","events":["test.completed"]}`).wants(t, 201, "").object(t)["id"].(string)
	dlv := newID("dlv")
	s.deliver.put(s.keys["all"], dlv, 2, `{"id":"`+dlv+`","webhook_id":"`+id+`","test_id":"test_1","event":"test.completed","status":"delivered",
"created_at":"2026-11-21T12:00:00.000Z","next_attempt_at":null,"attempts":[{"attempt":1,"at":"2026-11-21T12:00:00.000Z","status_code":204,"error":null,"latency_ms":3,"response":""}]}`)
	s.send("GET", "/webhooks", "all", "").wants(t, 200, "")
	s.send("GET", "/deliveries/"+dlv, "all", "").wants(t, 200, "")
	if g := s.send("GET", "/webhooks/"+id+"/deliveries?status=delivered", "all", "").wants(t, 200, ""); len(g.page(t).Data) != 1 {
		t.Errorf("%s", g.body)
	}
	if q := s.deliver.asked; q.WebhookID != id || q.Status != "delivered" {
		t.Errorf("asked %+v", q)
	}
	if g := s.send("DELETE", "/webhooks/"+id, "all", ""); g.StatusCode != 204 || len(g.body) != 0 {
		t.Errorf("%d %s", g.StatusCode, g.body)
	}
	s.send("GET", "/webhooks/"+id, "all", "").wants(t, 404, "not_found")
	s.send("DELETE", "/webhooks/"+id, "all", "").wants(t, 404, "not_found")
}

func TestPersonaPacksAndModels(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := s.send("GET", "/personas/packs?limit=2", "read", "").wants(t, 200, "").page(t)
	second := s.send("GET", "/personas/packs?limit=2&cursor="+*first.NextCursor, "read", "").wants(t, 200, "").page(t)
	if len(first.Data) != 2 || len(second.Data) != 1 || second.Data[0]["id"] != "pack_dev" || second.HasMore {
		t.Errorf("%v %v", first, second)
	}
	g := s.send("GET", "/personas/packs/pack_mobile", "read", "").wants(t, 200, "")
	if by := s.send("GET", "/personas/packs/mobile-first", "read", "").wants(t, 200, ""); !bytes.Equal(by.body, g.body) {
		t.Errorf("by slug: %s", by.body)
	}
	s.send("GET", "/personas/packs/pack_mobile", "read", "", "If-None-Match", g.Header.Get("ETag")).wants(t, 304, "")
	if g := s.send("GET", "/models", "read", "").wants(t, 200, ""); g.page(t).Data[0]["name"] != "forager-2" {
		t.Errorf("%s", g.body)
	}
}
