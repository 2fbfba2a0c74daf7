package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
)

func TestListsArePagedNewestFirst(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	var made []string
	var first harness.Test
	for i := range 5 {
		created := c.create(t, signUp(1))
		if i == 0 {
			first = created
		}
		made = append([]string{created.ID}, made...)
	}
	// Other tests make tests meanwhile: theirs may stand between ours.
	since := "&created_after=" + url.QueryEscape(first.CreatedAt.Add(-time.Millisecond).Format(time.RFC3339Nano))
	var listed []string
	cursor := ""
	for pages := 0; !slices.Contains(listed, first.ID); pages++ {
		if pages > 50 {
			t.Fatalf("no end after %d pages", pages)
		}
		a := c.send(t, http.MethodGet, "/tests?limit=2"+since+cursor, nil).wants(t, http.StatusOK, "")
		p := read[harness.Page[harness.Test]](t, a)
		if len(p.Data) > 2 || p.HasMore != (p.NextCursor != nil) {
			t.Fatalf("a page of %d with more %v and cursor %v", len(p.Data), p.HasMore, p.NextCursor)
		}
		for _, listedTest := range p.Data {
			listed = append(listed, listedTest.ID)
		}
		if p.NextCursor != nil {
			cursor = "&cursor=" + *p.NextCursor
			if link := a.Header.Get("Link"); !strings.Contains(link, *p.NextCursor) || !strings.Contains(link, `rel="next"`) {
				t.Errorf("Link is %q", link)
			}
		}
	}
	ours := slices.DeleteFunc(slices.Clone(listed), func(id string) bool { return !slices.Contains(made, id) })
	if !slices.Equal(ours, made) {
		t.Errorf("listed\n%v\nmade, newest first\n%v", ours, made)
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(listed))); len(unique) != len(listed) {
		t.Errorf("a test is listed twice: %v", listed)
	}
	c.send(t, http.MethodGet, "/tests?cursor=bm90IGEgY3Vyc29y", nil).wants(t, http.StatusUnprocessableEntity, "validation_failed")
	c.send(t, http.MethodGet, "/tests?limit=0", nil).wants(t, http.StatusUnprocessableEntity, "validation_failed")
	c.send(t, http.MethodGet, "/tests?limit=101", nil).wants(t, http.StatusUnprocessableEntity, "validation_failed")
}

func TestUnchangedResourcesNeedNotBeSent(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	slow := signUp(2)
	slow["task"] = "slow"
	created := c.create(t, slow)
	running := c.send(t, http.MethodGet, "/tests/"+created.ID, nil).wants(t, 200, "").Header.Get("ETag")
	c.completed(t, created.ID, time.Minute)
	session := c.sessions(t, created.ID)[0]
	for _, path := range []string{"/tests/" + created.ID, "/tests/" + created.ID + "/report", "/sessions/" + session.ID, "/sessions/" + session.ID + "/trace"} {
		etag := c.send(t, http.MethodGet, path, nil).wants(t, 200, "").Header.Get("ETag")
		if etag == "" || etag == running && strings.HasSuffix(path, created.ID) {
			t.Errorf("%s has ETag %q", path, etag)
		}
		same := c.send(t, http.MethodGet, path, nil, "If-None-Match", etag).wants(t, http.StatusNotModified, "")
		if len(same.Body) != 0 || same.Header.Get("ETag") != etag {
			t.Errorf("304 for %s with %d bytes and ETag %q", path, len(same.Body), same.Header.Get("ETag"))
		}
		c.send(t, http.MethodGet, path, nil, "If-None-Match", `"another"`).wants(t, http.StatusOK, "")
	}
}

