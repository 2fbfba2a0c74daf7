// Package comparisons is the read model of comparisons.
package comparisons

import (
	_ "embed"

	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 3

// Projection keeps the comparisons.
var Projection = projections.Projection{
	Name: "comparisons", Version: version, Schema: schema,
	Prefixes: []string{comparison.StreamPrefix},
	Apply:    table.Apply,
}

// The statuses of a comparison.
const (
	Running   = "running"
	Completed = "completed"
	Failed    = "failed"
)

// Document is a comparison as the API shows it.
type Document struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	Status      string             `json:"status"`
	Task        string             `json:"task"`
	Criteria    []string           `json:"criteria"`
	A           comparison.Side    `json:"a"`
	B           comparison.Side    `json:"b"`
	Environment string             `json:"environment"`
	CreatedAt   domain.Time        `json:"created_at"`
	CompletedAt *domain.Time       `json:"completed_at"`
	Failure     *Failure           `json:"failure"`
	Result      *comparison.Result `json:"result"`
}

// Failure says why there is no result.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Row is a comparison with what lists filter by.
type Row struct {
	OrganizationID string
	Environment    domain.Environment
	Doc            Document
}

// Fold is the comparison after one more event of its stream.
func Fold(r Row, e domain.Recorded) Row {
	switch e := e.Event.(type) {
	case comparison.Created:
		return Row{
			OrganizationID: e.OrganizationID, Environment: e.Environment,
			Doc: Document{
				ID: e.ComparisonID, Name: e.Name, Status: Running, Task: e.Task, Criteria: e.Criteria, A: e.A, B: e.B,
				Environment: string(e.Environment), CreatedAt: e.At,
			},
		}
	case comparison.Completed:
		r.Doc.Status, r.Doc.CompletedAt, r.Doc.Result = Completed, &e.At, &e.Result
	case comparison.Failed:
		r.Doc.Status, r.Doc.CompletedAt, r.Doc.Failure = Failed, &e.At, &Failure{e.Code, e.Message}
	}
	return r
}

var table = projections.Table[Row]{
	Name: "comparisons",
	Columns: []projections.Column[Row]{
		projections.Kept("organization_id", func(r *Row) *string { return &r.OrganizationID }),
		projections.Kept("environment", func(r *Row) *domain.Environment { return &r.Environment }),
		projections.Derived("status", func(r *Row) any { return r.Doc.Status }),
		projections.Derived("test_a", func(r *Row) any { return r.Doc.A.TestID }),
		projections.Derived("test_b", func(r *Row) any { return r.Doc.B.TestID }),
		projections.Derived("created_at", func(r *Row) any { return r.Doc.CreatedAt.Time }),
		projections.KeptJSON("doc", func(r *Row) *Document { return &r.Doc }),
	},
	ID:   projections.StreamID,
	Fold: Fold,
}
