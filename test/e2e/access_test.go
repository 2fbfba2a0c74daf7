package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/test/harness"
	"understudy/test/patience"
	"understudy/test/sites"
)

// call is an operation of the document.
type call struct {
	operation, method, path string
	needs                   access.Operation
	body                    any // an example of the document
	// query are parameters that it must have.
	query string
}

// things are one of every kind that an owner has in an environment, by the part of the
// path before their id.
type things map[string]string

var parameters = regexp.MustCompile(`\{\w+\}`)

// at is the call's address with the things of an owner. named is false where it
// names none.
func (c call) at(t *testing.T, of things) (path string, named bool) {
	t.Helper()
	places := parameters.FindAllStringIndex(c.path, -1)
	before := 0
	for _, place := range places {
		kind := strings.TrimSuffix(c.path[before:place[0]], "/")
		if of[kind] == "" {
			t.Fatalf("%s: for %s nobody has a thing to try it on; thingsOf makes one of every kind", c.operation, kind)
		}
		path += c.path[before:place[0]] + of[kind]
		named, before = named || kind != "/personas/packs", place[1]
	}
	path += c.path[before:]
	return path + strings.ReplaceAll(c.query, "{test}", of["/tests"]), named || strings.Contains(c.query, "{test}")
}

// ofBoth reports whether the call is about people, OAuth clients or the access log, which are
// the same in both environments.
func (c call) ofBoth() bool {
	return strings.HasPrefix(c.path, "/members") || strings.HasPrefix(c.path, "/invitations") || strings.HasPrefix(c.path, "/oauth/clients") ||
		c.path == "/audit/events"
}

// changes reports whether the call would leave something behind.
func (c call) changes() bool { return c.method != http.MethodGet }

// nonsense is a parameter that no operation has, so that a change changes nothing;
// permitted is how it is answered after its caller was let through.
const nonsense, permitted = "?no_such_parameter=1", http.StatusUnprocessableEntity

// queries are parameters that reads must have.
var queries = map[string]string{"getAuditProof": "?stream=testrun-{test}&revision=0", "getAuditConsistency": "?from=1"}

// callsOf are the operations of the document that the service serves.
func callsOf(t *testing.T, s *service) (out []call) {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(client{harness.Client{Addr: s.Addr}}.send(t, http.MethodGet, "/openapi.json", nil).Body)
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			needs, known := access.Operations[op.OperationID]
			if !known {
				t.Errorf("%s is not in access.Operations", op.OperationID)
			}
			c := call{op.OperationID, method, path, needs, nil, queries[op.OperationID]}
			if op.RequestBody != nil {
				for _, example := range op.RequestBody.Value.Content["application/json"].Examples {
					c.body = example.Value.Value
				}
			}
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b call) int { return strings.Compare(a.operation, b.operation) })
	return out
}

