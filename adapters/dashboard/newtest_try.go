package dashboard

import (
	"net/http"
	"net/url"

	"understudy/adapters/service"
	"understudy/domain"
)

// tried is what conditions come to on the page as it is now.
type tried struct {
	service.TriedOut
	Wrongs  []wrongField
	Sandbox bool
}

// wrongField is a field with what is wrong with it.
type wrongField struct{ Name, Label, Fault string }

// Labels name what the conditions are about as the form does.
func (tried) Labels() map[string]string {
	return map[string]string{"address": "Address matches", "text": "Text can be seen", "selector": "Element can be seen", "request": "Request is answered with success"}
}

// All: every condition holds already.
func (t tried) All() bool {
	for _, c := range t.Conditions {
		if !c.Holds {
			return false
		}
	}
	return len(t.Conditions) > 0
}

// tryOut shows which of the conditions of the form hold on its page.
func (d *Dashboard) tryOut(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	form, out := r.PostForm, tried{Sandbox: r.PostFormValue("environment") == string(domain.Sandbox)}
	if !out.Sandbox {
		wanted := url.Values{"task": {"-"}, "sessions": {"1"}, "personas": {"auto-diverse"}, "criteria": defaults()["criteria"], "viewport": {"desktop"}}
		for name, values := range form {
			switch name {
			case "url", "viewport", "locale", "private_origins", "success.url_matches", "success.text_visible", "success.selector_visible", "success.request_made":
				wanted[name] = values
			}
		}
		in, err := d.Asked(bodyOf(wanted))
		if err == nil {
			out.TriedOut, err = d.Starting.TryConditions(r.Context(), who, in)
		}
		_, alert, faults, ok := told(err)
		switch {
		case err == nil:
			out.Wrong = capital(out.Wrong)
		case !ok:
			d.fail(w, r, err)
			return
		case len(faults) == 0:
			out.Wrong = alert
		}
		fields := append(newTestPage{}.Conditions(), condition{"url", "Address of the page", ""}, condition{"viewport", "Screens", ""}, condition{"locale", "Language of the browser", ""}, condition{"private_origins", "Private addresses", ""})
		for _, field := range fields {
			if fault := faults[field.Name]; fault != "" {
				out.Wrongs = append(out.Wrongs, wrongField{field.Name, field.Label, fault})
			}
		}
		if len(faults) > 0 && len(out.Wrongs) == 0 {
			out.Wrong = "Give a condition above first."
		}
	}
	d.part(w, r, "new_test", "tried", view{Who: &who, Data: out})
}
