package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"understudy/test/harness"
	"understudy/test/patience"
)

// endedInTheSandbox makes tests with deliveries and a comparison, and waits until nothing
// more will happen. It tells their ids.
func endedInTheSandbox(t *testing.T, s *service) (ids []string) {
	t.Helper()
	c := s.sandbox()
	receive(t, c, nil)
	for range 3 {
		ids = append(ids, c.create(t, signUp(20)).ID)
	}
	for _, id := range ids {
		c.completed(t, id, time.Minute)
	}
	sides := map[string]any{"a": map[string]any{"test_id": ids[0]}, "b": map[string]any{"test_id": ids[1]}}
	if compared := c.compared(t, sides, time.Minute); compared.Status != "completed" {
		t.Errorf("the comparison: %+v", compared)
	}
	s.logPosition(t) // all deliveries are made
	patience.Eventually(t, time.Minute, "all deliveries", func() bool {
		hooks := all[struct{ ID string }](t, c, "/webhooks")
		return !strings.Contains(string(c.send(t, http.MethodGet, "/webhooks/"+hooks[0].ID+"/deliveries?limit=100", nil).Body), `"pending"`)
	})
	s.logPosition(t)
	return ids
}

// tagOf is the ETag of a test, whose revision grows when it is archived.
var tagOf = regexp.MustCompile(`^\d+ "?\S*`)

// answersOf are the answers of everything, with the histories of tests but for their
// archiving.
func answersOf(t *testing.T, s *service, ids []string) map[string]string {
	t.Helper()
	out := everything(t, s)
	for path, answer := range out {
		out[path] = tagOf.ReplaceAllString(ofTheDay.ReplaceAllString(answer, "…"), "…")
	}
	for _, id := range ids {
		for _, e := range all[map[string]any](t, s.sandbox(), "/tests/"+id+"/events") {
			if e["type"] == "testrun.archived.v1" {
				continue
			}
			out[fmt.Sprint(id, " event ", e["revision"])] = fmt.Sprint(e)
			if e["revision"] == 3.0 {
				then := s.sandbox().send(t, http.MethodGet, fmt.Sprint("/tests/", id, "?at=", e["time"]), nil).wants(t, 200, "").Body
				out[id+" then"] = ofTheDay.ReplaceAllString(string(then), "…")
			}
		}
	}
	return out
}

