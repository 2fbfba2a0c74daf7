package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/projections/webhooks"
)

// Webhooks is the use cases of endpoints and what is delivered to them.
type Webhooks interface {
	Webhooks(ctx context.Context, p service.Principal, q service.Query) (service.Page[webhooks.Document], error)
	Webhook(ctx context.Context, p service.Principal, id string) (projections.Document[webhooks.Document], error)
	RegisterWebhook(ctx context.Context, call service.Call, webhookID string, in service.NewWebhook) (service.WithSecret, error)
	ChangeWebhook(ctx context.Context, call service.Call, webhookID string, in service.WebhookChange) (projections.Document[webhooks.Document], error)
	PauseWebhook(ctx context.Context, call service.Call, webhookID string) (projections.Document[webhooks.Document], error)
	EnableWebhook(ctx context.Context, call service.Call, webhookID string) (projections.Document[webhooks.Document], error)
	RotateSecret(ctx context.Context, call service.Call, webhookID, rotationID, secret string) (service.WithSecret, error)
	PromoteSecret(ctx context.Context, call service.Call, webhookID string) (projections.Document[webhooks.Document], error)
	DeleteWebhook(ctx context.Context, call service.Call, webhookID string) error
	PingWebhook(ctx context.Context, call service.Call, webhookID, deliveryID string) (projections.Document[deliveries.Document], error)
	Deliveries(ctx context.Context, p service.Principal, q service.Query) (service.Page[deliveries.Document], error)
	Delivery(ctx context.Context, p service.Principal, id string) (projections.Document[deliveries.Document], error)
	ReplayDelivery(ctx context.Context, call service.Call, sourceID, deliveryID string) (projections.Document[deliveries.Document], error)
	ReplayRange(ctx context.Context, call service.Call, webhookID, replayID string, in service.NewReplay) (service.Replay, error)
}

// webhookRoutes are the pages of endpoints and of what was delivered to them.
func (d *Dashboard) webhookRoutes() map[string]signedIn {
	routes := map[string]signedIn{
		"GET /webhooks": d.webhooks, "GET /webhooks/new": d.newWebhookPage, "POST /webhooks": d.registerWebhook,
		"GET /webhooks/{id}": d.webhook, "POST /webhooks/{id}": d.changeWebhook, "POST /webhooks/{id}/test": d.testWebhook,
		"POST /webhooks/{id}/rotate": d.rotateSecret, "POST /webhooks/{id}/delete": d.deleteWebhook,
		"POST /webhooks/{id}/pause":   d.toWebhook("No deliveries go there until it is enabled.", Webhooks.PauseWebhook),
		"POST /webhooks/{id}/enable":  d.toWebhook("Deliveries go there again. The count of failures starts from 0.", Webhooks.EnableWebhook),
		"POST /webhooks/{id}/promote": d.toWebhook("The new secret alone counts now.", Webhooks.PromoteSecret),
		"GET /webhooks/{id}/replay":   d.replayPage, "POST /webhooks/{id}/replay": d.replay,
		"GET /deliveries/{id}": d.delivery, "POST /deliveries/{id}/replay": d.replayDelivery,
	}
	for pattern, page := range routes {
		routes[pattern] = d.only(access.Webhooks, page)
	}
	return routes
}

// eventWords say when an event is sent.
var eventWords = map[string]string{
	"test.started": "a test begins", "test.progress": "another tenth of a test’s sessions has ended", "test.completed": "a test ends with its report",
	"test.failed": "a test cannot be finished", "quality_gate.passed": "a test passes its quality gate", "quality_gate.failed": "a test fails its quality gate",
	"ping": "somebody tries the endpoint",
}

// hookRow is an endpoint in a list, with its last delivery.
type hookRow struct {
	placed[webhooks.Document]
	Last *deliveries.Document
}

