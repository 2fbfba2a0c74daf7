package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"understudy/domain/access"
	"understudy/test/harness"
	"understudy/test/patience"
)

// The tests named TestConformance… hold, one each, the points of the interface's
// contract that are easily missed: `go test ./... -run TestConformance`.

func TestConformanceConditionsOfSuccessAreReadAtOnce(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	for condition, wrong := range map[string]string{
		"url_matches": "/done(", "selector_visible": "div >", "text_visible": " \n", "request_made": "\t",
	} {
		body := signUp(1)
		body["success"] = map[string]string{condition: wrong}
		refused := c.send(t, http.MethodPost, "/tests", body).wants(t, http.StatusUnprocessableEntity, "validation_failed").problem(t)
		if len(refused.Errors) != 1 || refused.Errors[0].Pointer != "/success/"+condition {
			t.Errorf("%s %q: %+v", condition, wrong, refused.Errors)
		}
	}
	body := signUp(1)
	body["success"] = map[string]string{"url_matches": `^https?://[^/]+/`, "selector_visible": "main > :not(.gone)", "text_visible": "thank you"}
	c.create(t, body)
}

// Nobody makes a mistake where nobody has to, and then nothing tells how well one
// recovers from one.
func TestConformanceAGateWithoutEvidenceFails(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	body := signUp(1)
	body["task"], body["criteria"] = "give up", []string{"error_recovery"}
	id := c.completed(t, c.create(t, body).ID, time.Minute).ID
	type gate struct {
		Passed bool
		Failed []string `json:"failed_criteria"`
		Reason string
	}
	type judged struct {
		Scores map[string]*float64 `json:"aggregate_scores"`
		Gate   gate                `json:"quality_gate"`
	}
	for _, path := range []string{"/tests/" + id, "/tests/" + id + "/report"} {
		got := get[judged](t, c, path)
		if overall, there := got.Scores["overall"]; !there || overall != nil {
			t.Errorf("%s: overall %v, there %v", path, overall, there)
		}
		if g := got.Gate; g.Passed || g.Reason != "no_evidence" || !slices.Equal(g.Failed, []string{"error_recovery"}) {
			t.Errorf("%s: %+v", path, g)
		}
	}
	type event struct {
		Type string
		Data json.RawMessage
	}
	for _, e := range all[event](t, c, "/tests/"+id+"/events?order=asc") {
		if e.Type == "testrun.gate_judged.v1" {
			t.Logf("%s", e.Data)
			return
		}
	}
	t.Error("no verdict was recorded")
}

func TestConformanceAPostWithoutADocumentedBodyTakesNone(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	path := "/webhooks/" + receive(t, c, nil).id
	for _, operation := range []string{"/pause", "/enable", "/promote_secret", "/test"} {
		for _, body := range []string{`{}`, `{"status":"disabled"}`, `pause it`} {
			refused := c.send(t, http.MethodPost, path+operation, body).wants(t, http.StatusUnprocessableEntity, "validation_failed")
			if p := refused.problem(t); len(p.Errors) != 1 || p.Errors[0].Code != "not_allowed" {
				t.Errorf("%s %s: %+v", operation, body, p.Errors)
			}
		}
	}
	if h := get[hook](t, c, path); h.Status != "enabled" {
		t.Errorf("a refused pause made it %s", h.Status)
	}
	// What is repeated with a body is no repetition.
	c.send(t, http.MethodPost, path+"/pause", nil, "Idempotency-Key", "pause-it").wants(t, http.StatusOK, "")
	c.send(t, http.MethodPost, path+"/pause", `{"for":"ever"}`, "Idempotency-Key", "pause-it").wants(t, http.StatusUnprocessableEntity, "validation_failed")
	again := c.send(t, http.MethodPost, path+"/pause", "\n", "Idempotency-Key", "pause-it").wants(t, http.StatusOK, "")
	if again.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("the repetition was no repetition")
	}
}

