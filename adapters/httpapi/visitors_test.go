package httpapi_test

import (
	"html/template"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/session"
)

// visitors are known by a header, as browsers are by their cookie.
type visitors map[string]service.Principal

func (v visitors) SignedIn(r *http.Request) (service.Principal, error) {
	who, known := v[r.Header.Get("Cookie")]
	if !known {
		return who, service.ErrUnauthenticated
	}
	return who, r.Context().Err()
}

func (visitors) SignInURL(back string) string { return "/sign-in?next=" + back }

func (visitors) Frame(_ service.Principal, path string) (links, before, after template.HTML, err error) {
	return `<link rel="stylesheet" href="/frame.css">`, template.HTML("<nav>around " + path + "</nav>"), "<dialog></dialog>", nil
}

func (visitors) Asset(name string) string { return "/assets/" + name }

var everybody = visitors{
	"ours":    {OrganizationID: "org_a", Environment: domain.Live, Scopes: access.Viewer.Scopes(), SignedIn: true, Role: access.Viewer},
	"sandbox": {OrganizationID: "org_a", Environment: domain.Sandbox, Scopes: access.Viewer.Scopes(), SignedIn: true, Role: access.Viewer},
	"other":   {OrganizationID: "org_b", Environment: domain.Live, Scopes: access.Owner.Scopes(), SignedIn: true, Role: access.Owner},
	"none":    {OrganizationID: "org_a", Environment: domain.Live, SignedIn: true},
}

// visits opens a page with a browser that is known by a cookie.
func (s *served) visits(path, cookie string) got {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), "GET", path, nil)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	r.Header.Set("Cookie", cookie)
	return s.serve(r)
}

func TestPagesOpenForWhoHasSignedIn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	test := s.aTest()
	id, address := s.aSession(t, test, "", aStep(0, noAction))
	report := newID("rep")
	s.reports.put(s.keys["all"], report, 3, strings.ReplaceAll(reportJSON(report, test), "ses_1", id))
	for _, who := range []string{"ours", "sandbox"} { // what is there is found from either
		for path, inside := range map[string]string{"/sessions/" + id: "Thought 0.", "/reports/" + report: "/sessions/" + id} {
			g := s.visits(path, who)
			body := string(g.body)
			if g.StatusCode != 200 || !strings.Contains(body, "<nav>around "+path+"</nav>") || !strings.Contains(body, inside) || strings.Contains(body, "token=") {
				t.Errorf("%s for %s: %d, an address with a token, or nothing around it: %s", path, who, g.StatusCode, body)
			}
			if g.Header.Get("Cache-Control") != "no-store" || !strings.Contains(g.Header.Get("Content-Security-Policy"), "script-src 'self'") {
				t.Errorf("%s: %v", path, g.Header)
			}
		}
	}
	if g := s.visits("/sessions/"+id, "other"); g.StatusCode != 404 {
		t.Errorf("another organization's: %d", g.StatusCode)
	}
	if g := s.visits("/sessions/"+id, "none"); g.StatusCode != 403 {
		t.Errorf("without a scope: %d", g.StatusCode)
	}
	if g := s.visits("/sessions/"+id, "nobody"); g.StatusCode != 303 || g.Header.Get("Location") != "/sign-in?next=/sessions/"+id {
		t.Errorf("nobody: %d to %s", g.StatusCode, g.Header.Get("Location"))
	}
	for _, nowhere := range []string{"/nothing", "/sessions/ses_1", "/reports/rep_1"} {
		if g := s.visits(nowhere, "ours"); g.StatusCode != 404 || !strings.Contains(string(g.body), "<nav>around "+nowhere+"</nav>") || !strings.Contains(g.Header.Get("Content-Security-Policy"), "script-src 'self'") {
			t.Errorf("%s: %d, %v: %s", nowhere, g.StatusCode, g.Header, g.body)
		}
	}
	if g := s.visits("/nothing", "nobody"); g.StatusCode != 404 || strings.Contains(string(g.body), "<nav>") {
		t.Errorf("/nothing for nobody: %d: %s", g.StatusCode, g.body)
	}
	if g := s.visits("/v1/sessions/"+id, "ours"); g.StatusCode != 401 {
		t.Errorf("the interface takes a cookie: %d", g.StatusCode)
	}
	if g := s.look(address); strings.Contains(string(g.body), "<nav>around") || !strings.Contains(string(g.body), `src="/assets/player.js"`) {
		t.Errorf("by its token: %s", g.body)
	}
	if g := s.visits("/reports/"+report+"?format=markdown", "ours"); g.StatusCode != 200 || !strings.Contains(string(g.body), "?expires=") || strings.Contains(string(g.body), "<nav") {
		t.Errorf("as a file, which is passed on: %d %s", g.StatusCode, g.body)
	}
}

func TestStepsAreFoundInTheFilmAndOnThePicture(t *testing.T) {
	t.Parallel()
	s := newService(t)
	test, shot := s.aTest(), newID("art")
	s.shots.put(s.keys["all"], shot, 0, `{"id":"`+shot+`","step":0,"taken_at":"2026-11-21T12:00:01.000Z","width":1000,"height":500}`)
	first := strings.Replace(aStep(0, noAction), `"screenshot_id":null`, `"screenshot_id":"`+shot+`"`, 1)
	short := strings.Replace(aStep(1, noAction), `"simulated_ms":5000`, `"simulated_ms":10`, 1)
	id, address := s.aSession(t, test, "", first, short, aStep(2, noAction))
	s.records.put(s.keys["all"], id, 5, `{"session_id":"`+id+`","format":"webm","artifact_id":"`+newID("art")+`","duration_seconds":6.7,"bytes":4096}`)
	s.found = map[string]*session.Findings{id: {Observations: []session.Observation{{
		Kind: "low_contrast", Step: 0, Viewport: session.Size{Width: 1000, Height: 500},
		Element: &session.Target{Name: "Pay <now>", Selector: "#pay", Box: session.Box{X: 100, Y: 50, W: 200, H: 100}},
	}}}}
	body := string(s.look(address).body)
	for _, want := range []string{
		`id="step-1" data-at="0.000"`, `id="step-2" data-at="3.000"`, `id="step-3" data-at="3.700"`, // a step is shown for 0.7 to 3 s
		`<g class="beside"><foreignObject x="10%" y="10%" width="20%" height="20%">`, "“Pay &lt;now&gt;”: overlooked, hard to see",
		"Frustration, at most 25 %",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q: %s", want, body)
		}
	}
}
