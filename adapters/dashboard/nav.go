package dashboard

import (
	"net/http"
	"strings"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
)

// area is a part of the dashboard: an entry of its navigation.
type area struct {
	Name, Path, Key string
	// Below are the pages beside each other in it.
	Below []place
}

// place is a page of an area, for people whose role has the permission, "" for all.
type place struct {
	Name, Path string
	For        access.Permission
	// Owns are paths of pages below it.
	Owns []string
}

// areas are all, in the order in which they are shown.
var areas = []area{
	{Name: "Tests", Path: "/tests", Key: "g t", Below: []place{
		{Name: "Tests", Path: "/tests", Owns: []string{"/sessions", "/reports"}}, {Name: "Comparisons", Path: "/comparisons"},
		{Name: "Trend", Path: "/trend"},
	}},
	{Name: "Personas", Path: "/personas", Key: "g p", Below: []place{{Name: "Personas", Path: "/personas", Owns: []string{"/packs"}}}},
	{Name: "Audit", Path: "/audit", Key: "g a", Below: []place{
		{Name: "Proof", Path: "/audit", Owns: []string{"/history"}}, {Name: "Access log", Path: "/log", For: access.Team},
	}},
	{Name: "Settings", Path: "/organization", Key: "g s", Below: []place{
		{Name: "Organization", Path: "/organization"}, {Name: "Members", Path: "/members", Owns: []string{"/invitation"}},
		{Name: "API keys", Path: "/keys"}, {Name: "Webhooks", Path: "/webhooks", For: access.Webhooks, Owns: []string{"/deliveries"}},
		{Name: "Applications", Path: "/clients", For: access.Team}, {Name: "Plan and usage", Path: "/usage"},
		{Name: "Your account", Path: "/account"},
	}},
	{Name: "Docs", Path: "/docs", Key: "g d"},
}

// within: a path is that of a page, or below it.
func within(path, page string) bool { return path == page || strings.HasPrefix(path, page+"/") }

// Has reports whether a page belongs to the place.
func (p place) Has(path string) bool {
	for _, own := range append([]string{p.Path}, p.Owns...) {
		if within(path, own) {
			return true
		}
	}
	return false
}

// Has reports whether a page belongs to the area.
func (a area) Has(path string) bool {
	for _, p := range append([]place{{Path: a.Path}}, a.Below...) {
		if p.Has(path) {
			return true
		}
	}
	return false
}

// Areas are what is shown for navigation.
func (view) Areas() []area { return areas }

// Open are the pages of an area that who is signed in may see.
func (v view) Open(a area) (pages []place) {
	for _, p := range a.Below {
		if p.For == "" || v.Who.Role.May(p.For) {
			pages = append(pages, p)
		}
	}
	return pages
}

// Beside are those beside the page that is shown, none where there is one only.
func (v view) Beside() []place {
	for _, a := range areas {
		if pages := v.Open(a); a.Has(v.Path) && len(pages) > 1 {
			return pages
		}
	}
	return nil
}

// May reports whether who is signed in may do what takes a scope.
func (v view) May(scope string) bool { return v.Who != nil && access.Allows(v.Who.Scopes, scope) }

// Sandbox: what is shown is of the sandbox.
func (v view) Sandbox() bool { return v.Who != nil && v.Who.Environment == domain.Sandbox }

// keyEnvironment is what the browser's session remembers of where to look: live pages
// or the sandbox.
const keyEnvironment = "environment"

func (d *Dashboard) chooseEnvironment(w http.ResponseWriter, r *http.Request, _ service.Principal) {
	if !d.form(w, r) {
		return
	}
	to := domain.Live
	if r.PostFormValue("environment") == string(domain.Sandbox) {
		to = domain.Sandbox
	}
	d.sessions.Put(r.Context(), keyEnvironment, string(to))
	d.goOn(w, r, "/tests", "")
}
