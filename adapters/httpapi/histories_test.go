package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/webhooks"
)

// histories has three events of everything, at positions 10, 20 and 30.
type histories struct {
	asked []string
	then  string
}

// oddly is JSON that no encoder would write.
const oddly = `{"price":  7.50e0, "big": 12345678901234567890, "text": "\u003c<"}`

func (h *histories) Events(_ context.Context, p service.Principal, id string, q service.History) (service.HistoryPage, error) {
	from := "start"
	if q.From != nil {
		from = fmt.Sprint(*q.From)
	}
	h.asked = append(h.asked, fmt.Sprintf("%s %s limit %d from %s backwards %t", p.OrganizationID, id, q.Limit, from, q.Backwards))
	if p.OrganizationID != "org_a" {
		return service.HistoryPage{}, domain.Refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	next := uint64(2)
	return service.HistoryPage{Next: &next, Events: []eventstore.Raw{{
		ID: uuid.MustParse("018f6b9e-0000-7000-8000-000000000000"), Stream: "testrun-" + id, Position: 10, Created: noon,
		Type: "testrun.created.v1", ContentType: "application/json", Data: []byte(oddly),
	}}}, nil
}

func thenOf[T any](h *histories, id string, at service.Moment) (projections.Document[T], error) {
	h.asked = append(h.asked, fmt.Sprintf("%s at %d %s", id, at.Position, at.Time.Format(time.RFC3339)))
	if at.Position == 5 {
		return projections.Document[T]{}, domain.Refuse(domain.CodeNotFound, "there was nothing with this id yet")
	}
	return projections.Document[T]{JSON: []byte(h.then), Revision: 2}, nil
}

func (h *histories) TestAsOf(_ context.Context, _ service.Principal, id string, at service.Moment) (projections.Document[tests.Document], error) {
	return thenOf[tests.Document](h, id, at)
}

func (h *histories) SessionAsOf(_ context.Context, _ service.Principal, id string, at service.Moment) (doc projections.Document[sessions.Document], trace projections.Document[sessions.Trace], err error) {
	doc, err = thenOf[sessions.Document](h, id, at)
	return doc, trace, err
}

func (h *histories) DeliveryAsOf(_ context.Context, _ service.Principal, id string, at service.Moment) (projections.Document[deliveries.Document], error) {
	return thenOf[deliveries.Document](h, id, at)
}

func (h *histories) WebhookAsOf(_ context.Context, _ service.Principal, id string, at service.Moment) (projections.Document[webhooks.Document], error) {
	return thenOf[webhooks.Document](h, id, at)
}

func (*histories) Head(context.Context) (uint64, error) { return 30, nil }

func TestEventsAreShownByteForByte(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := newID("test")
	g := s.send("GET", "/tests/"+id+"/events?limit=1", "read", "").wants(t, 200, "")
	if !strings.Contains(string(g.body), `"data":`+oddly+`,"metadata"`) {
		t.Errorf("the event is not what was recorded: %s", g.body)
	}
	next, _ := g.object(t)["next_cursor"].(string)
	s.send("GET", "/tests/"+id+"/events?limit=1&cursor="+next, "read", "").wants(t, 200, "")
	s.send("GET", "/tests/"+id+"/events?order=asc", "read", "").wants(t, 200, "")
	want := []string{
		"org_a " + id + " limit 1 from start backwards true",
		"org_a " + id + " limit 1 from 2 backwards true",
		"org_a " + id + " limit 20 from start backwards false",
	}
	if got := s.histories.asked; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s.send("GET", "/tests/"+id+"/events?order=asc&cursor="+next, "read", "").wants(t, 422, "validation_failed")
	s.send("GET", "/tests/"+newID("test")+"/events?cursor="+next, "read", "").wants(t, 422, "validation_failed")
	s.send("GET", "/tests/"+id+"/events?order=random", "read", "").wants(t, 422, "validation_failed")
}

func TestHistoriesNeedTheScopeOfTheirResource(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for path, prefix := range map[string]string{"/tests/": "test", "/sessions/": "ses", "/webhooks/": "whk", "/deliveries/": "dlv"} {
		id := newID(prefix)
		s.send("GET", path+id+"/events", "all", "").wants(t, 200, "")
		s.send("GET", path+id+"/events", "other", "").wants(t, 404, "not_found")
		s.send("GET", path+newID("rep")+"/events", "all", "").wants(t, 404, "not_found")
		s.send("GET", path+newID("rep")+"?at=20", "all", "").wants(t, 404, "not_found")
		if prefix == "test" || prefix == "ses" {
			s.send("GET", path+id+"/events", "read", "").wants(t, 200, "")
			continue
		}
		s.send("GET", path+id+"/events", "read", "").wants(t, 403, "insufficient_scope")
		s.send("GET", path+id+"?at=20", "read", "").wants(t, 403, "insufficient_scope")
	}
}

func TestAtIsAPositionOrATimeThatHasPassed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.aTest()
	doc, err := s.tests.Get(t.Context(), s.keys["all"], id)
	if err != nil {
		t.Fatal(err)
	}
	s.histories.then = strings.Replace(string(doc.JSON), "Find the prices", "Then", 1)
	for at, asked := range map[string]string{
		"0": "at 0 0001", "30": "at 30 0001", "2026-11-21T12:00:00Z": "at 0 2026-11-21T12:00:00Z",
		"2026-11-21T13:59:59%2B02:00": "at 0 2026-11-21T13:59:59+02:00", "0001-01-01T00:00:00Z": "at 0 1970-01-01",
	} {
		s.histories.asked = nil
		g := s.send("GET", "/tests/"+id+"?at="+at, "read", "").wants(t, 200, "")
		if g.Header.Get("ETag") != `"2"` || g.object(t)["task"] != "Then" || g.object(t)["stream_url"] == nil {
			t.Errorf("at=%s: ETag %s, %s", at, g.Header.Get("ETag"), g.body)
		}
		if len(s.histories.asked) != 1 || !strings.HasPrefix(s.histories.asked[0], id+" "+asked) {
			t.Errorf("at=%s: asked %v", at, s.histories.asked)
		}
		s.send("GET", "/tests/"+id+"?at="+at, "read", "", "If-None-Match", `"2"`).wants(t, 304, "")
	}
	s.send("GET", "/tests/"+id+"?at=5", "read", "").wants(t, 404, "not_found")
	for at, says := range map[string]string{
		"31": "position 30", "99999999999999999999": "no position", "2026-11-21T12:00:01Z": "it is 2026-11-21T12:00:00.000Z",
		"noon": "RFC 3339", "-1": "RFC 3339", "": "empty",
	} {
		g := s.send("GET", "/tests/"+id+"?at="+at, "read", "").wants(t, 422, "validation_failed")
		if p := s.isProblem(g); len(p.Errors) != 1 || p.Errors[0].Parameter != "at" || !strings.Contains(p.Errors[0].Message, says) {
			t.Errorf("at=%s: %s", at, g.body)
		}
	}
}
