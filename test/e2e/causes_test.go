package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// club is a site whose members find the way on, behind the form that makes them
// members, hard to see. It counts who comes and what is sent.
type club struct{ visitors, joined atomic.Int64 }

func (c *club) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page := func(title, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><html lang=en><title>%[1]s</title><body style='background:#fff'><h1>%[1]s</h1>%s", title, body)
	}
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/join":
		c.joined.Add(1)
		http.Redirect(w, r, "/welcome", http.StatusSeeOther)
	case r.URL.Path == "/":
		if _, err := r.Cookie("known"); err != nil {
			c.visitors.Add(1)
			http.SetCookie(w, &http.Cookie{Name: "known", Value: "1"})
		}
		page("Reading club", "<form method=post action=/join><label>Email <input type=email name=email required></label> <button>Join the club</button></form>")
	case r.URL.Path == "/welcome":
		page("You are a member now", "<p>Thank you for joining. We meet on Tuesdays.</p><a href=/handbook style='color:#f7f7f7'>Handbook for members</a>")
	case r.URL.Path == "/handbook":
		page("Handbook for members", "<p>Bring a book.</p>")
	default:
		http.NotFound(w, r)
	}
}

type replays struct {
	Causes, Made, Proven, Withheld int
	CutShort                       int `json:"cut_short"`
}

// Five people are stopped by one thing: it costs one visit more to find out, and what
// they have sent is not sent again for that.
func TestCausesAreFoundWithoutHarm(t *testing.T) {
	t.Parallel()
	c := running(t).live()
	site := &club{}
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	// Each test begins with the service's question whether anybody is there.
	const sessions, probe = 5, 1
	wish := map[string]any{
		"url": server.URL + "/", "task": "Join the club with the email {{email}} and open the handbook for members", "sessions": sessions, "seed": 5,
		"inputs": map[string]any{"email": "ada@example.com"}, "success": map[string]any{"url_matches": "/handbook$"},
	}
	reportOf := func() (r struct{ Replays *replays }) {
		done := c.completed(t, c.create(t, wish).ID, liveLimit)
		return get[struct{ Replays *replays }](t, c, "/reports/"+*done.ReportID)
	}
	r := reportOf().Replays
	visitors, joined := site.visitors.Load(), site.joined.Load()
	if r == nil || r.Made == 0 || r.Made > r.Causes || visitors != probe+sessions+int64(r.Made) {
		t.Errorf("%d visitors in %d sessions, replays %+v", visitors, sessions, r)
	} else if r.Withheld != r.Made || joined > sessions {
		t.Errorf("%d have joined in %d sessions, replays %+v", joined, sessions, r)
	}

	wish["replays"] = "off"
	if r := reportOf().Replays; r != nil || site.visitors.Load() != visitors+probe+sessions {
		t.Errorf("switched off, %d visitors in %d sessions and replays %+v", site.visitors.Load()-visitors, sessions, r)
	}
	wish["replays"] = "often"
	if a := c.send(t, http.MethodPost, "/tests", wish).wants(t, http.StatusUnprocessableEntity, ""); !strings.Contains(string(a.Body), `"pointer":"/replays"`) {
		t.Errorf("an unknown choice: %s", a.Body)
	}
}
