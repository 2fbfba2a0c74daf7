package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/test/harness"
	"understudy/test/patience"
)

// One installation and what becomes of its log in the course of time. The parts
// build on each other, because starting a service is dear.
func TestALogOutlivesItsProgramsAndKeys(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback, "UNDERSTUDY_REPLAYS=0")
	hidden := leaveSecrets(t, s)
	hook := receive(t, s.sandbox(), nil)
	done := s.sandbox().create(t, signUp(9))
	other := s.sandbox().create(t, signUp(9))
	s.sandbox().completed(t, done.ID, time.Minute)
	s.sandbox().completed(t, other.ID, time.Minute)
	s.sandbox().compared(t, map[string]any{"a": map[string]any{"test_id": done.ID}, "b": map[string]any{"test_id": other.ID}}, time.Minute)
	delivered(t, s, hook)

	t.Run("its secrets are nowhere in plain", func(t *testing.T) {
		look := hidden.hunt(t)
		log := wholeLog(t, openLog(t, s.socket()))
		for _, e := range log {
			look(e.Stream+" "+e.Type, slices.Concat(e.Data, e.Metadata))
		}
		if len(log) < 100 {
			t.Errorf("there were only %d events", len(log))
		}
		stop(t, s)
		nowhere(t, s, hidden)
		s.Begin(t)
	})
	t.Run("an older program's events", func(t *testing.T) { readsOlderShapes(t, s, hook, done) })
	t.Run("a rotation of the keys", func(t *testing.T) { rotatesWhileItRuns(t, s, hook, done) })
	t.Run("a lost keyring", func(t *testing.T) { insistsOnItsKeyring(t, s) })
	t.Run("a secret that cannot be read", func(t *testing.T) { oneLostSecret(t, s, hook) })
	t.Run("a newer program's events", func(t *testing.T) { holdsBeforeTheUnknown(t, s, done) })
}

// forgetAuditKey makes a keyring one of a program that signed no heads.
func forgetAuditKey(t *testing.T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if _, there := all["audit_key"]; !there {
		t.Error("the keyring has no audit key")
	}
	delete(all, "audit_key")
	if raw, err = json.Marshal(all); err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func stop(t *testing.T, s *service) {
	t.Helper()
	if code, err := s.Terminate(); err != nil || code != 0 {
		t.Fatalf("exit code %d: %v", code, err)
	}
}

// delivered waits until no delivery to an endpoint is pending.
func delivered(t *testing.T, s *service, hook *receiver) {
	t.Helper()
	patience.Eventually(t, 30*time.Second, "all deliveries", func() bool {
		return !bytes.Contains(s.sandbox().send(t, http.MethodGet, "/webhooks/"+hook.id+"/deliveries?limit=100", nil).Body, []byte(`"pending"`))
	})
}

// older is what a program before session.completed.v2 has recorded.
func older(t *testing.T, e eventstore.Raw) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(e.Data, &fields); err != nil {
		t.Fatal(err)
	}
	ms, err := strconv.Atoi(string(fields["simulated_ms"]))
	if err != nil {
		t.Fatal(err)
	}
	delete(fields, "simulated_ms")
	if fields["simulated_seconds"], err = json.Marshal(float64(ms) / 1000); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The same history, half of it recorded in the shapes of an older program,
// answers the same, byte for byte, and work goes on.
func readsOlderShapes(t *testing.T, s *service, hook *receiver, done harness.Test) {
	before := everything(t, s)
	stop(t, s)
	past := filepath.Join(s.Dir, "past")
	if err := os.Rename(s.Data(), past); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	// Recorded again, events have other times, from which reactors take the ids
	// of what follows: they keep their checkpoints.
	for _, name := range []string{"keyring.json", "keys.json", "subjects", "blobs", "postgres"} {
		if err := os.Rename(filepath.Join(past, name), filepath.Join(s.Data(), name)); err != nil {
			t.Fatal(err)
		}
	}
	// Another log than the one whose heads were signed would be refused: an
	// older program had signed none.
	dropReadModels(t, filepath.Join(s.Data(), "postgres"), `DELETE FROM ops.audit_head`, `DROP SCHEMA audit_v1 CASCADE`)
	forgetAuditKey(t, s.keyring())
	n, err := node.Start(context.Background(), node.Options{Dir: filepath.Join(past, "events"), Socket: filepath.Join(past, "past.sock")})
	if err != nil {
		t.Fatal(err)
	}
	log := wholeLog(t, openLog(t, filepath.Join(past, "past.sock")))
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{}
	recordAgain(t, log, filepath.Join(s.Data(), "events"), func(e eventstore.Raw) (string, []byte) {
		typ, data := e.Type, e.Data
		if typ == "session.completed.v2" && (ends[typ]+ends["session.completed.v1"])%2 == 0 {
			typ, data = "session.completed.v1", older(t, e)
		}
		ends[typ]++
		return typ, data
	})
	if ends["session.completed.v1"] < 9 || ends["session.completed.v2"] < 9 {
		t.Errorf("the log has %d and %d sessions of either shape", ends["session.completed.v1"], ends["session.completed.v2"])
	}
	s.Begin(t)
	after := everything(t, s)
	for path, was := range before {
		if now := after[path]; now != was {
			t.Errorf("GET %s\nwas  %.1500s\nis   %.1500s", path, was, now)
		}
	}
	was := len(hook.Of(done.ID))
	next := s.sandbox().create(t, signUp(3))
	s.sandbox().completed(t, next.ID, time.Minute)
	hook.await(t, next.ID, time.Minute, "test.completed")
	if now := len(hook.Of(done.ID)); now != was || now == 0 {
		t.Errorf("%d attempts at deliveries of a test that had ended, %d before", now, was)
	}
}
