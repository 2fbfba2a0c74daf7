package persona

import (
	"encoding/json"

	"understudy/domain"
)

// Draft is a persona as somebody has described it: a name, any facets, and a
// summary or none. Its JSON is flat, facets beside the name, as the interface
// shows personas.
type Draft struct {
	Name    string `json:"name"`
	Summary string `json:"summary,omitempty"`
	Facets
}

// Persona is who the draft describes: the facets that were not given have
// their defaults, and without a summary the facets are told in a sentence.
func (d Draft) Persona(id string) Persona {
	p := Persona{ID: id, Name: d.Name, Summary: d.Summary, Facets: d.WithDefaults()}
	if p.Summary == "" {
		p.Summary = Summarize(p.Facets)
	}
	return p
}

// Validate lists what is wrong with the draft by field; none means that its persona can be used.
func (d Draft) Validate() []domain.FieldError { return d.Persona("").Validate() }

// Merge is the draft after a JSON merge patch (RFC 7396): what the patch names
// is replaced, and what it names as null is as if it had never been given. A
// patch that is no object, or holds a value of another type than the field, is
// refused; what it makes of the draft is for Validate to judge.
func (d Draft) Merge(patch []byte) (Draft, error) {
	var changes map[string]any
	if err := json.Unmarshal(patch, &changes); err != nil || changes == nil { // null
		return d, unfit()
	}
	given, err := json.Marshal(d)
	if err != nil { // a draft is plain data, but for numbers that JSON has not
		return d, unfit()
	}
	fields := map[string]any{}
	if err := json.Unmarshal(given, &fields); err != nil {
		return d, unfit()
	}
	merged, err := json.Marshal(merge(fields, changes))
	if err != nil {
		return d, unfit()
	}
	var after Draft
	if err := json.Unmarshal(merged, &after); err != nil {
		return d, unfit()
	}
	return after, nil
}

func unfit() error {
	return domain.Invalid("", "wrong_type", "the body must be a JSON object of a persona's fields, each of its type or null")
}

// merge is the algorithm of RFC 7396, section 2, for two objects. target
// becomes the result.
func merge(target, patch map[string]any) map[string]any {
	for name, value := range patch {
		nested, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(target, name)
		case isObject:
			into, _ := target[name].(map[string]any)
			if into == nil {
				into = map[string]any{}
			}
			target[name] = merge(into, nested)
		default:
			target[name] = value
		}
	}
	return target
}
