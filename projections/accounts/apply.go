// Package accounts is the read model of organizations.
package accounts

import (
	_ "embed"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/gate"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 6

// Projection keeps organizations.
var Projection = projections.Projection{
	Name: "accounts", Version: version, Schema: schema,
	Prefixes: []string{account.StreamPrefix},
	Apply:    table.Apply,
}

// Document is an organization as the API shows it.
type Document struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Plan        account.Plan `json:"plan"`
	QualityGate QualityGate  `json:"quality_gate"`
	CreatedAt   domain.Time  `json:"created_at"`
}

// QualityGate is what the organization demands of tests that say nothing else.
type QualityGate struct {
	Threshold float64            `json:"threshold"`
	Criteria  map[string]float64 `json:"criteria"`
}

// Fold is the organization after one more event of its stream.
func Fold(d Document, e domain.Recorded) Document {
	switch e := e.Event.(type) {
	case account.OrganizationCreated:
		return Document{
			ID: e.OrganizationID, Name: e.Name, Plan: e.Plan, CreatedAt: e.At,
			QualityGate: QualityGate{Threshold: gate.DefaultThreshold, Criteria: map[string]float64{}},
		}
	case account.QualityGateChanged:
		d.QualityGate = QualityGate{Threshold: gate.DefaultThreshold, Criteria: e.Criteria}
		if e.Threshold != nil {
			d.QualityGate.Threshold = *e.Threshold
		}
		if e.Criteria == nil {
			d.QualityGate.Criteria = map[string]float64{}
		}
	case account.Renamed:
		d.Name = e.Name
	case account.PlanChanged:
		d.Plan = e.Plan
	case account.UserAdded, account.KeyCreated:
	}
	return d
}

var table = projections.Table[Document]{
	Name: "organizations",
	Columns: []projections.Column[Document]{
		projections.Derived("plan", func(d *Document) any { return d.Plan }),
		projections.KeptJSON("doc", func(d *Document) *Document { return d }),
	},
	ID:   projections.StreamID,
	Fold: Fold,
}
