package projections_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/address"
	"understudy/domain/apikey"
	"understudy/domain/comparison"
	"understudy/domain/custompersona"
	"understudy/domain/delivery"
	"understudy/domain/findings"
	"understudy/domain/grant"
	"understudy/domain/notice"
	"understudy/domain/oauthclient"
	"understudy/domain/process"
	"understudy/domain/replay"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/user"
	"understudy/domain/webhook"
	"understudy/eventstore"
)

// origin is when generated histories begin.
var origin = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

var codec = eventstore.NewCodec(catalogue)

// world is a log that the real deciders and the real process have made out of
// commands. Refused commands leave no trace in it.
type world struct {
	log []domain.Recorded
	// old: an older program records, in the shapes of its time.
	old     bool
	now     time.Time
	streams map[string]func(stream string, command any) []domain.Event
	// length is how many events each stream has.
	length map[string]uint64
	// waiting are the commands that follow from events and have yet to run.
	waiting []domain.Envelope
	// created are the events that made the tests, casts their sessions' plans.
	created    map[string]domain.Recorded
	casts      map[string]process.Cast
	sessions   []string // streams
	attempts   map[string]int
	steps      map[string]int
	deliveries []string // streams
	tries      map[string]int
	endpoints  []webhook.Registered
	personas   []custompersona.Created
	// comparisons are their streams.
	comparisons []string
}

func newWorld() *world {
	return &world{
		now: origin,
		streams: map[string]func(string, any) []domain.Event{
			account.StreamPrefix: decides(account.Decider), delivery.StreamPrefix: decides(delivery.Decider),
			comparison.StreamPrefix: decides(comparison.Decider),
			report.StreamPrefix:     decides(report.Decider), session.StreamPrefix: decides(session.Decider),
			testrun.StreamPrefix: decides(testrun.Decider), webhook.StreamPrefix: decides(webhook.Decider),
			custompersona.StreamPrefix: decides(custompersona.Decider), notice.StreamPrefix: decides(notice.Decider),
			apikey.StreamPrefix: decides(apikey.Decider), oauthclient.StreamPrefix: decides(oauthclient.Decider), grant.StreamPrefix: decides(grant.Decider),
			user.StreamPrefix: decides(user.Decider), address.StreamPrefix: decides(address.Decider),
		},
		length: map[string]uint64{}, created: map[string]domain.Recorded{}, casts: map[string]process.Cast{},
		attempts: map[string]int{}, steps: map[string]int{}, tries: map[string]int{},
	}
}

// decides keeps the states of one kind of stream.
func decides[S, C any, E domain.Event](d domain.Decider[S, C, E]) func(string, any) []domain.Event {
	states := map[string]S{}
	return func(stream string, command any) (out []domain.Event) {
		state, known := states[stream]
		if !known {
			state = d.Initial
		}
		events, err := d.Decide(state, command.(C))
		if err != nil {
			return nil
		}
		states[stream] = d.Fold(state, events)
		for _, e := range events {
			out = append(out, e)
		}
		return out
	}
}

// tell runs a command and notes what it yields the way the log would.
func (w *world) tell(stream string, command any, meta domain.Meta) {
	kind, _, _ := strings.Cut(stream, "-")
	w.now = w.now.Add(370 * time.Millisecond)
	for _, e := range w.streams[kind+"-"](stream, command) {
		typ, data, err := codec.Encode(e)
		if err != nil {
			panic(err)
		}
		if w.old {
			typ, data = older(typ, data)
		}
		read, err := codec.Decode(typ, data)
		if err != nil {
			panic(err)
		}
		w.note(domain.Recorded{
			ID:     domain.DeriveUUID(stream, fmt.Sprint(w.length[stream])),
			Stream: stream, Revision: w.length[stream], Position: uint64(100 + 7*len(w.log)), Time: w.now, Event: read, Meta: meta,
		})
	}
}

