package dashboard

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/scoring"
	"understudy/projections"
	"understudy/projections/accounts"
)

// Organizations is the use cases of what an organization is called and demands.
type Organizations interface {
	Organization(ctx context.Context, p service.Principal) (projections.Document[accounts.Document], error)
	ChangeOrganization(ctx context.Context, call service.Call, change account.Change) (projections.Document[accounts.Document], error)
}

// organizationRoutes are the pages of an organization itself.
func (d *Dashboard) organizationRoutes() map[string]signedIn {
	return map[string]signedIn{
		"GET /organization": d.organization, "POST /organization": d.only(access.Team, d.renameOrganization),
		"POST /organization/gate": d.only(access.Team, d.changeGate),
	}
}

// organizationPage is the organization that somebody sees.
type organizationPage struct {
	Organization accounts.Document
	Revision     uint64
	Role         access.Role
	// Homes is how many organizations somebody belongs to.
	Homes int
	// Members is how many people belong to it, More: and more than that.
	Members  int
	More     bool
	Criteria []demand
}

// demand is what is asked of a criterion, in percent; "" where it has no threshold of its own.
type demand struct{ Name, Percent string }

// Threshold is the one of all criteria without their own, in percent.
func (p organizationPage) Threshold() string { return inPercent(p.Organization.QualityGate.Threshold) }

func inPercent(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e4)/100, 'f', -1, 64)
}

func (d *Dashboard) organization(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if err := d.showOrganization(w, r, who, nil); err != nil {
		d.fail(w, r, err)
	}
}

// showOrganization shows the organization, with what went wrong with it.
func (d *Dashboard) showOrganization(w http.ResponseWriter, r *http.Request, who service.Principal, wrong error) error {
	if who.OrganizationID == "" {
		d.show(w, r, http.StatusOK, "message", view{Title: "Your organization", Who: &who, Note: "You belong to no organization. Ask somebody to invite you."})
		return nil
	}
	doc, err := d.Organizations.Organization(r.Context(), who)
	if err != nil {
		return err
	}
	page := organizationPage{Role: who.Role, Revision: doc.Revision}
	if page.Organization, err = doc.Decode(); err != nil {
		return err
	}
	homes, err := d.Accounts.Homes(r.Context(), who)
	if err != nil {
		return err
	}
	members, err := d.Team.Members(r.Context(), who, service.Query{Limit: shown})
	if err != nil {
		return err
	}
	page.Homes, page.Members, page.More = len(homes), len(members.Items), members.Next != ""
	for _, name := range scoring.Criteria {
		own := demand{Name: name}
		if threshold, has := page.Organization.QualityGate.Criteria[name]; has {
			own.Percent = inPercent(threshold)
		}
		if wrong != nil && r.PostForm.Has(name) {
			own.Percent = r.PostForm.Get(name)
		}
		page.Criteria = append(page.Criteria, own)
	}
	v := view{Title: "Your organization", Who: &who, Data: page}
	if wrong != nil {
		d.again(w, r, "organization", v, wrong)
		return nil
	}
	d.show(w, r, http.StatusOK, "organization", v)
	return nil
}

// toOrganization changes the organization and shows it again.
func (d *Dashboard) toOrganization(w http.ResponseWriter, r *http.Request, who service.Principal, note string, read func(url.Values) (account.Change, error)) {
	if !d.form(w, r) {
		return
	}
	change, err := read(r.PostForm)
	if err == nil {
		var call service.Call
		if call, err = d.Team.CallOf(r.Context(), d.visit(r), who); err == nil {
			if seen, unread := strconv.ParseUint(r.PostFormValue("revision"), 10, 64); unread == nil {
				call.Seen = []uint64{seen}
			}
			_, err = d.Organizations.ChangeOrganization(r.Context(), call, change)
		}
	}
	if err != nil {
		if err := d.showOrganization(w, r, who, err); err != nil {
			d.fail(w, r, err)
		}
		return
	}
	d.goOn(w, r, "/organization", note)
}

func (d *Dashboard) renameOrganization(w http.ResponseWriter, r *http.Request, who service.Principal) {
	d.toOrganization(w, r, who, "The organization has another name.", func(form url.Values) (account.Change, error) {
		name := form.Get("name")
		return account.Change{Name: &name}, nil
	})
}

func (d *Dashboard) changeGate(w http.ResponseWriter, r *http.Request, who service.Principal) {
	d.toOrganization(w, r, who, "The quality gate is changed. Tests that are started from now on are held to it.", gateOf)
}

// gateOf reads thresholds in percent; a criterion that says nothing has none of its own.
func gateOf(form url.Values) (account.Change, error) {
	change := account.Change{ForgetCriteria: true, Criteria: map[string]*float64{}}
	for _, name := range append([]string{"threshold"}, scoring.Criteria...) {
		given := strings.TrimSuffix(strings.TrimSpace(form.Get(name)), "%")
		if given == "" && name != "threshold" {
			continue
		}
		percent, err := strconv.ParseFloat(strings.TrimSpace(given), 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return change, domain.Invalid(name, "out_of_range", "write a number from 0 to 100")
		}
		share := percent / 100
		if name == "threshold" {
			change.Threshold = &share
		} else {
			change.Criteria[name] = &share
		}
	}
	return change, nil
}
