package service

import (
	"context"
	"sync"

	"understudy/domain"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/personas"
	"understudy/projections/tests"
	"understudy/projections/webhooks"
)

// Caps are how much one organization may have at once, in each environment.
type Caps struct {
	// Tests are those that have not ended, Sessions what they have yet to walk.
	Tests, Sessions int
	Webhooks        int
	Personas        int
}

// DefaultCaps are far above what anybody needs who means well.
func DefaultCaps() Caps { return Caps{Tests: 500, Sessions: 100_000, Webhooks: 100, Personas: 1000} }

// admission counts what is on its way into the read models, so that requests at the
// same time do not pass a cap together. Other processes are not seen: over n of them
// a cap may be passed by what n−1 requests make.
type admission struct {
	mu     sync.Mutex
	coming map[string]int
}

// enter counts n more of a kind and tells how many are on their way with them. They
// are until leave is called, which is when the read model has them.
func (a *admission) enter(kind string, n int) (coming int, leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.coming == nil {
		a.coming = map[string]int{}
	}
	a.coming[kind] += n
	return a.coming[kind], func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.coming[kind] -= n; a.coming[kind] == 0 {
			delete(a.coming, kind)
		}
	}
}

// admitTests refuses tests that would be too much at once. The caller calls leave
// once they are recorded, or are not going to be.
func (s *Service) admitTests(ctx context.Context, p Principal, create ...testrun.Create) (leave func(), err error) {
	if len(create) == 0 {
		return func() {}, nil
	}
	if err := s.Room(); err != nil {
		return nil, err
	}
	sessions := 0
	ids := make([]string, len(create))
	for i, c := range create {
		ids[i] = c.TestID
		sessions += c.Wish.Sessions
	}
	owner := string(p.Environment) + " " + p.OrganizationID
	newTests, leaveTests := s.admission.enter("tests "+owner, len(create))
	newSessions, leaveSessions := s.admission.enter("sessions "+owner, sessions)
	leave = func() {
		leaveTests()
		leaveSessions()
	}
	open, err := tests.CountOpen(ctx, s.Pool, p.owner(), ids)
	switch {
	case err != nil:
	case open.Tests+newTests > s.Caps.Tests:
		err = domain.Refuse(domain.CodeTooManyAtOnce, "%d tests of this organization have not ended, and %d may be open at once; try again when some have", open.Tests, s.Caps.Tests)
	case open.Sessions+newSessions > s.Caps.Sessions:
		err = domain.Refuse(domain.CodeTooManyAtOnce, "%d sessions of this organization have not ended, and %d may wait at once; try again when some have, or ask for fewer", open.Sessions, s.Caps.Sessions)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// admitWebhook refuses an endpoint that would be one too many.
func (s *Service) admitWebhook(ctx context.Context, p Principal, id string) (leave func(), err error) {
	return s.admitOne(ctx, p, id, "webhook endpoints", s.Caps.Webhooks, webhooks.Count)
}

// admitPersona refuses a custom persona that would be one too many.
func (s *Service) admitPersona(ctx context.Context, p Principal, id string) (leave func(), err error) {
	return s.admitOne(ctx, p, id, "custom personas", s.Caps.Personas, personas.Count)
}

func (s *Service) admitOne(
	ctx context.Context, p Principal, id, what string, limit int,
	count func(ctx context.Context, q projections.Querier, owner projections.Owner, without string) (int, error),
) (leave func(), err error) {
	coming, leave := s.admission.enter(what+" "+string(p.Environment)+" "+p.OrganizationID, 1)
	there, err := count(ctx, s.Pool, p.owner(), id)
	if err == nil && there+coming > limit {
		err = domain.Refuse(domain.CodeTooMany, "this organization has %d %s, as many as it may have; delete one first", there, what)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}
