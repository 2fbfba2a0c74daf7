package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"understudy/adapters/browser"
	"understudy/domain/access"
	"understudy/test/harness"
	"understudy/test/patience"
)

var shots = flag.String("shots", "", "a directory for pictures of every page")

// reader is somebody who goes through the pages, "" nobody who is signed in.
type reader struct {
	Name     string   `json:"name"`
	Email    string   `json:"email"`
	Password string   `json:"password"`
	Starts   []string `json:"starts"`
	// Nowhere are addresses where there is nothing. Audited: axe-core is asked about what
	// they come to.
	Nowhere []string `json:"nowhere,omitempty"`
	Audited bool     `json:"audited,omitempty"`
}

// found is a line of what the crawler says: a fault, the figures of a page, or the pages
// that somebody came to.
type found struct {
	Who, Variant, Kind, URL, Wrong string
	More                           any
	// Measured: the line has the figures. Weight is in bytes as sent, without pictures;
	// Paint in ms.
	Measured     bool
	Weight       int
	Paint, Shift float64
	Kinds        []string
}

// joined is somebody of a role who has come by an invitation.
func (s *service) joined(t *testing.T, role access.Role) reader {
	t.Helper()
	r := reader{Name: string(role), Email: string(role) + "@example.com", Password: "difference engine", Starts: []string{}}
	s.live().post(t, "/invitations", map[string]any{"email": r.Email, "role": role}, http.StatusCreated)
	link := s.mailed(t, r.Email)
	form := url.Values{"token": {link.Query().Get("token")}, "name": {r.Name}, "password": {r.Password}}
	res, err := harness.HTTP.PostForm("http://"+s.Addr+"/invitation", form) //nolint:noctx // it has a limit of its own
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s cannot join: %s", role, res.Status)
	}
	return r
}

// TestEveryPage goes through all pages that links lead to, as people of each role: whatever
// is offered opens, says nothing in the console and breaks no rule of axe-core's, on a desk
// and a phone, in light and in dark: all rules once, those of layout on the phone, that of
// contrast in the dark. With -shots it takes their pictures.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	s := own(t, "UNDERSTUDY_EGRESS_ALLOW=127.0.0.0/8")
	sandbox, live := s.sandbox(), s.live()
	hook := receive(t, sandbox, nil)
	first, second := sandbox.create(t, signUp(6)), sandbox.create(t, signUp(6))
	walked := live.create(t, map[string]any{"url": "http://" + s.Addr + "/sign-in", "task": "Sign up", "sessions": 2})
	sandbox.completed(t, first.ID, time.Minute)
	sandbox.completed(t, second.ID, time.Minute)
	compared := read[struct{ ID string }](t, sandbox.post(t, "/comparisons", map[string]any{
		"a": map[string]any{"test_id": first.ID}, "b": map[string]any{"test_id": second.ID},
	}, http.StatusCreated)).ID
	sandbox.comparisonEnds(t, compared, time.Minute)
	persona := read[struct{ ID string }](t, live.post(t, "/personas", map[string]any{"name": "Ada"}, http.StatusCreated)).ID
	live.completed(t, walked.ID, liveLimit)

	app := read[oauthClient](t, live.post(t, "/oauth/clients", map[string]any{"name": "Board", "type": "public", "redirect_uris": []string{"http://127.0.0.1/back"}}, http.StatusCreated))
	key := read[struct{ ID string }](t, live.post(t, "/keys", map[string]any{"name": "Board", "scopes": []string{access.ReportsRead}}, http.StatusCreated)).ID
	asks := oauth2.Config{ClientID: app.ID, RedirectURL: native, Scopes: []string{access.ReportsRead}, Endpoint: oauth2.Endpoint{AuthURL: "/oauth/authorize"}}

	owner := s.ownerOf(t)
	owner.Starts = []string{
		"/tests/" + walked.ID, "/tests/" + first.ID, "/comparisons/" + compared, "/webhooks/" + hook.id, "/personas/" + persona, "/clients/" + app.ID, "/keys/" + key,
		"/history/" + walked.ID, asks.AuthCodeURL("a state", oauth2.S256ChallengeOption(oauth2.GenerateVerifier())),
	}
	owner.Nowhere = []string{"/tests/test_1", "/nothing", "/reports/rep_1", "/sessions/sess_1", "/comparisons/cmp_1"}
	everybody := []reader{owner, {Name: "nobody", Starts: []string{"/sign-up", "/forgot"}}}
	for _, role := range []access.Role{access.Viewer, access.Member, access.Admin} {
		one := s.joined(t, role)
		one.Starts, one.Audited = []string{"/tests/" + walked.ID}, role == access.Viewer
		everybody = append(everybody, one)
	}
	all := crawled(t, s, everybody)
	for _, f := range all {
		if f.Wrong != "" {
			t.Errorf("%s (%s) at %s: %s %v", f.Who, f.Variant, f.URL, f.Wrong, f.More)
		}
		if f.Kinds != nil {
			t.Logf("%s comes to %d pages: %v", f.Who, len(f.Kinds), f.Kinds)
		}
	}
	figures(t, all)
}

