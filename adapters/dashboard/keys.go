package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/apikey"
	"understudy/projections"
	"understudy/projections/keys"
)

// Keys is the use cases of API keys.
type Keys interface {
	APIKeys(ctx context.Context, p service.Principal, q service.Query) (service.Page[service.KeyDocument], error)
	Key(ctx context.Context, p service.Principal, id string) (projections.Document[service.KeyDocument], error)
	CreateKey(ctx context.Context, call service.Call, keyID string, in service.NewKey) (projections.Document[service.KeyDocument], error)
	ChangeKey(ctx context.Context, call service.Call, keyID string, change apikey.Change) (projections.Document[service.KeyDocument], error)
	RotateKey(ctx context.Context, call service.Call, keyID, rotationID string, overlap time.Duration) (projections.Document[service.KeyDocument], error)
	RevokeKey(ctx context.Context, call service.Call, keyID string) error
}

// keyRoutes are the pages of API keys.
func (d *Dashboard) keyRoutes() map[string]signedIn {
	return map[string]signedIn{
		"GET /keys": d.keys, "GET /keys/new": d.only(access.OwnKeys, d.newKeyPage), "POST /keys": d.only(access.OwnKeys, d.createKey),
		"GET /keys/{id}": d.key, "POST /keys/{id}": d.only(access.OwnKeys, d.changeKey), "POST /keys/{id}/rotate": d.only(access.OwnKeys, d.rotateKey),
		"POST /keys/{id}/revoke": d.only(access.OwnKeys, d.revokeKey),
	}
}

// keyStatuses are those to choose from.
var keyStatuses = []keys.Status{keys.Active, keys.Rotating, keys.Expired, keys.Revoked}

// keyRow is a key in a list.
type keyRow struct {
	service.KeyDocument
	// Maker is who made it, "" for who is not a member any more. Own: who looks did.
	Maker string
	Own   bool
}

// Sandbox: the key is one of the sandbox.
func (k keyRow) Sandbox() bool { return k.Environment == domain.Sandbox }

// Over: the key opens nothing any more.
func (k keyRow) Over() bool { return k.Status == keys.Revoked || k.Status == keys.Expired }

// keysPage is a part of the keys that somebody may see.
type keysPage struct {
	Keys                []keyRow
	Statuses            []keys.Status
	Status, Environment string
	// All: those of everybody are shown. May: one may make some.
	All, May bool
	Next     string
}

func (d *Dashboard) rowOf(k service.KeyDocument, who service.Principal, people map[string]service.MemberDocument) keyRow {
	maker := people[k.CreatedBy]
	return keyRow{KeyDocument: k, Maker: cmp.Or(maker.Name, maker.Email), Own: k.CreatedBy == who.UserID}
}

