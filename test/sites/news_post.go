package sites

import (
	"net/http"
	"strings"
)

func letterForm() form {
	return form{
		{Name: "name", Label: "Your name", Type: "text", Autocomplete: "name", Hint: "Printed below the letter.", missing: "Enter your name"},
		{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Hint: "Not printed. We write back if something is unclear.", missing: "Enter your email address", rule: emailRule},
		{Name: "town", Label: "Town or village", Type: "text", Autocomplete: "address-level2", Optional: true},
		{Name: "subject", Label: "What is it about?", Type: "text", missing: "Say in a few words what it is about"},
		{Name: "letter", Label: "Your letter", Type: "textarea", Hint: "Up to 500 characters. Short letters have the best chance.", missing: "Write your letter", rule: atLeast(5, "Tell us a little more")},
		{Name: "mine", Label: "I wrote this letter and it may be printed", Type: "checkbox", missing: "Confirm that the letter is yours and may be printed"},
	}
}

func (n *news) letter(w http.ResponseWriter, r *http.Request) {
	f := letterForm()
	if !f.read(r) {
		n.page(w, r, http.StatusUnprocessableEntity, "letter", "", f)
		return
	}
	n.visits.reach(visitor(r), "letter_sent")
	n.redirect(w, r, "/letters/sent")
}

func newsletterForm() form {
	return form{
		{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", missing: "Enter your email address", rule: emailRule},
		{Name: "edition", Label: "Which newsletter?", Type: "radio", missing: "Choose a newsletter", Options: []option{
			{"daily", "Daily newsletter", "Monday to Saturday at six in the morning"}, {"weekly", "Weekly newsletter", "The week in Ternmouth, on Fridays at noon"},
		}},
		{Name: "topic-council", Label: "More from the council", Type: "checkbox", Optional: true},
		{Name: "topic-sport", Label: "More sport", Type: "checkbox", Optional: true},
		{Name: "topic-culture", Label: "More culture", Type: "checkbox", Optional: true},
	}
}

func (n *news) subscribe(w http.ResponseWriter, r *http.Request) {
	f := newsletterForm()
	if !f.read(r) {
		n.page(w, r, http.StatusUnprocessableEntity, "newsletters", "", f)
		return
	}
	edition := f.Get("edition").Value
	n.visits.change(visitor(r), func(v *visit[reader]) {
		v.data.edition = edition
		v.reach("subscribed_" + edition)
	})
	n.redirect(w, r, "/newsletters/done")
}

func (n *news) subscribed(w http.ResponseWriter, r *http.Request) {
	var edition string
	n.visits.look(visitor(r), func(v *visit[reader]) { edition = v.data.edition })
	if edition == "" {
		n.redirect(w, r, "/newsletters")
		return
	}
	n.page(w, r, 200, "subscribed", "", edition)
}

func cookieForm(chosen string) form {
	f := form{
		{Name: "reading", Label: "Remember which stories I have read", Type: "checkbox", Optional: true},
		{Name: "counting", Label: "Count visits, without names", Type: "checkbox", Optional: true},
		{Name: "adverts", Label: "Show adverts that fit what I read", Type: "checkbox", Optional: true},
	}
	for _, x := range f {
		if chosen == "all" || strings.Contains(chosen, x.Name) {
			x.Value = "yes"
		}
	}
	return f
}

func (n *news) cookieSettings(w http.ResponseWriter, r *http.Request) {
	var chosen string
	n.visits.look(visitor(r), func(v *visit[reader]) { chosen = v.data.cookies })
	n.page(w, r, 200, "cookies", "", map[string]any{"Form": cookieForm(chosen), "Saved": r.URL.Query().Get("saved") == "yes"})
}

// cookieChoice takes the answer to the cookie wall and leads back to the page
// that it stood on.
func (n *news) cookieChoice(w http.ResponseWriter, r *http.Request) {
	chosen := r.PostFormValue("choice")
	switch chosen {
	case "all", "necessary":
	case "own":
		for _, x := range cookieForm("") {
			if r.PostFormValue(x.Name) != "" {
				chosen += " " + x.Name
			}
		}
	default:
		http.Error(w, "Say which cookies you accept.", http.StatusBadRequest)
		return
	}
	n.visits.change(visitor(r), func(v *visit[reader]) {
		v.data.cookies = chosen
		v.reach("cookies_chosen")
	})
	back := r.PostFormValue("back")
	if !strings.HasPrefix(back, "/") || strings.HasPrefix(back, "//") || strings.Contains(back, `\`) {
		back = "/" // only to pages of our own
	}
	n.redirect(w, r, back)
}
