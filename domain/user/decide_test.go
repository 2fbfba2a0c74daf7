package user_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/user"
)

var (
	now   = domain.At(time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC))
	later = domain.At(now.Add(time.Hour))

	registered = user.Registered{UserID: "usr_1", Email: "e", Name: "n", PasswordHash: "h1", At: now}
	verified   = user.AddressVerified{At: now}
	asked      = user.VerificationRequested{TokenHash: "v1", ExpiresAt: later, At: now}
	reset      = user.ResetRequested{TokenHash: "r1", ExpiresAt: later, At: now}
	in1        = user.SignedIn{SessionID: "ssn_1", OrganizationID: "org_1", At: now}
	in2        = user.SignedIn{SessionID: "ssn_2", OrganizationID: "org_2", At: now}
	enabled    = user.FactorEnabled{Secret: "s", RecoveryHashes: []string{"c1", "c2"}, Step: 10, At: now}
)

type (
	fact   = domaintest.Case[user.Command, user.Event]
	events = []user.Event
)

func ended(id, how string) user.SessionEnded {
	return user.SessionEnded{SessionID: id, How: how, At: now}
}

func TestVerification(t *testing.T) {
	t.Parallel()
	again := user.VerificationRequested{TokenHash: "v2", ExpiresAt: later, At: now}
	domaintest.Run(t, user.Decider, []fact{
		{Name: "registered", When: user.Register{User: registered}, Then: events{registered}},
		{Name: "registered again", Given: events{registered}, When: user.Register{User: registered}},
		{Name: "a link", Given: events{registered}, When: user.RequestVerification{TokenHash: "v1", ExpiresAt: later, Now: now}, Then: events{asked}},
		{Name: "a link once verified", Given: events{registered, verified}, When: user.RequestVerification{TokenHash: "v1", ExpiresAt: later, Now: now}},
		{Name: "the link", Given: events{registered, asked}, When: user.Verify{TokenHash: "v1", Now: now}, Then: events{verified}},
		{Name: "the link once more", Given: events{registered, asked, verified}, When: user.Verify{TokenHash: "v1", Now: now}, Refused: domain.CodeForbidden},
		{Name: "the link before the newest", Given: events{registered, asked, again}, When: user.Verify{TokenHash: "v1", Now: now}, Refused: domain.CodeForbidden},
		{Name: "the link too late", Given: events{registered, asked}, When: user.Verify{TokenHash: "v1", Now: later}, Refused: domain.CodeForbidden},
		{Name: "no link", Given: events{registered}, When: user.Verify{Now: now}, Refused: domain.CodeForbidden},
		{Name: "vouched for", Given: events{registered}, When: user.Vouch{Now: now}, Then: events{verified}},
		{Name: "nobody", When: user.Verify{TokenHash: "v1", Now: now}, Refused: domain.CodeNotFound},
	})
}

