package testrun_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/testrun"
)

var start = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

// at is a moment, in seconds after the test's creation.
func at(seconds int) domain.Time { return domain.At(start.Add(time.Duration(seconds) * time.Second)) }

func created(sessions int) testrun.Created {
	return testrun.Created{
		TestID: "test_1", OrganizationID: "org_1", Environment: domain.Live,
		URL: "https://shop.example/", Task: "buy a lamp", Sessions: sessions, Model: "forager-2",
		Personas: testrun.Personas{Source: "auto-diverse"}, Criteria: []string{"task_completion"},
		Viewports: []string{"desktop"}, Seed: 7, MaxSteps: 25, Replays: testrun.Off,
		Gate: testrun.Gate{Threshold: 0.7}, CreatedAt: at(0), EstimatedCompletion: at(60),
	}
}

// create is the command that created is the fact of.
func create(sessions int) testrun.Create {
	c := created(sessions)
	return testrun.Create{
		TestID: c.TestID, OrganizationID: c.OrganizationID, Environment: c.Environment,
		Wish: testrun.Wish{
			URL: c.URL, Task: c.Task, Sessions: sessions, Model: c.Model, Personas: c.Personas,
			Criteria: c.Criteria, Viewports: c.Viewports, Seed: c.Seed, MaxSteps: c.MaxSteps, Replays: c.Replays,
		},
		Models: []string{"forager-2", "openai/some"}, Now: c.CreatedAt, EstimatedCompletion: c.EstimatedCompletion,
	}
}

func started(sessions int) testrun.Started {
	return testrun.Started{URL: "https://shop.example/", Task: "buy a lamp", SessionsTotal: sessions, At: at(1)}
}

func id(index int) string { return fmt.Sprintf("ses_%d", index) }

// ends is the command, ended the fact, that a session has ended, index+10
// seconds after the creation.
func ends(index int, usable bool) testrun.RecordSessionEnd {
	return testrun.RecordSessionEnd{SessionID: id(index), Index: index, Usable: usable, Now: at(10 + index)}
}

func ended(index int, usable bool) testrun.SessionEnded {
	return testrun.SessionEnded{SessionID: id(index), Index: index, Usable: usable, At: at(10 + index)}
}

func progressed(completed, total, percent, seconds int) testrun.Progressed {
	return testrun.Progressed{SessionsCompleted: completed, SessionsTotal: total, Percent: percent, At: at(seconds)}
}

func finished(completed, failed, seconds int) testrun.SessionsFinished {
	return testrun.SessionsFinished{SessionsCompleted: completed, SessionsFailed: failed, At: at(seconds)}
}

var (
	score = 0.65
	judge = testrun.Complete{
		ReportID: "rep_1", AggregateScores: map[string]float64{"task_completion": 0.65, "overall": 0.65},
		Passed: false, Score: &score, FailedCriteria: []string{"task_completion", "overall"}, Now: at(90),
	}
	judged = testrun.GateJudged{
		Passed: false, Threshold: 0.7, Score: &score,
		FailedCriteria: []string{"task_completion", "overall"}, ReportID: "rep_1", At: at(90),
	}
	completed = testrun.Completed{
		URL: "https://shop.example/", Task: "buy a lamp",
		SessionsTotal: 1, SessionsCompleted: 1, DurationSeconds: 90,
		AggregateScores: map[string]float64{"task_completion": 0.65, "overall": 0.65},
		GateThreshold:   0.7, ReportID: "rep_1", At: at(90),
	}
	unreachable = testrun.Failed{Code: "target_unreachable", Message: "no such host", SessionsTotal: 3, At: at(2)}
)

func tooMany(completed, failed, total, seconds int) testrun.Failed {
	return testrun.Failed{
		Code:              "too_many_sessions_failed",
		Message:           "fewer than half of the sessions could be carried out, so no score would speak for the page",
		SessionsCompleted: completed, SessionsFailed: failed, SessionsTotal: total, At: at(seconds),
	}
}

type (
	fact   = domaintest.Case[testrun.Command, testrun.Event]
	events = []testrun.Event
)

