package httpapi_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/process"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
	"understudy/projections/timeline"
)

// TestConformanceMessagesAreAsDocumented: whatever the catalogues of events can
// become on a stream or for a webhook, the OpenAPI document has its schema, which
// has no field that is not sent.
func TestConformanceMessagesAreAsDocumented(t *testing.T) {
	t.Parallel()
	s := newService(t)
	served := s.send("GET", "/openapi.json", "", "").wants(t, 200, "")
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(served.body))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("urn:openapi", document); err != nil {
		t.Fatal(err)
	}
	fits := func(pointer string, message []byte) {
		t.Helper()
		schema, err := compiler.Compile("urn:openapi#" + pointer)
		if err != nil {
			t.Errorf("%s: %v", pointer, err)
			return
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(message))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s is not as documented at %s: %v", message, pointer, err)
		}
	}
	published, told := map[string]bool{}, map[string]bool{}
	for _, e := range every() {
		e := domain.Recorded{ID: uuid.New(), Stream: testrun.Stream("test_1"), Position: 7, Time: noon, Event: e}
		if _, walked := e.Event.(session.Event); walked {
			e.Stream = session.Stream("ses_1")
		}
		if m, ok := process.Publish(e, s.links); ok {
			body, err := process.Body(m, domain.At(noon))
			if err != nil {
				t.Fatal(err)
			}
			published[m.Name] = true
			fits("/webhooks/"+m.Name+"/post/requestBody/content/application~1json/schema", []byte(body))
		}
		if m, ok := timeline.MessageOf(e); ok {
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			told[m.Type] = true
			fits("/components/schemas/StreamMessage", s.links.AddressMessage(timeline.Stored{TestID: m.TestID, Position: m.Position, Type: m.Type, JSON: text}))
		}
	}
	var documented struct {
		Webhooks   map[string]any
		Components struct {
			Schemas struct {
				StreamMessage struct {
					Discriminator struct{ Mapping map[string]string }
				}
			}
		}
	}
	if err := json.Unmarshal(served.body, &documented); err != nil {
		t.Fatal(err)
	}
	for name := range documented.Webhooks {
		if !published[name] || !slices.Contains(webhook.Names, name) {
			t.Errorf("webhook %s is documented and never sent", name)
		}
	}
	for name := range documented.Components.Schemas.StreamMessage.Discriminator.Mapping {
		if !told[name] {
			t.Errorf("stream message %s is documented and never sent", name)
		}
	}
	if len(documented.Webhooks) != len(webhook.Names) || len(documented.Components.Schemas.StreamMessage.Discriminator.Mapping) != len(told) {
		t.Errorf("documented are %d webhooks of %d, and %d stream messages of %d", len(documented.Webhooks), len(webhook.Names),
			len(documented.Components.Schemas.StreamMessage.Discriminator.Mapping), len(told))
	}
}

// every is an event of each kind that tests and sessions record, and verdicts of
// all kinds.
func every() (events []domain.Event) {
	for _, entry := range slices.Concat(testrun.Catalogue, session.Catalogue) {
		events = append(events, domaintest.Example(entry))
	}
	score := 0.5
	return append(events,
		testrun.GateJudged{Passed: true, Threshold: 0.5, Score: &score, FailedCriteria: []string{}, ReportID: "rep_1"},
		testrun.GateJudged{Threshold: 0.7, Score: &score, FailedCriteria: []string{"overall"}, ReportID: "rep_1"},
		testrun.GateJudged{Threshold: 0.7, FailedCriteria: []string{"trust"}, ReportID: "rep_1"},
		session.Stepped{Step: session.Step{Signals: []session.Signal{}}}, session.Completed{}, testrun.Completed{})
}
