package forms

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/persona"
)

// person is who a made-up detail is of: the same everywhere in one walk.
type person struct {
	given, family, city, n string
	age, habit             int // habit is which of several usual ways of writing comes first
	born                   day
}

// ages are the middles of persona.AgeBands in years; bornBefore is the year that
// they are counted back from. A few years more or less put nobody into another
// band's middle: assumptions.
var ages = [...]int{21, 30, 40, 50, 60, 70, 79}

const bornBefore = 2026

func newPerson(who persona.Persona, seed uint64) *person {
	draw := rand.New(rand.NewPCG(seed, 0))
	from := func(list []string) string { return list[draw.IntN(len(list))] }
	p := &person{given: from(people["given names"]), family: from(people["family names"]), city: from(people["cities"]), n: strconv.Itoa(1000 + draw.IntN(9000))}
	p.age = ages[min(max(who.Facets.AgeIndex(), 0), len(ages)-1)]
	// A day of the month that is no month, so that a mistaken order of the two shows.
	p.born = day{bornBefore - 1 - p.age, 1 + draw.IntN(12), 13 + draw.IntN(15)}
	p.habit = draw.IntN(100)
	return p
}

// told is a value of the lists with the person's details in it. Addresses are
// written small.
func (p *person) told(value, about string) string {
	out := value
	if strings.Contains(value, "{") {
		out = strings.NewReplacer("{given}", p.given, "{family}", p.family, "{city}", p.city, "{n}", p.n, "{age}", strconv.Itoa(p.age), "{about}", about).Replace(value)
	}
	if strings.Contains(out, "@") && !strings.Contains(out, " ") || strings.HasSuffix(value, "{n}") {
		return strings.ToLower(out)
	}
	return out
}

// made is what may be made up for a field, the likeliest first.
func (c *Clerk) made(l *look, f *field) []string {
	var out []string
	switch day := c.anyDay(f); f.kind {
	case "birthday", "date":
		out = dateForms(f, day, "", l)
	case "day", "month", "year":
		out = partOf(f.kind, day.String())
	case "hour", "minute", "half":
		out = partOf(f.kind, people["time"][0])
	case "number", "quantity", "amount":
		out = numbers(f)
	default:
		out = c.person.list(f.kind, texts(l.Subgoal.Object), l)
	}
	return suited(f, out)
}

// list is what the lists have for a kind of field, with the person's details in it.
func (p *person) list(kind, about string, l *look) (out []string) {
	list := people[kind]
	if len(list) == 0 {
		kind, list = "text", people["text"]
	}
	if gb := people[kind+"@gb"]; len(gb) > 0 && l.british() {
		list = gb
	}
	if own := people[l.lang()+" "+kind]; len(own) > 0 {
		list = own
	}
	for _, value := range list {
		if about != "" || !strings.Contains(value, "{about}") {
			out = append(out, p.told(value, about))
		}
	}
	if kind == "phone" {
		first := p.habit % len(out)
		out = append(out[first:len(out):len(out)], out[:first]...)
	}
	return out
}

// anyDay is the day that a field or its parts ask for: the person's birthday, when
// a card ends, else one that the bounds of the field allow.
func (c *Clerk) anyDay(f *field) day {
	about := f.e.Group + " " + f.label
	switch {
	case mentions(about, "birthday") || strings.Contains(f.e.Autocomplete, "bday"):
		return c.person.born
	case mentions(about, "expiry") || strings.HasPrefix(f.e.Autocomplete, "cc-"):
		return day{someYear + 4, 12, 1}
	}
	d := day{someYear, 6, 14}
	if low, ok := parseDate(f.e.Min, false); ok && d.time().Before(low.time()) {
		return low
	}
	if high, ok := parseDate(f.e.Max, false); ok && d.time().After(high.time()) {
		return high
	}
	return d
}

// longPattern is the length up to which a pattern is read. A pin has leastPin
// digits at least; fewer in a rule are those that a password is to hold: assumptions.
const (
	longPattern = 500
	leastPin    = 3
)