// Paused: its owner wants no deliveries.
func (h hookRow) Paused() bool {
	return h.Doc.DisabledReason != nil && *h.Doc.DisabledReason == webhooks.Paused
}

// Status is that of the endpoint.
func (h hookRow) Status() webhook.Status { return h.Doc.Status }

// All: it gets all events.
func (h hookRow) All() bool { return len(h.Doc.Events) == len(webhook.Names) }

// hooksPage is a part of the endpoints of an organization.
type hooksPage struct {
	Hooks []hookRow
	Next  string
}

// hooksShown is how many endpoints a page lists: each with a question for its last delivery.
const hooksShown = 50

func (d *Dashboard) webhooks(w http.ResponseWriter, r *http.Request, who service.Principal) {
	listed, next, err := inBoth(r.Context(), who, "", service.Query{Limit: hooksShown, After: r.URL.Query().Get("after")}, d.Webhooks.Webhooks)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	page := hooksPage{Next: older("/webhooks", nil, next)}
	for _, hook := range listed {
		last, err := d.Webhooks.Deliveries(r.Context(), in(who, hook.Environment), service.Query{WebhookID: hook.Doc.ID, Limit: 1})
		if err != nil {
			d.fail(w, r, err)
			return
		}
		row := hookRow{placed: hook}
		found, err := decoded(last)
		if err != nil {
			d.fail(w, r, err)
			return
		}
		if len(found) > 0 {
			row.Last = &found[0]
		}
		page.Hooks = append(page.Hooks, row)
	}
	d.show(w, r, http.StatusOK, "webhooks", view{Title: "Webhooks", Who: &who, Data: page})
}

// eventChoice is an event to choose.
type eventChoice struct {
	Name, When string
	Checked    bool
}

// eventChoices are all events, with those that were chosen; without any, all were.
func eventChoices(chosen []string) (out []eventChoice) {
	for _, name := range webhook.Names {
		out = append(out, eventChoice{name, eventWords[name], len(chosen) == 0 || slices.Contains(chosen, name)})
	}
	return out
}

func (d *Dashboard) newWebhookPage(w http.ResponseWriter, r *http.Request, who service.Principal) {
	d.show(w, r, http.StatusOK, "webhook_new", view{Title: "New webhook", Who: &who, Data: eventChoices(nil)})
}

// events are those that a form chose; all are as none to the use cases.
func eventsOf(form url.Values) ([]string, error) {
	chosen := form["events"]
	if len(chosen) == 0 {
		return nil, domain.Invalid("events", "required", "choose at least one event")
	}
	for _, name := range chosen {
		if !slices.Contains(webhook.Names, name) {
			return nil, domain.Invalid("events", "enum", "choose among these events")
		}
	}
	if len(chosen) == len(webhook.Names) {
		return []string{}, nil
	}
	return chosen, nil
}

func (d *Dashboard) registerWebhook(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	form := r.PostForm
	again := func(err error) {
		d.again(w, r, "webhook_new", view{Title: "New webhook", Who: &who, Data: eventChoices(form["events"])}, err)
	}
	events, err := eventsOf(form)
	if err != nil {
		again(err)
		return
	}
	if env := environmentOf(form.Get("environment")); env != "" {
		who.Environment = domain.Environment(env)
	}
	call, err := d.callIn(r, who)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	call, id, err := d.once(r, call, domain.PrefixWebhook)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	made, err := d.Webhooks.RegisterWebhook(r.Context(), call, id, service.NewWebhook{URL: strings.TrimSpace(form.Get("url")), Events: events})
	if err != nil {
		again(named(err, "url"))
		return
	}
	d.showWebhook(w, r, who, made, "The webhook is made.", nil)
}

// named is a refusal of an address that a form says beside its field.
func named(err error, field string) error {
	if refusal := (*domain.Error)(nil); errors.As(err, &refusal) && refusal.Code == domain.CodeTargetNotAllowed {
		return domain.Invalid(field, string(refusal.Code), "%s", refusal.Message)
	}
	return err
}

