package e2e

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"understudy/adapters/postgres"
	"understudy/test/harness"
	"understudy/test/patience"
)

// twoNodes are two processes of one installation that both answer requests, on one
// event store and one Postgres. The first also does all the rest.
func twoNodes(t *testing.T) (a, b *service) {
	t.Helper()
	dir, err := os.MkdirTemp("", "nodes-") //nolint:usetesting // sockets' paths must stay short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	n, address, err := harness.LaunchNode(context.Background(), harness.Binary(), nil, "--data-dir", filepath.Join(dir, "events"), "--insecure")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { leaves(t, n) })
	server, err := postgres.StartPrivate(context.Background(), postgres.PrivateOptions{DataDir: filepath.Join(dir, "postgres")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	shared := []string{harness.Loopback, "UNDERSTUDY_EVENTSTORE=esdb://" + address + "?tls=false", "UNDERSTUDY_DATABASE_URL=" + server.URL()}
	first := harness.Prepare(t, shared...)
	first.Begin(t)
	second := harness.Prepare(t, append(shared, "UNDERSTUDY_AUDIT_DIR="+filepath.Join(first.Data(), "audit"))...)
	second.Args = []string{"--roles", "api"}
	if err := os.MkdirAll(second.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"keyring.json", "keys.json"} {
		raw, err := os.ReadFile(filepath.Join(first.Data(), file))
		if err == nil {
			err = os.WriteFile(filepath.Join(second.Data(), file), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	second.Begin(t)
	return &service{first}, &service{second}
}

// madeKey is an API key as it is answered when it was made.
type madeKey struct {
	ID, Key, Status string
	LastUsedAt      *string `json:"last_used_at"`
}

func (c client) newKey(t testing.TB, scopes ...string) madeKey {
	t.Helper()
	return read[madeKey](t, c.send(t, http.MethodPost, "/keys", map[string]any{"name": "CI", "scopes": scopes}).wants(t, http.StatusCreated, ""))
}

// revocationLimit bounds the wait for a revoked key to be refused everywhere, which takes
// less than a second where nothing else is running.
const revocationLimit = 20 * time.Second

// turnedAway: a key that does not count, or one more of them from an address that has sent
// too many. A key that counts may ask far more often than this test does.
func turnedAway(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusTooManyRequests
}

// TestARevokedKeyIsRefusedOnEveryNode: what one process is told counts on the other, for
// keys that are new, that have been replaced and that have been revoked.
func TestARevokedKeyIsRefusedOnEveryNode(t *testing.T) {
	t.Parallel()
	a, b := twoNodes(t)
	on := func(s *service, key string) client { return client{harness.Client{Addr: s.Addr, Key: key}} }
	status := func(s *service, key string) int { return on(s, key).send(t, http.MethodGet, "/models", nil).StatusCode }
	// refused waits for what was let in to be refused on both.
	refused := func(key string) {
		t.Helper()
		for _, s := range []*service{a, b} {
			patience.Eventually(t, revocationLimit, "the key is refused", func() bool { return turnedAway(status(s, key)) })
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
		if got := status(there, again.Key); !turnedAway(got) {
			t.Errorf("where it was revoked: %d", got)
		}
		refused(again.Key)
		if k := get[madeKey](t, here.live(), "/keys/"+made.ID); k.Status != "revoked" || k.LastUsedAt == nil || k.Key != "" {
			t.Errorf("it reads %+v", k)
		}
	}
}