// older is what was recorded of an event before its newest version.
func older(typ string, data []byte) (string, []byte) {
	if typ != "session.completed.v2" {
		return typ, data
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		panic(err)
	}
	fields["simulated_seconds"] = fields["simulated_ms"].(float64) / 1000
	delete(fields, "simulated_ms")
	data, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return "session.completed.v1", data
}

// note adds an event to the log and queues what follows from it.
func (w *world) note(e domain.Recorded) {
	w.log = append(w.log, e)
	w.length[e.Stream]++
	for _, follow := range []func(domain.Recorded) (domain.Envelope, bool){process.CountEnding, process.CountDelivery} {
		if command, ok := follow(e); ok {
			w.waiting = append(w.waiting, command)
		}
	}
	id := strings.SplitN(e.Stream, "-", 2)[1]
	switch event := e.Event.(type) {
	case testrun.Created:
		cast, err := process.NewCast(event)
		if err != nil {
			panic(err)
		}
		w.created[id], w.casts[id] = e, cast
	case testrun.Started:
		for i := range event.SessionsTotal {
			w.waiting = append(w.waiting, w.casts[id].QueueSession(i, w.created[id], e))
		}
	case testrun.Cancelled:
		for i := range event.SessionsTotal {
			w.waiting = append(w.waiting, w.casts[id].CancelSession(i, w.created[id], e))
		}
	case session.Queued:
		w.sessions = append(w.sessions, e.Stream)
	case session.Started:
		w.attempts[e.Stream], w.steps[e.Stream] = event.Attempt, 0
	case session.Stepped:
		w.steps[e.Stream]++
	case webhook.Registered:
		w.endpoints = append(w.endpoints, event)
	case webhook.OwnerWarned:
		if c, ok := process.NotifyOwner(e); ok {
			w.waiting = append(w.waiting, c)
		}
	case notice.Requested:
		w.waiting = append(w.waiting, domain.Envelope{Stream: e.Stream, Command: notice.RecordAttempt{Attempt: 1, Error: "unreachable", Now: w.at()}})
	case notice.Attempted:
		next := notice.RecordAttempt{Attempt: event.Attempt + 1, Error: "smtp_550", Now: w.at()}
		if len(w.log)%3 == 0 {
			next.Channel = notice.Mail
		}
		w.waiting = append(w.waiting, domain.Envelope{Stream: e.Stream, Command: next})
	case custompersona.Created:
		w.personas = append(w.personas, event)
	case comparison.Created:
		w.comparisons = append(w.comparisons, e.Stream)
	case delivery.Scheduled:
		w.deliveries = append(w.deliveries, e.Stream)
	case delivery.Attempted:
		w.tries[e.Stream] = event.Attempt
	}
	w.fanOut(e)
}

type noLinks struct{}

func (noLinks) ReportURL(_ string, _ domain.Environment, id string, _ time.Time) string {
	return "https://app.example/" + id
}

func (w *world) fanOut(e domain.Recorded) {
	m, ok := process.Publish(e, noLinks{})
	if !ok {
		return
	}
	var to []process.Endpoint
	for i, endpoint := range w.endpoints {
		if endpoint.OrganizationID == e.Meta.OrganizationID && endpoint.Environment == e.Meta.Environment {
			to = append(to, process.Endpoint{ID: endpoint.WebhookID, Disabled: i%5 == 4})
		}
	}
	commands, err := process.FanOut(e, m, to)
	if err != nil {
		panic(err)
	}
	w.waiting = append(w.waiting, commands...)
}

// settle runs everything that follows from what has happened.
func (w *world) settle() {
	for len(w.waiting) > 0 {
		w.next(0)
	}
}

func (w *world) next(i int) {
	c := w.waiting[i]
	w.waiting = slices.Delete(w.waiting, i, i+1)
	w.tell(c.Stream, c.Command, c.Meta)
}

