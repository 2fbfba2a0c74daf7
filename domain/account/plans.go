package account

import (
	"time"

	"understudy/domain"
)

// Plan bounds what an organization may do.
type Plan string

// The plans of the interface specification.
const (
	Free    Plan = "free"
	Starter Plan = "starter"
	Pro     Plan = "pro"
	Team    Plan = "team"
)

// DefaultPlan is that of new organizations: who runs the service for themselves has
// as many sessions as they like.
const DefaultPlan = Team

// PlanNames are all of them, the smallest first.
var PlanNames = []Plan{Free, Starter, Pro, Team}

// Limits are what a plan allows.
type Limits struct {
	// RequestsPerMinute are of each API key, > 0.
	RequestsPerMinute int
	// SessionsPerMonth are live sessions of the organization; 0 is no limit.
	SessionsPerMonth int
}

// Plans are the limits of every plan.
type Plans map[Plan]Limits

// Specified are the limits unless the operator sets others. Source: the interface
// specification, "Rate limits".
func Specified() Plans {
	return Plans{
		Free:    {RequestsPerMinute: 10, SessionsPerMonth: 500},
		Starter: {RequestsPerMinute: 60, SessionsPerMonth: 5_000},
		Pro:     {RequestsPerMinute: 300, SessionsPerMonth: 50_000},
		Team:    {RequestsPerMinute: 1_000},
	}
}

// known refuses a plan that does not exist.
func (p Plan) known() error {
	if _, known := Specified()[p]; !known {
		return domain.Invalid("plan", "enum", "plan must be free, starter, pro or team")
	}
	return nil
}

// Month is a calendar month in UTC, like "2026-11": what quotas are counted by.
type Month string

const monthForm = "2006-01"

// MonthOf is the month of a moment.
func MonthOf(t time.Time) Month { return Month(t.UTC().Format(monthForm)) }

// Ends is the moment the next month begins; a month that is none has ended long ago.
func (m Month) Ends() domain.Time {
	began, err := time.Parse(monthForm, string(m))
	if err != nil {
		return domain.Time{}
	}
	return domain.At(began.AddDate(0, 1, 0))
}

// Quota is where an organization stands in a month.
type Quota struct {
	Plan Plan
	// Limit is how many live sessions the month has, 0 for no limit.
	Limit int
	// Used are those that ran or run, Reserved those that a test has yet to begin.
	Used, Reserved int
	Month          Month
}

// Left is how many sessions can still be asked for. Without a limit it says nothing.
func (q Quota) Left() int { return max(0, q.Limit-q.Used-q.Reserved) }

// Admits refuses sessions that the quota has no room for.
func (q Quota) Admits(sessions int) error {
	if q.Limit == 0 || sessions <= q.Left() {
		return nil
	}
	return &QuotaExceeded{Quota: q, Wanted: sessions}
}

// QuotaExceeded is the refusal of sessions that there is no room for.
type QuotaExceeded struct {
	Quota
	Wanted int
}

func (e *QuotaExceeded) Error() string { return e.Unwrap().Error() }

// Unwrap is the refusal with its code.
func (e *QuotaExceeded) Unwrap() error {
	return domain.Refuse(domain.CodeQuotaExceeded,
		"this needs %d live sessions and %d of the %d of this month are left on the plan %s; the next month begins at %s. Ask for fewer, use a sandbox key, or change the plan",
		e.Wanted, e.Left(), e.Limit, e.Plan, e.Month.Ends().UTC().Format(time.RFC3339))
}
