package reactors

import (
	"context"
	"sync"

	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/webhooks"
)

// testsAtOnce is how many tests fan-out tells of at once: each event waits for
// the endpoints as of its position, and one test must not wait for another's.
const testsAtOnce = 8

// Endpoints reads who is to be told of an event.
type Endpoints interface {
	// Subscribed is the endpoints as of the event's position.
	Subscribed(ctx context.Context, owner projections.Owner, event string, position uint64) ([]webhooks.Endpoint, error)
	// Shown returns when whoever is told of the event at a position also reads it.
	Shown(ctx context.Context, position uint64) error
}

// Sender sends deliveries as soon as they are scheduled, where it can.
type Sender interface {
	// Reserve takes up what it can begin at once of deliveries that are about to be
	// scheduled, so that nobody else does. What it does not take up is on the
	// worklist, as everything is.
	Reserve(ctx context.Context, deliveries []delivery.Scheduled) Reserved
}

// Reserved is deliveries that a Sender has taken up. It is safe for concurrent use.
type Reserved interface {
	// Begin begins a delivery that has been scheduled, if it was taken up.
	Begin(deliveryID, traceparent string)
	// End gives up what has not begun.
	End()
}

// fanOut schedules a delivery of every public event to every endpoint that is
// subscribed to it, and hands it to the sender of this process.
type fanOut struct {
	*Reactors

	mu sync.Mutex
	// repeated is the position of the last event that may have been reacted to
	// before. Its deliveries may have been sent: that is for the worklist to know.
	repeated uint64
}

func (f *fanOut) react(ctx context.Context, e domain.Recorded) (err error) {
	message, ok := process.Publish(e, f.Links)
	if !ok {
		return nil
	}
	ctx, span := reacting(ctx, "fan-out", e.Meta)
	defer func() { eventstore.EndSpan(span, err) }()
	owner := projections.Owner{OrganizationID: e.Meta.OrganizationID, Environment: e.Meta.Environment}
	subscribed, err := f.Endpoints.Subscribed(ctx, owner, message.Name, e.Position)
	if err != nil || len(subscribed) == 0 {
		return err
	}
	endpoints := make([]process.Endpoint, len(subscribed))
	for i, s := range subscribed {
		endpoints[i] = process.Endpoint{ID: s.ID, Disabled: s.Status == webhook.StatusDisabled}
	}
	commands, err := process.FanOut(e, message, endpoints)
	if err != nil {
		return err
	}
	shown := make(chan error, 1)
	go func() { shown <- f.Endpoints.Shown(ctx, e.Position) }()
	reserved := f.reserve(ctx, e, commands)
	defer reserved.End()
	err = <-shown
	if err == nil {
		err = each(ctx, 0, len(commands), func(ctx context.Context, i int) error {
			traceparent, err := f.Commands.Schedule(ctx, commands[i])
			if err == nil {
				reserved.Begin(commands[i].Command.(delivery.Schedule).Delivery.DeliveryID, traceparent)
			}
			return err
		})
	}
	if err != nil {
		f.repeat(e)
	}
	return err
}

// reserve lets the sender take up the deliveries of an event that nobody has reacted
// to before.
func (f *fanOut) reserve(ctx context.Context, e domain.Recorded, commands []domain.Envelope) Reserved {
	var deliveries []delivery.Scheduled
	for _, c := range commands {
		if schedule := c.Command.(delivery.Schedule); schedule.SkipReason == "" {
			deliveries = append(deliveries, schedule.Delivery)
		}
	}
	if len(deliveries) == 0 || !f.first(e) {
		return none{}
	}
	return f.Sender.Reserve(ctx, deliveries)
}

// first reports whether nobody has reacted to the event before: it was recorded
// after this reactor had begun, and no reaction has failed.
func (f *fanOut) first(e domain.Recorded) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return e.Position > f.repeated
}

// repeat notes an event that will be reacted to again.
func (f *fanOut) repeat(e domain.Recorded) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.repeated = max(f.repeated, e.Position)
}

// none is taken up.
type none struct{}

func (none) Begin(string, string) {}
func (none) End()                 {}
