package httpapi

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// fieldFault is one entry of a problem's errors: of a parameter, or of what
// Pointer names in the body, which "" is the whole of.
type fieldFault struct {
	Pointer, Parameter string
	Code, Message      string
}

// MarshalJSON writes the one of Pointer and Parameter that names the fault.
func (f fieldFault) MarshalJSON() ([]byte, error) {
	told := struct {
		Pointer   *string `json:"pointer,omitempty"`
		Parameter string  `json:"parameter,omitempty"`
		Code      string  `json:"code"`
		Message   string  `json:"message"`
	}{Parameter: f.Parameter, Code: f.Code, Message: f.Message}
	if f.Parameter == "" {
		told.Pointer = &f.Pointer
	}
	return encoded(told)
}

// maxFaults bounds how many faults one answer lists.
const maxFaults = 50

// faults turns what a schema objects to into faults with texts of our own. The
// validator's texts can quote a value, and so a secret: none of them is used.
// root names the value itself: a parameter, or "" for a body.
func (d *document) faults(wrong *jsonschema.ValidationError, root string) []fieldFault {
	leaves := leavesOf(nil, wrong)
	// The validator goes through maps; the same body gets the same answer.
	slices.SortFunc(leaves, func(a, b *jsonschema.ValidationError) int {
		if at := slices.Compare(a.InstanceLocation, b.InstanceLocation); at != 0 {
			return at
		}
		if by := strings.Compare(a.SchemaURL, b.SchemaURL); by != 0 {
			return by
		}
		return slices.Compare(a.ErrorKind.KeywordPath(), b.ErrorKind.KeywordPath())
	})
	var faults []fieldFault
	seen := map[string]bool{}
	for _, leaf := range leaves {
		for _, f := range d.leafFaults(leaf, root) {
			if at := f.Pointer + "\x00" + f.Message; !seen[at] && len(faults) < maxFaults {
				seen[at] = true
				faults = append(faults, f)
			}
		}
		if len(faults) == maxFaults {
			break
		}
	}
	slices.SortStableFunc(faults, func(a, b fieldFault) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Message, b.Message))
	})
	return faults
}

// leavesOf adds those objections that have no others as their causes.
func leavesOf(leaves []*jsonschema.ValidationError, e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(leaves, e)
	}
	for _, cause := range e.Causes {
		leaves = leavesOf(leaves, cause)
	}
	return leaves
}

func (d *document) leafFaults(e *jsonschema.ValidationError, root string) []fieldFault {
	pointer := pointerOf(e.InstanceLocation)
	name := fieldName(pointer, root)
	schema := d.schemaAt(e.SchemaURL)
	one := func(code, format string, args ...any) []fieldFault {
		return []fieldFault{{Pointer: pointer, Code: code, Message: name + " " + fmt.Sprintf(format, args...)}}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		if message, ok := schema["x-message"].(string); ok { // one of several would do
			return one("required", "%s", message)
		}
		faults := make([]fieldFault, 0, len(k.Missing))
		for _, missing := range k.Missing {
			at := pointer + "/" + escape(missing)
			faults = append(faults, fieldFault{Pointer: at, Code: "required", Message: fieldName(at, root) + " is required"})
		}
		return faults
	case *kind.AdditionalProperties:
		return unknownFields(schema, pointer, name, k.Properties)
	case *kind.Type:
		return one("wrong_type", "must be %s", typeNames(k.Want))
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum:
		return one("out_of_range", "must be %s", bounds(schema, "minimum", "maximum", ""))
	case *kind.MinLength:
		if k.Want == 1 {
			return one("too_short", "must not be empty")
		}
		return one("too_short", "must have %s", bounds(schema, "minLength", "maxLength", "character"))
	case *kind.MaxLength:
		return one("too_long", "must have %s", bounds(schema, "minLength", "maxLength", "character"))
	case *kind.MinItems:
		return one("too_few", "must list %s", bounds(schema, "minItems", "maxItems", "value"))
	case *kind.MaxItems:
		return one("too_many", "must list %s", bounds(schema, "minItems", "maxItems", "value"))
	case *kind.MinProperties:
		return one("too_few", "must hold %s", bounds(schema, "minProperties", "maxProperties", "entry"))
	case *kind.MaxProperties:
		if message, ok := schema["x-message"].(string); ok {
			return one("conflict", "%s", message)
		}
		return one("too_many", "must hold %s", bounds(schema, "minProperties", "maxProperties", "entry"))
	case *kind.UniqueItems:
		return one("duplicate", "must not list the same value twice")
	case *kind.Enum:
		return one("not_allowed", "must be one of %s", listed(k.Want))
	case *kind.Format:
		if message, ok := schema["x-message"].(string); ok {
			return one("wrong_format", "%s", message)
		}
		if k.Want == "date-time" {
			return one("wrong_format", "must be a time such as 2026-01-31T12:00:00Z (RFC 3339)")
		}
	case *kind.Pattern:
		if message, ok := schema["x-message"].(string); ok {
			return one("wrong_format", "%s", message)
		}
	}
	return one("invalid", "is not valid; see the OpenAPI document at /v1/openapi.json")
}

