package task

import (
	"strings"
	"testing"

	"understudy/domain/language"
)

func TestGermanTasks(t *testing.T) {
	for _, c := range []struct{ task, want string }{
		{`Melde dich mit {{email}} an`, `act deed=login secret(email)=email`},
		{`Melde dich mit der E-Mail-Adresse ada@example.org und dem Passwort Mond-17 an.`, `act deed=login value(email)=ada@example.org value(password)=Mond-17`},
		{`Finde heraus, was die Jahresgebühr für Studenten kostet`, `inform about=jahresgebühr+studenten+kostet answer=money`},
		{`Finde heraus, wer die Schatzmeisterin des Vereins ist.`, `inform about=schatzmeisterin+vereins answer=person`},
		{`In welcher Stadt ist die Werkstatt?`, `inform about=werkstatt answer=place`},
		{`Wann ist das Museum am Sonntag geöffnet?`, `inform about=museum+sonntag+geöffnet answer=hours`},
		{`Ändere den Namen in "Meyer"`, `act deed=edit about=namen new=Meyer`},
		{`Ändere die Menge auf 4`, `act deed=edit about=menge new(number)=4`},
		{`Lege den Wasserkocher in den Warenkorb`, `act deed=addcart about=wasserkocher`},
		{`Lege den günstigsten Wasserkocher in den Warenkorb und gehe zur Kasse.`, "act deed=addcart about=wasserkocher order=günstigsten\nact deed=checkout"},
		{`Schreibe eine Nachricht an den Vorstand mit dem Text "Wann ist das Fest?"`, `act deed=contact about=vorstand value(text)=Wann ist das Fest?`},
		{`Schreibe eine Nachricht an den Verein und frage, ob ihr Boote verleiht`, `act deed=contact about=verein value(text)=Ich möchte fragen, ob ihr Boote verleiht.`},
		{`Klicke auf "Speichern"`, `act deed=click named=Speichern`},
		{`Öffne die Seite "Blue Harbour Sailing Club"`, `reach named=Blue Harbour Sailing Club widget=page`},
		{`Lösche die Notiz "Einkauf"`, `act deed=delete about=notiz named=Einkauf widget=note`},
		{`Benenne die Liste "Reise" in "Urlaub" um`, `act deed=rename widget=list old=Reise new=Urlaub`},
		{`Erstelle eine Notiz mit dem Titel "Reise"`, `act deed=create about=notiz widget=note value(name)=Reise`},
		{`Buche einen Tisch für 4 Personen am Freitag um 19 Uhr`, `act deed=book about=tisch count=4 value(number)=4 value(date)=Freitag value(time)=19 Uhr`},
		{`Buche ein Zimmer vom 3. Mai 2027 bis 5. Mai 2027`, `act deed=book about=zimmer value(date)=3. Mai 2027 value(date)=5. Mai 2027`},
		{`Gib ein Datum ein`, `act deed=type about=datum`},
		{`Schalte die Benachrichtigungen aus.`, `act deed=off about=benachrichtigungen`},
		{`Bitte abonniere den Newsletter mit ada@example.org`, `act deed=subscribe about=newsletter value(email)=ada@example.org`},
		{`Überweise 50 Euro an Nora Feld`, `act deed=transfer about= in=nora+feld value(amount)=50 Euro value=Nora Feld`},
		{`Suche nach "Fahrrad"`, `act deed=search value=Fahrrad`},
		{`Nimm das Fahrrad aus dem Warenkorb`, `act deed=delete about=fahrrad`},
		{`Suche nach einem roten Fahrrad und lege es in den Warenkorb`, "act deed=search about=roten+fahrrad value(search)=roten fahrrad\nact deed=addcart about=roten+fahrrad"},
		{`Füge drei Tassen zum Warenkorb hinzu`, `act deed=addcart about=tassen count=3`},
		{`Buche einen Termin beim Zahnarzt am 4. Juni um 10:30 Uhr`, `act deed=book about=termin in=zahnarzt value(date)=4. Juni value(time)=10:30 Uhr`},
		{`Markiere die Aufgabe "Milch kaufen" als erledigt`, `act deed=done about=aufgabe named=Milch kaufen`},
		{`Leite die Mail von Ivo an Mia weiter`, `act deed=forward about=mail+ivo in=mia widget=message value=Mia`},
		{`Schreibe dem Vorstand eine Nachricht`, `act deed=contact about=vorstand+nachricht widget=message`},
		{`Bestelle zwei Eintrittskarten für Erwachsene`, `act deed=buy about=eintrittskarten+erwachsene count=2`},
		{`Registriere dich mit der E-Mail-Adresse {{email}} und dem Passwort {{password}}`, `act deed=signup secret(email)=email secret(password)=password`},
		{`Fülle das Kontaktformular aus: Name Ida Moor, E-Mail ida@example.org, Nachricht "Hallo"`, `act deed=type about=kontaktformular+name value(name)=Ida Moor value(email)=ida@example.org value(text)=Hallo`},
		{`Wie lange dauert die Lieferung nach Österreich?`, `inform about=dauert+lieferung+österreich answer=duration`},
		{`Ist der Kurs am 5.6.2027 ausgebucht?`, `inform about=kurs+5.6.2027+ausgebucht answer=state`},
	} {
		g := Parse(c.task, nil)
		var got []string
		for _, s := range g.Subgoals {
			for _, words := range [][]language.Word{s.Object, s.Place} {
				for i := range words {
					words[i].Lemma = words[i].Text // the lemmas of German are no words
				}
			}
			got = append(got, told(s))
		}
		if g.Language != "de" || strings.Join(got, "\n") != strings.ReplaceAll(c.want, "about= ", "") {
			t.Errorf("%s (%s)\n got %s\nwant %s", c.task, g.Language, strings.Join(got, "\n     "), c.want)
		}
	}
}