// TestEveryAnswerTellsTheRate: that the headers are there at all is checked of
// every answer that any test gets.
func TestEveryAnswerTellsTheRate(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.live()
	number := func(a answer, name string) int {
		n, err := strconv.Atoi(a.Header.Get(name))
		if err != nil {
			t.Errorf("%s is %q on status %d", name, a.Header.Get(name), a.StatusCode)
		}
		return n
	}
	asked := time.Now()
	before := c.send(t, http.MethodGet, "/tests", nil).wants(t, 200, "")
	missing := c.send(t, http.MethodGet, "/tests/test_00000000000000000000000000", nil).wants(t, 404, "not_found")
	if number(before, "X-RateLimit-Limit") != 1000 || number(missing, "X-RateLimit-Limit") != 1000 {
		t.Errorf("the Team plan's limit is told as %q", before.Header.Get("X-RateLimit-Limit"))
	}
	sameWindow := before.Header.Get("X-RateLimit-Reset") == missing.Header.Get("X-RateLimit-Reset")
	if sameWindow && number(missing, "X-RateLimit-Remaining") != number(before, "X-RateLimit-Remaining")-1 {
		t.Errorf("remaining %s, then %s", before.Header.Get("X-RateLimit-Remaining"), missing.Header.Get("X-RateLimit-Remaining"))
	}
	if reset := time.Unix(int64(number(before, "X-RateLimit-Reset")), 0).Sub(asked); reset < -time.Second || reset > time.Minute+before.Took {
		t.Errorf("the window ends in %s", reset)
	}
	c.send(t, http.MethodPut, "/tests", nil).wants(t, http.StatusMethodNotAllowed, "")
	c.send(t, http.MethodGet, "/nothing", nil).wants(t, http.StatusNotFound, "")
	// Callers without a key are counted by address, at the Free plan's rate.
	nobody := client{harness.Client{Addr: s.Addr}}
	refused := 0
	for range 22 { // a window may end in between
		a := nobody.send(t, http.MethodGet, "/tests", nil)
		switch a.StatusCode {
		case http.StatusUnauthorized:
			if a.Header.Get("WWW-Authenticate") == "" || number(a, "X-RateLimit-Limit") != 10 {
				t.Errorf("401 with %v", a.Header)
			}
		case http.StatusTooManyRequests:
			refused++
			if wait := number(a, "Retry-After"); wait < 1 || wait > 60 || number(a, "X-RateLimit-Remaining") != 0 {
				t.Errorf("429 with %v", a.Header)
			}
		default:
			t.Fatalf("without a key: %d %s", a.StatusCode, a.Body)
		}
	}
	if refused == 0 {
		t.Error("22 requests in a row without a key were all counted as the first ten")
	}
	c.send(t, http.MethodGet, "/tests", nil).wants(t, 200, "")
}

func TestAnIdempotencyKeyMakesOneTest(t *testing.T) {
	t.Parallel()
	s := running(t)
	c := s.sandbox()
	key := fmt.Sprint("deploy-", time.Now().UnixNano())
	body := signUp(3)
	first := c.send(t, http.MethodPost, "/tests", body, "Idempotency-Key", key).wants(t, 201, "")
	again := c.send(t, http.MethodPost, "/tests", body, "Idempotency-Key", key).wants(t, 201, "")
	if string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" || first.Header.Get("Idempotent-Replayed") != "" ||
		again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("first %s, again %s %v", first.Body, again.Body, again.Header)
	}
	body["sessions"] = 4
	c.send(t, http.MethodPost, "/tests", body, "Idempotency-Key", key).wants(t, http.StatusUnprocessableEntity, "idempotency_key_reused")
	// Another API key's keys are its own; this one's address is refused, which
	// shows that it was not the first answer again.
	other := map[string]any{"url": "http://127.0.0.1:1/", "task": "Find the price"}
	s.live().send(t, http.MethodPost, "/tests", other, "Idempotency-Key", key).wants(t, http.StatusUnprocessableEntity, "validation_failed")
}

func TestWhatCanBeCancelled(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	slow := signUp(400)
	slow["task"] = "slow"
	created := c.create(t, slow)
	first := c.send(t, http.MethodDelete, "/tests/"+created.ID, nil).wants(t, 200, "")
	if now := read[harness.Test](t, first); now.Status != "cancelled" || now.ID != created.ID {
		t.Errorf("cancelled: %s", first.Body)
	}
	again := c.send(t, http.MethodDelete, "/tests/"+created.ID, nil).wants(t, 200, "")
	if string(again.Body) != string(first.Body) {
		t.Errorf("cancelled\n%s\nand again\n%s", first.Body, again.Body)
	}
	follow(t, created.StreamURL, 0).rest(t, time.Minute)
	for _, s := range c.sessions(t, created.ID) {
		if s.Status != "cancelled" && s.Status != "completed" {
			t.Errorf("session %d is %s", s.Index, s.Status)
		}
	}
	done := c.create(t, signUp(1))
	c.completed(t, done.ID, time.Minute)
	c.send(t, http.MethodDelete, "/tests/"+done.ID, nil).wants(t, http.StatusConflict, "wrong_state")
	c.send(t, http.MethodDelete, "/tests/test_00000000000000000000000000", nil).wants(t, http.StatusNotFound, "not_found")
	c.send(t, http.MethodPost, "/tests/"+created.ID+"/reports", nil).wants(t, http.StatusConflict, "wrong_state")
}
