package httpapi_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestSmallestTestGetsTheDefaults(t *testing.T) {
	t.Parallel()
	s := newService(t)
	g := s.send("POST", "/tests", "all", `{"url":"https://example.com/","task":"Find the prices"}`).wants(t, 201, "")
	o := g.object(t)
	if o["sessions_total"] != 10.0 || o["model"] != "forager-2" || o["report_url"] != nil {
		t.Errorf("defaults: %s", g.body)
	}
	got := s.commands.last
	if got.Personas.Source != "auto-diverse" || len(got.Criteria) != 2 || got.Viewports[0] != "desktop" || got.MaxSteps != 25 || got.Seed != nil || got.Success != nil || got.Gate.Threshold != nil || got.Gate.Criteria != nil {
		t.Errorf("command: %+v", got)
	}
	id, _ := o["id"].(string)
	if want := base + "/tests/" + id; g.Header.Get("Location") != want {
		t.Errorf("Location %q, want %q", g.Header.Get("Location"), want)
	}
	if url, _ := o["stream_url"].(string); !strings.HasPrefix(url, "ws://understudy.test/v1/tests/"+id+"/stream?token=") {
		t.Errorf("stream_url %q", url)
	}
}

func TestEveryFieldArrives(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.send("POST", "/tests", "all", `{"url":"HTTP://example.com","task":"Log in as {{user}}","name":"n","sessions":1e1,"model":"openai/x",
		"personas":{"source":"pack","pack_id":"pack_general"},"criteria":["trust"],"viewport":["mobile","tablet"],"seed":0,"max_steps":40,
		"locale":"en-GB","inputs":{"user":"jo"},"success":{"url_matches":"/x"},"quality_gate":{"criteria":{"trust":0.8}},"metadata":{"a b":"c"}}`).wants(t, 201, "")
	got := s.commands.last
	if got.Seed == nil || *got.Seed != 0 || got.Sessions != 10 || got.Inputs["user"] != "jo" || got.Metadata["a b"] != "c" || got.Success.URLMatches != "/x" ||
		got.Gate.Threshold != nil || got.Gate.Criteria["trust"] != 0.8 || got.Personas.PackID != "pack_general" {
		t.Errorf("command: %+v", got)
	}
}

