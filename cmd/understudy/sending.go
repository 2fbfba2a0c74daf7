package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres"
	"understudy/adapters/reactors"
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
func (j deliveryJobs) Claim(
	ctx context.Context, owner string, limit int, ttl time.Duration, without webhooksender.Busy,
) ([]webhooksender.Job, time.Time, error) {
	due, next, err := worklist.ClaimDeliveries(ctx, j.pool, owner, limit, ttl, without.Endpoints, without.Organizations)
	jobs := make([]webhooksender.Job, len(due))
	for i, d := range due {
		jobs[i] = webhooksender.Job{
			DeliveryID: d.Stream[len(delivery.StreamPrefix):], Endpoint: d.WebhookID, Organization: d.OrganizationID,
			Attempts: d.Attempt, Traceparent: d.Traceparent,
		}
	}
	return jobs, next, err
}

// Lease leases deliveries that are not on the worklist yet.
func (j deliveryJobs) Lease(ctx context.Context, owner string, jobs []webhooksender.Job, ttl time.Duration) ([]webhooksender.Job, error) {
	names, byName := leaseNames(jobs), make(map[string]webhooksender.Job, len(jobs))
	for i, job := range jobs {
		byName[names[i]] = job
	}
	claimed, err := j.leases.Claim(ctx, names, owner, ttl)
	leased := make([]webhooksender.Job, len(claimed))
	for i, name := range claimed {
		leased[i] = byName[name]
	}
	return leased, err
}

// Release ends leases once the worklist shows position.
func (j deliveryJobs) Release(ctx context.Context, owner string, jobs []webhooksender.Job, position uint64) error {
	if position > 0 { // 0: nothing was recorded
		if err := j.positions.WaitOwnWrite(ctx, worklist.Projection.Name, position); err != nil {
			return err
		}
	}
	return j.leases.Release(ctx, leaseNames(jobs), owner)
}

func leaseNames(jobs []webhooksender.Job) []string {
	names := make([]string, len(jobs))
	for i, job := range jobs {
		names[i] = worklist.Item{Kind: worklist.Deliver, Stream: delivery.Stream(job.DeliveryID)}.LeaseName()
	}
	return names
}

// handing is the sender of this process as fan-out sees it.
type handing struct{ worker *webhooksender.Worker }

// Reserve takes places for deliveries that are about to be scheduled.
func (h handing) Reserve(ctx context.Context, deliveries []delivery.Scheduled) reactors.Reserved {
	jobs := make([]webhooksender.Job, len(deliveries))
	for i, d := range deliveries {
		jobs[i] = webhooksender.Job{DeliveryID: d.DeliveryID, Endpoint: d.WebhookID, Organization: d.OrganizationID}
	}
	return h.worker.Reserve(ctx, jobs)
}

// deliveryRecords is the service as the sender sees it.
type deliveryRecords struct{ *service.Sending }

// Load is what the next attempt of a delivery sends.
func (r deliveryRecords) Load(ctx context.Context, job webhooksender.Job) (webhooksender.Delivery, uint64, error) {
	next, position, err := r.Next(ctx, job.DeliveryID, job.Attempts, !job.Reserved)
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
