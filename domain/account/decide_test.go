package account_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/domaintest"
	"understudy/domain/scoring"
)

var now = domain.At(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))

func found(plan account.Plan, scopes ...string) account.Found {
	return account.Found{
		Organization: account.OrganizationCreated{OrganizationID: "org_1", Name: "Acme", Plan: plan, At: now},
		Owner:        account.UserAdded{UserID: "usr_1", Email: "ciphertext", PasswordHash: "hash", Role: string(access.Owner), At: now},
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
		{Name: "every scope that does", When: found(account.Free, access.Scopes...), Then: events{
			found(account.Free).Organization, c.Owner, found(account.Free, access.Scopes...).Keys[0], c.Keys[1],
		}},
	})
}

func share(v float64) *float64 { return &v }

func called(name string) *string { return &name }

func changedTo(threshold *float64, criteria map[string]float64) account.QualityGateChanged {
	return account.QualityGateChanged{Threshold: threshold, Criteria: criteria, At: now}
}

func TestChange(t *testing.T) {
	t.Parallel()
	c := found(account.Team)
	none := map[string]float64{}
	is := func(more ...account.Event) events { return append(events{c.Organization, c.Owner}, more...) }
	strict := changedTo(share(0.9), map[string]float64{"trust": 0.8, "speed": 0.2})
	domaintest.Run(t, account.Decider, []fact{
		{Name: "a threshold", Given: is(), When: account.Change{Threshold: share(0.8), Now: now}, Then: events{changedTo(share(0.8), none)}},
		{
			Name: "what is not mentioned stays", Given: is(strict), When: account.Change{Criteria: map[string]*float64{"trust": share(0.5)}, Now: now},
			Then: events{changedTo(share(0.9), map[string]float64{"trust": 0.5, "speed": 0.2})},
		},
		{
			Name: "one criterion goes", Given: is(strict), When: account.Change{Criteria: map[string]*float64{"trust": nil}, Now: now},
			Then: events{changedTo(share(0.9), map[string]float64{"speed": 0.2})},
		},
		{Name: "all criteria go", Given: is(strict), When: account.Change{ForgetCriteria: true, Now: now}, Then: events{changedTo(share(0.9), none)}},
		{
			Name: "the threshold goes", Given: is(strict), When: account.Change{ForgetThreshold: true, Now: now},
			Then: events{changedTo(nil, strict.Criteria)},
		},
		{
			Name: "everything goes and something comes", Given: is(strict),
			When: account.Change{ForgetThreshold: true, ForgetCriteria: true, Criteria: map[string]*float64{"speed": share(0)}, Now: now},
			Then: events{changedTo(nil, map[string]float64{"speed": 0})},
		},
		{Name: "0 is a threshold", Given: is(), When: account.Change{Threshold: share(0), Now: now}, Then: events{changedTo(share(0), none)}},
		{Name: "what is so already", Given: is(strict), When: account.Change{Threshold: share(0.9), Criteria: map[string]*float64{"navigation": nil}, Now: now}},
		{Name: "another name", Given: is(), When: account.Change{Name: called(" Umbrella "), Now: now}, Then: events{account.Renamed{Name: "Umbrella", At: now}}},
		{Name: "the name it has", Given: is(), When: account.Change{Name: called("Acme"), Now: now}},
		{
			Name: "name and threshold", Given: is(), When: account.Change{Name: called("Umbrella"), Threshold: share(0.8), Now: now},
			Then: events{account.Renamed{Name: "Umbrella", At: now}, changedTo(share(0.8), none)},
		},
		{Name: "no name", Given: is(), When: account.Change{Name: called("  "), Now: now}, Refused: domain.CodeValidationFailed},
		{Name: "a name of two lines", Given: is(), When: account.Change{Name: called("Acme\nInc"), Now: now}, Refused: domain.CodeValidationFailed},
		{Name: "a name without end", Given: is(), When: account.Change{Name: called(strings.Repeat("ä", 101)), Now: now}, Refused: domain.CodeValidationFailed},
		{Name: "nothing", Given: is(), When: account.Change{Now: now}},
		{Name: "above 1", Given: is(), When: account.Change{Threshold: share(1.5), Now: now}, Refused: domain.CodeValidationFailed},
		{Name: "a criterion below 0", Given: is(), When: account.Change{Criteria: map[string]*float64{"trust": share(-1)}, Now: now}, Refused: domain.CodeValidationFailed},
		{Name: "a criterion that does not exist", Given: is(), When: account.Change{Criteria: map[string]*float64{"beauty": share(0.5)}, Now: now}, Refused: domain.CodeValidationFailed},
		{Name: "an organization that does not exist", When: account.Change{Threshold: share(0.5), Now: now}, Refused: domain.CodeNotFound},
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, account.Decider, rapid.Custom(func(t *rapid.T) account.Command {
		if command := ofPeople(t); command != nil {
			return command
		}
		plan := rapid.SampledFrom([]account.Plan{account.Free, account.Team, "gold"}).Draw(t, "plan")
		switch rapid.IntRange(0, 4).Draw(t, "command") {
		case 0:
			return found(plan, "admin")
		case 1:
			return account.ChangePlan{Plan: plan, Now: now}
		}
		thresholds := rapid.Ptr(rapid.Float64Range(-0.1, 1.1), true)
		return account.Change{
			Name:            rapid.Ptr(rapid.SampledFrom([]string{"", "Acme", "Umbrella"}), true).Draw(t, "name"),
			ForgetThreshold: rapid.Bool().Draw(t, "forget threshold"), Threshold: thresholds.Draw(t, "threshold"),
			ForgetCriteria: rapid.Bool().Draw(t, "forget criteria"),
			Criteria:       rapid.MapOfN(rapid.SampledFrom(append([]string{"beauty"}, scoring.Criteria...)), thresholds, 0, 2).Draw(t, "criteria"),
			Now:            now,
		}
	}))
}

func TestEvolveIsTotal(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, account.Decider, account.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, account.Catalogue)
}
