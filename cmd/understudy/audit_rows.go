package main

import (
	"context"
	"encoding/json"
	"slices"

	"understudy/adapters/httpapi"
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

func (r *replay) testDocuments() collection {
	return collection{get: func(_ context.Context, id string, _ projections.Owner) (projections.Document, error) {
		at, err := r.tests.find(id)
		if err != nil {
			return projections.Document{}, err
		}
		doc, err := tests.Stored(at.row)
		return projections.Document{ID: id, JSON: doc, Revision: at.revision}, err
	}}
}

func (r *replay) sessionDocuments() collection {
	one := func(id string) (projections.Document, error) {
		at, err := r.sessions.find(id)
		if err != nil {
			return projections.Document{}, err
		}
		doc, _, err := sessions.Stored(at.row)
		return projections.Document{ID: id, JSON: doc, Revision: at.revision}, err
	}
	return collection{
		get: func(_ context.Context, id string, _ projections.Owner) (projections.Document, error) { return one(id) },
		list: func(_ context.Context, _ projections.Owner, q httpapi.ListQuery) ([]projections.Document, string, error) {
			ids := slices.Clone(r.sessions.ids)
			slices.SortFunc(ids, func(a, b string) int { return r.sessions.row[a].row.Doc.Index - r.sessions.row[b].row.Doc.Index })
			var docs []projections.Document
			last := 0
			for _, id := range ids {
				d := r.sessions.row[id].row.Doc
				if d.Index <= indexAfter(q.After) || (q.Status != "" && q.Status != string(d.Status)) {
					continue
				}
				if len(docs) == q.Limit {
					return docs, nextIndex(last, true), nil
				}
				doc, err := one(id)
				if err != nil {
					return nil, "", err
				}
				docs, last = append(docs, doc), d.Index
			}
			return docs, "", nil
		},
	}
}

func (r *replay) traceDocuments() collection {
	return traceOf(func(_ context.Context, id string, _ projections.Owner) (projections.Document, error) {
		at, err := r.sessions.find(id)
		if err != nil {
			return projections.Document{}, err
		}
		_, trace, err := sessions.Stored(at.row)
		return projections.Document{ID: id, JSON: trace, Revision: at.revision}, err
	})
}

func (r *replay) evidence(_ context.Context, id string, _ projections.Owner) (sessions.Evidence, uint64, error) {
	at, err := r.sessions.find(id)
	return at.row.Evidence, at.revision, err
}

func (r *replay) reportDocuments() collection {
	return collection{
		get: func(_ context.Context, id string, _ projections.Owner) (projections.Document, error) {
			at, err := r.reports.find(id)
			return projections.Document{ID: id, JSON: at.row.Doc, Revision: at.revision}, err
		},
	}
}

func (r *replay) comparisonDocuments() collection {
	return collection{get: func(_ context.Context, id string, _ projections.Owner) (projections.Document, error) {
		at, err := r.comparisons.find(id)
		if err != nil {
			return projections.Document{}, err
		}
		doc, err := json.Marshal(at.row.Doc)
		return projections.Document{ID: id, JSON: doc, Revision: at.revision}, err
	}}
}

func (r *replay) deliveryDocuments() collection {
	return collection{get: func(_ context.Context, id string, _ projections.Owner) (projections.Document, error) {
		at, err := r.deliveries.find(id)
		if err != nil {
			return projections.Document{}, err
		}
		doc, err := deliveries.Stored(at.row)
		return projections.Document{ID: id, JSON: doc, Revision: at.revision}, err
	}}
}
