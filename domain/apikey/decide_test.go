package apikey_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/apikey"
	"understudy/domain/domaintest"
)

var now = domain.At(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))

var created = apikey.Created{
	KeyID: "key_1", OrganizationID: "org_1", Environment: domain.Live, Name: "CI", Hash: "a1", LastFour: "wxyz",
	Scopes: []string{access.TestsRead}, CreatedBy: "usr_1", At: now,
}

type (
	fact   = domaintest.Case[apikey.Command, apikey.Event]
	events = []apikey.Event
)

func in(d time.Duration) domain.Time { return domain.At(now.Add(d)) }

func with(edit func(*apikey.Created)) apikey.Create {
	c := created
	edit(&c)
	return apikey.Create{Key: c}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	name, soon := "Nightly", in(time.Hour)
	changed := apikey.Changed{Name: "Nightly", Scopes: created.Scopes, At: now}
	rotated := apikey.Rotated{RotationID: "key_2", Hash: "b2", LastFour: "b222", PreviousUntil: soon, At: now}
	rotate := apikey.Rotate{RotationID: "key_2", Hash: "b2", LastFour: "b222", Overlap: time.Hour, Now: now}
	revoked := apikey.Revoked{Reason: "leaked", At: now}
	expiring := with(func(c *apikey.Created) { c.ExpiresAt = &soon })
	adopt := func(c apikey.Command) apikey.Adopt { return apikey.Adopt{Key: apikey.Adopted(created), Then: c} }
	domaintest.Run(t, apikey.Decider, []fact{
		{Name: "created", When: apikey.Create{Key: created}, Then: events{created}},
		{Name: "created again", Given: events{created}, When: apikey.Create{Key: created}},
		{Name: "without a scope", When: with(func(c *apikey.Created) { c.Scopes = nil }), Refused: domain.CodeValidationFailed},
		{Name: "with a scope that is none", When: with(func(c *apikey.Created) { c.Scopes = []string{"all"} }), Refused: domain.CodeValidationFailed},
		{Name: "with a scope twice", When: with(func(c *apikey.Created) { c.Scopes = []string{"admin", "admin"} }), Refused: domain.CodeValidationFailed},
		{Name: "expired from the start", When: with(func(c *apikey.Created) { c.ExpiresAt = &now }), Refused: domain.CodeValidationFailed},
		{Name: "without a name", When: with(func(c *apikey.Created) { c.Name = " " }), Refused: domain.CodeValidationFailed},
		{Name: "another name", Given: events{created}, When: apikey.Change{Name: &name, Now: now}, Then: events{changed}},
		{Name: "what it is called already", Given: events{created, changed}, When: apikey.Change{Name: &name, Now: now}},
		{Name: "at the revision given", Given: events{created}, When: apikey.Change{Name: &name, Seen: []uint64{5, 0}, Now: now}, Then: events{changed}},
		{Name: "at another revision", Given: events{created}, When: apikey.Change{Name: &name, Seen: []uint64{5}, Now: now}, Refused: domain.CodeChanged},
		{Name: "no longer expiring", Given: events{expiring.Key}, When: apikey.Change{ForgetExpiry: true, Now: now}, Then: events{apikey.Changed{Name: "CI", Scopes: created.Scopes, At: now}}},
		{Name: "after it expired", Given: events{expiring.Key}, When: apikey.Change{ForgetExpiry: true, Now: soon}, Refused: domain.CodeWrongState},
		{Name: "rotated", Given: events{created}, When: rotate, Then: events{rotated}},
		{Name: "the same rotation", Given: events{created, rotated}, When: rotate},
		{Name: "with too long an overlap", Given: events{created}, When: apikey.Rotate{RotationID: "key_2", Overlap: 31 * 24 * time.Hour, Now: now}, Refused: domain.CodeValidationFailed},
		{Name: "revoked", Given: events{created}, When: apikey.Revoke{Reason: "leaked", Now: now}, Then: events{revoked}},
		{Name: "revoked again", Given: events{created, revoked}, When: apikey.Revoke{Now: soon}},
		{Name: "rotated after that", Given: events{created, revoked}, When: rotate, Refused: domain.CodeWrongState},
		{Name: "revocation of nothing", When: apikey.Revoke{Now: now}, Refused: domain.CodeNotFound},
		{Name: "an old key is revoked", When: adopt(apikey.Revoke{Reason: "leaked", Now: now}), Then: events{apikey.Adopted(created), revoked}},
		{Name: "an old key again", Given: events{apikey.Adopted(created), revoked}, When: adopt(apikey.Revoke{Now: now})},
		{Name: "nothing to do for an old key", When: adopt(apikey.Change{Now: now})},
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, apikey.Decider, rapid.Custom(func(t *rapid.T) apikey.Command {
		name := rapid.SampledFrom([]string{"CI", "", "Nightly"}).Draw(t, "name")
		switch rapid.IntRange(0, 6).Draw(t, "command") {
		case 0, 1:
			return apikey.Create{Key: created}
		case 2:
			return apikey.Revoke{Now: now}
		case 3:
			return apikey.Rotate{RotationID: rapid.SampledFrom([]string{"key_2", "key_3"}).Draw(t, "rotation"), Hash: "b2", Overlap: time.Hour, Now: now}
		case 4:
			return apikey.Adopt{Key: apikey.Adopted(created), Then: apikey.Change{Name: &name, Now: now}}
		}
		return apikey.Change{Name: &name, Now: now}
	}))
}

func TestEvolveIsTotal(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, apikey.Decider, apikey.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, apikey.Catalogue)
}