// suited are those of some values that a field takes by what it says of itself, all
// where none does: what it gives as an example and as many digits as it wants first.
func suited(f *field, out []string) []string {
	hints := f.e.Error + " " + f.e.Help + " " + f.e.Placeholder + " " + f.label
	secret, prose := f.kind == "password", f.kind == "message"
	if n := number("digits", hints); n > 0 && n <= len(people["digits"][0]) && !prose && (!secret || n >= leastPin) {
		out = append([]string{people["digits"][0][:n], people["digits"][1][:n]}, out...)
	}
	if m := groups("example", hints); m != nil && !prose && !secret && f.kind != "email" {
		if e := strings.Trim(m[1], " .,;:()"); strings.ContainsAny(e, "0123456789") {
			out = append([]string{e}, out...)
		}
	}
	keep := func(wanted bool, ok func(string) bool) {
		if !wanted {
			return
		}
		if fit := slices.DeleteFunc(slices.Clone(out), func(o string) bool { return !ok(o) }); len(fit) > 0 {
			out = fit
		}
	}
	if p := f.e.Pattern; p != "" && len(p) < longPattern {
		if re, err := regexp.Compile("^(?:" + p + ")$"); err == nil {
			keep(true, re.MatchString)
		}
	}
	least, most := number("at least", hints), number("at most", hints)
	keep(says("only digits", f.e.Error), func(o string) bool { return strings.Trim(o, "0123456789") == "" })
	keep(says("no spaces", hints), func(o string) bool { return !strings.Contains(o, " ") })
	keep(secret && says("plain", hints), func(o string) bool { return !strings.ContainsAny(o, "-!") })
	keep(secret || prose, func(o string) bool { return len(o) >= least })
	keep((secret || prose) && most > least, func(o string) bool { return len(o) <= most })
	keep(f.e.MaxLength > 0, func(o string) bool { return len([]rune(o)) <= f.e.MaxLength })
	return out
}

// numbers are those of the list, drawn into the bounds of a field.
func numbers(f *field) (out []string) {
	for _, text := range people["number"] {
		n, _ := parseNumber(text)
		if low, ok := parseNumber(f.e.Min); ok {
			n = max(n, low)
		}
		if high, ok := parseNumber(f.e.Max); ok {
			n = min(n, high)
		}
		out = append(out, strconv.FormatFloat(n, 'f', -1, 64))
	}
	return out
}

// choice is the option that a made-up person takes: the one that is true of them,
// else the first that leads on. About most things that are asked apart people say
// no, to the others yes.
func (c *Clerk) choice(l *look, f *field, labels []string) int {
	question := f.e.Group
	if f.e.Role != "radio" { // whose label is an answer
		question += " " + f.label
	}
	var truth []string
	if f.kind != "text" {
		truth = c.made(l, f)
	}
	const told = 0.3 // what the task says itself decides between what is as good: an assumption
	asked := language.Read(c.goal.Task)
	best, score := -1, -1.0
	for i, o := range labels {
		if says("empty", o) {
			continue
		}
		s := 0.5
		switch {
		case says("evasive", o):
			s = 0.1
		case says("yes", o) && says("awkward", question), says("no", o) && !says("awkward", question):
			s = 0.2
		}
		if m := groups("ages", o); m != nil && (f.kind == "age" || mentions(question, "age")) {
			s = certain(numeral(m[1]) <= c.person.age && c.person.age <= numeral(m[2]))
		} else if low := number("over", o); low > 0 && mentions(question, "age") {
			s = certain(c.person.age >= low)
		}
		for _, v := range truth {
			s = max(s, alike(v, o))
		}
		if t, ok := parseClock(o); ok {
			for _, w := range asked.Words {
				if hours, part := dayparts[w.Lemma]; part {
					s = certain(hours[0] <= t.Hour() && t.Hour() < hours[1])
				}
			}
		}
		s += told * language.Cover(language.Read(o).Content(), asked)
		if s > score {
			best, score = i, s
		}
	}
	return best
}
