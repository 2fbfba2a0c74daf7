package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"understudy/adapters/service"
	"understudy/domain/access"
)

// Log is who signed in and who changed access.
type Log interface {
	AccessLog(ctx context.Context, who service.Principal, q service.Query) (service.Page[service.AccessEntry], error)
}

// logPage is a part of the access log. Next is the address of what goes on, "" at its end.
type logPage struct {
	Entries           []logEntry
	Families          []family
	People            []service.MemberDocument
	Family, Actor     string
	After, Before     string
	Next, CSV, NDJSON string
}

// logEntry is an entry in words.
type logEntry struct {
	At                              time.Time
	Who, Did, Subject, Address, Why string
	Details                         []string
}

type family struct{ Key, Name string }

// families are the kinds of entries to choose from, by how their types begin.
var families = []family{
	{"user", "Sign-ins and accounts"}, {"account", "People and organization"}, {"apikey", "API keys"},
	{"oauthclient", "Applications"}, {"grant", "What people allowed applications"},
}

// deeds say what happened. A type that is not here is told by its name.
var deeds = map[string]string{
	"account.deleted": "deleted the organization", "account.invitation_revoked": "took an invitation back", "account.invited": "invited somebody",
	"account.key_created": "made an API key", "account.member_joined": "joined", "account.member_removed": "ended a membership",
	"account.member_role_changed": "changed a role", "account.organization_created": "founded the organization",
	"account.ownership_transferred": "transferred the ownership", "account.plan_changed": "changed the plan", "account.user_added": "was added",
	"apikey.adopted": "took an API key over", "apikey.changed": "changed an API key", "apikey.created": "made an API key",
	"apikey.revoked": "revoked an API key", "apikey.rotated": "replaced an API key",
	"grant.issued": "allowed an application to act", "grant.reuse_detected": "used a token again that had been replaced", "grant.revoked": "took an application’s leave to act back",
	"oauthclient.changed": "changed an application", "oauthclient.deleted": "deleted an application", "oauthclient.registered": "registered an application",
	"oauthclient.secret_rotated": "replaced an application’s secret",
	"user.address_verified":      "confirmed the mail address", "user.erased": "erased the account", "user.factor_disabled": "turned the second factor off",
	"user.factor_enabled": "turned a second factor on", "user.organization_chosen": "switched the organization", "user.password_changed": "changed the password",
	"user.recovery_code_used": "used a recovery code", "user.registered": "signed up", "user.reset_requested": "asked for a new password",
	"user.session_ended": "ended a session", "user.sign_in_failed": "could not sign in", "user.signed_in": "signed in", "user.verification_requested": "asked for a link",
}

// failures say why somebody could not sign in, or why something ended.
var failures = map[string]string{
	"password": "wrong password", "factor": "wrong code", "member_removed": "with the membership", "organization_deleted": "with the organization",
}

// day reads a date of a form; what is none counts as not given.
func day(text string) time.Time {
	t, _ := time.Parse(time.DateOnly, text)
	return t
}

func logQuery(form url.Values) service.Query {
	q := service.Query{Actor: form.Get("actor"), Type: form.Get("type"), CreatedAfter: day(form.Get("from")), After: form.Get("after"), Limit: shown}
	if last := day(form.Get("to")); !last.IsZero() {
		q.CreatedBefore = last.AddDate(0, 0, 1)
	}
	return q
}

func (d *Dashboard) log(w http.ResponseWriter, r *http.Request, who service.Principal) {
	form := r.URL.Query()
	v, err := d.logView(r.Context(), who, form)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "log", v)
}

func (d *Dashboard) logView(ctx context.Context, who service.Principal, form url.Values) (view, error) {
	members, err := d.Team.Members(ctx, who, service.Query{Limit: shown})
	if err != nil {
		return view{}, err
	}
	page := logPage{Families: families, Family: form.Get("type"), Actor: form.Get("actor"), After: form.Get("from"), Before: form.Get("to")}
	if page.People, err = decoded(members); err != nil {
		return view{}, err
	}
	listed, err := d.Log.AccessLog(ctx, who, logQuery(form))
	if err != nil {
		return view{}, err
	}
	entries, err := decoded(listed)
	if err != nil {
		return view{}, err
	}
	names := map[string]string{"process": "The service", "bootstrap": "The service"}
	for _, m := range page.People {
		names[m.ID] = cmp.Or(m.Name, m.Email, m.ID)
	}
	for _, e := range entries {
		page.Entries = append(page.Entries, inWords(e, names))
	}
	to := func(path, name, value string) string {
		query := url.Values{}
		for _, kept := range []string{"type", "actor", "from", "to"} {
			if given := form.Get(kept); given != "" {
				query.Set(kept, given)
			}
		}
		query.Set(name, value)
		return path + "?" + query.Encode()
	}
	page.CSV, page.NDJSON = to("/log/file", "format", "csv"), to("/log/file", "format", "ndjson")
	if listed.Next != "" {
		page.Next = to("/log", "after", listed.Next)
	}
	return view{Title: "Access log", Who: &who, Data: page}, nil
}

// inWords tells an entry, with the names of those who are still members.
func inWords(e service.AccessEntry, names map[string]string) logEntry {
	of := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	named := func(id string) string { return cmp.Or(names[id], id) }
	out := logEntry{At: e.CreatedAt.Time, Who: cmp.Or(named(of(e.Person)), named(of(e.Actor)), "Somebody"), Did: cmp.Or(deeds[e.Type], strings.ReplaceAll(e.Type, "_", " ")), Address: of(e.Address), Why: of(e.Reason)}
	if actor := of(e.Actor); actor != "" && actor != of(e.Person) && named(actor) == actor {
		out.Details = append(out.Details, "with "+actor)
	}
	if e.Subject != of(e.Person) {
		out.Subject = named(e.Subject)
	}
	var told struct {
		Name, Plan, Environment, Factor, Reason, How string
		Role                                         access.Role
		Scopes                                       []string
	}
	if json.Unmarshal(e.Details, &told) == nil {
		for _, part := range []string{told.Name, roleWords[told.Role], strings.Join(told.Scopes, ", "), told.Plan, told.Environment, told.Factor, failures[told.Reason], strings.ReplaceAll(told.How, "_", " ")} {
			if part != "" {
				out.Details = append(out.Details, part)
			}
		}
	}
	return out
}

// logFile sends the log as a file.
func (d *Dashboard) logFile(w http.ResponseWriter, r *http.Request, who service.Principal) {
	form := r.URL.Query()
	for _, file := range service.AccessFiles {
		if file.Name == form.Get("format") {
			q := logQuery(form)
			if err := file.Send(r.Context(), w, d.Log.AccessLog, who, q); err != nil {
				d.fail(w, r, err)
			}
			return
		}
	}
	http.Redirect(w, r, "/log", http.StatusSeeOther)
}
