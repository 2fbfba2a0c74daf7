package eventstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/storetest"
	"understudy/test/patience"
)

type tillHandler = eventstore.Handler[tillState, any, tillEvent]

func newTills(store *eventstore.Store, cacheSize int) *tillHandler {
	return eventstore.NewHandler(store, tillDecider, cacheSize)
}

func mustHandle(t *testing.T, h *tillHandler, id uuid.UUID, stream string, cmd any) eventstore.Result[tillState] {
	t.Helper()
	r, err := h.Handle(testContext(t), id, stream, cmd, domain.Meta{Actor: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestHandleRecordsWhatIsDecided(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	for _, cacheSize := range []int{0, 10} {
		h := newTills(store, cacheSize)
		stream, id := fmt.Sprint("till-", cacheSize), uuid.New()
		mustHandle(t, h, uuid.New(), stream, pay{Amount: 1})
		r := mustHandle(t, h, id, stream, payTwice{Amount: 2})
		if r.State != (tillState{Sum: 5, Paid: 3}) || r.Revision != 2 || len(r.Events) != 2 {
			t.Fatalf("result %+v", r)
		}
		recorded := readAll(t, store, stream, 1)
		for i, e := range r.Events {
			if e.ID != domain.DeriveUUID(id.String(), fmt.Sprint(i)) || e.ID != recorded[i].ID ||
				e.Revision != recorded[i].Revision || e.Event != recorded[i].Event || e.Meta != recorded[i].Meta {
				t.Errorf("said to be recorded: %+v; recorded: %+v", e, recorded[i])
			}
		}
		if r.Position != recorded[1].Position {
			t.Errorf("at position %d, recorded at %d", r.Position, recorded[1].Position)
		}
		loaded, err := h.Load(testContext(t), stream)
		if err != nil || loaded.State != r.State || loaded.Revision != 2 || loaded.Position != r.Position || loaded.Events != nil {
			t.Errorf("loaded %+v (%v)", loaded, err)
		}
	}
}

func TestLoadOfMissingStream(t *testing.T) {
	t.Parallel()
	h := newTills(startServer(t).open(), 10)
	r, err := h.Load(testContext(t), "till-none")
	if !errors.Is(err, eventstore.ErrStreamNotFound) || r.State != (tillState{}) {
		t.Fatalf("loaded %+v (%v)", r, err)
	}
}

func TestKeptIsWhatThisProcessHasSeen(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	here, there := newTills(srv.open(), 10), newTills(srv.open(), 10)
	if r, ok := here.Kept("till-1"); ok {
		t.Fatalf("of a stream that was never used there is %+v", r)
	}
	want := mustHandle(t, here, uuid.New(), "till-1", pay{Amount: 1})
	mustHandle(t, there, uuid.New(), "till-1", pay{Amount: 2})
	if r, ok := here.Kept("till-1"); !ok || r.State != want.State || r.Position != want.Position || r.Events != nil {
		t.Errorf("kept %+v, %t; want %+v", r, ok, want)
	}
}

func TestRedeliveredCommandsRecordNothing(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	warm := newTills(store, 10)
	first, second := uuid.New(), uuid.New()
	mustHandle(t, warm, first, "till-1", pay{Amount: 1})
	want := mustHandle(t, warm, second, "till-1", payTwice{Amount: 2})
	// Also on a process that has just started, and on one that cannot cache.
	for name, h := range map[string]*tillHandler{"warm": warm, "cold": newTills(store, 10), "uncached": newTills(store, 0)} {
		for range 2 {
			mustHandle(t, h, first, "till-1", pay{Amount: 1})
			got := mustHandle(t, h, second, "till-1", payTwice{Amount: 2})
			if got.State != want.State || got.Revision != want.Revision || got.Position != want.Position || len(got.Events) != 0 {
				t.Errorf("%s: redelivery yields %+v, not %+v", name, got, want)
			}
		}
	}
	if got := readAll(t, store, "till-1", 0); len(got) != 3 {
		t.Errorf("%d events are recorded, not 3", len(got))
	}
}

func TestRedeliveryToAnotherProcessRecordsNothing(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	here, there := newTills(srv.open(), 10), newTills(srv.open(), 10)
	mustHandle(t, here, uuid.New(), "till-1", pay{Amount: 1})
	if _, err := there.Load(testContext(t), "till-1"); err != nil {
		t.Fatal(err)
	}
	id := uuid.New()
	want := mustHandle(t, here, id, "till-1", pay{Amount: 2})
	if got := mustHandle(t, there, id, "till-1", pay{Amount: 2}); got.State != want.State || got.Revision != 1 {
		t.Errorf("redelivery yields %+v, not %+v", got, want)
	}
}

func TestConcurrentCommandsLoseNothing(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	const callers, each = 8, 20
	// Two processes, each with its own cache, on the same stream.
	tills := []*tillHandler{newTills(srv.open(), 10), newTills(srv.open(), 10)}
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for n := range each {
				id := domain.DeriveUUID("concurrent", fmt.Sprint(i, n))
				for {
					_, err := tills[i%2].Handle(context.Background(), id, "till-1", pay{Amount: 1}, domain.Meta{})
					if domain.CodeOf(err) == domain.CodeConflict {
						continue
					}
					if err != nil {
						t.Error(err)
					}
					break
				}
			}
		})
	}
	all.Wait()
	for _, h := range tills {
		if r, err := h.Load(testContext(t), "till-1"); err != nil || r.State.Sum != callers*each || r.Revision != callers*each-1 {
			t.Errorf("loaded %+v (%v)", r, err)
		}
	}
}