func TestConformanceTheSandboxHeedsTheEgressRule(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	for _, target := range []string{"http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://[fd00::1]/"} {
		body := signUp(1)
		body["url"] = target
		refused := c.send(t, http.MethodPost, "/tests", body).wants(t, http.StatusUnprocessableEntity, "target_not_allowed").problem(t)
		if len(refused.Errors) != 1 || refused.Errors[0].Pointer != "/url" {
			t.Errorf("%s: %+v", target, refused.Errors)
		}
	}
}

// A client may say something on a stream, which goes on; one that does not stop
// is closed with 1008.
func TestConformanceAStreamBearsSomeTalk(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	body := signUp(200) // which take longer than what is said here
	body["task"] = "slow"
	test := c.create(t, body)
	defer c.send(t, http.MethodDelete, "/tests/"+test.ID, nil)
	s := follow(t, test.StreamURL, 0)
	ctx, cancel := patience.Context(t.Context(), time.Minute)
	defer cancel()
	say := func() error { return s.conn.Write(ctx, websocket.MessageText, []byte(`{"type":"ping"}`)) }
	for range 50 {
		if err := say(); err != nil {
			t.Fatalf("a message was not taken: %v", err)
		}
	}
	s.take(t, time.Minute, func(m []message) bool { return kinds(m)["session.step"] > 0 })
	for i := 0; i < 1000 && say() == nil; i++ {
	}
	if _, err := s.all(time.Minute); s.end != websocket.StatusPolicyViolation {
		t.Errorf("it ended with %d, %v, want 1008", s.end, err)
	}
}