// thingsOf makes one of everything for the key of an owner.
func thingsOf(t *testing.T, c client, address string) things {
	t.Helper()
	made := func(path string, body any) string {
		t.Helper()
		return read[struct{ ID string }](t, c.send(t, http.MethodPost, path, body).wants(t, http.StatusCreated, "")).ID
	}
	test := map[string]any{"url": address + "/", "task": "Find the prices", "sessions": 1, "seed": 3, "max_steps": 3, "viewport": []string{"desktop"}}
	first, second := c.create(t, test), c.create(t, test)
	of := things{"/tests": first.ID, "/personas": made("/personas", map[string]any{"name": "Hasty Hana"}), "/keys": c.newKey(t, "tests:read").ID}
	of["/oauth/clients"] = made("/oauth/clients", map[string]any{"name": "Board", "redirect_uris": []string{"https://board.example/back"}})
	of["/oauth/grants"] = domain.FormatID(domain.PrefixGrant, uuid.Must(uuid.NewV7())) // nobody's here: each is its person's alone
	hook := made("/webhooks", map[string]any{"url": address + "/hook"})
	of["/webhooks"] = hook
	c.send(t, http.MethodPost, "/webhooks/"+hook+"/test", nil)
	of["/deliveries"] = all[struct{ ID string }](t, c, "/webhooks/"+hook+"/deliveries")[0].ID
	of["/personas/packs"] = all[struct{ ID string }](t, c, "/personas/packs")[0].ID
	of["/members"] = all[struct{ ID string }](t, c, "/members")[0].ID
	of["/invitations"] = made("/invitations", map[string]any{"email": first.ID[5:] + "@example.com", "role": "viewer"})
	of["stream"] = first.StreamURL
	c.completed(t, first.ID, liveLimit)
	c.completed(t, second.ID, liveLimit)
	of["/sessions"] = c.sessions(t, first.ID)[0].ID
	of["/reports"] = all[struct{ ID string }](t, c, "/reports")[0].ID
	shot := all[struct{ ID, URL string }](t, c, "/sessions/"+of["/sessions"]+"/screenshots")[0]
	of["/artifacts"], of["signed"] = shot.ID, shot.URL
	of["/comparisons"] = made("/comparisons", map[string]any{"a": map[string]any{"test_id": first.ID}, "b": map[string]any{"test_id": second.ID}})
	c.comparisonEnds(t, of["/comparisons"], time.Minute)
	return of
}

// tally counts and checks answers, many at a time.
type tally struct {
	t       *testing.T
	checked atomic.Int64
	wait    sync.WaitGroup
	slots   chan struct{}
}

// wants makes a request that must be answered with a status and, unless it is "", a code.
func (y *tally) wants(who fmt.Stringer, c harness.Client, method, path string, body any, status int, code string, without ...string) {
	y.slots <- struct{}{}
	y.wait.Go(func() {
		defer func() { <-y.slots }()
		a, err := c.Send(context.Background(), method, path, body)
		if err != nil {
			y.t.Errorf("%s %s: %v", method, path, err)
			return
		}
		y.checked.Add(1)
		var p problem
		if a.StatusCode >= 400 {
			_ = json.Unmarshal(a.Body, &p) // what is no problem has no code
		}
		if a.StatusCode != status || code != "" && p.Code != code {
			y.t.Errorf("%s: %s %s is %d %s, want %d %s: %.200s", who, method, path, a.StatusCode, p.Code, status, code, a.Body)
		}
		for _, id := range without { // a refusal repeats its address
			if a.StatusCode < 300 && strings.Contains(string(a.Body), id) {
				y.t.Errorf("%s: %s %s shows %s, which is not theirs", who, method, path, id)
			}
		}
	})
}

