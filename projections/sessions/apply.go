// Package sessions is the read model of sessions: their documents, traces,
// screenshots and recordings.
package sessions

import (
	"context"
	_ "embed"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 11

// Projection keeps the sessions.
var Projection = projections.Projection{
	Name: "sessions", Version: version, Schema: schema,
	// Tests' events change nothing here; following them keeps the position
	// beside theirs, so that a report can wait for the last session.
	Prefixes: []string{session.StreamPrefix, testrun.StreamPrefix},
	Apply:    apply,
}

// Document is a session as the API shows it, but for its trace and the links
// that are made at the edge.
type Document struct {
	ID               string              `json:"id"`
	TestID           string              `json:"test_id"`
	Index            int                 `json:"index"`
	Status           session.Status      `json:"status"`
	Outcome          *string             `json:"outcome"`
	Completion       *session.Completion `json:"completion"`
	Persona          persona.Sheet       `json:"persona"`
	Viewport         string              `json:"viewport"`
	Seed             int64               `json:"seed"`
	Model            string              `json:"model"`
	QueuedAt         domain.Time         `json:"queued_at"`
	StartedAt        *domain.Time        `json:"started_at"`
	FinishedAt       *domain.Time        `json:"finished_at"`
	DurationSeconds  *float64            `json:"duration_seconds"`
	SimulatedSeconds float64             `json:"simulated_seconds"`
	Attempt          int                 `json:"attempt"`
	Steps            int                 `json:"steps"`
	PagesVisited     int                 `json:"pages_visited"`
	Scores           map[string]float64  `json:"scores"`
	Reasons          map[string]string   `json:"reasons_without_evidence,omitempty"`
	Failure          *Failure            `json:"failure"`
	Usage            *session.Usage      `json:"usage"`
}

// Failure says why a session could not be carried out.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Screenshot is one screenshot of a session; its address is made at the edge.
type Screenshot struct {
	ID      string      `json:"id"`
	Step    int         `json:"step"`
	TakenAt domain.Time `json:"taken_at"`
	Width   int         `json:"width"`
	Height  int         `json:"height"`
}

// Evidence is what can be seen and heard of a session.
type Evidence struct {
	Screenshots []Screenshot       `json:"screenshots"`
	Recording   *session.Recording `json:"recording"`
}

// Row is a session with its trace, its evidence, and what reports are built of.
type Row struct {
	OrganizationID string
	Environment    domain.Environment
	Doc            Document
	Trace          Steps
	Evidence       Evidence
	Findings       *session.Findings
}

// Fold is the session after one more event of its stream. A new attempt begins
// the walk again; what an older attempt still tells does not count.
func Fold(r Row, e domain.Recorded) Row {
	d := &r.Doc
	switch e := e.Event.(type) {
	case session.Queued:
		return queued(e)
	case session.Started:
		at := e.At
		d.Status, d.Attempt, d.StartedAt = session.StatusRunning, e.Attempt, &at
		d.Steps, d.PagesVisited, d.SimulatedSeconds = 0, 0, 0
		r.Trace, r.Evidence = []session.Step{}, Evidence{}
	case session.ScreenshotTaken:
		if e.Attempt == d.Attempt {
			shots := r.Evidence.Screenshots
			r.Evidence.Screenshots = append(shots[:len(shots):len(shots)], Screenshot{
				ID: e.ID, Step: e.Step, TakenAt: e.At, Width: e.Width, Height: e.Height,
			})
		}
	case session.Stepped:
		if e.Attempt == d.Attempt {
			r.Trace = append(r.Trace[:len(r.Trace):len(r.Trace)], e.Step)
			d.Steps = len(r.Trace)
			d.SimulatedSeconds = session.Seconds(int(math.Round(d.SimulatedSeconds*1000)) + e.Step.SimulatedMS)
		}
	case session.Completed:
		d.Outcome, d.Completion, d.Scores, d.Reasons = &e.Outcome, &e.Completion, e.Scores, e.Reasons
		d.SimulatedSeconds, d.Steps, d.PagesVisited = e.SimulatedSeconds(), e.Steps, e.PagesVisited
		r.Evidence.Recording, r.Findings = e.Recording, e.Findings
		d.Usage = e.Usage
		d.end(session.StatusCompleted, e.At)
	case session.Failed:
		d.Failure, d.Usage = &Failure{Code: e.Code, Message: e.Message}, e.Usage
		d.end(session.StatusFailed, e.At)
	case session.Cancelled:
		d.end(session.StatusCancelled, e.At)
	}
	return r
}

func (d *Document) end(status session.Status, at domain.Time) {
	d.Status, d.FinishedAt = status, &at
	if d.StartedAt != nil {
		seconds := max(at.Sub(d.StartedAt.Time).Seconds(), 0) // clocks of two machines
		d.DurationSeconds = &seconds
	}
}

func queued(e session.Queued) Row {
	return Row{
		OrganizationID: e.OrganizationID, Environment: e.Environment, Trace: []session.Step{},
		Doc: Document{
			ID: e.SessionID, TestID: e.TestID, Index: e.Index, Status: session.StatusQueued,
			Persona: e.Persona.Sheet(), Viewport: e.Viewport, Seed: e.Seed, Model: e.Model, QueuedAt: e.At,
		},
	}
}

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	if err := table.Apply(ctx, tx, events); err != nil {
		return err
	}
	var found artifactRows
	for _, recorded := range events {
		switch e := recorded.Event.(type) {
		case session.ScreenshotTaken:
			found.add(projections.StreamID(recorded), e.Artifact)
		case session.Completed:
			if e.Recording != nil {
				found.add(projections.StreamID(recorded), e.Recording.Artifact)
			}
		}
	}
	return found.insert(ctx, tx)
}

