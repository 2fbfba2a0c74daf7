package httpapi_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"understudy/domain"
)

const smallest = `{"url":"https://example.com/","task":"Find the prices"}`

func TestTheSameKeyGetsTheFirstAnswerAgain(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 201, "")
	again := s.send("POST", "/tests", "all", `{ "task":"Find the prices", "url":"https://example.com/" }`, "Idempotency-Key", "k1").wants(t, 201, "")
	if !bytes.Equal(first.body, again.body) || again.Header.Get("Location") != first.Header.Get("Location") || again.Header.Get("ETag") != first.Header.Get("ETag") {
		t.Errorf("another answer:\n%s\n%s", first.body, again.body)
	}
	if first.Header.Get("Idempotent-Replayed") != "" || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("Idempotent-Replayed is not on the second answer alone")
	}
	if n := len(s.commands.calls); n != 1 {
		t.Errorf("%d commands ran", n)
	}
	s.send("POST", "/tests", "sandbox", smallest, "Idempotency-Key", "k1").wants(t, 201, "")
	s.send("POST", "/tests", "all", smallest).wants(t, 201, "")
	if n := len(s.commands.calls); n != 3 {
		t.Errorf("%d commands ran, want one more for another key and one for none", n)
	}
}

// TestARetryIsKnownAfterTheKeyringWasRotated, even when that ended every signature.
func TestARetryIsKnownAfterTheKeyringWasRotated(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 201, "")
	*s.signing = signingKeys{bytes.Repeat([]byte{9}, 32)}
	again := s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 201, "")
	if !bytes.Equal(first.body, again.body) || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("another answer:\n%s\n%s", first.body, again.body)
	}
	s.send("POST", "/tests", "all", strings.Replace(smallest, "prices", "exit", 1), "Idempotency-Key", "k1").wants(t, 422, "idempotency_key_reused")
}

func TestAUsedKeyTakesNoOtherRequest(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 201, "")
	s.send("POST", "/tests", "all", strings.Replace(smallest, "prices", "exit", 1), "Idempotency-Key", "k1").wants(t, 422, "idempotency_key_reused")
	s.send("POST", "/webhooks", "all", `{"url":"https://e.x/h"}`, "Idempotency-Key", "k1").wants(t, 422, "idempotency_key_reused")
	s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "with space").wants(t, 422, "validation_failed")
}

func TestAKeyIsTakenWhileItsRequestRuns(t *testing.T) {
	t.Parallel()
	s := newService(t)
	started, finish := make(chan struct{}), make(chan struct{})
	s.commands.before = func() error {
		close(started)
		<-finish
		return nil
	}
	done := make(chan got, 1)
	go func() { done <- s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1") }()
	<-started
	g := s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 409, "idempotency_key_in_use")
	if g.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", g.Header.Get("Retry-After"))
	}
	// That the key is another request's comes first: waiting would not help.
	s.send("POST", "/tests", "all", strings.Replace(smallest, "prices", "exit", 1), "Idempotency-Key", "k1").wants(t, 422, "idempotency_key_reused")
	close(finish)
	first := <-done
	first.wants(t, 201, "")
	if again := s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 201, ""); !bytes.Equal(again.body, first.body) {
		t.Error("another answer")
	}
}

// A request that was cut off, by a crash or a wait that was too long, runs
// again under the same ids.
func TestACutOffRequestGoesOnAsTheSame(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.commands.before = func() error { return domain.Refuse(domain.CodeUnavailable, "reads are behind") }
	g := s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 503, "unavailable")
	if g.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.commands.before = nil
	s.requests.err = errors.New("the connection was lost")
	s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 503, "unavailable")
	s.requests.err = nil
	s.send("POST", "/tests", "all", strings.Replace(smallest, "prices", "exit", 1), "Idempotency-Key", "k1").wants(t, 422, "idempotency_key_reused")
	g = s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 201, "")
	if g.Header.Get("Idempotent-Replayed") != "" {
		t.Error("marked as a replay, but this is the first answer")
	}
	if len(s.commands.calls) != 3 || len(s.tests.order) != 1 {
		t.Fatalf("%d commands, %d tests", len(s.commands.calls), len(s.tests.order))
	}
	for i := range s.commands.calls {
		if s.commands.ids[i] != s.commands.ids[0] || s.commands.calls[i].CommandID != s.commands.calls[0].CommandID {
			t.Errorf("try %d ran under other ids", i+1)
		}
	}
	if g.object(t)["id"] != s.commands.ids[0] {
		t.Error("the answer is about another test")
	}
}

func TestARefusalFreesTheKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.commands.before = func() error {
		return domain.Refuse(domain.CodeTargetNotAllowed, "10.0.0.1 is a private address")
	}
	s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 422, "target_not_allowed")
	s.commands.before = nil
	s.send("POST", "/tests", "all", strings.Replace(smallest, "prices", "exit", 1), "Idempotency-Key", "k1").wants(t, 201, "")
}

// The first try may have made the test: a key that was freed would let the next one
// make another.
func TestARefusalAfterACutOffKeepsTheKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.commands.before = func() error { return domain.Refuse(domain.CodeUnavailable, "reads are behind") }
	s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 503, "unavailable")
	s.commands.before = func() error {
		return domain.Refuse(domain.CodeTargetNotAllowed, "10.0.0.1 is a private address")
	}
	s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 422, "target_not_allowed")
	s.commands.before = nil
	g := s.send("POST", "/tests", "all", smallest, "Idempotency-Key", "k1").wants(t, 201, "")
	if g.object(t)["id"] != s.commands.ids[0] {
		t.Error("another test was made")
	}
}

func TestStoredAnswersHideTheirSecrets(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := s.send("POST", "/webhooks", "all", `{"url":"https://e.x/h"}`, "Idempotency-Key", "k1").wants(t, 201, "")
	secret, _ := first.object(t)["secret"].(string)
	if secret == "" {
		t.Fatal("no secret in the answer")
	}
	row := s.requests.rows["key_all"+"k1"]
	if !row.Finished || bytes.Contains(row.Response, []byte(secret)) || bytes.Contains(row.Response, []byte("https://e.x")) {
		t.Error("the stored answer can be read")
	}
	again := s.send("POST", "/webhooks", "all", `{"url":"https://e.x/h"}`, "Idempotency-Key", "k1").wants(t, 201, "")
	if again.object(t)["secret"] != secret {
		t.Error("another secret on repetition")
	}
	id, _ := first.object(t)["id"].(string)
	if g := s.send("GET", "/webhooks/"+id, "all", "").wants(t, 200, ""); strings.Contains(string(g.body), secret) {
		t.Error("the secret is shown again")
	}
}