// TestWhoMayCallWhat tries every operation with a key and with an access token of every
// scope of somebody in every role in both environments, on things of one's own organization
// and environment, of the other environment, and of another organization; then with the
// session of a browser, which is none of the interface's credentials:
//
//	go test ./test/e2e -run TestWhoMayCallWhat -v
//
// prints how many answers were checked.
func TestWhoMayCallWhat(t *testing.T) {
	t.Parallel()
	s := own(t, harness.Loopback, "UNDERSTUDY_TRUSTED_PROXIES=127.0.0.0/8,::1/128")
	ours := get[organizationResource](t, s.live(), "/organization").ID
	theirs := domain.FormatID(domain.PrefixOrganization, uuid.Must(uuid.NewV7()))
	callers := append(s.people(t, ours, true), s.people(t, theirs, false)...)
	sessions := s.sessions(t, callers, theirs)
	for _, c := range callers { // the last ones are known, too
		patience.Eventually(t, 30*time.Second, "the credential counts", func() bool {
			a, err := c.Send(t.Context(), http.MethodGet, "/no/such/address", nil)
			return err == nil && a.StatusCode == http.StatusNotFound
		})
	}
	owned := map[domain.Environment]things{
		domain.Sandbox: thingsOf(t, s.sandbox(), "https://shop.example.com"),
		domain.Live:    thingsOf(t, s.live(), serveSite(t, sites.SaaS)),
	}
	owners := map[domain.Environment]client{domain.Sandbox: s.sandbox(), domain.Live: s.live()}
	calls := callsOf(t, s)
	y := &tally{t: t, slots: make(chan struct{}, 8)}
	for _, c := range calls {
		for env, of := range owned {
			path, named := c.at(t, of)
			mine := statusFor(t, owners[env], c, path)
			var secret []string
			for _, kind := range []string{"/tests", "/sessions", "/reports", "/comparisons", "/personas", "/webhooks", "/deliveries", "/keys", "/oauth/clients"} {
				secret = append(secret, of[kind])
			}
			for _, who := range callers {
				foreign := who.organization != ours || who.environment != env && !c.ofBoth()
				decision := who.decision(c.needs)
				ask := func(body any, path string, status int, code string, without ...string) {
					y.wants(who, who.Client, c.method, path, body, status, code, without...)
				}
				switch {
				case decision == access.LacksScope:
					ask(nil, path, http.StatusForbidden, "insufficient_scope", secret...)
				case decision == access.LacksPermission:
					ask(nil, path, http.StatusForbidden, "forbidden", secret...)
				case foreign && named:
					ask(c.body, path, http.StatusNotFound, "not_found")
				case c.changes():
					ask(nil, path+nonsense, permitted, "validation_failed")
				case foreign:
					ask(nil, path, mine, "", secret...)
				case strings.HasPrefix(c.path, "/keys/{id}") && (who.scope != access.Full || !who.role.May(access.Team)):
					ask(nil, path, http.StatusNotFound, "not_found") // somebody else's
				default:
					ask(nil, path, mine, "")
				}
			}
		}
	}
	y.wait.Wait()
	y.withoutKeys(s, calls, owned[domain.Live])
	y.withSessions(s, calls, sessions, owned[domain.Live])
	token := ownerOf(callers, ours, byToken)
	strangers := []client{ownerOf(callers, theirs, byKey), ownerOf(callers, theirs, byToken), s.sandbox()}
	y.capabilities(owned[domain.Live], owned[domain.Sandbox])
	for _, both := range [][2]client{{s.live(), token}, {token, s.live()}} {
		y.cursors(both[0], strangers...)
		y.replays(both[0], append(strangers, both[1])...)
	}
	y.pages(sessions, owned[domain.Live])
	y.pages(sessions, owned[domain.Sandbox]) // which is found though they look at what is live
	t.Logf("%d operations, %d callers, %d browsers: %d answers checked", len(calls), len(callers), len(sessions), y.checked.Load())
}

// statusFor is how an owner's read is answered: well, or, for a stream, with a word on
// WebSockets.
func statusFor(t *testing.T, owner client, c call, path string) int {
	t.Helper()
	if c.changes() {
		return permitted
	}
	a := owner.send(t, c.method, path, nil)
	if a.StatusCode != http.StatusOK && a.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("%s for its owner: %d %.300s", c.operation, a.StatusCode, a.Body)
	}
	return a.StatusCode
}

// expects is wants for one request at a time, which must be answered as expected.
func (y *tally) expects(c client, method, path string, body any, status int, code string, headers ...string) answer {
	y.t.Helper()
	y.checked.Add(1)
	return c.send(y.t, method, path, body, headers...).wants(y.t, status, code)
}

