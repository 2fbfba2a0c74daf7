// Package tests is the read model of tests: the answer of GET /tests/{id}.
package tests

import (
	_ "embed"
	"time"

	"understudy/domain"
	"understudy/domain/gate"
	"understudy/domain/testrun"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 8

// Projection keeps the tests.
var Projection = projections.Projection{
	Name: "tests", Version: version, Schema: schema,
	Prefixes: []string{testrun.StreamPrefix},
	Apply:    table.Apply,
}

// Document is a test as the API shows it, but for the addresses that are made
// at the edge (stream_url, report_url).
type Document struct {
	ID                  string              `json:"id"`
	Status              testrun.Status      `json:"status"`
	Name                *string             `json:"name"`
	URL                 string              `json:"url"`
	Task                string              `json:"task"`
	Environment         domain.Environment  `json:"environment"`
	Model               string              `json:"model"`
	Personas            testrun.Personas    `json:"personas"`
	Criteria            []string            `json:"criteria"`
	Viewport            []string            `json:"viewport"`
	Seed                int64               `json:"seed"`
	MaxSteps            int                 `json:"max_steps"`
	Locale              *string             `json:"locale"`
	Success             *testrun.Success    `json:"success"`
	Replays             string              `json:"replays,omitempty"`
	Metadata            map[string]string   `json:"metadata"`
	Inputs              []string            `json:"inputs"`
	InputsOrigins       []string            `json:"inputs_origins,omitempty"`
	PrivateOrigins      []string            `json:"private_origins,omitempty"`
	SessionsTotal       int                 `json:"sessions_total"`
	SessionsCompleted   int                 `json:"sessions_completed"`
	SessionsFailed      int                 `json:"sessions_failed"`
	Progress            float64             `json:"progress"`
	CreatedAt           domain.Time         `json:"created_at"`
	EstimatedCompletion domain.Time         `json:"estimated_completion"`
	CompletedAt         *domain.Time        `json:"completed_at"`
	DurationSeconds     *int                `json:"duration_seconds"`
	QualityGate         *Gate               `json:"quality_gate"`
	AggregateScores     map[string]*float64 `json:"aggregate_scores"`
	Failure             *Failure            `json:"failure"`
	ReportID            *string             `json:"report_id"`
}

// Gate is the verdict of the quality gate.
type Gate struct {
	Passed         bool     `json:"passed"`
	Threshold      float64  `json:"threshold"`
	FailedCriteria []string `json:"failed_criteria"`
	// Reason is gate.NoEvidence where there was no score to judge.
	Reason string `json:"reason,omitempty"`
	// Summary is the verdict in a sentence.
	Summary string `json:"summary,omitempty"`
}

// Failure says why a test failed.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Row is a test with what lists filter by.
type Row struct {
	OrganizationID string
	Doc            Document
}

// Fold is the test after one more event of its stream. Whatever answers about
// a test at some moment, now or then, calls it.
func Fold(r Row, e domain.Recorded) Row {
	d := &r.Doc
	switch e := e.Event.(type) {
	case testrun.Created:
		r.OrganizationID = e.OrganizationID
		*d = created(e)
	case testrun.SessionEnded:
		d.SessionsCompleted++
		if !e.Usable {
			d.SessionsFailed++
		}
		d.Progress = float64(d.SessionsCompleted) / float64(d.SessionsTotal)
	case testrun.Started, testrun.Progressed, testrun.SessionsFinished, testrun.ReplayBegun, testrun.ReplayEnded, testrun.CausesExamined:
	case testrun.GateJudged:
		d.QualityGate = &Gate{Passed: e.Passed, Threshold: e.Threshold, FailedCriteria: orEmpty(e.FailedCriteria), Reason: e.Reason(), Summary: e.Summary}
	case testrun.Completed:
		d.AggregateScores = map[string]*float64{gate.Overall: nil} // null when nothing could be scored
		for criterion, score := range e.AggregateScores {
			d.AggregateScores[criterion] = &score
		}
		d.ReportID = &e.ReportID
		d.end(testrun.StatusCompleted, e.At)
	case testrun.Failed:
		d.Failure = &Failure{Code: e.Code, Message: e.Message}
		d.end(testrun.StatusFailed, e.At)
	case testrun.Cancelled:
		d.end(testrun.StatusCancelled, e.At)
	}
	return r
}

func (d *Document) end(status testrun.Status, at domain.Time) {
	d.Status, d.CompletedAt = status, &at
	seconds := max(int(at.Sub(d.CreatedAt.Time)/time.Second), 0) // clocks of two machines
	d.DurationSeconds = &seconds
}

func created(e testrun.Created) Document {
	d := Document{
		ID: e.TestID, Status: testrun.Running, URL: e.URL, Task: e.Task,
		Environment: e.Environment, Model: e.Model, Personas: e.Personas,
		Criteria: e.Criteria, Viewport: e.Viewports, Seed: e.Seed, MaxSteps: e.MaxSteps,
		Success: e.Success, Replays: e.Replays, Metadata: e.Metadata, Inputs: inputNames(e.Inputs), InputsOrigins: e.InputsOrigins, PrivateOrigins: e.PrivateOrigins,
		SessionsTotal: e.Sessions, CreatedAt: e.CreatedAt, EstimatedCompletion: e.EstimatedCompletion,
	}
	if e.Name != "" {
		d.Name = &e.Name
	}
	if e.Locale != "" {
		d.Locale = &e.Locale
	}
	if d.Metadata == nil {
		d.Metadata = map[string]string{}
	}
	return d
}

var table = projections.Table[Row]{
	Name: "tests",
	Columns: []projections.Column[Row]{
		projections.Kept("organization_id", func(r *Row) *string { return &r.OrganizationID }),
		projections.Derived("environment", func(r *Row) any { return r.Doc.Environment }),
		projections.Derived("status", func(r *Row) any { return r.Doc.Status }),
		projections.Derived("created_at", func(r *Row) any { return r.Doc.CreatedAt.Time }),
		projections.Derived("url", func(r *Row) any { return hashed(r.Doc.URL) }),
		projections.Derived("task", func(r *Row) any { return hashed(r.Doc.Task) }),
		projections.KeptJSON("doc", func(r *Row) *Document { return &r.Doc }),
	},
	ID:   projections.StreamID,
	Fold: Fold,
}
