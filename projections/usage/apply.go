// Package usage is the read model of what organizations use: the sessions of every
// test, reserved, used and returned.
package usage

import (
	_ "embed"
	"time"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections"
)

//go:embed schema.sql
var schema string

const version = 1

// Projection keeps the sessions of tests.
var Projection = projections.Projection{
	Name: "usage", Version: version, Schema: schema,
	Prefixes: []string{testrun.StreamPrefix, session.StreamPrefix},
	Apply:    table.Apply,
}

// Row is a test with what became of its sessions.
type Row struct {
	OrganizationID string
	Environment    domain.Environment
	KeyID          string // of the credential that asked for it
	Month          account.Month
	CreatedAt      time.Time
	// Sessions are those that were asked for, Made those that have a stream. Started
	// counts each of them that has begun once, however often it was tried; Ended
	// those that have ended, cancelled ones included.
	Sessions, Made, Started, Ended int
	// Over: the test has ended; Failed: so that no more of its sessions are made.
	Over, Failed bool
}

// Used are the sessions that ran or run.
func (r Row) Used() int { return min(r.Started, r.Sessions) }

// Returned are those that never ran and never will. That is known once every session
// has ended, after a cancellation too: one that was about to begin may still do so.
func (r Row) Returned() int {
	made := r.Sessions
	if r.Failed {
		made = r.Made
	}
	if r.Over && r.Ended >= made {
		return r.Sessions - r.Used()
	}
	return 0
}

// Reserved are those that may still run. All that were asked for are used, reserved
// or returned.
func (r Row) Reserved() int { return r.Sessions - r.Used() - r.Returned() }

// Fold is the row after one more event of the test or of one of its sessions.
func Fold(r Row, e domain.Recorded) Row {
	switch event := e.Event.(type) {
	case testrun.Created:
		return Row{
			OrganizationID: event.OrganizationID, Environment: event.Environment, KeyID: e.Meta.KeyID,
			Month: account.MonthOf(event.CreatedAt.Time), CreatedAt: event.CreatedAt.Time, Sessions: max(0, event.Sessions),
		}
	case testrun.Completed, testrun.Cancelled:
		r.Over = true
	case testrun.Failed:
		r.Over, r.Failed = true, true
	case session.Queued:
		r.Made++
	case session.Started:
		if event.Attempt == 1 {
			r.Started++
		}
	case session.Completed, session.Failed, session.Cancelled:
		r.Ended++
	}
	return r
}

var table = projections.Table[Row]{
	Name: "tests",
	Columns: []projections.Column[Row]{
		projections.Kept("organization_id", func(r *Row) *string { return &r.OrganizationID }),
		projections.Kept("environment", func(r *Row) *domain.Environment { return &r.Environment }),
		projections.Kept("key_id", func(r *Row) *string { return &r.KeyID }),
		projections.Kept("month", func(r *Row) *account.Month { return &r.Month }),
		projections.Kept("created_at", func(r *Row) *time.Time { return &r.CreatedAt }),
		projections.Kept("sessions", func(r *Row) *int { return &r.Sessions }),
		projections.Kept("made", func(r *Row) *int { return &r.Made }),
		projections.Kept("started", func(r *Row) *int { return &r.Started }),
		projections.Kept("ended", func(r *Row) *int { return &r.Ended }),
		projections.Kept("over", func(r *Row) *bool { return &r.Over }),
		projections.Kept("failed", func(r *Row) *bool { return &r.Failed }),
		projections.Derived("used", func(r *Row) any { return r.Used() }),
		projections.Derived("reserved", func(r *Row) any { return r.Reserved() }),
		projections.Derived("returned", func(r *Row) any { return r.Returned() }),
	},
	ID:   testOf,
	Fold: Fold,
}

// testOf is the test that an event counts for.
func testOf(e domain.Recorded) string {
	switch event := e.Event.(type) {
	case testrun.Created:
		return event.TestID
	case testrun.Completed, testrun.Cancelled, testrun.Failed:
		return projections.StreamID(e)
	case session.Queued:
		return event.TestID
	case session.Started:
		return event.TestID
	case session.Completed:
		return event.TestID
	case session.Failed:
		return event.TestID
	case session.Cancelled:
		return event.TestID
	}
	return ""
}
