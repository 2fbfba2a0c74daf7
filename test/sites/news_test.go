package sites_test

import (
	"strings"
	"testing"

	"understudy/test/sites"
)

func TestNewsStandsBehindACookieWall(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.News, sites.Options{})
	for path, walled := range map[string]bool{"/": true, "/story/parrot": true, "/newsletters": true, "/cookies": false, "/privacy": false} {
		if _, body := g.get(path); strings.Contains(body, `role="dialog"`) != walled || strings.Contains(body, "<div inert>") != walled {
			t.Errorf("%s: the wall stands there: %v", path, !walled)
		}
	}
	_, body := g.get("/search?q=pool&x=1")
	if !strings.Contains(body, `name="back" value="/search?q=pool&amp;x=1"`) {
		t.Error("the wall forgets where it stood")
	}
	status, body := g.post("/cookies", "choice=necessary&back=/search?q%3Dpool")
	g.wants(status, body, 200, "Search: pool")
	if _, body = g.get("/"); strings.Contains(body, `role="dialog"`) || !g.reached("cookies_chosen") {
		t.Error("the wall stands after it was answered")
	}
	status, body = g.post("/cookies", "choice=own&counting=yes&back=/cookies?saved%3Dyes")
	g.wants(status, body, 200, "Your settings are saved")
	if !strings.Contains(body, `name="counting" value="yes" checked`) || strings.Contains(body, `name="adverts" value="yes" checked`) {
		t.Error("the settings are not those that were made")
	}
	if status, body = g.post("/cookies", "choice=maybe"); status != 400 {
		t.Errorf("an answer that is none gets %d: %s", status, body)
	}
	for _, elsewhere := range []string{"//example.org/", "https://example.org/", `/\example.org`} {
		status, body = g.post("/cookies", "choice=all&back="+elsewhere)
		g.wants(status, body, 200, "The Tern Gazette, front page")
	}
}

func TestNewsIsFoundAndRead(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.News, sites.Options{})
	status, body := g.get("/")
	g.wants(status, body, 200, "Swimming pool repairs enter their last weeks")
	if strings.Contains(body, "6 June") || strings.Contains(body, "£4.20") {
		t.Error("the front page gives the answers away")
	}
	status, body = g.get("/search?q=island+ferry")
	g.wants(status, body, 200, "1 story found")
	status, body = g.get("/search?q=zeppelin")
	g.wants(status, body, 200, "No story holds")
	status, body = g.get("/section/local")
	g.wants(status, body, 200, "Paddling pool drained")
	g.get("/story/paddling-pool")
	if g.reached("read_swimming-pool") {
		t.Error("the wrong pool counts")
	}
	status, body = g.get("/story/swimming-pool")
	g.wants(status, body, 200, "reopen on Saturday 6 June")
	status, body = g.get("/story/ferry")
	g.wants(status, body, 200, "Page 1 of 2")
	if g.reached("read_ferry_2") || strings.Contains(body, "£4.20") {
		t.Error("the fare stands on the first page")
	}
	status, body = g.get("/story/ferry/2")
	g.wants(status, body, 200, "£4.20 for children")
	status, body = g.get("/today")
	g.wants(status, body, 200, "10.15 to 13.45")
	for _, path := range []string{"/story/ferry/3", "/story/ferry/two", "/story/kraken", "/section/chess"} {
		if status, _ := g.get(path); status != 404 {
			t.Errorf("%s answers %d", path, status)
		}
	}
	for _, goal := range []string{"searched", "read_swimming-pool", "read_ferry_2", "hours_seen"} {
		if !g.reached(goal) {
			t.Errorf("/_truth does not tell %s", goal)
		}
	}
}

func TestNewsTakesLettersCommentsAndSubscriptions(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.News, sites.Options{})
	status, body := g.get("/newsletters/done")
	g.wants(status, body, 200, "Which newsletter?")
	status, body = g.post("/newsletters", "email=ann&topic-sport=yes")
	g.wants(status, body, 422, "Choose a newsletter")
	g.wants(status, body, 422, "name@example.com")
	g.wants(status, body, 422, `name="topic-sport" value="yes" checked`)
	status, body = g.post("/newsletters", "email=ann@example.org&edition=daily")
	g.wants(status, body, 200, "You are subscribed to the daily newsletter")
	if g.reached("subscribed_weekly") {
		t.Error("the wrong newsletter counts")
	}
	status, body = g.post("/newsletters", "email=ann@example.org&edition=weekly&topic-sport=yes")
	g.wants(status, body, 200, "You are subscribed to the weekly newsletter")
	status, body = g.post("/letters/write", "name=Ann+Lee&email=ann@example.org&subject=Bus+14&letter=Hm")
	g.wants(status, body, 422, "Tell us a little more")
	g.wants(status, body, 422, "may be printed")
	g.wants(status, body, 422, `value="Bus 14"`)
	if g.reached("letter_sent") {
		t.Error("a faulty letter counts")
	}
	status, body = g.post("/letters/write", "name=Ann+Lee&email=ann@example.org&subject=Bus+14&letter=Please+let+it+climb+the+hill.&mine=yes")
	g.wants(status, body, 200, "Thank you for your letter")
	status, body = g.post("/story/bus-14/comment", "name=Ann+Lee&comment=")
	g.wants(status, body, 422, "Write your comment")
	g.wants(status, body, 422, `value="Ann Lee"`)
	status, body = g.post("/story/bus-14/comment", "name=Ann+Lee&comment=Walk,+then.")
	g.wants(status, body, 200, "Your comment appears once")
	for _, goal := range []string{"subscribed_weekly", "letter_sent", "comment_sent"} {
		if !g.reached(goal) {
			t.Errorf("/_truth does not tell %s", goal)
		}
	}
}
