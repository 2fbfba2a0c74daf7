package e2e

import (
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

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
	ada.goes("/personas/new", "New persona")
	ada.types("Name", "Agnes")
	ada.types("Reading speed", "119")
	ada.reads(ada.clicks("Create", "Agnes"), "a text takes 100 % longer")

	ada.clicks("Change", "Change Agnes")
	again.goes("/personas", "Personas")
	again.clicks("Agnes", "Agnes")
	again.clicks("Change", "Change Agnes")
	again.types("Name", "Agneta")
	again.clicks("Save", "Agneta")
	ada.types("Patience", "2")
	ada.reads(ada.clicks("Save", "Error: Change Agneta"), "Somebody has changed this persona since you opened it.")
	ada.reads(ada.clicks("Save", "Agnes"), "gives up after about 240 seconds")

	ada.does(walk.Click, "Delete this persona", "")
	ada.sees("Agnes")
	ada.reads(ada.clicks("Delete Agnes", "Personas"), "is deleted.")
	ada.reads(ada.clicks("Undo", "Agnes"), "is back, with a new id.")
}
