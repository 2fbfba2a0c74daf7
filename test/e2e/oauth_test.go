package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"understudy/test/harness"
	"understudy/test/patience"
)

// visitor is somebody with a browser, at first the owner: it keeps cookies and goes on where
// it is led within the service.
type visitor struct {
	t     *testing.T
	s     *service
	http  *http.Client
	email string
}

func (s *service) visitor(t *testing.T) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, s, &http.Client{Jar: jar, Timeout: patience.Scaled(harness.RequestLimit), CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Host != s.Addr {
			return http.ErrUseLastResponse
		}
		return nil
	}}, "owner@understudy.local"}
}

// page reads what a request ends at, and tells its address and where it leads from
// here.
func (v *visitor) page(r *http.Request, err error) (text string, at, to *url.URL) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	res, err := v.http.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	to, _ = res.Location()
	return string(raw), res.Request.URL, to
}

func (v *visitor) submit(to string, form url.Values) (text string, at, led *url.URL) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, to, strings.NewReader(form.Encode()))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return v.page(r, err)
}

var hidden = regexp.MustCompile(`name="visitor" value="([^"]*)"`)

// allow goes where a client leads, signs in when asked, allows, and tells the address
// that it is led back to.
func (v *visitor) allow(ask string) *url.URL {
	v.t.Helper()
	text, at, _ := v.page(http.NewRequestWithContext(v.t.Context(), http.MethodGet, ask, nil))
	if next := at.Query().Get("next"); at.Path == "/sign-in" {
		text, at = v.signIn(next)
	}
	found := hidden.FindStringSubmatch(text)
	if found == nil || at.Path != "/oauth/authorize" || !strings.Contains(text, v.email) {
		v.t.Fatalf("no consent page at %s:\n%s", at, text)
	}
	_, _, led := v.submit(at.String(), url.Values{"visitor": {found[1]}, "decision": {"allow"}, "environment": {"test"}})
	if led == nil {
		v.t.Fatal("nothing leads back to the client")
	}
	return led
}

// native is where a public client is answered.
const native = "http://127.0.0.1:51007/back"

// granted is what somebody allows a public client, and how it is refreshed.
func (v *visitor) granted(app oauthClient, scopes ...string) (*oauth2.Config, *oauth2.Token) {
	v.t.Helper()
	config := &oauth2.Config{ClientID: app.ID, RedirectURL: native, Scopes: scopes, Endpoint: oauth2.Endpoint{
		AuthURL: "http://" + v.s.Addr + "/oauth/authorize", TokenURL: "http://" + v.s.Addr + "/oauth/token", AuthStyle: oauth2.AuthStyleInParams,
	}}
	verifier := oauth2.GenerateVerifier()
	back := v.allow(config.AuthCodeURL("a state", oauth2.S256ChallengeOption(verifier)))
	if "http://"+back.Host+back.Path != native || back.Query().Get("state") != "a state" || back.Query().Get("iss") != "http://"+v.s.Addr {
		v.t.Errorf("led back to %s", back)
	}
	token, err := config.Exchange(v.t.Context(), back.Query().Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		v.t.Fatal(err)
	}
	return config, token
}

type oauthClient struct {
	ID     string `json:"id"`
	Secret string `json:"client_secret"`
}

// TestOAuth: an admin registers clients, a person signs in and allows them to act, and
// the libraries of Go and npm run code + PKCE, refresh and revocation.
func TestOAuth(t *testing.T) {
	t.Parallel()
	s := own(t)
	admin, person := s.live(), s.visitor(t)
	register := func(body map[string]any) oauthClient {
		return read[oauthClient](t, admin.send(t, http.MethodPost, "/oauth/clients", body).wants(t, http.StatusCreated, ""))
	}
	const web = "https://board.example/back"
	public := register(map[string]any{"name": "App", "type": "public", "redirect_uris": []string{"http://127.0.0.1/back"}})
	confidential := register(map[string]any{"name": "Board", "redirect_uris": []string{web}})

	config, token := person.granted(public, "tests:read", "admin")
	// The token works where keys do, in the environment that the person has chosen.
	c := client{harness.Client{Addr: s.Addr, Key: token.AccessToken}}
	made := c.create(t, signUp(1))
	s.sandbox().send(t, http.MethodGet, "/tests/"+made.ID, nil).wants(t, http.StatusOK, "")
	admin.send(t, http.MethodGet, "/tests/"+made.ID, nil).wants(t, http.StatusNotFound, "not_found")
	grants := read[harness.Page[oauthClient]](t, c.send(t, http.MethodGet, "/oauth/grants", nil).wants(t, http.StatusOK, ""))
	if len(grants.Data) != 1 {
		t.Fatalf("%+v", grants)
	}
	s.sandbox().send(t, http.MethodDelete, "/oauth/grants/"+grants.Data[0].ID, nil).wants(t, http.StatusNoContent, "")
	c.send(t, http.MethodGet, "/tests", nil).wants(t, http.StatusUnauthorized, "unauthenticated")
	token.Expiry = time.Now().Add(-time.Minute)
	if _, err := config.TokenSource(t.Context(), token).Token(); err == nil {
		t.Error("a grant that was taken back is refreshed")
	}

	for _, env := range [][]string{
		{"CLIENT_ID=" + public.ID, "REDIRECT_URI=" + native, "AUTH=none"},
		{"CLIENT_ID=" + confidential.ID, "CLIENT_SECRET=" + confidential.Secret, "REDIRECT_URI=" + web, "AUTH=basic"},
		{"CLIENT_ID=" + confidential.ID, "CLIENT_SECRET=" + confidential.Secret, "REDIRECT_URI=" + web, "AUTH=post"},
	} {
		var out struct {
			Rotated        bool
			Second         string
			Refused, Scope string
		}
		if err := json.Unmarshal(person.node(env), &out); err != nil || !out.Rotated || out.Refused != "invalid_grant" || out.Scope != "tests:read reports:read" {
			t.Errorf("%s: %+v %v", env[len(env)-1], out, err)
		}
		revoked := client{harness.Client{Addr: s.Addr, Key: out.Second}}
		revoked.send(t, http.MethodGet, "/tests", nil).wants(t, http.StatusUnauthorized, "unauthenticated")
	}
	admin.send(t, http.MethodDelete, "/oauth/clients/"+public.ID, nil).wants(t, http.StatusNoContent, "")
	if text, _, _ := person.page(http.NewRequestWithContext(t.Context(), http.MethodGet, config.AuthCodeURL("x"), nil)); !strings.Contains(text, "no application is registered") {
		t.Errorf("a client that was deleted: %s", text)
	}
}

// node runs npm's client with the person and tells its last line.
func (v *visitor) node(env []string) []byte {
	v.t.Helper()
	ctx, cancel := patience.Context(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join(harness.Root(), "test", "oauth", "flow.mjs"))
	cmd.Env = append(append(os.Environ(), "MODULES="+filepath.Join(harness.Root(), ".cache", "verifier", "node_modules"), "ISSUER=http://"+v.s.Addr), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		v.t.Fatalf("the client has asked for nothing: %v", cmd.Wait())
	}
	if _, err := io.WriteString(in, v.allow(lines.Text()).String()+"\n"); err != nil {
		v.t.Fatal(err)
	}
	lines.Scan()
	last := append([]byte{}, lines.Bytes()...)
	if err := cmd.Wait(); err != nil {
		v.t.Fatal(err)
	}
	return last
}