// at is the moment of the next command.
func (w *world) at() domain.Time { return domain.At(w.now) }

// owner is the metadata of what the n-th customer does: organizations 0 and 1,
// each live and in the sandbox.
func owner(n int) domain.Meta {
	return domain.Meta{
		OrganizationID: fmt.Sprintf("org_%d", n%2), Environment: []domain.Environment{domain.Live, domain.Sandbox}[n/2%2], Actor: "api",
	}
}

// test is the id of the n-th test. Later ids sort after earlier ones.
func testID(n int) string { return fmt.Sprintf("test_%04d", n) }

func (w *world) createTest(n, sessions int, meta domain.Meta) {
	w.tell(testrun.Stream(testID(n)), testrun.Create{
		TestID: testID(n), OrganizationID: meta.OrganizationID, Environment: meta.Environment,
		Wish: testrun.Wish{
			URL: "https://shop.example/?a=1&b=<2>", Task: "buy a lamp", Sessions: sessions, Model: "forager-2",
			Personas: testrun.Personas{Source: "auto-diverse"}, Criteria: []string{"task_completion", "cta_findability"},
			Viewports: []string{"desktop", "mobile"}, Seed: int64(n), MaxSteps: 25,
		},
		Models: []string{"forager-2"}, Inputs: map[string]string{"password": "ciphertext"},
		Now: w.at(), EstimatedCompletion: domain.At(w.now.Add(time.Minute)),
	}, meta)
}

// commands is how many a history of all kinds of events has by chance.
const commands = 400

// generated draws a log, by an older program, by the newest, or by both; it
// shrinks to the shortest one that fails.
func generated(t *rapid.T) []domain.Recorded {
	n := rapid.IntRange(1, commands).Draw(t, "commands")
	return historyUpTo(n, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, n).Draw(t, "by an older program"))
}

// history makes the log of a seed: some hundred commands by chance, and what
// follows from them in any order. The program is renewed in the middle of it.
func history(seed uint64) []domain.Recorded { return historyOf(seed, commands/2) }

// historyOf is the history of a seed whose first commands an older program has
// carried out.
func historyOf(seed uint64, byOlder int) []domain.Recorded {
	return historyUpTo(commands, seed, byOlder)
}

// historyUpTo is the first n commands of a history, and what followed from them
// by then.
func historyUpTo(n int, seed uint64, byOlder int) []domain.Recorded {
	w := newWorld()
	w.tell(account.Stream("org_0"), founded(0), owner(0))
	d := &draw{world: w, chances: rand.New(rand.NewPCG(seed, 0)), aside: rand.New(rand.NewPCG(seed, 1))}
	for i := range n {
		w.old = i < byOlder
		if n := len(w.waiting); n > 0 && d.chance(60) {
			w.next(d.up(n))
			continue
		}
		d.something()
	}
	return w.log
}

// draw makes commands by chance.
type draw struct {
	*world
	chances *rand.Rand
	// aside are those of people, whose events change nobody else's.
	aside *rand.Rand
	tests int
}

func (d *draw) up(n int) int            { return d.chances.IntN(n) }
func (d *draw) chance(percent int) bool { return d.up(100) < percent }
func (d *draw) unit() float64           { return float64(d.up(1001)) / 1000 }
func (d *draw) text() string            { return texts[d.up(len(texts))] }

var texts = []string{"", "lamp", "a <b> & \"c\"", "naïve 😀", "nul \x00 end", "back\\slash"}

