package oauth_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

// registered are the two clients as libraries are set up for them.
func (w *world) registered() map[string]struct {
	config oauth2.Config
	auth   string
} {
	config := func(id, secret, redirectURI string, style oauth2.AuthStyle) oauth2.Config {
		return oauth2.Config{
			ClientID: id, ClientSecret: secret, RedirectURL: redirectURI, Scopes: []string{"tests:read", "reports:read"},
			Endpoint: oauth2.Endpoint{AuthURL: w.server.URL + "/oauth/authorize", TokenURL: w.server.URL + "/oauth/token", AuthStyle: style},
		}
	}
	type client = struct {
		config oauth2.Config
		auth   string
	}
	return map[string]client{
		"public":                      {config(w.native, "", "http://127.0.0.1:51005/callback", oauth2.AuthStyleInParams), "none"},
		"confidential, in the header": {config(w.web, w.secret, board, oauth2.AuthStyleInHeader), "basic"},
		"confidential, in the body":   {config(w.web, w.secret, board, oauth2.AuthStyleInParams), "post"},
	}
}

// TestGoLibrary: golang.org/x/oauth2 runs code + PKCE, a refresh when the token has
// expired, and loses access by a revocation.
func TestGoLibrary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range w.registered() {
		verifier := oauth2.GenerateVerifier()
		ask := c.config.AuthCodeURL("a state", oauth2.S256ChallengeOption(verifier))
		back := w.allowed(ask)
		if back.Get("state") != "a state" || back.Get("iss") != w.server.URL {
			t.Errorf("%s: %v", name, back)
		}
		token, err := c.config.Exchange(w.ctx, back.Get("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if left := time.Until(token.Expiry); token.TokenType != "Bearer" || left > time.Hour || left < 50*time.Minute {
			t.Errorf("%s: %s, %s", name, token.TokenType, left)
		}
		if _, err := w.Authenticate(w.ctx, token.AccessToken); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		expired := *token
		expired.Expiry = time.Now().Add(-time.Minute)
		next, err := c.config.TokenSource(w.ctx, &expired).Token()
		if err != nil || next.RefreshToken == token.RefreshToken || next.AccessToken == token.AccessToken {
			t.Fatalf("%s: refresh: %v", name, err)
		}
		if got := w.post("/oauth/revoke", []string{"token", next.RefreshToken, "client_id", c.config.ClientID, "client_secret", c.config.ClientSecret}); got.status != http.StatusOK {
			t.Errorf("%s: revoke: %+v", name, got)
		}
		w.deadToken(next.AccessToken)
		next.Expiry = time.Now().Add(-time.Minute)
		var refused *oauth2.RetrieveError
		if _, err := c.config.TokenSource(w.ctx, next).Token(); !errors.As(err, &refused) || refused.ErrorCode != "invalid_grant" {
			t.Errorf("%s: after the revocation: %v", name, err)
		}
	}
}

// allowed is what Ada's browser comes back with to a client that has sent it to an
// address.
func (w *world) allowed(ask string) url.Values {
	w.t.Helper()
	return w.consent("ada", strings.TrimPrefix(ask, w.server.URL)).location(w.t)
}

// TestNodeLibrary: so does npm's oauth4webapi, which goes by the metadata.
func TestNodeLibrary(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Abs(filepath.Join("..", "..", ".cache", "verifier", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "oauth4webapi")); err != nil {
		t.Fatal("npm's oauth4webapi is not here; make setup-test installs it")
	}
	w := newWorld(t)
	for name, c := range w.registered() {
		var out struct {
			Scope     string `json:"scope"`
			ExpiresIn int    `json:"expires_in"`
			Rotated   bool   `json:"rotated"`
			First     string `json:"first"`
			Second    string `json:"second"`
			Refused   string `json:"refused"`
		}
		if err := json.Unmarshal(w.node(modules, c.config, c.auth), &out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if out.Scope != "tests:read reports:read" || out.ExpiresIn != 3600 || !out.Rotated || out.Refused != "invalid_grant" {
			t.Errorf("%s: %+v", name, out)
		}
		w.deadToken(out.First)
		w.deadToken(out.Second)
	}
}

// node runs the script with Ada as its person and tells its last line.
func (w *world) node(modules string, config oauth2.Config, auth string) []byte {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join("..", "..", "test", "oauth", "flow.mjs"))
	cmd.Env = append(os.Environ(), "MODULES="+modules, "ISSUER="+w.server.URL, "CLIENT_ID="+config.ClientID,
		"CLIENT_SECRET="+config.ClientSecret, "REDIRECT_URI="+config.RedirectURL, "AUTH="+auth)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	w.must(err)
	out, err := cmd.StdoutPipe()
	w.must(err)
	w.must(cmd.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		w.t.Fatal("the script has asked for nothing", cmd.Wait())
	}
	back := w.consent("ada", strings.TrimPrefix(lines.Text(), w.server.URL)).Header.Get("Location")
	_, err = io.WriteString(in, back+"\n")
	w.must(err)
	lines.Scan()
	last := append([]byte{}, lines.Bytes()...)
	w.must(cmd.Wait())
	return last
}
