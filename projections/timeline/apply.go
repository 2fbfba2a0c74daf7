// Package timeline is the read model of a test's stream: every message that
// its subscribers get, by position.
package timeline

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/sessions"
)

//go:embed schema.sql
var schema string

const version = 6

// Projection keeps the messages.
var Projection = projections.Projection{
	Name: "timeline", Version: version, Schema: schema,
	Prefixes: []string{testrun.StreamPrefix, session.StreamPrefix},
	Apply:    apply,
}

// Message is one message of a test's stream. The addresses of screenshots are
// made at the edge, from their ids.
type Message struct {
	Type      string      `json:"type"`
	TestID    string      `json:"test_id"`
	SessionID string      `json:"session_id,omitempty"`
	Position  uint64      `json:"position"`
	Timestamp domain.Time `json:"timestamp"`
	Data      any         `json:"data"`
}

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	rows := make([][]any, 0, len(events))
	for _, e := range events {
		m, ok := MessageOf(e)
		if !ok {
			continue
		}
		text, err := projections.JSON(m)
		if err != nil {
			return &projections.ApplyError{Cause: err}
		}
		rows = append(rows, []any{m.TestID, int64(m.Position), m.Type, text})
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"messages"}, []string{"test_id", "position", "type", "message"}, pgx.CopyFromRows(rows))
	return err
}

// MessageOf is the message that an event becomes, if it becomes one.
func MessageOf(e domain.Recorded) (Message, bool) {
	m := Message{Position: e.Position, Timestamp: domain.At(e.Time), TestID: projections.StreamID(e)}
	if data, kind, ok := testMessage(e.Event); ok {
		m.Type, m.Data = kind, data
		return m, true
	}
	m.SessionID = m.TestID
	data, kind, testID := sessionMessage(e.Event)
	m.Type, m.Data, m.TestID = kind, data, testID
	return m, kind != ""
}

type fields = map[string]any

// Step is a step as traces show it, with its attempt. The address of its screenshot is
// made at the edge.
type Step struct {
	Attempt       int     `json:"attempt"`
	ScreenshotURL *string `json:"screenshot_url"`
	sessions.ShownStep
}

// Screenshot says that there is one.
type Screenshot struct {
	Attempt      int    `json:"attempt"`
	Height       int    `json:"height"`
	ScreenshotID string `json:"screenshot_id"`
	Step         int    `json:"step"`
	Width        int    `json:"width"`
}

// The types of the messages that name a screenshot.
const (
	TypeStep       = "session.step"
	TypeScreenshot = "session.screenshot"
)

func testMessage(e domain.Event) (data any, kind string, ok bool) {
	switch e := e.(type) {
	case testrun.Started:
		return fields{"url": e.URL, "task": e.Task, "sessions_total": e.SessionsTotal}, "test.started", true
	case testrun.Progressed:
		return fields{
			"sessions_completed": e.SessionsCompleted, "sessions_total": e.SessionsTotal, "percent": e.Percent,
		}, "test.progress", true
	case testrun.GateJudged:
		kind := "quality_gate.failed"
		if e.Passed {
			kind = "quality_gate.passed"
		}
		data := fields{"threshold": e.Threshold, "score": e.Score, "failed_criteria": e.FailedCriteria, "report_id": e.ReportID}
		if why := e.Reason(); why != "" {
			data["reason"] = why
		}
		return data, kind, true
	case testrun.Completed:
		return fields{
			"sessions_total": e.SessionsTotal, "sessions_completed": e.SessionsCompleted,
			"sessions_failed": e.SessionsFailed, "duration_seconds": e.DurationSeconds,
			"aggregate_scores": e.AggregateScores,
			"quality_gate":     fields{"passed": e.GatePassed, "threshold": e.GateThreshold},
			"report_id":        e.ReportID,
		}, "test.completed", true
	case testrun.Failed:
		return fields{
			"reason":             fields{"code": e.Code, "message": e.Message},
			"sessions_completed": e.SessionsCompleted, "sessions_total": e.SessionsTotal,
		}, "test.failed", true
	case testrun.Cancelled:
		return fields{
			"sessions_completed": e.SessionsCompleted, "sessions_total": e.SessionsTotal,
		}, "test.cancelled", true
	}
	return nil, "", false
}

func sessionMessage(e domain.Event) (data any, kind, testID string) {
	switch e := e.(type) {
	case session.Queued:
		return fields{
			"index": e.Index, "persona": fields{"id": e.Persona.ID, "name": e.Persona.Name, "summary": e.Persona.Summary},
			"viewport": e.Viewport,
		}, "session.queued", e.TestID
	case session.Started:
		return fields{"attempt": e.Attempt}, "session.started", e.TestID
	case session.Stepped:
		return Step{Attempt: e.Attempt, ShownStep: sessions.Shown(e.Step)}, TypeStep, e.TestID
	case session.ScreenshotTaken:
		return Screenshot{Attempt: e.Attempt, Height: e.Height, ScreenshotID: e.ID, Step: e.Step, Width: e.Width}, TypeScreenshot, e.TestID
	case session.Completed:
		return fields{
			"index": e.Index, "attempt": e.Attempt, "outcome": e.Outcome, "completion": e.Completion,
			"scores": e.Scores, "steps": e.Steps, "simulated_seconds": e.SimulatedSeconds(),
		}, "session.completed", e.TestID
	case session.Failed:
		return fields{
			"index": e.Index, "attempt": e.Attempt, "failure": fields{"code": e.Code, "message": e.Message},
		}, "session.failed", e.TestID
	case session.Cancelled:
		return fields{"index": e.Index}, "session.cancelled", e.TestID
	}
	return nil, "", ""
}
