package sites

import (
	"net/http"
	"net/mail"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxField bounds the value of one field, in characters.
const maxField = 500

// field is one control of a form: what the template shows of it, the rule its
// value must keep, and after form.read its value and the complaint about it.
type field struct {
	Name, Label, Type, Autocomplete, Hint string
	Options                               []option
	Optional                              bool
	Min, Max                              string

	missing string              // complaint about an empty required field
	rule    func(string) string // complaint about a value, "" when it will do

	Value, Error string
}

// option is one choice of a select or a radio group.
type option struct{ Value, Label, Note string }

type form []*field

// read takes the fields from a posted form and reports whether all will do.
func (f form) read(r *http.Request) bool {
	ok := true
	for _, x := range f {
		x.Value = strings.TrimSpace(r.PostFormValue(x.Name))
		if utf8.RuneCountInString(x.Value) > maxField {
			x.Value = string([]rune(x.Value)[:maxField])
		}
		x.Error = x.complaint()
		ok = ok && x.Error == ""
	}
	return ok
}

func (x *field) complaint() string {
	switch {
	case x.Value == "" && x.Optional:
		return ""
	case x.Value == "":
		return x.missing
	case len(x.Options) > 0 && x.Choice().Value == "":
		return "Choose one of the options"
	case x.rule != nil:
		return x.rule(x.Value)
	}
	return ""
}

// Choice is the chosen option, the zero option when there is none.
func (x *field) Choice() option {
	for _, o := range x.Options {
		if o.Value == x.Value {
			return o
		}
	}
	return option{}
}

// Get returns the field of that name, an empty one when the form has none.
func (f form) Get(name string) *field {
	for _, x := range f {
		if x.Name == name {
			return x
		}
	}
	return &field{Name: name}
}

// Errors returns the fields that were complained about, in the form's order.
func (f form) Errors() []*field {
	var bad []*field
	for _, x := range f {
		if x.Error != "" {
			bad = append(bad, x)
		}
	}
	return bad
}

func emailRule(s string) string {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || !strings.Contains(s[strings.LastIndex(s, "@")+1:], ".") {
		return "Enter an email address in the form name@example.com"
	}
	return ""
}

var (
	postcode = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 -]{2,9}$`)
	phone    = regexp.MustCompile(`^\+?[0-9 ()./-]{6,20}$`)
)

func postcodeRule(s string) string {
	if !postcode.MatchString(s) {
		return "Enter a postcode such as LA23 1LP"
	}
	return ""
}

func phoneRule(s string) string {
	if !phone.MatchString(s) {
		return "Enter a telephone number such as 01632 960 001"
	}
	return ""
}

// atLeast asks for n characters.
func atLeast(n int, complaint string) func(string) string {
	return func(s string) string {
		if utf8.RuneCountInString(s) < n {
			return complaint
		}
		return ""
	}
}
