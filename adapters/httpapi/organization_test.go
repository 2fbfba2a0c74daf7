package httpapi_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"understudy/domain"
	"understudy/domain/account"
)

func TestTheOrganizationIsTheCallers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for key, id := range map[string]string{"all": "org_a", "sandbox": "org_a", "other": "org_b", "read": "org_a"} {
		g := s.send("GET", "/organization", key, "").wants(t, 200, "")
		if g.object(t)["id"] != id || g.Header.Get("ETag") != `"4"` {
			t.Errorf("%s: %s with ETag %s", key, g.body, g.Header.Get("ETag"))
		}
	}
	s.send("GET", "/organization", "all", "", "If-None-Match", `"4"`).wants(t, 304, "")
	s.send("GET", "/organization", "", "").wants(t, 401, "unauthenticated")
}

func TestAQualityGateIsMerged(t *testing.T) {
	t.Parallel()
	share, name := func(v float64) *float64 { return &v }, "Acme"
	all := account.Change{ForgetThreshold: true, ForgetCriteria: true}
	for body, want := range map[string]account.Change{
		`{}`:                                  {},
		`{"quality_gate":{}}`:                 {},
		`{"name":"Acme"}`:                     {Name: &name},
		`{"quality_gate":null}`:               all,
		`{"quality_gate":{"threshold":0.8}}`:  {Threshold: share(0.8)},
		`{"quality_gate":{"threshold":0}}`:    {Threshold: share(0)},
		`{"quality_gate":{"threshold":null}}`: {ForgetThreshold: true},
		`{"quality_gate":{"criteria":null}}`:  {ForgetCriteria: true},
		`{"quality_gate":{"criteria":{"trust":null,"speed":1}}}`: {Criteria: map[string]*float64{"trust": nil, "speed": share(1)}},
		`{"quality_gate":{"threshold":null,"criteria":null}}`:    all,
	} {
		for _, mediaType := range []string{"application/json", "application/merge-patch+json", "application/merge-patch+json; charset=utf-8"} {
			s := newService(t)
			g := s.send("PATCH", "/organization", "all", body, "Content-Type", mediaType).wants(t, 200, "")
			if g.object(t)["id"] != "org_a" || g.Header.Get("ETag") != `"4"` {
				t.Errorf("%s: %s with ETag %s", body, g.body, g.Header.Get("ETag"))
			}
			if len(s.changes.asked) != 1 || !reflect.DeepEqual(s.changes.asked[0], want) {
				t.Errorf("%s: %+v, want %+v", body, s.changes.asked, want)
			}
			if m := s.changes.calls[0].Meta; m.KeyID != "key_all" || m.OrganizationID != "org_a" || m.RequestID == "" {
				t.Errorf("%s: %+v does not say who asked", body, m)
			}
		}
	}
}

func TestAQualityGateThatIsNone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for body, want := range map[string]string{
		`{"quality_gate":{"threshold":70}}`:            "/quality_gate/threshold out_of_range: quality_gate.threshold must be between 0 and 1",
		`{"quality_gate":{"threshold":-0.1}}`:          "/quality_gate/threshold out_of_range: quality_gate.threshold must be between 0 and 1",
		`{"quality_gate":{"threshold":"high"}}`:        "/quality_gate/threshold wrong_type: quality_gate.threshold must be null or a number",
		`{"quality_gate":0.8}`:                         "/quality_gate wrong_type: quality_gate must be null or a JSON object",
		`{"quality_gate":{"criteria":{"trust":1.01}}}`: "/quality_gate/criteria/trust out_of_range: quality_gate.criteria.trust must be between 0 and 1",
		`{"quality_gate":{"criteria":{"beauty":0.5}}}`: "/quality_gate/criteria/beauty unknown_field: quality_gate.criteria.beauty is not a known field; the fields are " +
			"accessibility, cta_findability, efficiency, error_recovery, navigation, readability, speed, task_completion, trust",
		`{"quality_gate":{"treshold":0.5}}`: "/quality_gate/treshold unknown_field: quality_gate.treshold is not a known field; the fields are criteria, threshold",
		`{"plan":"team"}`:                   "/plan unknown_field: plan is not a known field; the fields are name, quality_gate",
	} {
		p := s.isProblem(s.send("PATCH", "/organization", "all", body).wants(t, 422, "validation_failed"))
		var got []string
		for _, e := range p.Errors {
			got = append(got, e.Pointer+" "+e.Code+": "+e.Message)
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%s:\n%s\nwant:\n%s", body, strings.Join(got, "\n"), want)
		}
	}
	s.send("PATCH", "/organization", "all", "").wants(t, 400, "malformed_body")
	s.send("PATCH", "/organization", "all", `{}`, "Content-Type", "text/plain").wants(t, 415, "unsupported_media_type")
	s.send("POST", "/tests", "all", `{}`, "Content-Type", "application/merge-patch+json").wants(t, 415, "unsupported_media_type")
	s.send("POST", "/organization", "all", `{}`).wants(t, 405, "method_not_allowed")
	if len(s.changes.asked) != 0 {
		t.Errorf("%d changes were asked for", len(s.changes.asked))
	}
	s.changes.err = domain.Refuse(domain.CodeUnavailable, "the accounts read model is not up to date")
	s.send("PATCH", "/organization", "all", `{}`).wants(t, 503, "unavailable")
}

func TestOnlyAdminsChangeTheOrganization(t *testing.T) {
	t.Parallel()
	s := newService(t)
	writer := s.keys["read"]
	writer.Scopes = []string{"tests:read", "tests:write", "reports:read", "personas:write"}
	s.keys["writer"] = writer
	for _, key := range []string{"read", "writer"} {
		g := s.send("PATCH", "/organization", key, `{"quality_gate":{"threshold":0}}`).wants(t, 403, "insufficient_scope")
		if !strings.Contains(g.Header.Get("WWW-Authenticate"), `scope="admin"`) {
			t.Errorf("%s: WWW-Authenticate %q", key, g.Header.Get("WWW-Authenticate"))
		}
	}
	if len(s.changes.asked) != 0 {
		t.Errorf("%d changes were asked for", len(s.changes.asked))
	}
}
