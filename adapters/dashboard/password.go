package dashboard

import (
	"context"
	"net/http"

	"understudy/adapters/service"
)

// Passwords is the use cases of other passwords.
type Passwords interface {
	Forgot(ctx context.Context, v service.Visit, email string) error
	Reset(ctx context.Context, v service.Visit, token, password string) error
	ChangePassword(ctx context.Context, v service.Visit, who service.Principal, current, password string) error
}

func (d *Dashboard) forgotPage(w http.ResponseWriter, r *http.Request) {
	d.show(w, r, http.StatusOK, "forgot", view{Title: "Choose another password"})
}

func (d *Dashboard) forgot(w http.ResponseWriter, r *http.Request) {
	if !d.form(w, r) {
		return
	}
	email := r.PostFormValue("email")
	if err := d.Passwords.Forgot(r.Context(), d.visit(r), email); err != nil {
		d.again(w, r, "forgot", view{Title: "Choose another password"}, err)
		return
	}
	d.show(w, r, http.StatusOK, "message", view{
		Title: "Look into your mail", Note: "If " + email + " has an account, a link is on its way there. It works for an hour.",
	})
}

func (d *Dashboard) resetPage(w http.ResponseWriter, r *http.Request) {
	d.show(w, r, http.StatusOK, "reset", view{Title: "Choose another password", Form: r.URL.Query()})
}

func (d *Dashboard) reset(w http.ResponseWriter, r *http.Request) {
	if !d.form(w, r) {
		return
	}
	if err := d.Passwords.Reset(r.Context(), d.visit(r), r.PostFormValue("token"), r.PostFormValue("password")); err != nil {
		d.again(w, r, "reset", view{Title: "Choose another password"}, err)
		return
	}
	d.goOn(w, r, "/sign-in", "Your password is changed, and all sessions have ended. Sign in with the new one.")
}

func (d *Dashboard) passwordPage(w http.ResponseWriter, r *http.Request, who service.Principal) {
	d.show(w, r, http.StatusOK, "password", view{Title: "Change your password", Who: &who})
}

func (d *Dashboard) changePassword(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	if err := d.Passwords.ChangePassword(r.Context(), d.visit(r), who, r.PostFormValue("current"), r.PostFormValue("password")); err != nil {
		d.again(w, r, "password", view{Title: "Change your password", Who: &who}, err)
		return
	}
	d.goOn(w, r, "/account", "Your password is changed. Your other sessions have ended.")
}
