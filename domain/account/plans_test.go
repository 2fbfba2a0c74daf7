package account_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/domaintest"
)

func TestPlansAreThoseOfTheSpecification(t *testing.T) {
	t.Parallel()
	plans := account.Specified()
	for plan, want := range map[account.Plan]account.Limits{
		"free": {RequestsPerMinute: 10, SessionsPerMonth: 500}, "starter": {RequestsPerMinute: 60, SessionsPerMonth: 5000},
		"pro": {RequestsPerMinute: 300, SessionsPerMonth: 50000}, "team": {RequestsPerMinute: 1000},
	} {
		if plans[plan] != want {
			t.Errorf("%s: %+v, want %+v", plan, plans[plan], want)
		}
	}
	if len(plans) != 4 || len(account.PlanNames) != 4 {
		t.Errorf("%d plans with limits and %d with names, want 4", len(plans), len(account.PlanNames))
	}
}

func TestChangePlan(t *testing.T) {
	t.Parallel()
	c := found(account.Team)
	is := func(more ...account.Event) events { return append(events{c.Organization, c.Owner}, more...) }
	free := account.PlanChanged{Plan: account.Free, At: now}
	change := func(to account.Plan) account.ChangePlan { return account.ChangePlan{Plan: to, Now: now} }
	domaintest.Run(t, account.Decider, []fact{
		{Name: "another plan", Given: is(), When: change(account.Free), Then: events{free}},
		{Name: "the plan that it is on", Given: is(), When: change(account.Team)},
		{Name: "again", Given: is(free), When: change(account.Free)},
		{Name: "and back", Given: is(free), When: change(account.Team), Then: events{account.PlanChanged{Plan: account.Team, At: now}}},
		{Name: "a plan that does not exist", Given: is(), When: change("gold"), Refused: domain.CodeValidationFailed},
		{Name: "an organization that does not exist", When: change(account.Free), Refused: domain.CodeNotFound},
	})
}

func TestMonthsAreUTC(t *testing.T) {
	t.Parallel()
	kiritimati := time.FixedZone("LINT", 14*60*60)
	if got := account.MonthOf(time.Date(2027, 1, 1, 13, 59, 0, 0, kiritimati)); got != "2026-12" {
		t.Errorf("the last evening of 2026 is in %s", got)
	}
	if got := account.Month("2026-12").Ends(); !got.Equal(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("December ends at %s", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "at"), 0)
		ends := account.MonthOf(at).Ends()
		if !ends.After(at) || ends.Sub(at) > 31*24*time.Hour || account.MonthOf(ends.Add(-time.Nanosecond)) != account.MonthOf(at) {
			t.Fatalf("%s is in %s, which ends at %s", at, account.MonthOf(at), ends)
		}
	})
}

// A quota admits exactly what is left of it, and says what that is.
func TestAQuotaAdmitsWhatIsLeft(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.IntRange(0, 1000)
		q := account.Quota{Plan: account.Free, Limit: number.Draw(t, "limit"), Used: number.Draw(t, "used"), Reserved: number.Draw(t, "reserved"), Month: "2026-11"}
		wanted := number.Draw(t, "wanted")
		err := q.Admits(wanted)
		if fits := q.Limit == 0 || wanted == 0 || q.Used+q.Reserved+wanted <= q.Limit; fits != (err == nil) {
			t.Fatalf("%d of %+v: %v", wanted, q, err)
		}
		if told := (*account.QuotaExceeded)(nil); err != nil && (!errors.As(err, &told) || told.Left() < 0 || told.Left() >= wanted || domain.CodeOf(err) != domain.CodeQuotaExceeded || !strings.Contains(err.Error(), "2026-12-01T00:00:00Z")) {
			t.Fatalf("%v", err)
		}
	})
}
