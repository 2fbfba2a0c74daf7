package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/adapters/mail/mailtest"
	"understudy/domain"
)

// An owner gets one mail at 5, one at 7 and one at 10 deliveries that were
// abandoned in a row, though the service is killed in between; one that cannot
// be sent waits and holds up nothing.
func TestOwnersAreToldByMail(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	s := own(t, loopback, "UNDERSTUDY_SMTP_URL=smtp://"+server.Addr+"?starttls=off", "UNDERSTUDY_MAIL_FROM=understudy@example.com")
	raw, err := os.ReadFile(filepath.Join(s.data(), "keys.json"))
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

	// subjects are those of a webhook's mails. One that is sent just when the service
	// is killed may be sent again.
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
		return slices.Compact(out)
	}
	s.fail(t, h.ID, domain.Live, 6)
	eventually(t, 20*time.Second, "the mail at five", func() bool { return len(subjects(h.ID)) == 1 })
	if err := s.kill(); err != nil {
		t.Fatal(err)
	}
	s.begin(t)
	s.fail(t, h.ID, domain.Live, 1)
	eventually(t, 20*time.Second, "the mail at seven", func() bool { return len(subjects(h.ID)) == 2 })

	server.Refuse("451 later")
	_, before := server.Taken()
	s.fail(t, other.ID, domain.Live, 5)
	eventually(t, 20*time.Second, "a mail that is refused", func() bool { _, tried := server.Taken(); return tried > before })
	server.Refuse("")
	s.fail(t, h.ID, domain.Live, 3)
	eventually(t, 20*time.Second, "the mail at ten", func() bool { return len(subjects(h.ID)) == 3 })
	got := subjects(h.ID)
	if !strings.Contains(got[0], "5 deliveries") || !strings.Contains(got[1], "7 deliveries") || !strings.Contains(got[2], "is disabled") {
		t.Errorf("the subjects are %q", got)
	}
	if len(subjects(other.ID)) != 0 {
		t.Error("a refused mail was sent again before its time")
	}
	if strings.Contains(s.tail(), owner.Email) {
		t.Error("the log holds the owner's address")
	}
}
