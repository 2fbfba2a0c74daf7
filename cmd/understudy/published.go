package main

import (
	"context"

	"understudy/adapters/streamhub"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/projections/sessions"
	"understudy/projections/tests"
)

// listened stands for the endpoint in the ids of deliveries that are listened
// to instead of sent.
const listened = "listen"

// published are the public events as fan-out makes them, the same events of the
// log through the same mapping, and what is sent because somebody asked for it.
type published struct {
	store     *eventstore.Store
	links     process.Links
	positions *projections.Positions
}

// Follow tells the public events of an organization and environment.
func (p published) Follow(ctx context.Context, organizationID string, env domain.Environment, after *uint64,
	begun func(uint64) error, tell func(streamhub.Event) error,
) error {
	sub := eventstore.Subscription{Name: listened, From: after, FromEnd: after == nil, Prefixes: []string{testrun.StreamPrefix, delivery.StreamPrefix}}
	started := after != nil
	if started {
		if err := begun(*after); err != nil {
			return err
		}
	}
	return p.store.Subscribe(ctx, sub, func(ctx context.Context, b eventstore.Batch) error {
		for _, e := range b.Events {
			if e.Meta.OrganizationID != organizationID || e.Meta.Environment != env {
				continue
			}
			event, ok, err := p.event(e)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			// As with a delivery: whoever is told of an event also reads it.
			models := []string{tests.Projection.Name, sessions.Projection.Name}
			if _, again := e.Event.(delivery.Scheduled); again {
				models = []string{deliveries.Projection.Name}
			}
			for _, name := range models {
				if err := p.positions.WaitOwnWrite(ctx, name, e.Position); err != nil {
					return err
				}
			}
			if err := tell(event); err != nil {
				return err
			}
		}
		if !started { // the first batch is the end from which it begins
			started = true
			return begun(b.Checkpoint)
		}
		return nil
	})
}

// event is the public event that a recorded one becomes, if it becomes one: replays
// and pings are told as they are sent to an endpoint.
func (p published) event(e domain.Recorded) (streamhub.Event, bool, error) {
	if sent, ok := e.Event.(delivery.Scheduled); ok {
		return streamhub.Event{
			ID: sent.Message(), Name: sent.EventName, TestID: sent.TestID, Position: e.Position, Body: sent.Body,
		}, sent.Ping || sent.ReplayOf != "", nil
	}
	m, ok := process.Publish(e, p.links)
	if !ok {
		return streamhub.Event{}, false, nil
	}
	body, err := process.Body(m, domain.At(e.Time))
	return streamhub.Event{
		ID: process.DeliveryID(e, listened), Name: m.Name, TestID: m.TestID, Position: e.Position, Body: body,
	}, true, err
}
