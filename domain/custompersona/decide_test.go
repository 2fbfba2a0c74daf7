package custompersona_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/custompersona"
	"understudy/domain/domaintest"
	"understudy/domain/persona"
)

var now = domain.At(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))

// ada is a persona with two facets of her own.
var ada = persona.Draft{Name: "Ada", Facets: persona.Facets{AgeBand: "75+", ReadingWPM: 150}}

var created = custompersona.Created{
	PersonaID: "per_1", OrganizationID: "org_1", Environment: domain.Live, Persona: ada, At: now,
}

func describing(d persona.Draft) custompersona.Create {
	c := created
	c.Persona = d
	return custompersona.Create{Persona: c}
}

func change(patch string) custompersona.Change {
	return custompersona.Change{Patch: json.RawMessage(patch), Now: now}
}

func changed(edit func(d *persona.Draft)) custompersona.Changed {
	d := ada
	edit(&d)
	return custompersona.Changed{Persona: d, At: now}
}

type (
	fact   = domaintest.Case[custompersona.Command, custompersona.Event]
	events = []custompersona.Event
)

func TestCreateAndDelete(t *testing.T) {
	t.Parallel()
	deleted := custompersona.Deleted{At: now}
	domaintest.Run(t, custompersona.Decider, []fact{
		{Name: "created", When: describing(ada), Then: events{created}},
		{Name: "created again", Given: events{created}, When: describing(ada)},
		{Name: "created again after the deletion", Given: events{created, deleted}, When: describing(ada)},
		{Name: "without a name", When: describing(persona.Draft{Name: " "}), Refused: domain.CodeValidationFailed},
		{Name: "deleted", Given: events{created}, When: custompersona.Delete{Now: now}, Then: events{deleted}},
		{Name: "deleted again", Given: events{created, deleted}, When: custompersona.Delete{Now: now}, Refused: domain.CodeNotFound},
		{Name: "deletion of nothing", When: custompersona.Delete{Now: now}, Refused: domain.CodeNotFound},
	})
}

func TestChange(t *testing.T) {
	t.Parallel()
	slower := changed(func(d *persona.Draft) { d.ReadingWPM = 90 })
	domaintest.Run(t, custompersona.Decider, []fact{
		{Name: "one facet", Given: events{created}, When: change(`{"reading_wpm":90}`), Then: events{slower}},
		{
			Name: "back to the default", Given: events{created}, When: change(`{"reading_wpm":null}`),
			Then: events{changed(func(d *persona.Draft) { d.ReadingWPM = 0 })},
		},
		{Name: "to what it is", Given: events{created}, When: change(`{"reading_wpm":150,"age_band":"75+"}`)},
		{Name: "nothing", Given: events{created}, When: change(`{}`)},
		{
			Name: "after another change, of which nothing is lost", Given: events{created, slower}, When: change(`{"name":"Eve"}`),
			Then: events{changed(func(d *persona.Draft) { d.Name, d.ReadingWPM = "Eve", 90 })},
		},
		{Name: "to a value that nobody has", Given: events{created}, When: change(`{"reading_wpm":9000}`), Refused: domain.CodeValidationFailed},
		{Name: "to a value of another type", Given: events{created}, When: change(`{"reading_wpm":"fast"}`), Refused: domain.CodeValidationFailed},
		{Name: "of nothing", When: change(`{"name":"Eve"}`), Refused: domain.CodeNotFound},
		{Name: "after the deletion", Given: events{created, custompersona.Deleted{At: now}}, When: change(`{"name":"Eve"}`), Refused: domain.CodeNotFound},
	})
}

func TestARefusalNamesEveryField(t *testing.T) {
	t.Parallel()
	_, err := custompersona.Decider.Decide(custompersona.State{}, describing(persona.Draft{Facets: persona.Facets{Zoom: 9, Vision: persona.Vision{MinFont: 99}}}))
	var refusal *domain.Error
	if !errors.As(err, &refusal) || len(refusal.Fields) != 3 {
		t.Fatalf("%v", err)
	}
	for i, field := range []string{"name", "vision.min_font", "zoom"} {
		if refusal.Fields[i].Field != field || refusal.Fields[i].Message == "" {
			t.Errorf("field %d is %+v, want %s", i, refusal.Fields[i], field)
		}
	}
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, custompersona.Decider, rapid.Custom(func(t *rapid.T) custompersona.Command {
		switch rapid.IntRange(0, 9).Draw(t, "command") {
		case 0, 1:
			return describing(ada)
		case 2:
			return custompersona.Delete{Now: now}
		}
		return change(rapid.SampledFrom([]string{
			`{"name":"Eve"}`, `{"name":" "}`, `{"zoom":3}`, `{"zoom":null}`, `{"zoom":99}`, `{"vision":{"min_font":20}}`, `{"vision":null}`, `[]`,
		}).Draw(t, "patch"))
	}))
}

func TestEvolveIsTotal(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, custompersona.Decider, custompersona.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, custompersona.Catalogue)
}
