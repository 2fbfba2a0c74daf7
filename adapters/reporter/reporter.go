// Package reporter builds reports: the one that completes a test, and others
// that are asked for.
package reporter

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/segmentio/encoding/json" // a report of 10,000 sessions is made of 80 MB of JSON

	"understudy/domain"
	"understudy/domain/gate"
	"understudy/domain/persona"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/projections/sessions"
	"understudy/projections/worklist"
)

// Reads reads what reports are built of.
type Reads interface {
	// EachSession calls fn with every session of a test, once the read model
	// has all that is recorded of it up to position: on several goroutines and
	// in no order.
	EachSession(ctx context.Context, testID string, position uint64, fn func(sessions.Walked) error) error
	// Judgement is what the quality gate says of a test as of position.
	Judgement(ctx context.Context, testID string, position uint64) (report.Judgement, error)
	// AwaitReport returns when a report that was recorded at position can be
	// read.
	AwaitReport(ctx context.Context, position uint64) error
}

// Commands executes commands on streams.
type Commands interface {
	Execute(ctx context.Context, e domain.Envelope) (position uint64, err error)
}

// Reporter builds reports.
type Reporter struct {
	Reads    Reads
	Commands Commands
	// Created is the event that made a test; Finished the one that told its
	// sessions' end.
	Created  func(ctx context.Context, testID string) (domain.Recorded, error)
	Finished func(ctx context.Context, testID string) (domain.Recorded, error)
	// Test is a test as of now: what replays have shown is on its stream.
	Test func(ctx context.Context, testID string) (testrun.State, error)
	Now  func() time.Time
}

// Complete builds the report of a test whose sessions have ended and completes
// the test with it. A report that cannot be built fails the test.
func (r *Reporter) Complete(ctx context.Context, item worklist.Item) (uint64, error) {
	created, err := r.Created(ctx, item.TestID)
	if err != nil {
		return 0, err
	}
	finished, err := r.Finished(ctx, item.TestID)
	if err != nil {
		return 0, err
	}
	test := created.Event.(testrun.Created)
	reportID := domain.DeriveID(domain.PrefixReport, finished.Time, finished.ID.String())
	judged, err := r.Reads.Judgement(ctx, item.TestID, finished.Position)
	if err != nil {
		return 0, err
	}
	built, err := r.build(ctx, test, reportID, test.Criteria, finished.Position, domain.At(finished.Time), &judged)
	if err != nil {
		return r.failIfHopeless(ctx, item, finished, err)
	}
	meta := domain.CausedBy(finished, "reporter")
	position, err := r.Commands.Execute(ctx, generate(domain.DeriveUUID(finished.ID.String(), reportID), meta, test, reportID, built, domain.At(finished.Time)))
	if err != nil {
		return r.failIfHopeless(ctx, item, finished, err)
	}
	// Whoever is told that the test has completed finds its report.
	if err := r.Reads.AwaitReport(ctx, position); err != nil {
		return 0, err
	}
	return r.Commands.Execute(ctx, domain.Envelope{
		ID: domain.DeriveUUID(finished.ID.String(), item.Stream, "complete"), Stream: item.Stream, Meta: meta,
		Command: testrun.Complete{
			ReportID: reportID, AggregateScores: built.Scores, Passed: built.Gate.Passed,
			Score: built.Gate.Score, FailedCriteria: built.Gate.FailedCriteria, Summary: built.Gate.Summary, Now: domain.At(r.Now()),
		},
	})
}

// hopeless is a report that will not be built however often it is tried.
type hopeless struct{ error }

func (h hopeless) Unwrap() error { return h.error }

// failIfHopeless fails the test when its report cannot be built or recorded: it
// is too large, or has a number that no JSON has. Anything else is an outage,
// after which the work is tried again.
func (r *Reporter) failIfHopeless(ctx context.Context, item worklist.Item, finished domain.Recorded, err error) (uint64, error) {
	var number *stdjson.UnsupportedValueError
	if never := (hopeless{}); errors.As(err, &never) || errors.As(err, &number) || errors.Is(err, eventstore.ErrTooLarge) {
		return r.fail(ctx, item, finished, err)
	}
	return 0, err
}

func (r *Reporter) fail(ctx context.Context, item worklist.Item, finished domain.Recorded, cause error) (uint64, error) {
	position, err := r.Commands.Execute(ctx, domain.Envelope{
		ID: domain.DeriveUUID(finished.ID.String(), item.Stream, "fail"), Stream: item.Stream,
		Meta: domain.CausedBy(finished, "reporter"),
		Command: testrun.Fail{
			Code: testrun.ReportFailed, Message: "the sessions ended, but no report could be built of them", Now: domain.At(r.Now()),
		},
	})
	if err != nil {
		return position, fmt.Errorf("%w (after: %w)", err, cause)
	}
	return position, fmt.Errorf("report of test %s: %w", item.TestID, cause)
}

// Another builds and records a report of a completed test by other criteria.
// position is that of the test's end; id names the command.
func (r *Reporter) Another(ctx context.Context, id uuid.UUID, meta domain.Meta, test testrun.Created, reportID string, criteria []string, position uint64) (uint64, error) {
	at := domain.At(r.Now())
	built, err := r.build(ctx, test, reportID, criteria, position, at, nil)
	if err != nil {
		return 0, err
	}
	return r.Commands.Execute(ctx, generate(id, meta, test, reportID, built, at))
}

