package projections_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/domain/delivery"
	"understudy/domain/notice"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/worklist"
)

// past is a world an hour ago, so that whatever is in it is due by now.
func past() *world {
	w := newWorld()
	w.now = time.Now().Add(-time.Hour)
	return w
}

// start creates and starts the n-th test; its sessions are queued.
func (w *world) start(n, sessions int, meta domain.Meta) {
	w.createTest(n, sessions, meta)
	w.tell(testrun.Stream(testID(n)), testrun.Start{Now: w.at()}, meta)
	w.settle()
}

// sessionOf is the stream of a session.
func (w *world) sessionOf(n, index int) string {
	return session.Stream(w.casts[testID(n)].Session(index, w.created[testID(n)]).SessionID)
}

func (w *world) claim(stream string) {
	w.tell(stream, session.Start{Attempt: w.attempts[stream] + 1, Worker: "w1", Now: w.at()}, w.metaOf(stream))
}

func (w *world) finish(stream string) {
	w.tell(stream, session.Complete{Result: completed(w.attempts[stream], map[string]float64{"task_completion": 1}, "", w.at())}, w.metaOf(stream))
	w.settle()
}

// metaOf is the metadata of a stream's first event, as workers hand it on.
func (w *world) metaOf(stream string) domain.Meta {
	for _, e := range w.log {
		if e.Stream == stream {
			return e.Meta
		}
	}
	return domain.Meta{}
}

func (w *world) deliver(id, endpoint string, meta domain.Meta) {
	w.tell(delivery.Stream(id), delivery.Schedule{Delivery: delivery.Scheduled{
		DeliveryID: id, WebhookID: endpoint, OrganizationID: meta.OrganizationID, Environment: meta.Environment,
		EventName: "test.started", TestID: testID(0), Body: `{"event":"test.started"}`, At: w.at(),
	}}, meta)
}

func lease(t *testing.T, pool *pgxpool.Pool, name string, lasts time.Duration) {
	t.Helper()
	_, err := pool.Exec(testContext(t), `INSERT INTO ops.leases VALUES ($1, 'somebody', now() + make_interval(secs => $2))`, name, lasts.Seconds())
	if err != nil {
		t.Fatal(err)
	}
}

// due is the work on live tests.
func due(t *testing.T, pool *pgxpool.Pool, kind worklist.Kind, limit int) []worklist.Item {
	t.Helper()
	items, err := worklist.Due(testContext(t), pool, kind, domain.Live, limit)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func streamsOf(items []worklist.Item) []string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = item.Stream
	}
	return out
}

func TestDueIsFairAcrossTests(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), past()
	w.start(0, 4, owner(0))
	w.start(1, 2, owner(1))
	w.start(2, 3, owner(2)) // the sandbox
	fill(t, pool, worklist.Projection, w.log)
	same(t, "sessions that are due", []string{
		w.sessionOf(0, 0), w.sessionOf(1, 0), w.sessionOf(0, 1), w.sessionOf(1, 1), w.sessionOf(0, 2), w.sessionOf(0, 3),
	}, streamsOf(due(t, pool, worklist.Session, 100)))
	same(t, "the first three", []string{w.sessionOf(0, 0), w.sessionOf(1, 0), w.sessionOf(0, 1)},
		streamsOf(due(t, pool, worklist.Session, 3)))
	for env, want := range map[domain.Environment]int{domain.Live: 6, domain.Sandbox: 3} {
		if n, err := worklist.Waiting(testContext(t), pool, env); err != nil || n != want {
			t.Errorf("%d sessions wait in %s, want %d: %v", n, env, want, err)
		}
	}
}