func TestFaultsNameTheFieldAndTheWayOut(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for name, test := range map[string]struct {
		body string
		want []string // pointer code: message
	}{
		"nothing":            {`{}`, []string{"/task required: task is required", "/url required: url is required"}},
		"no object":          {`[1]`, []string{" wrong_type: the body must be a JSON object"}},
		"too few sessions":   {`{"url":"https://e.x","task":"t","sessions":0}`, []string{"/sessions out_of_range: sessions must be between 1 and 10000"}},
		"too many sessions":  {`{"url":"https://e.x","task":"t","sessions":10001}`, []string{"/sessions out_of_range: sessions must be between 1 and 10000"}},
		"half a session":     {`{"url":"https://e.x","task":"t","sessions":1.5}`, []string{"/sessions wrong_type: sessions must be a whole number"}},
		"next to nothing":    {`{"url":"https://e.x","task":"t","seed":1e-400}`, []string{"/seed wrong_type: seed must be a whole number"}},
		"text for number":    {`{"url":"https://e.x","task":"t","sessions":"10"}`, []string{"/sessions wrong_type: sessions must be a whole number"}},
		"relative url":       {`{"url":"example.com","task":"t"}`, []string{"/url wrong_format: url must be an absolute http or https address such as https://example.com/"}},
		"file url":           {`{"url":"file:///etc/passwd","task":"t"}`, []string{"/url wrong_format: url must be an absolute http or https address such as https://example.com/"}},
		"empty task":         {`{"url":"https://e.x","task":""}`, []string{"/task too_short: task must not be empty"}},
		"unknown viewport":   {`{"url":"https://e.x","task":"t","viewport":["desktop","tv"]}`, []string{"/viewport/1 not_allowed: viewport[1] must be one of desktop, mobile, tablet"}},
		"the same twice":     {`{"url":"https://e.x","task":"t","viewport":["mobile","mobile"]}`, []string{"/viewport duplicate: viewport must not list the same value twice"}},
		"no criteria":        {`{"url":"https://e.x","task":"t","criteria":[]}`, []string{"/criteria too_few: criteria must list at least 1 value"}},
		"pack without id":    {`{"url":"https://e.x","task":"t","personas":{"source":"pack"}}`, []string{"/personas/pack_id required: personas.pack_id is required"}},
		"custom without ids": {`{"url":"https://e.x","task":"t","personas":{"source":"custom"}}`, []string{"/personas/persona_ids required: personas.persona_ids is required"}},
		"threshold":          {`{"url":"https://e.x","task":"t","quality_gate":{"threshold":70}}`, []string{"/quality_gate/threshold out_of_range: quality_gate.threshold must be between 0 and 1"}},
		"input name":         {`{"url":"https://e.x","task":"t","inputs":{"a/b":"x"}}`, []string{"/inputs/a~1b unknown_field: inputs.a/b is not a known field; inputs needs names of 1 to 64 letters, digits and _ that do not start with a digit"}},
		"NUL":                {`{"url":"https://e.x","task":"a\u0000b"}`, []string{"/task wrong_format: task must not contain the character U+0000"}},
		"huge number":        {`{"url":"https://e.x","task":"t","seed":1e999999999}`, []string{" out_of_range: the body holds a number that is too large; no field takes it"}},
		"locale":             {`{"url":"https://e.x","task":"t","locale":"English!"}`, []string{"/locale wrong_format: locale must be a language tag such as en-GB"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.isProblem(s.send("POST", "/tests", "all", test.body).wants(t, 422, "validation_failed"))
			var got []string
			for _, e := range p.Errors {
				got = append(got, e.Pointer+" "+e.Code+": "+e.Message)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("errors:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if !strings.Contains(p.Detail, p.Errors[0].Message) {
				t.Errorf("detail %q does not tell the first fault", p.Detail)
			}
			if len(s.commands.calls) != 0 {
				t.Error("the command ran")
			}
		})
	}
}

// TestATimeIsOneThatCanBeKept: RFC 3339 allows a second 60 and small letters, and
// offsets that lead out of the years that can be written.
func TestATimeIsOneThatCanBeKept(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, at := range []string{
		"2016-12-31T23:59:60Z", "2026-02-28t10:00:00z", "9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+14:00", "0000-06-01T00:00:00Z",
		"2026-02-29T10:00:00Z", "2026-01-01T24:00:00Z", "yesterday",
	} {
		p := s.isProblem(s.send("POST", "/keys", "all", `{"name":"n","scopes":["tests:read"],"expires_at":"`+at+`"}`).wants(t, 422, "validation_failed"))
		if len(p.Errors) != 1 || p.Errors[0].Pointer != "/expires_at" || p.Errors[0].Code != "wrong_format" {
			t.Errorf("%s in a body: %+v", at, p.Errors)
		}
		p = s.isProblem(s.send("GET", "/tests?created_after="+url.QueryEscape(at), "all", "").wants(t, 422, "validation_failed"))
		if len(p.Errors) != 1 || p.Errors[0].Parameter != "created_after" || p.Errors[0].Code != "wrong_format" {
			t.Errorf("%s in an address: %+v", at, p.Errors)
		}
	}
	for _, at := range []string{"9999-12-31T23:59:59.999999999Z", "0001-01-01T00:00:00Z", "2026-11-21T12:00:00.123456789+14:00"} {
		s.send("GET", "/tests?created_after="+url.QueryEscape(at), "all", "").wants(t, 200, "")
	}
}

// TestAnAddressHoldsTextThatCanBeLookedFor: Postgres takes no NUL and nothing but UTF-8.
func TestAnAddressHoldsTextThatCanBeLookedFor(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, text := range []string{"a%00b", "%FF", "a%C0%80", "%ED%A0%80"} {
		for _, list := range []string{"/tests?name=", "/comparisons?test_id=", "/reports?test_id="} {
			p := s.isProblem(s.send("GET", list+text, "all", "").wants(t, 422, "validation_failed"))
			if len(p.Errors) != 1 || p.Errors[0].Parameter == "" || p.Errors[0].Code != "wrong_format" {
				t.Errorf("%s%s: %+v", list, text, p.Errors)
			}
		}
		for _, path := range []string{"/tests/" + text, "/tests/" + text + "/sessions/" + newID("ses"), "/tests/" + newID("test") + "/sessions/" + text, "/reports/" + text} {
			s.isProblem(s.send("GET", path, "all", "").wants(t, 404, "not_found"))
		}
	}
	if len(s.sessions.asked.TestID)+len(s.reports.asked.TestID) > 0 {
		t.Error("a read model was asked")
	}
}

func TestATypingErrorShowsWhatThereIs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := s.isProblem(s.send("POST", "/tests", "all", `{"url":"https://e.x","task":"t","viewports":["mobile"]}`).wants(t, 422, "validation_failed"))
	if e := p.Errors[0]; e.Pointer != "/viewports" || !strings.HasPrefix(e.Message, "viewports is not a known field; the fields are criteria, ") || !strings.Contains(e.Message, "viewport") {
		t.Errorf("%+v", e)
	}
	p = s.isProblem(s.send("POST", "/tests", "all", `{"url":"https://e.x","task":"t","quality_gate":{"criteria":{"beauty":1}}}`).wants(t, 422, "validation_failed"))
	if e := p.Errors[0]; e.Pointer != "/quality_gate/criteria/beauty" {
		t.Errorf("%+v", e)
	}
}

