package projections_test

import (
	"encoding/json"
	"slices"
	"testing"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections/timeline"
)

// endings tells at which messages of the first test its stream may be closed.
func endings(t *testing.T, w *world) (all []timeline.Stored, ended []string) {
	t.Helper()
	pool := pgtest.Pool(t)
	fill(t, pool, timeline.Projection, w.log)
	all, err := timeline.After(testContext(t), pool, testID(0), -1, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		over, err := timeline.Ended(testContext(t), pool, []string{testID(0), testID(9)}, m.Position)
		if err != nil {
			t.Fatal(err)
		}
		yes := slices.Equal(over, []string{testID(0)})
		if yes {
			ended = append(ended, m.Type)
		}
		if yes && !timeline.MayEnd(m.Type) {
			t.Errorf("%s ended the test, and MayEnd denies it", m.Type)
		}
	}
	return all, ended
}

func typesOf(all []timeline.Stored) []string {
	out := make([]string, len(all))
	for i, m := range all {
		out[i] = m.Type
	}
	return out
}

func TestTimelineOfACompletedTest(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.start(0, 1, owner(0))
	w.start(1, 1, owner(0)) // its messages are not among those of test 0
	s := w.sessionOf(0, 0)
	w.claim(s)
	w.tell(s, session.RecordStep{
		Attempt: 1, Now: w.at(), Step: session.Step{Index: 0, Thought: "There is the lamp.", Signals: []session.Signal{}},
		Screenshot: &session.ScreenshotTaken{Attempt: 1, Artifact: session.Artifact{ID: "art_1"}, Width: 1280, Height: 720},
	}, domain.Meta{})
	w.finish(s)
	score := 0.5
	w.tell(testrun.Stream(testID(0)), testrun.EndExamination{Now: w.at()}, owner(0))
	w.tell(testrun.Stream(testID(0)), testrun.Complete{ReportID: "rep_1", Score: &score, FailedCriteria: []string{"overall"}, Now: w.at()}, owner(0))
	all, ended := endings(t, w)
	same(t, "messages", []string{
		"test.started", "session.queued", "session.started", "session.screenshot", "session.step", "session.completed",
		"test.progress", "quality_gate.failed", "test.completed",
	}, typesOf(all))
	same(t, "it ends with", []string{"test.completed"}, ended)

	var m struct {
		Type      string         `json:"type"`
		TestID    string         `json:"test_id"`
		SessionID string         `json:"session_id"`
		Position  uint64         `json:"position"`
		Timestamp string         `json:"timestamp"`
		Data      map[string]any `json:"data"`
	}
	if err := json.Unmarshal(all[4].JSON, &m); err != nil {
		t.Fatal(err)
	}
	if session.Stream(m.SessionID) != s || m.TestID != testID(0) || m.Position != all[4].Position || m.Type != "session.step" ||
		m.Data["thought"] != "There is the lamp." {
		t.Errorf("the step is told as %s", all[4].JSON)
	}
}

func TestTimelineIsReadFromAPositionOn(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	w.start(0, 5, owner(0))
	fill(t, pool, timeline.Projection, w.log)
	all, err := timeline.After(testContext(t), pool, testID(0), -1, 1000)
	if err != nil || len(all) != 6 {
		t.Fatalf("%d messages, want 6: %v", len(all), err)
	}
	rest, err := timeline.After(testContext(t), pool, testID(0), int64(all[2].Position), 2)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "two after the third", all[3:5], rest)
	if none, err := timeline.After(testContext(t), pool, testID(0), int64(all[5].Position), 10); err != nil || len(none) > 0 {
		t.Errorf("after the last one: %v %v", none, err)
	}
}

func TestTimelineIsFollowedForManyTests(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	empty := pgtest.Pool(t)
	fill(t, empty, timeline.Projection, nil)
	if last, err := timeline.Last(testContext(t), empty); err != nil || last != -1 {
		t.Errorf("nothing recorded: the last position is %d: %v", last, err)
	}
	for n := range 3 {
		w.start(n, 2, owner(n))
	}
	fill(t, pool, timeline.Projection, w.log)
	var all []timeline.Stored
	for n := range 3 {
		of, err := timeline.After(testContext(t), pool, testID(n), -1, 1000)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, of...)
	}
	slices.SortFunc(all, func(a, b timeline.Stored) int { return int(a.Position) - int(b.Position) })
	last, err := timeline.Last(testContext(t), pool)
	if err != nil || last != int64(all[len(all)-1].Position) {
		t.Errorf("the last position is %d, want %d: %v", last, all[len(all)-1].Position, err)
	}
	between := func(after, upTo int64, limit int, tests ...string) []timeline.Stored {
		t.Helper()
		out, err := timeline.Between(testContext(t), pool, after, upTo, tests, limit)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	same(t, "of all tests", all, between(-1, last, 1000))
	same(t, "after the second, up to the fifth", all[2:5], between(int64(all[1].Position), int64(all[4].Position), 1000))
	same(t, "two of them", all[2:4], between(int64(all[1].Position), last, 2))
	two := slices.DeleteFunc(slices.Clone(all), func(m timeline.Stored) bool { return m.TestID == testID(1) })
	same(t, "of two tests", two, between(-1, last, 1000, testID(0), testID(2)))
}

func TestTimelineOfACancelledTestEndsWithItsLastSession(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.createTest(0, 4, owner(0))
	w.tell(testrun.Stream(testID(0)), testrun.Start{Now: w.at()}, owner(0))
	for range 3 { // the fourth session has yet to be made
		w.next(0)
	}
	w.claim(w.sessionOf(0, 0))
	w.finishOnly(w.sessionOf(0, 0))
	w.claim(w.sessionOf(0, 1))
	w.tell(testrun.Stream(testID(0)), testrun.Cancel{Now: w.at()}, owner(0))
	w.settle()
	all, ended := endings(t, w)
	counts := map[string]int{}
	for _, m := range all {
		counts[m.Type]++
	}
	same(t, "messages", map[string]int{
		"test.started": 1, "session.queued": 4, "session.started": 2, "session.completed": 1, "test.cancelled": 1, "session.cancelled": 3,
	}, counts)
	if last := all[len(all)-1]; last.Type != "session.cancelled" {
		t.Errorf("the last message is %s", last.Type)
	}
	same(t, "it ends with", []string{"session.cancelled"}, ended)
}

// finishOnly ends a session; what follows waits.
func (w *world) finishOnly(stream string) {
	w.tell(stream, session.Complete{Result: completed(1, nil, "", w.at())}, domain.Meta{})
}

func TestTimelineOfAFailedTest(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.createTest(0, 2, owner(0))
	w.tell(testrun.Stream(testID(0)), testrun.Fail{Code: testrun.TargetUnreachable, Message: "no such host", Now: w.at()}, owner(0))
	all, ended := endings(t, w)
	same(t, "messages", []string{"test.failed"}, typesOf(all))
	same(t, "it ends with", []string{"test.failed"}, ended)
}

func TestTimelineOfACancelledTestThatNeverStarted(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.createTest(0, 2, owner(0))
	w.tell(testrun.Stream(testID(0)), testrun.Cancel{Now: w.at()}, owner(0))
	w.settle()
	all, ended := endings(t, w)
	same(t, "messages", []string{
		"test.cancelled", "session.queued", "session.cancelled", "session.queued", "session.cancelled",
	}, typesOf(all))
	if len(ended) != 1 {
		t.Errorf("it ends %d times", len(ended))
	}
}