// hookPage is an endpoint with a part of its deliveries.
type hookPage struct {
	hookRow
	// Secret is set when it has just been made.
	Secret string
	Events []eventChoice
	// Deliveries are those that the filter lets through.
	Deliveries []deliveryRow
	Next       string
	Filter     url.Values
	Filtered   bool
	Statuses   []delivery.Status
	Names      []string
	// Missed is how many deliveries of the last 72 hours did not arrive.
	Missed int
	// Rotating: both secrets count.
	Rotating bool
}

// deliveryFilters are what deliveries can be asked by.
var deliveryFilters = []string{"status", "event", "test", "from", "to"}

var deliveryStatuses = []delivery.Status{delivery.Pending, delivery.StatusDelivered, delivery.StatusAbandoned, delivery.StatusSkipped}

// deliveriesShown is how many deliveries a page lists.
const deliveriesShown = 20

func (d *Dashboard) webhook(w http.ResponseWriter, r *http.Request, who service.Principal) {
	doc, as, err := either(r.Context(), who, r.PathValue("id"), d.Webhooks.Webhook)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.showWebhook(w, r, as, service.WithSecret{Document: doc}, "", nil)
}

// showWebhook shows an endpoint, with what went wrong with it.
func (d *Dashboard) showWebhook(w http.ResponseWriter, r *http.Request, who service.Principal, of service.WithSecret, note string, wrong error) {
	hook, err := of.Decode()
	if err != nil {
		d.fail(w, r, err)
		return
	}
	page, err := d.hookPage(r, who, hook)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	page.Secret = of.Secret
	v := view{Title: "Webhook to " + shortOf(hook.URL), Who: &who, Note: note, Data: page}
	if wrong != nil {
		page.Events = eventChoices(r.PostForm["events"])
		v.Data = page
		d.again(w, r, "webhook", v, wrong)
		return
	}
	d.show(w, r, http.StatusOK, "webhook", v)
}

// shortOf is the host and path of an address, or the address.
func shortOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host + u.EscapedPath()
	}
	return address
}

func (d *Dashboard) hookPage(r *http.Request, who service.Principal, hook webhooks.Document) (hookPage, error) {
	form := r.URL.Query()
	page := hookPage{
		hookRow: hookRow{placed: placed[webhooks.Document]{who.Environment, hook}}, Events: eventChoices(hook.Events), Filter: form,
		Statuses: deliveryStatuses, Names: append(slices.Clone(webhook.Names), "ping"),
		Rotating: hook.SecretRotation != nil && time.Now().Before(hook.SecretRotation.EndsAt.Time),
	}
	q := service.Query{
		WebhookID: hook.ID, Status: form.Get("status"), Event: form.Get("event"), TestID: strings.TrimSpace(form.Get("test")),
		CreatedAfter: day(form.Get("from")), After: form.Get("after"), Limit: deliveriesShown,
	}
	if last := day(form.Get("to")); !last.IsZero() {
		q.CreatedBefore = last.AddDate(0, 0, 1)
	}
	page.Filtered = slices.ContainsFunc(deliveryFilters, func(name string) bool { return form.Get(name) != "" })
	listed, err := d.Webhooks.Deliveries(r.Context(), who, q)
	if err != nil {
		return page, err
	}
	found, err := decoded(listed)
	if err != nil {
		return page, err
	}
	for _, one := range found {
		page.Deliveries = append(page.Deliveries, deliveryRow{one})
	}
	page.Next = older("/webhooks/"+hook.ID, form, listed.Next, deliveryFilters...)
	if hook.Status == webhook.Enabled {
		call, err := d.callIn(r, who)
		if err != nil {
			return page, err
		}
		missed, err := d.Webhooks.ReplayRange(r.Context(), call, hook.ID, "", service.NewReplay{Which: webhook.Undelivered, Preview: true})
		if err != nil {
			return page, err
		}
		page.Missed = missed.Count
	}
	return page, nil
}

