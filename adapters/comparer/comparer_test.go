package comparer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/adapters/comparer"
	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/domain/domaintest"
	"understudy/domain/findings"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/projections/sessions"
	"understudy/projections/worklist"
)

var (
	stream = comparison.Stream("cmp_1")
	noon   = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
)

// people is how many sessions either test has.
const people = 12

// world is two tests, test_a and test_b, whose comparison has begun, and what a
// comparer reads of them.
type world struct {
	*comparer.Comparer
	domaintest.Streams
	walked map[string][]sessions.Walked
	mu     sync.Mutex
	asked  map[string]uint64 // as of which position a test's sessions were read
	// away fails every read, full the recording of a result.
	away, full error
}

// newWorld has two tests of the same people that have completed; with B all
// reach the goal, with A the given ones. Others may end the tests differently.
func newWorld(t *testing.T, reachedA func(i int) bool, ends ...domain.Event) *world {
	t.Helper()
	w := &world{walked: map[string][]sessions.Walked{}, asked: map[string]uint64{}}
	domaintest.Serve(&w.Streams, testrun.StreamPrefix, testrun.Decider)
	domaintest.Serve(&w.Streams, comparison.StreamPrefix, comparison.Decider)
	w.Comparer = &comparer.Comparer{
		Reads: w, Commands: w, Now: func() time.Time { return noon }, Test: w.test,
		Comparison: func(_ context.Context, stream string) (domain.Recorded, error) { return w.Events(stream)[0], nil },
	}
	for i, id := range []string{"test_a", "test_b"} {
		w.Given(testrun.Stream(id), testrun.Created{
			TestID: id, URL: "https://" + id + ".example/", Task: "Buy a lamp", Sessions: people, Criteria: []string{"task_completion"}, MaxSteps: 25,
		})
		for n := range people {
			w.walked[id] = append(w.walked[id], walk(t, id, n, i == 1 || reachedA(n)))
		}
		if i < len(ends) {
			w.Given(testrun.Stream(id), ends[i])
		} else {
			w.Given(testrun.Stream(id), testrun.Completed{})
		}
	}
	w.Given(stream, comparison.Created{
		ComparisonID: "cmp_1", OrganizationID: "org_1", Task: "Buy a lamp", Criteria: []string{"task_completion"},
		A: comparison.Side{TestID: "test_a"}, B: comparison.Side{TestID: "test_b"},
	})
	return w
}

func nobody(int) bool    { return false }
func everybody(int) bool { return true }

// walk is a completed session as its read model has it.
func walk(t *testing.T, testID string, index int, succeeded bool) sessions.Walked {
	t.Helper()
	done := session.Completed{
		Attempt: 1, Outcome: "gave_up", Scores: map[string]float64{"task_completion": 0}, SimulatedMS: 9000,
		Findings: &session.Findings{SessionID: fmt.Sprint(testID, index), Succeeded: succeeded, Templates: []string{testID + ".example"}, Visits: []string{testID + ".example|Home"}},
	}
	if succeeded {
		done.Outcome, done.Scores["task_completion"] = "succeeded", 1
	} else {
		done.Findings.Outcome = "gave_up"
		done.Findings.Observations = []session.Observation{{
			Kind: findings.BrokenLink, Channel: "observed", Template: testID + ".example", PageURL: "https://" + testID + ".example/", Deterministic: true,
			Element: &session.Target{Role: "link", Name: "Buy", Selector: "a.buy"}, Consequence: "blocked",
		}}
	}
	return walked(t, testID, index, done)
}

func walked(t *testing.T, testID string, index int, end domain.Event) sessions.Walked {
	t.Helper()
	id := fmt.Sprint(testID, index)
	var row sessions.Row
	for _, e := range []domain.Event{
		// The same person is called otherwise in another test.
		session.Queued{SessionID: id, TestID: testID, Index: index, Persona: persona.Persona{ID: id, Name: id, Facets: persona.Facets{ReadingWPM: 200 + index}}, Viewport: "mobile", Seed: int64(index)},
		session.Started{Attempt: 1}, end,
	} {
		row = sessions.Fold(row, domain.Recorded{Stream: session.Stream(id), Event: e})
	}
	doc, err := json.Marshal(row.Doc)
	if err != nil {
		t.Fatal(err)
	}
	found, err := json.Marshal(row.Findings)
	if err != nil {
		t.Fatal(err)
	}
	return sessions.Walked{Index: index, Doc: doc, Findings: found}
}

func (w *world) test(_ context.Context, testID string) (state testrun.State, position uint64, _ error) {
	for _, r := range w.Events(testrun.Stream(testID)) {
		state, position = testrun.Decider.Evolve(state, r.Event.(testrun.Event)), r.Position
	}
	return state, position, nil
}

func (w *world) EachSession(_ context.Context, testID string, position uint64, fn func(sessions.Walked) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[testID] = position
	if w.away != nil {
		return w.away
	}
	for _, s := range slices.Backward(w.walked[testID]) { // in no order
		if err := fn(s); err != nil {
			return err
		}
	}
	return nil
}