func (d *draw) something() {
	switch n := d.up(25); {
	case d.tests == 0 || d.tests < 8 && n < 2:
		d.createTest(d.tests, 1+d.up(4), owner(d.up(4)))
		d.tests++
	case n < 5:
		d.ofATest()
	case n < 13 && len(d.sessions) > 0:
		d.ofASession()
	case n < 15:
		m := owner(d.up(4))
		id := fmt.Sprintf("whk_%03d", len(d.endpoints))
		var events []string
		if d.chance(50) {
			events = []string{webhook.Names[d.up(len(webhook.Names))]}
		}
		d.tell(webhook.Stream(id), webhook.Register{Webhook: webhook.Registered{
			WebhookID: id, OrganizationID: m.OrganizationID, Environment: m.Environment,
			URL: "https://hooks.example/", Events: events, Secret: "ciphertext", At: d.at(),
		}}, m)
	case n < 16 && len(d.endpoints) > 0:
		e := d.endpoints[d.up(len(d.endpoints))]
		d.ofAnEndpoint(e, domain.Meta{OrganizationID: e.OrganizationID, Environment: e.Environment})
	case n >= 24 && d.chance(50):
		d.ofAccess()
	case n >= 24:
		d.ofTheOrganization()
	case n >= 22:
		d.ofAComparison()
	case n >= 20:
		d.ofAPersona()
	case len(d.deliveries) > 0:
		stream := d.deliveries[d.up(len(d.deliveries))]
		if d.chance(5) {
			d.tell(stream, delivery.Skip{Reason: "deleted", Now: d.at()}, domain.Meta{})
			return
		}
		d.tell(stream, delivery.RecordAttempt{
			Attempt: d.tries[stream] + 1, Delivered: d.chance(30), StatusCode: 200 + d.up(400), Error: d.text(), Response: d.text(), Now: d.at(),
		}, domain.Meta{})
	}
}

func (d *draw) ofTheOrganization() {
	change := account.Change{ForgetThreshold: d.chance(20), ForgetCriteria: d.chance(20), Now: d.at()}
	if threshold := d.unit(); d.chance(70) {
		change.Threshold = &threshold
	}
	if threshold := d.unit(); d.chance(50) {
		change.Criteria = map[string]*float64{"trust": &threshold, "speed": nil}
	}
	if name := fmt.Sprintf("Organization %d", d.up(9)); d.chance(30) {
		change.Name = &name
	}
	d.tell(account.Stream("org_0"), change, owner(0))
	if change.ForgetThreshold {
		d.tell(account.Stream("org_0"), account.ChangePlan{Plan: account.PlanNames[len(d.log)%len(account.PlanNames)], Now: d.at()}, owner(0))
	}
}

func (d *draw) ofAnEndpoint(e webhook.Registered, meta domain.Meta) {
	if d.chance(20) {
		d.tell(webhook.Stream(e.WebhookID), webhook.Delete{Now: d.at()}, meta)
		return
	}
	d.changeEndpoint(e, meta)
	for range 1 + d.up(11) {
		d.tell(webhook.Stream(e.WebhookID), webhook.RecordDelivery{DeliveryID: fmt.Sprint("dlv_", len(d.log)), Now: d.at()}, meta)
	}
	if d.chance(50) {
		d.tell(webhook.Stream(e.WebhookID), webhook.RecordDelivery{DeliveryID: fmt.Sprint("dlv_", len(d.log)), Delivered: true, Now: d.at()}, meta)
	}
	if d.chance(50) {
		d.tell(webhook.Stream(e.WebhookID), webhook.Enable{Now: d.at()}, meta)
	}
}

// changeEndpoint is what owners do with an endpoint besides.
func (d *draw) changeEndpoint(e webhook.Registered, meta domain.Meta) {
	stream, names := webhook.Stream(e.WebhookID), []string{webhook.Names[d.up(len(webhook.Names))]}
	url := fmt.Sprint("https://moved.example/", d.up(9))
	for _, command := range []webhook.Command{
		webhook.Change{Events: &names, Now: d.at()}, webhook.Change{URL: &url, Now: d.at()},
		webhook.RotateSecret{RotationID: fmt.Sprint("rot_", len(d.log)), Secret: "ciphertext", Now: d.at()}, webhook.PromoteSecret{Now: d.at()},
		webhook.Pause{Now: d.at()}, webhook.Enable{Now: d.at()},
		webhook.RequestReplay{ReplayID: fmt.Sprint("rpl_", len(d.log)), From: d.at(), To: d.at(), Which: webhook.All, Now: d.at()},
	} {
		if d.chance(30) {
			d.tell(stream, command, meta)
		}
	}
}

