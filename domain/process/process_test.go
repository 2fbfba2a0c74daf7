package process_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
)

var begin = time.Date(2026, 3, 14, 9, 0, 0, 123_000_000, time.UTC)

// recorded is an event of a stream as the log holds it.
func recorded(stream string, e domain.Event) domain.Recorded {
	return domain.Recorded{
		ID: domain.DeriveUUID("event", stream, e.EventType()), Stream: stream, Revision: 3, Position: 40, Time: begin, Event: e,
		Meta: domain.Meta{
			CorrelationID: "c1", CausationID: "c0", Actor: "api", KeyID: "key_1", RequestID: "req_1",
			OrganizationID: "org_1", Environment: domain.Live, Traceparent: "00-1-2-01",
		},
	}
}

type links struct{}

func (links) ReportURL(org string, env domain.Environment, id string, at time.Time) string {
	return "https://app.example/" + org + "/" + string(env) + "/reports/" + id + at.Format("?05.000") + "&b=<2>"
}

const reportURL = "https://app.example/org_1/live/reports/rep_1?00.123&b=<2>"

// Every body that receivers get, whole: the fields of the specification and no
// others.
func TestBodies(t *testing.T) {
	t.Parallel()
	score := 0.65
	for _, c := range []struct {
		event domain.Event
		name  string
		data  string
	}{
		{
			testrun.Started{URL: "https://shop.example/?a=1&b=2", Task: "buy a <lamp>", SessionsTotal: 10},
			"test.started",
			`{"url":"https://shop.example/?a=1&b=2","task":"buy a <lamp>","sessions_total":10}`,
		},
		{
			testrun.Progressed{SessionsCompleted: 2, SessionsTotal: 3, Percent: 66},
			"test.progress",
			`{"sessions_completed":2,"sessions_total":3,"percent":66}`,
		},
		{
			testrun.GateJudged{Passed: true, Threshold: 0.6, Score: &score, FailedCriteria: []string{}, ReportID: "rep_1"},
			"quality_gate.passed",
			`{"threshold":0.6,"score":0.65,"report_url":"` + reportURL + `"}`,
		},
		{
			testrun.GateJudged{Threshold: 0.7, Score: &score, FailedCriteria: []string{"task_completion", "overall"}, ReportID: "rep_1"},
			"quality_gate.failed",
			`{"threshold":0.7,"score":0.65,"failed_criteria":["task_completion","overall"],"report_url":"` + reportURL + `"}`,
		},
		{
			testrun.GateJudged{Threshold: 0.7, ReportID: "rep_1"},
			"quality_gate.failed",
			`{"threshold":0.7,"score":0,"failed_criteria":[],"reason":"no_evidence","report_url":"` + reportURL + `"}`,
		},
		{
			testrun.Completed{
				URL: "https://shop.example/", Task: "buy", SessionsTotal: 10, SessionsCompleted: 10, SessionsFailed: 2, DurationSeconds: 94,
				AggregateScores: map[string]float64{"task_completion": 0.8, "overall": 0.75}, GatePassed: true, GateThreshold: 0.7, ReportID: "rep_1",
			},
			"test.completed",
			`{"url":"https://shop.example/","task":"buy","sessions_total":10,"sessions_completed":10,"duration_seconds":94,
			  "aggregate_scores":{"task_completion":0.8,"overall":0.75},"quality_gate":{"passed":true,"threshold":0.7},
			  "report_url":"` + reportURL + `","report_id":"rep_1"}`,
		},
		{
			testrun.Completed{URL: "https://shop.example/", Task: "buy", SessionsTotal: 1, SessionsCompleted: 1, GateThreshold: 0.7, ReportID: "rep_1"},
			"test.completed",
			`{"url":"https://shop.example/","task":"buy","sessions_total":1,"sessions_completed":1,"duration_seconds":0,
			  "aggregate_scores":{"overall":null},"quality_gate":{"passed":false,"threshold":0.7},"report_url":"` + reportURL + `","report_id":"rep_1"}`,
		},
		{
			testrun.Failed{Code: "target_unreachable", Message: "no such host", SessionsCompleted: 0, SessionsFailed: 0, SessionsTotal: 10},
			"test.failed",
			`{"reason":{"code":"target_unreachable","message":"no such host"},"sessions_completed":0,"sessions_total":10}`,
		},
	} {
		e := recorded("testrun-test_1", c.event)
		m, ok := process.Publish(e, links{})
		if !ok || m.Name != c.name || m.TestID != "test_1" {
			t.Errorf("%s is published as %q of %q: %t", c.event.EventType(), m.Name, m.TestID, ok)
			continue
		}
		out, err := process.FanOut(e, m, []process.Endpoint{{ID: "whk_1"}})
		if err != nil {
			t.Fatal(err)
		}
		got := out[0].Command.(delivery.Schedule).Delivery.Body
		want := `{"event":"` + c.name + `","test_id":"test_1","timestamp":"2026-03-14T09:00:00.123Z","data":` + c.data + `}`
		if diff := cmp.Diff(parsed(t, want), parsed(t, got)); diff != "" {
			t.Errorf("body of %s (-want +got):\n%s", c.name, diff)
		}
	}
}

