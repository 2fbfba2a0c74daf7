package projections_test

import (
	"encoding/json"
	"testing"

	"understudy/domain"
	"understudy/domain/session"
	"understudy/projections/accounts"
	"understudy/projections/comparisons"
	"understudy/projections/deliveries"
	"understudy/projections/gates"
	"understudy/projections/personas"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/usage"
	"understudy/projections/webhooks"
)

// A fold gives a new row and leaves the one before as it was: whoever keeps
// one, such as the answer as of a moment, can rely on it.
func TestFoldsLeaveEarlierRowsAlone(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= histories; seed++ {
		log := history(seed)
		checkFold(t, log, tests.Fold)
		checkFold(t, log, sessions.Fold)
		checkFold(t, log, deliveries.Fold)
		checkFold(t, log, webhooks.Fold)
		checkFold(t, log, personas.Fold)
		checkFold(t, log, comparisons.Fold)
		checkFold(t, log, gates.Fold)
		checkFold(t, log, accounts.Fold)
		checkFold(t, log, usage.Fold)
	}
}

func checkFold[R any](t *testing.T, log []domain.Recorded, fold func(R, domain.Recorded) R) {
	t.Helper()
	text := func(r R) string {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	rows := map[string]R{}
	for _, e := range log {
		key := e.Stream
		if c, ok := e.Event.(session.Completed); ok {
			// The verdict of a test folds the ends of its sessions.
			key = "testrun-" + c.TestID
			if _, isGate := any(rows).(map[string]gates.Row); !isGate {
				key = e.Stream
			}
		}
		before := rows[key]
		was := text(before)
		rows[key] = fold(before, e)
		if now := text(before); now != was {
			t.Fatalf("%s changed the row before it:\n%s\n%s", e.Event.EventType(), was, now)
		}
	}
}

// What a walk that was taken over had shown is not part of the next one.
func TestANewAttemptBeginsTheWalkAgain(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.start(0, 1, owner(0))
	s := w.sessionOf(0, 0)
	for range 2 {
		w.claim(s)
		attempt := w.attempts[s]
		w.tell(s, session.RecordStep{
			Attempt: attempt, Now: w.at(), Step: session.Step{Index: 0, SimulatedMS: 1500, Signals: []session.Signal{}},
			Screenshot: &session.ScreenshotTaken{Attempt: attempt, Artifact: session.Artifact{ID: "art_1"}, At: w.at()},
		}, domain.Meta{})
	}
	var row sessions.Row
	for _, e := range w.log {
		if e.Stream == s {
			row = sessions.Fold(row, e)
		}
	}
	if len(row.Trace) != 1 || len(row.Evidence.Screenshots) != 1 || row.Doc.Steps != 1 || row.Doc.SimulatedSeconds != 1.5 || row.Doc.Attempt != 2 {
		t.Errorf("after a take-over: %d steps traced, %d screenshots, %+v", len(row.Trace), len(row.Evidence.Screenshots), row.Doc)
	}
}