// TestOrganizationsTakeTurns: one that has queued much, and first, leaves another no
// worse off than it is itself.
func TestOrganizationsTakeTurns(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), past()
	w.start(0, 6, owner(0))
	w.start(4, 6, owner(0))
	w.start(1, 3, owner(1))
	told := 0
	tell := func() {
		fill(t, pool, worklist.Projection, w.log[told:])
		told = len(w.log)
	}
	tell()
	whose := map[string]string{}
	for _, item := range due(t, pool, worklist.Session, 100) {
		whose[item.Stream] = map[string]string{testID(0): "0", testID(4): "0", testID(1): "1"}[item.TestID]
	}
	if len(whose) != 15 {
		t.Fatalf("%d sessions are due, want 15", len(whose))
	}
	// With one worker they alternate.
	order := ""
	for range 7 {
		one := due(t, pool, worklist.Session, 1)[0].Stream
		order += whose[one]
		w.claim(one)
		w.finish(one)
		tell()
	}
	same(t, "whose sessions one worker took up", "0101010", order)

	// Who has two under way waits for who has none.
	w.start(5, 4, owner(1))
	tell()
	for _, item := range due(t, pool, worklist.Session, 100) {
		if item.TestID == testID(5) {
			whose[item.Stream] = "1"
		}
	}
	busy := 0
	for _, item := range due(t, pool, worklist.Session, 100) {
		if whose[item.Stream] == "0" && busy < 2 {
			lease(t, pool, item.LeaseName(), time.Minute)
			busy++
		}
	}
	order = ""
	for _, item := range due(t, pool, worklist.Session, 5) {
		order += whose[item.Stream]
	}
	same(t, "whose sessions are next", "11101", order)
}

func TestLeasesAreRespected(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), past()
	w.start(0, 3, owner(0))
	w.claim(w.sessionOf(0, 1))
	fill(t, pool, worklist.Projection, w.log)
	all := due(t, pool, worklist.Session, 10)
	lease(t, pool, all[0].LeaseName(), time.Minute)
	lease(t, pool, all[1].LeaseName(), -time.Second)
	lease(t, pool, "report:"+all[2].Stream, time.Minute) // of other work
	left := due(t, pool, worklist.Session, 10)
	same(t, "without the leased one", []string{w.sessionOf(0, 1), w.sessionOf(0, 2)}, streamsOf(left))
	if left[0].Attempt != 1 || left[1].Attempt != 0 || left[0].TestID != testID(0) {
		t.Errorf("items %+v, want attempts 1 and 0 of %s", left, testID(0))
	}
}

func TestWorkComesAndGoes(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), past()
	ctx := testContext(t)
	told := 0
	// onList tells how much of each kind is on the list after what was told.
	onList := func() (kinds string) {
		fill(t, pool, worklist.Projection, w.log[told:])
		told = len(w.log)
		for _, kind := range []worklist.Kind{worklist.Start, worklist.Session, worklist.Causes, worklist.Report, worklist.Deliver} {
			kinds += fmt.Sprint(" ", kind, len(due(t, pool, kind, 10)))
		}
		return strings.TrimSpace(kinds)
	}
	w.createTest(0, 2, owner(0))
	same(t, "created", "start1 session0 causes0 report0 delivery0", onList())
	w.tell(testrun.Stream(testID(0)), testrun.Start{Now: w.at()}, owner(0))
	w.settle()
	same(t, "started", "start0 session2 causes0 report0 delivery0", onList())
	first, second := w.sessionOf(0, 0), w.sessionOf(0, 1)
	w.claim(first)
	same(t, "claimed", "start0 session2 causes0 report0 delivery0", onList())
	gone, err := worklist.Gone(ctx, pool, worklist.Session, []string{first, second, "session-unknown"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "gone while it runs", []string{"session-unknown"}, gone)
	w.finish(first)
	same(t, "one has ended", "start0 session1 causes0 report0 delivery0", onList())
	if gone, err = worklist.Gone(ctx, pool, worklist.Session, []string{first, second}); err != nil {
		t.Fatal(err)
	}
	same(t, "gone after its end", []string{first}, gone)
	w.claim(second)
	w.finish(second)
	same(t, "all have ended", "start0 session0 causes1 report0 delivery0", onList())
	w.tell(testrun.Stream(testID(0)), testrun.EndExamination{Now: w.at()}, owner(0))
	same(t, "causes examined", "start0 session0 causes0 report1 delivery0", onList())
	w.tell(testrun.Stream(testID(0)), testrun.Complete{ReportID: "rep_1", Now: w.at()}, owner(0))
	same(t, "completed", "start0 session0 causes0 report0 delivery0", onList())

	w.start(1, 3, owner(0))
	same(t, "another one", "start0 session3 causes0 report0 delivery0", onList())
	w.tell(testrun.Stream(testID(1)), testrun.Cancel{Now: w.at()}, owner(0))
	same(t, "cancelled: nobody takes up its sessions", "start0 session0 causes0 report0 delivery0", onList())
	w.settle()
	same(t, "its sessions cancelled", "start0 session0 causes0 report0 delivery0", onList())
	w.createTest(2, 3, owner(0))
	w.tell(testrun.Stream(testID(2)), testrun.Cancel{Now: w.at()}, owner(0))
	w.settle()
	same(t, "cancelled before it started", "start0 session0 causes0 report0 delivery0", onList())
}

