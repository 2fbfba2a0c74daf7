package language

import "testing"

// TestKept knows where applications keep things, by the words of the task and the place.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		about, place string
		likely       bool
	}{
		{"the price of the product", "Catalog", true},
		{"phone number of a colleague", "Contacts", true},
		{"the time zone", "Preferences", true},
		{"an invoice", "Invoices & Payments", true},
		{"an invoice", "Recipes", false},
		{"the price of the product", "Log out", false},
		{"the price of the product", "Read what our customers say about the products in the catalog", false},
		{"die Rechnung für den neuen Kunden", "Buchhaltung", true},
	} {
		if got := Kept(Read(c.about).Content(), Read(c.place)); got >= 0.5 != c.likely {
			t.Errorf("%s in %s: %.2f", c.about, c.place, got)
		}
	}
}