func generate(id uuid.UUID, meta domain.Meta, test testrun.Created, reportID string, built report.Built, at domain.Time) domain.Envelope {
	return domain.Envelope{
		ID: id, Stream: report.Stream(reportID), Meta: meta,
		Command: report.Generate{Report: report.Generated{
			ReportID: reportID, TestID: test.TestID, OrganizationID: test.OrganizationID,
			Environment: test.Environment, Document: built.Document, At: at,
		}},
	}
}

func (r *Reporter) build(ctx context.Context, test testrun.Created, reportID string, criteria []string, position uint64, at domain.Time, judged *report.Judgement) (report.Built, error) {
	in := report.Input{
		ReportID: reportID, TestID: test.TestID, CreatedAt: at, Criteria: criteria,
		Environment: test.Environment, Locale: test.Locale,
		Gate:  gate.Config{Threshold: test.Gate.Threshold, Criteria: test.Gate.Criteria},
		Total: test.Sessions, Judgement: judged,
	}
	state, err := r.Test(ctx, test.TestID)
	if err != nil {
		return report.Built{}, err
	}
	in.Causes = state.Causes()
	if e := state.Examined; e != nil {
		in.Replays = &report.Replays{Causes: e.Suspected, Made: e.Made, Proven: e.Proven, Withheld: e.Withheld, CutShort: e.CutShort}
	}
	walked := make([]report.Session, test.Sessions)
	completed := make([]bool, test.Sessions)
	err = r.Reads.EachSession(ctx, test.TestID, position, func(w sessions.Walked) (err error) {
		if w.Index < 0 || w.Index >= len(walked) {
			return hopeless{fmt.Errorf("session %d of a test of %d", w.Index, len(walked))}
		}
		walked[w.Index], completed[w.Index], err = sessionOf(w)
		return err
	})
	if err != nil {
		return report.Built{}, err
	}
	for i, s := range walked {
		if completed[i] {
			in.Sessions = append(in.Sessions, s)
		} else {
			in.Failed++
		}
	}
	return report.Build(in), nil
}

// sessionOf reads a session, and whether it was completed; only then is it whole.
func sessionOf(w sessions.Walked) (s report.Session, completed bool, err error) {
	var doc sessions.Document
	if err := json.Unmarshal(w.Doc, &doc); err != nil {
		return s, false, hopeless{fmt.Errorf("session %d: %w", w.Index, err)}
	}
	if doc.Status != session.StatusCompleted {
		return s, false, nil
	}
	var trace []step
	if err := json.Unmarshal(w.Trace, &trace); err != nil {
		return s, false, hopeless{fmt.Errorf("steps of session %s: %w", doc.ID, err)}
	}
	var found *session.Findings
	if err := json.Unmarshal(w.Findings, &found); err != nil {
		return s, false, hopeless{fmt.Errorf("findings of session %s: %w", doc.ID, err)}
	}
	s = report.Session{
		ID: doc.ID, Persona: doc.Persona.Name, Traits: traitsOf(doc.Persona.Facets().WithDefaults()), Viewport: doc.Viewport, Outcome: *doc.Outcome,
		SimulatedSeconds: doc.SimulatedSeconds, Scores: doc.Scores, Reasons: doc.Reasons, Findings: found.Taken(),
	}
	for _, st := range trace {
		s.Steps = append(s.Steps, st.taken())
	}
	return s, true, nil
}

// step is what a report needs of a recorded step.
type step struct {
	Index       int     `json:"index"`
	URL         string  `json:"url"`
	Title       string  `json:"title"`
	Thought     string  `json:"thought"`
	Frustration float64 `json:"frustration"`
	Action      struct {
		Type   string          `json:"type"`
		Target *report.Element `json:"target"`
	} `json:"action"`
	ViewportWidth int    `json:"viewport_width"`
	ScrollY       int    `json:"scroll_y"`
	ScreenshotID  string `json:"screenshot_id"`
}

func (s step) taken() report.Step {
	return report.Step{
		Index: s.Index, URL: s.URL, Title: s.Title, Thought: s.Thought, Frustration: s.Frustration,
		Action: s.Action.Type, Target: s.Action.Target, ViewportWidth: s.ViewportWidth, ScrollY: s.ScrollY, ScreenshotID: s.ScreenshotID,
	}
}

func traitsOf(f persona.Facets) report.Traits {
	return report.Traits{
		AgeBand: f.AgeBand, Motivation: f.Motivation, InformationProcessing: f.InformationProcessing, SelfEfficacy: f.SelfEfficacy,
		RiskAttitude: f.RiskAttitude, LearningStyle: f.LearningStyle, DomainKnowledge: f.DomainKnowledge, LanguageLevel: f.LanguageLevel,
		ReadingWPM: f.ReadingWPM, TypingWPM: f.TypingWPM, Patience: f.Patience, MotorPrecision: f.MotorPrecision,
		ContrastFactor: f.Vision.ContrastFactor, Zoom: f.Zoom, KeyboardOnly: f.KeyboardOnly, ScreenReader: f.ScreenReader,
	}
}
