package mind

import (
	"slices"
	"strings"
	"unicode"
)

// namesIn lists the object's words that the clause writes with a capital
// though they do not begin it: proper names.
func namesIn(clause string, object []string) []string {
	var out []string
	for i, f := range strings.Fields(clause) {
		r := []rune(f)
		if i == 0 || len(r) < 2 || !unicode.IsUpper(r[0]) {
			continue
		}
		for _, t := range tokens(f) {
			if b := base(t); has(object, b) && !has(out, b) {
				out = append(out, b)
			}
		}
	}
	return out
}

// Words are the object as the task spells it, for showing. Where somebody signs up
// or logs in, words that say little ("new", "account") are left out.
func (s Subgoal) Words() []string {
	raw := tokens(s.Text)
	var out []string
	for _, o := range s.Object {
		if (s.Verb == "signup" || s.Verb == "login") && vague[o] {
			continue
		}
		word := o
		for _, r := range raw {
			if base(r) == o {
				word = r
				break
			}
		}
		out = append(out, word)
	}
	return out
}

// lightVerbs say nothing without their object.
var lightVerbs = set(`make do take perform carry`)

// refine settles what the words of a clause mean together.
func refine(s *Subgoal) {
	switch {
	case s.Kind == Inform && lightVerbs[s.own]:
		s.Verb, s.own = "", "" // "make a backup" is about the backup
	case s.Kind != Act && s.Answer == "price" && (has(s.Object, "pay") || has(s.Object, "spent") || has(s.Object, "spend") || has(s.Object, "payment")):
		// What was spent stands among the transactions, under the name of who got it.
		if past := tokens(s.Text); has(past, "paid") || has(past, "spent") {
			s.kept = "transaction"
		}
		s.Object = slices.DeleteFunc(slices.Clone(s.Object), func(o string) bool { return o == "pay" || o == "spent" || o == "spend" || o == "payment" })
		if s.kept == "" {
			s.Object = append(s.Object, "price")
		}
	case s.Kind != Act && s.Answer == "contact" && has(s.Object, "email"):
		// An email address is nothing that lies on a street.
		s.Object = slices.DeleteFunc(slices.Clone(s.Object), func(o string) bool { return o == "address" })
	case s.Kind == Inform && s.Answer == "":
		askOwner(s)
	case s.Kind == Act && (s.Verb == "send" || s.Verb == "create" || s.own == "tell"):
		asMessage(s)
	case s.Answer == "time":
		// When something is open is asked of its opening hours.
		for i, o := range s.Object {
			if o == "open" || o == "opening" || o == "close" || o == "closed" {
				s.Object[i] = "hour"
			}
			if weekdays[o] {
				s.Answer = "clock" // when on that day: naming the day again is no answer
			}
		}
	}
}

// askOwner puts questions about whose site it is in the site's words: "which
// services the company offers" are its services, and "what the company is about"
// or "what the company does" stands under "About".
func askOwner(s *Subgoal) {
	raw := tokens(s.Text)
	n := len(raw)
	if n < 4 {
		return
	}
	last, before := base(raw[n-1]), base(raw[n-2])
	whose := func(word string) bool { return vague[word] || owners[word] }
	switch {
	case offering[last] && whose(before):
		if rest := slices.DeleteFunc(slices.Clone(s.Object), func(o string) bool { return o == last || o == before }); len(rest) > 0 {
			s.Object = rest
		}
	case len(s.Object) == 1 && (last == "do" && s.Object[0] == before || last == "about" && before == "is" && s.Object[0] == base(raw[n-3])) && whose(s.Object[0]):
		s.Object = []string{"about"}
	}
}

var offering = set(`offer provide sell`)

var weekdays = set(`monday tuesday wednesday thursday friday saturday sunday today tomorrow weekend`)

// asMessage turns "send the shop a message about a plate" into contacting
// somebody about a plate. Who is written to is known from the site.
func asMessage(s *Subgoal) {
	at := -1
	for i, o := range s.Object {
		switch o {
		case "message", "email", "mail", "note", "letter", "question", "enquiry", "inquiry":
			at = i
		}
	}
	if at < 0 {
		return
	}
	s.Verb, s.own = "contact", ""
	s.Object = s.Object[at+1:]
}

// siteWeight is what a word of the site's own name is worth: it stands on
// every page and tells none from another.
const siteWeight = 0.1

// owners are words for whom a site is of.
var owners = set(`shop store business firm agency organisation organization association charity foundation club restaurant cafe
bar pub bakery hotel hostel clinic practice dentist doctor pharmacy hospital studio gym salon museum gallery theatre theater
cinema library school college university institute bank seller owner`)

// meansOwner reports whether a word of a question for a contact, a time or a
// place says whose: that of the site, as "company" would. Where the task gives a
// name too ("the Mill Lane shop") or a control of the start page names it, it is
// one thing among others of the site (a city's library), but for a shop's way to
// its goods.
func meansOwner(s *Subgoal, t term, page *Page) bool {
	if t.verb || len(s.names) > 0 || !owners[t.base] {
		return false
	}
	switch s.Answer {
	case "contact", "time", "clock", "place":
	default:
		return false
	}
	return t.concept == "shop" || !slices.ContainsFunc(page.Elements, func(e Element) bool { return has(analyse(e.Name).base, t.base) })
}

// adapt lowers the weight of the goal's words that are the site's own name,
// as its start page gives it, or say no more than whose site it is.
func (g *Goal) adapt(page *Page) {
	brand := brandWords(page)
	g.Subgoals = slices.Clone(g.Subgoals) // a Goal is shared by value
	for i := range g.Subgoals {
		s := &g.Subgoals[i]
		left := 0
		for _, t := range s.terms {
			if !t.verb && !has(brand, t.base) {
				left++
			}
		}
		terms := make([]term, len(s.terms))
		for j, t := range s.terms {
			switch {
			case !t.verb && has(brand, t.base) && left > 0: // else nothing says what is looked for
				t.weight, t.name = t.weight*siteWeight, false
			case meansOwner(s, t, page):
				t.weight = min(t.weight, vagueWeight)
			}
			terms[j] = t
		}
		s.terms = terms
	}
}

// brandWords are the words of the link to the site's front page that stands
// at the top.
func brandWords(page *Page) []string {
	for i := range page.Elements {
		e := &page.Elements[i]
		if e.Role == "link" && e.Name != "" && leadsHome(e, page) {
			if w := tokens(e.Name); len(w) <= 4 {
				out := make([]string, len(w))
				for j, t := range w {
					out[j] = base(t)
				}
				return out
			}
		}
	}
	return nil
}

// leadsHome: the link goes to the front page of the page's own host.
func leadsHome(e *Element, page *Page) bool {
	return e.Href != "" && !strings.Contains(e.Href, "#") && !strings.Contains(e.Href, "?") &&
		host(e.Href) == host(page.URL) && path(e.Href) == "/"
}