func TestAFaultNeverShowsTheValue(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, body := range []string{
		`{"url":"https://e.x","secret":"hunter2"}`,
		`{"url":"https://e.x","secret":["hunter2"]}`,
		`{"url":"hunter2","events":["hunter2"],"secret":"a-long-enough-secret"}`,
		`{"url":"https://e.x","secret":"hunter2` + strings.Repeat("x", 300) + `"}`,
	} {
		if g := s.send("POST", "/webhooks", "all", body).wants(t, 422, "validation_failed"); strings.Contains(string(g.body), "hunter2") {
			t.Errorf("the answer quotes the request: %s", g.body)
		}
	}
	if strings.Contains(s.log.String(), "hunter2") {
		t.Error("the log quotes the request")
	}
}

func TestBodiesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.send("POST", "/tests", "all", `{"url":`).wants(t, 400, "malformed_body")
	s.send("POST", "/tests", "all", `{} {}`).wants(t, 400, "malformed_body")
	s.send("POST", "/tests", "all", "").wants(t, 400, "malformed_body")
	s.send("POST", "/tests", "all", "{\"url\":\"\xff\"}").wants(t, 400, "malformed_body")
	s.send("POST", "/tests", "all", strings.Repeat("[", 200_000)).wants(t, 400, "malformed_body")
	s.send("POST", "/tests", "all", `{}`, "Content-Type", "text/plain").wants(t, 415, "unsupported_media_type")
	s.send("POST", "/tests", "all", `{}`, "Content-Type", "").wants(t, 415, "unsupported_media_type")
	s.send("POST", "/tests", "all", `{}`, "Content-Encoding", "gzip").wants(t, 415, "unsupported_media_type")
	s.send("POST", "/tests", "all", `{"task":"`+strings.Repeat("x", 1<<20)+`"}`).wants(t, 413, "body_too_large")
	s.send("POST", "/tests", "all", `{"url":"https://e.x","task":"t"}`, "Content-Type", "application/json; charset=utf-8").wants(t, 201, "")
}

