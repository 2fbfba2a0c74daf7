package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/persona"
)

// aPersona makes a persona with the key that may do everything.
func (s *served) aPersona(body string) (id string) {
	s.t.Helper()
	id, _ = s.send("POST", "/personas", "all", body).wants(s.t, 201, "").object(s.t)["id"].(string)
	return id
}

func TestCustomPersonas(t *testing.T) {
	t.Parallel()
	s := newService(t)
	made := s.send("POST", "/personas", "all", `{"name":"Ada","age_band":"75+","vision":{"min_font":14}}`).wants(t, 201, "")
	o := made.object(t)
	id, _ := o["id"].(string)
	if made.Header.Get("Location") != base+"/personas/"+id || made.Header.Get("ETag") != `"0"` || !domain.ValidID("per", id) {
		t.Errorf("Location %q, ETag %q, id %q", made.Header.Get("Location"), made.Header.Get("ETag"), id)
	}
	if o["age_band"] != "75+" || o["reading_wpm"] != 238.0 || o["summary"] == "" {
		t.Errorf("the persona is shown as %s", made.body)
	}
	other := s.aPersona(`{"name":"Eve"}`)
	if p := s.send("GET", "/personas?limit=1", "read", "").wants(t, 200, "").page(t); len(p.Data) != 1 || p.Data[0]["id"] != other || !p.HasMore {
		t.Errorf("the first page is %v", p)
	}
	got := s.send("GET", "/personas/"+id, "read", "").wants(t, 200, "")
	s.send("GET", "/personas/"+id, "read", "", "If-None-Match", got.Header.Get("ETag")).wants(t, 304, "")

	changed := s.send("PATCH", "/personas/"+id, "all", `{"name":"Ada L.","age_band":null,"vision":{"min_font":null},"zoom":2}`, "Content-Type", "application/merge-patch+json").wants(t, 200, "")
	if o := changed.object(t); o["name"] != "Ada L." || o["age_band"] != "35-44" || o["zoom"] != 2.0 || changed.Header.Get("ETag") != `"1"` {
		t.Errorf("changed: %s %s", changed.Header.Get("ETag"), changed.body)
	}
	s.send("GET", "/personas/"+id, "read", "", "If-None-Match", got.Header.Get("ETag")).wants(t, 200, "")

	if g := s.send("DELETE", "/personas/"+id, "all", ""); g.StatusCode != 204 || len(g.body) != 0 {
		t.Errorf("%d %s", g.StatusCode, g.body)
	}
	for _, method := range []string{"GET", "DELETE"} {
		s.send(method, "/personas/"+id, "all", "").wants(t, 404, "not_found")
	}
	s.send("PATCH", "/personas/"+id, "all", `{}`).wants(t, 404, "not_found")
}

// A custom persona's address never hides the packs, nor the other way round.
func TestPersonasBesidePacks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if p := s.send("GET", "/personas/packs", "read", "").wants(t, 200, "").page(t); len(p.Data) != 3 {
		t.Errorf("packs: %v", p)
	}
	s.send("GET", "/personas/packs/mobile-first", "read", "").wants(t, 200, "")
	for _, id := range []string{"mobile-first", newID("pack"), newID("per")} {
		s.send("GET", "/personas/"+id, "read", "").wants(t, 404, "not_found")
	}
	s.send("DELETE", "/personas/packs", "all", "").wants(t, 404, "not_found")
	s.send("PUT", "/personas/"+newID("per"), "all", `{}`).wants(t, 405, "method_not_allowed")
}

func TestWhoMayDoWhatWithPersonas(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.aPersona(`{"name":"Ada"}`)
	s.send("POST", "/personas", "read", `{"name":"Eve"}`).wants(t, 403, "insufficient_scope")
	g := s.send("PATCH", "/personas/"+id, "read", `{"name":"Eve"}`).wants(t, 403, "insufficient_scope")
	if !strings.Contains(string(g.body), "personas:write") {
		t.Errorf("%s", g.body)
	}
	s.send("DELETE", "/personas/"+id, "read", "").wants(t, 403, "insufficient_scope")
	for _, key := range []string{"other", "sandbox"} {
		s.send("GET", "/personas/"+id, key, "").wants(t, 404, "not_found")
		s.send("PATCH", "/personas/"+id, key, `{"name":"Eve"}`).wants(t, 404, "not_found")
		s.send("DELETE", "/personas/"+id, key, "").wants(t, 404, "not_found")
		if p := s.send("GET", "/personas", key, "").wants(t, 200, "").page(t); len(p.Data) != 0 {
			t.Errorf("%s lists %v", key, p.Data)
		}
	}
}

func TestPersonasAreMadeOncePerKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := s.send("POST", "/personas", "all", `{"name":"Ada"}`, "Idempotency-Key", "k1").wants(t, 201, "")
	again := s.send("POST", "/personas", "all", `{"name":"Ada"}`, "Idempotency-Key", "k1").wants(t, 201, "")
	if again.Header.Get("Idempotent-Replayed") != "true" || string(again.body) != string(first.body) || again.Header.Get("ETag") != first.Header.Get("ETag") {
		t.Errorf("%s %v", again.body, again.Header)
	}
	s.send("POST", "/personas", "all", `{"name":"Eve"}`, "Idempotency-Key", "k1").wants(t, 422, "idempotency_key_reused")
	if len(s.commands.ids) != 1 {
		t.Errorf("%d personas were made", len(s.commands.ids))
	}
}

