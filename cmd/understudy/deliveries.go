package main

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/keyring"
	"understudy/adapters/postgres"
	"understudy/adapters/webhooksender"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/worklist"
)

// deliveryJobs is the worklist of deliveries as the sender sees it.
type deliveryJobs struct {
	pool      *pgxpool.Pool
	leases    *postgres.Leases
	positions *projections.Positions
}

// Claim leases due deliveries.
func (j deliveryJobs) Claim(ctx context.Context, owner string, limit int, ttl time.Duration, exclude []string) ([]webhooksender.Job, time.Time, error) {
	due, next, err := worklist.ClaimDeliveries(ctx, j.pool, owner, limit, ttl, exclude)
	jobs := make([]webhooksender.Job, len(due))
	for i, d := range due {
		jobs[i] = webhooksender.Job{DeliveryID: d.Stream[len(delivery.StreamPrefix):], Endpoint: d.WebhookID, Attempts: d.Attempt}
	}
	return jobs, next, err
}

// Release ends leases once the worklist shows position.
func (j deliveryJobs) Release(ctx context.Context, owner string, jobs []webhooksender.Job, position uint64) error {
	if position > 0 { // 0: nothing was recorded
		if err := j.positions.WaitOwnWrite(ctx, worklist.Projection.Name, position); err != nil {
			return err
		}
	}
	names := make([]string, len(jobs))
	for i, job := range jobs {
		names[i] = worklist.Item{Kind: worklist.Deliver, Stream: delivery.Stream(job.DeliveryID)}.LeaseName()
	}
	return j.leases.Release(ctx, names, owner)
}

// deliveryRecords reads and writes the streams of deliveries.
type deliveryRecords struct {
	streams   *streams
	keys      *keyring.Keyring
	endpoints *endpointStates
}

// Load is what the next attempt of a delivery sends. A delivery whose endpoint
// is disabled or gone is recorded as skipped.
func (r deliveryRecords) Load(ctx context.Context, job webhooksender.Job) (webhooksender.Delivery, uint64, error) {
	var none webhooksender.Delivery
	deliveryID := job.DeliveryID
	// What this process knows is enough when the worklist, by which the job was
	// claimed, knows no more: nobody else works on it while the lease lasts, and
	// the append finds out if somebody did after all.
	loaded, kept := r.streams.deliveries.Kept(delivery.Stream(deliveryID))
	if !kept || loaded.State.Status != delivery.Pending || loaded.State.Attempts != job.Attempts {
		var err error
		if loaded, err = r.streams.deliveries.Load(ctx, delivery.Stream(deliveryID)); err != nil {
			return none, 0, err
		}
	}
	d := loaded.State
	// A worklist that knows of fewer attempts is behind: when the next one is
	// due, it will say.
	if d.Status != delivery.Pending || d.Attempts > job.Attempts {
		return none, loaded.Position, webhooksender.ErrNothingToSend
	}
	endpoint, err := r.endpoints.now(ctx, d.Delivery.WebhookID)
	if err != nil {
		return none, 0, err
	}
	tried := d.Delivery.Ping && endpoint.Status == webhook.StatusDisabled
	if endpoint.Status != webhook.Enabled && !tried {
		position, err := r.skip(ctx, d, string(endpoint.Status))
		return none, position, err
	}
	secrets, err := r.secrets(endpoint, d.Delivery.WebhookID)
	if err != nil {
		return none, 0, err
	}
	return webhooksender.Delivery{
		ID: deliveryID, Message: d.Delivery.Message(), URL: endpoint.Webhook.URL, Event: d.Delivery.EventName,
		Body: []byte(d.Delivery.Body), Attempt: d.Attempts + 1,
		Secrets: secrets,
		TestID:  d.Delivery.TestID, OrganizationID: d.Delivery.OrganizationID, Environment: d.Delivery.Environment,
	}, 0, nil
}

// secrets are those that an endpoint's deliveries are signed with now.
func (r deliveryRecords) secrets(endpoint webhook.State, webhookID string) (s webhooksender.Secrets, err error) {
	current, previous := endpoint.Secrets(time.Now())
	if s.Current, err = r.keys.OpenString(current, secretPlace(webhookID)); err != nil || previous == "" {
		return s, err
	}
	s.Previous, err = r.keys.OpenString(previous, secretPlace(webhookID))
	return s, err
}

func (r deliveryRecords) skip(ctx context.Context, d delivery.State, reason string) (position uint64, err error) {
	s := d.Delivery
	result, err := r.streams.deliveries.Handle(ctx, domain.DeriveUUID(s.DeliveryID, "skip"), delivery.Stream(s.DeliveryID),
		delivery.Skip{Reason: reason, Now: now()}, senderMeta(s.DeliveryID, s.TestID, s.OrganizationID, s.Environment))
	if err != nil {
		return 0, err
	}
	return result.Position, webhooksender.ErrNothingToSend
}

// Record records an attempt.
func (r deliveryRecords) Record(ctx context.Context, d webhooksender.Delivery, at time.Time, out webhooksender.Outcome) (position uint64, err error) {
	result, err := r.streams.deliveries.Handle(ctx, domain.DeriveUUID(d.ID, "attempt", itoa(d.Attempt)), delivery.Stream(d.ID),
		delivery.RecordAttempt{
			Attempt: d.Attempt, Delivered: out.OK, StatusCode: out.StatusCode, Error: out.Error,
			LatencyMS: out.Latency.Milliseconds(), Response: out.ResponseText(), Now: domain.At(at),
		}, senderMeta(d.ID, d.TestID, d.OrganizationID, d.Environment))
	return result.Position, err
}

func senderMeta(deliveryID, testID, organizationID string, env domain.Environment) domain.Meta {
	return domain.Meta{CorrelationID: cmp.Or(testID, deliveryID), Actor: "sender", OrganizationID: organizationID, Environment: env}
}
