package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// No body that an operation takes comes near these bounds. They keep what a body
// costs to read and to refuse within some times its size.
const (
	// maxNesting is how many lists and objects may be inside each other.
	maxNesting = 32
	// maxValues is how many values a body may hold, names of fields not counted.
	maxValues = 10_000
)

// parseJSON reads one JSON value. Numbers become float64: their size is
// bounded, and every bound in the document is exact in it. What is too small for
// one is not 0, but next to it.
func parseJSON(raw []byte) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, refuse(codeMalformed, "the body is empty; send a JSON object")
	}
	if !utf8.Valid(raw) {
		return nil, refuse(codeMalformed, "the body is not valid UTF-8")
	}
	switch nesting, values := extentOf(raw); {
	case nesting > maxNesting:
		return nil, refuse(codeMalformed, "the body has lists and objects more than %d deep; nothing here takes that", maxNesting)
	case values > maxValues:
		return nil, refuse(codeMalformed, "the body has more than %d values; nothing here takes that", maxValues)
	}
	var whole json.RawMessage // JSON with nothing after it
	err := json.Unmarshal(raw, &whole)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, refuse(codeMalformed, "the body is not valid JSON: it goes wrong at byte %d of %d", syntax.Offset, len(raw))
	case err != nil:
		return nil, refuse(codeMalformed, "the body is not valid JSON")
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(whole))
	d.UseNumber()
	_ = d.Decode(&value) // it is JSON
	value, ok := floats(value)
	if !ok {
		return nil, invalid([]fieldFault{{Code: "out_of_range", Message: "the body holds a number that is too large; no field takes it"}})
	}
	return value, nil
}

// floats has float64 in the place of numbers; ok is false for one that is too large.
func floats(value any) (_ any, ok bool) {
	ok = true
	fits := func(v any) any {
		v, fit := floats(v)
		ok = ok && fit
		return v
	}
	switch value := value.(type) {
	case json.Number:
		f, err := value.Float64()
		if mantissa, _, _ := strings.Cut(strings.ToLower(value.String()), "e"); f == 0 && strings.ContainsAny(mantissa, "123456789") {
			f = math.Copysign(math.SmallestNonzeroFloat64, f)
		}
		return f, err == nil
	case []any:
		for i := range value {
			value[i] = fits(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = fits(value[name])
		}
	}
	return value, ok
}

// extentOf tells how deep JSON is nested, and a number of values that it does not
// exceed: one for each list, object and comma, and the outermost. Of what is not
// JSON it tells something.
func extentOf(raw []byte) (nesting, values int) {
	depth := 0
	values = 1
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			depth++
			values++
			nesting = max(nesting, depth)
		case ']', '}':
			depth--
		case ',':
			values++
		}
	}
	return nesting, values
}

// bodyFaults checks a body: no NUL, which Postgres cannot store, and what the
// schema says.
func (d *document) bodyFaults(rule *bodyRule, value any) []fieldFault {
	nuls := nulSearch{}
	if nuls.in(value); len(nuls.faults) > 0 {
		return nuls.faults
	}
	var wrong *jsonschema.ValidationError
	if err := rule.schema.Validate(value); errors.As(err, &wrong) {
		return d.faults(wrong, "")
	}
	return nil
}

// nulSearch finds where a body has the character U+0000.
type nulSearch struct {
	// path leads to the value that is searched.
	path   []string
	faults []fieldFault
}

func (s *nulSearch) in(value any) {
	const nul = "\x00"
	switch value := value.(type) {
	case string:
		if strings.Contains(value, nul) {
			s.found(func(pointer string) string { return fieldName(pointer, "") + " must not contain the character U+0000" })
		}
	case []any:
		for i, v := range value {
			s.under(strconv.Itoa(i), v)
		}
	case map[string]any:
		names := slices.Sorted(maps.Keys(value))
		if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, nul) }) {
			s.found(func(string) string { return "names of fields must not contain the character U+0000" })
			return
		}
		for _, name := range names {
			s.under(name, value[name])
		}
	}
}

// under searches a value that stands at a place of the present one.
func (s *nulSearch) under(place string, value any) {
	if len(s.faults) == maxFaults {
		return
	}
	s.path = append(s.path, place)
	s.in(value)
	s.path = s.path[:len(s.path)-1]
}

func (s *nulSearch) found(message func(pointer string) string) {
	pointer := pointerOf(s.path)
	s.faults = append(s.faults, fieldFault{Pointer: pointer, Code: "wrong_format", Message: message(pointer)})
}
