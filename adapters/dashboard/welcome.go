package dashboard

import (
	"errors"
	"net/http"
	"net/url"

	"understudy/adapters/service"
	"understudy/domain"
)

// front is what stands at the service's address: for nobody signed in what this is,
// for others where they go on.
func (d *Dashboard) front(w http.ResponseWriter, r *http.Request) {
	switch _, err := d.who(r.Context()); {
	case errors.Is(err, service.ErrUnauthenticated):
		d.show(w, r, http.StatusOK, "welcome", view{Title: "Simulated users for your web pages", Data: d.Invited})
	default:
		d.withWho(d.home)(w, r)
	}
}

// exampleForm is a test of the sandbox to look around in, which ends within seconds.
var exampleForm = url.Values{
	"name": {"Example: a newsletter"}, "url": {"https://example.com/"}, "task": {"Subscribe to the newsletter with the e-mail address ada@example.org"},
	"sessions": {"12"}, "personas": {"auto-diverse"}, "criteria": {"task_completion", "cta_findability", "navigation", "accessibility"},
	"viewport": {"desktop", "mobile"}, "drawn": {"4711"},
}

// example makes one and leads to it.
func (d *Dashboard) example(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	who.Environment = domain.Sandbox
	form := merged(url.Values{"draft": {r.PostFormValue("draft")}}, exampleForm)
	to, _, err := d.start(r, who, form)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.sessions.Put(r.Context(), keyEnvironment, string(domain.Sandbox))
	d.goOn(w, r, to, "This is a test of the sandbox: its site is made up. Look around.")
}
