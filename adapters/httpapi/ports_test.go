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
	"understudy/domain"
	"understudy/domain/account"
	"understudy/domain/persona"
)

// documents is a read model in memory, in the order of insertion.
type documents struct {
	mu    sync.Mutex
	order []string
	rows  map[string]row
	asked httpapi.ListQuery
	err   error
}

type row struct {
	owner httpapi.Principal
	doc   httpapi.Document
}

func (d *documents) put(owner httpapi.Principal, id string, revision uint64, json string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rows == nil {
		d.rows = map[string]row{}
	}
	if _, known := d.rows[id]; !known {
		d.order = append(d.order, id)
	}
	d.rows[id] = row{owner, httpapi.Document{JSON: []byte(json), Revision: revision}}
}

func visible(r row, p httpapi.Principal) bool {
	return r.owner.OrganizationID == p.OrganizationID && r.owner.Environment == p.Environment
}

func (d *documents) Get(_ context.Context, p httpapi.Principal, id string) (httpapi.Document, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return httpapi.Document{}, d.err
	}
	r, ok := d.rows[id]
	if !ok || !visible(r, p) {
		return httpapi.Document{}, domain.Refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return r.doc, nil
}

func (d *documents) List(_ context.Context, p httpapi.Principal, q httpapi.ListQuery) (httpapi.ListedPage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = q
	var page httpapi.ListedPage
	passed := q.After == ""
	for _, id := range slices.Backward(d.order) {
		if r := d.rows[id]; passed && visible(r, p) {
			if len(page.Items) == q.Limit {
				return page, nil
			}
			page.Items = append(page.Items, r.doc.JSON)
			page.Next = id
		}
		passed = passed || id == q.After
	}
	page.Next = ""
	return page, nil
}

// commands makes tests and reports in memory.
type commands struct {
	*service
	mu    sync.Mutex
	calls []httpapi.Call
	ids   []string
	last  httpapi.NewTest
	// before runs ahead of a creation and can fail it.
	before func() error
}

func (c *commands) note(call httpapi.Call, id string) func() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls, c.ids = append(c.calls, call), append(c.ids, id)
	return c.before
}

func (c *commands) Create(_ context.Context, call httpapi.Call, id string, test httpapi.NewTest) (httpapi.Document, error) {
	c.mu.Lock()
	c.last = test
	c.mu.Unlock()
	if before := c.note(call, id); before != nil {
		if err := before(); err != nil {
			return httpapi.Document{}, err
		}
	}
	c.tests.put(call.Principal, id, 0, testJSON(id, test))
	return c.tests.Get(context.Background(), call.Principal, id)
}

func (c *commands) Cancel(ctx context.Context, call httpapi.Call, id string) (httpapi.Document, error) {
	c.note(call, id)
	doc, err := c.tests.Get(ctx, call.Principal, id)
	if err != nil {
		return doc, err
	}
	if strings.Contains(string(doc.JSON), `"status":"completed"`) {
		return doc, domain.Refuse(domain.CodeWrongState, "a completed test cannot be cancelled")
	}
	c.tests.put(call.Principal, id, 1, strings.Replace(string(doc.JSON), `"status":"running"`, `"status":"cancelled"`, 1))
	return c.tests.Get(ctx, call.Principal, id)
}

func (c *commands) Generate(ctx context.Context, call httpapi.Call, testID, id string, _ httpapi.NewReport) (httpapi.Document, error) {
	c.note(call, id)
	c.reports.put(call.Principal, id, 3, reportJSON(id, testID))
	return c.reports.Get(ctx, call.Principal, id)
}

type webhookCommands struct{ *service }

func (w webhookCommands) Register(ctx context.Context, call httpapi.Call, id string, hook httpapi.NewWebhook) (httpapi.Document, error) {
	w.commands.note(call, id)
	body := `{"id":"` + id + `","url":"` + hook.URL + `","events":["test.completed"],"status":"enabled","created_at":"2026-11-21T12:00:00.000Z"`
	w.webhooks.put(call.Principal, id, 0, body+"}")
	return httpapi.Document{JSON: []byte(body + `,"secret":"whsec_` + id + `"}`)}, nil
}

// hookJSON is an endpoint as the read model has it.
func hookJSON(id, rest string) string {
	return `{"id":"` + id + `","url":"https://e.x/h","events":["test.completed"],"status":"enabled","created_at":"2026-11-21T12:00:00.000Z"` + rest + "}"
}

func (w webhookCommands) Change(ctx context.Context, call httpapi.Call, id string, change httpapi.WebhookChange) (httpapi.Document, error) {
	w.changed = append(w.changed, change)
	return w.webhooks.Get(ctx, call.Principal, id)
}

func (w webhookCommands) Enable(ctx context.Context, call httpapi.Call, id string) (httpapi.Document, error) {
	w.commands.note(call, id)
	return w.webhooks.Get(ctx, call.Principal, id)
}