func TestAPasswordsChangeEndsSessions(t *testing.T) {
	t.Parallel()
	changed := func(how string) user.PasswordChanged {
		return user.PasswordChanged{PasswordHash: "h2", How: how, At: now}
	}
	domaintest.Run(t, user.Decider, []fact{
		{
			Name: "by the link, all of them", Given: events{registered, verified, in1, in2, reset}, When: user.Reset{TokenHash: "r1", PasswordHash: "h2", Now: now},
			Then: events{changed("reset"), ended("ssn_1", user.NewSecret), ended("ssn_2", user.NewSecret)},
		},
		{Name: "which also verifies", Given: events{registered, reset}, When: user.Reset{TokenHash: "r1", PasswordHash: "h2", Now: now}, Then: events{changed("reset"), verified}},
		{Name: "by the link once more", Given: events{registered, verified, reset, changed("reset")}, When: user.Reset{TokenHash: "r1", PasswordHash: "h3", Now: now}, Refused: domain.CodeForbidden},
		{Name: "by the link too late", Given: events{registered, verified, reset}, When: user.Reset{TokenHash: "r1", PasswordHash: "h2", Now: later}, Refused: domain.CodeForbidden},
		{
			Name: "by somebody signed in, the others", Given: events{registered, verified, in1, in2}, When: user.ChangePassword{PasswordHash: "h2", Kept: "ssn_2", Now: now},
			Then: events{changed("changed"), ended("ssn_1", user.NewSecret)},
		},
	})
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	first := user.SignIn{SessionID: "ssn_1", OrganizationID: "org_1", Checked: "h1", Now: now}
	with := func(step int64, recovery string) user.SignIn {
		c := first
		c.Step, c.RecoveryHash = step, recovery
		return c
	}
	by := func(factor string, step int64) user.SignedIn {
		e := in1
		e.Factor, e.Step = factor, step
		return e
	}
	used := user.RecoveryCodeUsed{Hash: "c1", At: now}
	cases := []fact{
		{Name: "with the password", Given: events{registered, verified}, When: first, Then: events{in1}},
		{Name: "again", Given: events{registered, verified, in1}, When: first},
		{Name: "before the address is verified", Given: events{registered}, When: first, Refused: domain.CodeWrongState},
		{Name: "with a password that has just changed", Given: events{registered, verified, user.PasswordChanged{PasswordHash: "h2"}}, When: first, Refused: domain.CodeForbidden},
		{Name: "without the second factor", Given: events{registered, verified, enabled}, When: first, Refused: domain.CodeForbidden},
		{Name: "with a code", Given: events{registered, verified, enabled}, When: with(11, ""), Then: events{by("totp", 11)}},
		{Name: "with the code that set it up", Given: events{registered, verified, enabled}, When: with(10, ""), Refused: domain.CodeForbidden},
		{Name: "with a code twice", Given: events{registered, verified, enabled, by("totp", 11), ended("ssn_1", user.SignedOut)}, When: with(11, ""), Refused: domain.CodeForbidden},
		{Name: "with a recovery code", Given: events{registered, verified, enabled}, When: with(0, "c1"), Then: events{used, by("recovery_code", 0)}},
		{Name: "with a recovery code twice", Given: events{registered, verified, enabled, used}, When: with(0, "c1"), Refused: domain.CodeForbidden},
		{Name: "with the other", Given: events{registered, verified, enabled, used}, When: with(0, "c2"), Then: events{user.RecoveryCodeUsed{Hash: "c2", At: now}, by("recovery_code", 0)}},
		{Name: "with a wrong recovery code and a step", Given: events{registered, verified, enabled}, When: with(99, "c9"), Refused: domain.CodeForbidden},
		{Name: "once it is disabled", Given: events{registered, verified, enabled, user.FactorDisabled{At: now}}, When: first, Then: events{in1}},
		{Name: "once erased", Given: events{registered, verified, user.Erased{At: now}}, When: first, Refused: domain.CodeNotFound},
		{Name: "failed", Given: events{registered, verified}, When: user.FailSignIn{AttemptID: "a", Reason: "password", Now: now}, Then: events{user.SignInFailed{AttemptID: "a", Reason: "password", At: now}}},
	}
	many := events{registered, verified}
	for i := range user.MaxSessions {
		many = append(many, user.SignedIn{SessionID: fmt.Sprint("ssn_x", i), OrganizationID: "org_1", At: now})
	}
	cases = append(cases, fact{Name: "once too often", Given: many, When: first, Then: events{ended("ssn_x0", user.Ended), in1}})
	domaintest.Run(t, user.Decider, cases)
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	given := events{registered, verified, in1, in2}
	domaintest.Run(t, user.Decider, []fact{
		{Name: "one", Given: given, When: user.EndSession{SessionID: "ssn_1", How: user.SignedOut, Now: now}, Then: events{ended("ssn_1", user.SignedOut)}},
		{Name: "one that is none", Given: given, When: user.EndSession{SessionID: "ssn_9", How: user.SignedOut, Now: now}},
		{Name: "with the membership", Given: given, When: user.Depart{OrganizationID: "org_2", Now: now}, Then: events{ended("ssn_2", user.Removed)}},
		{
			Name: "with a membership chosen since", Given: append(given, user.OrganizationChosen{SessionID: "ssn_1", OrganizationID: "org_2", At: now}),
			When: user.Depart{OrganizationID: "org_2", Now: now}, Then: events{ended("ssn_1", user.Removed), ended("ssn_2", user.Removed)},
		},
		{
			Name: "another organization", Given: given, When: user.ChooseOrganization{SessionID: "ssn_1", OrganizationID: "org_2", Now: now},
			Then: events{user.OrganizationChosen{SessionID: "ssn_1", OrganizationID: "org_2", At: now}},
		},
		{
			Name: "with a second factor, the others", Given: given, When: user.EnableFactor{Secret: "s", RecoveryHashes: []string{"c1", "c2"}, Step: 10, Kept: "ssn_1", Now: now},
			Then: events{enabled, ended("ssn_2", user.NewSecret)},
		},
		{Name: "which cannot be set up twice", Given: events{registered, enabled}, When: user.EnableFactor{Secret: "s", Now: now}, Refused: domain.CodeWrongState},
		{Name: "disabled", Given: events{registered, enabled}, When: user.DisableFactor{Now: now}, Then: events{user.FactorDisabled{At: now}}},
		{Name: "disabled without one", Given: events{registered}, When: user.DisableFactor{Now: now}},
		{Name: "with the person", Given: given, When: user.Erase{Now: now}, Then: events{ended("ssn_1", user.Gone), ended("ssn_2", user.Gone), user.Erased{At: now}}},
	})
}

