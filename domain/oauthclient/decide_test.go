package oauthclient_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/oauthclient"
)

var now = domain.At(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))

var (
	confidential = oauthclient.Registered{
		ClientID: "oac_1", OrganizationID: "org_1", Name: "CI board", RedirectURIs: []string{"https://app.example/cb"},
		SecretHash: "s1", SecretLastFour: "1111", CreatedBy: "usr_1", At: now,
	}
	public = but(confidential, func(c *oauthclient.Registered) { c.SecretHash, c.SecretLastFour = "", "" })
)

func but[T any](v T, edit func(*T)) T {
	edit(&v)
	return v
}

type (
	fact   = domaintest.Case[oauthclient.Command, oauthclient.Event]
	events = []oauthclient.Event
)

func TestRegister(t *testing.T) {
	t.Parallel()
	cases := []fact{
		{Name: "confidential", When: oauthclient.Register{Client: confidential}, Then: events{confidential}},
		{Name: "public", When: oauthclient.Register{Client: public}, Then: events{public}},
		{Name: "again", Given: events{public}, When: oauthclient.Register{Client: public}},
		{Name: "without a name", When: oauthclient.Register{Client: but(public, func(c *oauthclient.Registered) { c.Name = " " })}, Refused: domain.CodeValidationFailed},
		{Name: "without a redirect URI", When: oauthclient.Register{Client: but(public, func(c *oauthclient.Registered) { c.RedirectURIs = nil })}, Refused: domain.CodeValidationFailed},
	}
	at := func(c oauthclient.Registered, uri string) oauthclient.Registered {
		return but(c, func(c *oauthclient.Registered) { c.RedirectURIs = []string{uri} })
	}
	for _, uri := range []string{"https://app.example", "https://app.example:8443/cb?from=us", "http://127.0.0.1/cb", "http://[::1]:4000/cb", "http://localhost/cb"} {
		cases = append(cases, fact{Name: uri, When: oauthclient.Register{Client: at(confidential, uri)}, Then: events{at(confidential, uri)}})
	}
	for _, uri := range []string{
		"", "/cb", "app.example/cb", "http://app.example/cb", "http://127.0.0.1.evil.example/cb", "https:///cb", "https://app.example/cb#x", "https://app.example/cb#",
		"https://user@app.example/cb", "https://*.example/cb", "https://app.example/a b", "https://app.example\\@evil.example",
		"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "myapp:/cb", "https://äpp.example/cb",
	} {
		cases = append(cases, fact{Name: "refused " + uri, When: oauthclient.Register{Client: at(public, uri)}, Refused: domain.CodeValidationFailed})
	}
	cases = append(cases,
		fact{Name: "a native app's scheme", When: oauthclient.Register{Client: at(public, "com.example.app:/cb")}, Then: events{at(public, "com.example.app:/cb")}},
		fact{Name: "which no confidential client has", When: oauthclient.Register{Client: at(confidential, "com.example.app:/cb")}, Refused: domain.CodeValidationFailed},
	)
	domaintest.Run(t, oauthclient.Decider, cases)
}

func TestChangeRotateAndDelete(t *testing.T) {
	t.Parallel()
	name := "Board"
	deleted := oauthclient.Deleted{At: now}
	rotate := oauthclient.RotateSecret{SecretHash: "s2", SecretLastFour: "2222", Overlap: time.Hour, Now: now}
	rotated := oauthclient.SecretRotated{SecretHash: "s2", SecretLastFour: "2222", PreviousUntil: domain.At(now.Add(time.Hour)), At: now}
	domaintest.Run(t, oauthclient.Decider, []fact{
		{Name: "a name", Given: events{public}, When: oauthclient.Change{Name: &name, Now: now}, Then: events{oauthclient.Changed{Name: name, RedirectURIs: public.RedirectURIs, At: now}}},
		{Name: "an address", Given: events{public}, When: oauthclient.Change{RedirectURIs: []string{"https://b.example"}, Now: now}, Then: events{oauthclient.Changed{Name: public.Name, RedirectURIs: []string{"https://b.example"}, At: now}}},
		{Name: "nothing", Given: events{public}, When: oauthclient.Change{Now: now}},
		{Name: "no address any longer", Given: events{public}, When: oauthclient.Change{RedirectURIs: []string{}, Now: now}, Refused: domain.CodeValidationFailed},
		{Name: "a new secret", Given: events{confidential}, When: rotate, Then: events{rotated}},
		{Name: "the same secret", Given: events{confidential, rotated}, When: rotate},
		{Name: "a public client's secret", Given: events{public}, When: rotate, Refused: domain.CodeWrongState},
		{Name: "too long an overlap", Given: events{confidential}, When: but(rotate, func(c *oauthclient.RotateSecret) { c.Overlap = oauthclient.MaxOverlap + 1 }), Refused: domain.CodeValidationFailed},
		{Name: "deleted", Given: events{public}, When: oauthclient.Delete{Now: now}, Then: events{deleted}},
		{Name: "deleted again", Given: events{public, deleted}, When: oauthclient.Delete{Now: now}, Refused: domain.CodeNotFound},
		{Name: "changed after the deletion", Given: events{public, deleted}, When: oauthclient.Change{Name: &name, Now: now}, Refused: domain.CodeNotFound},
	})
}

