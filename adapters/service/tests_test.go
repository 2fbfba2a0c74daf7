package service_test

import (
	"encoding/json"
	"testing"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/comparison"
	"understudy/domain/persona"
	"understudy/domain/testrun"
)

func lamp() service.NewTest {
	return service.NewTest{Wish: testrun.Wish{
		URL: "https://shop.example/", Task: "buy a lamp", Sessions: 4, Model: "forager-2", Personas: testrun.Personas{Source: "auto-diverse"},
		Criteria: []string{"task_completion", "speed"}, Viewports: []string{"desktop"}, MaxSteps: 25,
	}}
}

// test makes a test of alice's.
func (w *world) test(in service.NewTest) string {
	w.t.Helper()
	id := newID(domain.PrefixTest)
	_, err := w.CreateTest(w.ctx, call(alice, id), id, in)
	w.must(err)
	return id
}

// tell records what became of a test.
func (w *world) tell(id string, commands ...testrun.Command) {
	w.t.Helper()
	for _, c := range commands {
		result, err := w.Streams.Tests.Handle(w.ctx, domain.DeriveUUID(newID("cmd")), testrun.Stream(id), c, domain.Meta{})
		w.must(err)
		w.must(w.Positions.Wait(w.ctx, "tests", result.Position))
	}
}

// complete ends a test of alice's with sessions that could all be carried out.
func (w *world) complete(id string, sessions int) {
	w.t.Helper()
	at := domain.At(time.Now())
	for i := range sessions {
		w.tell(id, testrun.RecordSessionEnd{SessionID: newID(domain.PrefixSession), Index: i, Usable: true, Now: at})
	}
	w.tell(id, testrun.EndExamination{Now: at}, testrun.Complete{ReportID: "rep_1", Passed: true, Now: at})
}

func (w *world) created(id string) testrun.Created {
	w.t.Helper()
	recorded, err := w.Streams.Created(w.ctx, id)
	w.must(err)
	return recorded.Event.(testrun.Created)
}

func TestATestIsRecordedAsItWasAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	high := 0.9
	_, err := w.ChangeOrganization(w.ctx, call(alice, "gate"), account.Change{Threshold: &high})
	w.must(err)

	in := lamp()
	in.Task, in.Inputs = "log in with {{word}}", map[string]string{"word": "open sesame"}
	id := newID(domain.PrefixTest)
	first, err := w.CreateTest(w.ctx, call(alice, id), id, in)
	w.must(err)
	again, err := w.CreateTest(w.ctx, call(alice, id), id, in)
	w.must(err)
	if string(first.JSON) != string(again.JSON) {
		t.Errorf("asked again the answer is another:\n%s\n%s", first.JSON, again.JSON)
	}
	got := w.created(id)
	if got.Inputs["word"] == "open sesame" || got.Gate.Threshold != high || got.OrganizationID != "org_a" || got.Seed < 0 || got.Seed > testrun.MaxSeed {
		t.Errorf("recorded is %+v", got)
	}
	if !got.EstimatedCompletion.After(got.CreatedAt.Time) {
		t.Errorf("estimated to end at %s, begun at %s", got.EstimatedCompletion, got.CreatedAt)
	}
	opened, err := service.OpenInputs(sealing{}, got)
	if err != nil || opened["word"] != "open sesame" {
		t.Errorf("the inputs are %v, %v", opened, err)
	}
	var doc struct {
		Inputs []string
		Status string
	}
	shown, err := w.Test(w.ctx, alice, id)
	w.must(err)
	w.must(json.Unmarshal(shown.JSON, &doc))
	if len(doc.Inputs) != 1 || doc.Inputs[0] != "word" || doc.Status != "running" {
		t.Errorf("it is read as %s", shown.JSON)
	}
	_, err = w.Test(w.ctx, mallory, id)
	w.refused(err, domain.CodeNotFound)
}

func TestATestThatIsRefusedLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	before, err := w.store.Head(w.ctx)
	w.must(err)
	refused := func(p service.Principal, change func(*service.NewTest)) error {
		in := lamp()
		change(&in)
		id := newID(domain.PrefixTest)
		_, err := w.CreateTest(w.ctx, call(p, id), id, in)
		return err
	}
	w.at(refused(alice, func(in *service.NewTest) { in.Task = " " }), "task")
	w.refused(refused(alice, func(in *service.NewTest) { in.Model = "openai/other" }), domain.CodeModelUnavailable)
	w.refused(refused(alice, func(in *service.NewTest) { in.URL = w.denied }), domain.CodeTargetNotAllowed)
	w.at(refused(sandbox, func(in *service.NewTest) { in.URL = "nowhere" }), "url")
	w.at(refused(alice, func(in *service.NewTest) { in.Personas = testrun.Personas{Source: "pack", PackID: "pack_x"} }), "personas.pack_id")
	w.at(refused(alice, func(in *service.NewTest) { in.Personas.Source = "custom" }), "personas.persona_ids")
	w.at(refused(alice, func(in *service.NewTest) {
		in.Personas = testrun.Personas{Source: "custom", PersonaIDs: []string{newID(domain.PrefixPersona)}}
	}), "personas.persona_ids.0")
	w.stale = domain.Refuse(domain.CodeUnavailable, "behind")
	w.refused(refused(alice, func(*service.NewTest) {}), domain.CodeUnavailable)
	if after, err := w.store.Head(w.ctx); err != nil || after != before {
		t.Errorf("the log went from %d to %d, %v", before, after, err)
	}
	w.stale = nil
	w.refused(refused(sandbox, func(in *service.NewTest) { in.URL = w.denied }), domain.CodeTargetNotAllowed)
}

func TestCustomPersonasWalkAsTheyAreNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	id := newID(domain.PrefixPersona)
	_, err := w.CreatePersona(w.ctx, call(alice, id), id, persona.Draft{Name: "Ada"})
	w.must(err)
	changed, err := w.ChangePersona(w.ctx, call(alice, id+" change"), id, json.RawMessage(`{"name":"Eve"}`))
	w.must(err)
	if changed.Revision != 1 {
		t.Errorf("its revision is %d", changed.Revision)
	}
	_, err = w.ChangePersona(w.ctx, call(mallory, id+" theft"), id, json.RawMessage(`{"name":"Mine"}`))
	w.refused(err, domain.CodeNotFound)
	in := lamp()
	in.Personas = testrun.Personas{Source: "custom", PersonaIDs: []string{id}}
	test := w.test(in)
	w.must(w.DeletePersona(w.ctx, call(alice, id+" delete"), id))
	if got := w.created(test).CustomPersonas; len(got) != 1 || got[0].Name != "Eve" {
		t.Errorf("walked by %+v", got)
	}
	_, err = w.Persona(w.ctx, alice, id)
	w.refused(err, domain.CodeNotFound)
}

func TestCancellingIsForTheOwnerAndForOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	id := w.test(lamp())
	_, err := w.CancelTest(w.ctx, call(mallory, "c0"), id)
	w.refused(err, domain.CodeNotFound)
	first, err := w.CancelTest(w.ctx, call(alice, "c1"), id)
	w.must(err)
	again, err := w.CancelTest(w.ctx, call(alice, "c2"), id)
	w.must(err)
	if string(first.JSON) != string(again.JSON) || first.Revision != again.Revision {
		t.Errorf("cancelled again it is %s, was %s", again.JSON, first.JSON)
	}
}

func TestReportsAreOfCompletedTests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	in := lamp()
	in.Sessions = 1
	id, reportID := w.test(in), newID(domain.PrefixReport)
	_, err := w.GenerateReport(w.ctx, call(alice, reportID), id, reportID, nil)
	w.refused(err, domain.CodeWrongState)
	w.complete(id, 1)
	_, err = w.GenerateReport(w.ctx, call(mallory, reportID), id, reportID, nil)
	w.refused(err, domain.CodeNotFound)
	_, err = w.GenerateReport(w.ctx, call(alice, reportID), id, reportID, nil)
	w.must(err)
	page, err := w.Reports(w.ctx, alice, service.Query{TestID: id, Limit: 10})
	if err != nil || len(page.Items) != 1 || page.Items[0].ID != reportID {
		t.Errorf("its reports are %+v, %v", page, err)
	}
}

func TestAComparisonStartsItsVariantsWithOnePeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	a, b := lamp(), lamp()
	b.URL = "https://other.example/"
	id := newID(domain.PrefixComparison)
	in := service.NewComparison{Name: "two", A: service.NewSide{Variant: &a}, B: service.NewSide{Variant: &b}}
	first, err := w.CreateComparison(w.ctx, call(alice, id), id, in)
	w.must(err)
	a.Seed, b.Seed = nil, nil // asked again, of a process that knows nothing of the first time
	again, err := w.CreateComparison(w.ctx, call(alice, id), id, in)
	w.must(err)
	if string(first.JSON) != string(again.JSON) {
		t.Errorf("asked again it is another:\n%s\n%s", first.JSON, again.JSON)
	}
	began, err := w.Streams.Comparison(w.ctx, comparison.Stream(id))
	w.must(err)
	created := began.Event.(comparison.Created)
	one, two := w.created(created.A.TestID), w.created(created.B.TestID)
	if one.Seed != two.Seed || !created.A.Started || one.URL == two.URL || len(created.Criteria) != 2 {
		t.Errorf("compared are %+v\n%+v\n%+v", created, one, two)
	}
}

func TestComparisonsThatAreRefusedStartNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found("svc_live_aaaaaaaaaaaaaaaa")
	gone := w.test(lamp())
	_, err := w.CancelTest(w.ctx, call(alice, "c"), gone)
	w.must(err)
	there := w.test(lamp())
	before, err := w.store.Head(w.ctx)
	w.must(err)
	compare := func(p service.Principal, a, b service.NewSide, criteria ...string) error {
		id := newID(domain.PrefixComparison)
		_, err := w.CreateComparison(w.ctx, call(p, id), id, service.NewComparison{A: a, B: b, Criteria: criteria})
		return err
	}
	old, other := service.NewSide{TestID: there}, lamp()
	other.Task = "return a lamp"
	same := lamp()
	w.at(compare(mallory, old, service.NewSide{Variant: &same}), "a.test_id")
	w.refused(compare(alice, service.NewSide{TestID: gone}, old), domain.CodeWrongState)
	w.at(compare(alice, old, old), "b")
	w.at(compare(alice, old, service.NewSide{Variant: &other}), "b")
	w.at(compare(alice, old, service.NewSide{Variant: &same}, "speed", "trust"), "criteria.1")
	if after, err := w.store.Head(w.ctx); err != nil || after != before {
		t.Errorf("the log went from %d to %d, %v", before, after, err)
	}
}
