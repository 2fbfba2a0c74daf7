package service_test

import (
	"errors"
	"testing"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/account"
)

func TestWhoHasAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := account.NewKey(domain.Live, make([]byte, 64))
	if _, err := w.Authenticate(w.ctx, token); !errors.Is(err, service.ErrUnauthenticated) {
		t.Errorf("an unknown key: %v", err)
	}
	w.found(token)
	for range 2 { // looked up, and then known
		p, err := w.Authenticate(w.ctx, token)
		if err != nil || p.OrganizationID != "org_a" || p.Environment != domain.Live || p.RateLimit <= 0 {
			t.Errorf("it is %+v, %v", p, err)
		}
	}
	if _, err := w.Authenticate(w.ctx, "nothing like a key"); !errors.Is(err, service.ErrUnauthenticated) {
		t.Errorf("no key at all: %v", err)
	}
}
