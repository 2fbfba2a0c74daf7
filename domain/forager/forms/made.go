package forms

import (
	"cmp"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/persona"
)

// person is who a made-up detail is of: the same everywhere in one walk.
type person struct {
	given, family, city, n string
	age                    int
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
	return p
}

// told is a value of the lists with the person's details in it. Addresses are
// written small.
func (p *person) told(value, about string) string {
	out := strings.NewReplacer("{given}", p.given, "{family}", p.family, "{city}", p.city, "{n}", p.n, "{age}", strconv.Itoa(p.age), "{about}", about).Replace(value)
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
		out = dateForms(f, day, "", l.british)
	case "day", "month", "year":
		out = partOf(f.kind, day.String())
	case "hour", "minute", "half":
		out = partOf(f.kind, people["time"][0])
	case "number", "quantity", "amount":
		out = numbers(f)
	case "password":
		return fitting(f, c.passwords(f))
	default:
		out = c.person.list(f.kind, texts(l.Subgoal.Object), l.british)
	}
	if f.kind != "message" {
		out = suited(f, out)
	}
	return fitting(f, out)
}

// list is what the lists have for a kind of field, with the person's details in it.
func (p *person) list(kind, about string, british bool) (out []string) {
	list := people[kind]
	if gb := people[kind+"@gb"]; british && len(gb) > 0 {
		list = gb
	}
	if len(list) == 0 {
		list = people["text"]
	}
	for _, value := range list {
		if about != "" || !strings.Contains(value, "{about}") {
			out = append(out, p.told(value, about))
		}
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

// hints are what a field tells of what it wants.
func (f *field) hints() string {
	return f.e.Error + " " + f.e.Help + " " + f.e.Placeholder + " " + f.label
}

// digits are some of as many as the field wants, nil where it does not say.
func digits(f *field, least int) []string {
	n := number("digits", f.hints())
	if n < least || n > len(people["digits"][0]) {
		return nil
	}
	return []string{people["digits"][0][:n], people["digits"][1][:n]}
}

// suited puts what the field gives as an example in front, and digits where it
// wants a number of them or nothing else.
func suited(f *field, out []string) []string {
	if some := digits(f, 1); some != nil {
		out = append(some, out...)
	} else if says("only digits", f.e.Error) {
		slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(certain(!onlyDigits(a)), certain(!onlyDigits(b))) })
	}
	if says("no spaces", f.hints()) {
		for i := range out {
			out[i] = strings.ReplaceAll(out[i], " ", "")
		}
	}
	if m := rules["example"].FindStringSubmatch(f.hints()); m != nil && f.kind != "email" {
		if e := strings.Trim(m[1], " .,;:()"); strings.ContainsAny(e, "0123456789") {
			out = append([]string{e}, out...)
		}
	}
	return out
}

func onlyDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// numbers are some that the bounds of a field allow.
func numbers(f *field) []string {
	v := 2.0
	if low, err := strconv.ParseFloat(f.e.Min, 64); err == nil {
		v = max(v, low)
	}
	if high, err := strconv.ParseFloat(f.e.Max, 64); err == nil {
		v = min(v, high)
	}
	return []string{strconv.FormatFloat(v, 'f', -1, 64), "1", "10", "100"}
}

// longPattern is the length up to which a pattern is read: an assumption.
const longPattern = 500

// fitting are those of some values that match the pattern of a field and are short
// enough, all where none does.
func fitting(f *field, out []string) []string {
	keep := func(ok func(string) bool) {
		fit := slices.DeleteFunc(slices.Clone(out), func(o string) bool { return !ok(o) })
		if len(fit) > 0 {
			out = fit
		}
	}
	if f.e.Pattern != "" && len(f.e.Pattern) < longPattern {
		if re, err := regexp.Compile("^(?:" + f.e.Pattern + ")$"); err == nil {
			keep(re.MatchString)
		}
	}
	if f.e.MaxLength > 0 {
		keep(func(o string) bool { return len([]rune(o)) <= f.e.MaxLength })
	}
	return out
}

// passwords are made up to the rules that the field tells. A pin has three digits
// at least, and four letters are the least that "at most" can mean: assumptions.
func (c *Clerk) passwords(f *field) []string {
	if some := digits(f, 3); some != nil {
		return some
	}
	said, kind := f.hints(), "password"
	if says("plain", said) {
		kind = "password plain"
	}
	least, most := number("at least", said), f.e.MaxLength
	if n := number("at most", said); n >= 4 && (most == 0 || n < most) {
		most = n
	}
	var out []string
	for _, o := range c.person.list(kind, "", false) {
		for len(o) < least && len(o) < maxValue {
			o += "Rv7"
		}
		if most > 0 && len(o) > most && most >= least {
			short := o[len(o)-2:] + o // the end has what the rules want, a digit and a sign
			o = short[:most]
		}
		out = append(out, o)
	}
	return out
}

// choice is the option that a made-up person takes: the one that is true of them,
// else the first that leads on. About most things that are asked apart people say
// no, to the others yes.
func (c *Clerk) choice(l *look, f *field, labels []string) int {
	question := f.e.Group + " " + f.label
	var truth []string
	if f.kind != "text" {
		truth = c.made(l, f)
	}
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
		if m := rules["ages"].FindStringSubmatch(o); m != nil && (f.kind == "age" || mentions(question, "age")) {
			s = certain(numeral(m[1]) <= c.person.age && c.person.age <= numeral(m[2]))
		} else if low := number("over", o); low > 0 && mentions(question, "age") {
			s = certain(c.person.age >= low)
		}
		for _, v := range truth {
			s = max(s, alike(v, o))
		}
		if s > score {
			best, score = i, s
		}
	}
	return best
}
