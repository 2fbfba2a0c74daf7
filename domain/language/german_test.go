package language

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestGermanLabelsExpressConcepts(t *testing.T) {
	for label, want := range map[string]string{
		"Anmelden": "login", "Jetzt registrieren": "signup", "Abmelden": "logout", "In den Warenkorb": "addcart", "Mein Warenkorb": "cart", "Zur Kasse": "checkout",
		"Kontakt": "contact", "Über uns": "about", "Suche": "search", "Öffnungszeiten": "hours", "Anfahrt": "location", "Impressum": "about", "Einstellungen": "settings",
		"Speichern": "save", "Änderungen speichern": "save", "Löschen": "delete", "Bearbeiten": "edit", "Absenden": "send", "Nachricht senden": "send", "Abbrechen": "cancel",
		"Passwort vergessen?": "password", "Weiter": "continue", "Zurück": "back", "Startseite": "home", "Preise": "price", "Jahresgebühr": "price", "E-Mail-Adresse": "email",
		"Newsletter abonnieren": "subscribe", "Alle akzeptieren": "accept", "Nur notwendige": "reject", "Herunterladen": "download", "Sprache wählen": "language",
		"Login": "login", "Download": "download", "Menü": "menu", "Merkzettel": "star", "Als erledigt markieren": "done", "Mitgliedsbeiträge": "price",
	} {
		if p := Read(label); !p.Has(want) {
			t.Errorf("%q is %s and expresses %v, not %s", label, p.Language(), p.Concepts, want)
		}
	}
	if Read("In den Warenkorb").Has("cart") {
		t.Error("what puts into the cart is taken for the cart")
	}
}

func TestGermanWordsMatch(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		least float64
		most  float64
	}{
		{"Gebühren", "Gebühr", .9, .9}, {"Mitglieder", "Mitglied", .9, .9}, {"Gäste", "Gast", .9, .9}, {"Anmeldung", "anmelden", .8, .9}, {"kostet", "kosten", .9, .9},
		{"Jahresgebühr", "Gebühr", .75, .75}, {"Warenkorb", "basket", .8, .8}, {"Vorname", "Nachname", 0, 0}, {"Montag", "Dienstag", 0, 0}, {"Wasserkocher", "Garten", 0, 0},
		{"Adresse", "Adressen", .9, .9}, {"anmelden", "abmelden", 0, 0},
	} {
		a, b := Read(c.a).Words[0], Read(c.b).Words[0]
		if got := Match(a, b); got < c.least || got > c.most || got != Match(b, a) {
			t.Errorf("%s and %s match by %.2f and %.2f, want %.2f to %.2f", c.a, c.b, got, Match(b, a), c.least, c.most)
		}
	}
}

func TestGermanAnswers(t *testing.T) {
	for _, c := range []struct {
		kind       Kind
		text, want string
	}{
		{Money, "Die Jahresgebühr für Studenten beträgt 1.250,50 Euro.", "1.250,50 Euro"}, {Clock, "Wir treffen uns um 18 Uhr im Vereinsheim", "18 Uhr"},
		{Hours, "Montag bis Freitag von 9 bis 17 Uhr", "9 bis 17 Uhr"}, {Date, "Anmeldung bis 3. Mai 2027 möglich", "3. Mai 2027"},
		{Person, "Unsere Schatzmeisterin ist Anna Weber.", "Anna Weber"}, {Person, "Die Öffnungszeiten des Vereins", ""}, {Duration, "Die Lieferung dauert drei Werktage", "drei Werktage"},
		{Place, "Sie finden uns in der Gartenstraße 12", "Gartenstraße 12"}, {Percent, "Studenten erhalten 20 Prozent Rabatt", "20 Prozent"}, {Number, "Der Verein hat 240 Mitglieder", "240"},
	} {
		if got := Find(c.kind, c.text); got != c.want {
			t.Errorf("%q has the %s %q, not %q", c.text, c.kind, got, c.want)
		}
	}
}

// TestEnglishStaysEnglish: words that both languages have are English where nothing
// tells German, and so is every name of an English list.
func TestEnglishStaysEnglish(t *testing.T) {
	texts := []string{
		"die", "was", "man", "hat", "art", "gift", "also", "war", "an", "MIT", "Die Hard", "Was it a war?", "The man in the hat was an art dealer", "Old plants die, and so do also young ones",
		"A gift was sent to the man", "Also an art", "Login", "Download", "Name", "Newsletter", "Der Spiegel", "Das Boot is a film of 1981", "Anna Schmidt", "Hans Müller", "rat man", "Gut feeling", "Tag", "Mode", "Handy",
		"Rock and pop", "Links", "Last name", "Chef", "Our kindergarten in Berlin", "Café Zeitgeist", "Team Weber", "Bald eagle", "+", "×", "12,50", "",
	}
	for line := range strings.Lines(Texts(folders, "concepts.txt")[English]) {
		if parts := strings.Split(line, "|"); len(parts) > 2 && !strings.HasPrefix(line, "#") {
			texts = append(texts, strings.Split(parts[2], ";")...)
		}
	}
	for i := range int32(known) {
		if rank(i) <= foreignRank {
			texts = append(texts, textOf(i))
		}
	}
	for _, text := range texts {
		p, plain := Read(text), english().read(text)
		if p.Language() != English || !slices.Equal(p.Concepts, plain.Concepts) || !slices.Equal(p.Words, plain.Words) {
			t.Errorf("%q is read as %s", text, p.Language())
		}
	}
}

// TestALanguageIsAFolder: a folder more is a language more.
func TestALanguageIsAFolder(t *testing.T) {
	more := fstest.MapFS{"sv/lists.txt": {Data: []byte("function: och att det är\nending: ar 3; en 3\nwords: båt\n")}, "sv/concepts.txt": {Data: []byte("cart: varukorg; kundvagn\n")}}
	for _, file := range []string{"lists.txt", "concepts.txt", "answers.txt"} {
		more["en/"+file] = &fstest.MapFile{Data: []byte(Texts(folders, file)[English])}
	}
	all := readTongues(more)
	if len(all) != 2 || all[0].name != English || all[1].name != "sv" {
		t.Fatalf("%d languages", len(all))
	}
	if sv := all[1]; !sv.owns("båtar") || !sv.owns("varukorgen") || sv.owns("cart") || !slices.Equal(sv.names.single["varukorg"], []string{"cart"}) {
		t.Error("its words are not known")
	}
}

// TestALanguageIsData: what is installed is what stands in the folders, and every
// folder has what this package reads.
func TestALanguageIsData(t *testing.T) {
	if got := Installed(); got[0] != English || !slices.Contains(got, "de") || len(got) != len(Texts(folders, "lists.txt")) {
		t.Errorf("installed are %v", got)
	}
	for _, lang := range Installed() {
		for _, file := range []string{"lists.txt", "concepts.txt", "answers.txt", "orders.txt"} {
			if Texts(folders, file)[lang] == "" {
				t.Errorf("the language %s lacks %s/%s in domain/language", lang, lang, file)
			}
		}
		l := tongueOf(lang)
		if len(l.lists.words["function"]) == 0 || len(l.names.first) == 0 {
			t.Errorf("the language %s has no function words or no names of concepts", lang)
		}
		for first, names := range l.names.first {
			for _, n := range names {
				if names0 := english().names.concepts[n.concept]; names0 == nil {
					t.Errorf("%s/concepts.txt calls %s %s, which is no concept of en/concepts.txt", lang, n.concept, first)
				}
			}
		}
	}
}