func TestCommandsOfOneProcessTakeTurns(t *testing.T) {
	t.Parallel()
	const callers = 40
	decisions := 0 // unguarded: -race and the count both tell
	counting := tillDecider
	counting.Decide = func(s tillState, cmd any) ([]tillEvent, error) {
		decisions++
		return tillDecider.Decide(s, cmd)
	}
	h := eventstore.NewHandler(startServer(t).open(), counting, 10)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			if _, err := h.Handle(context.Background(), uuid.New(), "till-1", pay{Amount: 1}, domain.Meta{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if decisions != callers {
		t.Errorf("%d decisions for %d commands", decisions, callers)
	}
}

func TestDecisionsNotToAppendAreMadeOnFreshState(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	here, there := newTills(srv.open(), 10), newTills(srv.open(), 10)
	mustHandle(t, here, uuid.New(), "till-1", closeTill{})
	// Here the till is known as closed; there it is opened again.
	mustHandle(t, there, uuid.New(), "till-1", openTill{})
	if r := mustHandle(t, here, uuid.New(), "till-1", pay{Amount: 1}); r.State.Sum != 1 {
		t.Errorf("a refusal stood on stale state: %+v", r)
	}
	mustHandle(t, here, uuid.New(), "till-1", closeTill{})
	mustHandle(t, there, uuid.New(), "till-1", openTill{})
	if r := mustHandle(t, here, uuid.New(), "till-1", closeTill{}); !r.State.Closed || len(r.Events) != 1 {
		t.Errorf("a decision for nothing stood on stale state: %+v", r)
	}
	r, err := there.Handle(testContext(t), uuid.New(), "till-1", pay{Amount: 1}, domain.Meta{})
	if domain.CodeOf(err) != domain.CodeWrongState || !r.State.Closed {
		t.Errorf("a right refusal became %v with %+v", err, r)
	}
}

func TestEndlessConflictIsRefused(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	rival := newTills(store, 10)
	beaten := tillDecider
	beaten.Decide = func(s tillState, cmd any) ([]tillEvent, error) {
		if _, err := rival.Handle(context.Background(), uuid.New(), "till-1", pay{Amount: 1}, domain.Meta{}); err != nil {
			t.Error(err)
		}
		return tillDecider.Decide(s, cmd)
	}
	h := eventstore.NewHandler(store, beaten, 10)
	_, err := h.Handle(testContext(t), uuid.New(), "till-1", pay{Amount: 100}, domain.Meta{})
	if domain.CodeOf(err) != domain.CodeConflict {
		t.Fatalf("got %v", err)
	}
	if r, err := rival.Load(testContext(t), "till-1"); err != nil || r.State.Sum != 10 {
		t.Errorf("after ten decisions there is %+v (%v)", r, err)
	}
}

func TestCacheHoldsTheStreamsUsedLast(t *testing.T) {
	t.Parallel()
	h := newTills(startServer(t).open(), 3)
	for round := range 3 {
		for i := range 10 {
			r := mustHandle(t, h, uuid.New(), fmt.Sprint("till-", i), pay{Amount: 1})
			if r.State.Sum != round+1 {
				t.Fatalf("till %d has %+v in round %d", i, r.State, round)
			}
		}
	}
}

func TestHandleStopsAtEventsItCannotFold(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	h := newTills(srv.open(), 10)
	mustHandle(t, h, uuid.New(), "till-1", pay{Amount: 1})
	srv.record("till-1", "till.emptied.v1", `{}`, `{}`)
	_, err := h.Handle(testContext(t), uuid.New(), "till-1", pay{Amount: 1}, domain.Meta{})
	var poison *eventstore.PoisonError
	if !errors.As(err, &poison) || poison.Type != "till.emptied.v1" || poison.Revision != 1 {
		t.Fatalf("got %v", err)
	}
}

func TestHandleWhileTheStoreIsDown(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	h := newTills(srv.open(func(c *eventstore.Config) { c.CallTimeout = patience.Scaled(storetest.Patience / 10) }), 10)
	mustHandle(t, h, uuid.New(), "till-1", pay{Amount: 1})
	srv.stop()
	id := uuid.New()
	if _, err := h.Handle(testContext(t), id, "till-1", pay{Amount: 2}, domain.Meta{}); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	srv.start()
	if r := mustHandle(t, h, id, "till-1", pay{Amount: 2}); r.State.Sum != 3 {
		t.Errorf("after it is back: %+v", r)
	}
}

func TestBeginReadsNothingOfANewStream(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	warm, id := newTills(store, 10), uuid.New()
	begin := func(h *tillHandler, id uuid.UUID) uint64 {
		t.Helper()
		result, err := h.Begin(testContext(t), id, "till-1", payTwice{Amount: 2}, domain.Meta{Actor: "test"})
		if err != nil {
			t.Fatal(err)
		}
		return result.Position
	}
	position := begin(warm, id)
	recorded := readAll(t, store, "till-1", 0)
	if len(recorded) != 2 || recorded[1].Position != position || recorded[0].ID != domain.DeriveUUID(id.String(), "0") {
		t.Fatalf("at position %d there is %+v", position, recorded)
	}
	// Its state is kept: the next command is decided on it.
	if r := mustHandle(t, warm, uuid.New(), "till-1", pay{Amount: 1}); r.State != (tillState{Sum: 5, Paid: 3}) {
		t.Errorf("the next command was decided on %+v", r.State)
	}
	// The same command again records nothing, wherever it comes.
	for name, h := range map[string]*tillHandler{"warm": warm, "cold": newTills(store, 10), "uncached": newTills(store, 0)} {
		for range 2 {
			if at := begin(h, id); at < position {
				t.Errorf("%s: redelivered, it is at %d and not %d or later", name, at, position)
			}
			if got := readAll(t, store, "till-1", 0); len(got) != 3 {
				t.Fatalf("%s: %d events are recorded, not 3", name, len(got))
			}
		}
		// A state that was kept of what it first recorded is behind; an append finds out.
		if r := mustHandle(t, h, id, "till-1", payTwice{Amount: 2}); r.State.Sum != 5 || len(r.Events) != 0 {
			t.Errorf("%s: redelivery yields %+v", name, r)
		}
	}
}

// A state that turns out to be of before what the stream has is read again, a current
// one is not.
func TestAnOldStateIsForgotten(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	here, there := newTills(srv.open(), 10), newTills(srv.open(), 10)
	mustHandle(t, here, uuid.New(), "till-1", pay{Amount: 1})
	mustHandle(t, there, uuid.New(), "till-1", pay{Amount: 2})
	here.Forget("till-1", 0)
	if kept, ok := here.Kept("till-1"); !ok || kept.State.Sum != 1 {
		t.Errorf("kept %+v, %v", kept.State, ok)
	}
	here.Forget("till-1", 1)
	if kept, ok := here.Kept("till-1"); ok {
		t.Errorf("still kept %+v", kept.State)
	}
}

func TestBeginDecidesOnAStreamThatIsThere(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	here, there := newTills(srv.open(), 10), newTills(srv.open(), 10)
	mustHandle(t, here, uuid.New(), "till-1", pay{Amount: 1})
	if _, err := there.Begin(testContext(t), uuid.New(), "till-1", pay{Amount: 2}, domain.Meta{}); err != nil {
		t.Fatal(err)
	}
	mustHandle(t, here, uuid.New(), "till-1", closeTill{})
	_, err := there.Begin(testContext(t), uuid.New(), "till-1", pay{Amount: 3}, domain.Meta{})
	if domain.CodeOf(err) != domain.CodeWrongState {
		t.Errorf("a closed till takes what begins one: %v", err)
	}
	if r, err := here.Load(testContext(t), "till-1"); err != nil || r.State.Sum != 3 {
		t.Errorf("loaded %+v (%v)", r, err)
	}
}
