package forms

import (
	"testing"

	"understudy/domain/language"
)

func TestGermanFields(t *testing.T) {
	for label, want := range map[string]string{
		"Vorname": "given", "Nachname *": "family", "E-Mail-Adresse": "email", "Passwort": "password", "Telefonnummer": "phone", "Straße und Hausnummer": "street",
		"PLZ": "postcode", "Ort": "city", "Land": "country", "Geburtsdatum": "birthday", "Betreff": "subject", "Ihre Nachricht": "message", "Anzahl": "quantity",
		"Name": "name", "Benutzername": "username", "Suchbegriff": "search", "Firma (optional)": "company", "Kundennummer": "reference", "Uhrzeit": "time",
	} {
		e := box(label).e
		if got := kindOf(e, label, "de"); got != want {
			t.Errorf("%s asks for %s, not %s", label, got, want)
		}
	}
	for label, want := range map[string]string{"Land": "text", "Tag": "tags", "Name": "name", "Art": "text"} { // on English pages
		if got := kindOf(box(label).e, label, language.English); got != want {
			t.Errorf("%s asks for %s on an English page, not %s", label, got, want)
		}
	}
	if d, ok := parseDate("am 3. Mai 2027", true); !ok || d != (day{2027, 5, 3}) {
		t.Errorf("a German date is read as %v", d)
	}
	if layout, ok := dateShape("TT.MM.JJJJ"); !ok || layout != "02.01.2006" {
		t.Errorf("a German hint is read as %q", layout)
	}
	if c, ok := parseClock("um 19 Uhr"); !ok || c.Hour() != 19 {
		t.Errorf("a German hour is read as %v", c)
	}
}

// TestALanguageIsData: it has no other kinds and rules than English.
func TestALanguageIsData(t *testing.T) {
	english := map[string]bool{}
	for _, file := range []string{"people.txt", "rules.txt"} {
		for _, line := range lines(language.Texts(folders, file)[language.English]) {
			english[nameOf(line)] = true
		}
	}
	for _, lang := range language.Installed() {
		for _, file := range []string{"fields.txt", "people.txt", "rules.txt"} {
			text := language.Texts(folders, file)[lang]
			for _, line := range lines(text) {
				if name := nameOf(line); file != "fields.txt" && !english[name] {
					t.Errorf("%s/%s: English has no %q", lang, file, name)
				}
			}
		}
	}
	for i := range kinds {
		if kinds[i].id != "half" && len(kinds[i].names[language.English]) == 0 {
			t.Errorf("the kind %s has no name in English", kinds[i].id)
		}
	}
}

// nameOf is what a line of a list is about.
func nameOf(line string) string {
	for i, r := range line {
		if r == '|' || r == '\t' {
			return cellsOf(line[:i], "|")[0]
		}
	}
	return line
}
