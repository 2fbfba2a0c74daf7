package demosite

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/mail"
	"path"
	"strings"
	"unicode/utf8"
)

// Task is what a visitor is sent to do, and SuccessText the words that the
// page shows once it is done.
const (
	Task        = "Subscribe to a monthly delivery of coffee"
	SuccessText = "Your first bag is on its way"
)

// Bounds of a posted form: the whole body in bytes, one answer in characters.
const (
	maxBody   = 16 << 10
	maxAnswer = 200
)

// "all:" because layouts and partials begin with an underscore.
//
//go:embed all:web
var web embed.FS

// plan is a subscription; Bags a month.
type plan struct {
	ID, Name, Price, Every, Bags, For string
	Best                              bool
}

var plans = []plan{
	{"taster", "Taster", "£9", "a month", "One 250 g bag", "A different single origin every month", false},
	{"monthly", "Harbour Monthly", "£16", "a month", "Two 250 g bags", "House blend and the roast of the month", true},
	{"crew", "Whole Crew", "£29", "a month", "Four 250 g bags", "For offices and large breakfasts", false},
}

var grinds = []string{"Whole beans", "Espresso", "Moka pot", "Filter", "Cafetière"}

// question of the FAQ.
type question struct{ Question, Answer string }

var questions = []question{
	{"When will my coffee arrive?", "We roast on Mondays and post on Tuesdays. Your bag is with you by Thursday, anywhere in the United Kingdom."},
	{"Can I pause or cancel?", "At any time, until the Sunday before a roast. Answer any of our emails with the word “pause” or “stop”."},
	{"Do I pay now?", "No. An invoice comes with the first bag, and nothing is due until you have tasted it."},
	{"Is the packaging recyclable?", "The bag is paper inside and out, and the label comes off in water."},
	{"Do you roast decaf?", "Yes, a sugar-cane decaf from Huila. Write “decaf, please” in the note on the form."},
}

// answers are what the subscription form was sent with.
type answers struct{ Plan, Grind, Name, Email, Address, Postcode, Note string }

// page is what every template sees.
type page struct {
	Path   string
	Plans  []plan
	Chosen plan
	Grinds []string
	FAQ    []question
	Form   answers
	Error  string
}

// Handler serves the site at the root of a server.
func Handler() http.Handler {
	s := site{}
	for _, name := range []string{"home", "plans", "subscribe", "welcome", "about", "contact", "faq", "notfound"} {
		s[name] = template.Must(template.ParseFS(web, "web/_*.html", "web/"+name+".html"))
	}
	mux := http.NewServeMux()
	for route, name := range map[string]string{"/{$}": "home", "/plans": "plans", "/about": "about", "/contact": "contact", "/faq": "faq"} {
		mux.HandleFunc("GET "+route, func(w http.ResponseWriter, r *http.Request) { s.show(w, r, 200, name, page{}) })
	}
	mux.HandleFunc("GET /subscribe", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, r, 200, "subscribe", page{Form: answers{Plan: planOf(r.URL.Query().Get("plan")).ID}})
	})
	mux.HandleFunc("POST /subscribe", s.subscribe)
	mux.HandleFunc("GET /welcome", func(w http.ResponseWriter, r *http.Request) {
		p := planOf(r.URL.Query().Get("plan"))
		if p.ID == "" {
			http.Redirect(w, r, "/plans", http.StatusSeeOther)
			return
		}
		s.show(w, r, 200, "welcome", page{Chosen: p})
	})
	for _, asset := range []string{"style.css", "site.js"} {
		mux.HandleFunc("GET /"+asset, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, web, path.Join("web", asset))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.show(w, r, 404, "notfound", page{}) })
	return mux
}

type site map[string]*template.Template

func (s site) show(w http.ResponseWriter, r *http.Request, status int, name string, p page) {
	p.Path, p.Plans, p.Grinds, p.FAQ = r.URL.Path, plans, grinds, questions
	var b bytes.Buffer
	if err := s[name].ExecuteTemplate(&b, "layout", p); err != nil {
		http.Error(w, "template "+name+": "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a failed write means that the client has gone
}

func (s site) subscribe(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	a := answers{
		Plan: answer(r, "plan"), Grind: answer(r, "grind"), Name: answer(r, "name"), Email: answer(r, "email"),
		Address: answer(r, "address"), Postcode: answer(r, "postcode"), Note: answer(r, "note"),
	}
	if complaint := a.complaint(); complaint != "" {
		s.show(w, r, http.StatusUnprocessableEntity, "subscribe", page{Form: a, Error: complaint})
		return
	}
	http.Redirect(w, r, "/welcome?plan="+a.Plan, http.StatusSeeOther)
}

func answer(r *http.Request, name string) string {
	s := strings.TrimSpace(r.PostFormValue(name))
	if utf8.RuneCountInString(s) > maxAnswer {
		s = string([]rune(s)[:maxAnswer])
	}
	return s
}

// complaint is the first thing wrong with the answers, "" when they will do.
func (a answers) complaint() string {
	email, err := mail.ParseAddress(a.Email)
	switch {
	case planOf(a.Plan).ID == "":
		return "Please choose a plan."
	case a.Grind == "":
		return "Please say how we should grind it."
	case a.Name == "":
		return "Please tell us your name."
	case err != nil || email.Address != a.Email:
		return "Please give us an email address like name@example.com."
	case a.Address == "" || len(a.Postcode) < 3:
		return "Please give us your address and your postcode."
	}
	return ""
}

func planOf(id string) plan {
	for _, p := range plans {
		if p.ID == id {
			return p
		}
	}
	return plan{}
}