// comparing is the command that compares two tests of one task.
func comparing(id string, owner domain.Meta, a, b, task string, at domain.Time) comparison.Create {
	side := func(test string) comparison.Candidate {
		return comparison.Candidate{Test: comparison.Test{ID: test, Task: task, Criteria: []string{"speed"}}}
	}
	return comparison.Create{
		ComparisonID: id, OrganizationID: owner.OrganizationID, Environment: owner.Environment, A: side(a), B: side(b), Now: at,
	}
}

func (d *draw) ofAComparison() {
	if len(d.comparisons) == 0 || d.chance(40) {
		m, id := owner(d.up(4)), fmt.Sprintf("cmp_%03d", len(d.comparisons))
		create := comparing(id, m, testID(d.up(d.tests)), testID(d.up(d.tests)), d.text(), d.at())
		create.B.Started = true
		d.tell(comparison.Stream(id), create, m)
		return
	}
	stream := d.comparisons[d.up(len(d.comparisons))]
	if d.chance(50) {
		d.tell(stream, comparison.Complete{Result: comparison.Result{Decision: d.text()}, Now: d.at()}, domain.Meta{})
		return
	}
	d.tell(stream, comparison.Fail{Code: comparison.TestFailed, Message: d.text(), Now: d.at()}, domain.Meta{})
}

func (d *draw) ofAPersona() {
	if len(d.personas) == 0 || d.chance(40) {
		d.describe(fmt.Sprintf("per_%03d", len(d.personas)), owner(d.up(4)))
		return
	}
	p := d.personas[d.up(len(d.personas))]
	meta := domain.Meta{OrganizationID: p.OrganizationID, Environment: p.Environment}
	if d.chance(20) {
		d.tell(custompersona.Stream(p.PersonaID), custompersona.Delete{Now: d.at()}, meta)
		return
	}
	patch := fmt.Sprintf(`{"reading_wpm":%d,"vision":{"min_font":%d},"summary":null}`, 60+d.up(300), 6+d.up(30))
	d.tell(custompersona.Stream(p.PersonaID), custompersona.Change{Patch: []byte(patch), Now: d.at()}, meta)
}

func (d *draw) ofATest() {
	id := testID(d.up(d.tests))
	meta := d.created[id].Meta
	switch n := d.up(20); {
	case n < 10:
		d.tell(testrun.Stream(id), testrun.Start{Now: d.at()}, meta)
	case n < 17:
		d.ofItsReplays(id, meta)
		score := d.unit()
		reportID := "rep_" + id
		d.tell(report.Stream(reportID), report.Generate{Report: report.Generated{
			ReportID: reportID, TestID: id, OrganizationID: meta.OrganizationID, Environment: meta.Environment,
			Document: report.Document{Measures: report.Measures{ID: reportID}}, At: d.at(),
		}}, meta)
		d.tell(testrun.Stream(id), testrun.Complete{
			ReportID: reportID, AggregateScores: map[string]float64{"overall": score}, Passed: score >= 0.7, Score: &score, Now: d.at(),
		}, meta)
	case n < 18:
		d.tell(testrun.Stream(id), testrun.Fail{Code: testrun.TargetUnreachable, Message: d.text(), Now: d.at()}, meta)
	default:
		d.tell(testrun.Stream(id), testrun.Cancel{Now: d.at()}, meta)
		d.tell(testrun.Stream(id), testrun.Archive{Name: id, SHA256: "hash", Now: d.at()}, meta)
	}
}

