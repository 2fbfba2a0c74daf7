package projections_test

import (
	"encoding/json"
	"testing"
	"time"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/custompersona"
	"understudy/domain/persona"
	"understudy/projections"
	"understudy/projections/personas"
)

// describe makes a custom persona of an owner.
func (w *world) describe(id string, meta domain.Meta) {
	w.tell(custompersona.Stream(id), custompersona.Create{Persona: custompersona.Created{
		PersonaID: id, OrganizationID: meta.OrganizationID, Environment: meta.Environment,
		Persona: persona.Draft{Name: "Ada", Facets: persona.Facets{AgeBand: "75+", ReadingWPM: 150}}, At: w.at(),
	}}, meta)
}

func (w *world) changePersona(id, patch string) {
	w.tell(custompersona.Stream(id), custompersona.Change{Patch: json.RawMessage(patch), Now: w.at()}, domain.Meta{})
}

func (w *world) deletePersona(id string) {
	w.tell(custompersona.Stream(id), custompersona.Delete{Now: w.at()}, domain.Meta{})
}

func TestPersonaDocuments(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	w.describe("per_1", owner(0))
	w.describe("per_2", owner(0))
	began := w.at()
	w.changePersona("per_2", `{"name":"Eve","age_band":null,"vision":{"min_font":20}}`)
	w.describe("per_3", owner(0))
	w.deletePersona("per_3")
	fill(t, pool, personas.Projection, w.log)
	ctx := testContext(t)

	doc, err := personas.Get(ctx, pool, "per_2", org0)
	if err != nil || doc.Revision != 1 {
		t.Fatalf("revision %d: %v", doc.Revision, err)
	}
	var got personas.Document
	if err := json.Unmarshal(doc.JSON, &got); err != nil {
		t.Fatal(err)
	}
	facets := persona.Facets{ReadingWPM: 150, Vision: persona.Vision{MinFont: 20}}.WithDefaults()
	if got.ID != "per_2" || got.Name != "Eve" || got.Facets != facets || got.Summary != persona.Summarize(facets) {
		t.Errorf("%s", doc.JSON)
	}
	if !got.CreatedAt.Before(began.Time) || got.UpdatedAt.Before(began.Time) || got.UpdatedAt.Sub(began.Time) > time.Second {
		t.Errorf("created %s, updated %s, changed at %s", got.CreatedAt, got.UpdatedAt, began)
	}
	if _, err := personas.Get(ctx, pool, "per_3", org0); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("a deleted persona: %v", err)
	}
	same(t, "personas, newest first", []string{"per_2", "per_1"}, walk(t, 1, func(after string, limit int) ([]projections.Document[personas.Document], bool, error) {
		return personas.List(ctx, pool, org0, projections.Created{}, after, limit)
	}))
}

// A test finds those of its owner only, as they are shown.
func TestFindPersonas(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	for i, id := range []string{"per_1", "per_2", "per_3", "per_other", "per_sandbox"} {
		w.describe(id, owner(max(0, i-2)))
	}
	w.deletePersona("per_3")
	fill(t, pool, personas.Projection, w.log)
	found, err := personas.Find(testContext(t), pool, []string{"per_2", "per_1", "per_3", "per_other", "per_sandbox", "per_nobody"}, org0)
	if err != nil {
		t.Fatal(err)
	}
	ada := persona.Draft{Name: "Ada", Facets: persona.Facets{AgeBand: "75+", ReadingWPM: 150}}
	same(t, "found", map[string]persona.Persona{"per_1": ada.Persona("per_1"), "per_2": ada.Persona("per_2")}, found)
}
