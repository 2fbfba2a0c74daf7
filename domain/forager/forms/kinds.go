package forms

import (
	"embed"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/walk"
)

// The lists of all languages, a folder each. What fields and deeds are stands in that
// of English; the others have names, months, people and rules of their own.
//
//go:embed */fields.txt */people.txt */rules.txt
var folders embed.FS

// kind is what a field wants; text when nothing tells.
type kind struct {
	id       string
	tokens   []string              // of the autocomplete attribute
	types    []string              // of input
	personal bool                  // a detail by which the person is known or reached
	spare    bool                  // left empty unless it has to be filled in
	names    map[string][][]string // by language, then by lemmas
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
	called   = map[string][]string{} // the months in order, as they are written, by language
	people   = map[string][]string{} // by what they enter, behind the language that is not English ("de phone")
	rules    = map[string][]*regexp.Regexp{}
	letters  *strings.Replacer // of the shapes of dates in other languages, to those of English
)

func init() {
	fields, details, says := language.Texts(folders, "fields.txt"), language.Texts(folders, "people.txt"), language.Texts(folders, "rules.txt")
	for _, lang := range language.Installed() {
		readFields(lang, fields[lang])
		before := ""
		if lang != language.English {
			before = lang + " "
		}
		for _, line := range lines(details[lang]) {
			key, values, _ := strings.Cut(line, "|")
			people[before+strings.TrimSpace(key)] = cellsOf(values, ";")
		}
		for _, line := range lines(says[lang]) {
			name, pattern, _ := strings.Cut(line, "\t")
			rules[name] = append(rules[name], regexp.MustCompile("(?i)"+pattern))
		}
	}
}

func readFields(lang, text string) {
	for _, line := range lines(text) {
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
			for _, w := range lemmas(language.ReadAs(lang, head[1])) {
				dayparts[w] = [2]int{from, before}
			}
		case "parts":
			parts[head[1]] = list
		case "deeds":
			deeds[head[1]] = strings.Fields(list[0])
		case "widget":
			for _, name := range list {
				roles[name] = head[1:]
			}
		case "letters":
			letters = strings.NewReplacer(strings.Fields(strings.Join(list, " "))...)
		case "months":
			for i, month := range list {
				for _, name := range strings.Fields(month) {
					months[name] = i + 1
				}
				called[lang] = append(called[lang], strings.ToUpper(month[:1])+strings.Fields(month)[0][1:])
			}
		default:
			at := slices.IndexFunc(kinds, func(k kind) bool { return k.id == head[0] })
			if at < 0 {
				at = len(kinds)
				kinds = append(kinds, kind{id: head[0], tokens: strings.Fields(cells[1]), types: strings.Fields(cells[2]),
					personal: strings.Contains(cells[3], "p"), spare: strings.Contains(cells[3], "e"), names: map[string][][]string{}})
			}
			for _, name := range list {
				kinds[at].names[lang] = append(kinds[at].names[lang], lemmas(language.ReadAs(lang, name)))
			}
		}
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

func lemmas(p *language.Phrase) []string {
	var out []string
	for _, w := range p.Words {
		if !w.Part {
			out = append(out, w.Lemma)
		}
	}
	return out
}

// is tells whether a deed is one of a list.
func is(list, deed string) bool { return slices.Contains(deeds[list], deed) }

// says reports whether a rule's pattern stands in a text.
func says(rule, text string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(rules[rule], func(re *regexp.Regexp) bool { return re.MatchString(text) })
}

// groups are what the groups of a rule hold in a text, in the first language whose
// rule stands in it, nil for none.
func groups(rule, text string) []string {
	for _, re := range rules[rule] {
		if m := re.FindStringSubmatch(text); m != nil {
			return m
		}
	}
	return nil
}

// number is what the first group of a rule that matched says in digits, 0 for none.
func number(rule, text string) int {
	for _, group := range groups(rule, text) {
		if n, err := strconv.Atoi(group); err == nil {
			return n
		}
	}
	return 0
}

// named is the kind whose name is the longest in a text, "" when none is. The text is
// taken for the language that it seems to be in, then for that of what it stands on.
func named(text, lang string) string {
	p := language.Read(text)
	id := namedIn(p)
	if id == "" && p.Language() != lang {
		id = namedIn(language.ReadAs(lang, text))
	}
	return id
}

func namedIn(p *language.Phrase) string {
	words, longest, id := lemmas(p), 0, ""
	for i := range kinds {
		for _, name := range kinds[i].names[p.Language()] {
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
	p := language.Read(text)
	words := lemmas(p)
	return slices.ContainsFunc(lookUp(id).names[p.Language()], func(name []string) bool { return within(words, name) })
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
func AsksFor(e *walk.Element) string { return kindOf(e, e.Name, language.English) }

// kindOf tells what a field wants: by its autocomplete token, the type of its
// input, what it is called, what its hint shows, and at last its shape. A type that
// says little (text, number, date) gives way to a name. lang is the page's language.
func kindOf(e *walk.Element, label, lang string) string {
	for _, token := range strings.Fields(strings.ToLower(e.Autocomplete)) {
		if k := first(func(k kind) bool {
			return slices.Contains(k.tokens, token) && (k.id != "username" || e.InputType != "email")
		}); k.id != "" {
			return k.id
		}
	}
	byType := first(func(k kind) bool { return slices.Contains(k.types, strings.ToLower(e.InputType)) }).id
	vague := byType == "" || byType == "number" || byType == "date"
	byName, byHint := named(label, lang), named(e.Placeholder, lang)
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