func TestTheSecretBeforeCountsForTheOverlap(t *testing.T) {
	t.Parallel()
	s := oauthclient.Decider.Fold(oauthclient.State{}, events{confidential, oauthclient.SecretRotated{SecretHash: "s2", PreviousUntil: domain.At(now.Add(time.Hour)), At: now}})
	for _, c := range []struct {
		hash string
		at   time.Duration
		want bool
	}{{"s2", 0, true}, {"s1", 0, true}, {"s1", time.Hour, false}, {"s2", time.Hour, true}, {"", 0, false}, {"s3", 0, false}} {
		if got := s.Authenticates(c.hash, domain.At(now.Add(c.at))); got != c.want {
			t.Errorf("%q after %s: %t, want %t", c.hash, c.at, got, c.want)
		}
	}
	if (oauthclient.State{Client: public}).Authenticates("", now) {
		t.Error("a public client is authenticated by an empty secret")
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	registered := []string{"https://app.example/cb", "http://127.0.0.1/cb?a=1", "http://[::1]:99/cb"}
	for _, c := range []struct {
		asked  string
		public bool
		want   bool
	}{
		{"https://app.example/cb", false, true},
		{"https://app.example/cb/", true, false},
		{"https://app.example/cb?x=1", true, false},
		{"https://app.example/cb/../evil", true, false},
		{"https://app.example:443/cb", true, false},
		{"https://APP.example/cb", true, false},
		{"https://app.example/%63b", true, false},
		{"https://evil.example/cb", true, false},
		{"https://app.example.evil.example/cb", true, false},
		{"", true, false},
		{"http://127.0.0.1:51004/cb?a=1", true, true},
		{"http://127.0.0.1:51004/cb?a=1", false, false},
		{"http://127.0.0.1:51004/other?a=1", true, false},
		{"http://127.0.0.1:51004/cb?a=2", true, false},
		{"http://127.0.0.1:51004/cb?a=1#x", true, false},
		{"http://localhost:51004/cb?a=1", true, false},
		{"http://u@127.0.0.1:51004/cb?a=1", true, false},
		{"https://127.0.0.1:51004/cb?a=1", true, false},
		{"http://127.0.0.1:80@evil.example/cb?a=1", true, false},
		{"http://[::1]:4000/cb", true, true},
		{"http://[::1]/cb", true, true},
	} {
		if got := oauthclient.Redirects(registered, c.public, c.asked); got != c.want {
			t.Errorf("%s, public %t: %t, want %t", c.asked, c.public, got, c.want)
		}
	}
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, oauthclient.Decider, oauthclient.Catalogue)
	domaintest.RoundTrips(t, oauthclient.Catalogue)
	domaintest.Laws(t, oauthclient.Decider, rapid.Custom(func(t *rapid.T) oauthclient.Command {
		switch rapid.IntRange(0, 4).Draw(t, "command") {
		case 0:
			return oauthclient.Register{Client: confidential}
		case 1:
			return oauthclient.Register{Client: public}
		case 2:
			name := rapid.SampledFrom([]string{"A", "B", ""}).Draw(t, "name")
			return oauthclient.Change{Name: &name, Now: now}
		case 3:
			return oauthclient.RotateSecret{SecretHash: rapid.SampledFrom([]string{"s1", "s2", "s3"}).Draw(t, "secret"), Now: now}
		default:
			return oauthclient.Delete{Now: now}
		}
	}))
}
