package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/egress"
	"understudy/adapters/httpapi"
	"understudy/adapters/keyring"
	"understudy/adapters/postgres"
	"understudy/adapters/webhooksender"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/webhooks"
	"understudy/projections/worklist"
)

// webhookCommands registers and deletes endpoints.
type webhookCommands struct {
	streams   *streams
	pool      *pgxpool.Pool
	positions *projections.Positions
	ready     *readiness
	egress    *egress.Policy
	keys      *keyring.Keyring
}

// Register makes an endpoint and answers with its secret, the only time.
func (c *webhookCommands) Register(ctx context.Context, call httpapi.Call, webhookID string, in httpapi.NewWebhook) (httpapi.Document, error) {
	if err := c.egress.CheckURL(ctx, in.URL); err != nil {
		return httpapi.Document{}, err
	}
	if err := c.ready.accepts(webhooks.Projection.Name); err != nil {
		return httpapi.Document{}, err
	}
	secret := in.Secret
	if secret == "" {
		secret = webhooksender.GenerateSecret()
	}
	sealed, err := c.keys.SealString(secret, secretPlace(webhookID))
	if err != nil {
		return httpapi.Document{}, err
	}
	p := call.Principal
	registered := webhook.Registered{
		WebhookID: webhookID, OrganizationID: p.OrganizationID, Environment: p.Environment,
		URL: in.URL, Events: []string{}, Secret: sealed, At: now(),
	}
	for _, e := range in.Events {
		registered.Events = append(registered.Events, string(e))
	}
	result, err := c.streams.webhooks.Handle(ctx, call.CommandID, webhook.Stream(webhookID), webhook.Register{Webhook: registered}, call.Meta)
	if err != nil {
		return httpapi.Document{}, err
	}
	// A retry must show the secret that was recorded the first time.
	if secret, err = c.keys.OpenString(result.State.Webhook.Secret, secretPlace(webhookID)); err != nil {
		return httpapi.Document{}, err
	}
	if err := c.positions.WaitOwnWrite(ctx, webhooks.Projection.Name, result.Position); err != nil {
		return httpapi.Document{}, err
	}
	d, err := webhooks.Get(ctx, c.pool, webhookID, ownerOf(p))
	if err != nil {
		return httpapi.Document{}, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(d.JSON, &fields); err != nil {
		return httpapi.Document{}, err
	}
	if fields["secret"], err = json.Marshal(secret); err != nil {
		return httpapi.Document{}, err
	}
	full, err := json.Marshal(fields)
	return httpapi.Document{JSON: full, Revision: d.Revision}, err
}

// Delete removes an endpoint. What still waits for it is skipped.
func (c *webhookCommands) Delete(ctx context.Context, call httpapi.Call, webhookID string) error {
	if _, err := webhooks.Get(ctx, c.pool, webhookID, ownerOf(call.Principal)); err != nil {
		return err
	}
	if err := c.ready.accepts(webhooks.Projection.Name); err != nil {
		return err
	}
	result, err := c.streams.webhooks.Handle(ctx, call.CommandID, webhook.Stream(webhookID), webhook.Delete{Now: now()}, call.Meta)
	if err != nil {
		return err
	}
	return c.positions.WaitOwnWrite(ctx, webhooks.Projection.Name, result.Position)
}

func secretPlace(webhookID string) string { return "webhook secret " + webhookID }

// deliveryJobs is the worklist of deliveries as the sender sees it.
type deliveryJobs struct {
	pool   *pgxpool.Pool
	leases *postgres.Leases
}

// NextDue is when the first delivery that is not due yet will be.
func (j deliveryJobs) NextDue(ctx context.Context) (time.Time, error) {
	return worklist.NextDelivery(ctx, j.pool)
}

// Claim leases due deliveries.
func (j deliveryJobs) Claim(ctx context.Context, owner string, limit int, ttl time.Duration, exclude []string) ([]webhooksender.Job, error) {
	if exclude == nil {
		exclude = []string{}
	}
	due, err := worklist.DueDeliveries(ctx, j.pool, limit, exclude)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	names := make([]string, len(due))
	byName := map[string]webhooksender.Job{}
	for i, d := range due {
		names[i] = d.LeaseName()
		byName[names[i]] = webhooksender.Job{DeliveryID: d.Stream[len(delivery.StreamPrefix):], Endpoint: d.WebhookID}
	}
	claimed, err := j.leases.Claim(ctx, names, owner, ttl)
	jobs := make([]webhooksender.Job, len(claimed))
	for i, name := range claimed {
		jobs[i] = byName[name]
	}
	return jobs, err
}

// Release ends leases.
func (j deliveryJobs) Release(ctx context.Context, owner string, jobs []webhooksender.Job) error {
	names := make([]string, len(jobs))
	for i, job := range jobs {
		names[i] = worklist.Item{Kind: worklist.Deliver, Stream: delivery.Stream(job.DeliveryID)}.LeaseName()
	}
	return j.leases.Release(ctx, names, owner)
}

// deliveryRecords reads and writes the streams of deliveries.
type deliveryRecords struct {
	streams   *streams
	positions *projections.Positions
	keys      *keyring.Keyring
}

// Load is what the next attempt of a delivery sends. A delivery whose endpoint
// is disabled or gone is recorded as skipped.
func (r deliveryRecords) Load(ctx context.Context, deliveryID string) (webhooksender.Delivery, error) {
	var none webhooksender.Delivery
	loaded, err := r.streams.deliveries.Load(ctx, delivery.Stream(deliveryID))
	if err != nil {
		return none, err
	}
	d := loaded.State
	if d.Status != delivery.Pending {
		return none, webhooksender.ErrNothingToSend
	}
	endpoint, err := r.streams.webhooks.Load(ctx, webhook.Stream(d.Delivery.WebhookID))
	if err != nil && !errors.Is(err, eventstore.ErrStreamNotFound) {
		return none, err
	}
	if endpoint.State.Status != webhook.Enabled {
		return none, r.skip(ctx, d, string(endpoint.State.Status))
	}
	secret, err := r.keys.OpenString(endpoint.State.Webhook.Secret, secretPlace(d.Delivery.WebhookID))
	if err != nil {
		return none, err
	}
	return webhooksender.Delivery{
		ID: deliveryID, URL: endpoint.State.Webhook.URL, Event: d.Delivery.EventName,
		Body: []byte(d.Delivery.Body), Attempt: d.Attempts + 1,
		Secrets: webhooksender.Secrets{Current: secret},
	}, nil
}

func (r deliveryRecords) skip(ctx context.Context, d delivery.State, reason string) error {
	id := d.Delivery.DeliveryID
	result, err := r.streams.deliveries.Handle(ctx, domain.DeriveUUID(id, "skip"), delivery.Stream(id),
		delivery.Skip{Reason: reason, Now: now()}, senderMeta(d.Delivery))
	if err != nil {
		return err
	}
	if err := r.positions.WaitOwnWrite(ctx, worklist.Projection.Name, result.Position); err != nil {
		return err
	}
	return webhooksender.ErrNothingToSend
}

// Record records an attempt and returns once the worklist knows of it.
func (r deliveryRecords) Record(ctx context.Context, deliveryID string, attempt int, at time.Time, out webhooksender.Outcome) error {
	loaded, err := r.streams.deliveries.Load(ctx, delivery.Stream(deliveryID))
	if err != nil {
		return err
	}
	result, err := r.streams.deliveries.Handle(ctx, domain.DeriveUUID(deliveryID, "attempt", itoa(attempt)), delivery.Stream(deliveryID),
		delivery.RecordAttempt{
			Attempt: attempt, Delivered: out.OK, StatusCode: out.StatusCode, Error: out.Error,
			LatencyMS: out.Latency.Milliseconds(), Response: out.ResponseText(), Now: domain.At(at),
		}, senderMeta(loaded.State.Delivery))
	if err != nil {
		return err
	}
	return r.positions.WaitOwnWrite(ctx, worklist.Projection.Name, result.Position)
}

func senderMeta(d delivery.Scheduled) domain.Meta {
	return domain.Meta{
		CorrelationID: d.TestID, Actor: "sender", OrganizationID: d.OrganizationID, Environment: d.Environment,
	}
}