// TestWorkIsDueAtOnce where the clocks of those who ask for it, and the log's, are
// an hour ahead of Postgres's.
func TestWorkIsDueAtOnce(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	w.now = time.Now().Add(time.Hour)
	w.createTest(0, 1, owner(0))
	w.start(1, 1, owner(0))
	w.start(2, 1, owner(0))
	w.claim(w.sessionOf(2, 0))
	w.finish(w.sessionOf(2, 0))
	w.start(3, 1, owner(0))
	w.claim(w.sessionOf(3, 0))
	w.finish(w.sessionOf(3, 0))
	w.tell(testrun.Stream(testID(3)), testrun.EndExamination{Now: w.at()}, owner(0))
	for _, n := range []int{4, 5} {
		w.start(n, 1, owner(0))
		w.tell(testrun.Stream(testID(n)), testrun.Cancel{Now: w.at()}, owner(0))
	}
	w.tell(comparison.Stream("cmp_1"), comparing("cmp_1", owner(0), testID(4), testID(5), "", w.at()), owner(0))
	w.deliver("dlv_1", "whk_a", owner(0))
	w.tell(notice.Stream("ntc_1"), notice.Request{Notice: notice.Requested{
		NoticeID: "ntc_1", WebhookID: "whk_a", OrganizationID: owner(0).OrganizationID, Environment: domain.Live, At: w.at(),
	}}, owner(0))
	fill(t, pool, worklist.Projection, w.log)
	for _, kind := range []worklist.Kind{
		worklist.Start, worklist.Session, worklist.Causes, worklist.Report, worklist.Compare, worklist.Deliver, worklist.Notice,
	} {
		if n := len(due(t, pool, kind, 10)); n != 1 {
			t.Errorf("%d of one %s are due", n, kind)
		}
	}
}

