package reactors

import (
	"context"

	"understudy/domain"
	"understudy/domain/process"
	"understudy/domain/webhook"
)

// mostWell bounds the memory of endpoints that do well; when it is full it starts
// anew.
const mostWell = 10_000

// deliveryEndings tells endpoints how deliveries to them have ended.
type deliveryEndings struct {
	*Reactors

	// well are the streams of the endpoints that were told of a success last:
	// another one says nothing new.
	well map[string]struct{}
}

func (d *deliveryEndings) react(ctx context.Context, events []domain.Recorded) error {
	endpoints := process.CountDeliveries(events)
	for i, commands := range endpoints {
		if _, well := d.well[commands[0].Stream]; well && delivered(commands[0]) {
			endpoints[i] = commands[1:]
		}
	}
	err := each(ctx, 0, len(endpoints), func(ctx context.Context, i int) error {
		for _, command := range endpoints[i] {
			if err := d.executeAs(ctx, "delivery-endings", command); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if d.well == nil || len(d.well) >= mostWell {
		d.well = map[string]struct{}{}
	}
	for _, commands := range endpoints {
		if len(commands) == 0 {
			continue
		}
		if last := commands[len(commands)-1]; delivered(last) {
			d.well[last.Stream] = struct{}{}
		} else {
			delete(d.well, last.Stream)
		}
	}
	return nil
}

func delivered(told domain.Envelope) bool { return told.Command.(webhook.RecordDelivery).Delivered }
