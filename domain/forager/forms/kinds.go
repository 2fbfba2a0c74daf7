package forms

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/walk"
)

// The lists of a language. A second language is a second folder.
var (
	//go:embed en/fields.txt
	fieldsText string
	//go:embed en/people.txt
	peopleText string
	//go:embed en/rules.txt
	rulesText string
)

// kind is what a field wants; text when nothing tells.
type kind struct {
	id       string
	tokens   []string   // of the autocomplete attribute
	types    []string   // of input
	personal bool       // a detail by which the person is known or reached
	spare    bool       // left empty unless it has to be filled in
	names    [][]string // by lemmas
}

var (
	kinds []kind
	fits  = map[string]map[string]float64{} // kinds of values, the kinds of fields that take them
	parts = map[string][]string{}
	deeds = map[string][]string{}
	// dayparts are the hours of a part of the day: from the first on, before the second.
	dayparts = map[string][2]int{}
	roles    = map[string][]string{} // of the controls that tasks call so
	months   = map[string]int{}      // by every name that they have
	called   []string                // the months in order, as they are written
	people   = map[string][]string{}
	rules    = map[string]*regexp.Regexp{}
)

func init() {
	for _, line := range lines(fieldsText) {
		cells := cellsOf(line, "|")
		head, list := strings.Fields(cells[0]), cellsOf(cells[len(cells)-1], ";")
		switch head[0] {
		case "fits":
			fits[head[1]] = map[string]float64{}
			for _, pair := range list {
				to, strength, _ := strings.Cut(pair, " ")
				fits[head[1]][to], _ = strconv.ParseFloat(strength, 64)
			}
		case "daypart":
			from, _ := strconv.Atoi(head[2])
			before, _ := strconv.Atoi(head[3])
			dayparts[head[1]] = [2]int{from, before}
		case "parts":
			parts[head[1]] = list
		case "deeds":
			deeds[head[1]] = strings.Fields(list[0])
		case "widget":
			for _, name := range list {
				roles[name] = head[1:]
			}
		case "months":
			for i, month := range list {
				for _, name := range strings.Fields(month) {
					months[name] = i + 1
				}
				called = append(called, strings.ToUpper(month[:1])+strings.Fields(month)[0][1:])
			}
		default:
			k := kind{id: head[0], tokens: strings.Fields(cells[1]), types: strings.Fields(cells[2]),
				personal: strings.Contains(cells[3], "p"), spare: strings.Contains(cells[3], "e")}
			for _, name := range list {
				k.names = append(k.names, lemmas(name))
			}
			kinds = append(kinds, k)
		}
	}
	for _, line := range lines(peopleText) {
		key, values, _ := strings.Cut(line, "|")
		people[strings.TrimSpace(key)] = cellsOf(values, ";")
	}
	for _, line := range lines(rulesText) {
		name, pattern, _ := strings.Cut(line, "\t")
		rules[name] = regexp.MustCompile("(?i)" + pattern)
	}
}

// lines are those of a list that are no comments.
func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") })
}

func cellsOf(line, by string) []string {
	out := strings.Split(line, by)
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

func lemmas(text string) []string {
	var out []string
	for _, w := range language.Read(text).Words {
		if !w.Part {
			out = append(out, w.Lemma)
		}
	}
	return out
}

// is tells whether a deed is one of a list.
func is(list, deed string) bool { return slices.Contains(deeds[list], deed) }

// says reports whether a rule's pattern stands in a text.
func says(rule, text string) bool { return rules[rule].MatchString(strings.TrimSpace(text)) }

// number is what the first group of a rule that matched says in digits, 0 for none.
func number(rule, text string) int {
	for _, group := range rules[rule].FindStringSubmatch(text) {
		if n, err := strconv.Atoi(group); err == nil {
			return n
		}
	}
	return 0
}

// named is the kind whose name is the longest in a text, "" when none is.
func named(text string) string {
	words, longest, id := lemmas(text), 0, ""
	for i := range kinds {
		for _, name := range kinds[i].names {
			if len(name) > longest && within(words, name) {
				longest, id = len(name), kinds[i].id
			}
		}
	}
	return id
}

func within(words, name []string) bool {
	for at := range len(words) - len(name) + 1 {
		if slices.Equal(words[at:at+len(name)], name) {
			return true
		}
	}
	return false
}

// mentions reports whether a text names a kind of field.
func mentions(text, id string) bool {
	words := lemmas(text)
	return slices.ContainsFunc(lookUp(id).names, func(name []string) bool { return within(words, name) })
}

func lookUp(id string) kind {
	return first(func(k kind) bool { return k.id == id })
}

// first is the first kind that something is true of, one without a name for none.
func first(is func(kind) bool) kind {
	if at := slices.IndexFunc(kinds, is); at >= 0 {
		return kinds[at]
	}
	return kind{}
}

// AsksFor tells what a field wants by what it says of itself: one of the kinds of
// en/fields.txt, "text" when nothing tells.
func AsksFor(e *walk.Element) string { return kindOf(e, e.Name) }

// kindOf tells what a field wants: by its autocomplete token, the type of its
// input, what it is called, what its hint shows, and at last its shape. A type that
// says little (text, number, date) gives way to a name.
func kindOf(e *walk.Element, label string) string {
	for _, token := range strings.Fields(strings.ToLower(e.Autocomplete)) {
		if k := first(func(k kind) bool {
			return slices.Contains(k.tokens, token) && (k.id != "username" || e.InputType != "email")
		}); k.id != "" {
			return k.id
		}
	}
	byType := first(func(k kind) bool { return slices.Contains(k.types, strings.ToLower(e.InputType)) }).id
	vague := byType == "" || byType == "number" || byType == "date"
	byName, byHint := named(label), named(e.Placeholder)
	_, dated := dateShape(e.Placeholder)
	switch {
	case e.Role == "searchbox":
		return "search"
	case e.Role == "file":
		return "file"
	case vague && byName != "" && (byType == "" || fits[byName][byType] > 0 || fits[byType][byName] > 0 || byType != "date" && isPart(byName)):
		return byName
	case byType != "":
		return byType
	case byHint != "":
		return byHint
	case dated:
		return "date"
	case e.Multiline || e.Rich || e.InputType == "textarea":
		return "message"
	case e.Role == "spinbutton" || e.Role == "slider":
		return "number"
	}
	return "text"
}

// isPart reports kinds that are a part of another.
func isPart(id string) bool {
	for _, of := range parts {
		if slices.Contains(of, id) {
			return true
		}
	}
	return false
}

// suits is how well a field of a kind takes a value of a kind, 0 to 1: a kind that
// nothing tells half, its own nearly for sure (assumptions, as those of the list).
func suits(value, field string) float64 {
	switch value {
	case "":
		return 0.5
	case field:
		return 0.95
	}
	return fits[value][field]
}

// rolesOf are the roles that controls have which a task calls so, nil for a name
// that is not known.
func rolesOf(name string) []string { return roles[strings.ToLower(name)] }
