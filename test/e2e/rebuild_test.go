package e2e

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/adapters/postgres"
	"understudy/test/sites"
)

func TestReadModelsCanBeDroppedAndComeBackTheSame(t *testing.T) {
	t.Parallel()
	s := own(t, loopback)
	live, sandbox := s.live(), s.sandbox()
	hook := receive(t, sandbox, nil)
	strict := map[string]any{"quality_gate": map[string]any{"threshold": 0.9, "criteria": map[string]any{"trust": 0.5}}}
	live.send(t, http.MethodPatch, "/organization", strict).wants(t, 200, "")
	done := sandbox.create(t, signUp(20))
	kept, gone := sandbox.describe(t, map[string]any{"name": "Ada", "zoom": 2}), sandbox.describe(t, map[string]any{"name": "Eve"})
	sandbox.send(t, http.MethodPatch, "/personas/"+kept.ID, map[string]any{"zoom": nil, "name": "Ada L."}).wants(t, 200, "")
	sandbox.send(t, http.MethodDelete, "/personas/"+gone.ID, nil).wants(t, 204, "")
	walked := live.create(t, signUpForReal(t, serveSite(t, sites.SaaS), 2))
	unreachable := live.create(t, map[string]any{"url": "http://" + closedPort(t) + "/", "task": "Find the price"})
	slow := signUp(50)
	slow["task"] = "slow"
	cancelled := sandbox.create(t, slow)
	sandbox.send(t, http.MethodDelete, "/tests/"+cancelled.ID, nil).wants(t, 200, "")
	sandbox.completed(t, done.ID, time.Minute)
	live.completed(t, walked.ID, liveLimit)
	live.ended(t, unreachable.ID, time.Minute)
	for _, id := range []string{done.ID, cancelled.ID} {
		if c := follow(t, sandbox.test(t, id).StreamURL, 0); len(c.rest(t, time.Minute)) == 0 {
			t.Error("an empty stream")
		}
	}
	sandbox.send(t, http.MethodPost, "/tests/"+done.ID+"/reports", map[string]any{"criteria": []string{"navigation"}}).wants(t, 201, "")
	eventually(t, 20*time.Second, "all deliveries of the sandbox test", func() bool {
		return !strings.Contains(string(sandbox.send(t, "GET", "/webhooks/"+hook.id+"/deliveries?limit=100", nil).body), `"pending"`) &&
			len(hook.of(done.ID)) == 13
	})

	before := everything(t, s, hook, done.ID, walked.ID, unreachable.ID, cancelled.ID)
	if code, err := s.terminate(); err != nil || code != 0 {
		t.Fatalf("exit code %d: %v", code, err)
	}
	if n := dropReadModels(t, filepath.Join(s.data(), "postgres")); n < 11 {
		t.Errorf("there were only %d schemas of read models", n)
	}
	s.begin(t)
	after := everything(t, s, hook, done.ID, walked.ID, unreachable.ID, cancelled.ID)
	for path, was := range before {
		if now := after[path]; now != was {
			t.Errorf("GET %s\nwas  %.1500s\nis   %.1500s", path, was, now)
		}
	}
	if len(before) < 100 || len(after) != len(before) {
		t.Errorf("%d answers before, %d after", len(before), len(after))
	}
}

// everything reads all that can be read, as ETag and body by key and path.
func everything(t *testing.T, s *service, hook *receiver, testIDs ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, c := range map[string]client{"live": s.live(), "sandbox": s.sandbox()} {
		keep := func(path string) {
			a := c.send(t, http.MethodGet, path, nil)
			out[name+" "+path] = a.Header.Get("ETag") + " " + withoutRequest(a)
		}
		for _, path := range []string{
			"/tests", "/reports", "/webhooks", "/webhooks/" + hook.id, "/webhooks/" + hook.id + "/deliveries?limit=100",
			"/personas", "/personas/packs", "/models", "/organization",
		} {
			keep(path)
		}
		for _, id := range testIDs {
			for _, path := range []string{"", "/sessions?limit=100", "/report"} {
				keep("/tests/" + id + path)
			}
			if c.send(t, http.MethodGet, "/tests/"+id, nil).StatusCode != http.StatusOK {
				continue
			}
			sessions := c.sessions(t, id)
			for _, session := range sessions[:min(8, len(sessions))] {
				for _, path := range []string{"", "/trace", "/recording", "/screenshots?limit=100"} {
					keep("/sessions/" + session.ID + path)
				}
			}
		}
	}
	return out
}

// withoutRequest is a body without what is of the request: an error's id.
func withoutRequest(a answer) string {
	return strings.ReplaceAll(string(a.body), a.Header.Get("X-Request-Id"), "…")
}

// dropReadModels drops every schema of a read model in the Postgres of a
// service that is stopped.
func dropReadModels(t *testing.T, dir string) (n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := postgres.StartPrivate(ctx, postgres.PrivateOptions{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Stop(ctx); err != nil {
			t.Error(err)
		}
	}()
	conn, err := pgx.Connect(ctx, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'rm\_%'`)
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, schema := range schemas {
		if _, err := conn.Exec(ctx, "DROP SCHEMA "+pgx.Identifier{schema}.Sanitize()+" CASCADE"); err != nil {
			t.Fatal(err)
		}
	}
	return len(schemas)
}
