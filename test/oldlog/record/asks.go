package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"understudy/test/oldlog"
)

// mostSessions of a test are asked about one by one: a key has 1,000 requests a
// minute, and the test asks them all within one.
const mostSessions, mostDeliveries = 2, 3

// asks is everything there is to ask.
type asks struct {
	client
	all []oldlog.Ask
	// pictures are within answers.
	pictures []oldlog.Ask
}

func (a *asks) ask(paths ...string) {
	for _, path := range paths {
		a.all = append(a.all, oldlog.Ask{Key: a.key, Path: "/v1" + path})
	}
}

// as asks for other forms than JSON.
func (a *asks) as(path string, media ...string) {
	for _, m := range media {
		a.all = append(a.all, oldlog.Ask{Key: a.key, Path: path, Accept: m})
	}
}

// each asks for a list and tells the ids of what it lists.
func (a *asks) each(path string) (ids []string) {
	for _, item := range a.list(path) {
		ids = append(ids, item["id"].(string))
	}
	a.ask(path + "?limit=100")
	return ids
}

// travel asks for a resource as of some of its events, and of the times of two.
func (a *asks) travel(path string, most int) {
	events := a.list(path + "/events?order=asc")
	a.ask(path + "/events?limit=100")
	if len(events) == 0 {
		return
	}
	position := func(i int) int { return int(events[i]["position"].(float64)) }
	var at []string
	for i := range min(most, len(events)) {
		at = append(at, fmt.Sprint(position(i*(len(events)-1)/max(1, min(most, len(events))-1))))
	}
	at = append(at, fmt.Sprint(position(0)-1))
	if len(events) > 1 {
		at = append(at, url.QueryEscape(events[len(events)/2]["time"].(string)))
	}
	for _, then := range slices.Compact(at) {
		a.ask(path + "?at=" + then)
	}
}

func (a *asks) everything() error {
	a.ask("/organization", "/models", "/tests/test_unknown", "/reports/rep_01kaj8h2v4e6tvn2f3m9q0w7xz", "/tests?status=lost", "/sessions/<&>")
	for _, id := range a.each("/personas") {
		a.ask("/personas/" + id)
	}
	for _, id := range a.each("/personas/packs") {
		a.ask("/personas/packs/" + id)
	}
	for _, id := range a.each("/comparisons") {
		a.ask("/comparisons/" + id)
	}
	a.ask("/comparisons?status=failed", "/comparisons?limit=1", "/reports?limit=2", "/webhooks?limit=1", "/personas?limit=1")
	a.tests()
	a.webhooks()
	for _, path := range []string{"/reports/rep_unknown", "/sessions/ses_unknown"} {
		a.as(path, "text/html")
	}
	a.ask("/audit/head")
	return a.reports()
}

func (a *asks) tests() {
	created := a.list("/tests")
	for _, status := range []string{"completed", "failed", "cancelled", "running"} {
		a.ask("/tests?status=" + status)
	}
	a.ask("/tests?limit=2", "/tests?limit=100&created_after="+created[len(created)/2]["created_at"].(string),
		"/tests?created_before="+created[len(created)/2]["created_at"].(string))
	if next, more := a.send(http.MethodGet, "/tests?limit=2", nil)["next_cursor"].(string); more {
		a.ask("/tests?limit=2&cursor=" + next)
	}
	for _, id := range a.each("/tests") {
		path := "/tests/" + id
		a.ask(path, path+"/report", path+"/report?format=markdown", "/reports?test_id="+id, "/comparisons?test_id="+id,
			path+"/sessions?status=completed&limit=1", path+"/events?limit=2")
		a.travel(path, 3)
		sessions := a.each(path + "/sessions")
		slices.Reverse(sessions) // the first ones first
		for i, session := range sessions[:min(mostSessions, len(sessions))] {
			a.ask(path + "/sessions/" + session)
			for _, what := range []string{"", "/trace", "/recording", "/screenshots?limit=100"} {
				a.ask("/sessions/" + session + what)
			}
			a.as("/sessions/"+session, "text/html")
			if i == 0 {
				a.travel("/sessions/"+session, 3)
			} else {
				a.ask("/sessions/" + session + "/events?limit=100")
			}
		}
		if a.key == "live" && len(sessions) > 0 {
			a.files("/sessions/" + sessions[0])
		}
	}
}

// biggestFilm is the size up to which a film becomes part of the fixture.
const biggestFilm = 20_000

// files asks for the last screenshot of a session, plain and with a box drawn
// on it, and for its film and a part of it.
func (a *asks) files(session string) {
	if shots := a.list(session + "/screenshots"); len(shots) > 0 {
		path := "/artifacts/" + shots[0]["id"].(string)
		a.ask(path, path+"?box=10,10,80,40,1280")
	}
	var film map[string]any
	_, _ = a.Call(a.ctx, http.MethodGet, session+"/recording", nil, &film) // there may be none
	if size, ok := film["bytes"].(float64); ok && size < biggestFilm {
		path := "/artifacts/" + film["artifact_id"].(string)
		a.ask(path)
		a.all = append(a.all, oldlog.Ask{Key: a.key, Path: "/v1" + path, Range: "bytes=100-299"})
	}
}

var shown = regexp.MustCompile(`"screenshot_id":"(art_\w+)"`)

// reports asks for every report in all its forms but PDF, which tells when it
// was printed.
func (a *asks) reports() error {
	for i, id := range a.each("/reports") {
		if i == 0 {
			a.as("/v1/reports/"+id, "application/xml;q=0.5", "image/png")
		}
		a.ask("/reports/" + id)
		a.as("/v1/reports/"+id, "text/markdown", "text/html", "application/junit+xml")
		a.as("/reports/"+id, "text/html")
		report, err := json.Marshal(a.send(http.MethodGet, "/reports/"+id, nil))
		if err != nil {
			return err
		}
		for _, match := range shown.FindAllSubmatch(report, -1) {
			a.pictures = append(a.pictures, oldlog.Ask{Key: a.key, Path: "/v1/artifacts/" + string(match[1])})
		}
	}
	return nil
}

func (a *asks) webhooks() {
	ids := a.each("/webhooks")
	for _, test := range a.list("/tests") {
		about, _ := test["metadata"].(map[string]any)
		if deleted, ok := about[deletedWebhook].(string); ok {
			ids = append(ids, deleted)
		}
	}
	for _, id := range ids {
		path := "/webhooks/" + id
		a.ask(path)
		a.travel(path, 20)
		a.ask(path+"/deliveries?status=abandoned", path+"/deliveries?event=test.completed&limit=1", path+"/deliveries?limit=1")
		for i, delivery := range a.each(path + "/deliveries") {
			a.ask("/deliveries/" + delivery)
			if i < mostDeliveries {
				a.travel("/deliveries/"+delivery, 2)
			}
		}
	}
}

// nobody is who asks without a key.
func nobody() (out []oldlog.Ask) {
	for _, path := range strings.Fields("/v1/tests /v1/organization /reports/rep_01kaj8h2v4e6tvn2f3m9q0w7xz") {
		out = append(out, oldlog.Ask{Path: path})
	}
	return out
}