func TestWhatIsWrongWithAPersona(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.aPersona(`{"name":"Ada"}`)
	for _, c := range []struct {
		method, body string
		want         []string
	}{
		{"POST", `{}`, []string{"/name required: name is required"}},
		{"POST", `{"name":""}`, []string{"/name too_short: name must not be empty"}},
		{"POST", `{"name":"Ada","age_band":"old","zoom":9}`, []string{
			"/age_band not_allowed: age_band must be one of 18-24, 25-34, 35-44, 45-54, 55-64, 65-74, 75+",
			"/zoom out_of_range: zoom must be between 1 and 4",
		}},
		{"POST", `{"name":"Ada","vision":{"min_font":2}}`, []string{"/vision/min_font out_of_range: vision.min_font must be between 6 and 40"}},
		{"POST", `{"name":"Ada","reading_wpm":200.5}`, []string{"/reading_wpm wrong_type: reading_wpm must be a whole number"}},
		{"POST", `{"name":"Ada","zoom":null}`, []string{"/zoom wrong_type: zoom must be a number"}},
		{"PATCH", `{"name":null}`, []string{"/name wrong_type: name must be a text"}},
		{"PATCH", `{"risk_attitude":"bold"}`, []string{"/risk_attitude not_allowed: risk_attitude must be one of averse, neutral, tolerant, null"}},
		{"PATCH", `{"patience":0}`, []string{"/patience out_of_range: patience must be between 0.2 and 5"}},
	} {
		path := "/personas"
		if c.method == "PATCH" {
			path += "/" + id
		}
		var got []string
		for _, e := range s.isProblem(s.send(c.method, path, "all", c.body).wants(t, 422, "validation_failed")).Errors {
			got = append(got, e.Pointer+" "+e.Code+": "+e.Message)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s:\n%s\nwant:\n%s", c.method, c.body, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	for _, method := range []string{"POST", "PATCH"} {
		path := map[string]string{"POST": "/personas", "PATCH": "/personas/" + id}[method]
		p := s.isProblem(s.send(method, path, "all", `{"name":"Ada","reading_speed":200}`).wants(t, 422, "validation_failed"))
		if e := p.Errors[0]; e.Pointer != "/reading_speed" || e.Code != "unknown_field" || !strings.Contains(e.Message, "reading_wpm") {
			t.Errorf("%s: %+v", method, e)
		}
	}
	s.send("PATCH", "/personas/"+id, "all", `[]`).wants(t, 422, "validation_failed")
	s.send("PATCH", "/personas/"+id, "all", ``).wants(t, 400, "malformed_body")
	if len(s.commands.ids) != 1 {
		t.Error("a refused request ran a command")
	}
}

// The OpenAPI document and the domain take the same personas, both where they
// are made and where they are changed.
func TestTheDocumentKnowsTheFacets(t *testing.T) {
	t.Parallel()
	s := newService(t)
	everybody := s.keys["all"]
	everybody.RateLimit = 1 << 40
	s.keys["all"] = everybody
	id := s.aPersona(`{"name":"Ada"}`)
	words := []string{
		"", "18-24", "35-44", "75+", "task_focused", "exploratory", "comprehensive", "selective", "low", "medium", "high", "averse",
		"neutral", "tolerant", "process", "tinkering", "basic", "intermediate", "fluent", "native", "other",
	}
	rapid.Check(t, func(t *rapid.T) {
		word := func(name string) string { return rapid.SampledFrom(words).Draw(t, name) }
		number := func(name string, values ...float64) float64 {
			return rapid.SampledFrom(append(values, 0)).Draw(t, name)
		}
		draft := persona.Draft{Name: "Ada"}
		f := &draft.Facets
		// One or two facets at a time: with more, hardly any persona would be legal.
		for range rapid.IntRange(1, 2).Draw(t, "facets") {
			switch rapid.IntRange(0, 14).Draw(t, "which") {
			case 0:
				f.AgeBand = word("age")
			case 1:
				f.Motivation = word("motivation")
			case 2:
				f.InformationProcessing = word("processing")
			case 3:
				f.SelfEfficacy = word("efficacy")
			case 4:
				f.RiskAttitude = word("risk")
			case 5:
				f.LearningStyle = word("learning")
			case 6:
				f.DomainKnowledge = word("knowledge")
			case 7:
				f.LanguageLevel = word("language")
			case 8:
				f.ReadingWPM = int(number("reading", 59, 60, 450, 451))
			case 9:
				f.TypingWPM = int(number("typing", 7, 8, 150, 151))
			case 10:
				f.Patience = number("patience", 0.19, 0.2, 5, 5.01)
			case 11:
				f.MotorPrecision = number("precision", 0.09, 0.1, 1, 1.01)
			case 12:
				f.Zoom = number("zoom", 0.99, 1, 4, 4.01)
			case 13:
				f.Vision = persona.Vision{ContrastFactor: number("contrast", 0.99, 1, 4, 4.01), MinFont: number("font", 5.9, 6, 40, 40.1)}
			case 14:
				f.KeyboardOnly, f.ScreenReader = true, true
			}
		}
		body, err := json.Marshal(draft)
		if err != nil {
			t.Fatal(err)
		}
		legal := len(draft.Validate()) == 0
		for path, want := range map[string]int{"/personas": 201, "/personas/" + id: 200} {
			method := map[int]string{201: "POST", 200: "PATCH"}[want]
			if got := s.send(method, path, "all", string(body)).StatusCode; (got == want) != legal || !legal && got != 422 {
				t.Fatalf("%s %s: %d, the domain says %v", method, body, got, draft.Validate())
			}
		}
	})
}
