package eventstore_test

import (
	"fmt"
	"testing"
	"time"

	"understudy/eventstore"
)

func TestBacklogCountsWhatIsYetToCome(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	store := srv.open()
	backlog := func(from *uint64, limit int) eventstore.Backlog {
		t.Helper()
		b, err := store.Backlog(testContext(t), eventstore.Subscription{From: from, Prefixes: []string{"till-"}}, limit)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := backlog(nil, 10); b != (eventstore.Backlog{}) {
		t.Errorf("of an empty log: %+v", b)
	}
	began := time.Now().Truncate(time.Millisecond) // as precise as what is recorded
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 5))
	mustAppend(t, store, "other-1", eventstore.NoStream(), pendingPaid("b", 70))
	all := readAll(t, store, "till-1", 0)
	if b := backlog(nil, 10); b.Events != 5 || !b.Oldest.Equal(all[0].Time) || b.Next != nil || b.Oldest.Before(began) {
		t.Errorf("of everything: %+v", b)
	}
	if b := backlog(&all[2].Position, 10); b.Events != 2 || !b.Oldest.Equal(all[3].Time) {
		t.Errorf("after three of five: %+v", b)
	}
	if b := backlog(nil, 3); b.Events != 3 {
		t.Errorf("up to three: %+v", b)
	}
	// What follows is not its concern, though the log goes on.
	if b := backlog(&all[4].Position, 10); b != (eventstore.Backlog{}) {
		t.Errorf("after all: %+v", b)
	}
}

func TestBacklogNamesWhatCannotBeTakenIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ typ, data string }{
		"of unknown type":  {"till.burnt.v1", `{}`},
		"of another shape": {"till.paid.v1", `{"amount":"much"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := startServer(t)
			store := srv.open()
			mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 1))
			first := readAll(t, store, "till-1", 0)[0]
			srv.record("till-2", c.typ, c.data, "")
			mustAppend(t, store, "till-1", eventstore.Revision(0), pendingPaid("b", 1))
			b, err := store.Backlog(testContext(t), eventstore.Subscription{From: &first.Position}, 10)
			if err != nil || b.Next == nil || b.Next.Stream != "till-2" || b.Next.Type != c.typ || b.Events == 0 || b.Oldest.Before(first.Time) {
				t.Errorf("before it: %+v: %v", b, err)
			}
			// As long as something else comes first, that is not the matter.
			if b, err = store.Backlog(testContext(t), eventstore.Subscription{}, 10); err != nil || b.Next != nil || b.Events < 2 {
				t.Errorf("from the start: %+v: %v", b, err)
			}
		})
	}
}

// Who counts asks for the end of the log and then follows what the Store holds of it,
// which may not be there yet: what comes last counts as seen though nobody follows it.
func TestBacklogEndsWhereNothingElseComes(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	writer, store := srv.open(), srv.open()
	for i := range 300 {
		before, err := store.Head(testContext(t))
		if err != nil {
			t.Fatal(err)
		}
		mustAppend(t, writer, fmt.Sprintf("other-%d", i), eventstore.NoStream(), pendingPaid("b", 1))
		if b, err := store.Backlog(testContext(t), eventstore.Subscription{From: &before, Prefixes: []string{"till-"}}, 10); err != nil || b != (eventstore.Backlog{}) {
			t.Fatalf("after %d others: %+v: %v", i+1, b, err)
		}
	}
}
