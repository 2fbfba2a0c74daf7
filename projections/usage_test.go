package projections_test

import (
	"fmt"
	"testing"
	"time"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/usage"
)

// TestEverySessionIsUsedReservedOrReturned: at each moment of any history, what a
// test has asked for is what it has used, may still use, and never will. What was
// once used or returned stays so.
func TestEverySessionIsUsedReservedOrReturned(t *testing.T) {
	t.Parallel()
	returned := 0
	for seed := uint64(1); seed <= histories; seed++ {
		rows, ran := map[string]usage.Row{}, map[string]bool{}
		began := map[string]int{}
		for _, e := range history(seed) {
			var id string
			switch event := e.Event.(type) {
			case session.Queued:
				id = event.TestID
			case session.Started:
				if id = event.TestID; !ran[e.Stream] {
					ran[e.Stream], began[id] = true, began[id]+1
				}
			case session.Completed:
				id = event.TestID
			case session.Failed:
				id = event.TestID
			case session.Cancelled:
				id = event.TestID
			case testrun.Event:
				id = projections.StreamID(e)
			default:
				continue
			}
			before, now := rows[id], usage.Fold(rows[id], e)
			rows[id] = now
			if now.Used()+now.Reserved()+now.Returned() != now.Sessions || now.Used() != began[id] || now.Reserved() < 0 || now.Returned() < 0 {
				t.Fatalf("%s after %s@%d: %+v with %d that began", id, e.Stream, e.Revision, now, began[id])
			}
			if now.Used() < before.Used() || now.Returned() < before.Returned() {
				t.Fatalf("%s took back what it had settled: %+v, then %+v", id, before, now)
			}
		}
		for id, row := range rows {
			if settled := row.Over && row.Ended == row.Sessions; settled && row.Reserved() != 0 {
				t.Errorf("%s is over and has reserved %d", id, row.Reserved())
			}
			returned += row.Returned()
		}
	}
	if returned == 0 {
		t.Error("no history has returned anything")
	}
}

// A test of ten that is cancelled while one session runs and one has ended uses two.
func TestUsage(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	day := func(n int) domain.Time { return domain.At(time.Date(2026, 3, n, 23, 59, 59, 0, time.UTC)) }
	asked := func(id, key, org string, env domain.Environment, sessions int, at domain.Time) {
		w.note(domain.Recorded{
			ID: domain.DeriveUUID(id), Stream: testrun.Stream(id), Position: uint64(100 + 7*len(w.log)), Time: at.Time, Meta: domain.Meta{KeyID: key},
			Event: testrun.Created{TestID: id, OrganizationID: org, Environment: env, Sessions: sessions, Personas: testrun.Personas{Source: "auto-diverse"}, Viewports: []string{"desktop"}, CreatedAt: at},
		})
	}
	happens := func(stream string, e domain.Event) {
		w.length[stream]++
		w.note(domain.Recorded{
			ID: domain.DeriveUUID(stream, fmt.Sprint(len(w.log))), Stream: stream, Revision: w.length[stream], Position: uint64(100 + 7*len(w.log)), Event: e,
		})
	}
	asked("test_1", "key_1", "org_0", domain.Live, 3, day(14))
	asked("test_2", "key_1", "org_0", domain.Live, 5, day(15))
	asked("test_3", "key_2", "org_0", domain.Live, 7, day(15))
	asked("test_old", "key_1", "org_0", domain.Live, 100, domain.At(time.Date(2026, 2, 28, 23, 59, 59, 0, time.UTC)))
	asked("test_sandbox", "key_3", "org_0", domain.Sandbox, 100, day(15))
	asked("test_other", "key_4", "org_1", domain.Live, 100, day(15))
	started := func(test string, n, attempt int) {
		happens(fmt.Sprintf("session-%s_%d", test, n), session.Started{TestID: test, Attempt: attempt})
	}
	started("test_1", 0, 1)
	started("test_1", 0, 2) // after its worker died: the same session
	happens("session-test_1_0", session.Completed{TestID: "test_1"})
	started("test_1", 1, 1)
	happens("testrun-test_1", testrun.Cancelled{SessionsTotal: 3})
	happens("session-test_1_1", session.Cancelled{TestID: "test_1", Index: 1})
	happens("session-test_1_2", session.Cancelled{TestID: "test_1", Index: 2})
	started("test_2", 0, 1)
	happens("testrun-test_3", testrun.Failed{Code: testrun.TargetUnreachable})
	fill(t, pool, usage.Projection, w.log)

	ctx := testContext(t)
	used, reserved, err := usage.InMonth(ctx, pool, "org_0", "2026-03")
	if err != nil || used != 3 || reserved != 4 {
		t.Errorf("%d used and %d reserved, %v", used, reserved, err)
	}
	for month, want := range map[account.Month]int{"2026-02": 100, "2026-04": 0} {
		if used, reserved, err := usage.InMonth(ctx, pool, "org_0", month); err != nil || used != 0 || reserved != want {
			t.Errorf("%s: %d used and %d reserved, %v", month, used, reserved, err)
		}
	}
	one := usage.Sum{Group: "test_1", Tests: 1, Sessions: 3, Used: 2, Returned: 1}
	two := usage.Sum{Group: "test_2", Tests: 1, Sessions: 5, Used: 1, Reserved: 4}
	three := usage.Sum{Group: "test_3", Tests: 1, Sessions: 7, Returned: 7}
	for by, want := range map[usage.Group][]usage.Sum{
		usage.ByTest: {three, two, one},
		usage.ByKey:  {{Group: "key_2", Tests: 1, Sessions: 7, Returned: 7}, {Group: "key_1", Tests: 2, Sessions: 8, Used: 3, Reserved: 4, Returned: 1}},
		usage.ByDay:  {{Group: "2026-03-15", Tests: 2, Sessions: 12, Used: 1, Reserved: 4, Returned: 7}, {Group: "2026-03-14", Tests: 1, Sessions: 3, Used: 2, Returned: 1}},
	} {
		var all []usage.Sum
		for after, more := "", true; more; {
			var page []usage.Sum
			which := usage.Query{From: day(1).Time, To: day(15).Add(time.Second), By: by, After: after, Limit: 1}
			if page, more, err = usage.List(ctx, pool, org0, which); err != nil {
				t.Fatal(err)
			}
			for _, sum := range page {
				all, after = append(all, sum), sum.Group
			}
		}
		same(t, "usage by "+string(by), want, all)
	}
}
