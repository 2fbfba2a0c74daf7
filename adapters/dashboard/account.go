package dashboard

import (
	"net/http"

	"understudy/adapters/service"
)

// ownRoutes are the pages of who somebody is.
func (d *Dashboard) ownRoutes() map[string]signedIn {
	return map[string]signedIn{
		"POST /sign-out": d.signOut, "POST /environment": d.chooseEnvironment,
		"GET /account": d.account, "POST /account/sessions/{id}/end": d.endSession, "POST /account/organization": d.chooseOrganization,
		"GET /account/password": d.passwordPage, "POST /account/password": d.changePassword, "POST /invitation/join": d.join,
		"GET /account/erase": d.erasePage, "POST /account/erase": d.erase,
		"GET /account/factor": d.factorPage, "GET /account/factor/picture": d.factorPicture,
		"POST /account/factor": d.enableFactor, "POST /account/factor/end": d.disableFactor,
		"POST /account/grants/{id}/revoke": d.revokeGrant,
	}
}

// home is where people come to who have signed in.
func (d *Dashboard) home(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if who.OrganizationID == "" {
		d.organization(w, r, who)
		return
	}
	http.Redirect(w, r, "/tests", http.StatusSeeOther)
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
	d.show(w, r, http.StatusOK, "account", view{Title: "Your account", Who: &who, Data: accountPage{profile, homes, sessions, granted}})
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