func TestAnAccountExpiresThatNobodyHasConfirmed(t *testing.T) {
	t.Parallel()
	expire := user.Expire{Now: later}
	link := func(until domain.Time) user.Event {
		return user.VerificationRequested{TokenHash: "h1", ExpiresAt: until, At: now}
	}
	domaintest.Run(t, user.Decider, []fact{
		{Name: "without a link", Given: events{registered}, When: expire, Then: events{user.Erased{At: later}}},
		{Name: "with an old link", Given: events{registered, link(now)}, When: expire, Then: events{user.Erased{At: later}}},
		{Name: "while a link works", Given: events{registered, link(domain.At(later.Add(time.Second)))}, When: expire},
		{Name: "while a link to another password works", Given: events{registered, user.ResetRequested{TokenHash: "h1", ExpiresAt: domain.At(later.Add(time.Second)), At: now}}, When: expire},
		{Name: "confirmed", Given: events{registered, verified}, When: expire},
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, user.Decider, user.Catalogue)
	domaintest.RoundTrips(t, user.Catalogue)
	domaintest.Laws(t, user.Decider, rapid.Custom(func(t *rapid.T) user.Command {
		id := rapid.SampledFrom([]string{"ssn_1", "ssn_2"}).Draw(t, "session")
		org := rapid.SampledFrom([]string{"org_1", "org_2"}).Draw(t, "organization")
		hash := rapid.SampledFrom([]string{"h1", "h2"}).Draw(t, "hash")
		return rapid.SampledFrom([]user.Command{
			user.Register{User: registered},
			user.RequestVerification{TokenHash: hash, ExpiresAt: later, Now: now}, user.RequestReset{TokenHash: hash, ExpiresAt: later, Now: now},
			user.Verify{TokenHash: hash, Now: now}, user.Vouch{Now: now},
			user.Reset{TokenHash: hash, PasswordHash: hash, Now: now}, user.ChangePassword{PasswordHash: hash, Kept: id, Now: now},
			user.SignIn{SessionID: id, OrganizationID: org, Checked: hash, Step: 11, Now: now},
			user.SignIn{SessionID: id, OrganizationID: org, Checked: hash, RecoveryHash: "c1", Now: now},
			user.FailSignIn{AttemptID: hash, Reason: "password", Now: now},
			user.ChooseOrganization{SessionID: id, OrganizationID: org, Now: now},
			user.EndSession{SessionID: id, How: user.SignedOut, Now: now}, user.Depart{OrganizationID: org, Now: now},
			user.EnableFactor{Secret: "s", RecoveryHashes: []string{"c1"}, Kept: id, Now: now}, user.DisableFactor{Now: now},
			user.Erase{Now: now}, user.Expire{Now: now},
		}).Draw(t, "command")
	}))
}