// crawled are the lines of what people find.
func crawled(t *testing.T, s *service, people []reader) []found {
	t.Helper()
	if *shots != "" {
		var err error
		if *shots, err = filepath.Abs(*shots); err == nil {
			err = os.MkdirAll(*shots, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s.atPages(t, "crawl.mjs", map[string]any{"people": people, "shots": *shots})
}

// atPages is what a program of test/pages says.
func (s *service) atPages(t *testing.T, program string, asked map[string]any) (all []found) {
	t.Helper()
	programs, err := browser.Locate(browser.Config{DriverDir: filepath.Join(harness.Root(), ".cache", "playwright")})
	if err != nil {
		t.Fatal(err)
	}
	asked["base"], asked["driver"], asked["chromium"], asked["axe"] = "http://"+s.Addr, filepath.Join(programs.DriverDir, "package"), programs.ChromiumPath, programs.AxePath
	asked["limit"] = patience.Scaled(30 * time.Second).Milliseconds()
	given, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := patience.Context(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, programs.NodePath, filepath.Join(harness.Root(), "test", "pages", program))
	var out, wrong bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(given), &out, &wrong
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, wrong.String())
	}
	for line := range bytes.Lines(out.Bytes()) {
		var f found
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, f)
	}
	return all
}

// What a page may weigh as sent, without pictures, to who comes for the first time; and how
// far it may shift (Google's bound for good).
const (
	heaviest = 60 << 10
	furthest = 0.1
)

// figures prints what each page weighs, how soon it is painted and how far it shifts.
func figures(t *testing.T, all []found) {
	t.Helper()
	worst := map[string]found{}
	for _, f := range all {
		if !f.Measured {
			continue
		}
		if f.Weight == 0 || f.Weight > heaviest {
			t.Errorf("%s (%s) weighs %d bytes at %s", f.Kind, f.Variant, f.Weight, f.Who)
		}
		if f.Shift > furthest {
			t.Errorf("%s (%s) shifts by %.3f", f.Kind, f.Variant, f.Shift)
		}
		w := worst[f.Kind]
		worst[f.Kind] = found{Weight: max(w.Weight, f.Weight), Paint: max(w.Paint, f.Paint), Shift: max(w.Shift, f.Shift)}
	}
	table := fmt.Sprintf("%-36s %9s %9s %7s   (the worst of two screens)\n", "page", "KB sent", "paint ms", "shift")
	for _, kind := range slices.Sorted(maps.Keys(worst)) {
		w := worst[kind]
		table += fmt.Sprintf("%-36s %9.1f %9.0f %7.3f\n", kind, float64(w.Weight)/1024, w.Paint, w.Shift)
	}
	t.Log("\n" + table)
}
