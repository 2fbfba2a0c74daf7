package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"understudy/adapters/httpapi"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/persona"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/comparisons"
	"understudy/projections/deliveries"
	"understudy/projections/personas"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/usage"
	"understudy/projections/webhooks"
)

// documents is a read model of documents of a T in memory, in the order of
// insertion.
type documents[T any] struct {
	mu    sync.Mutex
	order []string
	rows  map[string]row[T]
	asked service.Query
	err   error
}

type row[T any] struct {
	owner service.Principal
	doc   projections.Document[T]
}

func (d *documents[T]) put(owner service.Principal, id string, revision uint64, json string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rows == nil {
		d.rows = map[string]row[T]{}
	}
	if _, known := d.rows[id]; !known {
		d.order = append(d.order, id)
	}
	d.rows[id] = row[T]{owner, projections.Document[T]{ID: id, JSON: []byte(json), Revision: revision}}
}

func (r row[T]) visible(p service.Principal) bool {
	return r.owner.OrganizationID == p.OrganizationID && r.owner.Environment == p.Environment
}

func (d *documents[T]) Get(_ context.Context, p service.Principal, id string) (projections.Document[T], error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return projections.Document[T]{}, d.err
	}
	r, ok := d.rows[id]
	if !ok || !r.visible(p) {
		return projections.Document[T]{}, domain.Refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return r.doc, nil
}

func (d *documents[T]) List(_ context.Context, p service.Principal, q service.Query) (service.Page[T], error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = q
	var page service.Page[T]
	passed := q.After == ""
	for _, id := range slices.Backward(d.order) {
		if r := d.rows[id]; passed && r.visible(p) {
			if len(page.Items) == q.Limit {
				return page, nil
			}
			page.Items = append(page.Items, r.doc)
			page.Next = id
		}
		passed = passed || id == q.After
	}
	page.Next = ""
	return page, nil
}

// reads are the documents in memory.
type reads struct{ *served }

func (r reads) Test(ctx context.Context, p service.Principal, id string) (projections.Document[tests.Document], error) {
	return r.tests.Get(ctx, p, id)
}

func (r reads) Tests(ctx context.Context, p service.Principal, q service.Query) (service.Page[tests.Document], error) {
	return r.tests.List(ctx, p, q)
}

func (r reads) Session(ctx context.Context, p service.Principal, id string) (projections.Document[sessions.Document], error) {
	return r.sessions.Get(ctx, p, id)
}

func (r reads) SessionOf(ctx context.Context, p service.Principal, _, id string) (projections.Document[sessions.Document], error) {
	return r.Session(ctx, p, id)
}

func (r reads) Sessions(ctx context.Context, p service.Principal, q service.Query) (service.Page[sessions.Document], error) {
	return r.sessions.List(ctx, p, q)
}

func (r reads) Trace(ctx context.Context, p service.Principal, id string) (projections.Document[sessions.Trace], error) {
	return r.traces.Get(ctx, p, id)
}

func (r reads) Recording(ctx context.Context, p service.Principal, id string) (projections.Document[sessions.Recording], error) {
	return r.records.Get(ctx, p, id)
}

func (r reads) Screenshots(ctx context.Context, p service.Principal, q service.Query) (service.Page[sessions.Screenshot], error) {
	return r.shots.List(ctx, p, q)
}

func (r reads) Report(ctx context.Context, p service.Principal, id string) (projections.Document[reports.Document], error) {
	return r.reports.Get(ctx, p, id)
}

func (r reads) Reports(ctx context.Context, p service.Principal, q service.Query) (service.Page[reports.Document], error) {
	return r.reports.List(ctx, p, q)
}

func (r reads) Comparison(ctx context.Context, p service.Principal, id string) (projections.Document[comparisons.Document], error) {
	return r.compared.Get(ctx, p, id)
}

func (r reads) Comparisons(ctx context.Context, p service.Principal, q service.Query) (service.Page[comparisons.Document], error) {
	return r.compared.List(ctx, p, q)
}

func (r reads) Webhook(ctx context.Context, p service.Principal, id string) (projections.Document[webhooks.Document], error) {
	return r.webhooks.Get(ctx, p, id)
}

func (r reads) Webhooks(ctx context.Context, p service.Principal, q service.Query) (service.Page[webhooks.Document], error) {
	return r.webhooks.List(ctx, p, q)
}

func (r reads) Delivery(ctx context.Context, p service.Principal, id string) (projections.Document[deliveries.Document], error) {
	return r.deliver.Get(ctx, p, id)
}

func (r reads) Deliveries(ctx context.Context, p service.Principal, q service.Query) (service.Page[deliveries.Document], error) {
	return r.deliver.List(ctx, p, q)
}

