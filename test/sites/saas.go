package sites

import (
	"net/http"
	"strings"
)

// The account that anyone may log in to.
const (
	demoEmail    = "demo@tidewater.example"
	demoPassword = "tideline-demo"
)

// account is what a visit has made of the site: its sign-up and whether it is
// logged in.
type account struct {
	email, password, plan string
	loggedIn              string // email, "" when logged out
}

type saas struct {
	*chassis
	visits *memory[account]
}

// saasChrome is on every page of the site.
type saasChrome struct{ LoggedIn string }

type plan struct {
	ID, Name, Month, Year, For string
	Points                     []string
	Recommended                bool
}

var plans = []plan{
	{"cove", "Cove", "£9", "£7", "Sole traders", []string{"1 bank account", "6-week forecast", "Email reminders"}, false},
	{"harbour", "Harbour", "£24", "£19", "Growing shops and studios", []string{"5 bank accounts", "12-month forecast", "What-if scenarios", "Share with your accountant"}, true},
	{"ocean", "Ocean", "£59", "£49", "Finance teams", []string{"Unlimited accounts", "Several companies", "Approval rules", "Telephone support"}, false},
}

func newSaaS(base string) *saas {
	s := &saas{visits: newMemory[account](maxVisits)}
	s.chassis = newChassis(SaaS, base, s.visits.truth)
	for path, page := range map[string]string{
		"/{$}": "home", "/features": "features", "/about": "about", "/privacy": "privacy", "/terms": "terms",
		"/docs": "docs", "/docs/start": "docs-start", "/docs/import": "docs-import", "/docs/scenarios": "docs-scenarios",
	} {
		s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if page == "docs-import" {
				s.visits.reach(visitor(r), "import_guide_read")
			}
			s.page(w, r, 200, page, nil)
		})
	}
	s.mux.HandleFunc("GET /pricing", s.pricing)
	s.mux.HandleFunc("GET /signup", func(w http.ResponseWriter, r *http.Request) {
		f := signUpForm()
		f.Get("plan").Value = r.URL.Query().Get("plan")
		s.page(w, r, 200, "signup", f)
	})
	s.mux.HandleFunc("POST /signup", s.signUp)
	s.mux.HandleFunc("GET /welcome", s.welcome)
	s.mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) { s.page(w, r, 200, "login", loginForm()) })
	s.mux.HandleFunc("POST /login", s.logIn)
	s.mux.HandleFunc("POST /logout", s.logOut)
	s.mux.HandleFunc("GET /account", s.account)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.page(w, r, 404, "notfound", nil) })
	return s
}

func (s *saas) page(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var c saasChrome
	s.visits.look(visitor(r), func(v *visit[account]) { c.LoggedIn = v.data.loggedIn })
	s.render(w, r, status, name, c, data)
}

func (s *saas) pricing(w http.ResponseWriter, r *http.Request) {
	s.visits.reach(visitor(r), "pricing_seen")
	s.page(w, r, 200, "pricing", plans)
}

func signUpForm() form {
	f := form{
		{Name: "email", Label: "Work email", Type: "email", Autocomplete: "email", missing: "Enter your work email", rule: emailRule},
		{Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password", Hint: "At least 8 characters.", missing: "Choose a password", rule: atLeast(8, "Choose a password of at least 8 characters")},
		{Name: "plan", Label: "Plan", Type: "select", Hint: "Free for 30 days, whichever you choose.", missing: "Choose a plan"},
		{Name: "terms", Label: "I agree to the terms and the privacy policy", Type: "checkbox", missing: "Agree to the terms to create your account"},
	}
	for _, p := range plans {
		f[2].Options = append(f[2].Options, option{p.ID, p.Name + ", " + p.Month + " a month after the trial", ""})
	}
	return f
}

func (s *saas) signUp(w http.ResponseWriter, r *http.Request) {
	f := signUpForm()
	if !f.read(r) {
		s.page(w, r, http.StatusUnprocessableEntity, "signup", f)
		return
	}
	s.visits.change(visitor(r), func(v *visit[account]) {
		v.data.email, v.data.password = strings.ToLower(f.Get("email").Value), f.Get("password").Value
		v.data.plan, v.data.loggedIn = f.Get("plan").Value, v.data.email
		v.reach("signed_up")
	})
	s.redirect(w, r, "/welcome")
}

func (s *saas) welcome(w http.ResponseWriter, r *http.Request) {
	var a account
	s.visits.look(visitor(r), func(v *visit[account]) { a = v.data })
	if a.email == "" {
		s.redirect(w, r, "/signup")
		return
	}
	for _, p := range plans {
		if p.ID == a.plan {
			s.page(w, r, 200, "welcome", map[string]any{"Email": a.email, "Plan": p})
			return
		}
	}
}

func loginForm() form {
	return form{
		{Name: "email", Label: "Email", Type: "email", Autocomplete: "username", missing: "Enter your email", rule: emailRule},
		{Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password", missing: "Enter your password"},
	}
}

func (s *saas) logIn(w http.ResponseWriter, r *http.Request) {
	f := loginForm()
	ok := f.read(r)
	if ok {
		email, password := strings.ToLower(f.Get("email").Value), f.Get("password").Value
		s.visits.change(visitor(r), func(v *visit[account]) {
			ok = email == demoEmail && password == demoPassword ||
				email == v.data.email && password == v.data.password
			if ok {
				v.data.loggedIn = email
				v.reach("logged_in")
			}
		})
		if !ok {
			f.Get("password").Error = "This email and password do not belong together"
		}
	}
	if !ok {
		s.page(w, r, http.StatusUnprocessableEntity, "login", f)
		return
	}
	s.redirect(w, r, "/account")
}

func (s *saas) logOut(w http.ResponseWriter, r *http.Request) {
	s.visits.change(visitor(r), func(v *visit[account]) { v.data.loggedIn = "" })
	s.redirect(w, r, "/")
}

func (s *saas) account(w http.ResponseWriter, r *http.Request) {
	var email string
	s.visits.look(visitor(r), func(v *visit[account]) { email = v.data.loggedIn })
	if email == "" {
		s.redirect(w, r, "/login")
		return
	}
	s.page(w, r, 200, "account", email)
}