func TestQueryParametersAreChecked(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for query, want := range map[string]string{
		"limit=0":                       "limit must be between 1 and 100",
		"limit=101":                     "limit must be between 1 and 100",
		"limit=ten":                     "limit must be a whole number",
		"limit=99999999999999999999":    "limit must be a whole number",
		"limit=1&limit=2":               "limit may be given only once",
		"cursor=nonsense":               "cursor is not one of this list with these filters; start again without it",
		"cursor=":                       "cursor must not be empty",
		"status=paused":                 "status must be one of running, completed, failed, cancelled",
		"created_after=yesterday":       "created_after must be a time such as 2026-01-31T12:00:00Z (RFC 3339)",
		"created_after=2026-13-01T0:0Z": "created_after must be a time such as 2026-01-31T12:00:00Z (RFC 3339)",
		"limt=5":                        "limt is not a parameter here; the parameters are created_after, created_before, cursor, limit, name, status",
	} {
		p := s.isProblem(s.send("GET", "/tests?"+query, "all", "").wants(t, 422, "validation_failed"))
		if len(p.Errors) != 1 || p.Errors[0].Message != want || p.Errors[0].Parameter == "" || p.Errors[0].Pointer != "" {
			t.Errorf("%s: %+v", query, p.Errors)
		}
	}
	s.send("GET", "/tests?created_after=2026-01-31T12:00:00Z&status=failed", "all", "").wants(t, 200, "")
	if q := s.tests.asked; q.Status != "failed" || q.CreatedAfter.Year() != 2026 || q.Limit != 20 {
		t.Errorf("asked %+v", q)
	}
}

func TestAddressesAndMethodsThatAreNotThere(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.send("GET", "/nothing", "all", "").wants(t, 404, "not_found")
	s.send("GET", "/nothing", "", "").wants(t, 404, "not_found")
	s.send("GET", "/tests/", "all", "").wants(t, 404, "not_found")
	s.send("GET", "/tests/test_nonsense", "all", "").wants(t, 404, "not_found")
	s.send("GET", "/tests/"+newID("ses"), "all", "").wants(t, 404, "not_found")
	s.send("GET", "/personas/packs/pack_none", "all", "").wants(t, 404, "not_found")
	g := s.send("PUT", "/tests", "all", "{}").wants(t, 405, "method_not_allowed")
	for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS"} {
		if !strings.Contains(g.Header.Get("Allow"), method) {
			t.Errorf("Allow %q lacks %s", g.Header.Get("Allow"), method)
		}
	}
	if g := s.send("OPTIONS", "/tests", "", ""); g.StatusCode != http.StatusNoContent || g.Header.Get("Allow") == "" {
		t.Errorf("OPTIONS: %d, Allow %q", g.StatusCode, g.Header.Get("Allow"))
	}
}

func TestAcceptIsRespected(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.send("GET", "/tests", "all", "", "Accept", "text/html").wants(t, 406, "not_acceptable")
	s.send("GET", "/tests", "all", "", "Accept", "application/json;q=0, */*").wants(t, 406, "not_acceptable")
	s.send("GET", "/tests", "all", "", "Accept", "text/html, application/*;q=0.5").wants(t, 200, "")
	s.send("GET", "/tests", "all", "", "Accept", "*/*").wants(t, 200, "")
	id := newID("rep")
	s.reports.put(s.keys["all"], id, 3, reportJSON(id, newID("test")))
	s.send("GET", "/reports/"+id, "all", "", "Accept", "image/png").wants(t, 406, "not_acceptable")
	s.send("GET", "/reports/"+id, "all", "", "Accept", "application/json").wants(t, 200, "")
}

func FuzzCreateTest(f *testing.F) {
	for _, seed := range []string{
		`{"url":"https://example.com/","task":"x"}`, `{"url":"https://e.x","task":"t","sessions":0,"personas":{"source":"pack"}}`,
		`[]`, `null`, `{"inputs":{"a":null},"metadata":[],"seed":-1e308}`, "{\"task\":\"\\ud800\\u0000\"}", `{"quality_gate":{"criteria":{"":{}}}}`,
	} {
		f.Add(seed)
	}
	s := newService(f)
	s.keys["fuzz"] = s.keys["all"]
	unlimited := s.keys["fuzz"]
	unlimited.RateLimit, unlimited.KeyID = 1<<40, "key_fuzz"
	s.keys["fuzz"] = unlimited
	f.Fuzz(func(t *testing.T, body string) {
		s.t = t
		g := s.send("POST", "/tests", "fuzz", body, "Content-Type", "application/json")
		switch g.StatusCode {
		case 201, 400, 413, 415, 422:
		default:
			t.Errorf("%d for %q: %s", g.StatusCode, body, g.body)
		}
	})
}
