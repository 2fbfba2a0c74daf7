package e2e

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// Whoever has noted the first key can follow to every later one, whatever
// becomes of the process in between; what was signed before stays signed.
func TestTheAuditKeyIsRotated(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	c := s.sandbox()
	done := c.create(t, signUp(3))
	c.completed(t, done.ID, time.Minute)
	first := strings.TrimSpace(s.audited(t, "head", "--key"))
	old, file := filepath.Join(s.Dir, "old"), filepath.Join(s.Dir, "new")
	s.audited(t, "export", done.ID, "-o", old)

	// While the service runs, which tells of the new key at once.
	out := s.audited(t, "rotate-key")
	second := strings.TrimSpace(s.audited(t, "head", "--key"))
	if second == first || !strings.Contains(out, "signed by "+second) || !strings.Contains(out, "Key 1 of 2, heads of size 0 to ") {
		t.Errorf("the key is %s after %s, and it says\n%s", second, first, out)
	}
	var head auditHead
	patience.Eventually(t, 20*time.Second, "a head by the new key", func() bool {
		head = get[auditHead](t, c, "/audit/head")
		return head.Key == second
	})
	if len(head.Keys) != 2 || head.Keys[0].Key != first || head.Keys[1].Key != second {
		t.Errorf("the keys are %+v", head.Keys)
	}
	more := c.create(t, signUp(3))
	c.completed(t, more.ID, time.Minute)
	covering(t, c, more.ID)
	s.audited(t, "export", more.ID, "-o", file)
	if out := s.audited(t, "verify", "--key", first, file); !strings.Contains(out, "Signed by "+second) || !strings.Contains(out, "Key 2 of 2") {
		t.Errorf("it says\n%s", out)
	}
	if out := s.audited(t, "verify", "--key", first, old); !strings.Contains(out, "Signed by "+first+"\n") {
		t.Errorf("it says\n%s", out)
	}

	// The old export under what is known today.
	answer, known := c.send(t, http.MethodGet, "/audit/head", nil).wants(t, 200, ""), filepath.Join(s.Dir, "head.json")
	history, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(known, answer.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	size := strings.Split(headOf(t, history), "\n")[1]
	to := strconv.FormatInt(read[auditHead](t, answer).Size, 10)
	proof := filepath.Join(s.Dir, "proof")
	if out, code := s.audit(t, "verify", "--key", second, "--head", known, old); code != 1 || !strings.Contains(out, "proof of consistency") {
		t.Errorf("without a proof: %d\n%s", code, out)
	}
	extends := c.send(t, http.MethodGet, "/audit/consistency?from="+size+"&to="+to, nil).wants(t, 200, "")
	if err := os.WriteFile(proof, extends.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := s.audited(t, "verify", "--key", second, "--head", known, "--consistency", proof, old); !strings.Contains(out, "Signed by "+first) || !strings.Contains(out, "Key 1 of 2") {
		t.Errorf("it says\n%s", out)
	}

	// Killed in the middle, wherever that is: the one key or the other.
	for i := range 4 {
		was, err := os.ReadFile(s.keyring())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := patience.Context(t.Context(), time.Minute)
		rotating := make(chan struct{})
		go func() {
			defer close(rotating)
			_ = s.Command(ctx, "audit", "rotate-key").Run() // ends when it is told to
		}()
		switch i {
		case 0, 1: // as soon as the next key is there
			patience.Eventually(t, 20*time.Second, "a change of the keyring", func() bool {
				now, err := os.ReadFile(s.keyring())
				return err == nil && !bytes.Equal(now, was)
			})
		case 2: // as soon as it is the one that signs
			<-rotating
		}
		s.Killed(t)
		cancel()
		<-rotating
		s.Begin(t)
		if out := s.audited(t, "check"); !strings.Contains(out, "OK:") {
			t.Errorf("it says\n%s", out)
		}
		s.audited(t, "export", done.ID, "-o", file)
		if err := os.WriteFile(known, []byte(s.audited(t, "head", "--keys")), 0o600); err != nil {
			t.Fatal(err)
		}
		s.audited(t, "verify", "--key", first, "--head", known, file)
	}

	// Without a service as well, and the next one takes it up.
	if code, err := s.Terminate(); err != nil || code != 0 {
		t.Fatalf("exit code %d: %v", code, err)
	}
	before := strings.TrimSpace(s.audited(t, "head", "--key"))
	s.audited(t, "rotate-key")
	last := strings.TrimSpace(s.audited(t, "head", "--key"))
	s.audited(t, "export", done.ID, "-o", file)
	s.Begin(t)
	if last == before {
		t.Errorf("the key is still %s", last)
	}
	patience.Eventually(t, 20*time.Second, "the head is signed by the new key", func() bool {
		return get[auditHead](t, s.sandbox(), "/audit/head").Key == last
	})
	if out := s.audited(t, "verify", "--key", first, file); !strings.Contains(out, "Signed by "+last) {
		t.Errorf("it says\n%s", out)
	}
}
