package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/adapters/postgres"
	"understudy/test/harness"
	"understudy/test/patience"
	"understudy/test/sites"
)

// TestReadModelsCanBeDroppedAndComeBackTheSame: what GET answers is a function of
// the log. Nobody is told anything twice, and nothing is done again.
func TestReadModelsCanBeDroppedAndComeBackTheSame(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	hooks := eventful(t, s)
	day, before, attempts, position := today(), everything(t, s), attempted(hooks), s.logPosition(t)
	for kind, least := range map[string]int{"tests": 4, "sessions": 16, "reports": 3, "comparisons": 1, "personas": 3, "webhooks": 2, "deliveries": 15, "organization": 2} {
		if n := len(pathsOf(before, kind)); n < least {
			t.Errorf("%d answers of %s are compared: %v", n, kind, pathsOf(before, kind))
		}
	}
	same := func(when string) {
		t.Helper()
		after := everything(t, s)
		for path, was := range before {
			now := after[path]
			if today() != day {
				was, now = ofTheDay.ReplaceAllString(was, "…"), ofTheDay.ReplaceAllString(now, "…")
			}
			if now != was {
				t.Errorf("%s: GET %s\nwas  %.1500s\nis   %.1500s", when, path, was, now)
			}
		}
		if len(after) != len(before) {
			t.Errorf("%s: %d answers, before %d", when, len(after), len(before))
		}
		if now := s.logPosition(t); now != position {
			t.Errorf("%s: the log has grown from %d to %d", when, position, now)
		}
		if now := attempted(hooks); now != attempts {
			t.Errorf("%s: %d deliveries were attempted, before %d", when, now, attempts)
		}
	}

	// While it serves, replaced one by one.
	out := s.command(t, "projections", "rebuild", "--all")
	if n := strings.Count(out, ": replaced with "); n < 11 {
		t.Errorf("%d read models were replaced:\n%s", n, out)
	}
	same("replaced while it served")

	// All dropped, and made by the start.
	stop(t, s)
	if n := dropReadModels(t, filepath.Join(s.Data(), "postgres")); n < 11 {
		t.Errorf("there were only %d schemas of read models", n)
	}
	s.Begin(t)
	same("dropped and started again")

	// All dropped, and made before the start, beside what is older.
	stop(t, s)
	dropReadModels(t, filepath.Join(s.Data(), "postgres"), `CREATE SCHEMA rm_tests_v0`, `CREATE TABLE rm_tests_v0.tests AS SELECT generate_series(1, 10000)`)
	out = s.command(t, "projections", "rebuild")
	if n := strings.Count(out, ": filled with "); n < 11 {
		t.Errorf("%d read models were filled:\n%s", n, out)
	}
	s.Begin(t)
	same("filled before the start")
	if out = s.command(t, "projections", "status"); !strings.Contains(out, "rm_tests_v0: another version") || !regexp.MustCompile(`tests +v\d+ +\d+ +0 `).MatchString(out) {
		t.Errorf("status:\n%s", out)
	}
	if out = s.command(t, "projections", "gc", "--yes"); !strings.Contains(out, "dropped rm_tests_v0") || !strings.Contains(out, "freed ") || strings.Count(out, "dropped") != 1 {
		t.Errorf("gc:\n%s", out)
	}
	same("after what is older was dropped")
}

// TestARunningTestNoticesNoRebuild: while every read model is replaced again and
// again, and rebuilds are killed, workers, reactors and callers work on, and
// nothing happens twice.
func TestARunningTestNoticesNoRebuild(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	hook := receive(t, c, nil)
	created := c.create(t, signUp(600))
	ended, rebuilt, failed := make(chan struct{}), 0, make(chan error)
	go func() {
		for {
			select {
			case <-ended:
				failed <- nil
				return
			default:
			}
			// Killed somewhere, which is no matter.
			ctx, kill := context.WithTimeout(t.Context(), time.Duration(100+rand.IntN(900))*time.Millisecond)
			_ = s.Command(ctx, "projections", "rebuild", "--all").Run()
			kill()
			if out, err := s.run("projections", "rebuild", "--all"); err != nil {
				failed <- fmt.Errorf("%w\n%s", err, out)
				return
			}
			rebuilt++
		}
	}()
	last := created
	patience.Eventually(t, 2*time.Minute, "the test has ended", func() bool {
		now := c.test(t, created.ID)
		if now.SessionsCompleted < last.SessionsCompleted {
			t.Errorf("%d sessions had ended, then %d", last.SessionsCompleted, now.SessionsCompleted)
		}
		last = now
		return last.Status != "running"
	})
	close(ended)
	if err := <-failed; err != nil || rebuilt == 0 {
		t.Fatalf("%d rebuilds while the test ran: %v", rebuilt, err)
	}
	if last.Status != "completed" {
		t.Fatalf("the test is %s: %+v", last.Status, last.Failure)
	}
	countedOnce(t, last, c.sessions(t, created.ID))
	hook.await(t, created.ID, time.Minute, "test.completed")
	s.logPosition(t) // nothing is left to be done
	t.Logf("%d rebuilds of everything while it ran", rebuilt)
	if out := s.command(t, "projections", "gc", "--yes"); out != "nothing to drop\n" {
		t.Errorf("left behind: %s", out)
	}
	if got := hook.Of(created.ID); len(got) != 13 {
		t.Errorf("%d deliveries of started, ten of progress, a verdict and completed", len(got))
	}
}