func compareAnswers(t *testing.T, when string, before, after map[string]string) {
	t.Helper()
	for path, was := range before {
		if now := after[path]; now != was {
			t.Errorf("%s: %s\nwas  %.1500s\nis   %.1500s", when, path, was, now)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%s: %d answers, before %d", when, len(after), len(before))
	}
}

// TestArchivedTestsAnswerAsBefore: also after rebuilds, restarts and in a backup, and what
// was signed before still proves them.
func TestArchivedTestsAnswerAsBefore(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	ids := endedInTheSandbox(t, s)
	before := answersOf(t, s, ids)
	head := filepath.Join(s.Dir, "head")
	if err := os.WriteFile(head, s.sandbox().send(t, http.MethodGet, "/audit/head", nil).wants(t, 200, "").Body, 0o600); err != nil {
		t.Fatal(err)
	}
	replayed := s.replayOf(t, ids[0])

	out := s.command(t, append([]string{"archive"}, ids...)...)
	for _, id := range ids {
		if !strings.Contains(out, " are in "+id+".export.gz") {
			t.Errorf("it says nothing of %s:\n%s", id, out)
		}
	}
	compareAnswers(t, "archived", before, answersOf(t, s, ids))
	s.audited(t, "check")
	file := filepath.Join(s.Data(), "archive", ids[0]+".export.gz")
	if out := s.audited(t, "verify", "--head", head, "--key", strings.TrimSpace(s.audited(t, "head", "--key")), file); !strings.Contains(out, "OK:") {
		t.Errorf("an auditor says %s", out)
	}
	if now := s.replayOf(t, ids[0]); now != replayed {
		t.Errorf("a new export is replayed as\n%.1500s\nand before\n%.1500s", now, replayed)
	}
	checkProofs(t, s, ids[0])

	s.command(t, "projections", "rebuild", "--all")
	compareAnswers(t, "rebuilt", before, answersOf(t, s, ids))
	s.Killed(t)
	dropReadModels(t, filepath.Join(s.Data(), "postgres"))
	if out := s.command(t, "node", "check", "--data-dir", s.Data()); !strings.Contains(out, "nothing is wrong") {
		t.Errorf("a check says %s", out)
	}
	s.Begin(t)
	compareAnswers(t, "started from nothing", before, answersOf(t, s, ids))

	backup := filepath.Join(s.Dir, "backup")
	s.command(t, "backup", "create", backup)
	stop(t, s)
	again := &service{harness.Prepare(t, harness.Loopback)}
	again.Addr = s.Addr // addresses in answers are the same
	again.command(t, "backup", "restore", backup)
	if err := s.Share(again.Service); err != nil {
		t.Fatal(err)
	}
	again.Begin(t)
	compareAnswers(t, "restored", before, answersOf(t, again, ids))

	// What is away, or was changed, is missed by name.
	stop(t, again)
	file = filepath.Join(again.Data(), "archive", ids[1]+".export.gz")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"away": func() error { return os.Remove(file) },
		"changed": func() error {
			changed := bytes.Clone(whole)
			changed[len(changed)/2] ^= 1
			return os.WriteFile(file, changed, 0o600)
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if out, err := again.run("node", "check", "--data-dir", again.Data()); err == nil || !strings.Contains(out, ids[1]) {
			t.Errorf("%s: a check says %v\n%s", name, err, out)
		}
	}
	if err := os.WriteFile(file, append(whole[:len(whole)/2:len(whole)/2], whole[len(whole)/2+1:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	again.refused(t, "an archive of events is damaged", ids[1]+".export.gz")
	if out, code := again.audit(t, "check"); code != 1 || !strings.Contains(out, ids[1]+".export.gz") {
		t.Errorf("check: %d\n%s", code, out)
	}
	s.Begin(t) // whose receiver is still to be unsubscribed
}

// replayOf is what the program answers of a test from an export.
func (s *service) replayOf(t *testing.T, id string) string {
	t.Helper()
	file := filepath.Join(s.Dir, "export")
	s.audited(t, "export", id, "-o", file)
	return s.audited(t, "replay", "--keyring", filepath.Join(s.Data(), "keyring.json"), file)
}

// TestArchivingSurvivesKills: whenever the command and the service are killed, nothing is
// lost, and the next run goes on.
func TestArchivingSurvivesKills(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	ids := endedInTheSandbox(t, s)
	before := answersOf(t, s, ids)
	longest := 200 * time.Millisecond // until a run has ended
	for kills, done := 0, false; !done; kills++ {
		ctx, kill := context.WithTimeout(t.Context(), rand.N(longest))
		done = s.Command(ctx, append([]string{"archive"}, ids...)...).Run() == nil
		kill()
		s.Killed(t)
		if out := s.command(t, "node", "check", "--data-dir", s.Data()); !strings.Contains(out, "nothing is wrong") {
			t.Fatalf("after %d kills: %s", kills, out)
		}
		s.Begin(t)
		longest = longest * 3 / 2
		if kills > 30 {
			t.Fatal("it never comes to its end")
		}
	}
	compareAnswers(t, "in the end", before, answersOf(t, s, ids))
	s.audited(t, "check")
	left, err := filepath.Glob(filepath.Join(s.Data(), "archive", "*.unfinished"))
	if err != nil || len(left) > 0 {
		t.Errorf("unfinished: %v, %v", left, err)
	}
}

// TestTheServiceArchivesWhatEndedLongAgo, by itself, and leaves the rest alone.
func TestTheServiceArchivesWhatEndedLongAgo(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback, "UNDERSTUDY_ARCHIVE_DAYS=365")
	old, recent := s.sandbox().create(t, signUp(3)).ID, s.sandbox().create(t, signUp(3)).ID
	for _, id := range []string{old, recent} {
		s.sandbox().completed(t, id, time.Minute)
	}
	s.logPosition(t)
	stop(t, s)
	onPostgres(t, filepath.Join(s.Data(), "postgres"), func(ctx context.Context, conn *pgx.Conn) {
		for _, schema := range queried(ctx, t, conn, `SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'rm\_tests\_%'`) {
			_, err := conn.Exec(ctx, `UPDATE `+schema+`.tests SET created_at = created_at - interval '2 years',
				doc = jsonb_set(doc::jsonb, '{completed_at}', to_jsonb((doc->>'completed_at')::timestamptz - interval '366 days')) WHERE id = $1`, old)
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	s.Begin(t)
	dir := filepath.Join(s.Data(), "archive")
	patience.Eventually(t, time.Minute, "the old test in an archive", func() bool {
		_, begun := os.Stat(filepath.Join(dir, old+".unfinished"))
		_, err := os.Stat(filepath.Join(dir, old+".export.gz"))
		return err == nil && begun != nil
	})
	for _, id := range []string{old, recent} {
		history := all[struct{ Type string }](t, s.sandbox(), "/tests/"+id+"/events")
		if archived := history[0].Type == "testrun.archived.v1"; archived != (id == old) {
			t.Errorf("the last event of the test, old: %t, is %s", id == old, history[0].Type)
		}
	}
	s.audited(t, "verify", filepath.Join(dir, old+".export.gz"))
	s.audited(t, "check")
}
