package reporter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/adapters/reporter"
	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/findings"
	"understudy/domain/gate"
	"understudy/domain/persona"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/projections/sessions"
	"understudy/projections/worklist"
)

const testID = "test_1"

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// world is a test whose sessions have ended, and what a reporter reads of it.
type world struct {
	*reporter.Reporter
	domaintest.Streams
	walked    []sessions.Walked
	judgement report.Judgement
	// asked are the positions that reads were asked to have reached.
	asked []uint64
	// away fails every read, readable the wait for a report to be readable, full
	// the recording of one.
	away, readable, full error
}

// completed is how many sessions of the test were carried through, the first of
// them without success; one more failed.
const completed = 3

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{judgement: report.Judgement{Means: map[string]float64{"task_completion": 0.5}, Verdict: gate.Verdict{Threshold: 0.7, FailedCriteria: []string{"task_completion"}}}}
	domaintest.Serve(&w.Streams, testrun.StreamPrefix, testrun.Decider)
	domaintest.Serve(&w.Streams, report.StreamPrefix, report.Decider)
	w.Reporter = &reporter.Reporter{
		Reads: w, Commands: w, Now: func() time.Time { return noon },
		Created:  func(context.Context, string) (domain.Recorded, error) { return w.test()[0], nil },
		Finished: func(context.Context, string) (domain.Recorded, error) { return w.finished(t), nil },
		Test: func(context.Context, string) (s testrun.State, err error) {
			for _, r := range w.test() {
				s = testrun.Decider.Evolve(s, r.Event.(testrun.Event))
			}
			return s, nil
		},
	}
	test := []domain.Event{testrun.Created{
		TestID: testID, OrganizationID: "org_1", Environment: domain.Live, Sessions: completed + 1, Criteria: []string{"task_completion", "speed"},
		Gate: testrun.Gate{Threshold: 0.7},
	}}
	for i := range completed + 1 {
		w.walked = append(w.walked, walk(t, i, i < completed, i > 0))
		test = append(test, testrun.SessionEnded{SessionID: sessionID(i), Index: i, Usable: i < completed})
	}
	w.Given(testrun.Stream(testID), append(test, testrun.SessionsFinished{SessionsCompleted: completed + 1, SessionsFailed: 1, ExamineCauses: true},
		testrun.ReplayBegun{N: 1, SessionID: sessionID(0), Kind: findings.BrokenLink, Selector: "a.prices", Template: "shop.example"}, testrun.ReplayEnded{N: 1, Result: "proven"},
		testrun.CausesExamined{Suspected: 2, Made: 1, Proven: 1})...)
	return w
}

// examination is how many events tell of the replays of the test.
const examination = 3

func sessionID(index int) string { return fmt.Sprint("ses_", index) }

// walk is a session of two steps as its read model has it.
func walk(t *testing.T, index int, completed, succeeded bool) sessions.Walked {
	t.Helper()
	events := []domain.Event{
		session.Queued{SessionID: sessionID(index), TestID: testID, Index: index, Persona: persona.Persona{Name: "Ada", Facets: persona.Facets{AgeBand: "75+"}}, Viewport: "mobile"},
		session.Started{Attempt: 1},
		session.Stepped{Attempt: 1, Step: session.Step{Index: 0, Thought: "Here I look around.", ScreenshotID: "art_0"}},
		session.Stepped{Attempt: 1, Step: session.Step{Index: 1, Thought: fmt.Sprintf("Person %c is through.", 'A'+index), ScreenshotID: "art_1"}},
	}
	outcome, score := "gave_up", 0.0
	if succeeded {
		outcome, score = "succeeded", 1
	}
	if completed {
		events = append(events, session.Completed{
			Attempt: 1, Outcome: outcome, Scores: map[string]float64{"task_completion": score, "speed": 0.9}, SimulatedMS: 9000, Steps: 2,
			Findings: &session.Findings{
				SessionID: sessionID(index), Templates: []string{"shop.example"}, Succeeded: succeeded, Outcome: outcome, Visits: []string{"shop.example|Home"},
				Observations: []session.Observation{{
					Kind: findings.BrokenLink, Channel: "observed", Template: "shop.example", PageURL: "https://shop.example/", Step: 1, Quote: "It leads nowhere.",
					Element: &session.Target{Role: "link", Name: "Prices", Selector: "a.prices", Box: session.Box{X: 1, Y: 2, W: 3, H: 4}}, Viewport: session.Size{Width: 390, Height: 844},
					Consequence: "recovered", Deterministic: true,
				}},
			},
		})
	} else {
		events = append(events, session.Failed{Attempt: 1, Code: "browser_died"})
	}
	var row sessions.Row
	for _, e := range events {
		row = sessions.Fold(row, domain.Recorded{Stream: session.Stream(sessionID(index)), Event: e})
	}
	doc, err := json.Marshal(row.Doc)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := json.Marshal(row.Trace)
	if err != nil {
		t.Fatal(err)
	}
	found, err := json.Marshal(row.Findings)
	if err != nil {
		t.Fatal(err)
	}
	return sessions.Walked{Index: index, Doc: doc, Trace: trace, Findings: found}
}