func TestCreateAndStart(t *testing.T) {
	t.Parallel()
	other := create(3)
	other.TestID = "test_2"
	domaintest.Run(t, testrun.Decider, []fact{
		{Name: "created", When: create(3), Then: events{created(3)}},
		{Name: "created again", Given: events{created(3)}, When: create(3)},
		{Name: "another test on the same stream", Given: events{created(3)}, When: other, Refused: domain.CodeConflict},
		{Name: "started once the target answers", Given: events{created(3)}, When: testrun.Start{Now: at(1)}, Then: events{started(3)}},
		{Name: "started again", Given: events{created(3), started(3)}, When: testrun.Start{Now: at(2)}},
		{Name: "started too late", Given: events{created(3), unreachable}, When: testrun.Start{Now: at(2)}},
		{
			Name: "the target cannot be reached", Given: events{created(3)},
			When: testrun.Fail{Code: testrun.TargetUnreachable, Message: "no such host", Now: at(2)}, Then: events{unreachable},
		},
		{Name: "failed again", Given: events{created(3), unreachable}, When: testrun.Fail{Code: testrun.ReportFailed, Now: at(3)}},
		{Name: "start of nothing", When: testrun.Start{Now: at(1)}, Refused: domain.CodeNotFound},
		{Name: "cancellation of nothing", When: testrun.Cancel{Now: at(1)}, Refused: domain.CodeNotFound},
		{Name: "an ending for nothing", When: ends(0, true), Refused: domain.CodeNotFound},
	})
}

func TestEndingsAreCountedOnce(t *testing.T) {
	t.Parallel()
	two := events{created(3), started(3), ended(1, true), progressed(1, 3, 33, 11)}
	domaintest.Run(t, testrun.Decider, []fact{
		{
			Name: "the first third", Given: events{created(3), started(3)}, When: ends(1, true),
			Then: events{ended(1, true), progressed(1, 3, 33, 11)},
		},
		{Name: "the same one again", Given: two, When: ends(1, true)},
		{Name: "the same one with another outcome", Given: two, When: ends(1, false)},
		{
			Name: "the second third, failed", Given: two, When: ends(2, false),
			Then: events{ended(2, false), progressed(2, 3, 66, 12)},
		},
		{
			Name: "the last one", Given: append(two[:4:4], ended(2, false), progressed(2, 3, 66, 12)), When: ends(0, true),
			Then: events{ended(0, true), progressed(3, 3, 100, 10), finished(3, 1, 10)},
		},
		{
			Name: "several at once, one of them again", Given: two,
			When: testrun.RecordSessionEnds{Ends: []testrun.RecordSessionEnd{ends(1, true), ends(2, false), ends(2, false), ends(0, true)}},
			Then: events{ended(2, false), progressed(2, 3, 66, 12), ended(0, true), progressed(3, 3, 100, 10), finished(3, 1, 10)},
		},
		{
			Name: "several at once, one above the last", Given: two,
			When: testrun.RecordSessionEnds{Ends: []testrun.RecordSessionEnd{ends(0, true), ends(3, true)}}, Refused: domain.CodeConflict,
		},
		{Name: "an index below the first", Given: two, When: ends(-1, true), Refused: domain.CodeConflict},
		{Name: "an index above the last", Given: two, When: ends(3, true), Refused: domain.CodeConflict},
		{
			Name: "a session that ends after the cancellation", Given: append(two[:4:4], testrun.Cancelled{SessionsCompleted: 1, SessionsTotal: 3, At: at(20)}),
			When: ends(0, true),
		},
	})
}

