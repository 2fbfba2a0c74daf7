package language

import (
	"math"
	"testing"
)

func word(s string) Word { return Read(s).Words[0] }

func TestWordsThatMeanTheSame(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		least, most float64
	}{
		{"fees", "fee", 0.9, 0.9}, {"paid", "pay", 0.9, 0.9}, {"members", "member", 0.9, 0.9},
		{"basket", "cart", 0.8, 0.8}, {"documentation", "docs", 0.8, 0.8}, {"trash", "delete", 0.8, 0.8},
		{"fee", "pay", 0.3, 0.7}, {"salary", "pay", 0.3, 0.8}, {"town", "city", 0.6, 0.7}, {"bicycle", "bike", 0.6, 0.7},
		{"author", "writes", 0.15, 0.75}, {"located", "town", 0, 0.5},
		{"banana", "invoice", 0, 0.1}, {"news", "new", 0, 0.4}, {"window", "salary", 0, 0.1},
		{"json.dumps", "json.dump", 0, 0}, {"csv.reader", "reader", 0.8, 0.8}, {"2016", "2017", 0, 0}, {"12", "12", 1, 1},
	} {
		got, back := Match(word(c.a), word(c.b)), Match(word(c.b), word(c.a))
		if got < c.least || got > c.most || got != back {
			t.Errorf("%s and %s match by %.2f and %.2f, want %.2f to %.2f", c.a, c.b, got, back, c.least, c.most)
		}
	}
}

func TestLemmas(t *testing.T) {
	for w, want := range map[string]string{
		"cities": "city", "boxes": "box", "classes": "class", "class": "class", "news": "news", "running": "run", "planning": "plan",
		"renamed": "rename", "this": "this", "bus": "bus", "hours": "hour", "tried": "try", "colours": "color", "addresses": "address", "thing": "thing", "morning": "morning", "saved": "save", "webhooks": "webhook", "kubelets": "kubelet", "webhookies": "webhooky", "xylus": "xylus",
	} {
		if got := word(w).Lemma; got != want {
			t.Errorf("%s has the lemma %s, want %s", w, got, want)
		}
	}
}

func TestConceptsOfLabels(t *testing.T) {
	for label, want := range map[string][]string{
		"Add to cart": {"addcart"}, "Log in": {"login"}, "Create an account": {"signup"}, "Your basket": {"cart"}, "E-mail address": {"email"},
	} {
		p := Read(label)
		for _, c := range want {
			if !p.Has(c) {
				t.Errorf("%q expresses %v, not %s", label, p.Concepts, c)
			}
		}
		if label == "Add to cart" && p.Has("cart") {
			t.Errorf("%q is taken for the cart", label)
		}
	}
	if !Opposes("signup", "login") || Leads("password", "settings") == 0 || !Destructive("delete") || Destructive("save") || !Pictured("search") {
		t.Error("the table of concepts is not as it is written")
	}
}

func TestAnswersOfAKind(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		text string
		want bool
	}{
		{Money, "Entry is £12 for adults", true}, {Money, "The yearly fee is 180 for adults", true}, {Money, "We have 12 rooms", false},
		{Person, "Our treasurer is Anna Lindqvist.", true}, {Person, "Opening Hours and Prices", false},
		{Hours, "Mon–Fri 9am–5pm", true}, {Hours, "We like guests", false}, {Year, "founded in 1974", true}, {Year, "founded long ago", false},
		{Place, "Find us at 12 Mill Lane", true}, {Place, "We are based in Uppsala", true}, {Email, "write to a@b.example", true},
		{Phone, "Call +46 18 123 45 67", true}, {Percent, "Finished to 80%", true}, {State, "The order was shipped", true}, {Clock, "at 8:30 PM", true},
		{Duration, "It takes 3 working days", true}, {Date, "due on 3 May", true}, {Number, "no digits here", false},
	} {
		if got := Holds(c.kind, c.text); got != c.want {
			t.Errorf("%q holds a %s: %v (%q)", c.text, c.kind, got, Find(c.kind, c.text))
		}
	}
}

func TestLanguagesAreTold(t *testing.T) {
	for text, want := range map[string]string{
		"Die Öffnungszeiten sind auf der Seite und nicht für alle Tage gleich, sie werden bei uns geändert": "de",
		"The opening hours are on the page about the club and they are not the same for all days":           "en",
		"Les horaires sont dans la page et ne sont pas pour tous les jours avec vous":                       "fr",
	} {
		if got, ok := Readable(text, ""); got != want || ok != (want != "fr") {
			t.Errorf("%q is read as %s, %v", text, got, ok)
		}
	}
}

// TestAPageSaysItsLanguage: what a text says of itself counts only where its words
// are of no language that is known.
func TestAPageSaysItsLanguage(t *testing.T) {
	const (
		polish  = "Oddział w Gdańsku zaprasza wszystkich mieszkańców dzielnicy Wrzeszcz na spotkania sąsiedzkie, warsztaty ceramiczne, wieczory filmowe, wspólne gotowanie, pchli targ, zajęcia taneczne, gimnastykę seniorów, kursy szycia, naukę gry na gitarze oraz wycieczki rowerowe po okolicy"
		english = "The opening hours are on the page about the club and they are not the same for all days of the week, as you can see in the table below"
	)
	for _, c := range []struct {
		text, tag, want string
		ok              bool
	}{
		{polish, "pl-PL", "pl", false}, {polish, "", "en", true}, {polish, "en", "en", true},
		{english, "de", "en", true}, {"会社概要と営業時間についてのお知らせをこちらのページでご覧いただけますのでどうぞ", "ja", "ja", false},
	} {
		if got, ok := Readable(c.text, c.tag); got != c.want || ok != c.ok {
			t.Errorf("%.20q that says %q is read as %s, %v", c.text, c.tag, got, ok)
		}
	}
	if !Familiar("Home Search Log in Contact") || !Familiar("Startseite Suche Anmelden Impressum", "de") || Familiar("Startseite Suche Anmelden Impressum") || Familiar("Accueil Recherche Connexion Panier") || Familiar("") {
		t.Error("labels")
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "json.dumps(x)", "“Ünïcode’s”", "a'b'c", "#12 1.2.3", "+", "don't"} {
		f.Add(s, "word")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Read(a), Read(b)
		for _, v := range x.Words {
			if v.IDF < 0 || v.IDF > 1 || v.Text == "" {
				t.Fatalf("%+v", v)
			}
			for _, w := range y.Words {
				if m := Match(v, w); m < 0 || m > 1 || math.IsNaN(m) || m != Match(w, v) {
					t.Fatalf("%q and %q match by %v and %v", v.Text, w.Text, m, Match(w, v))
				}
			}
		}
		if c := Cover(x.Content(), y); c < 0 || c > 1 || math.IsNaN(c) {
			t.Fatal(c)
		}
		for _, k := range []Kind{Money, Number, Percent, Clock, Hours, Date, Year, Duration, Place, Person, Email, Phone, State} {
			Find(k, a)
		}
		Readable(a, b)
		Familiar(a)
	})
}

func TestWordsThatTellWhen(t *testing.T) {
	for text, want := range map[string]bool{"May": true, "Freitag": true, "friday": true, "2023": true, "14": true, "INV-2023": false, "123456": false, "Blue": false, "dentist": false} {
		if got := Read(text).Words[0].Dates(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
