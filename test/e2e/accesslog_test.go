package e2e

import (
	"encoding/csv"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/test/harness"
	"understudy/test/patience"
)

type accessEntry struct {
	ID, Type, Subject                         string
	Position                                  uint64
	Actor, Person, Address, Reason, RequestID *string
	Details                                   map[string]any
}

func said(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestTheAccessLog: who signs in, or changes who has access, is listed for the admins of
// the organization and for nobody else, with where they were and why; files say the same.
func TestTheAccessLog(t *testing.T) {
	t.Parallel()
	s := own(t)
	c, owner := s.live(), s.visitor(t)
	owner.submit("http://"+s.Addr+"/sign-in", url.Values{"email": {owner.email}, "password": {"not the password"}})
	owner.signIn("")
	key := c.newKey(t, "tests:read")
	c.send(t, http.MethodPost, "/keys/"+key.ID+"/rotate", map[string]any{"overlap_seconds": 60}).wants(t, http.StatusOK, "")
	c.send(t, http.MethodDelete, "/keys/"+key.ID, nil).wants(t, http.StatusNoContent, "")
	app := read[oauthClient](t, c.send(t, http.MethodPost, "/oauth/clients", map[string]any{"name": "App", "type": "public", "redirect_uris": []string{"http://127.0.0.1/back"}}).wants(t, http.StatusCreated, ""))
	hers := s.invited(t, c, "ada@ours.example", access.Viewer)
	ada := read[harness.Page[struct{ ID, Email string }]](t, c.send(t, http.MethodGet, "/members", nil).wants(t, http.StatusOK, "")).Data[0]
	const why = `=cmd|' /C calc'!A0`
	c.send(t, http.MethodPatch, "/members/"+ada.ID, map[string]any{"role": "admin"}, "Content-Type", "application/merge-patch+json", "X-Reason", why).wants(t, http.StatusOK, "")
	_, token := hers.granted(app, "admin")
	herKey := s.with(token.AccessToken).newKey(t, "tests:read")
	c.send(t, http.MethodDelete, "/members/"+ada.ID, nil, "X-Reason", "has left").wants(t, http.StatusNoContent, "")
	owner.granted(app, "tests:read")
	grants := read[harness.Page[oauthClient]](t, s.sandbox().send(t, http.MethodGet, "/oauth/grants", nil).wants(t, http.StatusOK, ""))
	s.sandbox().send(t, http.MethodDelete, "/oauth/grants/"+grants.Data[0].ID, nil).wants(t, http.StatusNoContent, "")

	want := []string{
		"user.sign_in_failed", "user.signed_in", "apikey.created", "apikey.rotated", "apikey.revoked", "account.invited", "account.member_joined",
		"account.member_role_changed", "account.member_removed", "oauthclient.registered", "grant.issued", "grant.revoked",
	}
	log := func(c client, query string) []accessEntry {
		t.Helper()
		return read[harness.Page[accessEntry]](t, c.send(t, http.MethodGet, "/audit/events?"+query, nil).wants(t, http.StatusOK, "")).Data
	}
	of := map[string]accessEntry{}
	patience.Eventually(t, 30*time.Second, "all of it is listed", func() bool {
		for _, e := range log(c, "limit=100") {
			if _, known := of[e.Type]; !known && said(e.Actor) != "process" {
				of[e.Type] = e
			}
		}
		return !slices.ContainsFunc(want, func(kind string) bool { return of[kind].ID == "" })
	})
	for _, kind := range want {
		if e := of[kind]; e.Address == nil || net.ParseIP(*e.Address) == nil || !strings.HasPrefix(said(e.Person), "usr_") {
			t.Errorf("%s: person %s at %s", kind, said(e.Person), said(e.Address))
		}
	}
	if e := of["user.sign_in_failed"]; e.Actor != nil || said(e.Person) != e.Subject {
		t.Errorf("whoever failed to sign in is told to be %s: %+v", said(e.Actor), e)
	}
	if e := of["account.member_role_changed"]; said(e.Reason) != why || e.Subject != ada.ID || e.Details["role"] != "admin" || !strings.HasPrefix(said(e.Actor), "key_") {
		t.Errorf("%+v", e)
	}

	// What she could call with is told to have ended with her membership.
	var ended []string
	patience.Eventually(t, 30*time.Second, "her key and her grant are listed as revoked", func() bool {
		ended = nil
		for _, e := range log(c, "limit=100") {
			if said(e.Actor) == "process" && e.Details["reason"] == "member_removed" {
				ended = append(ended, e.Type)
			}
		}
		return len(ended) == 2
	})
	if slices.Sort(ended); !slices.Equal(ended, []string{"apikey.revoked", "grant.revoked"}) {
		t.Error(ended)
	}
	patience.Eventually(t, 10*time.Second, "her key is read as revoked", func() bool {
		return get[struct{ Status string }](t, s.sandbox(), "/keys/"+herKey.ID).Status == "revoked"
	})

	// Filters, pages and files say the same.
	all := log(c, "limit=100")
	for query, fits := range map[string]func(accessEntry) bool{
		"type=apikey":                               func(e accessEntry) bool { return strings.HasPrefix(e.Type, "apikey.") },
		"type=user.signed_in":                       func(e accessEntry) bool { return e.Type == "user.signed_in" },
		"subject=" + ada.ID:                         func(e accessEntry) bool { return e.Subject == ada.ID },
		"actor=" + said(of["apikey.created"].Actor): func(e accessEntry) bool { return said(e.Actor) == said(of["apikey.created"].Actor) },
		"created_before=2020-01-01T00:00:00Z":       func(accessEntry) bool { return false },
	} {
		var expected []accessEntry
		for _, e := range all {
			if fits(e) {
				expected = append(expected, e)
			}
		}
		if got := log(c, "limit=100&"+query); len(got) != len(expected) || len(got) > 0 && got[0].ID != expected[0].ID {
			t.Errorf("%s: %d entries, want %d", query, len(got), len(expected))
		}
	}
	lines := strings.Split(strings.TrimSpace(string(c.send(t, http.MethodGet, "/audit/events", nil, "Accept", "application/x-ndjson").wants(t, http.StatusOK, "").Body)), "\n")
	rows, err := csv.NewReader(strings.NewReader(string(c.send(t, http.MethodGet, "/audit/events?format=csv", nil).wants(t, http.StatusOK, "").Body))).ReadAll()
	if err != nil || len(lines) != len(all) || len(rows) != len(all)+1 {
		t.Fatalf("%d entries, %d lines, %d rows: %v", len(all), len(lines), len(rows), err)
	}
	reason := slices.Index(rows[0], "reason")
	for i, line := range lines {
		var e accessEntry
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.ID != all[i].ID || rows[i+1][0] != e.ID || strings.TrimPrefix(rows[i+1][reason], "'") != said(e.Reason) {
			t.Errorf("entry %d: %s, %q: %v", i, line, rows[i+1], err)
		}
		if strings.HasPrefix(rows[i+1][reason], "=") {
			t.Errorf("a spreadsheet takes the reason for a formula: %q", rows[i+1][reason])
		}
	}
	var paged []accessEntry
	for path := "/audit/events?limit=3"; path != ""; {
		page := read[harness.Page[accessEntry]](t, c.send(t, http.MethodGet, path, nil).wants(t, http.StatusOK, ""))
		if paged, path = append(paged, page.Data...), ""; page.NextCursor != nil {
			path = "/audit/events?limit=3&cursor=" + *page.NextCursor
		}
	}
	if len(paged) != len(all) || !slices.IsSortedFunc(paged, func(a, b accessEntry) int { return int(b.Position) - int(a.Position) }) {
		t.Errorf("%d entries page by page, %d at once", len(paged), len(all))
	}

	// The page tells it in words, and takes nobody's text for markup.
	text, _, _ := owner.page(http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr+"/log?type=account", nil))
	for _, words := range []string{"changed a role", "from 127.0.0.1", "Reason: “=cmd|&#39; /C calc&#39;!A0”", "ended a membership"} {
		if !strings.Contains(text, words) {
			t.Errorf("the page does not say %q:\n%s", words, text)
		}
	}
	if strings.Contains(text, "</strong> signed in") {
		t.Error("the page shows what the filter leaves out")
	}

	theirs := domain.FormatID(domain.PrefixOrganization, uuid.Must(uuid.NewV7()))
	foreign := ownerOf(s.people(t, theirs, false), theirs, byKey)
	patience.Eventually(t, 30*time.Second, "the foreign key counts", func() bool {
		a, err := foreign.Send(t.Context(), http.MethodGet, "/me", nil)
		return err == nil && a.StatusCode == http.StatusOK
	})
	for _, e := range log(foreign, "limit=100") {
		if slices.ContainsFunc(all, func(ours accessEntry) bool { return ours.ID == e.ID }) {
			t.Errorf("another organization is told of %+v", e)
		}
	}
}