// unknownFields tells which names are not taken, and which are.
func unknownFields(schema map[string]any, pointer, name string, unknown []string) []fieldFault {
	way := ""
	if message, ok := schema["x-message"].(string); ok {
		way = "; " + name + " " + message
	} else if properties, ok := schema["properties"].(map[string]any); ok {
		way = alternatives("; the fields are ", slices.Sorted(maps.Keys(properties)))
	}
	slices.Sort(unknown)
	var faults []fieldFault
	for _, field := range unknown[:min(len(unknown), maxFaults)] {
		field = clip(field)
		at := pointer + "/" + escape(field)
		faults = append(faults, fieldFault{Pointer: at, Code: "unknown_field", Message: fieldName(at, "") + " is not a known field" + way})
	}
	return faults
}

func alternatives(lead string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return lead + strings.Join(names, ", ")
}

// bounds writes the range that a schema allows, in units where it counts some.
func bounds(schema map[string]any, low, high, unit string) string {
	l, hasLow := schema[low].(float64)
	h, hasHigh := schema[high].(float64)
	switch {
	case hasLow && hasHigh:
		return "between " + number(l) + " and " + number(h) + units(unit, h)
	case hasLow:
		return "at least " + number(l) + units(unit, l)
	default:
		return "at most " + number(h) + units(unit, h)
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func units(unit string, n float64) string {
	switch {
	case unit == "":
		return ""
	case n == 1:
		return " " + unit
	case strings.HasSuffix(unit, "y"):
		return " " + strings.TrimSuffix(unit, "y") + "ies"
	}
	return " " + unit + "s"
}

func listed(values []any) string {
	texts := make([]string, 0, len(values))
	for _, v := range values {
		switch r := v.(type) {
		case *big.Rat:
			v = r.RatString()
		case nil:
			v = "null"
		}
		texts = append(texts, fmt.Sprint(v))
	}
	return strings.Join(texts, ", ")
}

func typeNames(types []string) string {
	names := map[string]string{
		"object": "a JSON object", "array": "a list", "string": "a text", "integer": "a whole number",
		"number": "a number", "boolean": "true or false", "null": "null",
	}
	texts := make([]string, 0, len(types))
	for _, t := range types {
		texts = append(texts, names[t])
	}
	return strings.Join(texts, " or ")
}

// pointerTo is the JSON pointer (RFC 6901) of a field as the domain names it.
func pointerTo(field string) string {
	if field == "" {
		return ""
	}
	return pointerOf(strings.Split(field, "."))
}

// maxPointer bounds a pointer in an answer, in bytes.
const maxPointer = 512

// pointerOf is the pointer to a place in a body, cut where a client's own names
// make it long.
func pointerOf(location []string) string {
	var b strings.Builder
	for _, token := range location {
		if b.Len() > maxPointer {
			b.WriteString("/…")
			break
		}
		b.WriteString("/" + escape(clip(token)))
	}
	return b.String()
}

// fieldName writes a pointer the way people write fields: viewport[1],
// quality_gate.threshold.
func fieldName(pointer, root string) string {
	if pointer == "" {
		if root == "" {
			return "the body"
		}
		return root
	}
	var b strings.Builder
	b.WriteString(root)
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = unescaper.Replace(token)
		if _, err := strconv.Atoi(token); err == nil && b.Len() > 0 {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}

// maxName bounds a client's own name for a field in an answer, in bytes.
const maxName = 64

// clip shortens a client's own name for a field.
func clip(name string) string {
	if len(name) <= maxName {
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	end := maxName
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return strings.ToValidUTF8(name[:end], "\uFFFD") + "…"
}
