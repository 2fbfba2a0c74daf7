// Package personas is the read model of custom personas.
package personas

import (
	_ "embed"

	"understudy/domain"
	"understudy/domain/custompersona"
	"understudy/domain/persona"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 2

// Projection keeps the custom personas.
var Projection = projections.Projection{
	Name: "personas", Version: version, Schema: schema,
	Prefixes: []string{custompersona.StreamPrefix},
	Apply:    table.Apply,
}

// Document is a custom persona as the API shows it: the facets in force, those
// that were not given with their defaults, beside the name.
type Document struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Summary string `json:"summary"`
	persona.Facets
	CreatedAt domain.Time `json:"created_at"`
	UpdatedAt domain.Time `json:"updated_at"`
}

// Row is a custom persona with what lists filter by.
type Row struct {
	OrganizationID string
	Environment    domain.Environment
	Status         custompersona.Status
	Doc            Document
}

// Fold is the persona after one more event of its stream.
func Fold(r Row, e domain.Recorded) Row {
	switch e := e.Event.(type) {
	case custompersona.Created:
		return Row{
			OrganizationID: e.OrganizationID, Environment: e.Environment, Status: custompersona.Usable,
			Doc: document(e.Persona.Persona(e.PersonaID), e.At, e.At),
		}
	case custompersona.Changed:
		r.Doc = document(e.Persona.Persona(r.Doc.ID), r.Doc.CreatedAt, e.At)
	case custompersona.Deleted:
		r.Status = custompersona.StatusDeleted
	}
	return r
}

func document(p persona.Persona, created, updated domain.Time) Document {
	return Document{ID: p.ID, Name: p.Name, Summary: p.Summary, Facets: p.Facets, CreatedAt: created, UpdatedAt: updated}
}

var table = projections.Table[Row]{
	Name: "personas",
	Columns: []projections.Column[Row]{
		projections.Kept("organization_id", func(r *Row) *string { return &r.OrganizationID }),
		projections.Kept("environment", func(r *Row) *domain.Environment { return &r.Environment }),
		projections.Kept("status", func(r *Row) *custompersona.Status { return &r.Status }),
		projections.KeptJSON("doc", func(r *Row) *Document { return &r.Doc }),
	},
	ID:   projections.StreamID,
	Fold: Fold,
}