func (r reads) Persona(ctx context.Context, p service.Principal, id string) (projections.Document[personas.Document], error) {
	return r.personas.Get(ctx, p, id)
}

func (r reads) Personas(ctx context.Context, p service.Principal, q service.Query) (service.Page[personas.Document], error) {
	return r.personas.List(ctx, p, q)
}

func (r reads) Organization(ctx context.Context, p service.Principal) (projections.Document[accounts.Document], error) {
	return r.changes.organization(ctx, p)
}

// commands makes tests and reports in memory.
type commands struct {
	on    *served
	mu    sync.Mutex
	calls []service.Call
	ids   []string
	last  service.NewTest
	// before runs ahead of a creation and can fail it.
	before func() error
}

func (c *commands) note(call service.Call, id string) func() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls, c.ids = append(c.calls, call), append(c.ids, id)
	return c.before
}

func (c *commands) CreateTest(_ context.Context, call service.Call, id string, test service.NewTest) (projections.Document[tests.Document], error) {
	c.mu.Lock()
	c.last = test
	c.mu.Unlock()
	if before := c.note(call, id); before != nil {
		if err := before(); err != nil {
			return projections.Document[tests.Document]{}, err
		}
	}
	c.on.tests.put(call.Principal, id, 0, testJSON(id, test))
	return c.on.tests.Get(context.Background(), call.Principal, id)
}

func (c *commands) CancelTest(ctx context.Context, call service.Call, id string) (projections.Document[tests.Document], error) {
	c.note(call, id)
	doc, err := c.on.tests.Get(ctx, call.Principal, id)
	if err != nil {
		return doc, err
	}
	if strings.Contains(string(doc.JSON), `"status":"completed"`) {
		return doc, domain.Refuse(domain.CodeWrongState, "a completed test cannot be cancelled")
	}
	c.on.tests.put(call.Principal, id, 1, strings.Replace(string(doc.JSON), `"status":"running"`, `"status":"cancelled"`, 1))
	return c.on.tests.Get(ctx, call.Principal, id)
}

func (c *commands) CreateComparison(context.Context, service.Call, string, service.NewComparison) (projections.Document[comparisons.Document], error) {
	return projections.Document[comparisons.Document]{}, errDown
}

func (c *commands) GenerateReport(ctx context.Context, call service.Call, testID, id string, _ []string) (projections.Document[reports.Document], error) {
	c.note(call, id)
	c.on.reports.put(call.Principal, id, 3, reportJSON(id, testID))
	return c.on.reports.Get(ctx, call.Principal, id)
}

type webhookCommands struct{ on *served }

func (w webhookCommands) RegisterWebhook(ctx context.Context, call service.Call, id string, hook service.NewWebhook) (service.WithSecret, error) {
	w.on.commands.note(call, id)
	body := `{"id":"` + id + `","url":"` + hook.URL + `","events":["test.completed"],"status":"enabled","created_at":"2026-11-21T12:00:00.000Z"`
	w.on.webhooks.put(call.Principal, id, 0, body+"}")
	return service.WithSecret{Document: projections.Document[webhooks.Document]{JSON: []byte(body + "}")}, Secret: "whsec_" + id}, nil
}

// hookJSON is an endpoint as the read model has it.
func hookJSON(id, rest string) string {
	return `{"id":"` + id + `","url":"https://e.x/h","events":["test.completed"],"status":"enabled","created_at":"2026-11-21T12:00:00.000Z"` + rest + "}"
}

func (w webhookCommands) ChangeWebhook(ctx context.Context, call service.Call, id string, change service.WebhookChange) (projections.Document[webhooks.Document], error) {
	w.on.changed = append(w.on.changed, change)
	return w.on.webhooks.Get(ctx, call.Principal, id)
}

func (w webhookCommands) PauseWebhook(ctx context.Context, call service.Call, id string) (projections.Document[webhooks.Document], error) {
	return w.EnableWebhook(ctx, call, id)
}

func (w webhookCommands) EnableWebhook(ctx context.Context, call service.Call, id string) (projections.Document[webhooks.Document], error) {
	w.on.commands.note(call, id)
	return w.on.webhooks.Get(ctx, call.Principal, id)
}

func (w webhookCommands) RotateSecret(ctx context.Context, call service.Call, id, rotationID, secret string) (service.WithSecret, error) {
	w.on.commands.note(call, rotationID)
	if _, err := w.on.webhooks.Get(ctx, call.Principal, id); err != nil {
		return service.WithSecret{}, err
	}
	if secret == "" {
		secret = "whsec_" + rotationID
	}
	rotation := `,"secret_rotation":{"started_at":"2026-11-21T12:00:00.000Z","ends_at":"2026-11-22T12:00:00.000Z"}`
	w.on.webhooks.put(call.Principal, id, 1, hookJSON(id, rotation))
	return service.WithSecret{Document: projections.Document[webhooks.Document]{JSON: []byte(hookJSON(id, rotation)), Revision: 1}, Secret: secret}, nil
}

