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

const version = 2

// Projection keeps the verdicts.
var Projection = projections.Projection{
	Name: "gates", Version: version, Schema: schema,
	Prefixes: []string{testrun.StreamPrefix, session.StreamPrefix},
	Apply:    table.Apply,
}

// Row is what a test's verdict is made of.
type Row struct {
	Criteria []string           `json:"criteria"`
	Gate     testrun.Gate       `json:"gate"`
	Sums     map[string]float64 `json:"sums"`
	Counts   map[string]int     `json:"counts"`
	// Sessions are the completed ones.
	Sessions int `json:"sessions"`
}

// Means are the mean of each requested criterion over the sessions that have
// evidence for it.
func (r Row) Means() map[string]float64 {
	means := map[string]float64{}
	for _, c := range r.Criteria {
		if n := r.Counts[c]; n > 0 {
			means[c] = scoring.Mean(r.Sums[c], n)
		}
	}
	return means
}

// Judgement judges the means with the one rule of the gate.
func (r Row) Judgement() report.Judgement {
	j := report.Judgement{Means: r.Means()}
	if mean, ok := scoring.Overall(j.Means, r.Criteria); ok {
		j.Overall = &mean
	}
	j.Verdict = gate.Evaluate(gate.Config{Threshold: r.Gate.Threshold, Criteria: r.Gate.Criteria}, j.Means, j.Overall)
	return j
}

// Fold is the verdict's ground after one more event of the test or of one of
// its sessions.
func Fold(r Row, e domain.Recorded) Row {
	switch e := e.Event.(type) {
	case testrun.Created:
		return Row{Criteria: e.Criteria, Gate: e.Gate, Sums: map[string]float64{}, Counts: map[string]int{}}
	case session.Completed:
		sums, counts := map[string]float64{}, map[string]int{}
		for c, v := range r.Sums {
			sums[c], counts[c] = v, r.Counts[c]
		}
		for c, v := range e.Scores {
			sums[c] += v
			counts[c]++
		}
		r.Sums, r.Counts = sums, counts
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
