package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/account"
)

// Targets looks at addresses.
type Targets interface {
	// CheckURL refuses what this installation does not connect to.
	CheckURL(ctx context.Context, url string) error
	// Look tells what answers at an address, or why it cannot be tested, by a test that
	// may also reach the private origins.
	Look(ctx context.Context, url string, private ...string) (found Found, wrong string)
}

// Found is a page that answers: its title, where it is after all redirects, and the
// HTTP status.
type Found struct {
	Title, URL string
	Status     int
}

// address is what is told of the address while it is typed.
type address struct {
	Found
	// Asked is the address as it was given, Wrong why it cannot be tested.
	Asked, Wrong string
	Sandbox      bool
}

// Elsewhere: the address leads to another one.
func (a address) Elsewhere() bool {
	return a.URL != "" && strings.TrimSuffix(a.URL, "/") != strings.TrimSuffix(a.Asked, "/")
}

// Guarded: the page says that it does not let programs in.
func (a address) Guarded() bool { return a.Status >= http.StatusBadRequest }

// looksAtOnce bounds how many addresses are looked at at once.
const looksAtOnce = 4

func (d *Dashboard) seeAddress(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	at := address{Asked: strings.TrimSpace(r.PostFormValue("url")), Sandbox: r.PostFormValue("environment") == string(domain.Sandbox)}
	if at.Asked != "" {
		if err := d.Targets.CheckURL(r.Context(), at.Asked); err != nil {
			_, alert, faults, _ := told(err)
			if at.Wrong = faults["url"]; at.Wrong == "" {
				at.Wrong = alert
			}
		} else if !at.Sandbox {
			select {
			case d.looks <- struct{}{}:
				defer func() { <-d.looks }()
				var wrong string
				if at.Found, wrong = d.Targets.Look(r.Context(), at.Asked, strings.Fields(r.PostFormValue("private_origins"))...); wrong != "" {
					at.Wrong = capital(wrong) + "."
				}
			case <-r.Context().Done():
				return
			}
		}
	}
	d.part(w, r, "new_test", "address", view{Who: &who, Data: at})
}

func (d *Dashboard) understand(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	d.part(w, r, "new_test", "understood", view{Who: &who, Data: understoodOf(r.PostForm)})
}

// foreseen is who would walk, and what that costs.
type foreseen struct {
	service.Foreseen
	// More is how many would walk beside those who are shown.
	More int
	// Wrong is why it cannot be told.
	Wrong   string
	Sandbox bool
	// Chosen: the seed is somebody's choice. Compared: they walk at another address too.
	Chosen, Compared bool
}

// All are the sessions that there would be.
func (f foreseen) All() int {
	if f.Compared {
		return 2 * f.Sessions
	}
	return f.Sessions
}

// Fits: there is room for all sessions this month.
func (f foreseen) Fits() bool { return f.Quota.Admits(f.All()) == nil }

// Resets is when the month's sessions begin anew.
func (f foreseen) Resets() string { return resets(f.Quota) }

func resets(q account.Quota) string { return q.Month.Ends().Format("2 January") }

// walkersShown is how many of those who would walk are shown.
const walkersShown = 12

func (d *Dashboard) foresee(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	if env := domain.Environment(r.PostFormValue("environment")); env == domain.Sandbox || env == domain.Live {
		who.Environment = env
	}
	seen, err := d.foreseenOf(r.Context(), who, r.PostForm)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.part(w, r, "new_test", "foreseen", view{Who: &who, Data: seen})
}

// foreseenOf is of a form as it is filled in now; what is wrong with it is told.
func (d *Dashboard) foreseenOf(ctx context.Context, who service.Principal, form url.Values) (out foreseen, err error) {
	wanted := url.Values{"url": {"https://example.com/"}, "task": {"-"}, "criteria": defaults()["criteria"]}
	for _, name := range []string{"sessions", "personas", "pack_id", "persona_ids", "viewport", "seed", "drawn"} {
		if form.Has(name) {
			wanted[name] = form[name]
		}
	}
	out.Sandbox, out.Chosen = who.Environment == domain.Sandbox, strings.TrimSpace(form.Get("seed")) != ""
	out.Compared = strings.TrimSpace(form.Get("other")) != ""
	in, err := d.Asked(bodyOf(wanted))
	if err == nil {
		out.Foreseen, err = d.Starting.Foresee(ctx, who, in, walkersShown)
		out.More = max(0, out.Sessions-len(out.Cast))
	}
	if _, _, faults, ok := told(err); err != nil && ok {
		for _, name := range []string{"sessions", "personas", "viewport", "seed"} {
			if fault := faults[name]; fault != "" {
				out.Wrong = strings.TrimSpace(out.Wrong + " " + capital(name) + ": " + fault)
			}
		}
		err = nil
	}
	return out, err
}
