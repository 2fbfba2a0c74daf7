package language

import (
	"regexp/syntax"
	"strings"
	"testing"
)

func TestWordsThatAreOneAndWordsThatAreTwo(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		least, most float64
	}{
		{"cart", "basket", 0.8, 0.8}, {"docs", "documentation", 0.8, 0.8}, {"subscribe", "subscription", 0.75, 0.8}, {"find", "search", 0.8, 0.8},
		{"colour", "color", 0.9, 0.9}, {"organised", "organize", 0.9, 0.9}, {"e-mails", "email", 0.9, 0.9}, {"settings", "setting", 0.9, 0.9}, {"FAQs", "faq", 0.9, 0.9},
		{"salary", "pay", 0.4, 0.7}, {"hours", "open", 0.1, 0.8}, {"yearly", "annual", 0.6, 0.7}, {"teacher", "teach", 0.7, 0.75}, {"1,000", "1000", 1, 1},
		// Different things with near vectors.
		{"Monday", "Tuesday", 0, 0}, {"Anna", "Maria", 0, 0}, {"Paris", "London", 0, 0}, {"buy", "sell", 0, 0}, {"increase", "decrease", 0, 0},
		{"red", "blue", 0, 0}, {"first", "second", 0, 0}, {"left", "right", 0, 0}, {"login", "logout", 0, 0}, {"enable", "disable", 0, 0},
		// Unrelated words.
		{"kayak", "contract", 0, 0}, {"hours", "garden", 0, 0}, {"message", "cloud", 0, 0}, {"university", "universe", 0, 0}, {"setting", "set", 0, 0.8},
	} {
		a, b := Read(c.a).Words[0], Read(c.b).Words[0]
		if got := Match(a, b); got < c.least || got > c.most || got != Match(b, a) {
			t.Errorf("%s and %s match by %.2f, want %.2f to %.2f", c.a, c.b, got, c.least, c.most)
		}
	}
}

func TestHowFarLabelsSayWhatIsWanted(t *testing.T) {
	for _, c := range []struct {
		want, label string
		least, most float64
	}{
		{"log in", "Sign in", 0.8, 1}, {"log in", "Login", 0.8, 1}, {"log in", "Log out", 0, 0.1}, {"sign up", "Log in", 0, 0.1}, {"check in", "Check out", 0, 0.1},
		{"user name", "Username", 0.85, 1}, {"username", "User name", 0.85, 1}, {"frequently asked questions", "FAQ", 0.75, 1}, {"annual general meeting", "AGM 2024", 0.75, 1},
		{"yearly fee for students", "What pupils pay a year", 0.4, 1}, {"boat rental", "Rent a boat", 0.75, 1}, {"boat rental", "Terms of service", 0, 0.15},
	} {
		if got := Cover(Read(c.want).Content(), Read(c.label)); got < c.least || got > c.most {
			t.Errorf("%q says %.2f of %q, want %.2f to %.2f", c.label, got, c.want, c.least, c.most)
		}
	}
}

func TestOneLemmaForAllForms(t *testing.T) {
	for lemma, forms := range map[string]string{
		"setting": "setting settings", "rating": "rating ratings", "open": "opening openings opened opens", "cancel": "cancelled canceled cancelling cancels",
		"organization": "organisation organisations", "analysis": "analyses", "pay": "paid pays paying", "theater": "theatre theatres", "shelf": "shelves", "taxi": "taxis",
		"news": "news", "class": "class classes", "bus": "bus buses", "this": "this", "focus": "focus", "physics": "physics", "login": "log-in", "press": "presses", "carry": "carries carried",
	} {
		for f := range strings.FieldsSeq(forms) {
			if got := Read(f).Words[0].Lemma; got != lemma {
				t.Errorf("%s has the lemma %s, want %s", f, got, lemma)
			}
		}
	}
	for i := range int32(known) {
		if w := textOf(i); lemma(lemma(w)) != lemma(w) {
			t.Errorf("the lemma of %s has the lemma %s", w, lemma(lemma(w)))
		}
	}
}

