package main

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/projections"
	"understudy/projections/deliveries"
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
func (r *rows[R]) find(id string) (foldedRow[R], error) {
	at, ok := r.row[id]
	if !ok {
		return at, projections.NotFound(id)
	}
	return at, nil
}

// Test is the test of the export.
func (r *replay) Test(_ context.Context, _ service.Principal, id string) (projections.Document, error) {
	at, err := r.tests.find(id)
	if err != nil {
		return projections.Document{}, err
	}
	doc, err := tests.Stored(at.row)
	return projections.Document{ID: id, JSON: doc, Revision: at.revision}, err
}

// Session is a session without its trace.
func (r *replay) Session(_ context.Context, _ service.Principal, id string) (projections.Document, error) {
	at, err := r.sessions.find(id)
	if err != nil {
		return projections.Document{}, err
	}
	doc, _, err := sessions.Stored(at.row)
	return projections.Document{ID: id, JSON: doc, Revision: at.revision}, err
}

// Sessions lists the sessions by their index.
func (r *replay) Sessions(ctx context.Context, p service.Principal, q service.Query) (page service.Page, err error) {
	ids := slices.Clone(r.sessions.ids)
	slices.SortFunc(ids, func(a, b string) int { return r.sessions.row[a].row.Doc.Index - r.sessions.row[b].row.Doc.Index })
	last := 0
	for _, id := range ids {
		d := r.sessions.row[id].row.Doc
		if d.Index <= q.IndexAfter() || (q.Status != "" && q.Status != string(d.Status)) {
			continue
		}
		if len(page.Items) == q.Limit {
			page.Next = strconv.Itoa(last)
			return page, nil
		}
		doc, err := r.Session(ctx, p, id)
		if err != nil {
			return page, err
		}
		page.Items, last = append(page.Items, doc), d.Index
	}
	return page, nil
}

// Trace is the steps of a session.
func (r *replay) Trace(_ context.Context, _ service.Principal, id string) (projections.Document, error) {
	at, err := r.sessions.find(id)
	if err != nil {
		return projections.Document{}, err
	}
	_, steps, err := sessions.Stored(at.row)
	if err != nil {
		return projections.Document{}, err
	}
	doc, err := service.TraceJSON(id, steps)
	return projections.Document{ID: id, JSON: doc, Revision: at.revision}, err
}

// Recording is what there is to know of a session's recording.
func (r *replay) Recording(_ context.Context, _ service.Principal, id string) (projections.Document, error) {
	at, err := r.sessions.find(id)
	if err != nil {
		return projections.Document{}, err
	}
	return service.RecordingOf(id, at.row.Evidence, at.revision)
}

// Screenshots lists the screenshots of a session.
func (r *replay) Screenshots(_ context.Context, _ service.Principal, q service.Query) (service.Page, error) {
	at, err := r.sessions.find(q.SessionID)
	if err != nil {
		return service.Page{}, err
	}
	return service.ScreenshotsOf(at.row.Evidence, q)
}

// Report is a report of the test.
func (r *replay) Report(_ context.Context, _ service.Principal, id string) (projections.Document, error) {
	at, err := r.reports.find(id)
	if err != nil {
		return projections.Document{}, err
	}
	doc, err := json.Marshal(at.row.Doc)
	return projections.Document{ID: id, JSON: doc, Revision: at.revision}, err
}

// Comparison is a comparison that the test is a side of.
func (r *replay) Comparison(_ context.Context, _ service.Principal, id string) (projections.Document, error) {
	at, err := r.comparisons.find(id)
	if err != nil {
		return projections.Document{}, err
	}
	doc, err := json.Marshal(at.row.Doc)
	return projections.Document{ID: id, JSON: doc, Revision: at.revision}, err
}

// Delivery is a delivery about the test.
func (r *replay) Delivery(_ context.Context, _ service.Principal, id string) (projections.Document, error) {
	at, err := r.deliveries.find(id)
	if err != nil {
		return projections.Document{}, err
	}
	doc, err := deliveries.Stored(at.row)
	return projections.Document{ID: id, JSON: doc, Revision: at.revision}, err
}
