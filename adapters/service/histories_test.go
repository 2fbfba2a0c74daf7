package service_test

import (
	"encoding/json"
	"testing"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
)

func TestAResourceIsReadAsOfAnyMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	id := w.test(lamp())
	began, err := w.Streams.Created(w.ctx, id)
	w.must(err)
	_, err = w.CancelTest(w.ctx, call(alice, "c"), id)
	w.must(err)
	head, err := w.Head(w.ctx)
	w.must(err)
	for name, c := range map[string]struct {
		at     service.Moment
		status string
	}{
		"at its first event":   {service.Moment{Position: began.Position}, "running"},
		"by that event's time": {service.Moment{Time: began.Time}, "running"},
		"now":                  {service.Moment{Position: head}, "cancelled"},
		"later":                {service.Moment{Time: time.Now().Add(time.Hour)}, "cancelled"},
	} {
		then, err := w.TestAsOf(w.ctx, alice, id, c.at)
		w.must(err)
		var doc struct{ Status string }
		w.must(json.Unmarshal(then.JSON, &doc))
		if doc.Status != c.status {
			t.Errorf("%s it was %s, want %s", name, doc.Status, c.status)
		}
	}
	_, err = w.TestAsOf(w.ctx, alice, id, service.Moment{Position: began.Position - 1})
	w.refused(err, domain.CodeNotFound)
	_, err = w.TestAsOf(w.ctx, mallory, id, service.Moment{Position: head})
	w.refused(err, domain.CodeNotFound)
	now, err := w.Test(w.ctx, alice, id)
	w.must(err)
	then, err := w.TestAsOf(w.ctx, alice, id, service.Moment{Position: head})
	if err != nil || string(then.JSON) != string(now.JSON) || then.Revision != now.Revision {
		t.Errorf("as of now it is %s, %v; read %s", then.JSON, err, now.JSON)
	}
}

func TestAHistoryIsReadFromEitherEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	in := lamp()
	in.Sessions = 1
	id := w.test(in)
	w.complete(id, 1) // 6 more events
	for name, backwards := range map[string]bool{"forwards": false, "backwards": true} {
		var revisions []uint64
		q := service.History{Limit: 4, Backwards: backwards}
		for {
			page, err := w.Events(w.ctx, alice, id, q)
			w.must(err)
			for _, e := range page.Events {
				revisions = append(revisions, e.Revision)
			}
			if q.From = page.Next; q.From == nil {
				break
			}
		}
		for i, r := range revisions {
			if want := uint64(i); !backwards && r != want || backwards && r != uint64(len(revisions)-1-i) {
				t.Errorf("%s: %v", name, revisions)
				break
			}
		}
		if len(revisions) != 7 {
			t.Errorf("%s there are %d events", name, len(revisions))
		}
	}
	_, err := w.Events(w.ctx, mallory, id, service.History{Limit: 4})
	w.refused(err, domain.CodeNotFound)
	_, err = w.Events(w.ctx, alice, newID(domain.PrefixReport), service.History{Limit: 4})
	w.refused(err, domain.CodeNotFound)
}
