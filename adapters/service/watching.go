package service

import (
	"context"

	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/timeline"
)

// Walk is a session with where it has come to.
type Walk struct {
	sessions.Document
	sessions.Latest
}

// Walks lists the sessions of a test, each with where it has come to, and the key to go
// on after, "" on the last page.
func (s *Service) Walks(ctx context.Context, p Principal, q Query) (walks []Walk, next string, err error) {
	page, err := s.Sessions(ctx, p, q)
	if err != nil {
		return nil, "", err
	}
	ids := make([]string, len(page.Items))
	for i, doc := range page.Items {
		ids[i] = doc.ID
	}
	latest, err := sessions.LatestOf(ctx, s.Pool, ids)
	if err != nil {
		return nil, "", err
	}
	for _, doc := range page.Items {
		d, err := doc.Decode()
		if err != nil {
			return nil, "", err
		}
		walks = append(walks, Walk{d, latest[doc.ID]})
	}
	return walks, page.Next, nil
}

// Tally counts the recorded sessions of a test by how they stand.
func (r Reads) Tally(ctx context.Context, p Principal, testID string) ([]sessions.Count, error) {
	if _, err := r.Test(ctx, p, testID); err != nil {
		return nil, err
	}
	return sessions.Tally(ctx, r.Pool, testID)
}

// StreamHead is the position of what streams have told last. Whoever reads a test after it
// and follows its stream from there misses nothing.
func (r Reads) StreamHead(ctx context.Context) (uint64, error) {
	last, err := timeline.Last(ctx, r.Pool)
	return uint64(max(last, 0)), err //nolint:gosec // positions fit
}

// Alike groups the completed tests by address and task, those of the newest tests first.
func (r Reads) Alike(ctx context.Context, p Principal, limit int) ([]tests.Alike, error) {
	return tests.ListAlike(ctx, r.Pool, p.owner(), limit)
}
