package notice_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/notice"
)

var begin = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

func at(d time.Duration) domain.Time { return domain.At(begin.Add(d)) }

var requested = notice.Requested{
	NoticeID: "ntc_1", OrganizationID: "org_1", Environment: domain.Live, WebhookID: "whk_1", Consecutive: 7, At: at(0),
}

func fails(attempt int, after time.Duration) notice.RecordAttempt {
	return notice.RecordAttempt{Attempt: attempt, Error: "unreachable", Now: at(after)}
}

func failed(attempt int, after, wait time.Duration) notice.Attempted {
	e := notice.Attempted{Attempt: attempt, Error: "unreachable", At: at(after)}
	if wait > 0 {
		due := at(after + wait)
		e.NextDueAt = &due
	}
	return e
}

// A minute, ten minutes and an hour after the failure; then it is given up.
func TestTries(t *testing.T) {
	t.Parallel()
	const first, second, third, fourth = 2 * time.Second, 63 * time.Second, 11 * time.Minute, 90 * time.Minute
	domaintest.For(t, notice.Decider).
		When(notice.Request{Notice: requested}).Then(requested).
		When(notice.Request{Notice: requested}).Then().
		When(fails(1, first)).Then(failed(1, first, time.Minute)).
		When(fails(1, first)).Then().
		When(fails(2, second)).Then(failed(2, second, 10*time.Minute)).
		When(fails(3, third)).Then(failed(3, third, time.Hour)).
		When(fails(4, fourth)).Then(failed(4, fourth, 0), notice.Abandoned{Attempts: 4, At: at(fourth)}).
		When(notice.RecordAttempt{Attempt: 5, Channel: notice.Mail, Now: at(fourth)}).Then()
}

func TestTelling(t *testing.T) {
	t.Parallel()
	told := notice.Told{Channel: notice.Mail, At: at(time.Second)}
	tell := notice.RecordAttempt{Attempt: 1, Channel: notice.Mail, Now: at(time.Second)}
	domaintest.Run(t, notice.Decider, []domaintest.Case[notice.Command, notice.Event]{
		{Name: "at once", Given: []notice.Event{requested}, When: tell, Then: []notice.Event{told}},
		{Name: "twice", Given: []notice.Event{requested, told}, When: tell},
		{Name: "nothing", When: tell},
		{Name: "a try that skips one", Given: []notice.Event{requested}, When: fails(2, 0), Refused: domain.CodeConflict},
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	domaintest.Laws(t, notice.Decider, rapid.Custom(func(t *rapid.T) notice.Command {
		if rapid.IntRange(0, 3).Draw(t, "command") == 0 {
			return notice.Request{Notice: requested}
		}
		c := fails(rapid.IntRange(1, 5).Draw(t, "attempt"), time.Minute)
		if rapid.IntRange(0, 9).Draw(t, "told") == 0 {
			c.Channel = notice.Mail
		}
		return c
	}))
	domaintest.Total(t, notice.Decider, notice.Catalogue)
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, notice.Catalogue)
}
