package grant_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/domaintest"
	"understudy/domain/grant"
)

var now = domain.At(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))

func after(d time.Duration) domain.Time { return domain.At(now.Add(d)) }

// The example of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

var scopes = []string{access.TestsRead, access.TestsWrite}

var issued = grant.Issued{
	GrantID: "grt_1", OrganizationID: "org_1", Environment: domain.Live, UserID: "usr_1", ClientID: "oac_1",
	Scopes: scopes, RedirectURI: "https://app.example/cb", Challenge: challenge,
	CodeHash: "code", CodeExpiresAt: after(grant.CodeLifetime), EndsAt: after(grant.Lifetime), At: now,
}

func but[T any](v T, edit func(*T)) T {
	edit(&v)
	return v
}

var redeem = grant.Redeem{
	ClientID: "oac_1", RedirectURI: "https://app.example/cb", CodeHash: "code", Verifier: verifier,
	AccessHash: "a1", NewRefresh: "r1", Now: now,
}

func tokens(n string, at domain.Time) grant.Tokens {
	return grant.Tokens{AccessHash: "a" + n, AccessExpiresAt: domain.At(at.Add(time.Hour)), RefreshHash: "r" + n, Scopes: scopes}
}

var redeemed = grant.Redeemed{Tokens: tokens("1", now), At: now}

func refresh(from, to string, at domain.Time) grant.Refresh {
	return grant.Refresh{ClientID: "oac_1", RefreshHash: "r" + from, AccessHash: "a" + to, NewRefresh: "r" + to, Now: at}
}

func refreshed(to string, at domain.Time, retried bool) grant.Refreshed {
	return grant.Refreshed{Tokens: tokens(to, at), Retried: retried, At: at}
}

type (
	fact   = domaintest.Case[grant.Command, grant.Event]
	events = []grant.Event
)

func stolen(what string, at domain.Time) events {
	return events{grant.ReuseDetected{Of: what, At: at}, grant.Revoked{Reason: grant.Reused, At: at}}
}

func TestIssue(t *testing.T) {
	t.Parallel()
	with := func(edit func(*grant.Issued)) grant.Issue { return grant.Issue{Grant: but(issued, edit)} }
	domaintest.Run(t, grant.Decider, []fact{
		{Name: "consent", When: grant.Issue{Grant: issued}, Then: events{issued}},
		{Name: "the same again", Given: events{issued}, When: grant.Issue{Grant: issued}},
		{Name: "a confidential client without PKCE", When: with(func(g *grant.Issued) { g.Challenge = "" }), Then: events{but(issued, func(g *grant.Issued) { g.Challenge = "" })}},
		{Name: "a challenge that is no SHA-256", When: with(func(g *grant.Issued) { g.Challenge = "short" }), Refused: domain.CodeValidationFailed},
		{Name: "a scope that does not exist", When: with(func(g *grant.Issued) { g.Scopes = []string{"openid"} }), Refused: domain.CodeValidationFailed},
		{Name: "no scope", When: with(func(g *grant.Issued) { g.Scopes = nil }), Refused: domain.CodeValidationFailed},
		{Name: "no environment", When: with(func(g *grant.Issued) { g.Environment = "" }), Refused: domain.CodeValidationFailed},
	})
}

func TestACodeIsGoodForOneExchange(t *testing.T) {
	t.Parallel()
	with := func(edit func(*grant.Redeem)) grant.Redeem { return but(redeem, edit) }
	other := with(func(c *grant.Redeem) { c.AccessHash, c.NewRefresh = "a2", "r2" })
	unproven := but(issued, func(g *grant.Issued) { g.Challenge = "" })
	domaintest.Run(t, grant.Decider, []fact{
		{Name: "exchanged", Given: events{issued}, When: redeem, Then: events{redeemed}},
		{Name: "the very same exchange", Given: events{issued, redeemed}, When: redeem},
		{Name: "a second exchange ends the grant", Given: events{issued, redeemed}, When: other, Then: stolen(grant.Code, now)},
		{Name: "also after the code has expired", Given: events{issued, redeemed}, When: but(other, func(c *grant.Redeem) { c.Now = after(time.Hour) }), Then: stolen(grant.Code, after(time.Hour))},
		{Name: "another client's second exchange does not", Given: events{issued, redeemed}, When: but(other, func(c *grant.Redeem) { c.ClientID = "oac_2" }), Refused: domain.CodeWrongState},
		{Name: "the last moment", Given: events{issued}, When: with(func(c *grant.Redeem) { c.Now = after(grant.CodeLifetime - time.Millisecond) }), Then: events{grant.Redeemed{Tokens: tokens("1", after(grant.CodeLifetime-time.Millisecond)), At: after(grant.CodeLifetime - time.Millisecond)}}},
		{Name: "expired", Given: events{issued}, When: with(func(c *grant.Redeem) { c.Now = after(grant.CodeLifetime) }), Refused: domain.CodeWrongState},
		{Name: "a made-up code", Given: events{issued}, When: with(func(c *grant.Redeem) { c.CodeHash = "?" }), Refused: domain.CodeWrongState},
		{Name: "code injection: another client's", Given: events{issued}, When: with(func(c *grant.Redeem) { c.ClientID = "oac_2" }), Refused: domain.CodeWrongState},
		{Name: "code injection: another session's verifier", Given: events{issued}, When: with(func(c *grant.Redeem) { c.Verifier = verifier[1:] + "x" }), Refused: domain.CodeWrongState},
		{Name: "PKCE left out", Given: events{issued}, When: with(func(c *grant.Redeem) { c.Verifier = "" }), Refused: domain.CodeWrongState},
		{Name: "the challenge itself as verifier", Given: events{issued}, When: with(func(c *grant.Redeem) { c.Verifier = challenge }), Refused: domain.CodeWrongState},
		{Name: "PKCE downgrade: the challenge was stripped", Given: events{unproven}, When: redeem, Refused: domain.CodeWrongState},
		{Name: "another redirect URI", Given: events{issued}, When: with(func(c *grant.Redeem) { c.RedirectURI = "https://evil.example/cb" }), Refused: domain.CodeWrongState},
		{Name: "revoked", Given: events{issued, grant.Revoked{At: now}}, When: redeem, Refused: domain.CodeWrongState},
		{Name: "no such grant", When: redeem, Refused: domain.CodeNotFound},
	})
}

