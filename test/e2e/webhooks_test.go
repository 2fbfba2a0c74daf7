package e2e

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/test/harness"
	"understudy/test/patience"
)

// hook is an endpoint as clients read it.
type hook struct {
	ID, URL, Status, Secret string
	Events                  []string
	Failures                int        `json:"consecutive_failures"`
	DisabledAt              *time.Time `json:"disabled_at"`
	Warning                 *struct {
		Failures int `json:"consecutive_failures"`
		Message  string
	}
	Rotation *struct {
		StartedAt time.Time `json:"started_at"`
		EndsAt    time.Time `json:"ends_at"`
	} `json:"secret_rotation"`
}

// sent is a delivery as clients read it.
type sent struct {
	ID, Event, Status string
	TestID            string  `json:"test_id"`
	Message           string  `json:"message_id"`
	ReplayOf          *string `json:"replay_of"`
	SkipReason        *string `json:"skip_reason"`
	Attempts          []struct {
		Attempt    int
		StatusCode int `json:"status_code"`
	}
}

// replayed is the answer to a replay of a range.
type replayed struct {
	ID      *string
	Count   int
	Status  string
	Preview bool
}

func (c client) post(t testing.TB, path string, body any, status int) answer {
	t.Helper()
	return c.send(t, http.MethodPost, path, body).wants(t, status, "")
}