func TestConformanceAPatchOfWhatHasChangedIsRefused(t *testing.T) {
	t.Parallel()
	s := own(t)
	c := s.sandbox()
	persona := read[struct{ ID string }](t, c.post(t, "/personas", map[string]any{"name": "Ada"}, http.StatusCreated)).ID
	webhook := read[struct{ ID string }](t, c.post(t, "/webhooks", map[string]any{"url": "https://ci.example.com/1"}, http.StatusCreated)).ID
	for path, patches := range map[string][2]map[string]any{
		"/personas/" + persona: {{"name": "Bea"}, {"name": "Cia"}},
		"/webhooks/" + webhook: {{"url": "https://ci.example.com/2"}, {"url": "https://ci.example.com/3"}},
		"/organization":        {{"quality_gate": map[string]any{"threshold": 0.5}}, {"quality_gate": map[string]any{"threshold": 0.6}}},
	} {
		read := c.send(t, http.MethodGet, path, nil).wants(t, http.StatusOK, "").Header.Get("ETag")
		changed := c.send(t, http.MethodPatch, path, patches[0], "If-Match", read).wants(t, http.StatusOK, "")
		c.send(t, http.MethodPatch, path, patches[1], "If-Match", read).wants(t, http.StatusPreconditionFailed, "precondition_failed")
		c.send(t, http.MethodPatch, path, patches[1], "If-Match", `"nonsense", W/"1"`).wants(t, http.StatusPreconditionFailed, "precondition_failed")
		now := c.send(t, http.MethodGet, path, nil).wants(t, http.StatusOK, "")
		if string(now.Body) != string(changed.Body) || now.Header.Get("ETag") != changed.Header.Get("ETag") || now.Header.Get("ETag") == read {
			t.Errorf("%s: %s %s after %s", path, now.Header.Get("ETag"), now.Body, changed.Body)
		}
		c.send(t, http.MethodPatch, path, patches[1], "If-Match", `"999", `+now.Header.Get("ETag")).wants(t, http.StatusOK, "")
		c.send(t, http.MethodPatch, path, patches[0], "If-Match", "*").wants(t, http.StatusOK, "")
		c.send(t, http.MethodGet, path, nil, "If-None-Match", read).wants(t, http.StatusOK, "")
	}
	live := s.live()
	plan := func(name, seen string, status int, code string) {
		t.Helper()
		live.send(t, http.MethodPut, "/organization/plan", map[string]any{"plan": name}, "If-Match", seen).wants(t, status, code)
	}
	seen := live.send(t, http.MethodGet, "/organization", nil).wants(t, http.StatusOK, "").Header.Get("ETag")
	plan("pro", seen, http.StatusOK, "")
	plan("team", seen, http.StatusPreconditionFailed, "precondition_failed")
	plan("team", "*", http.StatusOK, "")

	s.invited(t, live, "first@example.com", access.Viewer)
	member := "/members/" + all[struct{ ID string }](t, live, "/members")[0].ID
	read := live.send(t, http.MethodGet, member, nil).wants(t, http.StatusOK, "").Header.Get("ETag")
	s.invited(t, live, "second@example.com", access.Viewer) // of no concern to the first
	live.send(t, http.MethodGet, member, nil, "If-None-Match", read).wants(t, http.StatusNotModified, "")
	changed := live.send(t, http.MethodPatch, member, map[string]any{"role": "member"}, "If-Match", read).wants(t, http.StatusOK, "")
	live.send(t, http.MethodPatch, member, map[string]any{"role": "admin"}, "If-Match", read).wants(t, http.StatusPreconditionFailed, "precondition_failed")
	if now := live.send(t, http.MethodGet, member, nil).wants(t, http.StatusOK, ""); now.Header.Get("ETag") != changed.Header.Get("ETag") || string(now.Body) != string(changed.Body) {
		t.Errorf("%s: %s %s after %s", member, now.Header.Get("ETag"), now.Body, changed.Body)
	}
	// The document says of every PATCH of what has an ETag that it takes If-Match, and
	// of every answer that If-None-Match is for that it has an ETag.
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(c.send(t, http.MethodGet, "/openapi.json", nil).Body, &document); err != nil {
		t.Fatal(err)
	}
	for path, item := range document.Paths {
		patch := string(item["patch"])
		if strings.Contains(patch, "headers/ETag") && (!strings.Contains(patch, "parameters/IfMatch") || !strings.Contains(patch, `"412"`)) {
			t.Errorf("PATCH %s is documented without If-Match", path)
		}
		get := string(item["get"])
		if strings.Contains(get, "parameters/IfNoneMatch") && !strings.Contains(get, "headers/ETag") && !strings.Contains(get, "responses/Report") {
			t.Errorf("GET %s is documented without ETag", path)
		}
	}
}

// What a step has nothing of is null: each has every field.
func TestConformanceTracesHaveNullInsteadOfNothing(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	created := c.create(t, signUp(1))
	id := c.completed(t, created.ID, time.Minute).ID
	session := c.sessions(t, id)[0].ID
	type trace struct{ Steps []map[string]any }
	whole := get[struct{ Trace trace }](t, c, "/sessions/"+session).Trace
	var streamed []map[string]any
	for _, m := range follow(t, created.StreamURL, 0).rest(t, time.Minute) {
		if m.Type == "session.step" {
			var step map[string]any
			if err := json.Unmarshal(m.Data, &step); err != nil {
				t.Fatal(err)
			}
			if _, there := step["screenshot_url"]; !there {
				t.Errorf("step %v of the stream has no screenshot_url", step["index"])
			}
			streamed = append(streamed, step)
		}
	}
	for _, steps := range [][]map[string]any{get[trace](t, c, "/sessions/"+session+"/trace").Steps, whole.Steps, streamed} {
		null := 0
		for _, step := range steps {
			for _, field := range []string{"screenshot_id", "viewport_width", "scroll_y", "signals", "title", "url"} {
				if _, there := step[field]; !there {
					t.Errorf("step %v has no %s", step["index"], field)
				}
			}
			action, _ := step["action"].(map[string]any)
			for _, field := range []string{"type", "target", "text"} {
				value, there := action[field]
				if !there {
					t.Errorf("the action of step %v has no %s", step["index"], field)
				}
				if value == nil {
					null++
				}
			}
			for _, signal := range step["signals"].([]any) {
				if _, there := signal.(map[string]any)["detail"]; !there {
					t.Errorf("a signal of step %v has no detail", step["index"])
				}
			}
		}
		if len(steps) == 0 || null == 0 {
			t.Errorf("of %d steps, %d actions have a null", len(steps), null)
		}
	}
}

func TestConformanceFaultsPointAtWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	type fault struct {
		Pointer *string
		Code    string
	}
	const ok = `"task":"Find the price"`
	for body, want := range map[string]struct{ path, pointer, code string }{
		`[]`:   {"/tests", "", "wrong_type"},
		`null`: {"/tests", "", "wrong_type"},
		`{"url":"https://a.example/",` + ok + `,"personas":{}}`:                                                         {"/tests", "/personas/source", "required"},
		`{"url":"https://a.example/",` + ok + `,"personas":{"source":"mine"}}`:                                          {"/tests", "/personas/source", "not_allowed"},
		`{"a":{},"b":{"url":"https://b.example/"},` + ok + `}`:                                                          {"/comparisons", "/a", "required"},
		`{"a":{"url":"https://a.example/"},"b":{"test_id":"test_1","url":"https://b.example/"},` + ok + `}`:             {"/comparisons", "/b", "conflict"},
		`{"a":{"url":"https://a.example/"},"b":{"url":"http://10.0.0.1/"},` + ok + `}`:                                  {"/comparisons", "/b/url", "target_not_allowed"},
		`{"a":{"url":"https://a.example/","success":{"url_matches":"("}},"b":{"url":"https://b.example/"},` + ok + `}`:  {"/comparisons", "/a/success/url_matches", "wrong_format"},
		`{"a":{"url":"https://a.example/"},"b":{"url":"https://b.example/"},` + ok + `,"personas":{"source":"custom"}}`: {"/comparisons", "/personas/persona_ids", "required"},
		`{"name":"Ada","vision":3}`: {"/personas", "/vision", "wrong_type"},
	} {
		refused := read[struct{ Errors []fault }](t, c.send(t, http.MethodPost, want.path, body).wants(t, http.StatusUnprocessableEntity, ""))
		if len(refused.Errors) != 1 || refused.Errors[0].Pointer == nil || *refused.Errors[0].Pointer != want.pointer || refused.Errors[0].Code != want.code {
			shown, _ := json.Marshal(refused.Errors)
			t.Errorf("%s: %s, want %s at %q alone", body, shown, want.code, want.pointer)
		}
	}
}

// Nobody has begun to walk, and each session is there.
func TestConformanceANewTestsSessionsAreListedAtOnce(t *testing.T) {
	t.Parallel()
	c := running(t).live()
	created := c.create(t, map[string]any{"url": "http://" + silent(t) + "/", "task": "Find the price", "sessions": 7})
	planned := all[sessionResource](t, c, "/tests/"+created.ID+"/sessions?limit=3")
	if len(planned) != 7 {
		t.Fatalf("%d sessions are listed", len(planned))
	}
	for i, s := range planned {
		if s.Index != 6-i || s.Status != "queued" || s.TestID != created.ID {
			t.Errorf("session %d is %+v", i, s)
		}
		get[sessionResource](t, c, "/tests/"+created.ID+"/sessions/"+s.ID)
	}
	page := get[harness.Page[sessionResource]](t, c, "/tests/"+created.ID+"/sessions?limit=5&status=queued")
	if len(page.Data) != 5 || !page.HasMore {
		t.Errorf("a page of 5 has %d, more %v", len(page.Data), page.HasMore)
	}
	// What was planned is what is recorded.
	sandbox := running(t).sandbox()
	test := sandbox.create(t, signUp(30))
	before := map[string]int{}
	for _, s := range sandbox.sessions(t, test.ID) {
		before[s.ID] = s.Index
	}
	sandbox.completed(t, test.ID, time.Minute)
	for _, s := range sandbox.sessions(t, test.ID) {
		if index, there := before[s.ID]; !there || index != s.Index || len(before) != 30 {
			t.Errorf("session %d was not among the %d listed at once", s.Index, len(before))
		}
	}
}