func (w *world) EachSession(_ context.Context, _ string, position uint64, fn func(sessions.Walked) error) error {
	w.asked = append(w.asked, position)
	if w.away != nil {
		return w.away
	}
	for _, s := range slices.Backward(w.walked) { // in no order
		if err := fn(s); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) Judgement(_ context.Context, _ string, position uint64) (report.Judgement, error) {
	w.asked = append(w.asked, position)
	j := w.judgement
	j.Means = maps.Clone(j.Means)
	return j, w.away
}

func (w *world) AwaitReport(_ context.Context, position uint64) error {
	w.asked = append(w.asked, position)
	return w.readable
}

// Execute refuses what the store would refuse.
func (w *world) Execute(ctx context.Context, e domain.Envelope) (uint64, error) {
	if g, ok := e.Command.(report.Generate); ok {
		if w.full != nil {
			return 0, w.full
		}
		if _, _, err := eventstore.NewCodec(report.Catalogue).Encode(g.Report); err != nil {
			return 0, err
		}
	}
	return w.Streams.Execute(ctx, e)
}

func (w *world) test() []domain.Recorded { return w.Events(testrun.Stream(testID)) }

func (w *world) finished(t *testing.T) domain.Recorded {
	t.Helper()
	for _, r := range w.test() {
		if _, ok := r.Event.(testrun.SessionsFinished); ok {
			return r
		}
	}
	t.Fatal("the sessions have not ended")
	return domain.Recorded{}
}

// complete does the work item of the report.
func (w *world) complete(t *testing.T) error {
	t.Helper()
	_, err := w.Complete(t.Context(), worklist.Item{Stream: testrun.Stream(testID), Kind: worklist.Report, TestID: testID})
	return err
}

// ends are the events after the end of the sessions.
func (w *world) ends(t *testing.T) (types []string) {
	t.Helper()
	for _, r := range w.test()[w.finished(t).Revision+1:] {
		types = append(types, r.Event.EventType())
	}
	return types[examination:]
}

// reports are those recorded, by what the test or the caller calls them.
func (w *world) reports(reportID string) (all []report.Generated) {
	for _, r := range w.Events(report.Stream(reportID)) {
		all = append(all, r.Event.(report.Generated))
	}
	return all
}

// completed is the test's last event, which has to be its completion.
func (w *world) completed(t *testing.T) testrun.Completed {
	t.Helper()
	all := w.test()
	done, ok := all[len(all)-1].Event.(testrun.Completed)
	if !ok {
		t.Fatalf("the test ends with %v", w.ends(t))
	}
	return done
}

func TestAReportIsRecordedOnceAndCompletesTheTest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end := w.finished(t)
	for range 2 { // work is done at least once
		if err := w.complete(t); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := w.ends(t), []string{"testrun.gate_judged.v1", "testrun.completed.v1"}; !slices.Equal(got, want) {
		t.Fatalf("the test ends with %v, want %v", got, want)
	}
	done := w.completed(t)
	recorded := w.reports(done.ReportID)
	if len(recorded) != 1 {
		t.Fatalf("%d reports are recorded", len(recorded))
	}
	g := recorded[0]
	d := g.Document
	if g.OrganizationID != "org_1" || g.Environment != domain.Live || g.TestID != testID || g.At != domain.At(end.Time) || d.ID != done.ReportID {
		t.Errorf("recorded as %+v", g)
	}
	if want := (report.Counts{Total: 4, Completed: 3, Succeeded: 2, Failed: 1}); d.Sessions != want {
		t.Errorf("sessions %+v, want %+v", d.Sessions, want)
	}
	// The scores and the verdict are the gate's own, not computed anew.
	if !maps.Equal(d.AggregateScores, w.judgement.Means) || d.QualityGate.Passed || done.GatePassed || !maps.Equal(done.AggregateScores, d.AggregateScores) {
		t.Errorf("scores %v, gate %+v, completed with %+v", d.AggregateScores, d.QualityGate, done)
	}
	if len(d.Issues) != 1 || len(d.Issues[0].Evidence) != 3 {
		t.Fatalf("issues %+v", d.Issues)
	}
	issue := d.Issues[0]
	if issue.Kind != findings.BrokenLink || issue.Element == nil || issue.Element.Name != "Prices" || issue.Element.Box != (report.Box{X: 1, Y: 2, W: 3, H: 4}) || issue.Frequency.Affected != 3 {
		t.Errorf("issue %+v", issue)
	}
	if want := (report.Replays{Causes: 2, Made: 1, Proven: 1}); d.Replays == nil || *d.Replays != want || issue.Proven != 1 {
		t.Errorf("replays %+v have proven the reason of %d ends", d.Replays, issue.Proven)
	}
	if e := issue.Evidence[0]; e.Quote != "It leads nowhere." || e.ScreenshotID != "art_1" || e.ViewportWidth != 390 {
		t.Errorf("evidence %+v", e)
	}
	if len(d.Facets) > 0 || d.Funnel.Pages[0].Heading != "Home" || d.Time.All.Median != 9 || len(d.Highlights) == 0 {
		t.Errorf("facets %+v, funnel %+v, times %+v, highlights %+v", d.Facets, d.Funnel, d.Time, d.Highlights)
	}
}

// What a report is built of is as of the sessions' end, and nobody is told that
// the test has completed before its report can be read.
func TestAReportWaitsForWhatItReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	away := errors.New("Postgres is away")
	w.away = away
	if err := w.complete(t); !errors.Is(err, away) || len(w.ends(t)) > 0 {
		t.Fatalf("without its reads: %v, and then %v", err, w.ends(t))
	}
	w.away, w.readable, w.asked = nil, away, nil
	if err := w.complete(t); !errors.Is(err, away) || len(w.ends(t)) > 0 {
		t.Fatalf("while the report cannot be read: %v, and then %v", err, w.ends(t))
	}
	end := w.finished(t).Position
	if want := []uint64{end, end, end + examination + 1}; !slices.Equal(w.asked, want) {
		t.Errorf("reads as of %v, want %v: the sessions' end, and the report", w.asked, want)
	}
	w.readable = nil
	if err := w.complete(t); err != nil {
		t.Fatal(err)
	}
	if n := len(w.reports(w.completed(t).ReportID)); n != 1 {
		t.Errorf("%d reports after a wait", n)
	}
}