// log opens the event log of a service under way, for events of one kind.
func (s *service) log(t *testing.T, catalogue []domain.Entry) *eventstore.Store {
	t.Helper()
	store, err := eventstore.Open(eventstore.Config{Socket: s.socket(), Codec: eventstore.NewCodec(catalogue)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// fail tells an endpoint of deliveries that were abandoned, n in a row, as the
// service would after more than five minutes for each: through the log.
func (s *service) fail(t *testing.T, webhookID string, env domain.Environment, n int) {
	t.Helper()
	store := s.log(t, webhook.Catalogue)
	ctx, cancel := patience.Context(context.Background(), time.Minute)
	defer cancel()
	handler := eventstore.NewHandler(store, webhook.Decider, 1)
	registered, err := handler.Load(ctx, webhook.Stream(webhookID))
	if err != nil {
		t.Fatal(err)
	}
	meta := domain.Meta{Actor: "e2e", OrganizationID: registered.State.Webhook.OrganizationID, Environment: env}
	for i := range n {
		_, err := handler.Handle(ctx, uuid.New(), webhook.Stream(webhookID),
			webhook.RecordDelivery{DeliveryID: fmt.Sprint("dlv_failed_", registered.Revision, i), Now: domain.At(time.Now())}, meta)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAWebhookIsChanged(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	old := receive(t, c, nil, "test.started")
	moved := receive(t, c, nil, "quality_gate.failed") // its own events are others
	changed := read[hook](t, c.send(t, http.MethodPatch, "/webhooks/"+old.id,
		map[string]any{"url": moved.URL, "events": []string{"test.completed"}}).wants(t, http.StatusOK, ""))
	if changed.URL != moved.URL || len(changed.Events) != 1 || changed.Events[0] != "test.completed" {
		t.Errorf("changed to %+v", changed)
	}
	done := c.completed(t, c.create(t, signUp(2)).ID, time.Minute)
	moved.await(t, done.ID, 10*time.Second, "test.completed")
	if got := append(moved.Of(done.ID, "test.started"), old.Of(done.ID)...); len(got) > 0 {
		t.Errorf("went by what was before: %+v", got)
	}
	everything := read[hook](t, c.send(t, http.MethodPatch, "/webhooks/"+old.id, `{"events":null}`).wants(t, http.StatusOK, ""))
	if len(everything.Events) != 6 {
		t.Errorf("all events are %v", everything.Events)
	}
	refused := c.send(t, http.MethodPatch, "/webhooks/"+old.id, map[string]any{"url": "http://169.254.169.254/latest"})
	refused.wants(t, http.StatusUnprocessableEntity, "target_not_allowed")
	c.send(t, http.MethodPatch, "/webhooks/"+old.id, map[string]any{"url": old.URL}).wants(t, http.StatusOK, "")
}

// signedBy reports whether both kinds of signature of an attempt are right:
// X-Service-Signature by one secret, webhook-signature by each of several.
func signedBy(got harness.Received, service string, standard ...string) error {
	mac := func(key []byte, text string) []byte {
		m := hmac.New(sha256.New, key)
		m.Write([]byte(text))
		return m.Sum(nil)
	}
	if want := "sha256=" + hex.EncodeToString(mac([]byte(service), string(got.Body))); got.Header.Get("X-Service-Signature") != want {
		return fmt.Errorf("X-Service-Signature is by another secret")
	}
	signatures := strings.Fields(got.Header.Get("webhook-signature"))
	if len(signatures) != len(standard) {
		return fmt.Errorf("%d signatures, want %d", len(signatures), len(standard))
	}
	for i, secret := range standard {
		key := []byte(secret)
		if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
			key, _ = base64.StdEncoding.DecodeString(encoded)
		}
		text := got.ID + "." + got.Header.Get("webhook-timestamp") + "." + string(got.Body)
		if want := "v1," + base64.StdEncoding.EncodeToString(mac(key, text)); signatures[i] != want {
			return fmt.Errorf("signature %d is by another secret", i)
		}
	}
	return nil
}

// ping sends one and waits for it.
func (r *receiver) ping(t *testing.T, c client) (harness.Received, sent) {
	t.Helper()
	d := read[sent](t, c.post(t, "/webhooks/"+r.id+"/test", nil, http.StatusCreated))
	var got harness.Received
	patience.Eventually(t, 10*time.Second, "a ping", func() bool {
		for _, attempt := range r.All() {
			if attempt.Header.Get("X-Service-Delivery") == d.ID {
				got = attempt
				return true
			}
		}
		return false
	})
	return got, d
}

func TestASecretIsRotated(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	r := registerListener(t, c)
	path := "/webhooks/" + r.id
	old := r.secret
	before, _ := r.ping(t, c)
	if err := signedBy(before, old, old); err != nil {
		t.Errorf("before: %v", err)
	}
	c.send(t, http.MethodPost, path+"/promote_secret", nil).wants(t, http.StatusConflict, "wrong_state")
	c.send(t, http.MethodPost, path+"/rotate_secret", map[string]any{"secret": old}).wants(t, http.StatusUnprocessableEntity, "validation_failed")

	rotate := func() answer {
		return c.send(t, http.MethodPost, path+"/rotate_secret", nil, "Idempotency-Key", "rotate-"+r.id).wants(t, http.StatusOK, "")
	}
	rotated := read[hook](t, rotate())
	if again := read[hook](t, rotate()); again.Secret != rotated.Secret || !strings.HasPrefix(rotated.Secret, "whsec_") {
		t.Errorf("the secrets are %q and, asked again, %q", rotated.Secret, again.Secret)
	}
	shown := get[hook](t, c, path)
	if shown.Secret != "" || shown.Rotation == nil || shown.Rotation.EndsAt.Sub(shown.Rotation.StartedAt) != 24*time.Hour {
		t.Errorf("under way it is shown as %+v", shown)
	}
	during, _ := r.ping(t, c)
	if err := signedBy(during, old, rotated.Secret, old); err != nil {
		t.Errorf("while it is under way: %v", err)
	}
	refused := c.send(t, http.MethodPost, path+"/rotate_secret", nil).wants(t, http.StatusConflict, "wrong_state").problem(t)
	if !strings.Contains(refused.Detail, "promote_secret") {
		t.Errorf("the way out is not named: %s", refused.Detail)
	}

	for range 2 { // the second time it is true already
		if promoted := read[hook](t, c.post(t, path+"/promote_secret", nil, http.StatusOK)); promoted.Rotation != nil || promoted.Secret != "" {
			t.Errorf("promoted it is shown as %+v", promoted)
		}
	}
	after, _ := r.ping(t, c)
	if err := signedBy(after, rotated.Secret, rotated.Secret); err != nil {
		t.Errorf("after: %v", err)
	}
	const given = "a third secret, of my own"
	if third := read[hook](t, c.post(t, path+"/rotate_secret", map[string]any{"secret": given}, http.StatusOK)); third.Secret != given {
		t.Errorf("the given secret is shown as %q", third.Secret)
	}
}

func TestPings(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	var answers atomic.Int64
	answers.Store(http.StatusNoContent)
	r := receive(t, c, func(harness.Received) int { return int(answers.Load()) }, "quality_gate.failed")
	got, d := r.ping(t, c)
	if fields := fieldsOf(t, got.Body); strings.Join(fields, " ") != "data event test_id timestamp" || got.Event != "ping" || got.TestID != "" ||
		got.Header.Get("X-Service-Event") != "ping" || got.ID != d.ID {
		t.Errorf("the ping is %s with %v", got.Body, got.Header)
	}
	ended := func(id, status string) (last sent) {
		t.Helper()
		patience.Eventually(t, 10*time.Second, "a ping that is "+status, func() bool {
			last = get[sent](t, c, "/deliveries/"+id)
			return last.Status == status
		})
		return last
	}
	ended(d.ID, "delivered")
	c.send(t, http.MethodPost, "/deliveries/"+d.ID+"/replay", nil).wants(t, http.StatusConflict, "wrong_state")

	// One that fails is not tried again and does not count.
	answers.Store(http.StatusInternalServerError)
	_, failed := r.ping(t, c)
	if last := ended(failed.ID, "abandoned"); len(last.Attempts) != 1 || last.Attempts[0].StatusCode != 500 {
		t.Errorf("a failed ping is %+v", last)
	}
	if n := len(all[sent](t, c, "/webhooks/"+r.id+"/deliveries?event=ping&status=abandoned")); n != 1 {
		t.Errorf("%d pings failed", n)
	}
	if h := get[hook](t, c, "/webhooks/"+r.id); h.Failures != 0 {
		t.Errorf("the ping counts: %+v", h)
	}
}

// listener is an endpoint with a generated secret, which takes everything.
type listener struct {
	*receiver

	secret string
}

func registerListener(t *testing.T, c client) listener {
	t.Helper()
	r := serve(t, "", nil)
	return listener{r, r.register(t, c, map[string]any{}, "quality_gate.failed").Secret}
}

// What an endpoint misses while it is disabled is kept as skipped, the retry
// that was waiting included, and comes with a replay: each message once, with
// the bytes and ids that it would have had.
func TestADisabledWebhookMissesNothing(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	var down atomic.Bool
	down.Store(true)
	r := receive(t, c, func(harness.Received) int {
		if down.Load() {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	}, "test.started", "test.completed")
	path := "/webhooks/" + r.id
	first := c.create(t, signUp(1))
	r.await(t, first.ID, 30*time.Second, "test.started") // refused: its retry waits for 5 s
	c.completed(t, first.ID, time.Minute)

	s.fail(t, r.id, domain.Sandbox, 7)
	var h hook
	patience.Eventually(t, 10*time.Second, "the second warning", func() bool {
		h = get[hook](t, c, path)
		return h.Warning != nil && h.Warning.Failures == 7
	})
	if h.Status != "enabled" || !strings.Contains(h.Warning.Message, "10 disable") {
		t.Errorf("after seven it is %+v", h)
	}
	s.fail(t, r.id, domain.Sandbox, 3)
	patience.Eventually(t, 10*time.Second, "the end, and its warning", func() bool {
		h = get[hook](t, c, path)
		return h.Status == "disabled" && h.Warning != nil && h.Warning.Failures == 10
	})
	if h.Failures != 10 || h.DisabledAt == nil {
		t.Errorf("disabled it is %+v", h)
	}
	second := c.completed(t, c.create(t, signUp(1)).ID, time.Minute)
	var skipped []sent
	patience.Eventually(t, 20*time.Second, "four skipped deliveries", func() bool {
		skipped = all[sent](t, c, path+"/deliveries?status=skipped")
		return len(skipped) == 4
	})
	for _, d := range skipped {
		if *d.SkipReason != "disabled" {
			t.Errorf("skipped because %s", *d.SkipReason)
		}
	}
	for _, refused := range []string{path + "/replay", "/deliveries/" + skipped[0].ID + "/replay"} {
		p := c.send(t, http.MethodPost, refused, nil).wants(t, http.StatusConflict, "wrong_state").problem(t)
		if !strings.Contains(p.Detail, path+"/enable") {
			t.Errorf("the way out is not named: %s", p.Detail)
		}
	}

	seen := len(r.All())
	down.Store(false)
	if _, ping := r.ping(t, c); ping.Event != "ping" { // also while it is disabled
		t.Errorf("the ping is %+v", ping)
	}
	for range 2 {
		if h = read[hook](t, c.post(t, path+"/enable", nil, http.StatusOK)); h.Status != "enabled" || h.Failures != 0 || h.Warning != nil || h.DisabledAt != nil {
			t.Errorf("enabled it is %+v", h)
		}
	}
	tooOld := time.Now().Add(-73 * time.Hour).UTC().Format(time.RFC3339)
	c.send(t, http.MethodPost, path+"/replay", map[string]any{"from": tooOld}).wants(t, http.StatusUnprocessableEntity, "validation_failed")
	preview := read[replayed](t, c.post(t, path+"/replay", map[string]any{"preview": true}, http.StatusAccepted))
	if preview.Count != 4 || !preview.Preview || preview.ID != nil || preview.Status != "undelivered" {
		t.Errorf("the preview is %+v", preview)
	}
	asked := read[replayed](t, c.send(t, http.MethodPost, path+"/replay", nil, "Idempotency-Key", "replay").wants(t, http.StatusAccepted, ""))
	if asked.Count != 4 || asked.Preview || asked.ID == nil {
		t.Errorf("the replay is %+v", asked)
	}
	messages := map[string]sent{}
	for _, d := range skipped {
		messages[d.Message] = d
	}
	arrived := map[string]int{}
	patience.Eventually(t, 20*time.Second, "the four messages", func() bool {
		clear(arrived)
		for _, got := range r.All()[seen:] {
			if got.Event != "ping" {
				arrived[got.ID]++
			}
		}
		return len(arrived) == 4
	})
	for id, n := range arrived {
		source, known := messages[id]
		if !known || n != 1 {
			t.Errorf("%s came %d times", id, n)
		}
		replays := func() (n int) {
			for _, d := range all[sent](t, c, path+"/deliveries?test_id="+source.TestID+"&event="+source.Event) {
				if d.ReplayOf != nil && *d.ReplayOf == source.ID && d.Message == id {
					n++
				}
			}
			return n
		}
		patience.Eventually(t, 10*time.Second, "the replay of "+source.ID, func() bool { return replays() > 0 })
		if n := replays(); n != 1 {
			t.Errorf("%s has %d replays", source.ID, n)
		}
	}
	again := r.Of(second.ID, "test.completed")[0]
	patience.Eventually(t, 10*time.Second, "nothing left to replay", func() bool {
		return read[replayed](t, c.post(t, path+"/replay", map[string]any{"preview": true}, http.StatusAccepted)).Count == 0
	})
	// One more of one that has arrived: known by its id.
	one := read[sent](t, c.post(t, "/deliveries/"+messages[again.ID].ID+"/replay", nil, http.StatusCreated))
	patience.Eventually(t, 10*time.Second, "the same once more", func() bool { return len(r.Of(second.ID, "test.completed")) == 2 })
	twice := r.Of(second.ID, "test.completed")[1]
	if string(twice.Body) != string(again.Body) || twice.ID != again.ID ||
		twice.Header.Get("X-Service-Delivery") != one.ID || twice.Header.Get("X-Service-Attempt") != "1" {
		t.Errorf("the replay is %s with %v", twice.Body, twice.Header)
	}
}