func (w webhookCommands) PromoteSecret(ctx context.Context, call service.Call, id string) (projections.Document[webhooks.Document], error) {
	return w.EnableWebhook(ctx, call, id)
}

func (w webhookCommands) PingWebhook(_ context.Context, call service.Call, id, deliveryID string) (projections.Document[deliveries.Document], error) {
	w.on.commands.note(call, deliveryID)
	return projections.Document[deliveries.Document]{JSON: []byte(`{"id":"` + deliveryID + `","webhook_id":"` + id + `","test_id":"","event":"ping","status":"pending",
"created_at":"2026-11-21T12:00:00.000Z","next_attempt_at":"2026-11-21T12:00:00.000Z","attempts":[]}`)}, nil
}

func (w webhookCommands) ReplayDelivery(_ context.Context, call service.Call, sourceID, deliveryID string) (projections.Document[deliveries.Document], error) {
	w.on.commands.note(call, deliveryID)
	return projections.Document[deliveries.Document]{JSON: []byte(`{"id":"` + deliveryID + `","webhook_id":"whk_1","test_id":"test_1","event":"test.failed","status":"pending",
"replay_of":"` + sourceID + `","created_at":"2026-11-21T12:00:00.000Z","next_attempt_at":"2026-11-21T12:00:00.000Z","attempts":[]}`)}, nil
}

func (w webhookCommands) ReplayRange(_ context.Context, call service.Call, id, replayID string, replay service.NewReplay) (service.Replay, error) {
	w.on.commands.note(call, replayID)
	w.on.replayed = append(w.on.replayed, replay)
	return service.Replay{ID: &replayID, WebhookID: id, From: domain.At(noon), To: domain.At(noon), Status: webhook.Undelivered, Count: 3}, nil
}

func (w webhookCommands) DeleteWebhook(ctx context.Context, call service.Call, id string) error {
	_, err := w.on.webhooks.Get(ctx, call.Principal, id)
	w.on.webhooks.mu.Lock()
	defer w.on.webhooks.mu.Unlock()
	delete(w.on.webhooks.rows, id)
	return err
}

// personaCommands keeps custom personas in memory, as their stream would.
type personaCommands struct{ on *served }

func (c personaCommands) put(ctx context.Context, call service.Call, id string, draft persona.Draft) (projections.Document[personas.Document], error) {
	p := draft.Persona(id)
	shown, err := json.Marshal(struct {
		persona.Draft
		ID        string `json:"id"`
		CreatedAt string `json:"created_at"`
		UpdatedAt string `json:"updated_at"`
	}{persona.Draft{Name: p.Name, Summary: p.Summary, Facets: p.Facets}, id, "2026-11-21T12:00:00.000Z", "2026-11-21T12:00:00.000Z"})
	if err != nil {
		return projections.Document[personas.Document]{}, err
	}
	revision := uint64(0)
	if before, err := c.on.personas.Get(ctx, call.Principal, id); err == nil {
		revision = before.Revision + 1
	}
	c.on.personas.put(call.Principal, id, revision, string(shown))
	return c.on.personas.Get(ctx, call.Principal, id)
}

func (c personaCommands) CreatePersona(ctx context.Context, call service.Call, id string, draft persona.Draft) (projections.Document[personas.Document], error) {
	c.on.commands.note(call, id)
	return c.put(ctx, call, id, draft)
}

func (c personaCommands) ChangePersona(ctx context.Context, call service.Call, id string, patch json.RawMessage) (projections.Document[personas.Document], error) {
	c.on.commands.note(call, id)
	doc, err := c.on.personas.Get(ctx, call.Principal, id)
	if err != nil {
		return doc, err
	}
	var draft persona.Draft
	if err := json.Unmarshal(doc.JSON, &draft); err != nil {
		return doc, err
	}
	if draft, err = draft.Merge(patch); err != nil {
		return doc, err
	}
	return c.put(ctx, call, id, draft)
}

func (c personaCommands) DeletePersona(ctx context.Context, call service.Call, id string) error {
	c.on.commands.note(call, id)
	_, err := c.on.personas.Get(ctx, call.Principal, id)
	c.on.personas.mu.Lock()
	defer c.on.personas.mu.Unlock()
	delete(c.on.personas.rows, id)
	return err
}

// organizations takes changes and makes none.
type organizations struct {
	calls []service.Call
	asked []account.Change
	plans []account.Plan
	err   error
}

func (o *organizations) ChangePlan(ctx context.Context, call service.Call, plan account.Plan) (projections.Document[accounts.Document], error) {
	o.calls, o.plans = append(o.calls, call), append(o.plans, plan)
	return o.organization(ctx, call.Principal)
}

