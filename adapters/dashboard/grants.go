package dashboard

import (
	"context"
	"net/http"

	"understudy/adapters/service"
	"understudy/domain"
)

// Grants is the use cases of what people have allowed applications.
type Grants interface {
	Grants(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.GrantDocument], error)
	RevokeGrant(ctx context.Context, call service.Call, grantID string) error
}

// granted are what somebody has allowed applications in their organization, in either
// environment.
func (d *Dashboard) granted(ctx context.Context, who service.Principal) (out []service.GrantDocument, err error) {
	for _, env := range []domain.Environment{domain.Live, domain.Sandbox} {
		who.Environment = env
		page, err := d.Grants.Grants(ctx, who, service.Query{Limit: shown})
		if err != nil {
			return nil, err
		}
		documents, err := decoded(page)
		if err != nil {
			return nil, err
		}
		out = append(out, documents...)
	}
	return out, nil
}

func (d *Dashboard) revokeGrant(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	if r.PostFormValue("environment") == string(domain.Sandbox) {
		who.Environment = domain.Sandbox
	}
	call, err := d.Team.CallOf(r.Context(), d.visit(r), who)
	if err == nil {
		call.Meta.Environment = who.Environment
		err = d.Grants.RevokeGrant(r.Context(), call, r.PathValue("id"))
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.goOn(w, r, "/account", "That application can act for you no longer.")
}
