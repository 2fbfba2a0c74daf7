package runner

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/walk"
	"understudy/projections/sessions"
	"understudy/projections/worklist"
)

// inquest is a test of two sessions that ended for one faint button.
type inquest struct {
	stage

	test testrun.State
	did  []string
	// crash, unless "", is the event after which whoever examines is gone.
	crash string
}

func newInquest() *inquest {
	q := &inquest{stage: *newStage(domain.Live)}
	q.stage.test.Sessions, q.stage.test.Replays = 2, testrun.Safe
	for _, e := range []testrun.Event{
		q.stage.test, testrun.Started{}, testrun.SessionEnded{Index: 0, Usable: true}, testrun.SessionEnded{Index: 1, Usable: true},
		testrun.SessionsFinished{SessionsCompleted: 2, ExamineCauses: true},
	} {
		q.test = testrun.Decider.Evolve(q.test, e)
	}
	q.Runner = Runner{
		Name: "worker", Commands: q, Facts: &q.stage, Tests: q, Browser: &q.stage, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	}
	return q
}

func (q *inquest) Test(context.Context, string) (testrun.State, error) { return q.test, nil }

func (q *inquest) Finished(context.Context, string) (domain.Recorded, error) {
	return domain.Recorded{ID: uuid.Max, Position: 5, Event: testrun.SessionsFinished{}}, nil
}

func (q *inquest) EachSession(_ context.Context, _ string, _ uint64, fn func(sessions.Walked) error) error {
	for i := range 2 {
		found, err := json.Marshal(session.Findings{
			SessionID: "ses_1", Outcome: walk.GaveUp,
			Suspects: []session.Observation{{Kind: findings.LowContrast, Channel: "static", Template: "127.0.0.1:1/1", Element: &session.Target{Selector: "#buy"}}},
		})
		if err != nil {
			return err
		}
		if err := fn(sessions.Walked{Index: i, Findings: found}); err != nil {
			return err
		}
	}
	return nil
}

func (q *inquest) Execute(_ context.Context, e domain.Envelope) (uint64, error) {
	events, err := testrun.Decider.Decide(q.test, e.Command.(testrun.Command))
	for _, event := range events {
		q.test = testrun.Decider.Evolve(q.test, event)
		kind, _, _ := strings.Cut(strings.TrimPrefix(event.EventType(), "testrun."), ".")
		if q.did = append(q.did, kind); kind == q.crash {
			return 0, context.Canceled
		}
	}
	return uint64(len(q.did)), err
}

func (q *inquest) examine(t *testing.T) error {
	t.Helper()
	_, err := q.Causes(t.Context(), worklist.Item{Stream: testrun.Stream("test_1"), TestID: "test_1"})
	return err
}

func TestACauseIsReplayedOnceWhateverBecomesOfWhoExaminesIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		crash    string
		off      bool
		opened   int
		did      []string
		cutShort int
	}{
		"nothing happens":         {"", false, 1, []string{"replay_begun", "replay_ended", "causes_examined"}, 0},
		"killed before it begins": {"replay_begun", false, 0, []string{"replay_begun", "causes_examined"}, 1},
		"killed after it ended":   {"replay_ended", false, 1, []string{"replay_begun", "replay_ended", "causes_examined"}, 0},
		"switched off":            {"", true, 0, []string{"causes_examined"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newInquest()
			q.crash, q.NoReplays = c.crash, c.off
			if err := q.examine(t); (err != nil) != (c.crash != "") {
				t.Fatal(err)
			}
			if q.crash = ""; c.crash != "" {
				if err := q.examine(t); err != nil {
					t.Fatal(err)
				}
			}
			if q.opened != c.opened || q.opened != q.closed || !slices.Equal(q.did, c.did) {
				t.Errorf("%d pages were opened and %d closed: %v", q.opened, q.closed, q.did)
			}
			if e := q.test.Examined; e == nil || e.Suspected != 1 || e.CutShort != c.cutShort {
				t.Errorf("examined %+v", e)
			}
		})
	}
}

func TestACancellationEndsReplays(t *testing.T) {
	t.Parallel()
	q := newInquest()
	ctx, cancel := context.WithCancel(t.Context())
	q.look = func(int) error { cancel(); return ctx.Err() }
	if _, err := q.Causes(ctx, worklist.Item{Stream: testrun.Stream("test_1"), TestID: "test_1"}); err == nil {
		t.Error("nobody hears of it")
	}
	if q.closed != 1 || !slices.Equal(q.did, []string{"replay_begun"}) {
		t.Errorf("%d pages were closed: %v", q.closed, q.did)
	}
}
