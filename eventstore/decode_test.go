package eventstore_test

import (
	"context"
	"errors"
	"testing"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/storetest"
	"understudy/test/patience"
)

func TestEventsAreDecodedWhileThoseBeforeAreHandled(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	const n = 3
	mustAppend(t, srv.open(), "till-1", eventstore.NoStream(), pendingPaid("till-1", n))
	decoded := make(chan struct{}, n)
	entry := domain.Recordable[paid]()
	decode := entry.Decode
	entry.Decode = func(data []byte) (domain.Event, error) {
		decoded <- struct{}{}
		return decode(data)
	}
	store := srv.open(func(c *eventstore.Config) { c.Codec = eventstore.NewCodec([]domain.Entry{entry}) })
	ahead := errors.New("all were decoded while the first was handled")
	err := store.Subscribe(t.Context(), eventstore.Subscription{MaxBatch: 1}, func(context.Context, eventstore.Batch) error {
		for range n {
			patience.Receive(t, storetest.Patience, "an event to be decoded", decoded)
		}
		return ahead
	})
	if !errors.Is(err, ahead) {
		t.Fatal(err)
	}
}
