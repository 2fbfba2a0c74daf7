package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/persona"
	"understudy/projections/personas"
)

// personaForm is the form of a persona, with what it was when the form was made.
type personaForm struct {
	character
	All []facet
	// Values are what stands in the form, by the names of its fields.
	Values map[string]string
	// Others is what is not in it as in the persona, which somebody has changed meanwhile.
	Others []change
	// Preview is how the persona in the form differs from most.
	Preview []difference
	Sums    string
}

// change is a field that was changed.
type change struct{ Label, Mine, Now string }

func valuesOf(p character) map[string]string {
	values := map[string]string{"name": p.Name, "summary": p.Summary}
	if p.Summary == persona.Summarize(p.Facets) {
		values["summary"] = "" // which is told by the facets
	}
	for _, f := range facets {
		values[f.Name] = f.Of(p.Facets)
	}
	return values
}

// filled reads a form of a persona: its values, and the draft that they describe.
func filled(form url.Values) (values map[string]string, draft persona.Draft, faults map[string]string) {
	values = map[string]string{}
	for _, name := range []string{"name", "summary"} {
		values[name] = strings.TrimSpace(form.Get(name))
	}
	for _, f := range facets {
		values[f.Name] = strings.TrimSpace(form.Get(f.Name))
	}
	patch, faults := patchOf(nil, values)
	draft, err := persona.Draft{}.Merge(patch)
	if err != nil {
		faults[""] = err.Error()
	}
	return values, draft, faults
}

// patchOf is a JSON merge patch of what differs between what a form was made with and
// what stands in it. Faults are the numbers that are none.
func patchOf(before, after map[string]string) (patch json.RawMessage, faults map[string]string) {
	faults = map[string]string{}
	changes := map[string]any{}
	put := func(name string, value any) {
		into := changes
		if group, part, nested := strings.Cut(name, "."); nested {
			if changes[group] == nil {
				changes[group] = map[string]any{}
			}
			into, name = changes[group].(map[string]any), part
		}
		into[name] = value
	}
	for _, name := range []string{"name", "summary"} {
		if after[name] != before[name] {
			put(name, after[name])
			if after[name] == "" && name == "summary" {
				put(name, nil)
			}
		}
	}
	for _, f := range facets {
		was, is := before[f.Name], after[f.Name]
		if before == nil {
			was = f.Average()
		}
		switch {
		case is == was:
		case f.YesNo():
			put(f.Name, is != "")
		case is == "" || is == f.Average():
			put(f.Name, nil)
		case f.Words != nil:
			put(f.Name, is)
		default:
			number, err := strconv.ParseFloat(is, 64)
			if err != nil || number == 0 || f.Whole && number != float64(int(number)) {
				kind := "a number"
				if f.Whole {
					kind = "a whole number"
				}
				faults[f.Name] = fmt.Sprintf("This must be %s from %v to %v.", kind, f.Low, f.High)
				continue
			}
			put(f.Name, number)
		}
	}
	patch, err := json.Marshal(changes)
	if err != nil {
		faults[""] = err.Error() // texts and numbers can be marshalled, but for NaN
		patch = json.RawMessage("{}")
	}
	return patch, faults
}

func (d *Dashboard) newPersona(w http.ResponseWriter, r *http.Request, who service.Principal) {
	like := character{}
	if id := r.URL.Query().Get("like"); id != "" {
		var err error
		if like, who, err = d.character(r.Context(), who, id); err != nil {
			d.fail(w, r, err)
			return
		}
	}
	form := personaForm{character: character{}, Values: valuesOf(like)}
	form.Values["name"] = ""
	if like.ID == "" {
		form.Values["summary"] = ""
	}
	d.showForm(w, r, http.StatusOK, view{Title: "New persona", Who: &who}, form)
}

// showForm shows the form of a persona with the preview of who is in it.
func (d *Dashboard) showForm(w http.ResponseWriter, r *http.Request, status int, v view, form personaForm) {
	form.All = facets
	form.preview()
	v.Data = form
	d.show(w, r, status, "persona_form", v)
}

func (f *personaForm) preview() {
	patch, _ := patchOf(nil, f.Values)
	if draft, err := (persona.Draft{}).Merge(patch); err == nil && len(draft.Facets.Validate()) == 0 {
		f.Preview, f.Sums = differences(draft.Facets), persona.Summarize(draft.Facets)
	}
}

// previewPersona answers with how the persona in the form differs from most.
func (d *Dashboard) previewPersona(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	values, _, _ := filled(r.PostForm)
	form := personaForm{Values: values}
	form.preview()
	d.part(w, r, "persona_form", "preview", view{Who: &who, Data: form})
}

func (d *Dashboard) createPersona(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	values, draft, faults := filled(r.PostForm)
	var err error
	if len(faults) == 0 {
		var call service.Call
		id := ""
		if call, err = d.Team.CallOf(r.Context(), d.visit(r), who); err == nil {
			call, id, err = d.once(r, call, domain.PrefixPersona)
		}
		if err == nil {
			if _, err = d.Personas.CreatePersona(r.Context(), call, id, draft); err == nil {
				d.goOn(w, r, "/personas/"+id, draft.Name+" is there.")
				return
			}
		}
	}
	d.formAgain(w, r, view{Title: "New persona", Who: &who}, personaForm{Values: values}, faults, err)
}

