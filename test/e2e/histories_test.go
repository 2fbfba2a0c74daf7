package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// recorded is an event of a history as auditors read it.
type recorded struct {
	ID, Stream, Type   string
	Revision, Position uint64
	Time               string
	Data               json.RawMessage
	Metadata           map[string]string
}

// history reads the events of a resource, page by page.
func (c client) history(t testing.TB, path string) []recorded {
	t.Helper()
	events := all[recorded](t, c, path+"/events?order=asc")
	for i, e := range events {
		if e.Revision != uint64(i) || i > 0 && e.Position <= events[i-1].Position {
			t.Fatalf("%s: event %d has revision %d and position %d", path, i, e.Revision, e.Position)
		}
	}
	return events
}

func typesOf(events []recorded) (out []string) {
	for _, e := range events {
		out = append(out, e.Type)
	}
	return out
}

// What was read while a test ran is what ?at= answers afterwards.
func TestTimeTravelAnswersWhatGETAnsweredThen(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	hook := receive(t, c, nil)
	request := signUp(30)
	request["task"] = "slow"
	posted := c.send(t, http.MethodPost, "/tests", request, "X-Request-Id", "audit-me").wants(t, http.StatusCreated, "")
	id := read[harness.Test](t, posted).ID

	// What GET answered, by the revision in its ETag.
	seen := map[string]string{posted.Header.Get("ETag"): strings.TrimSpace(string(posted.Body))}
	patience.Eventually(t, time.Minute, "the end of the test", func() bool {
		a := c.send(t, http.MethodGet, "/tests/"+id, nil).wants(t, http.StatusOK, "")
		seen[a.Header.Get("ETag")] = string(a.Body)
		return read[harness.Test](t, a).Status == "completed"
	})
	now := string(c.send(t, http.MethodGet, "/tests/"+id, nil).Body)
	events := c.history(t, "/tests/"+id)
	if len(events) < 30 || events[0].Type != "testrun.created.v1" || events[len(events)-1].Type != "testrun.completed.v1" {
		t.Fatalf("the history of the test: %v", typesOf(events))
	}
	if m := events[0].Metadata; m["request_id"] != "audit-me" || m["key_id"] == "" || m["actor"] == "" || m["$correlationId"] == "" || m["environment"] != "test" {
		t.Errorf("who created the test: %v", m)
	}

	compared := 0
	for _, e := range events {
		then := c.send(t, http.MethodGet, fmt.Sprintf("/tests/%s?at=%d", id, e.Position), nil).wants(t, http.StatusOK, "")
		if was, known := seen[then.Header.Get("ETag")]; known {
			compared++
			if string(then.Body) != was {
				t.Errorf("as of position %d\nwas  %s\nis   %s", e.Position, was, then.Body)
			}
		}
		if e.Revision%10 != 5 {
			continue
		}
		c.send(t, http.MethodGet, fmt.Sprintf("/tests/%s?at=%d", id, e.Position), nil, "If-None-Match", then.Header.Get("ETag")).
			wants(t, http.StatusNotModified, "")
		last := e.Revision // of that time
		for int(last)+1 < len(events) && events[last+1].Time == e.Time {
			last++
		}
		if got := c.send(t, http.MethodGet, "/tests/"+id+"?at="+e.Time, nil).Header.Get("ETag"); got != fmt.Sprintf("%q", fmt.Sprint(last)) {
			t.Errorf("as of %s: ETag %s, want that of revision %d", e.Time, got, last)
		}
	}
	if compared != len(seen) {
		t.Errorf("%d answers were read while it ran, %d were compared", len(seen), compared)
	}
	first, last := events[0], events[len(events)-1]
	for _, at := range []string{last.Time, time.Now().UTC().Format(time.RFC3339Nano)} {
		if got := c.send(t, http.MethodGet, "/tests/"+id+"?at="+at, nil).wants(t, http.StatusOK, ""); string(got.Body) != now {
			t.Errorf("as of %s\nwant %s\ngot  %s", at, now, got.Body)
		}
	}
	before := fmt.Sprint(first.Position - 1)
	if p := c.send(t, http.MethodGet, "/tests/"+id+"?at="+before, nil).wants(t, http.StatusNotFound, "not_found").problem(t); !strings.Contains(p.Detail, first.Time) {
		t.Errorf("before there was anything: %s", p.Detail)
	}
	c.send(t, http.MethodGet, "/tests/"+id+"?at=2001-01-01T00:00:00%2B02:00", nil).wants(t, http.StatusNotFound, "not_found")
	for _, at := range []string{time.Now().Add(time.Hour).UTC().Format(time.RFC3339), "9007199254740991", "99999999999999999999", "yesterday", "2026-11-21"} {
		p := c.send(t, http.MethodGet, "/tests/"+id+"?at="+url.QueryEscape(at), nil).wants(t, http.StatusUnprocessableEntity, "validation_failed").problem(t)
		if len(p.Errors) != 1 || p.Errors[0].Parameter != "at" {
			t.Errorf("at=%s: %+v", at, p)
		}
	}

	session := c.sessions(t, id)[3]
	walked := c.history(t, "/sessions/"+session.ID)
	if types := typesOf(walked); types[0] != "session.queued.v1" || types[len(types)-1] == types[0] {
		t.Errorf("the history of a session: %v", types)
	}
	if is, then := c.send(t, http.MethodGet, "/sessions/"+session.ID, nil), c.send(t, http.MethodGet, fmt.Sprintf("/sessions/%s?at=%d", session.ID, walked[len(walked)-1].Position), nil); !bytes.Equal(is.Body, then.Body) || is.Header.Get("ETag") != then.Header.Get("ETag") {
		t.Errorf("a session is\n%s\nas of its last event\n%s", is.Body, then.Body)
	}
	if then := get[sessionResource](t, c, fmt.Sprintf("/sessions/%s?at=%d", session.ID, walked[0].Position)); then.Status != "queued" {
		t.Errorf("as of its first event the session was %s", then.Status)
	}

	deliveries := all[struct{ ID string }](t, c, "/webhooks/"+hook.id+"/deliveries")
	delivered := c.history(t, "/deliveries/"+deliveries[0].ID)
	if delivered[0].Type != "delivery.scheduled.v1" || delivered[0].Metadata["$causationId"] == "" {
		t.Errorf("the history of a delivery: %+v", delivered[0])
	}
	if then := get[struct{ Status string }](t, c, fmt.Sprintf("/deliveries/%s?at=%d", deliveries[0].ID, delivered[0].Position)); then.Status != "pending" {
		t.Errorf("as of its first event the delivery was %s", then.Status)
	}
	registered := c.history(t, "/webhooks/"+hook.id)
	if registered[0].Type != "webhook.registered.v1" || bytes.Contains(registered[0].Data, []byte(webhookSecret)) {
		t.Errorf("the history of an endpoint: %s", registered[0].Data)
	}
	get[struct{ Status string }](t, c, fmt.Sprintf("/webhooks/%s?at=%d", hook.id, registered[0].Position))
}

