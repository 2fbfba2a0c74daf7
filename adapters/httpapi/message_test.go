package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// sketch is what of a message matters here.
type sketch struct {
	ScreenshotID  string `json:"screenshot_id"`
	ScreenshotURL string `json:"screenshot_url"`
}

func TestMessagesNameTheirScreenshots(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.travel(time.Since(noon)) // messages carry addresses of this very day
	top, _ := s.anArtifact("the page")
	deep, _ := s.anArtifact("an issue")
	message := `{"seq":12345678901234567890,"type":"session.step","quote":"a <b> & c","screenshot_id":"` + top +
		`","issues":[{"evidence":{"screenshot_id":"` + deep + `"}},{"screenshot_id":null}],"score":0.10}`
	out := string(s.links.DecorateMessage([]byte(message)))

	var got struct {
		sketch
		Issues []struct {
			sketch
			Evidence sketch `json:"evidence"`
		} `json:"issues"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for url, content := range map[string]string{got.ScreenshotURL: "the page", got.Issues[0].Evidence.ScreenshotURL: "an issue"} {
		path, ours := strings.CutPrefix(url, base)
		if !ours {
			t.Fatalf("%q is not an address of this service: %s", url, out)
		}
		if g := s.send("GET", path, "", "").wants(t, 200, ""); string(g.body) != content {
			t.Errorf("%s shows %q, want %q", url, g.body, content)
		}
	}
	if got.Issues[1].ScreenshotURL != "" {
		t.Errorf("a message without a picture has an address: %s", out)
	}
	// Nothing else changes: the order of fields, digits and signs.
	for _, url := range []string{got.ScreenshotURL, got.Issues[0].Evidence.ScreenshotURL} {
		out = strings.Replace(out, `,"screenshot_url":"`+url+`"`, "", 1)
	}
	if out != message {
		t.Errorf("got  %s\nwant %s", out, message)
	}
}

func TestMessagesThatNeedNothingStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, message := range []string{
		`{"type":"test.started","data":{"sessions":3}}`,
		`{"screenshot_id":"","screenshot_url":"there already"}`,
		`{"screenshot_id":"art_1","screenshot_url":"there already"}`,
		`not JSON at all`,
	} {
		if out := string(s.links.DecorateMessage([]byte(message))); out != message {
			t.Errorf("%s became %s", message, out)
		}
	}
}
