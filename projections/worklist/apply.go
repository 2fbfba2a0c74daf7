// Package worklist is the read model of what is to be done: tests to start,
// sessions to walk, causes to examine, reports to build, tests to compare, deliveries to send,
// owners to tell, each with the time it is due. Workers claim an item by lease and record what they did as
// events, which take the item off the list.
package worklist

import (
	"context"
	_ "embed"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/domain/delivery"
	"understudy/domain/notice"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 11

// Projection keeps the worklist.
var Projection = projections.Projection{
	Name: "worklist", Version: version, Schema: schema,
	Prefixes: []string{testrun.StreamPrefix, session.StreamPrefix, delivery.StreamPrefix, comparison.StreamPrefix, notice.StreamPrefix},
	Apply:    apply,
	Parts:    added,
}

// Kind is what is to be done with a stream.
type Kind string

// The kinds of work.
const (
	Start   Kind = "start"   // find out whether a test's target answers
	Session Kind = "session" // walk
	Causes  Kind = "causes"  // find out why sessions fell short
	Report  Kind = "report"  // build the report and complete the test
	Compare Kind = "compare" // compare two tests that have ended
	Deliver Kind = "delivery"
	Notice  Kind = "notice" // tell an owner
)

func apply(ctx context.Context, tx pgx.Tx, events []domain.Recorded) error {
	var batch pgx.Batch
	var sending deliveries
	for _, e := range events {
		if _, ok := e.Event.(delivery.Event); ok {
			sending.add(e)
		} else {
			queue(&batch, e)
		}
	}
	sending.queue(&batch)
	return tx.SendBatch(ctx, &batch).Close()
}

const insert = `INSERT INTO items (stream, kind, environment, organization_id, test_id, lane, ord, attempt, listed_at, traceparent)
	VALUES ($1, $2, $3, $8, $4, $5, $6, 0, $7, $9) ON CONFLICT DO NOTHING`

// turn notes when an organization was last given a session.
const turn = `INSERT INTO turns (organization_id, environment, position) VALUES ($1, $2, $3)
	ON CONFLICT (organization_id, environment) DO UPDATE SET position = excluded.position`

// await makes a comparison wait for a test that has not ended.
const await = `INSERT INTO awaited (stream, test_id, environment, organization_id)
	SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT FROM ended WHERE test_id = $2) ON CONFLICT DO NOTHING`

// ended remembers that a test has ended and puts the comparisons on the list that
// waited for nothing else.
func ended(b *pgx.Batch, testID string, e domain.Recorded) {
	b.Queue(`INSERT INTO ended (test_id) VALUES ($1) ON CONFLICT DO NOTHING`, testID)
	b.Queue(`WITH freed AS (DELETE FROM awaited WHERE test_id = $1 RETURNING stream, environment, organization_id)
		INSERT INTO items (stream, kind, environment, organization_id, test_id, lane, ord, attempt, listed_at, traceparent)
		SELECT f.stream, 'compare', f.environment, f.organization_id, $1, '', 0, 0, $2, $3 FROM freed f
		WHERE NOT EXISTS (SELECT FROM awaited a WHERE a.stream = f.stream AND a.test_id <> $1) ON CONFLICT DO NOTHING`,
		testID, e.Time, e.Meta.Traceparent)
}

func queue(b *pgx.Batch, recorded domain.Recorded) {
	stream := recorded.Stream
	add := func(kind Kind, env domain.Environment, testID, lane string, order int) {
		b.Queue(insert, stream, string(kind), string(env), testID, lane, order, recorded.Time, recorded.Meta.OrganizationID, recorded.Meta.Traceparent)
	}
	// A stream has one item at most. Its kind is not named: where Postgres has planned for
	// an empty table, it would read all of a kind for one.
	remove := func() { b.Queue(`DELETE FROM items WHERE stream = $1`, stream) }
	switch e := recorded.Event.(type) {
	case testrun.Created:
		add(Start, e.Environment, e.TestID, "", 0)
	case testrun.Started:
		remove()
	case testrun.SessionsFinished:
		add(after(e), recorded.Meta.Environment, projections.StreamID(recorded), "", 0)
	case testrun.CausesExamined:
		remove()
		add(Report, recorded.Meta.Environment, projections.StreamID(recorded), "", 0)
	case testrun.Completed, testrun.Failed, testrun.Cancelled:
		remove()
		// Nobody takes up a session of a test that is over; the cancellation
		// of each one follows.
		b.Queue(`DELETE FROM items WHERE kind = 'session' AND test_id = $1`, projections.StreamID(recorded))
		ended(b, projections.StreamID(recorded), recorded)
	case testrun.SessionEnded, testrun.Progressed, testrun.ReplayBegun, testrun.ReplayEnded, testrun.GateJudged:
	case session.Queued:
		add(Session, e.Environment, e.TestID, "", e.Index)
	case session.Started:
		b.Queue(`UPDATE items SET attempt = $2 WHERE stream = $1`, stream, e.Attempt)
		b.Queue(turn, recorded.Meta.OrganizationID, string(recorded.Meta.Environment), int64(recorded.Position)) //nolint:gosec // positions fit
	case session.Completed, session.Failed, session.Cancelled:
		remove()
	case session.Stepped, session.ScreenshotTaken:
	case comparison.Created:
		for _, side := range []comparison.Side{e.A, e.B} {
			b.Queue(await, stream, side.TestID, string(e.Environment), e.OrganizationID)
		}
		b.Queue(`INSERT INTO items (stream, kind, environment, organization_id, test_id, lane, ord, attempt, listed_at, traceparent)
			SELECT $1, 'compare', $2, $5, $3, '', 0, 0, $4, $6 WHERE NOT EXISTS (SELECT FROM awaited WHERE stream = $1) ON CONFLICT DO NOTHING`,
			stream, string(e.Environment), e.A.TestID, recorded.Time, e.OrganizationID, recorded.Meta.Traceparent)
	case comparison.Completed, comparison.Failed:
		remove()
	case notice.Requested:
		add(Notice, e.Environment, "", e.WebhookID, 0)
	case notice.Attempted:
		if e.NextDueAt != nil {
			b.Queue(`UPDATE items SET attempt = $2, due_at = $3 WHERE stream = $1`,
				stream, e.Attempt, dueAgain(recorded, e.NextDueAt.Sub(e.At.Time)))
		}
	case notice.Told, notice.Abandoned:
		remove()
	}
}

// dueAgain is when the next attempt is due, a pause after one that is recorded to have
// failed: by the log's clock, since that of the worker that made it may be off, and the
// next would then come by that much early or late.
func dueAgain(failed domain.Recorded, pause time.Duration) time.Time { return failed.Time.Add(pause) }

// deliveries is what a batch does to the items of deliveries, of which there are
// thousands at once: one that comes and goes in it does nothing.
type deliveries struct {
	listed  []listed
	retried []retried
	gone    map[string]bool // by stream
}

type listed struct {
	delivery.Scheduled

	stream, traceparent string
	at                  time.Time
}

type retried struct {
	stream  string
	attempt int
	due     time.Time
}

func (d *deliveries) add(recorded domain.Recorded) {
	switch e := recorded.Event.(type) {
	case delivery.Scheduled:
		d.listed = append(d.listed, listed{e, recorded.Stream, recorded.Meta.Traceparent, recorded.Time})
	case delivery.Attempted:
		if e.NextDueAt != nil {
			d.retried = append(d.retried, retried{recorded.Stream, e.Attempt, dueAgain(recorded, e.NextDueAt.Sub(e.At.Time))})
		}
	case delivery.Delivered, delivery.Abandoned, delivery.Skipped:
		if d.gone == nil {
			d.gone = map[string]bool{}
		}
		d.gone[recorded.Stream] = true
	}
}

func (d *deliveries) queue(b *pgx.Batch) {
	var streams, environments, organizations, tests, lanes, traceparents []string
	var at []time.Time
	for _, l := range d.listed {
		if d.gone[l.stream] {
			delete(d.gone, l.stream)
			continue
		}
		streams, environments, organizations = append(streams, l.stream), append(environments, string(l.Environment)), append(organizations, l.OrganizationID)
		tests, lanes, traceparents, at = append(tests, l.TestID), append(lanes, l.WebhookID), append(traceparents, l.traceparent), append(at, l.at)
	}
	if len(streams) > 0 {
		b.Queue(`INSERT INTO items (stream, kind, environment, organization_id, test_id, lane, ord, attempt, listed_at, traceparent)
			SELECT stream, 'delivery', environment, organization_id, test_id, lane, 0, 0, listed_at, traceparent
			FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[])
			AS new (stream, environment, organization_id, test_id, lane, listed_at, traceparent) ON CONFLICT DO NOTHING`,
			streams, environments, organizations, tests, lanes, at, traceparents)
	}
	for _, r := range d.retried {
		b.Queue(`UPDATE items SET attempt = $2, due_at = $3 WHERE stream = $1`, r.stream, r.attempt, r.due)
	}
	if len(d.gone) > 0 {
		b.Queue(`DELETE FROM items WHERE stream = ANY($1)`, slices.Sorted(maps.Keys(d.gone)))
	}
}

// added is the kinds of work that events add to the list.
func added(events []domain.Recorded) []string {
	var kinds []string
	for _, e := range events {
		if kind := adds(e.Event); kind != "" && !slices.Contains(kinds, string(kind)) {
			kinds = append(kinds, string(kind))
		}
	}
	return kinds
}

// after is the work that follows the end of a test's sessions.
func after(e testrun.SessionsFinished) Kind {
	if e.ExamineCauses {
		return Causes
	}
	return Report
}

// adds is the kind of work that an event adds; "" is none.
func adds(e domain.Event) Kind {
	switch e := e.(type) {
	case testrun.Created:
		return Start
	case session.Queued:
		return Session
	case testrun.SessionsFinished:
		return after(e)
	case testrun.CausesExamined:
		return Report
	case comparison.Created, testrun.Completed, testrun.Failed, testrun.Cancelled:
		return Compare
	case delivery.Scheduled:
		return Deliver
	case notice.Requested:
		return Notice
	}
	return ""
}
