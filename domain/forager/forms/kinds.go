package forms

import (
	_ "embed"
	"regexp"
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
	kinds   []kind
	fits    = map[string]map[string]float64{} // kinds of values, the kinds of fields that take them
	parts   = map[string][]string{}
	widgets []widget
	months  = map[string]int{} // by every name that they have
	called  []string           // the months in order, as they are written
	people  = map[string][]string{}
	rules   = map[string]*regexp.Regexp{}
)

// widget is what tasks call a control, with its roles.
type widget struct{ roles, names []string }

func init() {
	for _, line := range lines(fieldsText) {
		cells := cellsOf(line, "|", 5)
		head := strings.Fields(cells[0])
		switch {
		case head[0] == "fits" && len(head) == 2:
			fits[head[1]] = map[string]float64{}
			for _, pair := range cellsOf(cells[1], ";", 0) {
				if to, strength, ok := strings.Cut(pair, " "); ok {
					fits[head[1]][to], _ = strconv.ParseFloat(strength, 64)
				}
			}
		case head[0] == "parts":
			parts[head[1]] = cellsOf(cells[1], ";", 0)
		case head[0] == "widget":
			widgets = append(widgets, widget{head[1:], cellsOf(cells[1], ";", 0)})
		case head[0] == "months":
			for i, month := range cellsOf(cells[1], ";", 0) {
				for at, name := range strings.Fields(month) {
					months[name] = i + 1
					if at == 0 {
						called = append(called, strings.ToUpper(name[:1])+name[1:])
					}
				}
			}
		default:
			k := kind{id: head[0], tokens: strings.Fields(cells[1]), types: strings.Fields(cells[2]),
				personal: strings.Contains(cells[3], "p"), spare: strings.Contains(cells[3], "e")}
			for _, name := range cellsOf(cells[4], ";", 0) {
				k.names = append(k.names, lemmas(language.Read(name)))
			}
			kinds = append(kinds, k)
		}
	}
	for _, line := range lines(peopleText) {
		key, values, _ := strings.Cut(line, "|")
		people[strings.TrimSpace(key)] = cellsOf(values, ";", 0)
	}
	for _, line := range lines(rulesText) {
		if name, pattern, ok := strings.Cut(line, "\t"); ok {
			rules[name] = regexp.MustCompile("(?i)" + pattern)
		}
	}
}

func lines(text string) []string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// cellsOf cuts a line into its parts, at least n.
func cellsOf(line, by string, n int) []string {
	var out []string
	for _, cell := range strings.Split(line, by) {
		out = append(out, strings.TrimSpace(cell))
	}
	for len(out) < n {
		out = append(out, "")
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
func named(p *language.Phrase) string {
	words, best, id := lemmas(p), 0, ""
	for i := range kinds {
		for _, name := range kinds[i].names {
			if len(name) > best && within(words, name) {
				best, id = len(name), kinds[i].id
			}
		}
	}
	return id
}

func within(words, name []string) bool {
	for at := 0; at+len(name) <= len(words); at++ {
		same := true
		for i := range name {
			if words[at+i] != name[i] {
				same = false
				break
			}
		}
		if same {
			return true
		}
	}
	return false
}

// mentions reports whether a text names a kind of field.
func mentions(text, id string) bool {
	words := lemmas(language.Read(text))
	for _, name := range lookUp(id).names {
		if within(words, name) {
			return true
		}
	}
	return false
}

func lookUp(id string) *kind {
	for i := range kinds {
		if kinds[i].id == id {
			return &kinds[i]
		}
	}
	return &kind{id: id}
}

// kindOf tells what a field wants: by its autocomplete token, the type of its
// input, what it is called, what its hint shows, and at last its shape. A type that
// says little (text, number, date) gives way to a name.
func kindOf(e *walk.Element, label string) string {
	for _, token := range strings.Fields(strings.ToLower(e.Autocomplete)) {
		for i := range kinds {
			for _, t := range kinds[i].tokens {
				if t == token && !(kinds[i].id == "username" && e.InputType == "email") {
					return kinds[i].id
				}
			}
		}
	}
	if e.Role == "searchbox" {
		return "search"
	}
	if e.Role == "file" {
		return "file"
	}
	byType := ""
	for i := range kinds {
		for _, t := range kinds[i].types {
			if t == strings.ToLower(e.InputType) {
				byType = kinds[i].id
			}
		}
	}
	if byType != "" && byType != "number" && byType != "date" {
		return byType
	}
	read := language.Read(label)
	if k := named(read); k != "" && (byType == "" || fits[k][byType] > 0 || fits[byType][k] > 0 || isPart(k)) {
		return k
	}
	if byType != "" {
		return byType
	}
	if k := named(language.Read(e.Placeholder)); k != "" {
		return k
	}
	if _, ok := dateShape(e.Placeholder); ok {
		return "date"
	}
	switch {
	case e.Multiline || e.Rich || e.InputType == "textarea":
		return "message"
	case e.Role == "spinbutton" || e.Role == "slider":
		return "number"
	}
	return "text"
}

// isPart reports kinds that are a part of another.
func isPart(id string) bool {
	for _, ps := range parts {
		for _, p := range ps {
			if p == id {
				return true
			}
		}
	}
	return false
}

// suits is how well a field of a kind takes a value of a kind, 0 to 1.
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
func rolesOf(name string) []string {
	for _, w := range widgets {
		for _, n := range w.names {
			if n == strings.ToLower(name) {
				return w.roles
			}
		}
	}
	return nil
}
