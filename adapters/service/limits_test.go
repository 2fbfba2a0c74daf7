package service_test

import (
	"errors"
	"testing"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/apikey"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections/usage"
	"understudy/test/patience"
)

// onFree is alice on the Free plan, with its 500 sessions a month.
func onFree() service.Principal {
	p := alice
	p.Plan = account.Free
	return p
}

// ask creates a test of somebody's with so many sessions.
func (w *world) ask(p service.Principal, sessions int) (id string, err error) {
	w.t.Helper()
	id = newID(domain.PrefixTest)
	in := lamp()
	in.Sessions = sessions
	_, err = w.CreateTest(w.ctx, call(p, id), id, in)
	return id, err
}

// standing waits until the quota has come to these numbers.
func (w *world) standing(used, reserved int) {
	w.t.Helper()
	var q account.Quota
	if err := patience.Until(w.ctx, limit, func() bool {
		var err error
		q, err = w.Quota(w.ctx, onFree())
		w.must(err)
		return q.Used == used && q.Reserved == reserved
	}); err != nil || q.Limit != 500 || q.Left() != 500-used-reserved || q.Month != account.MonthOf(time.Now()) {
		w.t.Fatalf("the quota stands at %+v, want %d used and %d reserved: %v", q, used, reserved, err)
	}
}

// leave is what a test that is refused for want of sessions must say is left.
func (w *world) leave(err error, left int) {
	w.t.Helper()
	var exceeded *account.QuotaExceeded
	if w.refused(err, domain.CodeQuotaExceeded); !errors.As(err, &exceeded) || exceeded.Left() != left {
		w.t.Errorf("%v, want %d to be left", err, left)
	}
}

func TestATestReservesItsSessionsAndGivesThoseBackThatNeverRan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	first, err := w.ask(onFree(), 300)
	w.must(err)
	w.standing(0, 300)
	_, err = w.ask(onFree(), 201)
	w.leave(err, 200)
	second, err := w.ask(onFree(), 200)
	w.must(err)
	_, err = w.ask(onFree(), 1)
	w.leave(err, 0)
	// What costs nothing is not held against it, nor what others ask for.
	free := sandbox
	free.Plan = account.Free
	_, err = w.ask(free, 400)
	w.must(err)
	w.standing(0, 500)

	// The first target was never reached: all its sessions come back.
	at := domain.At(time.Now())
	w.tell(first, testrun.Fail{Code: testrun.TargetUnreachable, Now: at})
	w.standing(0, 200)
	// One session of the second runs and is called off with it.
	id := newID(domain.PrefixSession)
	run := func(c session.Command) {
		t.Helper()
		_, err := w.Streams.Sessions.Handle(w.ctx, domain.DeriveUUID(newID("cmd")), session.Stream(id), c, domain.Meta{})
		w.must(err)
	}
	run(session.Queue{Session: session.Queued{SessionID: id, TestID: second, OrganizationID: "org_a", Environment: domain.Live, At: at}})
	run(session.Start{Attempt: 1, Worker: "w", Now: at})
	w.tell(second, testrun.Cancel{Now: at})
	w.standing(1, 199)
	run(session.Cancel{Now: at})
	_, err = w.ask(onFree(), 300)
	w.must(err)
	_, err = w.ask(onFree(), 1)
	w.leave(err, 0)

	page, err := w.Usage(w.ctx, alice, usage.Query{From: at.Add(-time.Hour), To: at.Add(time.Hour), By: usage.ByTest, Limit: 100})
	w.must(err)
	returned := map[string]int{}
	for _, doc := range page.Items {
		sum, err := doc.Decode()
		w.must(err)
		returned[sum.Group] = sum.Returned
	}
	if len(page.Items) != 3 || returned[first] != 300 {
		t.Errorf("the usage by test: %+v", page)
	}
}

func TestThePlanThatCountsIsTheOneOfNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const token = "svc_live_0123456789ABCDEFGHIJKLMNOPQRST"
	key := apikey.NewKey(domain.Live, []byte(token+token))
	w.found(key)
	is := func(plan account.Plan, rate int) service.Principal {
		t.Helper()
		p, err := w.Authenticate(w.ctx, key)
		w.must(err)
		if p.Plan != plan || p.RateLimit != rate {
			t.Errorf("on %s with %d requests a minute, want %s with %d", p.Plan, p.RateLimit, plan, rate)
		}
		return p
	}
	_, err := w.ask(is(account.Team, 1000), 600)
	w.must(err)
	doc, err := w.ChangePlan(w.ctx, call(alice, "plan"), account.Free)
	w.must(err)
	if shown, err := doc.Decode(); err != nil || shown.Plan != account.Free {
		t.Errorf("the organization is now %+v, %v", shown, err)
	}
	// What ran under the larger plan counts; nothing more is admitted.
	_, err = w.ask(is(account.Free, 10), 1)
	w.leave(err, 0)
	_, err = w.ChangePlan(w.ctx, call(alice, "starter"), account.Starter)
	w.must(err)
	_, err = w.ask(is(account.Starter, 60), 4400)
	w.must(err)
	_, err = w.ask(is(account.Starter, 60), 1)
	w.leave(err, 0)
	_, err = w.ChangePlan(w.ctx, call(alice, "gold"), "gold")
	w.at(err, "plan")
}

// TestAComparisonReservesBothOrNone: no test of a comparison starts that then has no
// sessions for the other.
func TestAComparisonReservesBothOrNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	variant := lamp()
	variant.Sessions = 300
	id := newID(domain.PrefixComparison)
	two := func(a, b service.NewTest) service.NewComparison {
		return service.NewComparison{A: service.NewSide{Variant: &a}, B: service.NewSide{Variant: &b}}
	}
	_, err := w.CreateComparison(w.ctx, call(onFree(), id), id, two(variant, variant))
	w.leave(err, 500)
	w.standing(0, 0)
	variant.Sessions = 250
	_, err = w.CreateComparison(w.ctx, call(onFree(), id), id, two(variant, variant))
	w.must(err)
	w.standing(0, 500)
}
