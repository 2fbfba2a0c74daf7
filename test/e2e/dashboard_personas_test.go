package e2e

import (
	"slices"
	"strings"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/access"
	"understudy/domain/walk"
)

// has a choice chosen.
func (p person) has(page walk.Page, choice string) {
	p.t.Helper()
	if !slices.ContainsFunc(page.Elements, func(e walk.Element) bool { return e.Checked && strings.HasPrefix(e.Name, choice) }) {
		p.t.Errorf("%q is not chosen for %s", choice, p.name)
	}
}

// TestPagesOfPersonas: somebody looks at packs, describes a persona, changes them beside
// somebody else, deletes them and has them back.
func TestPagesOfPersonas(t *testing.T) {
	t.Parallel()
	s := own(t)
	come := people(t, s)
	ada, again := come("The owner", browser.Desktop), come("The owner with a phone", browser.Mobile)
	for _, p := range []person{ada, again} {
		p.signsIn("owner@understudy.local", ownersPassword(t, s), "Tests")
	}
	ada.reads(ada.goes("/personas", "Personas"), "None yet.")
	ada.reads(ada.clicks("Older adults", "Older adults"), "clicks scatter by")
	ada.has(ada.clicks("Use in a test", "New test"), "A pack")
	ada.goes("/personas/new", "New persona")
	ada.types("Name", "Agnes")
	ada.types("Reading speed", "119")
	ada.reads(ada.clicks("Create", "Agnes"), "a text takes 100 % longer")
	used := ada.clicks("Use in a test", "New test")
	ada.has(used, "Your own")
	ada.has(used, "Agnes")
	ada.goes("/personas", "Personas")
	ada.clicks("Agnes", "Agnes")

	ada.clicks("Change", "Change Agnes")
	again.goes("/personas", "Personas")
	again.clicks("Agnes", "Agnes")
	again.clicks("Change", "Change Agnes")
	again.types("Name", "Agneta")
	again.clicks("Save", "Agneta")
	ada.types("Patience", "2")
	ada.reads(ada.clicks("Save", "Error: Change Agneta"), "Somebody has changed this persona since you opened it.")
	ada.reads(ada.clicks("Save", "Agnes"), "gives up after about 240 seconds")

	// A viewer reads all of it and is offered to change nothing; a member is.
	id := all[struct{ ID string }](t, s.live(), "/personas")[0].ID
	for role, offered := range map[access.Role]bool{access.Viewer: false, access.Member: true, access.Admin: true} {
		s.invited(t, s.live(), string(role)+"@example.com", role)
		who := come(string(role), browser.Desktop)
		who.signsIn(string(role)+"@example.com", somePassword, "Tests")
		pages := map[string]walk.Page{
			"New persona": who.goes("/personas", "Personas"), "Make one like": who.goes("/packs/older-adults", "Older adults"), "Change": who.goes("/personas/"+id, "Agnes"),
		}
		who.reads(pages["Change"], "gives up after about 240 seconds")
		for what, page := range pages {
			if offers(page, what) != offered {
				t.Errorf("%q is offered to a %s at %s: %t", what, role, page.URL, !offered)
			}
		}
		if offers(pages["Change"], "Delete this persona") != offered {
			t.Errorf("deleting is offered to a %s: %t", role, !offered)
		}
		if offered {
			continue
		}
		for _, path := range []string{"/personas/new", "/personas/" + id + "/edit"} {
			if _, err := who.b.Goto(t.Context(), "http://"+s.Addr+path); err == nil || !strings.Contains(err.Error(), "403 Forbidden") {
				t.Errorf("a %s comes to %s: %v", role, path, err)
			}
		}
	}

	ada.does(walk.Click, "Delete this persona", "")
	ada.sees("Agnes")
	ada.reads(ada.clicks("Delete Agnes", "Personas"), "is deleted.")
	ada.reads(ada.clicks("Undo", "Agnes"), "is back, with a new id.")
}