func TestHistoriesArePagedAndTheOwnersAlone(t *testing.T) {
	t.Parallel()
	s := running(t)
	c := s.sandbox()
	hook := receive(t, c, nil)
	created := c.create(t, signUp(12))
	c.completed(t, created.ID, time.Minute)
	forwards := c.history(t, "/tests/"+created.ID)
	var paged []recorded
	for cursor := ""; ; {
		a := c.send(t, http.MethodGet, "/tests/"+created.ID+"/events?limit=7"+cursor, nil).wants(t, http.StatusOK, "")
		p := read[harness.Page[recorded]](t, a)
		paged = append(paged, p.Data...)
		if !p.HasMore {
			break
		}
		if !strings.Contains(a.Header.Get("Link"), `rel="next"`) || len(p.Data) != 7 {
			t.Fatalf("a page of %d events with the Link %q", len(p.Data), a.Header.Get("Link"))
		}
		cursor = "&cursor=" + *p.NextCursor
		c.send(t, http.MethodGet, "/tests/"+created.ID+"/events?order=asc&limit=7"+cursor, nil).wants(t, http.StatusUnprocessableEntity, "validation_failed")
	}
	slices.Reverse(paged)
	if got, want := fmt.Sprint(paged), fmt.Sprint(forwards); got != want {
		t.Errorf("backwards\n%s\nforwards\n%s", got, want)
	}
	if len(forwards)%7 == 0 {
		t.Error("the last page is full: choose another size")
	}
	session := c.sessions(t, created.ID)[0].ID
	delivery := all[struct{ ID string }](t, c, "/webhooks/"+hook.id+"/deliveries")[0].ID
	for _, path := range []string{"/tests/" + created.ID, "/sessions/" + session, "/webhooks/" + hook.id, "/deliveries/" + delivery} {
		c.history(t, path)
		s.live().send(t, http.MethodGet, path+"/events", nil).wants(t, http.StatusNotFound, "not_found")
		s.live().send(t, http.MethodGet, path+"?at=1", nil).wants(t, http.StatusNotFound, "not_found")
	}
	for _, path := range []string{"/tests/" + session, "/sessions/" + created.ID, "/webhooks/" + delivery, "/deliveries/nonsense"} {
		c.send(t, http.MethodGet, path+"/events", nil).wants(t, http.StatusNotFound, "not_found")
		c.send(t, http.MethodGet, path+"?at=1", nil).wants(t, http.StatusNotFound, "not_found")
	}
	gone := read[struct{ ID string }](t, c.send(t, http.MethodPost, "/webhooks", map[string]any{"url": hook.URL}).wants(t, http.StatusCreated, "")).ID
	c.send(t, http.MethodDelete, "/webhooks/"+gone, nil).wants(t, http.StatusNoContent, "")
	kept := c.history(t, "/webhooks/"+gone)
	if got := typesOf(kept); fmt.Sprint(got) != "[webhook.registered.v1 webhook.deleted.v1]" {
		t.Errorf("the history of a deleted endpoint: %v", got)
	}
	get[struct{ Status string }](t, c, fmt.Sprintf("/webhooks/%s?at=%d", gone, kept[0].Position))
	c.send(t, http.MethodGet, fmt.Sprintf("/webhooks/%s?at=%d", gone, kept[1].Position), nil).wants(t, http.StatusNotFound, "not_found")
}