func (d *Dashboard) keys(w http.ResponseWriter, r *http.Request, who service.Principal) {
	form := r.URL.Query()
	page := keysPage{
		Statuses: keyStatuses, Status: form.Get("status"), Environment: environmentOf(form.Get("environment")),
		All: who.Role.May(access.Team), May: who.Role.May(access.OwnKeys),
	}
	people, err := d.people(r.Context(), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	listed, next, err := inBoth(r.Context(), who, page.Environment, service.Query{Limit: shown, Status: page.Status, After: form.Get("after")}, d.Keys.APIKeys)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	for _, k := range listed {
		page.Keys = append(page.Keys, d.rowOf(k.Doc, who, people))
	}
	page.Next = older("/keys", form, next, "status", "environment")
	d.show(w, r, http.StatusOK, "keys", view{Title: "API keys", Who: &who, Data: page})
}

// scopeChoice is a scope that somebody may give to a key.
type scopeChoice struct {
	Scope   string
	Checked bool
}

func scopeChoices(who service.Principal, chosen []string) (out []scopeChoice) {
	for _, scope := range access.Scopes {
		if access.Allows(who.Scopes, scope) {
			out = append(out, scopeChoice{scope, slices.Contains(chosen, scope)})
		}
	}
	return out
}

// ending is a choice of when a key ends.
type ending struct{ Value, Name string }

var endings = []ending{{"30", "in 30 days"}, {"90", "in 90 days"}, {"365", "in a year"}, {"date", "on a day"}, {"never", "never"}}

// newKeyPage is what a key is made of.
type newKeyPage struct {
	Scopes  []scopeChoice
	Endings []ending
	// Today is the first day on which a key may end.
	Today string
}

func (d *Dashboard) newKeyView(who service.Principal, chosen []string) view {
	return view{Title: "New API key", Who: &who, Data: newKeyPage{scopeChoices(who, chosen), endings, today()}}
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

func (d *Dashboard) newKeyPage(w http.ResponseWriter, r *http.Request, who service.Principal) {
	d.show(w, r, http.StatusOK, "key_new", d.newKeyView(who, nil))
}

// expiry is when a key ends, as a form says it; nil for never.
func expiry(form url.Values) (*domain.Time, error) {
	switch choice := form.Get("ends"); choice {
	case "never":
		return nil, nil
	case "date":
		last := day(form.Get("ends_on"))
		if last.IsZero() {
			return nil, domain.Invalid("expires_at", "required", "choose the last day of the key")
		}
		at := domain.At(last.AddDate(0, 0, 1))
		return &at, nil
	default:
		days, err := strconv.Atoi(choice)
		if err != nil || days < 1 || days > 3650 {
			return nil, domain.Invalid("expires_at", "required", "choose when the key ends")
		}
		at := domain.At(time.Now().AddDate(0, 0, days))
		return &at, nil
	}
}

func (d *Dashboard) createKey(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	form := r.PostForm
	again := func(err error) { d.again(w, r, "key_new", d.newKeyView(who, form["scopes"]), err) }
	ends, err := expiry(form)
	if err != nil {
		again(err)
		return
	}
	if env := environmentOf(form.Get("environment")); env != "" {
		who.Environment = domain.Environment(env)
	}
	call, err := d.callIn(r, who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	call, id, err := d.once(r, call, domain.PrefixKey)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	doc, err := d.Keys.CreateKey(r.Context(), call, id, service.NewKey{Name: strings.TrimSpace(form.Get("name")), Scopes: form["scopes"], ExpiresAt: ends})
	switch {
	case d.madeBefore(w, r, "/keys/"+id, err):
		return
	case err != nil:
		again(err)
		return
	}
	d.showKey(w, r, who, doc, "The key is made.", nil)
}

// keyPage is a key. Key is set when it has just been made.
type keyPage struct {
	keyRow
	Scopes  []scopeChoice
	Endings []ending
	Today   string
	// Curl is a first request with it.
	Curl string
	// Changes, Rotates: who looks may do so. Lost: its maker is not a member any more.
	// Recorded: it has a history, which keys that came with an organization lack until
	// something is done with them.
	Changes, Rotates, Lost, Recorded bool
	Revision                         uint64
}

// key shows a key of either environment.
func (d *Dashboard) key(w http.ResponseWriter, r *http.Request, who service.Principal) {
	doc, as, err := either(r.Context(), who, r.PathValue("id"), d.Keys.Key)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.showKey(w, r, as, doc, "", nil)
}

// showKey shows a key, with what went wrong with it.
func (d *Dashboard) showKey(w http.ResponseWriter, r *http.Request, who service.Principal, doc projections.Document[service.KeyDocument], note string, wrong error) {
	k, err := doc.Decode()
	if err != nil {
		d.fail(w, r, err)
		return
	}
	people, err := d.people(r.Context(), who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	maker, there := people[k.CreatedBy]
	page := keyPage{
		keyRow: d.rowOf(k, who, people), Scopes: scopeChoices(who, k.Scopes), Endings: endings, Today: today(), Curl: d.curl(k), Revision: doc.Revision,
		Changes: who.Role.May(access.OwnKeys), Lost: !there && len(people) < shown,
	}
	page.Rotates = page.Changes && who.Role.Covers(maker.Role)
	_, err = d.Histories.Events(r.Context(), who, k.ID, service.History{Limit: 1})
	page.Recorded = err == nil
	v := view{Title: k.Name, Who: &who, Note: note, Data: page}
	if wrong != nil {
		d.again(w, r, "key", v, wrong)
		return
	}
	d.show(w, r, http.StatusOK, "key", v)
}

// curl is a request that a key may make.
func (d *Dashboard) curl(k service.KeyDocument) string {
	path := "/me"
	switch {
	case access.Allows(k.Scopes, access.TestsRead):
		path = "/tests"
	case access.Allows(k.Scopes, access.ReportsRead):
		path = "/reports"
	}
	return "curl -sS " + d.API + path + " \\\n  -H 'Authorization: Bearer " + k.Key + "'"
}

// onKey does something with a key of either environment and shows it, or what is wrong.
func (d *Dashboard) onKey(w http.ResponseWriter, r *http.Request, who service.Principal, note string, do func(call service.Call, k service.KeyDocument) (projections.Document[service.KeyDocument], error)) {
	if !d.form(w, r) {
		return
	}
	before, as, err := either(r.Context(), who, r.PathValue("id"), d.Keys.Key)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	k, err := before.Decode()
	if err != nil {
		d.fail(w, r, err)
		return
	}
	call, err := d.callIn(r, as)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	after, err := do(call, k)
	switch {
	case note == "" && d.madeBefore(w, r, "/keys/"+k.ID, err):
	case err != nil:
		d.showKey(w, r, as, before, "", err)
	case note == "":
		d.showKey(w, r, as, after, "The key has a new secret.", nil)
	default:
		d.goOn(w, r, "/keys/"+k.ID, note)
	}
}

func (d *Dashboard) changeKey(w http.ResponseWriter, r *http.Request, who service.Principal) {
	d.onKey(w, r, who, "The key is changed. It counts from the next request on.", func(call service.Call, k service.KeyDocument) (projections.Document[service.KeyDocument], error) {
		form := r.PostForm
		name := strings.TrimSpace(form.Get("name"))
		change := apikey.Change{Name: &name, Scopes: append([]string{}, form["scopes"]...)}
		if seen, err := strconv.ParseUint(form.Get("revision"), 10, 64); err == nil {
			call.Seen = []uint64{seen}
		}
		if form.Get("ends") != "" { // "" is as before
			ends, err := expiry(form)
			if err != nil {
				return projections.Document[service.KeyDocument]{}, err
			}
			change.ExpiresAt, change.ForgetExpiry = ends, ends == nil
		}
		return d.Keys.ChangeKey(r.Context(), call, k.ID, change)
	})
}

func (d *Dashboard) rotateKey(w http.ResponseWriter, r *http.Request, who service.Principal) {
	d.onKey(w, r, who, "", func(call service.Call, k service.KeyDocument) (doc projections.Document[service.KeyDocument], err error) {
		call, rotation, err := d.once(r, call, domain.PrefixKey)
		if err != nil {
			return doc, err
		}
		return d.Keys.RotateKey(r.Context(), call, k.ID, rotation, overlaps[r.PostFormValue("overlap")])
	})
}

func (d *Dashboard) revokeKey(w http.ResponseWriter, r *http.Request, who service.Principal) {
	d.onKey(w, r, who, "The key is revoked. It opens nothing any more.", func(call service.Call, k service.KeyDocument) (doc projections.Document[service.KeyDocument], err error) {
		return doc, d.Keys.RevokeKey(r.Context(), call, k.ID)
	})
}

// older is the address of what a list goes on with, "" at its end; it keeps what was
// asked for.
func older(path string, form url.Values, next string, kept ...string) string {
	if next == "" {
		return ""
	}
	query := url.Values{"after": {next}}
	for _, name := range kept {
		if given := form.Get(name); given != "" {
			query.Set(name, given)
		}
	}
	return path + "?" + query.Encode()
}