// eventful makes a bit of everything happen, in both environments, and waits
// until nothing more will.
func eventful(t *testing.T, s *service) (hooks []*receiver) {
	t.Helper()
	live, sandbox := s.live(), s.sandbox()
	refused := 0
	hooks = append(hooks, receive(t, sandbox, func(harness.Received) int {
		if refused++; refused == 1 { // a delivery with two attempts
			return http.StatusInternalServerError
		}
		return http.StatusNoContent
	}), receive(t, live, nil, "test.completed", "test.failed"))
	strict := map[string]any{"quality_gate": map[string]any{"threshold": 0.9, "criteria": map[string]any{"trust": 0.5}}}
	live.send(t, http.MethodPatch, "/organization", strict).wants(t, 200, "")
	kept, gone := sandbox.describe(t, map[string]any{"name": "Ada", "zoom": 2}), sandbox.describe(t, map[string]any{"name": "Eve"})
	sandbox.send(t, http.MethodPatch, "/personas/"+kept.ID, map[string]any{"zoom": nil, "name": "Ada L."}).wants(t, 200, "")
	walked := live.create(t, signUpForReal(t, serveSite(t, sites.SaaS), 2))
	unreachable := live.create(t, map[string]any{"url": "http://" + closedPort(t) + "/", "task": "Find the price"})
	done, custom := sandbox.create(t, signUp(20)), sandbox.create(t, signUpAs(10, kept.ID, gone.ID))
	sandbox.send(t, http.MethodDelete, "/personas/"+gone.ID, nil).wants(t, 204, "")
	slow := signUp(50)
	slow["task"] = "slow"
	cancelled := sandbox.create(t, slow)
	sandbox.send(t, http.MethodDelete, "/tests/"+cancelled.ID, nil).wants(t, 200, "")
	if compared := sandbox.compared(t, map[string]any{"a": map[string]any{"test_id": done.ID}, "b": map[string]any{"url": "https://b.example/"}}, time.Minute); compared.Status != "completed" {
		t.Errorf("the comparison: %+v", compared)
	}
	sandbox.completed(t, custom.ID, time.Minute)
	live.completed(t, walked.ID, liveLimit)
	live.ended(t, unreachable.ID, time.Minute)
	for _, id := range []string{done.ID, cancelled.ID} {
		if c := follow(t, sandbox.test(t, id).StreamURL, 0); len(c.rest(t, time.Minute)) == 0 {
			t.Error("an empty stream")
		}
	}
	sandbox.send(t, http.MethodPost, "/tests/"+done.ID+"/reports", map[string]any{"criteria": []string{"navigation"}}).wants(t, 201, "")
	patience.Eventually(t, time.Minute, "all deliveries", func() bool {
		for c, hook := range map[client]*receiver{sandbox: hooks[0], live: hooks[1]} {
			if strings.Contains(string(c.send(t, "GET", "/webhooks/"+hook.id+"/deliveries?limit=100", nil).Body), `"pending"`) {
				return false
			}
		}
		return len(hooks[0].Of(done.ID)) >= 13 && len(hooks[1].Of(walked.ID)) == 1 && len(hooks[1].Of(unreachable.ID)) == 1
	})
	return hooks
}

// attempted counts the attempts at deliveries to all receivers.
func attempted(hooks []*receiver) (n int) {
	for _, h := range hooks {
		n += len(h.All())
	}
	return n
}