// Execute refuses what the store would refuse.
func (w *world) Execute(ctx context.Context, e domain.Envelope) (uint64, error) {
	if c, ok := e.Command.(comparison.Complete); ok {
		if w.full != nil {
			return 0, w.full
		}
		if _, _, err := eventstore.NewCodec(comparison.Catalogue).Encode(comparison.Completed{Result: c.Result}); err != nil {
			return 0, err
		}
	}
	return w.Streams.Execute(ctx, e)
}

// compare does the work item of the comparison.
func (w *world) compare(t *testing.T) error {
	t.Helper()
	_, err := w.Compare(t.Context(), worklist.Item{Stream: stream, Kind: worklist.Compare})
	return err
}

// end is how the comparison ended, nil when it has not.
func (w *world) end(t *testing.T) domain.Event {
	t.Helper()
	switch all := w.Events(stream); len(all) {
	case 1:
		return nil
	case 2:
		return all[1].Event
	default:
		t.Fatalf("a comparison of %d events", len(all))
		return nil
	}
}

func TestTwoTestsAreComparedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nobody)
	for range 2 { // work is done at least once
		if err := w.compare(t); err != nil {
			t.Fatal(err)
		}
	}
	done, ok := w.end(t).(comparison.Completed)
	if !ok {
		t.Fatalf("the comparison ends with %+v", w.end(t))
	}
	r := done.Result
	if r.Design != comparison.Paired || r.Pairs != people || r.Winner == nil || *r.Winner != "b" || done.At != domain.At(noon) {
		t.Errorf("%s, %d pairs, winner %v: %s", r.Design, r.Pairs, r.Winner, r.Decision)
	}
	if r.Success.A.Succeeded != 0 || r.Success.B.Succeeded != people || r.Criteria["task_completion"].Difference.Estimate != 1 {
		t.Errorf("success %+v, scores %+v", r.Success, r.Criteria)
	}
	if len(r.Issues.Fixed) != 1 || r.Issues.Fixed[0].Kind != findings.BrokenLink || r.Issues.Fixed[0].A.Affected != people || len(r.Issues.New) > 0 {
		t.Errorf("issues %+v", r.Issues)
	}
	if len(r.Paths.A) != 1 || r.Paths.A[0].Sessions != people {
		t.Errorf("paths %+v", r.Paths)
	}
}

// Sessions are read as of the end of their test, and nothing is concluded from
// what cannot be read.
func TestAComparisonWaitsForItsSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, everybody)
	w.away = errors.New("Postgres is away")
	if err := w.compare(t); !errors.Is(err, w.away) || w.end(t) != nil {
		t.Fatalf("without its reads: %v, and then %v", err, w.end(t))
	}
	w.away = nil
	if err := w.compare(t); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"test_a", "test_b"} {
		if _, end, _ := w.test(t.Context(), id); w.asked[id] != end {
			t.Errorf("sessions of %s as of %d, want %d", id, w.asked[id], end)
		}
	}
	if done, ok := w.end(t).(comparison.Completed); !ok || done.Result.Winner != nil {
		t.Errorf("two designs alike: %+v", w.end(t))
	}
}

func TestTestsThatCannotBeCompared(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends  []domain.Event
		spoil func(t *testing.T, w *world)
		code  string
		says  string
	}{
		"A failed":        {ends: []domain.Event{testrun.Failed{Code: testrun.TargetUnreachable}}, code: comparison.TestFailed, says: "test A (test_a) failed"},
		"B failed":        {ends: []domain.Event{testrun.Completed{}, testrun.Failed{}}, code: comparison.TestFailed, says: "test B (test_b) failed"},
		"B was cancelled": {ends: []domain.Event{testrun.Completed{}, testrun.Cancelled{}}, code: comparison.TestCancelled, says: "test B (test_b) was cancelled"},
		"nobody walked to the end": {spoil: func(t *testing.T, w *world) {
			for i := range people {
				w.walked["test_b"][i] = walked(t, "test_b", i, session.Failed{Attempt: 1, Code: "browser_died"})
			}
		}, code: comparison.NothingToCompare, says: "no session of B"},
		"too large to be recorded": {spoil: func(_ *testing.T, w *world) { w.full = fmt.Errorf("append: %w", eventstore.ErrTooLarge) }, code: comparison.NothingToCompare, says: "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, everybody, c.ends...)
			if c.spoil != nil {
				c.spoil(t, w)
			}
			for range 2 {
				if err := w.compare(t); err != nil {
					t.Fatal(err)
				}
			}
			failed, ok := w.end(t).(comparison.Failed)
			if !ok || failed.Code != c.code || !strings.Contains(failed.Message, c.says) || failed.At != domain.At(noon) {
				t.Errorf("the comparison ends with %+v", w.end(t))
			}
		})
	}
}
