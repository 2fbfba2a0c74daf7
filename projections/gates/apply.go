// Package gates is the read model of the quality gate: each test's verdict so
// far, folded from its sessions' scores.
package gates

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/gate"
	"understudy/domain/report"
	"understudy/domain/scoring"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 3

// Projection keeps the verdicts.
var Projection = projections.Projection{
	Name: "gates", Version: version, Schema: schema,
	Prefixes: []string{testrun.StreamPrefix, session.StreamPrefix},
	Apply:    table.Apply,
}

// Row is what a test's verdict is made of.
type Row struct {
	Criteria []string     `json:"criteria"`
	Gate     testrun.Gate `json:"gate"`
	scoring.Tally
	// Sessions are the completed ones.
	Sessions int `json:"sessions"`
}

// Judgement judges the scores with the one rule of the gate.
func (r Row) Judgement() report.Judgement {
	return report.Judge(r.Tally, r.Criteria, gate.Config{Threshold: r.Gate.Threshold, Criteria: r.Gate.Criteria})
}

// Fold is the verdict's ground after one more event of the test or of one of
// its sessions.
func Fold(r Row, e domain.Recorded) Row {
	switch e := e.Event.(type) {
	case testrun.Created:
		return Row{Criteria: e.Criteria, Gate: e.Gate}
	case session.Completed:
		r.Tally = r.With(e.Scores, r.Criteria)
		r.Sessions++
	}
	return r
}

var table = projections.Table[Row]{
	Name: "gates",
	Columns: []projections.Column[Row]{
		projections.KeptJSON("verdict", func(r *Row) *Row { return r }),
	},
	ID: func(e domain.Recorded) string {
		switch e := e.Event.(type) {
		case testrun.Created:
			return e.TestID
		case session.Completed:
			return e.TestID
		}
		return ""
	},
	Fold: Fold,
}

var qualified = projections.PostgresSchema("gates", version) + ".gates"

// Get reads the verdict of a test so far.
func Get(ctx context.Context, q projections.Querier, testID string) (Row, error) {
	var r Row
	var raw []byte
	err := q.QueryRow(ctx, `SELECT verdict FROM `+qualified+` WHERE id = $1`, testID).Scan(&raw)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, projections.NotFound(testID)
	}
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	return r, err
}
