package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/adapters/mail/mailtest"
	"understudy/domain"
	"understudy/domain/notice"
	"understudy/eventstore"
	"understudy/test/harness"
	"understudy/test/patience"
)

// told waits until a notice is recorded as sent.
func (s *service) told(t *testing.T) {
	t.Helper()
	ctx, cancel := patience.Context(t.Context(), time.Minute)
	defer cancel()
	found := errors.New("found")
	sub := eventstore.Subscription{Name: "e2e-notices", Prefixes: []string{notice.StreamPrefix}}
	err := s.log(t, notice.Catalogue).Subscribe(ctx, sub, func(_ context.Context, b eventstore.Batch) error {
		for _, e := range b.Events {
			if _, ok := e.Event.(notice.Told); ok {
				return found
			}
		}
		return nil
	})
	if !errors.Is(err, found) {
		t.Fatalf("no notice was told: %v", err)
	}
}

// An owner gets one mail at 5, one at 7 and one at 10 deliveries that were
// abandoned in a row, though the service is killed in between; one that cannot
// be sent waits and holds up nothing.
func TestOwnersAreToldByMail(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	s := own(t, harness.Loopback, "UNDERSTUDY_SMTP_URL=smtp://"+server.Addr+"?starttls=off", "UNDERSTUDY_MAIL_FROM=understudy@example.com")
	raw, err := os.ReadFile(filepath.Join(s.Data(), "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	var owner struct{ Email string }
	if err := json.Unmarshal(raw, &owner); err != nil {
		t.Fatal(err)
	}
	c := s.live()
	register := func(path string) hook {
		return read[hook](t, c.post(t, "/webhooks", map[string]any{"url": "http://" + closedPort(t) + path}, http.StatusCreated))
	}
	h, other := register("/secret-path"), register("/other")

	subjects := func(id string) (out []string) {
		mails, _ := server.Taken()
		for _, m := range mails {
			if subject := m.Header.Get("Subject"); strings.Contains(subject, id) {
				out = append(out, subject)
			}
			if m.To != owner.Email || strings.Contains(m.Text, "secret-path") {
				t.Errorf("to %s:\n%s", m.To, m.Text)
			}
		}
		return out
	}
	s.fail(t, h.ID, domain.Live, 6)
	patience.Eventually(t, 20*time.Second, "the mail at five", func() bool { return len(subjects(h.ID)) == 1 })
	s.told(t) // a mail that is sent just when the service is killed may be sent again
	s.Restarted(t)
	s.fail(t, h.ID, domain.Live, 1)
	patience.Eventually(t, 20*time.Second, "the mail at seven", func() bool { return len(subjects(h.ID)) == 2 })

	server.Refuse("451 later")
	_, before := server.Taken()
	s.fail(t, other.ID, domain.Live, 5)
	patience.Eventually(t, 20*time.Second, "a mail that is refused", func() bool { _, tried := server.Taken(); return tried > before })
	server.Refuse("")
	s.fail(t, h.ID, domain.Live, 3)
	patience.Eventually(t, 20*time.Second, "the mail at ten", func() bool { return len(subjects(h.ID)) == 3 })
	got := subjects(h.ID)
	if !strings.Contains(got[0], "5 deliveries") || !strings.Contains(got[1], "7 deliveries") || !strings.Contains(got[2], "is disabled") {
		t.Errorf("the subjects are %q", got)
	}
	if len(subjects(other.ID)) != 0 {
		t.Error("a refused mail was sent again before its time")
	}
	if strings.Contains(s.Tail(), owner.Email) {
		t.Error("the log holds the owner's address")
	}
}