// onWebhook finds the endpoint of a form in either environment, and the call for it.
func (d *Dashboard) onWebhook(w http.ResponseWriter, r *http.Request, who service.Principal) (doc projections.Document[webhooks.Document], call service.Call, ok bool) {
	if !d.form(w, r) {
		return doc, call, false
	}
	doc, as, err := either(r.Context(), who, r.PathValue("id"), d.Webhooks.Webhook)
	if err == nil {
		call, err = d.callIn(r, as)
	}
	if err != nil {
		d.fail(w, r, err)
		return doc, call, false
	}
	return doc, call, true
}

// toWebhook does something with an endpoint that needs nothing else.
func (d *Dashboard) toWebhook(note string, do func(Webhooks, context.Context, service.Call, string) (projections.Document[webhooks.Document], error)) signedIn {
	return func(w http.ResponseWriter, r *http.Request, who service.Principal) {
		doc, call, ok := d.onWebhook(w, r, who)
		if !ok {
			return
		}
		if _, err := do(d.Webhooks, r.Context(), call, doc.ID); err != nil {
			d.showWebhook(w, r, call.Principal, service.WithSecret{Document: doc}, "", err)
			return
		}
		d.goOn(w, r, "/webhooks/"+doc.ID, note)
	}
}

func (d *Dashboard) changeWebhook(w http.ResponseWriter, r *http.Request, who service.Principal) {
	doc, call, ok := d.onWebhook(w, r, who)
	if !ok {
		return
	}
	address := strings.TrimSpace(r.PostFormValue("url"))
	events, err := eventsOf(r.PostForm)
	if err == nil {
		_, err = d.Webhooks.ChangeWebhook(r.Context(), call, doc.ID, service.WebhookChange{URL: &address, Events: &events})
	}
	if err != nil {
		d.showWebhook(w, r, call.Principal, service.WithSecret{Document: doc}, "", named(err, "url"))
		return
	}
	d.goOn(w, r, "/webhooks/"+doc.ID, "The webhook is changed. What still waits goes to the address that it has now.")
}

func (d *Dashboard) rotateSecret(w http.ResponseWriter, r *http.Request, who service.Principal) {
	doc, call, ok := d.onWebhook(w, r, who)
	if !ok {
		return
	}
	call, rotation, err := d.once(r, call, domain.PrefixWebhook)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	made, err := d.Webhooks.RotateSecret(r.Context(), call, doc.ID, rotation, "")
	if err != nil {
		d.showWebhook(w, r, call.Principal, service.WithSecret{Document: doc}, "", err)
		return
	}
	d.showWebhook(w, r, call.Principal, made, "The webhook has a new secret. For 24 hours each delivery is signed with both.", nil)
}

func (d *Dashboard) deleteWebhook(w http.ResponseWriter, r *http.Request, who service.Principal) {
	doc, call, ok := d.onWebhook(w, r, who)
	if !ok {
		return
	}
	if err := d.Webhooks.DeleteWebhook(r.Context(), call, doc.ID); err != nil {
		d.showWebhook(w, r, call.Principal, service.WithSecret{Document: doc}, "", err)
		return
	}
	d.goOn(w, r, "/webhooks", "The webhook is deleted. What still waited for it is skipped.")
}

func (d *Dashboard) testWebhook(w http.ResponseWriter, r *http.Request, who service.Principal) {
	doc, call, ok := d.onWebhook(w, r, who)
	if !ok {
		return
	}
	sent, err := d.Webhooks.PingWebhook(r.Context(), call, doc.ID, newID(domain.PrefixDelivery))
	if err != nil {
		d.showWebhook(w, r, call.Principal, service.WithSecret{Document: doc}, "", err)
		return
	}
	d.goOn(w, r, "/deliveries/"+sent.ID, "A test is on its way.")
}