// ofItsReplays examines why sessions of a test fell short, as far as that has come.
func (d *draw) ofItsReplays(id string, meta domain.Meta) {
	for n := range d.up(4) {
		n++
		d.tell(testrun.Stream(id), testrun.BeginReplay{N: n, SessionID: "ses_1", Cause: findings.Cause{Kind: findings.LowContrast, Selector: d.text()}, Now: d.at()}, meta)
		d.tell(testrun.Stream(id), testrun.EndReplay{N: n, Outcome: replay.Outcome{Result: replay.Unchanged}, Now: d.at()}, meta)
	}
	d.tell(testrun.Stream(id), testrun.EndExamination{Now: d.at()}, meta)
}

func (d *draw) ofASession() {
	stream := d.sessions[d.up(len(d.sessions))]
	attempt := d.attempts[stream]
	switch n := d.up(20); {
	case n < 8:
		d.tell(stream, session.Start{Attempt: attempt + 1, Worker: "w1", Now: d.at()}, domain.Meta{})
	case n < 14:
		d.tell(stream, d.step(stream, attempt), domain.Meta{})
	case n < 18:
		d.tell(stream, session.Complete{Result: completed(attempt, map[string]float64{"task_completion": d.unit(), "speed": d.unit()}, d.text(), d.at())}, domain.Meta{})
	default:
		d.tell(stream, session.Fail{Attempt: attempt, Code: "browser_crashed", Message: d.text(), Now: d.at()}, domain.Meta{})
	}
}

func (d *draw) step(stream string, attempt int) session.RecordStep {
	artifact := session.Artifact{
		ID: fmt.Sprintf("art_%s_%d_%d", stream, attempt, d.steps[stream]), SHA256: "00ff", Bytes: 9, ContentType: "image/jpeg",
	}
	r := session.RecordStep{Attempt: attempt, Now: d.at(), Step: session.Step{
		Index: d.steps[stream], At: d.at(), URL: "https://shop.example/", Title: d.text(), Thought: d.text(),
		Action: session.Action{Type: "click"}, SimulatedMS: d.up(5000), Scent: d.unit(), Frustration: d.unit(), Signals: []session.Signal{},
	}}
	if d.chance(70) {
		r.Screenshot = &session.ScreenshotTaken{Attempt: attempt, Step: d.steps[stream], Artifact: artifact, Width: 1280, Height: 720, At: d.at()}
	}
	return r
}

func completed(attempt int, scores map[string]float64, evidence string, at domain.Time) session.Completed {
	return session.Completed{
		Attempt: attempt, Outcome: "succeeded", Completion: session.Completion{Status: "verified", Confidence: 0.9, Evidence: evidence},
		Scores: scores, SimulatedMS: 31_500, Steps: 3, PagesVisited: 2, Findings: &session.Findings{SessionID: "ses_1"}, At: at,
		Recording: &session.Recording{Artifact: session.Artifact{ID: "art_" + at.String(), SHA256: "ff00", ContentType: "video/webm"}, Format: "webm", DurationSeconds: 3},
	}
}

func founded(n int) account.Found {
	m := owner(n)
	return account.Found{
		Organization: account.OrganizationCreated{OrganizationID: m.OrganizationID, Name: "Acme", Plan: account.Team, At: domain.At(origin)},
		Owner:        account.UserAdded{UserID: "usr_1", Email: "ciphertext", Role: string(access.Owner), At: domain.At(origin)},
		Keys: []account.KeyCreated{
			{KeyID: "key_1", OrganizationID: m.OrganizationID, Environment: domain.Live, Hash: "hash-live", Scopes: []string{"tests:read"}, CreatedBy: "usr_1", At: domain.At(origin)},
			{KeyID: "key_2", OrganizationID: m.OrganizationID, Environment: domain.Sandbox, Hash: "hash-test", Scopes: access.Scopes, At: domain.At(origin)},
		},
	}
}