// formAgain shows a form with what was wrong with it.
func (d *Dashboard) formAgain(w http.ResponseWriter, r *http.Request, v view, form personaForm, faults map[string]string, err error) {
	status := http.StatusUnprocessableEntity
	v.Alert = "Something has to be put right below."
	if err != nil {
		code, alert, _, ok := told(err)
		if !ok {
			d.fail(w, r, err)
			return
		}
		v.Alert = alert
		status, _ = d.Meaning(code)
		if refusal := (*domain.Error)(nil); errors.As(err, &refusal) {
			for _, f := range refusal.Fields {
				faults[f.Field] = capital(spaced(f.Message)) + "."
			}
		}
	}
	v.Faults = faults
	d.showForm(w, r, status, v, form)
}

func (d *Dashboard) editPersona(w http.ResponseWriter, r *http.Request, who service.Principal) {
	p, who, err := d.character(r.Context(), who, r.PathValue("id"))
	if err == nil && !p.Own {
		err = domain.Refuse(domain.CodeNotFound, "personas of packs cannot be changed; make one like them")
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.showForm(w, r, http.StatusOK, view{Title: "Change " + p.Name, Who: &who}, personaForm{character: p, Values: valuesOf(p)})
}

// changePersona changes what differs, of the persona that the form was made with: what
// others have made of it meanwhile is told first.
func (d *Dashboard) changePersona(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	p, who, err := d.character(r.Context(), who, r.PathValue("id"))
	if err != nil {
		d.fail(w, r, err)
		return
	}
	values, _, _ := filled(r.PostForm)
	form, v := personaForm{character: p, Values: values}, view{Title: "Change " + p.Name, Who: &who}
	patch, faults := patchOf(valuesOf(p), values)
	seen, err := strconv.ParseUint(r.PostFormValue("revision"), 10, 64)
	if err == nil && seen != p.Revision {
		d.changedMeanwhile(w, r, v, form)
		return
	}
	if len(faults) == 0 {
		var call service.Call
		if call, err = d.Team.CallOf(r.Context(), d.visit(r), who); err == nil {
			call.Seen = []uint64{p.Revision}
			if _, err = d.Personas.ChangePersona(r.Context(), call, p.ID, patch); err == nil {
				d.goOn(w, r, "/personas/"+p.ID, values["name"]+" is changed. Tests that have used them keep them as they were.")
				return
			}
		}
	}
	if domain.CodeOf(err) == domain.CodeChanged {
		if form.character, _, err = d.character(r.Context(), who, p.ID); err == nil {
			d.changedMeanwhile(w, r, v, form)
			return
		}
	}
	d.formAgain(w, r, v, form, faults, err)
}

// changedMeanwhile shows what somebody fills in beside what others have made of the
// persona. What they then save is meant for that.
func (d *Dashboard) changedMeanwhile(w http.ResponseWriter, r *http.Request, v view, form personaForm) {
	now := valuesOf(form.character)
	add := func(label, mine, theirs string) {
		if mine != theirs {
			form.Others = append(form.Others, change{label, mine, theirs})
		}
	}
	add("Name", form.Values["name"], now["name"])
	add("Summary", form.Values["summary"], now["summary"])
	for _, f := range facets {
		add(f.Label, f.Says(form.Values[f.Name]), f.Says(now[f.Name]))
	}
	v.Alert = "Somebody has changed this persona since you opened it. Nothing of yours is lost and nothing is saved yet: look at what differs, then save once more."
	d.showForm(w, r, http.StatusConflict, v, form)
}

func (d *Dashboard) deletePersona(w http.ResponseWriter, r *http.Request, who service.Principal) {
	p, who, err := d.character(r.Context(), who, r.PathValue("id"))
	if err == nil {
		var call service.Call
		if call, err = d.Team.CallOf(r.Context(), d.visit(r), who); err == nil {
			err = d.Personas.DeletePersona(r.Context(), call, p.ID)
		}
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.goOn(w, r, "/personas?deleted="+p.ID, "")
}

// restorePersona makes a persona again as it was before it was deleted, under a new id.
func (d *Dashboard) restorePersona(w http.ResponseWriter, r *http.Request, who service.Principal) {
	who, was, err := inEither(who, func(p service.Principal) (personas.Document, error) {
		return d.Personas.PersonaBefore(r.Context(), p, r.PathValue("id"))
	})
	id := ""
	if err == nil {
		id, err = d.Once(r.Context(), who, "restore "+r.PathValue("id"), newID(domain.PrefixPersona))
	}
	if err == nil {
		patch, _ := patchOf(nil, valuesOf(character{Name: was.Name, Summary: was.Summary, Facets: was.Facets}))
		var draft persona.Draft
		var call service.Call
		if draft, err = draft.Merge(patch); err == nil {
			if call, err = d.Team.CallOf(r.Context(), d.visit(r), who); err == nil {
				_, err = d.Personas.CreatePersona(r.Context(), call, id, draft)
			}
		}
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.goOn(w, r, "/personas/"+id, was.Name+" is back, with a new id.")
}
