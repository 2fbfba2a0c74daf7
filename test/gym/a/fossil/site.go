// Package fossil is the site of a club: a forum, tickets and a wiki.
package fossil

import (
	"fmt"
	"net/url"
	"strings"

	"understudy/test/gym/ground"
)

// Site is the club of a climbing hall; the visitor is logged in.
var Site = ground.Site{
	Name: "fossil", Kind: "forum", What: "Fossil 2.21: forum, tickets, wiki (Debian)", Licence: "BSD-2-Clause",
	Debian: []string{"fossil"},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("fossil-1", prepare); err != nil {
			return err
		}
		return serve(p)
	},
	Tasks: []ground.Task{
		{
			Name: "report",
			Text: `Report a new problem: open a ticket with the title "Door of the hall does not lock".`,
			Done: func(p *ground.Place) (bool, error) {
				return asked(p, `SELECT count(*) FROM ticket WHERE title LIKE '%door of the hall does not lock%'`)
			},
		},
		{
			Name: "reply", At: "forum",
			Text: `In the forum, answer in the thread "Summer party" that you will bring a cake.`,
			Done: func(p *ground.Place) (bool, error) {
				return asked(p, `SELECT count(*) FROM forumpost JOIN blob ON rid=fpid WHERE firt IS NOT NULL AND lower(content(uuid)) LIKE '%cake%'`)
			},
		},
		{
			Name: "close", At: "reportlist",
			Text: `The worn rope has been replaced. Set the status of the ticket "Rope in lane 4 is worn" to closed.`,
			Done: func(p *ground.Place) (bool, error) {
				return asked(p, `SELECT count(*) FROM ticket WHERE title='Rope in lane 4 is worn' AND status='Closed'`)
			},
		},
		{
			Name: "find",
			Text: "Find out until what age children need a grown-up with them in the hall.",
			Seen: &ground.Sight{Selector: ".content p, .content li", Text: "Children under 14"},
		},
	},
}

func serve(p *ground.Place) error {
	return p.Serve([]string{"USER=sam"}, "fossil", "server", "club.fossil", "--localauth", "--localhost", "--port", p.Port())
}

func asked(p *ground.Place, query string) (bool, error) {
	out, err := p.Run(nil, "fossil", "sql", "--readonly", "-R", "club.fossil", query)
	return strings.TrimSpace(out) != "0", err
}

// prepare makes the club's repository as its members would have.
func prepare(p *ground.Place) error {
	pages := map[string]string{
		"Climbing hall": "Welcome to the site of the climbing club. See [House rules], [Opening hours] and [Prices].",
		"House rules":   "<h2>On the wall</h2><ul><li>Check each other's knots before every climb.</li><li>No climbing above the red line without a rope.</li></ul><h2>Children</h2><p>Children under 14 climb only while a grown-up is with them.</p>",
		"Opening hours": "<p>Monday to Friday from 9 to 22, at weekends from 9 to 20.</p>",
		"Prices":        "<p>A day costs 16, ten days 140, a year 590. Shoes can be hired for 4.</p>",
		"Getting here":  "<p>Bus 36 stops at the door. There are places for forty bicycles.</p>",
	}
	if _, err := p.Run([]string{"USER=sam"}, "fossil", "init", "club.fossil", "--admin-user", "sam"); err != nil {
		return err
	}
	settings := `INSERT OR REPLACE INTO config(name,value,mtime) VALUES('project-name','Climbing hall',now()),('index-page','/wiki?name=Climbing+hall',now()),
		('mainmenu','Home / * {}'||char(10)||'Forum /forum * {}'||char(10)||'Tickets /reportlist * {}'||char(10)||'Wiki /wiki * {}'||char(10)||'Timeline /timeline * {}',now())`
	if _, err := p.Run(nil, "fossil", "sql", "-R", "club.fossil", settings); err != nil {
		return err
	}
	for name, text := range pages {
		if err := ground.Write(p.Dir, map[string]string{"page": text}); err != nil {
			return err
		}
		if _, err := p.Run([]string{"USER=sam"}, "fossil", "wiki", "create", name, "page", "-R", "club.fossil"); err != nil {
			return err
		}
	}
	for _, title := range []string{"Rope in lane 4 is worn", "Light above the bar flickers", "Shoes in size 39 are missing"} {
		if _, err := p.Run([]string{"USER=sam"}, "fossil", "ticket", "add", "title", title, "status", "Open", "type", "Incident", "-R", "club.fossil"); err != nil {
			return err
		}
	}
	if err := serve(p); err != nil {
		return err
	}
	for title, text := range map[string]string{
		"Summer party":          "On 22 June we celebrate in the yard. Who brings what?",
		"Partner for Tuesdays":  "Looking for somebody who climbs 5c to 6a on Tuesday evenings.",
		"New routes on the rim": "Six new routes since Monday. What do you think of the blue one?",
	} {
		if err := post(p, title, text); err != nil {
			return err
		}
	}
	return nil
}

func post(p *ground.Place, title, text string) error {
	form := url.Values{"title": {title}, "mimetype": {"text/x-markdown"}, "content": {text}, "submit": {"Submit"}}
	status, page, err := p.Ask("POST", "/forume1", form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Referer", "http://"+p.Address+"/forumnew")
	if err == nil && status >= 400 {
		err = fmt.Errorf("%d: %.500s", status, page)
	}
	return err
}
