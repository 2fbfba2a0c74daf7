package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/storetest"
)

func TestReactorHandlesABatchAtOnceAndAgainUntilItWorks(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	for i := range 4 {
		mustAppend(t, store, fmt.Sprint("till-", i), eventstore.NoStream(), pendingPaid(fmt.Sprint(i), 10))
	}
	var done reactions
	book := newNotebook()
	calls, failures := 0, 2
	stop := run(t, store, eventstore.Reactor{
		Name: "r", Prefixes: []string{"till-"}, Checkpoints: book,
		ReactAll: func(_ context.Context, events []domain.Recorded) error {
			if failures > 0 {
				failures--
				return errors.New("not yet")
			}
			calls++
			for _, e := range events {
				done.note(e)
			}
			return nil
		},
	})
	storetest.Eventually(t, "all events", func() bool { return len(done.all()) >= 40 })
	got := done.all()
	storetest.Eventually(t, "the checkpoint", func() bool { return book.saved() == got[len(got)-1].Position })
	stop()
	storetest.InOrder(t, got)
	if len(got) != 40 || calls >= 40 {
		t.Errorf("%d events in %d calls", len(got), calls)
	}
}