// logPosition is where the log ends, once reactors and read models have nothing
// left to take in.
func (s *service) logPosition(t *testing.T) (position int) {
	t.Helper()
	var all bool
	var err error
	lost := patience.Until(t.Context(), time.Minute, func() bool {
		position, all, err = s.TakenIn(t.Context()) // a busy machine may not tell who follows
		return err == nil && all
	})
	if lost != nil {
		t.Fatalf("everybody has taken in the log: %v; at last: %v", lost, err)
	}
	return position
}

// command runs the program beside the service, or without it, on its data.
func (s *service) command(t *testing.T, args ...string) string {
	t.Helper()
	out, err := s.run(args...)
	if err != nil {
		t.Fatalf("understudy %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// run is command that may fail.
func (s *service) run(args ...string) (output string, err error) {
	ctx, cancel := patience.Context(context.Background(), harness.StartLimit)
	defer cancel()
	out, err := s.Command(ctx, args...).CombinedOutput()
	return string(out), err
}

// everything reads all that can be read, as ETag and body by key and path. It
// finds what there is by the lists.
func everything(t *testing.T, s *service) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, c := range map[string]client{"live": s.live(), "sandbox": s.sandbox()} {
		keep := func(path string) {
			a := c.send(t, http.MethodGet, path, nil)
			out[name+" "+path] = fmt.Sprint(a.StatusCode, " ", a.Header.Get("ETag"), " ", withoutRequest(a))
		}
		// each reads a list and what it lists, and tells the ids.
		each := func(list, single string) (ids []string) {
			for _, item := range all[struct{ ID string }](t, c, list) {
				ids = append(ids, item.ID)
				if single != "" {
					keep(single + item.ID)
				}
			}
			keep(list + "?limit=100")
			return ids
		}
		keep("/organization")
		keep("/models")
		each("/reports", "/reports/")
		each("/comparisons", "/comparisons/")
		each("/personas", "/personas/")
		each("/personas/packs", "/personas/packs/")
		for _, id := range each("/webhooks", "/webhooks/") {
			each("/webhooks/"+id+"/deliveries", "/deliveries/")
		}
		for _, id := range each("/tests", "/tests/") {
			keep("/tests/" + id + "/report")
			sessions := each("/tests/"+id+"/sessions", "")
			for _, session := range sessions[:min(6, len(sessions))] {
				keep("/tests/" + id + "/sessions/" + session)
				for _, path := range []string{"", "/trace", "/recording", "/screenshots?limit=100"} {
					keep("/sessions/" + session + path)
				}
			}
		}
	}
	return out
}

// pathsOf are the paths that were read below /kind/ or are it.
func pathsOf(answers map[string]string, kind string) (paths []string) {
	for path := range answers {
		_, path, _ = strings.Cut(path, " /")
		if first, _, _ := strings.Cut(path, "/"); first == kind {
			paths = append(paths, path)
		}
	}
	return paths
}

// withoutRequest is a body without what is of the request: an error's id.
func withoutRequest(a answer) string {
	return strings.ReplaceAll(string(a.Body), a.Header.Get("X-Request-Id"), "…")
}

// ofTheDay is what changes at midnight (UTC): signatures in addresses, and the
// ETags of what has them in it.
var ofTheDay = regexp.MustCompile(`expires=\d+(&|&amp;|\\u0026)(signature|token)=[\w.-]+|^\d+ "?\S*`)

func today() string { return time.Now().UTC().Format(time.DateOnly) }

// dropReadModels drops every schema of a read model in the Postgres of a
// service that is stopped, and runs what is to be run after it.
func dropReadModels(t *testing.T, dir string, statements ...string) (n int) {
	t.Helper()
	onPostgres(t, dir, func(ctx context.Context, conn *pgx.Conn) {
		schemas := queried(ctx, t, conn, `SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'rm\_%'`)
		n = len(schemas)
		for _, schema := range schemas {
			statements = append([]string{"DROP SCHEMA " + pgx.Identifier{schema}.Sanitize() + " CASCADE"}, statements...)
		}
		// All that these tests read is more than a minute allows.
		for _, statement := range append(statements, `TRUNCATE ops.rate_windows`) {
			if _, err := conn.Exec(ctx, statement); err != nil {
				t.Fatal(err)
			}
		}
	})
	return n
}

// onPostgres does something with the Postgres of a service that is stopped.
func onPostgres(t *testing.T, dir string, do func(context.Context, *pgx.Conn)) {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), time.Minute)
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
	do(ctx, conn)
}
