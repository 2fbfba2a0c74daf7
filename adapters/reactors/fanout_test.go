package reactors_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/adapters/reactors"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/process"
	"understudy/eventstore/storetest"
)

// taking is a sender that takes up everything. It notes what happened to whom.
type taking struct {
	mu    sync.Mutex
	noted []string
}

func (s *taking) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noted = append(s.noted, what)
}

func (s *taking) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.noted))
}

func (s *taking) Reserve(_ context.Context, deliveries []delivery.Scheduled) reactors.Reserved {
	t := &taken{by: s}
	for _, d := range deliveries {
		t.left = append(t.left, d.DeliveryID)
	}
	return t
}

type taken struct {
	by   *taking
	mu   sync.Mutex
	left []string
}

func (t *taken) Begin(id, traceparent string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left = slices.DeleteFunc(t.left, func(left string) bool { return left == id })
	t.by.note(fmt.Sprintf("%s begun with %s", id, traceparent))
}

func (t *taken) End() {
	for _, id := range t.left {
		t.by.note(id + " given up")
	}
}

// What is recorded while fan-out runs is handed to the sender as soon as it is
// scheduled. What may have been handed over before is not: it is on the worklist.
func TestDeliveriesAreHandedToTheSenderOnce(t *testing.T) {
	t.Parallel()
	l, sender := newLog(t), &taking{}
	l.record("testrun-test_1", created("test_1", 1))
	before := l.record("testrun-test_1", started(1)) // by a process that may have got further
	var failures atomic.Int32
	r := reactorsOf(l, func(r *reactors.Reactors) {
		r.Endpoints, r.Sender = everybody{"whk_1", "whk_2"}, sender
		r.Commands.(*commands).before = func(_ context.Context, e domain.Envelope) error {
			if schedule, ok := e.Command.(delivery.Schedule); ok && schedule.Delivery.TestID == "test_3" && failures.Add(1) <= 2 {
				return errors.New("the event store is away")
			}
			return nil
		}
	})
	stop := run(t, r)
	delivered := func(e domain.Recorded) (ids []string) {
		for _, endpoint := range []string{"whk_1", "whk_2"} {
			id := process.DeliveryID(e, endpoint)
			l.await(delivery.Stream(id), 1)
			ids = append(ids, id)
		}
		return ids
	}
	delivered(before)
	begun := func(id string) string { return fmt.Sprintf("%s begun with traceparent of delivery-%s", id, id) }
	l.record("testrun-test_2", created("test_2", 1))
	second := delivered(l.record("testrun-test_2", started(1)))
	want := []string{begun(second[0]), begun(second[1])}
	storetest.Eventually(t, "the second test's deliveries", func() bool { return len(sender.all()) == 2 })
	l.record("testrun-test_3", created("test_3", 1))
	third := delivered(l.record("testrun-test_3", started(1)))
	want = append(want, third[0]+" given up", third[1]+" given up") // and not taken up when it is tried again
	l.settledTwice(r, stop)
	slices.Sort(want)
	if diff := cmp.Diff(want, sender.all()); diff != "" {
		t.Errorf("to the sender (-want +got):\n%s", diff)
	}
}

// unshown are endpoints that are subscribed to everything, and answers about tests that
// come when they are let.
type unshown struct {
	everybody
	asked, let chan struct{}
}

func (u unshown) Shown(ctx context.Context, _ uint64) error {
	u.asked <- struct{}{}
	select {
	case <-u.let:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestNobodyIsToldOfWhatCannotBeReadYet(t *testing.T) {
	t.Parallel()
	l, sender := newLog(t), &taking{}
	answers := unshown{everybody{"whk_1"}, make(chan struct{}), make(chan struct{})}
	r := reactorsOf(l, func(r *reactors.Reactors) { r.Endpoints, r.Sender = answers, sender })
	l.record("testrun-test_1", created("test_1", 1))
	stop := run(t, r)
	l.settled(r)
	cause := l.record("testrun-test_1", started(1))
	storetest.Wait(t, "the question", answers.asked)
	id := process.DeliveryID(cause, "whk_1")
	if got := l.stream(delivery.Stream(id)); len(got) != 0 || len(sender.all()) != 0 {
		t.Errorf("before it can be read there is %+v, and the sender has %v", eventsOf(got), sender.all())
	}
	answers.let <- struct{}{}
	l.await(delivery.Stream(id), 1)
	storetest.Eventually(t, "the delivery", func() bool { return len(sender.all()) == 1 })
	stop()
}
