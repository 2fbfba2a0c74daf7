// Package reports is the read model of reports.
package reports

import (
	_ "embed"
	"time"

	"understudy/domain"
	"understudy/domain/report"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 7

// Projection keeps the reports.
var Projection = projections.Projection{
	Name: "reports", Version: version, Schema: schema,
	Prefixes: []string{report.StreamPrefix},
	Apply:    table.Apply,
}

// Row is a report with what lists filter by.
type Row struct {
	OrganizationID string
	Environment    domain.Environment
	TestID         string
	CreatedAt      time.Time
	Doc            report.Document
}

// Fold is the report after one more event of its stream.
func Fold(r Row, e domain.Recorded) Row {
	if g, ok := e.Event.(report.Generated); ok {
		return Row{
			OrganizationID: g.OrganizationID, Environment: g.Environment,
			TestID: g.TestID, CreatedAt: g.At.Time, Doc: g.Document,
		}
	}
	return r
}

var table = projections.Table[Row]{
	Name: "reports",
	Columns: []projections.Column[Row]{
		projections.Kept("organization_id", func(r *Row) *string { return &r.OrganizationID }),
		projections.Kept("environment", func(r *Row) *domain.Environment { return &r.Environment }),
		projections.Kept("test_id", func(r *Row) *string { return &r.TestID }),
		projections.Kept("created_at", func(r *Row) *time.Time { return &r.CreatedAt }),
		projections.KeptJSON("doc", func(r *Row) *report.Document { return &r.Doc }),
	},
	ID:   projections.StreamID,
	Fold: Fold,
}
