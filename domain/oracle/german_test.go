package oracle_test

import "testing"

func TestGermanWalksAreJudged(t *testing.T) {
	const home = `@ / | Bootsverein
		# Willkommen beim Bootsverein
		link Gebühren
		link Kontakt
		link Anmelden`
	const contact = `@ /kontakt | Kontakt
		# Kontakt
		area Nachricht = ; form 1
		submit Absenden`
	asked, wrote := "Finde heraus, was die Jahresgebühr für Studenten kostet", `Schreibe eine Nachricht an den Verein mit dem Text "Kann ich ein Boot leihen?"`
	judge(t, []judged{
		{"an answer that was read", asked, []step{{"", home}, {"click Gebühren", `@ /gebuehren | Gebühren
			# Gebühren
			Die Jahresgebühr für Erwachsene beträgt 120 Euro.
			Die Jahresgebühr für Studenten beträgt 60 Euro.`}}, yes},
		{"an answer about others", asked, []step{{"", home}, {"click Gebühren", `@ /gebuehren | Gebühren
			# Gebühren
			Die Jahresgebühr für Familien beträgt 120 Euro.`}}, short},
		{"no answer", asked, []step{{"", home}}, no},
		{"a message that was sent", wrote, []step{{"", home}, {"click Kontakt", contact},
			{"type Nachricht = Kann ich ein Boot leihen?", "@ /kontakt | Kontakt\n# Kontakt\narea Nachricht = Kann ich ein Boot leihen? ; form 1\nsubmit Absenden"},
			{"click Absenden > POST /kontakt 200 1", "@ /danke | Vielen Dank\n# Vielen Dank\n! Ihre Nachricht wurde gesendet."}}, yes},
		{"a message that was refused", wrote, []step{{"", home}, {"click Kontakt", contact},
			{"type Nachricht = Kann ich ein Boot leihen?", "@ /kontakt | Kontakt\n# Kontakt\narea Nachricht = Kann ich ein Boot leihen? ; form 1\nsubmit Absenden"},
			{"click Absenden > POST /kontakt 200 1", "@ /kontakt | Kontakt\n# Kontakt\n! Fehler: Die Nachricht konnte nicht gesendet werden.\narea Nachricht = Kann ich ein Boot leihen? ; form 1\nsubmit Absenden"}}, short},
		{"a login", `Melde dich mit {{name}} und dem Passwort {{secret}} an`, []step{{"", home},
			{"click Anmelden", "@ /login | Anmelden\n# Anmelden\nfield Benutzername = ; form 1\npassword Passwort ; form 1\nsubmit Anmelden"},
			{"type Benutzername = {{name}}", "@ /login | Anmelden\n# Anmelden\nfield Benutzername = ada ; form 1\npassword Passwort ; form 1\nsubmit Anmelden"},
			{"type Passwort = {{secret}}", "@ /login | Anmelden\n# Anmelden\nfield Benutzername = ada ; form 1\npassword Passwort ; form 1\nsubmit Anmelden"},
			{"click Anmelden > POST /login 302 2", "@ /konto | Mein Konto\n# Willkommen, Ada\nlink Abmelden"}}, yes},
	})
}