func TestTooManySessionsFailed(t *testing.T) {
	t.Parallel()
	domaintest.Run(t, testrun.Decider, []fact{
		{
			Name: "the only session failed", Given: events{created(1), started(1)}, When: ends(0, false),
			Then: events{ended(0, false), progressed(1, 1, 100, 10), tooMany(1, 1, 1, 10)},
		},
		{
			Name: "one of two is half", Given: events{created(2), started(2), ended(0, false), progressed(1, 2, 50, 10)}, When: ends(1, true),
			Then: events{ended(1, true), progressed(2, 2, 100, 11), finished(2, 1, 11)},
		},
		{
			Name:  "one of three is less than half",
			Given: events{created(3), started(3), ended(0, false), progressed(1, 3, 33, 10), ended(1, true), progressed(2, 3, 66, 11)},
			When:  ends(2, false),
			Then:  events{ended(2, false), progressed(3, 3, 100, 12), tooMany(3, 2, 3, 12)},
		},
		{
			Name:  "two of three are enough",
			Given: events{created(3), started(3), ended(0, false), progressed(1, 3, 33, 10), ended(1, true), progressed(2, 3, 66, 11)},
			When:  ends(2, true),
			Then:  events{ended(2, true), progressed(3, 3, 100, 12), finished(3, 1, 12)},
		},
	})
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	awaited := events{created(1), started(1), ended(0, true), progressed(1, 1, 100, 10), finished(1, 0, 10)}
	reportFailed := testrun.Failed{Code: testrun.ReportFailed, Message: "no space", SessionsCompleted: 1, SessionsTotal: 1, At: at(30)}
	domaintest.Run(t, testrun.Decider, []fact{
		{Name: "judged and completed at once", Given: awaited, When: judge, Then: events{judged, completed}},
		{Name: "completed again", Given: append(awaited[:5:5], judged, completed), When: judge},
		{Name: "before the last session", Given: awaited[:2], When: judge, Refused: domain.CodeWrongState},
		{
			Name: "no report could be built", Given: awaited,
			When: testrun.Fail{Code: testrun.ReportFailed, Message: "no space", Now: at(30)}, Then: events{reportFailed},
		},
		{Name: "a report that comes after the failure", Given: append(awaited[:5:5], reportFailed), When: judge},
		{
			Name:  "a report that comes after the cancellation",
			Given: append(awaited[:5:5], testrun.Cancelled{SessionsCompleted: 1, SessionsTotal: 1, At: at(30)}), When: judge,
		},
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	running := events{created(3), started(3), ended(1, false), progressed(1, 3, 33, 11)}
	cancelled := testrun.Cancelled{SessionsCompleted: 1, SessionsFailed: 1, SessionsTotal: 3, At: at(20)}
	done := events{created(1), started(1), ended(0, true), progressed(1, 1, 100, 10), finished(1, 0, 10), judged, completed}
	domaintest.Run(t, testrun.Decider, []fact{
		{
			Name: "before it started", Given: running[:1], When: testrun.Cancel{Now: at(1)},
			Then: events{testrun.Cancelled{SessionsTotal: 3, At: at(1)}},
		},
		{Name: "running", Given: running, When: testrun.Cancel{Now: at(20)}, Then: events{cancelled}},
		{Name: "again", Given: append(running[:4:4], cancelled), When: testrun.Cancel{Now: at(30)}},
		{
			Name: "while the report is being built", Given: done[:5], When: testrun.Cancel{Now: at(20)},
			Then: events{testrun.Cancelled{SessionsCompleted: 1, SessionsTotal: 1, At: at(20)}},
		},
		{Name: "completed", Given: done, When: testrun.Cancel{Now: at(99)}, Refused: domain.CodeWrongState},
		{Name: "failed", Given: events{created(3), unreachable}, When: testrun.Cancel{Now: at(9)}, Refused: domain.CodeWrongState},
	})
}

func TestArchive(t *testing.T) {
	t.Parallel()
	failed := events{created(3), unreachable}
	keep := testrun.Archive{Name: "test_1.export.gz", SHA256: "ab", Events: 2, Streams: 1, Now: at(500)}
	kept := testrun.Archived{Archive: "test_1.export.gz", SHA256: "ab", Events: 2, Streams: 1, At: at(500)}
	other := keep
	other.SHA256 = "cd"
	domaintest.Run(t, testrun.Decider, []fact{
		{Name: "ended", Given: failed, When: keep, Then: events{kept}},
		{Name: "cancelled", Given: events{created(3), testrun.Cancelled{SessionsTotal: 3, At: at(5)}}, When: keep, Then: events{kept}},
		{Name: "in another file", Given: append(failed, kept), When: other},
		{Name: "running", Given: events{created(3), started(3)}, When: keep, Refused: domain.CodeWrongState},
		{Name: "never made", When: keep, Refused: domain.CodeNotFound},
	})
}

func TestCancellationFreezesTheCounters(t *testing.T) {
	t.Parallel()
	frozen := domaintest.For(t, testrun.Decider).
		Given(created(3), started(3), ended(1, false), progressed(1, 3, 33, 11)).
		When(testrun.Cancel{Now: at(20)}).
		Then(testrun.Cancelled{SessionsCompleted: 1, SessionsFailed: 1, SessionsTotal: 3, At: at(20)}).
		When(ends(0, true)).Then().
		When(ends(2, false)).Then().
		State()
	if frozen.Status != testrun.StatusCancelled || frozen.Ended != 1 || frozen.Failed != 1 {
		t.Fatalf("status %s, ended %d, failed %d; want cancelled, 1, 1", frozen.Status, frozen.Ended, frozen.Failed)
	}
}

// run ends all sessions of a test in an order and gives the percents told.
func run(t testing.TB, order []int, usable func(index int) bool) (percents []int, last []testrun.Event) {
	t.Helper()
	n := len(order)
	state := testrun.Decider.Fold(testrun.Decider.Initial, events{created(n), started(n)})
	for k, index := range order {
		yielded, err := testrun.Decider.Decide(state, ends(index, usable(index)))
		if err != nil {
			t.Fatal(err)
		}
		state = testrun.Decider.Fold(state, yielded)
		for _, e := range yielded {
			if p, ok := e.(testrun.Progressed); ok {
				percents = append(percents, p.Percent)
				if p.SessionsCompleted != k+1 || p.SessionsTotal != n {
					t.Fatalf("progress tells %d of %d after %d of %d", p.SessionsCompleted, p.SessionsTotal, k+1, n)
				}
			}
		}
		last = yielded
	}
	return percents, last
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

func TestProgressAtEveryTenth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sessions int
		percents []int
	}{
		{1, []int{100}},
		{3, []int{33, 66, 100}},
		{7, []int{14, 28, 42, 57, 71, 85, 100}},
		{10, []int{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}},
		{11, []int{18, 27, 36, 45, 54, 63, 72, 81, 90, 100}},
		{25, []int{12, 20, 32, 40, 52, 60, 72, 80, 92, 100}},
		{1000, []int{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}},
	} {
		percents, last := run(t, inOrder(c.sessions), func(int) bool { return true })
		if diff := cmp.Diff(c.percents, percents); diff != "" {
			t.Errorf("%d sessions (-want +got):\n%s", c.sessions, diff)
		}
		types := make([]string, len(last))
		for i, e := range last {
			types[i] = e.EventType()
		}
		want := []string{"testrun.session_ended.v1", "testrun.progressed.v1", "testrun.sessions_finished.v1"}
		if diff := cmp.Diff(want, types); diff != "" {
			t.Errorf("the last ending of %d sessions (-want +got):\n%s", c.sessions, diff)
		}
	}
}

// Whatever the order and the outcome of the endings, progress is told at the
// same steps: wherever another tenth of all sessions is full.
func TestProgressDoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(rt, "sessions")
		order := rapid.Permutation(inOrder(n)).Draw(rt, "order")
		failing := rapid.SliceOfN(rapid.Bool(), n, n).Draw(rt, "failing")
		var want []int
		for tenth := 1; tenth <= 10; tenth++ {
			full := (tenth*n + 9) / 10 // the first count of sessions that fills it
			if p := 100 * full / n; len(want) == 0 || want[len(want)-1] != p {
				want = append(want, p)
			}
		}
		percents, last := run(t, order, func(i int) bool { return !failing[i] })
		if diff := cmp.Diff(want, percents); diff != "" {
			rt.Fatalf("%d sessions (-want +got):\n%s", n, diff)
		}
		usable := 0
		for _, f := range failing {
			if !f {
				usable++
			}
		}
		_, failed := last[len(last)-1].(testrun.Failed)
		if failed != (usable < n-usable) {
			rt.Fatalf("%d of %d usable: failed is %t", usable, n, failed)
		}
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	moment := rapid.Map(rapid.IntRange(0, 1000), at)
	domaintest.Laws(t, testrun.Decider, rapid.Custom(func(t *rapid.T) testrun.Command {
		switch rapid.IntRange(0, 13).Draw(t, "command") {
		case 0:
			return create(rapid.SampledFrom([]int{1, 3, 70}).Draw(t, "sessions"))
		case 1:
			return testrun.Start{Now: moment.Draw(t, "now")}
		case 2:
			return testrun.Complete{ReportID: "rep_1", Passed: rapid.Bool().Draw(t, "passed"), Now: moment.Draw(t, "now")}
		case 3:
			return testrun.Fail{Code: testrun.ReportFailed, Now: moment.Draw(t, "now")}
		case 4:
			return testrun.Cancel{Now: moment.Draw(t, "now")}
		case 5:
			return testrun.Archive{Name: "test_1.export.gz", Now: moment.Draw(t, "now")}
		}
		return ends(rapid.IntRange(-1, 3).Draw(t, "index"), rapid.Bool().Draw(t, "usable"))
	}))
}

func TestEvolveIsTotal(t *testing.T) {
	t.Parallel()
	domaintest.Total(t, testrun.Decider, testrun.Catalogue)
}

// A record may claim what no command could have asked for.
func TestAbsurdCountsAreTakenIn(t *testing.T) {
	t.Parallel()
	d := testrun.Decider
	for _, sessions := range []int{math.MinInt, -1, 0, 1 << 21, math.MaxInt} {
		state := d.Fold(d.Initial, []testrun.Event{created(sessions), ended(5, true), ended(math.MaxInt/2, true), ended(-1, true)})
		counted := sessions > 5
		if state.HasEnded(5) != counted || (state.Ended == 1) != counted || state.HasEnded(math.MaxInt/2) {
			t.Errorf("of %d sessions %d have ended", sessions, state.Ended)
		}
		if events, err := d.Decide(state, ends(1<<20, true)); domain.CodeOf(err) != domain.CodeConflict {
			t.Errorf("%d sessions, the end of number 1<<20: %v %v, want a refusal", sessions, events, err)
		}
	}
}

func TestEventsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	domaintest.RoundTrips(t, testrun.Catalogue)
}
