package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
)

// signedIn is a page for who is signed in.
type signedIn func(w http.ResponseWriter, r *http.Request, who service.Principal)

// withWho lets people through who are signed in; others sign in first and come back.
func (d *Dashboard) withWho(next signedIn) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, err := d.who(r.Context())
		if errors.Is(err, service.ErrUnauthenticated) {
			d.sessions.Remove(r.Context(), keySession)
			to := "/sign-in"
			if r.Method == http.MethodGet && r.URL.Path != "/" {
				to += "?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
			}
			d.goOn(w, r, to, "")
			return
		}
		if err != nil {
			d.fail(w, r, err)
			return
		}
		next(w, r, who)
	}
}

// only lets people through whose role has a permission.
func (d *Dashboard) only(p access.Permission, next signedIn) signedIn {
	return func(w http.ResponseWriter, r *http.Request, who service.Principal) {
		if !who.Role.May(p) {
			d.fail(w, r, domain.Refuse(domain.CodeForbidden, "your role in the organization does not permit this"))
			return
		}
		next(w, r, who)
	}
}

func (d *Dashboard) signUpPage(w http.ResponseWriter, r *http.Request) {
	if d.Invited {
		d.show(w, r, http.StatusOK, "message", view{Title: "By invitation", Note: "People join this installation by invitation only: ask somebody who is here. The mail that you then get has the link."})
		return
	}
	d.show(w, r, http.StatusOK, "sign_up", view{Title: "Sign up"})
}

func (d *Dashboard) signUp(w http.ResponseWriter, r *http.Request) {
	if !d.form(w, r) {
		return
	}
	in := service.NewPerson{Name: r.PostFormValue("name"), Email: r.PostFormValue("email"), Password: r.PostFormValue("password")}
	if err := d.Door.SignUp(r.Context(), d.visit(r), in); err != nil {
		d.again(w, r, "sign_up", view{Title: "Sign up"}, err)
		return
	}
	d.show(w, r, http.StatusOK, "message", view{
		Title: "Look into your mail",
		Note:  "We have sent a link to " + in.Email + ". It works for 24 hours. Nothing there? Look among unwanted mail, or sign up once more.",
	})
}

func (d *Dashboard) verifyPage(w http.ResponseWriter, r *http.Request) {
	d.show(w, r, http.StatusOK, "verify", view{Title: "Confirm your address", Form: r.URL.Query()})
}

func (d *Dashboard) verify(w http.ResponseWriter, r *http.Request) {
	if !d.form(w, r) {
		return
	}
	entry, err := d.Door.Verify(r.Context(), d.visit(r), r.PostFormValue("token"), r.PostFormValue("password"))
	if err != nil {
		d.again(w, r, "verify", view{Title: "Confirm your address"}, err)
		return
	}
	d.enter(w, r, entry, "/", "Your address is confirmed, and you are signed in.")
}

func (d *Dashboard) signInPage(w http.ResponseWriter, r *http.Request) {
	if _, err := d.who(r.Context()); err == nil {
		d.goOn(w, r, "/", "")
		return
	}
	d.show(w, r, http.StatusOK, "sign_in", view{Title: "Sign in", Form: r.URL.Query(), Data: d.Invited})
}

func (d *Dashboard) signIn(w http.ResponseWriter, r *http.Request) {
	if !d.form(w, r) {
		return
	}
	entry, err := d.Door.SignIn(r.Context(), d.visit(r), r.PostFormValue("email"), r.PostFormValue("password"))
	if err != nil {
		d.again(w, r, "sign_in", view{Title: "Sign in", Data: d.Invited}, err)
		return
	}
	if entry.SessionID == "" {
		d.askForCode(w, r, entry, local(r.PostFormValue("next")))
		return
	}
	d.enter(w, r, entry, local(r.PostFormValue("next")), "")
}

// enter gives the browser a session under a new token, so that nobody can have
// planted the one it is known by.
func (d *Dashboard) enter(w http.ResponseWriter, r *http.Request, entry service.Entry, to, note string) {
	if err := d.fresh(r.Context()); err != nil {
		d.fail(w, r, err)
		return
	}
	d.sessions.Put(r.Context(), keySession, entry.SessionID)
	if to == "" {
		to = "/"
	}
	d.goOn(w, r, to, note)
}

// fresh forgets what the browser's session had and gives it another token.
func (d *Dashboard) fresh(ctx context.Context) error {
	return errors.Join(d.sessions.Clear(ctx), d.sessions.RenewToken(ctx))
}

func (d *Dashboard) signOut(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if err := d.Door.SignOut(r.Context(), d.visit(r), who); err != nil {
		d.fail(w, r, err)
		return
	}
	if err := d.fresh(r.Context()); err != nil {
		d.fail(w, r, err)
		return
	}
	d.goOn(w, r, "/sign-in", "You are signed out.")
}