func TestDeliveriesAreDueByTheRetryTable(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), past()
	ctx := testContext(t)
	w.deliver("dlv_1", "whk_a", owner(0))
	w.deliver("dlv_2", "whk_b", owner(3))
	w.deliver("dlv_3", "whk_a", owner(0))
	w.deliver("dlv_4", "whk_c", owner(1))
	fails := func(id string, now time.Time) {
		w.tell(delivery.Stream(id), delivery.RecordAttempt{Attempt: w.tries[delivery.Stream(id)] + 1, StatusCode: 503, Now: domain.At(now)}, domain.Meta{})
	}
	// The workers' clocks are a day ahead and a day behind: the log's counts.
	fails("dlv_1", w.now.Add(24*time.Hour)) // due again 5 s later, an hour ago: after the others
	w.deliver("dlv_5", "whk_b", owner(0))
	w.tell(delivery.Stream("dlv_5"), delivery.RecordAttempt{Attempt: 1, Delivered: true, StatusCode: 200, Now: w.at()}, domain.Meta{})
	w.now = time.Now().Add(time.Minute)
	fails("dlv_4", w.now.Add(-24*time.Hour))
	soon := w.now.Add(5 * time.Second) // not yet
	fill(t, pool, worklist.Projection, w.log)

	list := func(endpoints, organizations []string) (out []string) {
		items, _, err := worklist.ClaimDeliveries(ctx, pool, "a", 10, time.Minute, endpoints, organizations)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range items {
			out = append(out, fmt.Sprintf("%s to %s of %s, tried %d", i.Stream, i.WebhookID, i.OrganizationID, i.Attempt))
		}
		again, _, err := worklist.ClaimDeliveries(ctx, pool, "b", 10, time.Minute, endpoints, organizations)
		if err != nil || len(again) != 0 {
			t.Errorf("claimed twice: %v, %v", again, err)
		}
		endLeases(t, pool, "a")
		return out
	}
	all := []string{ // an endpoint's retries before what is new to it
		"delivery-dlv_2 to whk_b of org_1, tried 0", "delivery-dlv_1 to whk_a of org_0, tried 1", "delivery-dlv_3 to whk_a of org_0, tried 0",
	}
	same(t, "all endpoints", all, list(nil, nil))
	same(t, "none excluded", all, list([]string{}, []string{}))
	same(t, "one endpoint excluded", all[:1], list([]string{"whk_a"}, nil))
	same(t, "both excluded", nil, list([]string{"whk_a", "whk_b"}, nil))
	same(t, "one organization excluded", all[1:], list(nil, []string{"org_1"}))
	lease(t, pool, "delivery:delivery-dlv_3", time.Minute)
	same(t, "one under way", all[:2], list(nil, nil))
	lease(t, pool, "delivery:delivery-dlv_2", -time.Second) // has run out
	asked := time.Now()
	few, next, err := worklist.ClaimDeliveries(ctx, pool, "a", 1, time.Minute, nil, nil)
	if len(few) != 1 || few[0].Stream != "delivery-dlv_2" {
		t.Errorf("the one that is due longest is %+v", few)
	}
	// Postgres's clock is that of this machine here, and is asked on the way.
	if off := next.Sub(soon); err != nil || off < -time.Second || off > time.Since(asked)+time.Second {
		t.Errorf("the next delivery is due at %s, want %s: %v", next, soon, err)
	}
	byKind, err := worklist.NextDue(ctx, pool, worklist.Deliver, domain.Live)
	if err != nil || byKind.Sub(soon).Abs() > time.Millisecond {
		t.Errorf("the next work is due at %s, want %s: %v", byKind, soon, err)
	}
	if none, err := worklist.NextDue(ctx, pool, worklist.Session, domain.Live); err != nil || !none.IsZero() {
		t.Errorf("no session waits, and yet one is due at %s: %v", none, err)
	}
}

func endLeases(t *testing.T, pool *pgxpool.Pool, owner string) {
	t.Helper()
	if _, err := pool.Exec(testContext(t), `DELETE FROM ops.leases WHERE owner = $1`, owner); err != nil {
		t.Fatal(err)
	}
}

// The log's clock is an hour ahead of Postgres's: what is due at once is due all the same,
// and only the pauses between attempts are waited for.
func TestWhatIsDueAtOnceIsDueWhateverTheClocksSay(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	w.now = time.Now().Add(time.Hour)
	w.start(0, 1, owner(0))
	w.createTest(1, 1, owner(0))
	w.deliver("dlv_1", "whk_a", owner(0))
	w.deliver("dlv_2", "whk_a", owner(0))
	w.tell(delivery.Stream("dlv_2"), delivery.RecordAttempt{Attempt: 1, StatusCode: 503, Now: w.at()}, domain.Meta{})
	fill(t, pool, worklist.Projection, w.log)
	for _, kind := range []worklist.Kind{worklist.Start, worklist.Session} {
		if items := due(t, pool, kind, 10); len(items) != 1 || !items[0].DueAt.After(time.Now()) {
			t.Errorf("of kind %s are due %+v, want one since the log's time", kind, items)
		}
	}
	claimed, _, err := worklist.ClaimDeliveries(testContext(t), pool, "a", 10, time.Minute, nil, nil)
	if err != nil || len(claimed) != 1 || claimed[0].Stream != "delivery-dlv_1" {
		t.Errorf("claimed %+v: %v; want the delivery that has not been attempted", claimed, err)
	}
}

