package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/mod/sumdb/tlog"
)

// audit runs `understudy audit` on the service's data directory, wherever the
// service itself is, and returns its exit code.
func (s *service) audit(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	ctx, cancel := patience.Context(t.Context(), time.Minute)
	defer cancel()
	cmd := s.Command(ctx, append([]string{"audit"}, args...)...)
	cmd.Env = append(cmd.Env, "UNDERSTUDY_BASE_URL=http://"+s.Addr+"/v1")
	output, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(output), cmd.ProcessState.ExitCode()
}

// audited is audit that must succeed.
func (s *service) audited(t *testing.T, args ...string) string {
	t.Helper()
	out, code := s.audit(t, args...)
	if code != 0 {
		t.Fatalf("audit %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// refused is a start that must fail, with a text.
func (s *service) refused(t *testing.T, texts ...string) {
	t.Helper()
	if err := s.Start(t.Context()); err == nil {
		t.Fatalf("it serves")
	}
	for _, text := range texts {
		if !strings.Contains(s.Tail(), text) {
			t.Errorf("%q is not in what it said:\n%s", text, s.Tail())
		}
	}
}

type auditHead struct {
	Size      int64
	Root      string `json:"root_hash"`
	Key, Note string
	Keys      []struct{ Key string }
}

// covering waits for a signed head that has the start of a test.
func covering(t *testing.T, c client, testID string) auditHead {
	t.Helper()
	patience.Eventually(t, 20*time.Second, "a head with the test's start", func() bool {
		a := c.send(t, http.MethodGet, "/audit/proof?stream=testrun-"+testID+"&revision=1", nil)
		return a.StatusCode == http.StatusOK
	})
	return get[auditHead](t, c, "/audit/head")
}

func TestAnAuditorTrustsNobody(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	hook := receive(t, c, nil)
	file := filepath.Join(s.Dir, "history")
	key := strings.TrimSpace(s.audited(t, "head", "--key"))

	// While a test runs.
	slow := signUp(400)
	slow["task"] = "slow"
	running := c.create(t, slow)
	early := covering(t, c, running.ID)
	if early.Key != key {
		t.Errorf("the key is %q by REST and %q by hand", early.Key, key)
	}
	if out := s.audited(t, "export", running.ID, "-o", file); !strings.Contains(out, running.ID) {
		t.Errorf("it says %s", out)
	}
	s.audited(t, "verify", "--key", key, file)
	c.send(t, http.MethodDelete, "/tests/"+running.ID, nil).wants(t, 200, "")

	// After it: what it says is what the service says, byte for byte.
	done := c.create(t, signUp(5))
	c.completed(t, done.ID, time.Minute)
	other := c.create(t, signUp(5))
	c.completed(t, other.ID, time.Minute)
	sides := map[string]any{"a": map[string]any{"test_id": done.ID}, "b": map[string]any{"test_id": other.ID}}
	compared := read[comparisonResource](t, c.send(t, http.MethodPost, "/comparisons", sides).wants(t, 201, ""))
	patience.Eventually(t, 30*time.Second, "the comparison", func() bool {
		return get[comparisonResource](t, c, "/comparisons/"+compared.ID).Status == "completed"
	})
	hook.await(t, done.ID, 20*time.Second, "test.completed")
	s.audited(t, "export", done.ID, "-o", file)
	keep := filepath.Join(s.Dir, "head")
	if err := os.WriteFile(keep, []byte(early.Note), 0o600); err != nil {
		t.Fatal(err)
	}
	history, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out, code := s.audit(t, "verify", "--key", key, "--head", keep, file)
	if code != 1 || !strings.Contains(out, "proof of consistency") {
		t.Errorf("a head of another size, without a proof: %d\n%s", code, out)
	}
	size := strings.Split(headOf(t, history), "\n")[1]
	proof := filepath.Join(s.Dir, "proof")
	answer := c.send(t, http.MethodGet, "/audit/consistency?from="+strconv.FormatInt(early.Size, 10)+"&to="+size, nil).wants(t, 200, "")
	if err := os.WriteFile(proof, answer.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	s.audited(t, "verify", "--key", key, "--head", keep, "--consistency", proof, file)
	replayed := s.audited(t, "replay", "--keyring", filepath.Join(s.Data(), "keyring.json"), file)
	checkReplay(t, c, replayed)
	if out, code := s.audit(t, "replay", "--keyring", filepath.Join(s.Data(), "keyring.json"), "--get", "/v1/tests/"+done.ID+"?at=2026-01-01T00:00:00Z", file); code == 0 || !strings.Contains(out, "leave out at") {
		t.Errorf("a moment is asked of an export: %d\n%s", code, out)
	}
	checkProofs(t, s, done.ID)

	edited := bytes.Replace(history, []byte(`\"sessions\":5`), []byte(`\"sessions\":6`), 1)
	if bytes.Equal(edited, history) {
		t.Fatal("nothing was edited")
	}
	if err := os.WriteFile(file, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	out, code = s.audit(t, "verify", file)
	if code != 1 || !strings.Contains(out, "testrun.created.v1 of stream testrun-"+done.ID+", revision 0, position") {
		t.Errorf("an edited export: %d\n%s", code, out)
	}

	// Crashes never make another head of a size, and no service is needed.
	for range 2 {
		more := c.create(t, signUp(30))
		covering(t, c, more.ID)
		s.Killed(t)
		s.audited(t, "export", done.ID, "-o", file)
		if got := s.audited(t, "verify", "--key", key, file); !strings.Contains(got, "OK:") {
			t.Errorf("it says %s", got)
		}
		s.Begin(t)
		c = s.sandbox()
	}
	roots := map[string]string{}
	heads, err := os.ReadFile(filepath.Join(s.Data(), "audit", "heads"))
	if err != nil {
		t.Fatal(err)
	}
	for _, head := range strings.Split(strings.TrimSpace(string(heads)), "\n\n"+strings.Split(key, "+")[0]+"\n") {
		lines := strings.Split(strings.TrimPrefix(head, strings.Split(key, "+")[0]+"\n"), "\n")
		if other, twice := roots[lines[0]]; twice && other != lines[1] {
			t.Errorf("size %s has the roots %s and %s", lines[0], other, lines[1])
		}
		roots[lines[0]] = lines[1]
	}
	if len(roots) < 4 {
		t.Errorf("only the heads %v", roots)
	}
	if got := s.audited(t, "check"); !strings.Contains(got, "OK:") {
		t.Errorf("it says %s", got)
	}
	if code, err := s.Terminate(); err != nil || code != 0 {
		t.Fatalf("exit code %d: %v", code, err)
	}

	// A changed log, and heads that are gone, are refused; both put back serve.
	tamper(t, filepath.Join(s.Data(), "events"), done.ID, `"sessions":5`, `"sessions":9`)
	s.refused(t, "the event log was changed", "the first event that differs", "testrun.created.v1 of stream testrun-"+done.ID+", revision 0")
	if out, code := s.audit(t, "check"); code != 1 || !strings.Contains(out, "was changed") {
		t.Errorf("check: %d\n%s", code, out)
	}
	tamper(t, filepath.Join(s.Data(), "events"), done.ID, `"sessions":9`, `"sessions":5`)
	audit := filepath.Join(s.Data(), "audit")
	if err := os.Rename(audit, audit+".away"); err != nil {
		t.Fatal(err)
	}
	s.refused(t, "never made anew", filepath.Join(audit, "heads"))
	if _, err := os.Stat(filepath.Join(audit, "heads")); err == nil {
		t.Error("heads were made anew")
	}
	if err := errors.Join(os.RemoveAll(audit), os.Rename(audit+".away", audit)); err != nil {
		t.Fatal(err)
	}
	s.Begin(t)
	s.sandbox().send(t, http.MethodGet, "/tests/"+done.ID, nil).wants(t, 200, "")
}

// headOf is the signed head of an export.
func headOf(t *testing.T, history []byte) string {
	t.Helper()
	var header struct{ Head string }
	line, _, _ := bytes.Cut(history, []byte("\n"))
	if err := json.Unmarshal(line, &header); err != nil {
		t.Fatal(err)
	}
	return header.Head
}

// checkReplay compares what a replay answers with what the service does.
func checkReplay(t *testing.T, c client, replayed string) {
	t.Helper()
	kinds := map[string]int{}
	for line := range strings.Lines(replayed) {
		var l struct {
			Get    string
			Answer json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		kinds[strings.Split(l.Get, "/")[2]]++
		a := c.send(t, http.MethodGet, strings.TrimPrefix(l.Get, "/v1"), nil).wants(t, 200, "")
		if got := strings.TrimSpace(string(a.Body)); got != string(l.Answer) {
			t.Errorf("GET %s\nthe service  %.1500s\nthe replay   %.1500s", l.Get, got, l.Answer)
		}
	}
	if kinds["tests"] != 2 || kinds["sessions"] < 15 || kinds["reports"] != 1 || kinds["deliveries"] < 3 || kinds["comparisons"] != 1 {
		t.Errorf("answers of %v", kinds)
	}
}

type auditProof struct {
	Index, Size int64
	Record      []byte
	Leaf        tlog.Hash   `json:"leaf_hash"`
	Root        tlog.Hash   `json:"root_hash"`
	Hashes      []tlog.Hash `json:"hashes"`
}

// checkProofs checks inclusion proofs as an auditor's own program would.
func checkProofs(t *testing.T, s *service, testID string) {
	t.Helper()
	c := s.sandbox()
	head := covering(t, c, testID)
	for _, revision := range []string{"0", "1"} {
		p := get[auditProof](t, c, "/audit/proof?stream=testrun-"+testID+"&revision="+revision+"&size="+strconv.FormatInt(head.Size, 10))
		if err := tlog.CheckRecord(p.Hashes, p.Size, p.Root, p.Index, tlog.RecordHash(p.Record)); err != nil {
			t.Error(err)
		}
		if p.Size != head.Size || p.Root.String() != head.Root || p.Leaf != tlog.RecordHash(p.Record) || !bytes.Contains(p.Record, []byte(testID)) {
			t.Errorf("revision %s: %+v", revision, p)
		}
	}
	s.live().send(t, http.MethodGet, "/audit/proof?stream=testrun-"+testID+"&revision=0", nil).wants(t, 404, "not_found")
	c.send(t, http.MethodGet, "/audit/proof?stream=testrun-"+testID+"&revision=4711", nil).wants(t, 404, "not_found")
	c.send(t, http.MethodGet, "/audit/proof?stream=testrun-"+testID+"&revision=0&size=999999999", nil).wants(t, 422, "validation_failed")
	c.send(t, http.MethodGet, "/audit/consistency?from=5&to=4", nil).wants(t, 422, "validation_failed")
}

// tamper changes recorded events of a test in a store that nobody serves: as
// many bytes as there were, wherever the old text stands.
func tamper(t *testing.T, dir, testID, old, changed string) {
	t.Helper()
	db, err := pebble.Open(dir, &pebble.Options{FormatMajorVersion: pebble.FormatTableFormatV6})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	events, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte("e"), UpperBound: []byte("f")})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ok := events.First(); ok; ok = events.Next() {
		if !bytes.Contains(events.Value(), []byte(testID)) {
			continue
		}
		if now := bytes.Replace(events.Value(), []byte(old), []byte(changed), 1); !bytes.Equal(now, events.Value()) {
			n++
			if err := db.Set(bytes.Clone(events.Key()), now, pebble.Sync); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := events.Close(); err != nil || n == 0 {
		t.Fatalf("%d events were changed, %v", n, err)
	}
}