func TestARefreshTokenIsGoodForOneExchange(t *testing.T) {
	t.Parallel()
	second, third := after(time.Hour), after(2*time.Hour)
	once := events{issued, redeemed, refreshed("2", second, false)}
	late := domain.At(second.Add(grant.Grace + time.Millisecond))
	soon := domain.At(second.Add(grant.Grace))
	retried := refreshed("3", soon, true)
	last := after(grant.Lifetime - time.Minute)
	domaintest.Run(t, grant.Decider, []fact{
		{Name: "exchanged", Given: events{issued, redeemed}, When: refresh("1", "2", second), Then: events{refreshed("2", second, false)}},
		{Name: "the very same exchange", Given: once, When: refresh("1", "2", second)},
		{Name: "the successor", Given: once, When: refresh("2", "3", third), Then: events{refreshed("3", third, false)}},
		{Name: "tried again at once", Given: once, When: refresh("1", "3", soon), Then: events{retried}},
		{Name: "after a try the newest counts", Given: append(once[:3:3], retried), When: refresh("3", "4", third), Then: events{refreshed("4", third, false)}},
		{Name: "and the one that was lost is a thief's", Given: append(once[:3:3], retried), When: refresh("2", "4", soon), Then: stolen(grant.RefreshToken, soon)},
		{Name: "a try does not lengthen the grace", Given: append(once[:3:3], retried), When: refresh("1", "4", late), Then: stolen(grant.RefreshToken, late)},
		{Name: "reuse after the grace", Given: once, When: refresh("1", "3", late), Then: stolen(grant.RefreshToken, late)},
		{Name: "reuse when the successor was used", Given: append(once[:3:3], refreshed("3", second, false)), When: refresh("1", "4", second), Then: stolen(grant.RefreshToken, second)},
		{Name: "another client", Given: once, When: but(refresh("2", "3", third), func(c *grant.Refresh) { c.ClientID = "oac_2" }), Refused: domain.CodeWrongState},
		{Name: "another client's reuse", Given: once, When: but(refresh("1", "3", late), func(c *grant.Refresh) { c.ClientID = "oac_2" }), Refused: domain.CodeWrongState},
		{Name: "a made-up token ends nothing", Given: once, When: refresh("x", "3", third), Refused: domain.CodeWrongState},
		{Name: "before the code was exchanged", Given: events{issued}, When: refresh("", "3", third), Refused: domain.CodeWrongState},
		{Name: "revoked", Given: append(once[:3:3], grant.Revoked{At: second}), When: refresh("2", "3", third), Refused: domain.CodeWrongState},
		{Name: "past the grant's end", Given: once, When: refresh("2", "3", issued.EndsAt), Refused: domain.CodeWrongState},
		{
			Name: "no access token outlives the grant", Given: once, When: refresh("2", "3", last),
			Then: events{grant.Refreshed{Tokens: but(tokens("3", last), func(k *grant.Tokens) { k.AccessExpiresAt = issued.EndsAt }), At: last}},
		},
		{
			Name: "fewer scopes", Given: once, When: but(refresh("2", "3", third), func(c *grant.Refresh) { c.Scopes = scopes[:1] }),
			Then: events{grant.Refreshed{Tokens: but(tokens("3", third), func(k *grant.Tokens) { k.Scopes = scopes[:1] }), At: third}},
		},
		{Name: "more scopes", Given: once, When: but(refresh("2", "3", third), func(c *grant.Refresh) { c.Scopes = []string{access.Full} }), Refused: domain.CodeValidationFailed},
	})
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	revoked := grant.Revoked{Reason: "asked", At: now}
	domaintest.Run(t, grant.Decider, []fact{
		{Name: "before the code was exchanged", Given: events{issued}, When: grant.Revoke{Reason: "asked", Now: now}, Then: events{revoked}},
		{Name: "after", Given: events{issued, redeemed}, When: grant.Revoke{Reason: "asked", Now: now}, Then: events{revoked}},
		{Name: "again", Given: events{issued, redeemed, revoked}, When: grant.Revoke{Reason: "asked", Now: now}},
		{Name: "nothing", When: grant.Revoke{Now: now}, Refused: domain.CodeNotFound},
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, grant.Decider, grant.Catalogue)
	domaintest.RoundTrips(t, grant.Catalogue)
	domaintest.Laws(t, grant.Decider, rapid.Custom(func(t *rapid.T) grant.Command {
		name := rapid.SampledFrom([]string{"1", "2", "3", "4"})
		at := after(time.Duration(rapid.IntRange(0, 100).Draw(t, "seconds")) * time.Second)
		switch rapid.IntRange(0, 4).Draw(t, "command") {
		case 0:
			return grant.Issue{Grant: issued}
		case 1:
			n := name.Draw(t, "new")
			return but(redeem, func(c *grant.Redeem) { c.AccessHash, c.NewRefresh, c.Now = "a"+n, "r"+n, at })
		case 2:
			return grant.Revoke{Reason: "asked", Now: at}
		default:
			return refresh(name.Draw(t, "from"), name.Draw(t, "to"), at)
		}
	}))
}
