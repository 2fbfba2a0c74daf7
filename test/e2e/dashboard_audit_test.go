package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/access"
	"understudy/domain/walk"
	"understudy/test/harness"
)

// TestPagesOfAudit: somebody reads what was recorded of a test, looks at what it was like
// before, has an event and a kept head proven, and reads the reference.
func TestPagesOfAudit(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback)
	come := people(t, s)
	reader := come("A reader", browser.Desktop)
	reader.reads(reader.goes("/docs/createTest", "Create and start a test"), "tests:write")
	reader.reads(reader.goes("/docs/test.completed", "All sessions have ended and there is a report"), "webhook-signature")
	reader.reads(reader.goes("/docs/stream.session.step", "A step of the walk"), "data.thought")

	api := s.sandbox()
	test := api.create(t, map[string]any{"url": "https://shop.example.com/", "task": "Subscribe to coffee", "sessions": 2}).ID
	api.ended(t, test, time.Minute)

	ada := come("The owner", browser.Desktop)
	ada.signsIn("owner@understudy.local", ownersPassword(t, s), "Tests")
	page := ada.goes("/history/"+test, "History of "+test)
	ada.reads(page, "The test was asked for: “Subscribe to coffee”")
	ada.reads(page, "The test was complete: 2 sessions")
	ada.types("After event", "1") // on the slider
	ada.finds("History of "+test, "After event 1,")
	ada.reads(ada.sees("History of "+test), "running")
	ada.clicks("Later", "History of "+test)
	ada.clicks("proof", "Proof")
	ada.reads(ada.sees("Proof"), "is in the log as it was recorded.")

	ada.types("What it is of", test)
	ada.reads(ada.clicks("Check the event", "Proof"), "is in the log as it was recorded.")
	for _, unknown := range []string{"test_00000000000000000000000000", "999999999999"} { // a test; a position that is yet to come
		ada.types("What it is of", unknown)
		ada.reads(ada.clicks("Check the event", "Error: Proof"), "There is no ")
	}

	var signed struct{ Note string }
	if err := json.Unmarshal(api.send(t, http.MethodGet, "/audit/head", nil).Body, &signed); err != nil {
		t.Fatal(err)
	}
	head := signed.Note
	ada.types("A head that you have kept", head)
	ada.reads(ada.clicks("Check the head", "Proof"), "The log has only grown since this head was signed.")
	ada.types("A head that you have kept", strings.Replace(head, "\n", "0\n", 2))
	ada.reads(ada.clicks("Check the head", "Proof"), "This head is not one of this log.")
	ada.does(walk.Click, "Docs", "")
	ada.sees("API reference")

	// Histories of tests and proofs are for all; the access log, and what was recorded of a
	// webhook, for who keeps the team and the webhooks.
	hook := read[struct{ ID string }](t, api.post(t, "/webhooks", map[string]any{"url": newInbox(t).URL}, http.StatusCreated)).ID
	for role, keeps := range map[access.Role]bool{access.Viewer: false, access.Member: false, access.Admin: true} {
		s.invited(t, s.live(), string(role)+"@example.com", role)
		who := come(string(role), browser.Desktop)
		who.signsIn(string(role)+"@example.com", somePassword, "Tests")
		who.reads(who.goes("/history/"+test, "History of "+test), "The test was asked for: “Subscribe to coffee”")
		page := who.goes("/audit", "Proof")
		if !offers(page, "Check the event") || offers(page, "Access log") != keeps {
			t.Errorf("a %s may prove: %t, is offered the access log: %t", role, offers(page, "Check the event"), offers(page, "Access log"))
		}
		for _, path := range []string{"/log", "/history/" + hook} {
			if _, err := who.b.Goto(t.Context(), "http://"+s.Addr+path); (err == nil) != keeps {
				t.Errorf("a %s comes to %s: %v", role, path, err)
			}
		}
	}
}

// ownersPassword is what the service wrote down for the first owner.
func ownersPassword(t *testing.T, s *service) string {
	t.Helper()
	var keys struct{ Password string }
	raw, err := os.ReadFile(filepath.Join(s.Data(), "keys.json"))
	if err == nil {
		err = json.Unmarshal(raw, &keys)
	}
	if err != nil {
		t.Fatal(err)
	}
	return keys.Password
}