// withoutKeys tries every operation without a key, each from an address of its own: those
// are counted.
func (y *tally) withoutKeys(s *service, calls []call, of things) {
	y.t.Helper()
	nobody := client{harness.Client{Addr: s.Addr}}
	for i, c := range calls {
		if c.needs.Public {
			continue
		}
		path, _ := c.at(y.t, of)
		y.expects(nobody, c.method, path, nil, http.StatusUnauthorized, "unauthenticated", "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i+1))
	}
}

// capabilities: an address that opens a thing opens nothing else.
func (y *tally) capabilities(of, other things) {
	y.t.Helper()
	y.expects(client{}, http.MethodGet, of["signed"], nil, http.StatusOK, "")
	y.expects(client{}, http.MethodGet, strings.ReplaceAll(of["signed"], of["/artifacts"], other["/artifacts"]), nil, http.StatusForbidden, "forbidden")
	stream := strings.Replace(of["stream"], "ws://", "http://", 1)
	y.expects(client{}, http.MethodGet, stream, nil, http.StatusUpgradeRequired, "")
	y.expects(client{}, http.MethodGet, strings.ReplaceAll(stream, of["/tests"], other["/tests"]), nil, http.StatusForbidden, "forbidden")
	_, token, _ := strings.Cut(stream, "?token=")
	root, _, _ := strings.Cut(stream, "/tests/")
	y.expects(client{}, http.MethodGet, root+"/tests/"+of["/tests"]+"?token="+token, nil, http.StatusUnauthorized, "unauthenticated", "X-Forwarded-For", "198.51.100.251")
}

// cursors are of one list of one owner.
func (y *tally) cursors(ours client, others ...client) {
	y.t.Helper()
	page := read[struct {
		Next string `json:"next_cursor"`
	}](y.t, y.expects(ours, http.MethodGet, "/tests?limit=1", nil, http.StatusOK, ""))
	y.expects(ours, http.MethodGet, "/tests?limit=1&cursor="+page.Next, nil, http.StatusOK, "")
	y.expects(ours, http.MethodGet, "/reports?limit=1&cursor="+page.Next, nil, http.StatusUnprocessableEntity, "validation_failed")
	for _, c := range others {
		y.expects(c, http.MethodGet, "/tests?limit=1&cursor="+page.Next, nil, http.StatusUnprocessableEntity, "validation_failed")
	}
}

// replays of an answer are for the credential that it was given to, as long as that may ask for it.
func (y *tally) replays(ours client, others ...client) {
	y.t.Helper()
	made := ours.newKey(y.t, access.TestsRead, access.PersonasWrite)
	c := client{harness.Client{Addr: ours.Addr, Key: made.Key}}
	body, once := map[string]any{"name": "Only Once"}, []string{"Idempotency-Key", "once-" + made.ID}
	for _, replayed := range []string{"", "true"} {
		a := y.expects(ours, http.MethodPost, "/personas", body, http.StatusCreated, "", "Idempotency-Key", made.ID)
		if a.Header.Get("Idempotent-Replayed") != replayed {
			y.t.Errorf("replayed: %q, want %q", a.Header.Get("Idempotent-Replayed"), replayed)
		}
	}
	first := y.expects(c, http.MethodPost, "/personas", body, http.StatusCreated, "", once...)
	again := y.expects(c, http.MethodPost, "/personas", body, http.StatusCreated, "", once...)
	if again.Header.Get("Idempotent-Replayed") != "true" || string(again.Body) != string(first.Body) {
		y.t.Errorf("again: %s", again.Body)
	}
	for _, other := range append(others, ours) {
		a := y.expects(other, http.MethodPost, "/personas", body, http.StatusCreated, "", once...)
		if a.Header.Get("Idempotent-Replayed") != "" || read[personaResource](y.t, a).ID == read[personaResource](y.t, first).ID {
			y.t.Errorf("another key was given the answer: %s", a.Body)
		}
	}
	y.expects(ours, http.MethodPatch, "/keys/"+made.ID, map[string]any{"scopes": []string{access.TestsRead}}, http.StatusOK, "")
	y.expects(c, http.MethodPost, "/personas", body, http.StatusForbidden, "insufficient_scope", once...)
	y.expects(ours, http.MethodDelete, "/keys/"+made.ID, nil, http.StatusNoContent, "")
	y.expects(c, http.MethodPost, "/personas", body, http.StatusUnauthorized, "unauthenticated", once...)
}
