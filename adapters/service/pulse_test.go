package service_test

import (
	"context"
	"errors"
	"testing"

	"understudy/adapters/service"
	"understudy/domain"
)

// A secret that is nobody's is looked up once: without a database it is refused all the
// same. One that was never tried is not.
func TestWhatIsNobodysIsLookedUpOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, make := range map[string]func() string{
		"key":   func() string { return w.NewKey(domain.Live) },
		"token": func() string { return "at_" + newID(domain.PrefixGrant)[len(domain.PrefixGrant)+1:] + "_secret" },
	} {
		tried, other := make(), make()
		if _, err := w.Authenticate(w.ctx, tried); !errors.Is(err, service.ErrUnauthenticated) {
			t.Errorf("an unknown %s: %v", name, err)
		}
		without, cancel := context.WithCancel(w.ctx)
		cancel()
		if _, err := w.Authenticate(without, tried); !errors.Is(err, service.ErrUnauthenticated) {
			t.Errorf("the unknown %s again, without a database: %v", name, err)
		}
		if _, err := w.Authenticate(without, other); err == nil || errors.Is(err, service.ErrUnauthenticated) {
			t.Errorf("another %s, without a database: %v", name, err)
		}
	}
}
