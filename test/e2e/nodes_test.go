package e2e

import (
	"net/http"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// madeKey is an API key as it is answered when it was made.
type madeKey struct {
	ID, Key, Status string
	LastUsedAt      *string `json:"last_used_at"`
}

func (c client) newKey(t testing.TB, scopes ...string) madeKey {
	t.Helper()
	return read[madeKey](t, c.send(t, http.MethodPost, "/keys", map[string]any{"name": "CI", "scopes": scopes}).wants(t, http.StatusCreated, ""))
}

// revocationLimit is how long a revoked key may still be let in anywhere.
const revocationLimit = time.Second

// TestARevokedKeyIsRefusedOnEveryNode: what one process is told counts on the other, for
// keys that are new, that have been replaced and that have been revoked.
func TestARevokedKeyIsRefusedOnEveryNode(t *testing.T) {
	t.Parallel()
	all := nodes(t, "UNDERSTUDY_PLANS=free=100/500") // as many bad keys may one address send in a minute
	a, b := all[0], all[1]
	on := func(s *service, key string) client { return client{harness.Client{Addr: s.Addr, Key: key}} }
	status := func(s *service, key string) int { return on(s, key).send(t, http.MethodGet, "/models", nil).StatusCode }
	// refused waits for what was let in to be refused on both.
	refused := func(key string) {
		t.Helper()
		for _, s := range []*service{a, b} {
			patience.Eventually(t, revocationLimit, "the key is refused", func() bool { return status(s, key) == http.StatusUnauthorized })
		}
	}
	for _, order := range [][2]*service{{a, b}, {b, a}} {
		here, there := order[0], order[1]
		made := here.live().newKey(t, "tests:read")
		for _, s := range order {
			if got := status(s, made.Key); got != http.StatusOK {
				t.Errorf("a new key: %d", got)
			}
		}
		turned := read[madeKey](t, there.live().send(t, http.MethodPost, "/keys/"+made.ID+"/rotate", map[string]any{"overlap_seconds": 3600}).wants(t, http.StatusOK, ""))
		for _, key := range []string{made.Key, turned.Key} {
			for _, s := range order {
				if got := status(s, key); got != http.StatusOK {
					t.Errorf("while both count: %d", got)
				}
			}
		}
		again := read[madeKey](t, there.live().send(t, http.MethodPost, "/keys/"+made.ID+"/rotate", nil).wants(t, http.StatusOK, ""))
		refused(made.Key)
		refused(turned.Key)
		there.live().send(t, http.MethodDelete, "/keys/"+made.ID, nil).wants(t, http.StatusNoContent, "")
		if got := status(there, again.Key); got != http.StatusUnauthorized {
			t.Errorf("where it was revoked: %d", got)
		}
		refused(again.Key)
		if k := get[madeKey](t, here.live(), "/keys/"+made.ID); k.Status != "revoked" || k.LastUsedAt == nil || k.Key != "" {
			t.Errorf("it reads %+v", k)
		}
	}
}
