package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"understudy/adapters/httpapi"
	"understudy/adapters/postgres"
	"understudy/projections"
	"understudy/projections/worklist"
)

// sweepEvery is how often what has expired is removed.
const sweepEvery = 10 * time.Minute

// background runs fns until stop is called or one fails; failed then tells why.
type background struct {
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // set before ended is closed
}

func inBackground(fns []func(context.Context) error) *background {
	ctx, cancel := context.WithCancel(context.Background())
	b := &background{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(b.ended)
		b.err = together(fns)(ctx)
	}()
	return b
}

// stop ends the functions and waits for them.
func (b *background) stop() error {
	b.cancel()
	<-b.ended
	return b.err
}

// together runs all of fns until they have ended; without any, until ctx has.
func together(fns []func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if len(fns) == 0 { // a process whose roles have no work of this kind
			<-ctx.Done()
			return nil
		}
		g, ctx := errgroup.WithContext(ctx)
		for _, fn := range fns {
			g.Go(func() error { return fn(ctx) })
		}
		return g.Wait()
	}
}

// wakeOn tells wake of all work of a kind that is added to the worklist.
func wakeOn(positions *projections.Positions, kind worklist.Kind, wake chan<- struct{}) func(context.Context) error {
	return func(ctx context.Context) error {
		for {
			changed := worklist.Changed(positions, kind)
			select {
			case <-ctx.Done():
				return nil
			case <-changed:
			}
			select {
			case wake <- struct{}{}:
			default: // it is awake
			}
		}
	}
}

// sweeping removes what has expired of the ordinary tables.
func sweeping(requests *postgres.Idempotency, leases *postgres.Leases, attempts *postgres.Attempts, log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		ticks := time.NewTicker(sweepEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-ticks.C:
			}
			_, err := requests.Sweep(ctx, time.Now().Add(-postgres.IdempotencyRetention))
			if err = errors.Join(err, leases.Sweep(ctx), attempts.Sweep(ctx)); err != nil && ctx.Err() == nil {
				log.Warn("expired rows are kept for now", "error", err)
			}
		}
	}
}

// requestRows is the table of idempotent requests as the interface sees it.
type requestRows struct{ *postgres.Idempotency }

// Begin commits the row of a request, or finds the earlier one.
func (r requestRows) Begin(ctx context.Context, keyID, key, operation string, bodyHash []byte, resourceID string, at time.Time) (httpapi.StoredRequest, bool, error) {
	row, fresh, err := r.Idempotency.Begin(ctx, keyID, key, operation, bodyHash, resourceID, at)
	return httpapi.StoredRequest{
		Operation: row.MethodPath, BodyHash: row.BodyHash, ResourceID: row.ResourceID,
		Finished: row.State == postgres.RequestFinished, Status: row.Status, Headers: row.Headers, Response: row.Response,
	}, fresh, err
}
