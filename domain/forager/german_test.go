package forager

import (
	"testing"

	"understudy/domain/language"
	"understudy/domain/persona"
)

const verein = `@ / | Bootsverein Musterstadt
	[navigation]
	link Startseite -> /
	link Beiträge -> /gebuehren
	link Kontakt -> /kontakt
	link Anmelden -> /anmelden
	[]
	# Willkommen beim Bootsverein
	Wir treffen uns jeden Dienstag und freuen uns über alle, die gern auf dem Wasser sind.
	@ /gebuehren | Gebühren
	# Unsere Gebühren
	Die Jahresgebühr für Erwachsene beträgt 120 Euro.
	Die Jahresgebühr für Studenten beträgt 60 Euro.
	@ /kontakt | Kontakt
	# Kontakt
	area Ihre Nachricht
	field E-Mail-Adresse
	submit Absenden -> /danke
	@ /danke | Vielen Dank
	# Vielen Dank
	Wir haben Ihre Nachricht erhalten.
	@ /anmelden | Anmelden
	# Anmelden
	field E-Mail-Adresse
	field Passwort
	submit Anmelden -> /konto
	@ /konto | Mein Konto
	# Mein Konto
	Sie sind angemeldet.
	link Abmelden -> /`

// TestGermanPagesAreWalked: a German task on German pages is done as an English one.
func TestGermanPagesAreWalked(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "a question", task: "Finde heraus, was die Jahresgebühr für Studenten kostet", site: verein,
		want: "click Beiträge, done",
	}, {
		name: "a login", task: "Melde dich mit der E-Mail-Adresse ada@example.org und dem Passwort Mond-17 an.", site: verein,
		want: "click Anmelden, type E-Mail-Adresse=ada@example.org, type Passwort=Mond-17, click Anmelden, done",
	}, {
		name: "a message", task: `Schreibe eine Nachricht an den Verein mit dem Text "Kann ich ein Boot leihen?"`, site: verein,
		want: "click Kontakt, type Ihre Nachricht=Kann ich ein Boot leihen?, type E-Mail-Adresse=robin.okafor2508@example.com, click Absenden, done",
	}, {
		name: "a purchase", task: "Lege den Wasserkocher in den Warenkorb",
		site: `@ / | Hausrat
			# Unsere Angebote
			link Pfannen -> /pfannen
			link Wasserkocher -> /kocher
			@ /pfannen | Pfannen
			# Pfannen
			@ /kocher | Wasserkocher
			# Wasserkocher
			Ein Liter Wasser kocht in drei Minuten. 39,90 €
			button In den Warenkorb -> /kocher~drin
			@ /kocher~drin | Wasserkocher
			# Wasserkocher
			Der Artikel liegt jetzt im Warenkorb.`,
		want: "click Wasserkocher, click In den Warenkorb, done",
	}, {
		name: "a banner", task: "Finde die Öffnungszeiten der Bibliothek",
		site: `@ /~neu | Stadtbibliothek
			# Stadtbibliothek
			link Aktuelles -> /news
			link Service und Öffnungszeiten -> /service
			[dialog] Wir verwenden Cookies
			button Alle akzeptieren -> /
			button Einstellungen -> /cookies
			@ / | Stadtbibliothek
			# Stadtbibliothek
			link Aktuelles -> /news
			link Service und Öffnungszeiten -> /service
			@ /news | Aktuelles
			# Aktuelles
			@ /service | Service
			# Öffnungszeiten
			Die Bibliothek ist Montag bis Freitag von 10 bis 18 Uhr geöffnet.`,
		want: "click Alle akzeptieren, click Service und Öffnungszeiten, done",
	}, {
		name: "made-up values", task: "Registriere dich",
		site: `@ / | Leseclub
			# Leseclub
			link Über uns -> /ueber
			link Mitglied werden -> /neu
			@ /ueber | Über uns
			# Über uns
			@ /neu | Registrierung
			# Neues Konto
			field Vorname
			field E-Mail-Adresse
			field Passwort
			check Ich stimme den Nutzungsbedingungen zu
			submit Konto erstellen -> /fertig
			@ /fertig | Willkommen
			# Willkommen
			Ihr Konto wurde erstellt.`,
		want: "click Mitglied werden, type Vorname=Robin, type E-Mail-Adresse=robin.okafor2508@example.com, type Passwort=Walnut-River-47!, check Ich stimme den Nutzungsbedingungen zu, click Konto erstellen, done",
	}, {
		name: "an English task, where concepts lead", task: "Log in with the e-mail address ada@example.org and the password Moon-17", site: verein,
		want: "click Anmelden, type E-Mail-Adresse=ada@example.org, type Passwort=Moon-17, click Anmelden, done",
	}})
}

// TestThoughtsAreInTheLanguageOfTheTask, where its folder has them.
func TestThoughtsAreInTheLanguageOfTheTask(t *testing.T) {
	t.Parallel()
	_, steps := walkOn(verein, "Finde heraus, was die Jahresgebühr für Studenten kostet", persona.Facets{}, 7)
	for i := range steps {
		if said := steps[i].Thought; said != "" && language.Of(said) != "de" {
			t.Errorf("thought %q", said)
		}
	}
	for lang, occasions := range wordings {
		for occasion := range occasions {
			if len(wordings[language.English][occasion]) == 0 {
				t.Errorf("%s/thoughts.txt has an occasion %q that English lacks", lang, occasion)
			}
		}
	}
}