// A long queue of one organization, or to one endpoint, is not worked off before the others
// have had their turn.
func TestDeliveriesTakeTurns(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), past()
	schedule := func(n int, endpoint string, meta domain.Meta) {
		for i := range n {
			w.deliver(fmt.Sprintf("dlv_%s%d", endpoint, i), endpoint, meta)
		}
	}
	schedule(6, "a", owner(0))
	schedule(3, "b", owner(0))
	schedule(2, "c", owner(1))
	fill(t, pool, worklist.Projection, w.log)
	for _, want := range []string{"a0 c0 b0 c1 a1", "a2 b1 a3 b2 a4", "a5"} {
		claimed, _, err := worklist.ClaimDeliveries(testContext(t), pool, "w", 5, time.Minute, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range claimed {
			got = append(got, strings.TrimPrefix(d.Stream, "delivery-dlv_"))
		}
		same(t, "turns", want, strings.Join(got, " "))
	}
}

// TestNoticesAreTriedAgainByTheLogsClock, whatever that of who has tried says.
func TestNoticesAreTriedAgainByTheLogsClock(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), past()
	stream := notice.Stream("ntc_1")
	w.tell(stream, notice.Request{Notice: notice.Requested{
		NoticeID: "ntc_1", WebhookID: "whk_a", OrganizationID: owner(0).OrganizationID, Environment: domain.Live, At: w.at(),
	}}, owner(0))
	w.tell(stream, notice.RecordAttempt{Attempt: 1, Error: "unreachable", Now: domain.At(w.now.Add(24 * time.Hour))}, owner(0))
	fill(t, pool, worklist.Projection, w.log)
	if items := due(t, pool, worklist.Notice, 10); len(items) != 1 || items[0].Attempt != 1 {
		t.Errorf("an hour after its first try %+v is due", items)
	}
}

func TestListIsTheWorklistOfOneKind(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), past()
	w.start(0, 2, owner(0))
	w.start(1, 1, owner(2))
	fill(t, pool, worklist.Projection, w.log)
	positions := projections.NewPositions()
	list := worklist.List{DB: pool, Positions: positions, Kind: worklist.Session, Environment: domain.Sandbox}
	items, err := list.Due(testContext(t), 10)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "due", []string{w.sessionOf(1, 0)}, streamsOf(items))
	positions.Advance("worklist", 12)
	if err := list.WaitFor(testContext(t), 12); err != nil {
		t.Error(err)
	}
}

// TestComparisonsWaitForBothTests, whichever ends first and whether before or
// after the comparison began.
func TestComparisonsWaitForBothTests(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]struct{ before, after []int }{
		"both afterwards":  {nil, []int{0, 1}},
		"the other first":  {nil, []int{1, 0}},
		"one before":       {[]int{0}, []int{1}},
		"both had ended":   {[]int{0, 1}, nil},
		"one of the other": {[]int{1}, []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool, w := pgtest.Pool(t), past()
			w.start(0, 1, owner(0))
			w.start(1, 1, owner(0))
			told := 0
			waiting := func() int {
				fill(t, pool, worklist.Projection, w.log[told:])
				told = len(w.log)
				return len(due(t, pool, worklist.Compare, 10))
			}
			cancel := func(i int) {
				w.tell(testrun.Stream(testID(i)), testrun.Cancel{Now: w.at()}, owner(0))
			}
			for _, i := range ends.before {
				cancel(i)
			}
			stream := comparison.Stream("cmp_1")
			w.tell(stream, comparing("cmp_1", owner(0), testID(0), testID(1), "", w.at()), owner(0))
			for i, ending := range ends.after {
				if n := waiting(); n != 0 {
					t.Errorf("%d on the list before ending %d", n, i)
				}
				cancel(ending)
			}
			if n := waiting(); n != 1 {
				t.Errorf("%d on the list after both ended", n)
			}
			w.tell(stream, comparison.Fail{Code: comparison.TestCancelled, Now: w.at()}, owner(0))
			if n := waiting(); n != 0 {
				t.Errorf("%d on the list after the comparison ended", n)
			}
		})
	}
}