func TestAReportThatCannotBeBuiltFailsTheTest(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(w *world){
		"a session beyond the test's": func(w *world) { w.walked[0].Index = 99 },
		"a document that is no JSON":  func(w *world) { w.walked[0].Doc = []byte(`{`) },
		"findings of another kind":    func(w *world) { w.walked[0].Findings = []byte(`[1]`) },
		"steps of another kind":       func(w *world) { w.walked[0].Trace = []byte(`"none"`) },
		"a number that no JSON has":   func(w *world) { w.judgement.Means["speed"] = math.NaN() },
		"more than an append takes":   func(w *world) { w.full = fmt.Errorf("append: %w", eventstore.ErrTooLarge) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			spoil(w)
			if err := w.complete(t); err == nil {
				t.Error("nobody is told why")
			}
			if got := w.ends(t); !slices.Equal(got, []string{"testrun.failed.v1"}) {
				t.Fatalf("the test ends with %v", got)
			}
			all := w.test()
			if f := all[len(all)-1].Event.(testrun.Failed); f.Code != testrun.ReportFailed || f.SessionsCompleted != 4 {
				t.Errorf("failed as %+v", f)
			}
			_ = w.complete(t)
			if n := len(w.ends(t)); n != 1 {
				t.Errorf("%d events after the sessions' end", n)
			}
		})
	}
}

func TestAnotherReportIsByItsOwnCriteria(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.complete(t); err != nil {
		t.Fatal(err)
	}
	before := len(w.test())
	test := w.test()[0].Event.(testrun.Created)
	for range 2 { // a request that is sent again
		if _, err := w.Another(t.Context(), uuid.NameSpaceURL, domain.Meta{}, test, "rep_2", []string{"speed"}, w.test()[before-1].Position); err != nil {
			t.Fatal(err)
		}
	}
	recorded := w.reports("rep_2")
	if len(recorded) != 1 || recorded[0].At != domain.At(noon) {
		t.Fatalf("recorded: %+v", recorded)
	}
	d := recorded[0].Document
	if _, other := d.AggregateScores["task_completion"]; other || d.AggregateScores["speed"] != 0.9 || !d.QualityGate.Passed || len(d.Issues) != 1 {
		t.Errorf("scores %v, gate %+v, %d issues", d.AggregateScores, d.QualityGate, len(d.Issues))
	}
	if len(w.test()) != before {
		t.Error("the test is told of it")
	}
}