// TestEnglishTasksStayEnglish: words that German has too do not make a task German.
func TestEnglishTasksStayEnglish(t *testing.T) {
	for task, want := range map[string]string{
		`Find out when the man in the hat was in an art shop`: "inform about=man+hat+art+shop answer=date",
		`Find out who was the war artist`:                     "inform about=war+artist answer=person",
		`Find out whether old plants die`:                     "inform about=old+plant+die answer=state",
		`Put a gift for the man in the cart`:                  "act deed=addcart about=gift+man",
		`Click on "Anmelden"`:                                 "act deed=click named=Anmelden",
		`Open the page "Die Öffnungszeiten des Vereins"`:      "reach named=Die Öffnungszeiten des Vereins widget=page",
	} {
		g := Parse(task, nil)
		if got := told(g.Subgoals[0]); g.Language != language.English || got != want {
			t.Errorf("%s (%s)\n got %s\nwant %s", task, g.Language, got, want)
		}
	}
}

func TestWishesOfGermanTasks(t *testing.T) {
	for task, want := range map[string]string{
		"Finde heraus, was die Jahresgebühr kostet": "wissen, was die Jahresgebühr kostet",
		"Öffne deine Bestellungen":                  "meine Bestellungen finden",
		"Melde dich mit {{email}} an":               "dies tun: melde mich mit {{email}} an",
	} {
		g := Parse(task, nil)
		if got := g.Subgoals[0].Plain(); got != want {
			t.Errorf("%s is wished as %q", task, got)
		}
	}
}

// TestALanguageIsData: it has no other deeds and small lists than English.
func TestALanguageIsData(t *testing.T) {
	deeds := map[string]bool{}
	for _, entries := range english().lists[verbs] {
		for _, e := range entries {
			deeds[e.means] = true
		}
	}
	for _, lang := range language.Installed() {
		for name := range lexiconOf(lang).orders {
			if english().orders[name] == nil {
				t.Errorf("%s/words.txt has a list %q that English lacks", lang, name)
			}
		}
		for word, entries := range lexiconOf(lang).lists[verbs] {
			for _, e := range entries {
				if !deeds[e.means] {
					t.Errorf("%s/verbs.txt: %s does %s, which no verb of English does", lang, word, e.means)
				}
			}
		}
	}
}