func TestWhatLabelsExpress(t *testing.T) {
	for label, want := range map[string]string{
		"Sign up for free": "signup", "Create your own account": "signup", "Log me in": "login", "Sign-In": "login", "Check-out": "checkout", "Turn the sound off": "off",
		"Add the blue mug to cart": "addcart", "E-Mail-Address": "email", "Mark all messages as done": "done", "Opening-hours": "hours", "You": "profile", "Contact you": "contact",
		"set of cups": "", "How many people live here": "", "×": "dismiss", "☰": "menu", "Add to favourites": "star", "Settings": "settings",
	} {
		if got := strings.Join(Read(label).Concepts, " "); got != want {
			t.Errorf("%q expresses %q, want %q", label, got, want)
		}
	}
	if Leads("rename", "menu") == 0 || Leads("open", "menu") == 0 || Leads("login", "login") != 0 || Leads("nothing", "menu") != 0 {
		t.Error("a menu leads to every goal that is known, and nothing to itself")
	}
}

// What the table names has to be in it.
func TestTheTableOfConceptsIsWhole(t *testing.T) {
	for id, c := range names().concepts {
		for to, strength := range c.leads {
			if names().concepts[to] == nil || strength <= 0 || strength > 0.6 {
				t.Errorf("%s is led to by %s with %v", id, to, strength)
			}
		}
		for _, o := range c.opposes {
			if names().concepts[o] == nil {
				t.Errorf("%s opposes %s, which is no concept", id, o)
			}
		}
	}
	for line := range strings.Lines(Texts(folders, "answers.txt")["en"] + Texts(folders, "answers.txt")["de"]) {
		if _, pattern, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			if _, err := syntax.Parse("(?i)"+pattern, syntax.Perl); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestWhoAndWhere(t *testing.T) {
	for _, c := range []struct {
		kind       Kind
		text, want string
	}{
		{Person, "Our director Karin Holm is here", "Karin Holm"}, {Person, "Written by J. K. Rowling in 1997", "J. K. Rowling"}, {Person, "The book by Dr Brown", "Dr Brown"},
		{Person, "Contact: Oluwaseun Adebayo", "Oluwaseun Adebayo"}, {Person, "Ludwig van Beethoven wrote it", "Ludwig van Beethoven"}, {Person, "From Jerry to the board", "Jerry"},
		{Person, "Annual General Meeting", ""}, {Person, "Getting Started With Widgets", ""}, {Person, "New York Times", ""}, {Person, "Village Hall Committee", ""}, {Person, "Black Friday Sale", ""},
		{Person, "Appendix A Summary", ""}, {Person, "Privacy Policy. Cookie Settings", ""},
		{Place, "Anna lives near Oslo", "Oslo"}, {Place, "We meet in the Village Hall", "Village Hall"}, {Place, "Find us at 12 Mill Lane", "12 Mill Lane"}, {Place, "SW1A 1AA", "SW1A 1AA"},
		{Place, "In March we close", ""}, {Place, "Available in English", ""}, {Place, "Signed in as Anna", ""}, {Place, "Back to Home", ""},
		{Hours, "Mon–Fri 9–17", "Mon–Fri 9–17"}, {Hours, "It takes 2–3 minutes", ""}, {Hours, "Pages 12–14", ""}, {Clock, "It costs 3.50", ""}, {Clock, "Starts at 7.30", "at 7.30"},
		{Money, "€1,250.00 a month", "€1,250.00"}, {Duration, "a two-hour walk", "two-hour"}, {Year, "It opened in 1889.", "1889"},
	} {
		if got := Find(c.kind, c.text); got != c.want {
			t.Errorf("the %s in %q is %q, want %q", c.kind, c.text, got, c.want)
		}
	}
}

func TestWhatCannotBeReadIsTold(t *testing.T) {
	for text, tag := range map[string]string{
		"Välkommen till vår förening. Vi träffas varje tisdag i klubbhuset vid ån och alla medlemmar får låna kanoter utan kostnad under hela sommaren från maj till september men måste boka i förväg via formuläret": "sv-SE",
		"Добро пожаловать на наш сайт, здесь вы найдёте всё для дома":                                                                                                                                                  "",
		"こんにちは世界、ここは私たちのサイトです。ようこそいらっしゃいました。ごゆっくりどうぞ。ありがとう。":                                                                                                                                                           "en",
	} {
		if lang, ok := Readable(text, tag); ok {
			t.Errorf("%q is read as %q", text, lang)
		}
	}
	for _, text := range []string{"", "Home Products About Contact Help Login", strings.Repeat("Lindqvist, Anna 1887 R1Hh fetchRows() ", 12), strings.Repeat("Shoes Bags Hats Mugs ", 12)} {
		if _, ok := Readable(text, "de"); !ok {
			t.Errorf("%q cannot be read", text)
		}
	}
}
