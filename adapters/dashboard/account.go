package dashboard

import (
	"net/http"

	"understudy/adapters/service"
)

func (d *Dashboard) home(w http.ResponseWriter, r *http.Request, who service.Principal) {
	homes, err := d.Accounts.Homes(r.Context(), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, homeTemplate, view{Title: "Your organization", Who: &who, Data: homes})
}

// accountPage is what the account shows.
type accountPage struct {
	Profile  service.Profile
	Homes    []service.Home
	Sessions []service.BrowserSession
	Grants   []service.GrantDocument
}

func (d *Dashboard) account(w http.ResponseWriter, r *http.Request, who service.Principal) {
	profile, err := d.Accounts.Profile(r.Context(), who.UserID)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	homes, err := d.Accounts.Homes(r.Context(), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	sessions, err := d.Accounts.BrowserSessions(r.Context(), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	granted, err := d.granted(r.Context(), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, accountTemplate, view{Title: "Your account", Who: &who, Data: accountPage{profile, homes, sessions, granted}})
}

func (d *Dashboard) endSession(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if err := d.Accounts.EndSession(r.Context(), d.visit(r), who, r.PathValue("id")); err != nil {
		d.fail(w, r, err)
		return
	}
	d.goOn(w, r, "/account", "That session has ended.")
}

func (d *Dashboard) chooseOrganization(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	if err := d.Accounts.ChooseOrganization(r.Context(), d.visit(r), who, r.PostFormValue("organization")); err != nil {
		d.fail(w, r, err)
		return
	}
	d.goOn(w, r, "/", "You now see that organization.")
}
