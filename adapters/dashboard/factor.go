package dashboard

import (
	"context"
	"net/http"

	"understudy/adapters/service"
)

// Factors is the use cases of second factors.
type Factors interface {
	NewFactor(ctx context.Context, who service.Principal, secret string) (service.NewFactor, error)
	EnableFactor(ctx context.Context, v service.Visit, who service.Principal, secret, code string) ([]string, error)
	DisableFactor(ctx context.Context, v service.Visit, who service.Principal, password string) error
	SignInWithFactor(ctx context.Context, v service.Visit, userID, checked, code string) (service.Entry, error)
}

// What the browser's session remembers between the password and the code, and while
// a second factor is set up.
const (
	keyPendingUser, keyPendingHash, keyPendingNext = "pending_user", "pending_hash", "pending_next"
	keyFactor                                      = "factor"
)

// askForCode remembers whose password was right, and asks for the code.
func (d *Dashboard) askForCode(w http.ResponseWriter, r *http.Request, entry service.Entry, next string) {
	ctx := r.Context()
	if err := d.fresh(ctx); err != nil {
		d.fail(w, r, err)
		return
	}
	userID, checked := entry.Pending()
	d.sessions.Put(ctx, keyPendingUser, userID)
	d.sessions.Put(ctx, keyPendingHash, checked)
	d.sessions.Put(ctx, keyPendingNext, next)
	d.goOn(w, r, "/sign-in/code", "")
}

func (d *Dashboard) codePage(w http.ResponseWriter, r *http.Request) {
	if d.sessions.GetString(r.Context(), keyPendingUser) == "" {
		d.goOn(w, r, "/sign-in", "")
		return
	}
	d.show(w, r, http.StatusOK, "code", view{Title: "Enter your code"})
}

func (d *Dashboard) code(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	userID, checked, next := d.sessions.GetString(ctx, keyPendingUser), d.sessions.GetString(ctx, keyPendingHash), d.sessions.GetString(ctx, keyPendingNext)
	if userID == "" {
		d.goOn(w, r, "/sign-in", "")
		return
	}
	if !d.form(w, r) {
		return
	}
	entry, err := d.Factors.SignInWithFactor(ctx, d.visit(r), userID, checked, r.PostFormValue("code"))
	if err != nil {
		d.again(w, r, "code", view{Title: "Enter your code"}, err)
		return
	}
	d.enter(w, r, entry, next, "")
}

func (d *Dashboard) factorPage(w http.ResponseWriter, r *http.Request, who service.Principal) {
	profile, err := d.Accounts.Profile(r.Context(), who.UserID)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if profile.Factor {
		d.show(w, r, http.StatusOK, "factor_off", view{Title: "Second factor", Who: &who})
		return
	}
	d.setUp(w, r, who, nil)
}

// setUp shows a new factor, with what went wrong at confirming it.
func (d *Dashboard) setUp(w http.ResponseWriter, r *http.Request, who service.Principal, wrong error) {
	factor, err := d.Factors.NewFactor(r.Context(), who, d.sessions.GetString(r.Context(), keyFactor))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.sessions.Put(r.Context(), keyFactor, factor.Secret)
	v := view{Title: "Set up a second factor", Who: &who, Data: factor}
	if wrong != nil {
		d.again(w, r, "factor", v, wrong)
		return
	}
	d.show(w, r, http.StatusOK, "factor", v)
}

// factorPicture is the code to scan, of the factor that is being set up.
func (d *Dashboard) factorPicture(w http.ResponseWriter, r *http.Request, who service.Principal) {
	secret := d.sessions.GetString(r.Context(), keyFactor)
	if secret == "" {
		http.NotFound(w, r)
		return
	}
	factor, err := d.Factors.NewFactor(r.Context(), who, secret)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(factor.QR)
}

func (d *Dashboard) enableFactor(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	codes, err := d.Factors.EnableFactor(r.Context(), d.visit(r), who, d.sessions.GetString(r.Context(), keyFactor), r.PostFormValue("code"))
	if err != nil {
		d.setUp(w, r, who, err)
		return
	}
	d.sessions.Remove(r.Context(), keyFactor)
	d.show(w, r, http.StatusOK, "codes", view{Title: "Keep your recovery codes", Who: &who, Data: codes, Note: "The second factor is set up. Your other sessions have ended."})
}

func (d *Dashboard) disableFactor(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	if err := d.Factors.DisableFactor(r.Context(), d.visit(r), who, r.PostFormValue("password")); err != nil {
		d.again(w, r, "factor_off", view{Title: "Second factor", Who: &who}, err)
		return
	}
	d.goOn(w, r, "/account", "The password alone is enough again.")
}
