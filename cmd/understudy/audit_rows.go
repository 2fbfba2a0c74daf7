package main

import (
	"context"
	"slices"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/report"
	"understudy/projections"
	"understudy/projections/comparisons"
	"understudy/projections/deliveries"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
)

// rows are the folded rows of one kind by id, in the order of their ids.
type rows[R any] struct {
	ids []string
	row map[string]foldedRow[R]
}

type foldedRow[R any] struct {
	row      R
	revision uint64
}

func (r *rows[R]) fold(e domain.Recorded, fold func(R, domain.Recorded) R) {
	id := projections.StreamID(e)
	at, known := r.row[id]
	if !known {
		if r.row == nil {
			r.row = map[string]foldedRow[R]{}
		}
		i, _ := slices.BinarySearch(r.ids, id)
		r.ids = slices.Insert(r.ids, i, id)
	}
	r.row[id] = foldedRow[R]{fold(at.row, e), e.Revision}
}

// find is one row, not found when there is none.
func (r rows[R]) find(id string) (foldedRow[R], error) {
	at, ok := r.row[id]
	if !ok {
		return at, projections.NotFound(id)
	}
	return at, nil
}

// document is one row as reads answer it.
func document[R, T any](r rows[R], id string, of func(R) T) (projections.Document[T], error) {
	at, err := r.find(id)
	if err != nil {
		return projections.Document[T]{}, err
	}
	return projections.Made(id, of(at.row), at.revision)
}

// Test is the test of the export.
func (r *replay) Test(_ context.Context, _ service.Principal, id string) (projections.Document[tests.Document], error) {
	return document(r.tests, id, func(row tests.Row) tests.Document { return row.Doc })
}

// Session is a session without its trace.
func (r *replay) Session(_ context.Context, _ service.Principal, id string) (projections.Document[sessions.Document], error) {
	return document(r.sessions, id, func(row sessions.Row) sessions.Document { return row.Doc })
}

// SessionOf is a session of the test.
func (r *replay) SessionOf(ctx context.Context, p service.Principal, _, id string) (projections.Document[sessions.Document], error) {
	return r.Session(ctx, p, id)
}

// Sessions lists the sessions, the last first.
func (r *replay) Sessions(ctx context.Context, p service.Principal, q service.Query) (page service.Page[sessions.Document], err error) {
	index := func(id string) int { return r.sessions.row[id].row.Doc.Index }
	ids := slices.DeleteFunc(slices.Clone(r.sessions.ids), func(id string) bool {
		return q.Status != "" && q.Status != string(r.sessions.row[id].row.Doc.Status)
	})
	slices.SortFunc(ids, func(a, b string) int { return index(a) - index(b) })
	ids, page.Next = service.Window(ids, index, q)
	for _, id := range ids {
		doc, err := r.Session(ctx, p, id)
		if err != nil {
			return page, err
		}
		page.Items = append(page.Items, doc)
	}
	return page, nil
}

// Trace is the steps of a session.
func (r *replay) Trace(_ context.Context, _ service.Principal, id string) (projections.Document[sessions.Trace], error) {
	return document(r.sessions, id, func(row sessions.Row) sessions.Trace { return sessions.Trace{SessionID: id, Steps: row.Trace} })
}

// Recording is what there is to know of a session's recording.
func (r *replay) Recording(_ context.Context, _ service.Principal, id string) (projections.Document[sessions.Recording], error) {
	at, err := r.sessions.find(id)
	if err != nil {
		return projections.Document[sessions.Recording]{}, err
	}
	return service.RecordingOf(id, at.row.Evidence, at.revision)
}

// Screenshots lists the screenshots of a session.
func (r *replay) Screenshots(_ context.Context, _ service.Principal, q service.Query) (service.Page[sessions.Screenshot], error) {
	at, err := r.sessions.find(q.SessionID)
	if err != nil {
		return service.Page[sessions.Screenshot]{}, err
	}
	return service.ScreenshotsOf(at.row.Evidence, q)
}

// Report is a report of the test.
func (r *replay) Report(_ context.Context, _ service.Principal, id string) (projections.Document[reports.Document], error) {
	d, err := document(r.reports, id, func(row reports.Row) report.Document { return row.Doc })
	return projections.Document[reports.Document](d), err
}

// Comparison is a comparison that the test is a side of.
func (r *replay) Comparison(_ context.Context, _ service.Principal, id string) (projections.Document[comparisons.Document], error) {
	return document(r.comparisons, id, func(row comparisons.Row) comparisons.Document { return row.Doc })
}

// Delivery is a delivery about the test.
func (r *replay) Delivery(_ context.Context, _ service.Principal, id string) (projections.Document[deliveries.Document], error) {
	return document(r.deliveries, id, func(row deliveries.Row) deliveries.Document { return row.Doc })
}
