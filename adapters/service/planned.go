package service

import (
	"context"
	"slices"
	"strconv"

	"understudy/domain"
	"understudy/domain/process"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/sessions"
)

// Sessions lists the sessions of a test, the last first. Those of a running test are
// there from its creation on: who is not recorded yet is as planned, queued.
func (s *Service) Sessions(ctx context.Context, p Principal, q Query) (Page[sessions.Document], error) {
	doc, err := s.Test(ctx, p, q.TestID)
	if err != nil {
		return Page[sessions.Document]{}, err
	}
	test, err := doc.Decode()
	if err != nil {
		return Page[sessions.Document]{}, err
	}
	narrowed := q.Status != "" && q.Status != string(session.StatusQueued) || q.Outcome+q.Viewport+q.Persona != ""
	if test.Status != testrun.Running || narrowed {
		return s.Reads.Sessions(ctx, p, q)
	}
	// Asked before the recorded ones are read: who is recorded meanwhile is among
	// both, never among neither.
	missing, err := sessions.Missing(ctx, s.Pool, q.TestID, test.SessionsTotal, q.byIndex())
	if err != nil || len(missing) == 0 {
		if err != nil {
			return Page[sessions.Document]{}, err
		}
		return s.Reads.Sessions(ctx, p, q)
	}
	recorded, err := s.Reads.Sessions(ctx, p, q)
	if err != nil {
		return Page[sessions.Document]{}, err
	}
	planned, err := s.planned(ctx, q.TestID, missing)
	if err != nil {
		return Page[sessions.Document]{}, err
	}
	return merged(recorded, planned, q)
}

// planned are the sessions of a test with these indexes as they begin.
func (s *Service) planned(ctx context.Context, testID string, indexes []int) (docs []projections.Document[sessions.Document], err error) {
	created, err := s.Streams.Created(ctx, testID)
	if err != nil {
		return nil, err
	}
	cast, err := process.NewCast(created.Event.(testrun.Created))
	if err != nil {
		return nil, err
	}
	for _, i := range indexes {
		queued := cast.Session(i, created)
		row := sessions.Fold(sessions.Row{}, domain.Recorded{Event: queued})
		doc, err := projections.Made(queued.SessionID, row.Doc, 0)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// merged is a page of recorded and planned sessions by their index, each once.
func merged(recorded Page[sessions.Document], planned []projections.Document[sessions.Document], q Query) (page Page[sessions.Document], err error) {
	type indexed struct {
		index int
		doc   projections.Document[sessions.Document]
	}
	var all []indexed
	for _, doc := range append(recorded.Items, planned...) {
		d, err := doc.Decode()
		if err != nil {
			return page, err
		}
		all = append(all, indexed{d.Index, doc})
	}
	slices.SortStableFunc(all, func(a, b indexed) int { return a.index - b.index })
	all = slices.CompactFunc(all, func(a, b indexed) bool { return a.index == b.index })
	shown, next := Window(all, func(one indexed) int { return one.index }, q)
	for _, one := range shown {
		page.Items = append(page.Items, one.doc)
	}
	if page.Next = next; next == "" && recorded.Next != "" {
		page.Next = strconv.Itoa(shown[len(shown)-1].index)
	}
	return page, nil
}

// SessionOf is a session of a test, which may be planned only.
func (s *Service) SessionOf(ctx context.Context, p Principal, testID, id string) (projections.Document[sessions.Document], error) {
	doc, err := s.Session(ctx, p, id)
	if domain.CodeOf(err) != domain.CodeNotFound {
		return doc, err
	}
	test, err := s.Test(ctx, p, testID)
	if err != nil {
		return doc, err
	}
	of, err := test.Decode()
	if err != nil {
		return doc, err
	}
	if of.Status == testrun.Running {
		created, err := s.Streams.Created(ctx, testID)
		if err != nil {
			return doc, err
		}
		for i := range of.SessionsTotal {
			if process.SessionID(created, i) == id {
				planned, err := s.planned(ctx, testID, []int{i})
				if err != nil {
					return doc, err
				}
				return planned[0], nil
			}
		}
	}
	return doc, projections.NotFound(id)
}
