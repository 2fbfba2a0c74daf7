package e2e

import (
	"encoding/base64"
	bigendian "encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/adapters/keyring"
	"understudy/domain"
	"understudy/test/harness"
	"understudy/test/patience"
)

func (s *service) keyring() string { return filepath.Join(s.Data(), "keyring.json") }

// registered is an endpoint as it is recorded.
type registered struct {
	WebhookID      string             `json:"webhook_id"`
	OrganizationID string             `json:"organization_id"`
	Environment    domain.Environment `json:"environment"`
	URL            string             `json:"url"`
	Events         []string           `json:"events"`
	Secret         string             `json:"secret"`
	At             string             `json:"at"`
}

// recordedSecret is the ciphertext of an endpoint's secret, and the key that it
// was sealed with.
func recordedSecret(t *testing.T, c client, webhookID string) (sealed string, key uint32) {
	t.Helper()
	var e registered
	if err := json.Unmarshal(c.history(t, "/webhooks/"+webhookID)[0].Data, &e); err != nil {
		t.Fatal(err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(e.Secret)
	if err != nil || len(raw) < 5 {
		t.Fatalf("the secret is recorded as %q: %v", e.Secret, err)
	}
	return e.Secret, bigendian.BigEndian.Uint32(raw[1:5])
}

// rotatesWhileItRuns: new secrets are sealed with the new key, old ones are
// read on, and what was signed holds.
func rotatesWhileItRuns(t *testing.T, s *service, hook *receiver, done harness.Test) {
	c := s.sandbox()
	_, old := recordedSecret(t, c, hook.id)
	cursor := *get[harness.Page[harness.Test]](t, c, "/tests?limit=1").NextCursor
	stream := c.test(t, done.ID).StreamURL
	if out := s.command(t, "keyring", "rotate"); strings.Count(out, "sealing key") != 2 || !strings.Contains(out, "1 more verify") {
		t.Errorf("the keyring after its rotation:\n%s", out)
	}
	patience.Eventually(t, 20*time.Second, "a secret that is sealed with the new key", func() bool {
		body := map[string]any{"url": hook.URL, "secret": webhookSecret}
		id := read[struct{ ID string }](t, c.send(t, http.MethodPost, "/webhooks", body).wants(t, http.StatusCreated, "")).ID
		sealed, key := recordedSecret(t, c, id)
		c.send(t, http.MethodDelete, "/webhooks/"+id, nil).wants(t, http.StatusNoContent, "")
		k, err := keyring.Open(s.keyring())
		if err != nil {
			t.Fatal(err)
		}
		if secret, err := k.OpenString(sealed, "webhook secret "+id); err != nil || secret != webhookSecret {
			t.Errorf("the secret opens as %q, %v", secret, err)
		}
		return key != old
	})
	get[harness.Page[harness.Test]](t, c, "/tests?limit=1&cursor="+cursor)
	if len(follow(t, stream, 0).rest(t, time.Minute)) == 0 {
		t.Error("an empty stream")
	}
	next := c.create(t, signUp(3))
	hook.await(t, next.ID, time.Minute, "test.completed") // whose signature is that of the old secret
}

// insistsOnItsKeyring: a service whose keyring is gone, or another's, does not
// start; with a backup of it, it does.
func insistsOnItsKeyring(t *testing.T, s *service) {
	backup := filepath.Join(s.Dir, "backup.json")
	s.command(t, "keyring", "backup", backup)
	if out, err := s.run("keyring", "backup", backup); err == nil {
		t.Errorf("a backup was written over another: %s", out)
	}
	piped := s.command(t, "keyring", "backup", "-")
	if kept, err := os.ReadFile(backup); err != nil || string(kept) != piped {
		t.Errorf("the backup in a pipe is another: %v", err)
	}
	stop(t, s)
	refuses := func(says string) {
		t.Helper()
		out, err := s.run("serve")
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != 1 || !strings.Contains(out, says) || !strings.Contains(out, "understudy keyring restore FILE") {
			t.Errorf("it does not refuse to start: %v\n%s", err, out)
		}
	}
	if err := os.Rename(s.keyring(), s.keyring()+".away"); err != nil {
		t.Fatal(err)
	}
	refuses("is missing")
	if _, err := os.Stat(s.keyring()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a new keyring was made: %v", err)
	}
	if _, err := keyring.OpenOrCreate(s.keyring()); err != nil {
		t.Fatal(err)
	}
	refuses("is not the keyring")
	if out, err := s.run("keyring", "restore", backup); err == nil || !strings.Contains(out, "move the file away") {
		t.Errorf("another keyring was replaced: %v\n%s", err, out)
	}
	if err := os.Remove(s.keyring()); err != nil {
		t.Fatal(err)
	}
	s.command(t, "keyring", "restore", backup)
	if out := s.command(t, "keyring", "status"); strings.Count(out, "sealing key") != 2 {
		t.Errorf("the keyring after its restoration:\n%s", out)
	}
	s.Begin(t)
}

// oneLostSecret: deliveries to an endpoint whose secret cannot be read wait, and
// those to others do not.
func oneLostSecret(t *testing.T, s *service, hook *receiver) {
	c := s.sandbox()
	foreign, err := keyring.OpenOrCreate(filepath.Join(s.Dir, "foreign.json"))
	if err != nil {
		t.Fatal(err)
	}
	id := domain.FormatID(domain.PrefixWebhook, uuid.Must(uuid.NewV7()))
	sealed, err := foreign.SealString(webhookSecret, "webhook secret "+id)
	if err != nil {
		t.Fatal(err)
	}
	organization := get[struct{ ID string }](t, c, "/organization").ID
	data, err := json.Marshal(registered{
		WebhookID: id, OrganizationID: organization, Environment: domain.Sandbox, URL: hook.URL, Secret: sealed,
		Events: []string{"test.completed"}, At: domain.At(time.Now()).String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	store := openLog(t, s.socket(), "webhook.registered.v1")
	record(t, store, "webhook-"+id, uuid.New(), "webhook.registered.v1", string(data), domain.Meta{OrganizationID: organization, Environment: domain.Sandbox})
	patience.Eventually(t, 20*time.Second, "the endpoint", func() bool {
		return c.send(t, http.MethodGet, "/webhooks/"+id, nil).StatusCode == http.StatusOK
	})
	for range 3 {
		next := c.create(t, signUp(2))
		hook.await(t, next.ID, time.Minute, "test.completed")
	}
	delivered(t, s, hook)
	type delivery struct {
		Status   string
		Attempts []any
	}
	var waiting []delivery
	patience.Eventually(t, 20*time.Second, "the deliveries that cannot be signed", func() bool {
		waiting = get[harness.Page[delivery]](t, c, "/webhooks/"+id+"/deliveries").Data
		return len(waiting) >= 3
	})
	if len(waiting) != 3 || waiting[0].Status != "pending" || len(waiting[0].Attempts) != 0 {
		t.Errorf("the deliveries that cannot be signed: %+v", waiting)
	}
	patience.Eventually(t, 20*time.Second, "the reason in the log", func() bool { return strings.Contains(s.Tail(), "restore a newer backup of the keyring") })
	c.send(t, http.MethodDelete, "/webhooks/"+id, nil).wants(t, http.StatusNoContent, "")
}

// holdsBeforeTheUnknown: what a newer program has recorded is passed and counted
// by the read models, and answers go on; reactors hold before it, so that the
// newer program can do what follows from it.
func holdsBeforeTheUnknown(t *testing.T, s *service, done harness.Test) {
	c := s.sandbox()
	before := string(c.send(t, http.MethodGet, "/tests/"+done.ID, nil).Body)
	const typ = "testrun.reopened.v3"
	store := openLog(t, s.socket(), typ)
	at := record(t, store, "testrun-"+done.ID, uuid.New(), typ, `{"by": "a newer program"}`, domain.Meta{Environment: domain.Sandbox})
	patience.Eventually(t, 20*time.Second, "the count of unknown events", func() bool {
		metrics := c.send(t, http.MethodGet, "http://"+s.Addr+"/metrics", nil).wants(t, http.StatusOK, "").Body
		return strings.Contains(string(metrics), `understudy_projection_unknown_events_total{projection="tests"} 1`)
	})
	for _, reactor := range []string{"session-creation", "session-cancellation", "fan-out"} {
		patience.Eventually(t, 20*time.Second, reactor+" holds", func() bool {
			for line := range strings.Lines(s.Tail()) {
				if strings.Contains(line, "holding before an event that a newer program recorded") &&
					strings.Contains(line, "reactor="+reactor+" ") && strings.Contains(line, "type="+typ) {
					return true
				}
			}
			return false
		})
	}
	if now := string(c.send(t, http.MethodGet, "/tests/"+done.ID, nil).Body); now != before {
		t.Errorf("the test was\n%s\nand is\n%s", before, now)
	}
	if then := string(c.send(t, http.MethodGet, fmt.Sprintf("/tests/%s?at=%d", done.ID, at), nil).Body); then != before {
		t.Errorf("as of the unknown event the test was\n%s", then)
	}
	events := c.history(t, "/tests/"+done.ID)
	if last := events[len(events)-1]; last.Type != typ || string(last.Data) != `{"by":"a newer program"}` {
		t.Errorf("the history ends with %+v", last)
	}
	// Nothing follows from what came after it, and nothing is lost: it waits.
	waiting := c.create(t, signUp(2))
	patience.Eventually(t, 20*time.Second, "the start of the next test", func() bool {
		return len(c.history(t, "/tests/"+waiting.ID)) == 2
	})
	for _, planned := range c.sessions(t, waiting.ID) {
		if a := c.send(t, http.MethodGet, "/sessions/"+planned.ID, nil); a.StatusCode != http.StatusNotFound {
			t.Errorf("session %s was made behind an event that is not understood: %d", planned.ID, a.StatusCode)
		}
	}
}
