package account_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/domaintest"
)

var now = domain.At(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))

func found(plan account.Plan, scopes ...string) account.Found {
	return account.Found{
		Organization: account.OrganizationCreated{OrganizationID: "org_1", Name: "Acme", Plan: plan, At: now},
		Owner:        account.UserAdded{UserID: "usr_1", Email: "ciphertext", PasswordHash: "hash", Role: account.RoleOwner, At: now},
		Keys: []account.KeyCreated{
			{KeyID: "key_1", OrganizationID: "org_1", Environment: domain.Live, Hash: "a1", Scopes: scopes, At: now},
			{KeyID: "key_2", OrganizationID: "org_1", Environment: domain.Sandbox, Hash: "b2", Scopes: []string{"admin"}, At: now},
		},
	}
}

type (
	fact   = domaintest.Case[account.Command, account.Event]
	events = []account.Event
)

func TestFound(t *testing.T) {
	t.Parallel()
	c := found(account.Team, "tests:write", "reports:read")
	domaintest.Run(t, account.Decider, []fact{
		{Name: "organization, owner and keys at once", When: c, Then: events{c.Organization, c.Owner, c.Keys[0], c.Keys[1]}},
		{Name: "founded again", Given: events{c.Organization, c.Owner}, When: c, Refused: domain.CodeConflict},
		{Name: "a plan that does not exist", When: found("gold", "admin"), Refused: domain.CodeValidationFailed},
		{Name: "a scope that does not exist", When: found(account.Free, "tests:read", "tests:delete"), Refused: domain.CodeValidationFailed},
		{Name: "every scope that does", When: found(account.Free, account.Scopes...), Then: events{
			found(account.Free).Organization, c.Owner, found(account.Free, account.Scopes...).Keys[0], c.Keys[1],
		}},
	})
}

func TestPlansAreThoseOfTheSpecification(t *testing.T) {
	t.Parallel()
	for plan, limit := range map[account.Plan]int{"free": 10, "starter": 60, "pro": 300, "team": 1000} {
		if got := account.RequestsPerMinute[plan]; got != limit {
			t.Errorf("%s: %d requests per minute, want %d", plan, got, limit)
		}
	}
	if len(account.RequestsPerMinute) != 4 {
		t.Errorf("%d plans, want 4", len(account.RequestsPerMinute))
	}
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, account.Decider, rapid.Map(
		rapid.SampledFrom([]account.Plan{account.Free, account.Team, "gold"}),
		func(p account.Plan) account.Command { return found(p, "admin") },
	))
}

func TestEvolveIsTotal(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, account.Decider, account.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, account.Catalogue)
}
