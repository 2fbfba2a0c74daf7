package httpapi_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func (s *served) aWebhook() string {
	s.t.Helper()
	g := s.send("POST", "/webhooks", "all", `{"url":"https://e.x/h","events":["test.completed"]}`).wants(s.t, 201, "")
	id, _ := g.object(s.t)["id"].(string)
	return id
}

func TestChangesOfAWebhook(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := "/webhooks/" + s.aWebhook()
	g := s.send("PATCH", path, "all", `{"url":"https://e.x/2"}`).wants(t, 200, "")
	if g.Header.Get("ETag") == "" {
		t.Error("no ETag")
	}
	s.send("PATCH", path, "all", `{"events":["test.failed"]}`, "Content-Type", "application/merge-patch+json").wants(t, 200, "")
	s.send("PATCH", path, "all", `{"events":null}`).wants(t, 200, "")
	if c := s.changed; *c[0].URL != "https://e.x/2" || c[0].Events != nil || c[1].URL != nil || (*c[1].Events)[0] != "test.failed" || len(*c[2].Events) != 0 {
		t.Errorf("%+v", c)
	}
	for body, pointer := range map[string]string{
		`{"url":"ftp://e.x/"}`: "/url", `{"url":null}`: "/url", `{"events":[]}`: "/events", `{"events":["ping"]}`: "/events/0",
		`{"secret":"sixteen characters"}`: "/secret", `{"status":"enabled"}`: "/status", `{}`: "",
	} {
		p := s.isProblem(s.send("PATCH", path, "all", body).wants(t, 422, "validation_failed"))
		if p.Errors[0].Pointer != pointer {
			t.Errorf("%s: %+v", body, p.Errors)
		}
	}
	s.send("PATCH", path, "read", `{"url":"https://e.x/2"}`).wants(t, 403, "insufficient_scope")
	s.send("PATCH", "/webhooks/whk_1", "all", `{"url":"https://e.x/2"}`).wants(t, 404, "not_found")
}

// An answer that holds a secret is stored sealed, and shown again only to whoever
// asks with the same key.
func TestRotationsShowTheSecretOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := "/webhooks/" + s.aWebhook()
	first := s.send("POST", path+"/rotate_secret", "all", "", "Idempotency-Key", "r1").wants(t, 200, "")
	secret, _ := first.object(t)["secret"].(string)
	if !strings.HasPrefix(secret, "whsec_rot_") {
		t.Fatalf("%s", first.body)
	}
	if again := s.send("POST", path+"/rotate_secret", "all", "", "Idempotency-Key", "r1").wants(t, 200, ""); !bytes.Equal(again.body, first.body) {
		t.Errorf("%s\n%s", first.body, again.body)
	}
	if row := s.requests.rows["key_all"+"r1"]; !row.Finished || bytes.Contains(row.Response, []byte(secret)) {
		t.Error("the stored answer can be read")
	}
	if g := s.send("GET", path, "all", "").wants(t, 200, ""); bytes.Contains(g.body, []byte(secret)) {
		t.Error("the secret is shown again")
	}
	const short = "15 characters.."
	g := s.send("POST", path+"/rotate_secret", "all", `{"secret":"`+short+`"}`).wants(t, 422, "validation_failed")
	if strings.Contains(string(g.body), short) {
		t.Error("the refusal quotes the secret")
	}
	if strings.Contains(s.log.String(), secret) || strings.Contains(s.log.String(), short) {
		t.Error("the log quotes a secret")
	}
}

