package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"understudy/domain"
	"understudy/domain/session"
	"understudy/projections/timeline"
)

// messageOf is the stored message of an event of a session.
func messageOf(t *testing.T, e session.Event) timeline.Stored {
	t.Helper()
	m, ok := timeline.MessageOf(domain.Recorded{Stream: "session-ses_1", Position: 9, Time: noon, Event: e})
	raw, err := json.Marshal(m)
	if !ok || err != nil {
		t.Fatalf("%T is no message: %v", e, err)
	}
	return timeline.Stored{TestID: m.TestID, Position: m.Position, Type: m.Type, JSON: raw}
}

func aStepOf(screenshot string) session.Stepped {
	return session.Stepped{TestID: "test_1", Attempt: 1, Step: session.Step{
		Index: 3, At: domain.At(noon), URL: "https://e.x/?a=1&b=2", Title: "a <b> & c", Thought: "naïve \u2028", Scent: 0.1, ScreenshotID: screenshot,
		Action: session.Action{Type: "click", Target: &session.Target{Role: "button", Name: "<Buy>"}}, Signals: []session.Signal{},
	}}
}

func TestMessagesNameTheirScreenshots(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.travel(time.Since(noon)) // messages carry addresses of this very day
	id, _ := s.anArtifact("the page")
	for _, e := range []session.Event{
		aStepOf(id), session.ScreenshotTaken{TestID: "test_1", Attempt: 1, Step: 3, Artifact: session.Artifact{ID: id}, Width: 780, Height: 1600, At: domain.At(noon)},
	} {
		message := messageOf(t, e)
		out := string(s.links.AddressMessage(message))
		var got struct {
			Data struct {
				ScreenshotURL string `json:"screenshot_url"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		path, ours := strings.CutPrefix(got.Data.ScreenshotURL, base)
		if !ours {
			t.Fatalf("%q is not an address of this service: %s", got.Data.ScreenshotURL, out)
		}
		if g := s.send("GET", path, "", "").wants(t, 200, ""); string(g.body) != "the page" {
			t.Errorf("%s shows %q", got.Data.ScreenshotURL, g.body)
		}
		// Nothing else changes, but that texts are not escaped for HTML.
		want := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `,"screenshot_url":null`, "").Replace(string(message.JSON))
		if out = strings.Replace(out, `,"screenshot_url":"`+got.Data.ScreenshotURL+`"`, "", 1); out != want {
			t.Errorf("got  %s\nwant %s", out, want)
		}
	}
}

func TestMessagesThatNeedNothingStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, message := range []timeline.Stored{
		messageOf(t, aStepOf("")), messageOf(t, session.Started{TestID: "test_1", Attempt: 2}), {Type: timeline.TypeStep, JSON: []byte("not JSON at all")},
	} {
		if out := string(s.links.AddressMessage(message)); out != string(message.JSON) {
			t.Errorf("%s became %s", message.JSON, out)
		}
	}
}
