package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres"
	"understudy/adapters/service"
	"understudy/adapters/webhooksender"
	"understudy/domain"
	"understudy/domain/delivery"
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
	due, next, err := worklist.ClaimDeliveries(ctx, j.pool, owner, limit, ttl, exclude, nil)
	jobs := make([]webhooksender.Job, len(due))
	for i, d := range due {
		jobs[i] = webhooksender.Job{DeliveryID: d.Stream[len(delivery.StreamPrefix):], Endpoint: d.WebhookID, Attempts: d.Attempt, Traceparent: d.Traceparent}
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

// deliveryRecords is the service as the sender sees it.
type deliveryRecords struct{ *service.Sending }

// Load is what the next attempt of a delivery sends.
func (r deliveryRecords) Load(ctx context.Context, job webhooksender.Job) (webhooksender.Delivery, uint64, error) {
	next, position, err := r.Next(ctx, job.DeliveryID, job.Attempts)
	if err != nil {
		return webhooksender.Delivery{}, 0, err
	}
	if next == nil {
		return webhooksender.Delivery{}, position, webhooksender.ErrNothingToSend
	}
	return webhooksender.Delivery{
		ID: next.DeliveryID, Message: next.Message(), URL: next.URL, Event: next.EventName,
		Body: []byte(next.Body), Attempt: next.Number,
		Secrets: webhooksender.Secrets{Current: next.Secret, Previous: next.Previous},
		TestID:  next.TestID, OrganizationID: next.OrganizationID, Environment: next.Environment,
	}, 0, nil
}

// Record records an attempt.
func (r deliveryRecords) Record(ctx context.Context, d webhooksender.Delivery, at time.Time, out webhooksender.Outcome) (uint64, error) {
	return r.Sending.Record(ctx,
		delivery.Scheduled{DeliveryID: d.ID, TestID: d.TestID, OrganizationID: d.OrganizationID, Environment: d.Environment},
		delivery.RecordAttempt{
			Attempt: d.Attempt, Delivered: out.OK, StatusCode: out.StatusCode, Error: out.Error,
			LatencyMS: out.Latency.Milliseconds(), Response: out.ResponseText(), Now: domain.At(at),
		})
}
