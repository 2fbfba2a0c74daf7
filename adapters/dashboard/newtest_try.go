package dashboard

import (
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"

	"understudy/adapters/service"
	"understudy/domain"
)

// tried is the page as it is now, and what conditions come to on it.
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

// Shows is the picture of the page as an address, "" where there is none.
func (t tried) Shows() template.URL {
	if len(t.Picture.Data) == 0 {
		return ""
	}
	return template.URL("data:" + t.Picture.ContentType + ";base64," + base64.StdEncoding.EncodeToString(t.Picture.Data)) // of what our browser made
}

// tryOut shows the form's page, and which of its conditions hold there.
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
			out.TriedOut, err = d.Starting.TryOut(r.Context(), who, in)
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
	}
	d.part(w, r, "new_test", "tried", view{Who: &who, Data: out})
}