func (w webhookCommands) RotateSecret(ctx context.Context, call httpapi.Call, id, rotationID, secret string) (httpapi.Document, error) {
	w.commands.note(call, rotationID)
	if _, err := w.webhooks.Get(ctx, call.Principal, id); err != nil {
		return httpapi.Document{}, err
	}
	if secret == "" {
		secret = "whsec_" + rotationID
	}
	rotation := `,"secret_rotation":{"started_at":"2026-11-21T12:00:00.000Z","ends_at":"2026-11-22T12:00:00.000Z"}`
	w.webhooks.put(call.Principal, id, 1, hookJSON(id, rotation))
	return httpapi.Document{JSON: []byte(hookJSON(id, rotation+`,"secret":"`+secret+`"`)), Revision: 1}, nil
}

func (w webhookCommands) PromoteSecret(ctx context.Context, call httpapi.Call, id string) (httpapi.Document, error) {
	return w.Enable(ctx, call, id)
}

func (w webhookCommands) Ping(_ context.Context, call httpapi.Call, id, deliveryID string) (httpapi.Document, error) {
	w.commands.note(call, deliveryID)
	return httpapi.Document{JSON: []byte(`{"id":"` + deliveryID + `","webhook_id":"` + id + `","test_id":"","event":"ping","status":"pending",
"created_at":"2026-11-21T12:00:00.000Z","next_attempt_at":"2026-11-21T12:00:00.000Z","attempts":[]}`)}, nil
}

func (w webhookCommands) Replay(_ context.Context, call httpapi.Call, sourceID, deliveryID string) (httpapi.Document, error) {
	w.commands.note(call, deliveryID)
	return httpapi.Document{JSON: []byte(`{"id":"` + deliveryID + `","webhook_id":"whk_1","test_id":"test_1","event":"test.failed","status":"pending",
"replay_of":"` + sourceID + `","created_at":"2026-11-21T12:00:00.000Z","next_attempt_at":"2026-11-21T12:00:00.000Z","attempts":[]}`)}, nil
}

func (w webhookCommands) ReplayRange(_ context.Context, call httpapi.Call, id, replayID string, replay httpapi.NewReplay) (httpapi.Document, error) {
	w.commands.note(call, replayID)
	w.replayed = append(w.replayed, replay)
	return httpapi.Document{JSON: []byte(`{"id":"` + replayID + `","webhook_id":"` + id + `","from":"2026-11-21T12:00:00.000Z","to":"2026-11-21T12:00:00.000Z",
"status":"undelivered","count":3,"preview":false}`)}, nil
}

func (w webhookCommands) Delete(ctx context.Context, call httpapi.Call, id string) error {
	_, err := w.webhooks.Get(ctx, call.Principal, id)
	w.webhooks.mu.Lock()
	defer w.webhooks.mu.Unlock()
	delete(w.webhooks.rows, id)
	return err
}

// personaCommands keeps custom personas in memory, as their stream would.
type personaCommands struct{ *service }

func (c personaCommands) put(ctx context.Context, call httpapi.Call, id string, draft persona.Draft) (httpapi.Document, error) {
	p := draft.Persona(id)
	shown, err := json.Marshal(struct {
		persona.Draft
		ID        string `json:"id"`
		CreatedAt string `json:"created_at"`
		UpdatedAt string `json:"updated_at"`
	}{persona.Draft{Name: p.Name, Summary: p.Summary, Facets: p.Facets}, id, "2026-11-21T12:00:00.000Z", "2026-11-21T12:00:00.000Z"})
	if err != nil {
		return httpapi.Document{}, err
	}
	revision := uint64(0)
	if before, err := c.personas.Get(ctx, call.Principal, id); err == nil {
		revision = before.Revision + 1
	}
	c.personas.put(call.Principal, id, revision, string(shown))
	return c.personas.Get(ctx, call.Principal, id)
}

func (c personaCommands) Create(ctx context.Context, call httpapi.Call, id string, draft httpapi.NewPersona) (httpapi.Document, error) {
	c.commands.note(call, id)
	return c.put(ctx, call, id, draft)
}

func (c personaCommands) Change(ctx context.Context, call httpapi.Call, id string, patch httpapi.PersonaPatch) (httpapi.Document, error) {
	c.commands.note(call, id)
	doc, err := c.personas.Get(ctx, call.Principal, id)
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

func (c personaCommands) Delete(ctx context.Context, call httpapi.Call, id string) error {
	c.commands.note(call, id)
	_, err := c.personas.Get(ctx, call.Principal, id)
	c.personas.mu.Lock()
	defer c.personas.mu.Unlock()
	delete(c.personas.rows, id)
	return err
}

// organizations takes changes and makes none.
type organizations struct {
	calls []httpapi.Call
	asked []account.ChangeQualityGate
	err   error
}

func (o *organizations) Organization(_ context.Context, p httpapi.Principal) (httpapi.Document, error) {
	return httpapi.Document{JSON: []byte(`{"id":"` + p.OrganizationID + `","name":"Acme","plan":"team",
"quality_gate":{"threshold":0.7,"criteria":{"trust":0.8}},"created_at":"2026-11-21T12:00:00.000Z"}`), Revision: 4}, o.err
}

func (o *organizations) ChangeQualityGate(ctx context.Context, call httpapi.Call, change account.ChangeQualityGate) (httpapi.Document, error) {
	o.calls, o.asked = append(o.calls, call), append(o.asked, change)
	return o.Organization(ctx, call.Principal)
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

func (s *stream) ServeStream(w http.ResponseWriter, r *http.Request, testID string, after uint64) error {
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