func TestConformanceListsAreNewestFirstWithTheSameFilters(t *testing.T) {
	t.Parallel()
	s := own(t)
	c := s.sandbox()
	made := map[string][]string{}
	create := func(list, path string, body any) {
		made[list] = append([]string{read[struct{ ID string }](t, c.post(t, path, body, http.StatusCreated)).ID}, made[list]...)
	}
	var test string
	for i := range 3 {
		test = c.create(t, signUp(1)).ID
		made["/tests"] = append([]string{test}, made["/tests"]...)
		create("/personas", "/personas", map[string]any{"name": "Ada"})
		create("/webhooks", "/webhooks", map[string]any{"url": "https://ci.example.com/" + string(rune('a'+i))})
		create("/comparisons", "/comparisons", map[string]any{"task": "Sign up", "sessions": 1, "a": map[string]any{"url": "https://a.example.com/"}, "b": map[string]any{"url": "https://b.example.com/"}})
	}
	c.completed(t, test, time.Minute)
	for range 2 {
		create("/reports?test_id="+test, "/tests/"+test+"/reports", map[string]any{})
	}
	type item struct {
		ID        string
		CreatedAt time.Time `json:"created_at"`
	}
	for list, ids := range made {
		got := all[item](t, c, list)
		if list == "/tests" { // those of the comparisons are among them
			got = slices.DeleteFunc(got, func(i item) bool { return !slices.Contains(ids, i.ID) })
		}
		at := func(i int) string { return got[i].CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z") }
		for i, id := range ids {
			if i >= len(got) || got[i].ID != id {
				t.Fatalf("%s: item %d is not the newest of the rest: %v", list, i, got)
			}
		}
		sep := "?"
		if strings.Contains(list, "?") {
			sep = "&"
		}
		for _, i := range all[item](t, c, list+sep+"created_before="+at(0)) {
			if !i.CreatedAt.Before(got[0].CreatedAt) {
				t.Errorf("%s: created before %s is %s", list, at(0), i.CreatedAt)
			}
		}
		later := all[item](t, c, list+sep+"created_after="+at(len(ids)-1))
		if len(later) == 0 || later[0].ID != all[item](t, c, list)[0].ID {
			t.Errorf("%s: created after %s are %v", list, at(len(ids)-1), later)
		}
		if none := all[item](t, c, list+sep+"created_after=2999-01-01T00:00:00Z"); len(none) != 0 {
			t.Errorf("%s: %d are of the future", list, len(none))
		}
	}
	// What belongs to one test has an order of its own.
	many := c.completed(t, c.create(t, signUp(7)).ID, time.Minute).ID
	for list, of := range map[string]func(map[string]any) any{
		"/tests/" + many + "/sessions": func(item map[string]any) any { return item["index"] },
		"/tests/" + many + "/events":   func(item map[string]any) any { return item["revision"] },
	} {
		numbers := func(query string) (out []float64) {
			for _, item := range all[map[string]any](t, c, list+"?limit=3"+query) {
				out = append(out, of(item).(float64))
			}
			return out
		}
		newest, oldest := numbers(""), numbers("&order=asc")
		if !slices.IsSorted(oldest) || len(oldest) < 7 {
			t.Errorf("%s, the oldest first: %v", list, oldest)
		}
		slices.Reverse(newest)
		if !slices.Equal(newest, oldest) {
			t.Errorf("%s: %v backwards is not %v", list, newest, oldest)
		}
	}
}