func (o *organizations) organization(_ context.Context, p service.Principal) (projections.Document[accounts.Document], error) {
	return projections.Document[accounts.Document]{JSON: []byte(`{"id":"` + p.OrganizationID + `","name":"Acme","plan":"team",
"quality_gate":{"threshold":0.7,"criteria":{"trust":0.8}},"created_at":"2026-11-21T12:00:00.000Z"}`), Revision: 4}, o.err
}

func (o *organizations) ChangeOrganization(ctx context.Context, call service.Call, change account.Change) (projections.Document[accounts.Document], error) {
	o.calls, o.asked = append(o.calls, call), append(o.asked, change)
	return o.organization(ctx, call.Principal)
}

type stream struct {
	served []string
	err    error
	// upgrade makes it a real WebSocket that says one thing.
	upgrade bool
}

func (s *stream) ServeEvents(w http.ResponseWriter, _ *http.Request, organizationID string, env domain.Environment, after *uint64) error {
	if s.err != nil {
		return s.err
	}
	from := "now on"
	if after != nil {
		from = "after " + strconv.FormatUint(*after, 10)
	}
	s.served = append(s.served, organizationID+" "+string(env)+" "+from)
	w.WriteHeader(http.StatusSwitchingProtocols)
	return nil
}

func (s *stream) ServeStream(w http.ResponseWriter, r *http.Request, _, testID string, after uint64) error {
	if s.err != nil {
		return s.err
	}
	if s.upgrade {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return err
		}
		if err := conn.Write(r.Context(), websocket.MessageText, []byte(testID)); err != nil {
			return err
		}
		return conn.Close(websocket.StatusNormalClosure, "")
	}
	s.served = append(s.served, fmt.Sprintf("%s after %d", testID, after))
	w.WriteHeader(http.StatusSwitchingProtocols)
	return nil
}

// ledger has two groups, and a quota in live environments.
type ledger struct{ asked []usage.Query }

func (l *ledger) Quota(_ context.Context, p service.Principal) (account.Quota, error) {
	q := account.Quota{Plan: account.Team, Used: 7, Reserved: 3, Month: "2026-11"}
	if p.Plan == account.Free {
		q.Plan, q.Limit = account.Free, 500
	}
	return q, nil
}

func (l *ledger) Usage(_ context.Context, _ service.Principal, which usage.Query) (service.Page[usage.Sum], error) {
	l.asked = append(l.asked, which)
	all := []usage.Sum{{Group: "2026-11-21", Tests: 1, Sessions: 10, Used: 7, Reserved: 3}, {Group: "2026-11-20", Tests: 2, Sessions: 5, Returned: 5}}
	if which.After == "" && which.Limit == 1 {
		doc, err := projections.Made(all[0].Group, all[0], 0)
		return service.Page[usage.Sum]{Items: []projections.Document[usage.Sum]{doc}, Next: all[0].Group}, err
	}
	page := service.Page[usage.Sum]{}
	for _, sum := range all {
		doc, err := projections.Made(sum.Group, sum, 0)
		if err != nil {
			return page, err
		}
		if which.After == "" || sum.Group < which.After {
			page.Items = append(page.Items, doc)
		}
	}
	return page, nil
}

type rates struct {
	mu   sync.Mutex
	used map[string]int
}

func (r *rates) Take(_ context.Context, bucket string, limit int, now time.Time) (int, time.Time, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	window := now.Truncate(time.Minute)
	key := bucket + window.String()
	r.used[key] = min(r.used[key]+1, limit+1)
	return r.used[key], window.Add(time.Minute), nil
}

func (r *rates) Full(bucket string, limit int, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used[bucket+now.Truncate(time.Minute).String()] >= limit
}

// requests remembers POSTs in memory.
type requests struct {
	mu   sync.Mutex
	rows map[string]httpapi.StoredRequest
	err  error // of Finish
}

func (r *requests) Begin(_ context.Context, keyID, key, operation string, hash []byte, resourceID string, _ time.Time) (httpapi.StoredRequest, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rows == nil {
		r.rows = map[string]httpapi.StoredRequest{}
	}
	if row, ok := r.rows[keyID+key]; ok {
		return row, false, nil
	}
	row := httpapi.StoredRequest{Operation: operation, BodyHash: hash, ResourceID: resourceID}
	r.rows[keyID+key] = row
	return row, true, nil
}

func (r *requests) Finish(_ context.Context, keyID, key string, status int, headers map[string]string, response []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	row := r.rows[keyID+key]
	row.Finished, row.Status, row.Headers, row.Response = true, status, maps.Clone(headers), response
	r.rows[keyID+key] = row
	return nil
}

func (r *requests) Release(_ context.Context, keyID, key string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.rows, keyID+key)
	return nil
}
