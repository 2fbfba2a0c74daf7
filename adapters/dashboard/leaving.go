package dashboard

import (
	"context"
	"net/http"

	"understudy/adapters/service"
)

// Leaving is the use cases of what ends for good.
type Leaving interface {
	DeleteOrganization(ctx context.Context, call service.Call, name string) error
	Erase(ctx context.Context, v service.Visit, who service.Principal, password string) error
}

func (d *Dashboard) erasePage(w http.ResponseWriter, r *http.Request, who service.Principal) {
	d.show(w, r, http.StatusOK, "erase", view{Title: "Erase your account", Who: &who})
}

func (d *Dashboard) erase(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	if err := d.Leaving.Erase(r.Context(), d.visit(r), who, r.PostFormValue("password")); err != nil {
		d.again(w, r, "erase", view{Title: "Erase your account", Who: &who}, err)
		return
	}
	d.gone(w, r, "Your account is erased.")
}

// gone is the end of who was signed in.
func (d *Dashboard) gone(w http.ResponseWriter, r *http.Request, note string) {
	if err := d.fresh(r.Context()); err != nil {
		d.fail(w, r, err)
		return
	}
	d.goOn(w, r, "/sign-in", note)
}

// current is the name of the organization that somebody sees.
func (d *Dashboard) current(ctx context.Context, who service.Principal) (string, error) {
	homes, err := d.Accounts.Homes(ctx, who)
	for _, h := range homes {
		if h.Current {
			return h.Name, err
		}
	}
	return "", err
}

func (d *Dashboard) deletePage(w http.ResponseWriter, r *http.Request, who service.Principal) {
	name, err := d.current(r.Context(), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "delete", view{Title: "Delete the organization", Who: &who, Data: name})
}

func (d *Dashboard) deleteOrganization(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	name, err := d.current(r.Context(), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	call, err := d.Team.CallOf(r.Context(), d.visit(r), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if err := d.Leaving.DeleteOrganization(r.Context(), call, r.PostFormValue("organization")); err != nil {
		d.again(w, r, "delete", view{Title: "Delete the organization", Who: &who, Data: name}, err)
		return
	}
	d.gone(w, r, "The organization is deleted.")
}