// artifactRows are rows of the table of artifacts, a slice a column.
type artifactRows struct {
	ids, sessionIDs, hashes, contentTypes []string
	bytes                                 []int64
}

func (a *artifactRows) add(sessionID string, one session.Artifact) {
	a.ids, a.sessionIDs, a.hashes = append(a.ids, one.ID), append(a.sessionIDs, sessionID), append(a.hashes, one.SHA256)
	a.bytes, a.contentTypes = append(a.bytes, one.Bytes), append(a.contentTypes, one.ContentType)
}

// insert adds them to the table, in one statement, but for those that are there.
func (a *artifactRows) insert(ctx context.Context, tx pgx.Tx) error {
	if len(a.ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO artifacts SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[]) ON CONFLICT DO NOTHING`,
		a.ids, a.sessionIDs, a.hashes, a.bytes, a.contentTypes)
	return err
}

var table = projections.Table[Row]{
	Name: "sessions",
	Columns: []projections.Column[Row]{
		projections.Kept("organization_id", func(r *Row) *string { return &r.OrganizationID }),
		projections.Kept("environment", func(r *Row) *domain.Environment { return &r.Environment }),
		projections.Derived("test_id", func(r *Row) any { return r.Doc.TestID }),
		projections.Derived("idx", func(r *Row) any { return r.Doc.Index }),
		projections.Derived("status", func(r *Row) any { return r.Doc.Status }),
		projections.Derived("outcome", func(r *Row) any { return orEmpty(r.Doc.Outcome) }),
		projections.Derived("viewport", func(r *Row) any { return r.Doc.Viewport }),
		projections.Derived("persona", func(r *Row) any { return strings.ReplaceAll(r.Doc.Persona.Name, "\x00", "") }),
		projections.Derived("ended_at", ended),
		projections.Derived("seconds", func(r *Row) any { return r.Doc.DurationSeconds }),
		projections.KeptJSON("doc", func(r *Row) *Document { return &r.Doc }),
		projections.KeptJSON("trace", func(r *Row) *Steps { return &r.Trace }),
		projections.KeptJSON("evidence", func(r *Row) *Evidence { return &r.Evidence }),
		projections.KeptJSON("findings", func(r *Row) **session.Findings { return &r.Findings }),
	},
	ID:   streamID,
	Fold: Fold,
}

// ended is when a session ended, nil before.
func ended(r *Row) any {
	if r.Doc.FinishedAt == nil {
		return nil
	}
	return r.Doc.FinishedAt.Time
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// streamID is the row of an event: none for what another stream tells.
func streamID(e domain.Recorded) string {
	if _, ours := e.Event.(session.Event); !ours {
		return ""
	}
	return projections.StreamID(e)
}
