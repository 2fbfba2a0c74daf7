package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/httpapi"
	"understudy/adapters/reporter"
	"understudy/domain"
	"understudy/domain/report"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/gates"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
)

// reportCommands makes further reports.
type reportCommands struct {
	streams   *streams
	pool      *pgxpool.Pool
	positions *projections.Positions
	ready     *readiness
	reporter  *reporter.Reporter
}

// Generate builds a report of a completed test.
func (c *reportCommands) Generate(ctx context.Context, call httpapi.Call, testID, reportID string, in httpapi.NewReport) (httpapi.Document, error) {
	owner := ownerOf(call.Principal)
	if _, err := tests.Get(ctx, c.pool, testID, owner); err != nil {
		return httpapi.Document{}, err
	}
	test, err := c.streams.tests.Load(ctx, testrun.Stream(testID))
	if err != nil {
		return httpapi.Document{}, err
	}
	if test.State.Status != testrun.StatusCompleted {
		return httpapi.Document{}, domain.Refuse(domain.CodeWrongState, "the test is %s; only a completed test has sessions to report on", test.State.Status)
	}
	if err := c.ready.accepts(reports.Projection.Name, sessions.Projection.Name); err != nil {
		return httpapi.Document{}, err
	}
	criteria := test.State.Test.Criteria
	if len(in.Criteria) > 0 {
		criteria = nil
		for _, criterion := range in.Criteria {
			criteria = append(criteria, string(criterion))
		}
	}
	call.Meta.CorrelationID = testID
	position, err := c.reporter.Another(ctx, call.CommandID, call.Meta, test.State.Test, reportID, criteria, test.Position)
	if err != nil {
		return httpapi.Document{}, err
	}
	if err := c.positions.WaitOwnWrite(ctx, reports.Projection.Name, position); err != nil {
		return httpapi.Document{}, err
	}
	d, err := reports.Get(ctx, c.pool, reportID, owner)
	return httpapi.Document{JSON: d.JSON, Revision: d.Revision}, err
}

// reportReads reads what reports are built of, once it is there.
type reportReads struct{ reads }

// EachSession calls fn with every session of a test as of position, on several
// goroutines.
func (r reportReads) EachSession(ctx context.Context, testID string, position uint64, fn func(sessions.Walked) error) error {
	if err := r.positions.WaitOwnWrite(ctx, sessions.Projection.Name, position); err != nil {
		return err
	}
	return sessions.Each(ctx, r.pool, testID, fn)
}

// Judgement is what the gate says of a test as of position.
func (r reportReads) Judgement(ctx context.Context, testID string, position uint64) (report.Judgement, error) {
	if err := r.positions.WaitOwnWrite(ctx, gates.Projection.Name, position); err != nil {
		return report.Judgement{}, err
	}
	row, err := gates.Get(ctx, r.pool, testID)
	return row.Judgement(), err
}

// AwaitReport returns when a report recorded at position can be read.
func (r reportReads) AwaitReport(ctx context.Context, position uint64) error {
	return r.positions.WaitOwnWrite(ctx, reports.Projection.Name, position)
}

// Finished reads the event that told the end of a test's sessions.
func (s *streams) Finished(ctx context.Context, testID string) (finished domain.Recorded, err error) {
	err = s.store.ReadStream(ctx, testrun.Stream(testID), 0, func(r domain.Recorded) error {
		if _, ok := r.Event.(testrun.SessionsFinished); ok {
			finished = r
		}
		return nil
	})
	if err == nil && finished.Event == nil {
		err = fmt.Errorf("the sessions of test %s have not ended", testID)
	}
	return finished, err
}

// isOutage reports whether an error means that Postgres is away.
func isOutage(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		class := pg.Code[:2]
		return class == "08" || class == "53" || class == "57"
	}
	var connect *pgconn.ConnectError
	return errors.As(err, &connect) || pgconn.SafeToRetry(err)
}
