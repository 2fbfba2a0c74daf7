// Package reports is the read model of reports.
package reports

import (
	_ "embed"
	"encoding/json"
	"time"

	"understudy/domain"
	"understudy/domain/report"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 1

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
	Doc            json.RawMessage
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
	Name:    "reports",
	Columns: []string{"organization_id", "environment", "test_id", "created_at", "doc"},
	ID:      projections.StreamID,
	Fold:    Fold,
	Values: func(r Row) ([]any, error) {
		return []any{r.OrganizationID, string(r.Environment), r.TestID, r.CreatedAt, string(r.Doc)}, nil
	},
	Scan: func(scan func(...any) error) (r Row, err error) {
		return r, scan(&r.OrganizationID, (*string)(&r.Environment), &r.TestID, &r.CreatedAt, &r.Doc)
	},
}
