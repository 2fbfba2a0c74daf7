package service

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
	"understudy/eventstore"
)

// Sending is what the sender of deliveries reads and records.
type Sending struct {
	streams   *Streams
	keys      Keys
	endpoints *endpointStates
}

// NewSending reads and records on streams. Shared: other processes do, too.
func NewSending(streams *Streams, reads Reads, keys Keys, shared bool) *Sending {
	return &Sending{streams: streams, keys: keys, endpoints: newEndpointStates(streams, reads, shared)}
}

// Follow lets go of what is kept of endpoints that the log knows more of, such as
// of a change whose answer was lost, until ctx ends.
func (s *Sending) Follow(ctx context.Context) error {
	sub := eventstore.Subscription{Name: "endpoints", FromEnd: true, Prefixes: []string{webhook.StreamPrefix}}
	err := s.streams.Store.SubscribeRaw(ctx, sub, func(_ context.Context, b eventstore.RawBatch) error {
		for _, e := range b.Events {
			s.streams.Webhooks.Forget(e.Stream, e.Revision)
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil //nolint:nilerr // whatever the end of ctx made of it
	}
	return err
}

// Attempt is what the next attempt of a delivery sends.
type Attempt struct {
	delivery.Scheduled
	// Number counts from 1.
	Number int
	URL    string
	// Secret signs it, and Previous as well, unless it is "".
	Secret, Previous string
}

// Next is the attempt of a delivery of which attempts are known, nil when there
// is none to make: then position says so. A delivery whose endpoint is disabled
// or gone is recorded as skipped. Listed: it was claimed from the worklist.
func (s *Sending) Next(ctx context.Context, deliveryID string, attempts int, listed bool) (_ *Attempt, position uint64, err error) {
	// What this process knows is enough when the worklist, by which the job was
	// claimed, knows no more: nobody else works on it while the lease lasts, and
	// the append finds out if somebody did after all. Another process may have made
	// an attempt before the lease of what was not claimed, and one of another
	// release a retry, by a worklist of its own.
	loaded, kept := s.streams.Deliveries.Kept(delivery.Stream(deliveryID))
	if !kept || s.endpoints.shared && (!listed || attempts > 0) || loaded.State.Status != delivery.Pending || loaded.State.Attempts != attempts {
		if loaded, err = s.streams.Deliveries.Load(ctx, delivery.Stream(deliveryID)); err != nil {
			return nil, 0, err
		}
	}
	d := loaded.State
	// A worklist that knows of fewer attempts is behind: when the next one is
	// due, it will say.
	if d.Status != delivery.Pending || d.Attempts > attempts {
		return nil, loaded.Position, nil
	}
	endpoint, err := s.endpoints.now(ctx, d.Delivery.WebhookID)
	if err != nil {
		return nil, 0, err
	}
	tried := d.Delivery.Ping && endpoint.Status == webhook.StatusDisabled
	if endpoint.Status != webhook.Enabled && !tried {
		position, err := s.handle(ctx, d.Delivery, delivery.Skip{Reason: string(endpoint.Status), Now: now()}, "skip")
		return nil, position, err
	}
	next := &Attempt{Scheduled: d.Delivery, Number: d.Attempts + 1, URL: endpoint.Webhook.URL}
	current, previous := endpoint.Secrets(time.Now())
	if next.Secret, err = s.keys.OpenString(current, secretPlace(d.Delivery.WebhookID)); err == nil && previous != "" {
		next.Previous, err = s.keys.OpenString(previous, secretPlace(d.Delivery.WebhookID))
	}
	return next, 0, err
}

// Record records how an attempt of a delivery went. One that has failed waits for
// no retry when the endpoint has been disabled meanwhile.
func (s *Sending) Record(ctx context.Context, of delivery.Scheduled, outcome delivery.RecordAttempt) (position uint64, err error) {
	position, err = s.handle(ctx, of, outcome, "attempt", strconv.Itoa(outcome.Attempt))
	if err != nil || outcome.Delivered {
		return position, err
	}
	recorded, err := s.streams.Deliveries.Load(ctx, delivery.Stream(of.DeliveryID))
	if err != nil || recorded.State.Status != delivery.Pending {
		return position, err
	}
	endpoint, err := s.endpoints.now(ctx, recorded.State.Delivery.WebhookID)
	if err != nil || endpoint.Status == webhook.Enabled {
		return position, err
	}
	return s.handle(ctx, of, delivery.Skip{Reason: string(endpoint.Status), Now: now()}, "skip")
}

// handle runs a command; told again under the same name, it is the same one.
func (s *Sending) handle(ctx context.Context, of delivery.Scheduled, command delivery.Command, name ...string) (position uint64, err error) {
	meta := domain.Meta{
		CorrelationID: cmp.Or(of.TestID, of.DeliveryID), Actor: "sender", OrganizationID: of.OrganizationID, Environment: of.Environment,
	}
	result, err := s.streams.Deliveries.Handle(ctx, domain.DeriveUUID(append([]string{of.DeliveryID}, name...)...), delivery.Stream(of.DeliveryID), command, meta)
	return result.Position, err
}
