package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"understudy/adapters/httpapi"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/projections/deliveries"
	"understudy/projections/worklist"
)

// Ping schedules a delivery that only tries the endpoint.
func (c *webhookCommands) Ping(ctx context.Context, call httpapi.Call, webhookID, deliveryID string) (httpapi.Document, error) {
	endpoint, err := c.owned(ctx, call.Principal, webhookID)
	if err != nil {
		return httpapi.Document{}, err
	}
	ping, err := process.Ping(deliveryID, endpoint.Webhook, now())
	if err != nil {
		return httpapi.Document{}, err
	}
	return c.schedule(ctx, call, deliveryID, ping)
}

// Replay makes a delivery again.
func (c *webhookCommands) Replay(ctx context.Context, call httpapi.Call, sourceID, deliveryID string) (httpapi.Document, error) {
	if _, err := deliveries.Get(ctx, c.pool, sourceID, ownerOf(call.Principal)); err != nil {
		return httpapi.Document{}, err
	}
	source, err := c.streams.deliveries.Load(ctx, delivery.Stream(sourceID))
	if err != nil {
		return httpapi.Document{}, err
	}
	endpoint, err := c.streams.webhooks.Load(ctx, webhook.Stream(source.State.Delivery.WebhookID))
	if err != nil {
		return httpapi.Document{}, err
	}
	replay, err := process.Replay(deliveryID, source.State, endpoint.State, now())
	if err != nil {
		return httpapi.Document{}, err
	}
	return c.schedule(ctx, call, deliveryID, replay)
}

// schedule makes a delivery and answers with it once reads show it.
func (c *webhookCommands) schedule(ctx context.Context, call httpapi.Call, deliveryID string, command delivery.Schedule) (httpapi.Document, error) {
	if err := c.ready.accepts(deliveries.Projection.Name, worklist.Projection.Name); err != nil {
		return httpapi.Document{}, err
	}
	result, err := c.streams.deliveries.Handle(ctx, call.CommandID, delivery.Stream(deliveryID), command, call.Meta)
	if err != nil {
		return httpapi.Document{}, err
	}
	if err := c.positions.WaitOwnWrite(ctx, deliveries.Projection.Name, result.Position); err != nil {
		return httpapi.Document{}, err
	}
	d, err := deliveries.Get(ctx, c.pool, deliveryID, ownerOf(call.Principal))
	return httpapi.Document{JSON: d.JSON, Revision: d.Revision}, err
}

// ReplayRange records that deliveries of a time are to be made again, which a
// reactor does, or counts them only. The count is of what the event selects.
func (c *webhookCommands) ReplayRange(ctx context.Context, call httpapi.Call, webhookID, replayID string, in httpapi.NewReplay) (httpapi.Document, error) {
	endpoint, err := c.owned(ctx, call.Principal, webhookID)
	if err != nil {
		return httpapi.Document{}, err
	}
	request := rangeOf(in, replayID)
	if in.Preview {
		if err := endpoint.CheckReplay(request); err != nil {
			return httpapi.Document{}, err
		}
		position := max(0, c.positions.At(ctx, deliveries.Projection.Name))
		return c.counted(ctx, webhookID, request, uint64(position), true)
	}
	if err := c.ready.accepts(deliveries.Projection.Name); err != nil {
		return httpapi.Document{}, err
	}
	result, err := c.streams.webhooks.Handle(ctx, call.CommandID, webhook.Stream(webhookID), request, call.Meta)
	if err != nil {
		return httpapi.Document{}, err
	}
	recorded, err := c.recordedReplay(ctx, webhookID, replayID, result.Events)
	if err != nil {
		return httpapi.Document{}, err
	}
	if err := c.positions.WaitOwnWrite(ctx, deliveries.Projection.Name, recorded.Position); err != nil {
		return httpapi.Document{}, err
	}
	of := recorded.Event.(webhook.ReplayRequested)
	request.From, request.To, request.Which = of.From, of.To, of.Which
	return c.counted(ctx, webhookID, request, recorded.Position, false)
}

// errFound ends a read at the event that was looked for.
var errFound = errors.New("event found")

// recordedReplay is the event of a replay: among those just recorded or, when
// the request is told again, in the stream.
func (c *webhookCommands) recordedReplay(ctx context.Context, webhookID, replayID string, just []domain.Recorded) (found domain.Recorded, err error) {
	if len(just) > 0 {
		return just[0], nil
	}
	err = c.streams.store.ReadStream(ctx, webhook.Stream(webhookID), 0, func(e domain.Recorded) error {
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
func (c *webhookCommands) counted(ctx context.Context, webhookID string, r webhook.RequestReplay, position uint64, preview bool) (httpapi.Document, error) {
	n, err := deliveries.CountReplay(ctx, c.pool, selection(webhookID, r.From, r.To, r.Which, position))
	if err != nil {
		return httpapi.Document{}, err
	}
	id := &r.ReplayID
	if preview {
		id = nil
	}
	doc, err := json.Marshal(struct {
		ID        *string       `json:"id"`
		WebhookID string        `json:"webhook_id"`
		From      domain.Time   `json:"from"`
		To        domain.Time   `json:"to"`
		Status    webhook.Which `json:"status"`
		Count     int           `json:"count"`
		Preview   bool          `json:"preview"`
	}{id, webhookID, r.From, r.To, r.Which, n, preview})
	return httpapi.Document{JSON: doc}, err
}

func selection(webhookID string, from, to domain.Time, which webhook.Which, position uint64) deliveries.Replay {
	return deliveries.Replay{WebhookID: webhookID, From: from.Time, To: to.Time, Which: which, Position: position}
}

// rangeOf fills in what a request leaves open: everything until now that may
// still be replayed.
func rangeOf(in httpapi.NewReplay, replayID string) webhook.RequestReplay {
	at := now()
	request := webhook.RequestReplay{
		ReplayID: replayID, Which: webhook.Which(in.Status), Now: at, To: at, From: domain.At(at.Add(-webhook.ReplayWindow)),
	}
	if !in.From.IsZero() {
		request.From = domain.At(in.From)
	}
	if !in.To.IsZero() {
		request.To = domain.At(in.To)
	}
	return request
}
