package dashboard

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/projections"
)

// Clients is the use cases of applications that act for people.
type Clients interface {
	Clients(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.ClientDocument], error)
	Client(ctx context.Context, p service.Principal, id string) (projections.Document[service.ClientDocument], error)
	RegisterClient(ctx context.Context, call service.Call, clientID string, in service.NewClient) (projections.Document[service.ClientDocument], error)
	ChangeClient(ctx context.Context, call service.Call, clientID string, name *string, redirectURIs []string) (projections.Document[service.ClientDocument], error)
	RotateClientSecret(ctx context.Context, call service.Call, clientID string, overlap time.Duration) (projections.Document[service.ClientDocument], error)
	DeleteClient(ctx context.Context, call service.Call, clientID string) error
}

// clientsPage is a part of an organization's applications. Next is where the list goes on,
// "" at its end.
type clientsPage struct {
	Clients []service.ClientDocument
	Next    string
}

func (d *Dashboard) clientsView(ctx context.Context, who service.Principal, after string) (view, error) {
	listed, err := d.Clients.Clients(ctx, who, service.Query{Limit: shown, After: after})
	if err != nil {
		return view{}, err
	}
	all, err := decoded(listed)
	return view{Title: "Applications", Who: &who, Data: clientsPage{all, listed.Next}}, err
}

func (d *Dashboard) clients(w http.ResponseWriter, r *http.Request, who service.Principal) {
	v, err := d.clientsView(r.Context(), who, r.URL.Query().Get("after"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "clients", v)
}

func (d *Dashboard) client(w http.ResponseWriter, r *http.Request, who service.Principal) {
	d.showClient(w, r, who, "", nil)(d.Clients.Client(r.Context(), who, r.PathValue("id")))
}

// clientPage is an application at a revision.
type clientPage struct {
	service.ClientDocument
	Revision uint64
}

// showClient shows an application, with what went wrong with it.
func (d *Dashboard) showClient(w http.ResponseWriter, r *http.Request, who service.Principal, note string, wrong error) func(projections.Document[service.ClientDocument], error) {
	return func(doc projections.Document[service.ClientDocument], err error) {
		if err != nil {
			d.fail(w, r, err)
			return
		}
		c, err := doc.Decode()
		if err != nil {
			d.fail(w, r, err)
			return
		}
		v := view{Title: c.Name, Who: &who, Note: note, Data: clientPage{c, doc.Revision}}
		if wrong != nil {
			d.again(w, r, "client", v, wrong)
			return
		}
		d.show(w, r, http.StatusOK, "client", v)
	}
}

func (d *Dashboard) registerClient(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	in := service.NewClient{
		Name: strings.TrimSpace(r.PostFormValue("name")), Type: service.ConfidentialClient, RedirectURIs: strings.Fields(r.PostFormValue("redirect_uris")),
	}
	if r.PostFormValue("type") == string(service.PublicClient) {
		in.Type = service.PublicClient
	}
	call, err := d.Team.CallOf(r.Context(), d.visit(r), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	call, id, err := d.once(r, call, domain.PrefixClient)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	doc, err := d.Clients.RegisterClient(r.Context(), call, id, in)
	if d.madeBefore(w, r, "/clients/"+id, err) {
		return
	}
	if err == nil {
		d.showClient(w, r, who, "The application is registered.", nil)(doc, nil)
		return
	}
	v, viewErr := d.clientsView(r.Context(), who, "")
	if viewErr != nil {
		d.fail(w, r, err)
		return
	}
	d.again(w, r, "clients", v, err)
}

func (d *Dashboard) changeClient(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	call, err := d.Team.CallOf(r.Context(), d.visit(r), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	if seen, unread := strconv.ParseUint(r.PostFormValue("revision"), 10, 64); unread == nil {
		call.Seen = []uint64{seen}
	}
	id, name := r.PathValue("id"), strings.TrimSpace(r.PostFormValue("name"))
	if _, err = d.Clients.ChangeClient(r.Context(), call, id, &name, strings.Fields(r.PostFormValue("redirect_uris"))); err != nil {
		d.showClient(w, r, who, "", err)(d.Clients.Client(r.Context(), who, id))
		return
	}
	d.goOn(w, r, "/clients/"+id, "The application is changed. Its client ID and what people have allowed it stay.")
}

// overlaps are for how long the secret before may count, as the form names them.
var overlaps = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour}

func (d *Dashboard) rotateClient(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	call, err := d.Team.CallOf(r.Context(), d.visit(r), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	call, _, err = d.once(r, call, domain.PrefixClient)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	doc, err := d.Clients.RotateClientSecret(r.Context(), call, r.PathValue("id"), overlaps[r.PostFormValue("overlap")])
	if d.madeBefore(w, r, "/clients/"+r.PathValue("id"), err) {
		return
	}
	d.showClient(w, r, who, "The application has a new secret.", nil)(doc, err)
}

func (d *Dashboard) deleteClient(w http.ResponseWriter, r *http.Request, who service.Principal) {
	call, err := d.Team.CallOf(r.Context(), d.visit(r), who)
	if err == nil {
		err = d.Clients.DeleteClient(r.Context(), call, r.PathValue("id"))
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.goOn(w, r, "/clients", "The application is deleted. Nobody's tokens of it count any longer.")
}