func parsed(t testing.TB, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// Addresses stand in bodies as they are: some receivers compare text.
func TestBodiesDoNotEscapeAddresses(t *testing.T) {
	t.Parallel()
	e := recorded("testrun-test_1", testrun.Started{URL: "https://shop.example/?a=1&b=2", Task: "buy a lamp", SessionsTotal: 1})
	m, _ := process.Publish(e, links{})
	out, err := process.FanOut(e, m, []process.Endpoint{{ID: "whk_1"}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"event":"test.started","test_id":"test_1","timestamp":"2026-03-14T09:00:00.123Z",` +
		`"data":{"sessions_total":1,"task":"buy a lamp","url":"https://shop.example/?a=1&b=2"}}`
	if got := out[0].Command.(delivery.Schedule).Delivery.Body; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWhatIsNotPublished(t *testing.T) {
	t.Parallel()
	for stream, e := range map[string]domain.Event{
		"testrun-a":  testrun.Created{TestID: "a"},
		"testrun-b":  testrun.SessionEnded{},
		"testrun-c":  testrun.SessionsFinished{},
		"testrun-d":  testrun.Cancelled{},
		"session-e":  session.Completed{TestID: "a"},
		"delivery-f": delivery.Delivered{},
		"webhook-g":  webhook.Disabled{},
		"testrun-h":  domain.Unknown{Type: "testrun.renamed.v1"},
	} {
		if m, ok := process.Publish(recorded(stream, e), links{}); ok {
			t.Errorf("%s is published as %s", e.EventType(), m.Name)
		}
	}
}

// Each name that an endpoint can subscribe to is published by some event, and
// nothing else is.
func TestPublishedNamesAreTheSubscribableOnes(t *testing.T) {
	t.Parallel()
	published := map[string]bool{}
	for _, e := range []domain.Event{
		testrun.Started{}, testrun.Progressed{}, testrun.GateJudged{}, testrun.GateJudged{Passed: true}, testrun.Completed{}, testrun.Failed{},
	} {
		m, _ := process.Publish(recorded("testrun-a", e), links{})
		published[m.Name] = true
	}
	want := map[string]bool{}
	for _, name := range webhook.Names {
		want[name] = true
	}
	if diff := cmp.Diff(want, published); diff != "" {
		t.Errorf("names (-subscribable +published):\n%s", diff)
	}
}

func TestFanOut(t *testing.T) {
	t.Parallel()
	e := recorded("testrun-test_1", testrun.Progressed{SessionsCompleted: 1, SessionsTotal: 3, Percent: 33})
	m, _ := process.Publish(e, links{})
	endpoints := []process.Endpoint{{ID: "whk_1"}, {ID: "whk_2", Disabled: true}}
	out, err := process.FanOut(e, m, endpoints)
	if err != nil {
		t.Fatal(err)
	}
	if len(out) != 2 {
		t.Fatalf("%d deliveries, want 2", len(out))
	}
	ids := map[string]bool{}
	for i, command := range out {
		schedule := command.Command.(delivery.Schedule)
		d := schedule.Delivery
		ids[d.DeliveryID] = true
		if !domain.ValidID(domain.PrefixDelivery, d.DeliveryID) || command.Stream != delivery.Stream(d.DeliveryID) {
			t.Errorf("delivery %q on stream %q", d.DeliveryID, command.Stream)
		}
		want := delivery.Schedule{Delivery: delivery.Scheduled{
			DeliveryID: d.DeliveryID, WebhookID: endpoints[i].ID, OrganizationID: "org_1", Environment: domain.Live,
			EventName: "test.progress", TestID: "test_1", Body: d.Body, At: domain.At(begin),
		}}
		if endpoints[i].Disabled {
			want.SkipReason = "disabled"
		}
		if diff := cmp.Diff(want, schedule); diff != "" {
			t.Errorf("delivery %d (-want +got):\n%s", i, diff)
		}
		caused := domain.Meta{
			CorrelationID: "c1", CausationID: e.ID.String(), Actor: "process",
			OrganizationID: "org_1", Environment: domain.Live, Traceparent: "00-1-2-01",
		}
		if diff := cmp.Diff(caused, command.Meta); diff != "" {
			t.Errorf("metadata (-want +got):\n%s", diff)
		}
	}
	if len(ids) != 2 || out[0].ID == out[1].ID {
		t.Errorf("deliveries share an identity: %v", ids)
	}
	if none, err := process.FanOut(e, m, nil); err != nil || len(none) > 0 {
		t.Errorf("nobody is subscribed, and yet: %v %v", none, err)
	}
}

// What is decided on a redelivered event is the very same command, so that the
// store writes nothing twice; another event gives other commands.
func TestRedeliveryRepeatsTheSameCommands(t *testing.T) {
	t.Parallel()
	test := created(t, 3, "desktop")
	react := func(e domain.Recorded) (out []domain.Envelope) {
		cast, err := process.NewCast(test.Event.(testrun.Created))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			out = append(out, cast.QueueSession(i, test, e), cast.CancelSession(i, test, e))
		}
		if m, ok := process.Publish(e, links{}); ok {
			deliveries, err := process.FanOut(e, m, []process.Endpoint{{ID: "whk_1"}, {ID: "whk_2"}})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, deliveries...)
		}
		for _, count := range []func(domain.Recorded) (domain.Envelope, bool){process.CountEnding, process.CountDelivery} {
			if command, ok := count(e); ok {
				out = append(out, command)
			}
		}
		return out
	}
	seen := map[uuid.UUID]bool{}
	total := 0
	for _, e := range []domain.Recorded{
		recorded("testrun-test_1", testrun.Started{SessionsTotal: 3}),
		recorded("testrun-test_1", testrun.Completed{ReportID: "rep_1"}),
		recorded("session-ses_1", session.Completed{TestID: "test_1", Index: 1}),
		recorded("session-ses_1", session.Failed{TestID: "test_1", Index: 2}),
		recorded("delivery-dlv_1", delivery.Abandoned{WebhookID: "whk_1"}),
	} {
		first, again := react(e), react(e)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("%s redelivered (-first +again):\n%s", e.Event.EventType(), diff)
		}
		for _, command := range first {
			seen[command.ID] = true
			total++
		}
	}
	if len(seen) != total {
		t.Errorf("%d commands have %d ids", total, len(seen))
	}
}

func TestCountEnding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		event domain.Event
		want  *testrun.RecordSessionEnd
	}{
		{session.Completed{TestID: "test_1", Index: 4}, &testrun.RecordSessionEnd{SessionID: "ses_1", Index: 4, Usable: true, Now: domain.At(begin)}},
		{session.Failed{TestID: "test_1", Index: 4}, &testrun.RecordSessionEnd{SessionID: "ses_1", Index: 4, Now: domain.At(begin)}},
		// A cancelled session belongs to a test that is over.
		{session.Cancelled{TestID: "test_1", Index: 4}, nil},
		{session.Started{TestID: "test_1"}, nil},
	} {
		got, ok := process.CountEnding(recorded("session-ses_1", c.event))
		if ok != (c.want != nil) {
			t.Errorf("%s counts: %t", c.event.EventType(), ok)
			continue
		}
		if !ok {
			continue
		}
		if got.Stream != "testrun-test_1" {
			t.Errorf("%s is told to %s", c.event.EventType(), got.Stream)
		}
		if diff := cmp.Diff(*c.want, got.Command); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.event.EventType(), diff)
		}
	}
}

func TestEndingsOfATestAreCountedTogether(t *testing.T) {
	t.Parallel()
	ending := func(stream, testID string, index int) domain.Recorded {
		return recorded("session-"+stream, session.Completed{TestID: testID, Index: index})
	}
	events := []domain.Recorded{
		ending("ses_1", "test_1", 4), ending("ses_2", "test_2", 0), recorded("session-ses_3", session.Started{TestID: "test_1"}),
		ending("ses_4", "test_1", 2), ending("ses_5", "test_1", 7),
	}
	got := process.CountEndings(events)
	end := func(id string, index int) testrun.RecordSessionEnd {
		return testrun.RecordSessionEnd{SessionID: id, Index: index, Usable: true, Now: domain.At(begin)}
	}
	want := map[string]testrun.Command{
		"testrun-test_1": testrun.RecordSessionEnds{Ends: []testrun.RecordSessionEnd{end("ses_1", 4), end("ses_4", 2), end("ses_5", 7)}},
		"testrun-test_2": end("ses_2", 0),
	}
	if len(got) != len(want) {
		t.Fatalf("%d commands for %d tests", len(got), len(want))
	}
	for _, command := range got {
		if diff := cmp.Diff(want[command.Stream], command.Command); diff != "" {
			t.Errorf("%s (-want +got):\n%s", command.Stream, diff)
		}
	}
	if diff := cmp.Diff(got, process.CountEndings(events)); diff != "" {
		t.Errorf("redelivered (-first +again):\n%s", diff)
	}
	if fewer := process.CountEndings(events[:4]); fewer[0].ID == got[0].ID {
		t.Error("two endings and three have the same command id")
	}
}

func TestCountDelivery(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		event domain.Event
		want  *webhook.RecordDelivery
	}{
		{delivery.Delivered{WebhookID: "whk_1"}, &webhook.RecordDelivery{DeliveryID: "dlv_1", Delivered: true, Now: domain.At(begin)}},
		{delivery.Abandoned{WebhookID: "whk_1"}, &webhook.RecordDelivery{DeliveryID: "dlv_1", Now: domain.At(begin)}},
		{delivery.Skipped{WebhookID: "whk_1"}, nil},
		{delivery.Attempted{Attempt: 1}, nil},
	} {
		got, ok := process.CountDelivery(recorded("delivery-dlv_1", c.event))
		if ok != (c.want != nil) {
			t.Errorf("%s counts: %t", c.event.EventType(), ok)
			continue
		}
		if !ok {
			continue
		}
		if got.Stream != "webhook-whk_1" {
			t.Errorf("%s is told to %s", c.event.EventType(), got.Stream)
		}
		if diff := cmp.Diff(*c.want, got.Command); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.event.EventType(), diff)
		}
	}
}

// TestCountDeliveries: for each endpoint in order, without what says nothing new.
func TestCountDeliveries(t *testing.T) {
	t.Parallel()
	var events []domain.Recorded
	for i, e := range []domain.Event{
		delivery.Delivered{WebhookID: "whk_1"},
		delivery.Abandoned{WebhookID: "whk_2"},
		delivery.Delivered{WebhookID: "whk_1"}, // says nothing new
		delivery.Attempted{Attempt: 1},
		delivery.Abandoned{WebhookID: "whk_2"}, // counts, too
		delivery.Abandoned{WebhookID: "whk_1"},
		delivery.Delivered{WebhookID: "whk_1"}, // ends a row of failures
		delivery.Delivered{WebhookID: "whk_2", Ping: true},
	} {
		events = append(events, recorded(delivery.Stream(fmt.Sprint(i)), e))
	}
	var got []string
	for _, endpoint := range process.CountDeliveries(events) {
		for _, c := range endpoint {
			told := c.Command.(webhook.RecordDelivery)
			got = append(got, fmt.Sprintf("%s: %s %t", c.Stream, told.DeliveryID, told.Delivered))
		}
	}
	want := []string{"webhook-whk_1: 0 true", "webhook-whk_1: 5 false", "webhook-whk_1: 6 true", "webhook-whk_2: 1 false", "webhook-whk_2: 4 false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Each command is that of its event alone, however the events are grouped.
	one, _ := process.CountDelivery(events[5])
	if all := process.CountDeliveries(events); all[0][1].ID != one.ID {
		t.Error("a command's id depends on what came with its event")
	}
}
