package dashboard

import (
	"context"
	"encoding/json"
	"net/http"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/persona"
	"understudy/projections"
	"understudy/projections/personas"
)

// Personas is the use cases of who walks pages.
type Personas interface {
	PersonaPacks() []service.Pack
	Personas(ctx context.Context, p service.Principal, q service.Query) (service.Page[personas.Document], error)
	Persona(ctx context.Context, p service.Principal, id string) (projections.Document[personas.Document], error)
	PersonaBefore(ctx context.Context, p service.Principal, id string) (personas.Document, error)
	CreatePersona(ctx context.Context, call service.Call, personaID string, draft persona.Draft) (projections.Document[personas.Document], error)
	ChangePersona(ctx context.Context, call service.Call, personaID string, patch json.RawMessage) (projections.Document[personas.Document], error)
	DeletePersona(ctx context.Context, call service.Call, personaID string) error
}

// personaRoutes are the pages of personas and packs.
func (d *Dashboard) personaRoutes() map[string]signedIn {
	return map[string]signedIn{
		"GET /personas": d.personas, "GET /packs": d.personas, "GET /packs/{pack}": d.pack, "GET /personas/{id}": d.persona,
		"GET /personas/new": d.withScope(access.PersonasWrite, d.newPersona), "POST /personas": d.withScope(access.PersonasWrite, d.createPersona),
		"POST /personas/preview":  d.previewPersona,
		"GET /personas/{id}/edit": d.withScope(access.PersonasWrite, d.editPersona), "POST /personas/{id}": d.withScope(access.PersonasWrite, d.changePersona),
		"POST /personas/{id}/delete": d.withScope(access.PersonasWrite, d.deletePersona), "POST /personas/{id}/restore": d.withScope(access.PersonasWrite, d.restorePersona),
	}
}

// character is a persona as pages show it.
type character struct {
	ID, Name, Summary string
	Differs           []difference
	persona.Facets
	// Own: it is the organization's own, at a revision.
	Own      bool
	Revision uint64
	Created  string
	// Pack is the one that it is of, Slug its name in addresses.
	Pack, Slug string
}

// personasPage is an organization's own personas and all packs. Deleted is one that has
// just been deleted and can be had back.
type personasPage struct {
	Own     []character
	Next    string
	Packs   []packView
	Deleted *character
}

// packView is a pack with who is in it.
type packView struct {
	service.Pack
	People []character
}

func packViews(packs []service.Pack) (out []packView) {
	for _, p := range packs {
		v := packView{Pack: p}
		for _, s := range p.Personas {
			v.People = append(v.People, character{ID: s.ID, Name: s.Name, Summary: s.Summary, Facets: s.Facets(), Differs: differences(s.Facets()), Pack: p.Name, Slug: p.Slug})
		}
		out = append(out, v)
	}
	return out
}

func own(doc projections.Document[personas.Document]) (character, error) {
	p, err := doc.Decode()
	return character{
		ID: p.ID, Name: p.Name, Summary: p.Summary, Facets: p.Facets, Differs: differences(p.Facets), Own: true, Revision: doc.Revision, Created: p.CreatedAt.String(),
	}, err
}

func (d *Dashboard) personas(w http.ResponseWriter, r *http.Request, who service.Principal) {
	query := r.URL.Query()
	listed, err := d.Personas.Personas(r.Context(), who, service.Query{Limit: shown, After: query.Get("after")})
	if err != nil {
		d.fail(w, r, err)
		return
	}
	page := personasPage{Next: listed.Next, Packs: packViews(d.Personas.PersonaPacks())}
	for _, doc := range listed.Items {
		p, err := own(doc)
		if err != nil {
			d.fail(w, r, err)
			return
		}
		page.Own = append(page.Own, p)
	}
	if id := query.Get("deleted"); domain.ValidID(domain.PrefixPersona, id) && access.Allows(who.Scopes, access.PersonasWrite) {
		if gone, err := d.Personas.PersonaBefore(r.Context(), who, id); err == nil {
			page.Deleted = &character{ID: id, Name: gone.Name}
		}
	}
	d.show(w, r, http.StatusOK, "personas", view{Title: "Personas", Who: &who, Data: page})
}

func (d *Dashboard) pack(w http.ResponseWriter, r *http.Request, who service.Principal) {
	for _, p := range packViews(d.Personas.PersonaPacks()) {
		if name := r.PathValue("pack"); p.Slug == name || p.ID == name {
			d.show(w, r, http.StatusOK, "pack", view{Title: p.Name, Who: &who, Data: p})
			return
		}
	}
	d.fail(w, r, domain.Refuse(domain.CodeNotFound, "there is no such pack"))
}

// character is one of the organization's personas, or of a pack's, and as whom it is seen.
func (d *Dashboard) character(ctx context.Context, who service.Principal, id string) (found character, seen service.Principal, err error) {
	for _, pack := range packViews(d.Personas.PersonaPacks()) {
		for _, p := range pack.People {
			if p.ID == id {
				return p, who, nil
			}
		}
	}
	if !domain.ValidID(domain.PrefixPersona, id) {
		return found, who, domain.Refuse(domain.CodeNotFound, "there is no such persona")
	}
	seen, found, err = inEither(who, func(p service.Principal) (character, error) {
		doc, err := d.Personas.Persona(ctx, p, id)
		if err != nil {
			return character{}, err
		}
		return own(doc)
	})
	return found, seen, err
}

// personaPage is a persona with all facets.
type personaPage struct {
	character
	All []facet
}

func (d *Dashboard) persona(w http.ResponseWriter, r *http.Request, who service.Principal) {
	p, who, err := d.character(r.Context(), who, r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "persona", view{Title: p.Name, Who: &who, Data: personaPage{p, facets}})
}
