package persona_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/domain/persona"
)

// fill gives every field a value of its kind.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.String:
		v.SetString("a <b>")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(150)
	case reflect.Float64:
		v.SetFloat(0.35)
	default:
		panic(v.Kind())
	}
}

// A sheet leaves out nothing of a persona, and its fields stand in the order of
// their names, as a map's would.
func TestASheetShowsAllOfAPersona(t *testing.T) {
	t.Parallel()
	var p persona.Persona
	fill(reflect.ValueOf(&p).Elem())
	if diff := cmp.Diff(p, persona.Persona{ID: p.Sheet().ID, Name: p.Sheet().Name, Summary: p.Sheet().Summary, Facets: p.Sheet().Facets()}); diff != "" {
		t.Errorf("of its sheet (-want +got):\n%s", diff)
	}
	for _, who := range []persona.Persona{p, {}} {
		shown, err := json.Marshal(who.Sheet())
		if err != nil {
			t.Fatal(err)
		}
		facets, err := json.Marshal(who.Facets)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]any{}
		if err := json.Unmarshal(facets, &all); err != nil {
			t.Fatal(err)
		}
		all["id"], all["name"], all["summary"] = who.ID, who.Name, who.Summary
		want, err := json.Marshal(all)
		if err != nil || string(shown) != string(want) {
			t.Errorf("got  %s\nwant %s, %v", shown, want, err)
		}
	}
}
