package e2e

import (
	"net/http"
	"testing"
	"time"

	"understudy/domain/access"
	"understudy/test/harness"
	"understudy/test/patience"
)

// with is a client of a node with any credential.
func (s *service) with(credential string) client {
	return client{harness.Client{Addr: s.Addr, Key: credential}}
}

func (s *service) takes(t *testing.T, credential string) int {
	t.Helper()
	return s.with(credential).send(t, http.MethodGet, "/models", nil).StatusCode
}

// ended waits until a credential is refused on all nodes.
func ended(t *testing.T, what, credential string, nodes ...*service) {
	t.Helper()
	for _, s := range nodes {
		patience.Eventually(t, revocationLimit, what+" is refused", func() bool { return s.takes(t, credential) == http.StatusUnauthorized })
	}
}

// TestWhatPeopleAllowedEndsOnEveryNode: access tokens by their revocation, that of their
// grant and the removal of their person; sessions by their end and that removal.
func TestWhatPeopleAllowedEndsOnEveryNode(t *testing.T) {
	t.Parallel()
	all := nodes(t, "UNDERSTUDY_PLANS=free=1000/500")
	a, b := all[0], all[1]
	app := read[oauthClient](t, a.live().send(t, http.MethodPost, "/oauth/clients", map[string]any{
		"name": "App", "type": "public", "redirect_uris": []string{"http://127.0.0.1/back"},
	}).wants(t, http.StatusCreated, ""))
	owner := a.visitor(t)
	token := func(v *visitor) string {
		t.Helper()
		_, made := v.granted(app, access.TestsRead, access.PersonasWrite)
		for _, s := range all {
			if got := s.takes(t, made.AccessToken); got != http.StatusOK {
				t.Errorf("a new access token: %d", got)
			}
		}
		return made.AccessToken
	}
	for _, here := range all {
		one := token(owner)
		here.with("").send(t, http.MethodPost, "http://"+here.Addr+"/oauth/revoke", map[string]any{"token": one, "client_id": app.ID}).wants(t, http.StatusOK, "")
		ended(t, "a revoked token", one, a, b)
	}
	for _, here := range all {
		one := token(owner)
		grants := get[harness.Page[oauthClient]](t, here.with(one), "/oauth/grants").Data
		here.sandbox().send(t, http.MethodDelete, "/oauth/grants/"+grants[0].ID, nil).wants(t, http.StatusNoContent, "")
		ended(t, "a token of a revoked grant", one, a, b)
	}
	for i, here := range all {
		there := all[1-i]
		member := a.invited(t, a.live(), []string{"first", "second"}[i]+"@example.com", access.Member)
		one := token(member)
		elsewhere := b.visitor(t)
		elsewhere.http.Jar = member.http.Jar
		for _, v := range []*visitor{member, elsewhere} {
			if status, at := v.does(http.MethodGet, "/account", nil); status != http.StatusOK || at.Path != "/account" {
				t.Errorf("a session at %s: %d at %s", v.s.Addr, status, at)
			}
		}
		me := get[struct {
			User struct{ ID string }
		}](t, there.with(one), "/me").User.ID
		here.live().send(t, http.MethodDelete, "/members/"+me, nil).wants(t, http.StatusNoContent, "")
		ended(t, "a removed member's token", one, a, b)
		signedOut(t, member, elsewhere)
	}
	// Sessions are looked up each time.
	owner.signIn("")
	elsewhere := b.visitor(t)
	elsewhere.http.Jar = owner.http.Jar
	if status, at := elsewhere.does(http.MethodGet, "/account", nil); status != http.StatusOK || at.Path != "/account" {
		t.Errorf("the owner's session on the other node: %d at %s", status, at)
	}
	if status, _ := owner.does(http.MethodPost, "/sign-out", nil); status != http.StatusOK {
		t.Errorf("signing out: %d", status)
	}
	signedOut(t, owner, elsewhere)
}

// signedOut waits until browsers are asked to sign in.
func signedOut(t *testing.T, all ...*visitor) {
	t.Helper()
	for _, v := range all {
		patience.Eventually(t, revocationLimit, "the session has ended", func() bool {
			_, at := v.does(http.MethodGet, "/account", nil)
			return at.Path == "/sign-in"
		})
	}
}

// TestANodeThatLostTheEventStoreRefusesWhatHasEnded: it hears of nothing any more, and
// goes on answering by what the others have told Postgres.
func TestANodeThatLostTheEventStoreRefusesWhatHasEnded(t *testing.T) {
	t.Parallel()
	all, second := nodesApart(t, "UNDERSTUDY_PLANS=free=1000/500")
	a, b := all[0], all[1]
	app := read[oauthClient](t, a.live().send(t, http.MethodPost, "/oauth/clients", map[string]any{
		"name": "App", "type": "public", "redirect_uris": []string{"http://127.0.0.1/back"},
	}).wants(t, http.StatusCreated, ""))
	key, other := a.live().newKey(t, access.TestsRead), a.live().newKey(t, access.TestsRead)
	_, token := a.visitor(t).granted(app, access.TestsRead)
	for _, credential := range []string{key.Key, other.Key, token.AccessToken} {
		if got := b.takes(t, credential); got != http.StatusOK {
			t.Errorf("before: %d", got)
		}
	}
	ready := func() int {
		return b.with("").send(t, http.MethodGet, "http://"+b.Addr+"/readyz", nil).StatusCode
	}
	second.Cut(true)
	patience.Eventually(t, 20*time.Second, "the node is unready", func() bool { return ready() == http.StatusServiceUnavailable })
	a.live().send(t, http.MethodDelete, "/keys/"+key.ID, nil).wants(t, http.StatusNoContent, "")
	ended(t, "a revoked key", key.Key, b)
	a.with("").send(t, http.MethodPost, "http://"+a.Addr+"/oauth/revoke", map[string]any{"token": token.AccessToken, "client_id": app.ID}).wants(t, http.StatusOK, "")
	ended(t, "a revoked token", token.AccessToken, b)
	if got := b.takes(t, other.Key); got != http.StatusOK {
		t.Errorf("a key that counts: %d", got)
	}
	second.Cut(false)
	patience.Eventually(t, 60*time.Second, "the node is ready again", func() bool { return ready() == http.StatusOK })
	a.live().send(t, http.MethodDelete, "/keys/"+other.ID, nil).wants(t, http.StatusNoContent, "")
	ended(t, "a key that was revoked afterwards", other.Key, b)
}
