package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/projections/worklist"
)

// Delivery reads a delivery. Whoever received it may ask for it at once: one that is in the
// log is waited for.
func (s *Service) Delivery(ctx context.Context, p Principal, id string) (projections.Document[deliveries.Document], error) {
	doc, err := s.Reads.Delivery(ctx, p, id)
	if domain.CodeOf(err) != domain.CodeNotFound {
		return doc, err
	}
	logged, loading := s.Streams.Deliveries.Load(ctx, delivery.Stream(id))
	if errors.Is(loading, eventstore.ErrStreamNotFound) {
		return doc, err
	}
	if loading != nil {
		return doc, loading
	}
	if err := s.Positions.WaitOwnWrite(ctx, deliveries.Projection.Name, logged.Position); err != nil {
		return doc, err
	}
	return s.Reads.Delivery(ctx, p, id)
}

// PingWebhook schedules a delivery that only tries the endpoint.
func (s *Service) PingWebhook(ctx context.Context, call Call, webhookID, deliveryID string) (projections.Document[deliveries.Document], error) {
	endpoint, err := s.ownedWebhook(ctx, call.Principal, webhookID)
	if err != nil {
		return projections.Document[deliveries.Document]{}, err
	}
	ping, err := process.Ping(deliveryID, endpoint.Webhook, now())
	if err != nil {
		return projections.Document[deliveries.Document]{}, err
	}
	return s.schedule(ctx, call, deliveryID, ping)
}

// ReplayDelivery makes a delivery again.
func (s *Service) ReplayDelivery(ctx context.Context, call Call, sourceID, deliveryID string) (projections.Document[deliveries.Document], error) {
	if _, err := s.Delivery(ctx, call.Principal, sourceID); err != nil {
		return projections.Document[deliveries.Document]{}, err
	}
	source, err := s.Streams.Deliveries.Load(ctx, delivery.Stream(sourceID))
	if err != nil {
		return projections.Document[deliveries.Document]{}, err
	}
	endpoint, err := s.Streams.Webhooks.Load(ctx, webhook.Stream(source.State.Delivery.WebhookID))
	if err != nil {
		return projections.Document[deliveries.Document]{}, err
	}
	replay, err := process.Replay(deliveryID, source.State, endpoint.State, now())
	if err != nil {
		return projections.Document[deliveries.Document]{}, err
	}
	return s.schedule(ctx, call, deliveryID, replay)
}

// schedule makes a delivery and answers with it.
func (s *Service) schedule(ctx context.Context, call Call, deliveryID string, command delivery.Command) (projections.Document[deliveries.Document], error) {
	return handle(ctx, s, s.Streams.Deliveries, call, delivery.Stream(deliveryID), command, []string{deliveries.Projection.Name, worklist.Projection.Name},
		func(delivery.State) (projections.Document[deliveries.Document], error) {
			return s.Delivery(ctx, call.Principal, deliveryID)
		})
}

// NewReplay asks for the deliveries of a time again. What it leaves open is
// everything until now that may still be replayed.
type NewReplay struct {
	From, To time.Time
	Which    webhook.Which
	// Preview only counts them.
	Preview bool
}

// Replay is what is made again, or would be.
type Replay struct {
	ID        *string       `json:"id"` // nil of a preview
	WebhookID string        `json:"webhook_id"`
	From      domain.Time   `json:"from"`
	To        domain.Time   `json:"to"`
	Status    webhook.Which `json:"status"`
	Count     int           `json:"count"`
	Preview   bool          `json:"preview"`
}

// ReplayRange records that deliveries of a time are to be made again, which a
// reactor does, or counts them only. The count is of what the event selects.
func (s *Service) ReplayRange(ctx context.Context, call Call, webhookID, replayID string, in NewReplay) (Replay, error) {
	endpoint, err := s.ownedWebhook(ctx, call.Principal, webhookID)
	if err != nil {
		return Replay{}, err
	}
	request := in.request(replayID)
	if in.Preview {
		if err := endpoint.CheckReplay(request); err != nil {
			return Replay{}, err
		}
		position := max(0, s.Positions.At(ctx, deliveries.Projection.Name))
		return s.counted(ctx, webhookID, request, uint64(position), true)
	}
	var recorded domain.Recorded
	record := func() (uint64, error) {
		result, err := s.Streams.Webhooks.Handle(ctx, call.CommandID, webhook.Stream(webhookID), request, call.Meta)
		if err != nil {
			return 0, err
		}
		recorded, err = s.recordedReplay(ctx, webhookID, replayID, result.Events)
		return recorded.Position, err
	}
	return answer(ctx, s, []string{deliveries.Projection.Name}, record, func() (Replay, error) {
		of := recorded.Event.(webhook.ReplayRequested)
		request.From, request.To, request.Which = of.From, of.To, of.Which
		return s.counted(ctx, webhookID, request, recorded.Position, false)
	})
}

// errFound ends a read at the event that was looked for.
var errFound = errors.New("event found")

// recordedReplay is the event of a replay: among those just recorded or, when
// the request is told again, in the stream.
func (s *Service) recordedReplay(ctx context.Context, webhookID, replayID string, just []domain.Recorded) (found domain.Recorded, err error) {
	if len(just) > 0 {
		return just[0], nil
	}
	err = s.Streams.Store.ReadStream(ctx, webhook.Stream(webhookID), 0, func(e domain.Recorded) error {
		if of, ok := e.Event.(webhook.ReplayRequested); ok && of.ReplayID == replayID {
			found = e
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		return found, nil
	}
	return found, fmt.Errorf("replay %s: %w", replayID, cmp.Or(err, eventstore.ErrStreamNotFound))
}

// counted is the answer to a request for a replay.
func (s *Service) counted(ctx context.Context, webhookID string, r webhook.RequestReplay, position uint64, preview bool) (Replay, error) {
	n, err := deliveries.CountReplay(ctx, s.Pool, deliveries.Replay{
		WebhookID: webhookID, From: r.From.Time, To: r.To.Time, Which: r.Which, Position: position,
	})
	answer := Replay{WebhookID: webhookID, From: r.From, To: r.To, Status: r.Which, Count: n, Preview: preview}
	if !preview {
		answer.ID = &r.ReplayID
	}
	return answer, err
}

func (in NewReplay) request(replayID string) webhook.RequestReplay {
	at := now()
	request := webhook.RequestReplay{
		ReplayID: replayID, Which: in.Which, Now: at, To: at, From: domain.At(at.Add(-webhook.ReplayWindow)),
	}
	if !in.From.IsZero() {
		request.From = domain.At(in.From)
	}
	if !in.To.IsZero() {
		request.To = domain.At(in.To)
	}
	return request
}