// A rotation ends without an event: what is shown follows the clock, and so does
// the ETag.
func TestARotationEndsByItself(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := "/webhooks/" + s.aWebhook()
	s.send("POST", path+"/rotate_secret", "all", `{"secret":"a secret of my own"}`).wants(t, 200, "")
	s.travel(24*time.Hour - time.Millisecond)
	under := s.send("GET", path, "all", "").wants(t, 200, "")
	if under.object(t)["secret_rotation"] == nil {
		t.Errorf("%s", under.body)
	}
	s.send("GET", path, "all", "", "If-None-Match", under.Header.Get("ETag")).wants(t, 304, "")
	s.travel(time.Millisecond)
	over := s.send("GET", path, "all", "", "If-None-Match", under.Header.Get("ETag")).wants(t, 200, "")
	if r, there := over.object(t)["secret_rotation"]; r != nil || !there {
		t.Errorf("%s", over.body)
	}
	listed := s.send("GET", "/webhooks", "all", "").wants(t, 200, "").page(t)
	if listed.Data[0]["secret_rotation"] != nil {
		t.Errorf("%v", listed.Data)
	}
}

func TestPostsToWebhooks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, dlv := s.aWebhook(), newID("dlv")
	for path, status := range map[string]int{
		"/webhooks/" + id + "/enable": 200, "/webhooks/" + id + "/rotate_secret": 200, "/webhooks/" + id + "/promote_secret": 200,
		"/webhooks/" + id + "/test": 201, "/webhooks/" + id + "/replay": 202, "/deliveries/" + dlv + "/replay": 201,
	} {
		before := len(s.commands.calls)
		first := s.send("POST", path, "all", "", "Idempotency-Key", path).wants(t, status, "")
		again := s.send("POST", path, "all", "", "Idempotency-Key", path).wants(t, status, "")
		if !bytes.Equal(first.body, again.body) || len(s.commands.calls) != before+1 {
			t.Errorf("%s: %d commands, %s, %s", path, len(s.commands.calls)-before, first.body, again.body)
		}
		if status == 201 && !strings.HasPrefix(first.Header.Get("Location"), base+"/deliveries/dlv_") {
			t.Errorf("%s: Location %q", path, first.Header.Get("Location"))
		}
		s.send("POST", path, "read", "").wants(t, 403, "insufficient_scope")
	}
	for _, path := range []string{"/webhooks/whk_x/enable", "/webhooks/whk_x/replay", "/deliveries/dlv_x/replay"} {
		s.send("POST", path, "all", "").wants(t, 404, "not_found")
	}
}

func TestWhatAReplayAsksFor(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := "/webhooks/" + s.aWebhook() + "/replay"
	s.send("POST", path, "all", "").wants(t, 202, "")
	s.send("POST", path, "all", `{"from":"2026-11-21T09:00:00Z","to":"2026-11-21T10:00:00Z","status":"failed","preview":true}`).wants(t, 202, "")
	if r := s.replayed; r[0].Which != "undelivered" || r[0].Preview || !r[0].From.IsZero() ||
		r[1].Which != "failed" || !r[1].Preview || r[1].To.Sub(r[1].From) != time.Hour {
		t.Errorf("%+v", r)
	}
	for body, pointer := range map[string]string{`{"from":"yesterday"}`: "/from", `{"status":"pending"}`: "/status", `{"dry_run":true}`: "/dry_run"} {
		if p := s.isProblem(s.send("POST", path, "all", body).wants(t, 422, "validation_failed")); p.Errors[0].Pointer != pointer {
			t.Errorf("%s: %+v", body, p.Errors)
		}
	}
}

func TestFiltersOfDeliveries(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := "/webhooks/" + s.aWebhook() + "/deliveries"
	s.send("GET", path+"?status=abandoned&event=ping&test_id=test_1&created_after=2026-11-21T09:00:00Z&created_before=2026-11-21T10:00:00Z", "all", "").wants(t, 200, "")
	if q := s.deliver.asked; q.Status != "abandoned" || q.Event != "ping" || q.TestID != "test_1" || q.CreatedBefore.Sub(q.CreatedAfter) != time.Hour {
		t.Errorf("%+v", q)
	}
	s.send("GET", path+"?event=test.cancelled", "all", "").wants(t, 422, "validation_failed")
}
