package eventstore_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy/domain"
	"understudy/eventstore"
)

func TestWhatIsAppendedIsRead(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	meta := domain.Meta{
		CorrelationID: "c", CausationID: "d", Actor: "a", KeyID: "k", OrganizationID: "o",
		Environment: domain.Sandbox, RequestID: "r", Traceparent: "p",
	}
	before := time.Now().Add(-time.Millisecond)
	events := []eventstore.Pending{
		{ID: uuid.New(), Event: paid{Amount: 3, Note: "drei €"}, Meta: meta},
		{ID: uuid.New(), Event: closed{}},
	}
	first := mustAppend(t, store, "till-1", eventstore.NoStream(), events)
	second := mustAppend(t, store, "till-1", eventstore.Revision(first.Revision), pendingPaid("later", 1))

	got := readAll(t, store, "till-1", 0)
	if len(got) != 3 || !slices.Equal(ids(got)[:2], []uuid.UUID{events[0].ID, events[1].ID}) {
		t.Fatalf("read %+v", got)
	}
	if diff := cmp.Diff([]domain.Event{paid{Amount: 3, Note: "drei €"}, closed{}, paid{Amount: 1, Note: "later"}},
		[]domain.Event{got[0].Event, got[1].Event, got[2].Event}); diff != "" {
		t.Error(diff)
	}
	if got[0].Meta != meta || got[1].Meta != (domain.Meta{}) {
		t.Errorf("metadata %+v, %+v", got[0].Meta, got[1].Meta)
	}
	for i, r := range got {
		if r.Stream != "till-1" || r.Revision != uint64(i) {
			t.Errorf("event %d is at %s@%d", i, r.Stream, r.Revision)
		}
		if r.Time.Location() != time.UTC || r.Time.Before(before) || time.Since(r.Time) > patience ||
			!r.Time.Equal(r.Time.Truncate(time.Millisecond)) {
			t.Errorf("event %d was recorded at %s", i, r.Time)
		}
	}
	if first != (eventstore.Appended{Revision: 1, Position: got[1].Position}) ||
		second != (eventstore.Appended{Revision: 2, Position: got[2].Position}) {
		t.Errorf("appended at %+v and %+v, read at %d and %d", first, second, got[1].Position, got[2].Position)
	}
	if tail := readAll(t, store, "till-1", 2); !slices.Equal(ids(tail), ids(got[2:])) {
		t.Errorf("the tail is %+v", tail)
	}
	if past := readAll(t, store, "till-1", 3); len(past) != 0 {
		t.Errorf("past the end there is %+v", past)
	}
}

func TestReadOfMissingStream(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	err := store.ReadStream(testContext(t), "till-none", 0, func(domain.Recorded) error { return nil })
	if !errors.Is(err, eventstore.ErrStreamNotFound) {
		t.Fatalf("got %v", err)
	}
}

func TestReaderCanStop(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 5))
	enough := errors.New("enough")
	calls := 0
	err := store.ReadStream(testContext(t), "till-1", 0, func(domain.Recorded) error {
		calls++
		return enough
	})
	if !errors.Is(err, enough) || calls != 1 {
		t.Fatalf("got %v after %d calls", err, calls)
	}
}

func TestAppendElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	ctx := testContext(t)
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 2))
	for name, expected := range map[string]eventstore.Expected{
		"no stream": eventstore.NoStream(), "behind": eventstore.Revision(0), "ahead": eventstore.Revision(2),
	} {
		_, err := store.Append(ctx, "till-1", expected, pendingPaid(name, 1))
		if !errors.Is(err, eventstore.ErrWrongExpected) || errors.Is(err, eventstore.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := store.Append(ctx, "till-2", eventstore.Revision(0), pendingPaid("b", 1)); !errors.Is(err, eventstore.ErrWrongExpected) {
		t.Errorf("missing stream: %v", err)
	}
	if got := readAll(t, store, "till-1", 0); len(got) != 2 {
		t.Errorf("refused appends wrote: %+v", got)
	}
}

func TestSameAppendAgainWritesNothing(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	events := pendingPaid("a", 3)
	first := mustAppend(t, store, "till-1", eventstore.NoStream(), events)
	later := mustAppend(t, store, "till-1", eventstore.Revision(2), pendingPaid("b", 1))
	if again := mustAppend(t, store, "till-1", eventstore.NoStream(), events); again != first {
		t.Errorf("the same append answered %+v, then %+v", first, again)
	}
	if head, err := store.Head(testContext(t)); err != nil || head != later.Position {
		t.Errorf("the log ends at %d (%v), not at %d", head, err, later.Position)
	}
	if got := readAll(t, store, "till-1", 0); len(got) != 4 {
		t.Errorf("there are %d events, not 4", len(got))
	}
}

func TestUnusableAppends(t *testing.T) {
	t.Parallel()
	store := startServer(t).open()
	for name, events := range map[string][]eventstore.Pending{
		"none":           nil,
		"without id":     {{Event: closed{}}},
		"without event":  {{ID: uuid.New()}},
		"not registered": {{ID: uuid.New(), Event: domain.Unknown{Type: "x"}}},
		"too large":      {{ID: uuid.New(), Event: paid{Note: strings.Repeat("x", 1<<20)}}},
	} {
		_, err := store.Append(testContext(t), "till-1", eventstore.NoStream(), events)
		if err == nil || errors.Is(err, eventstore.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHeadPassesOverSystemEvents(t *testing.T) {
	t.Parallel()
	srv := startServer(t)
	store := srv.open()
	if head, err := store.Head(testContext(t)); err != nil || head != 0 {
		t.Fatalf("an empty log ends at %d (%v)", head, err)
	}
	last := mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid("a", 2))
	for range 70 {
		srv.record("$$till-1", "$metadata", `{}`, `{}`)
	}
	if head, err := store.Head(testContext(t)); err != nil || head != last.Position {
		t.Fatalf("the log ends at %d (%v), not at %d", head, err, last.Position)
	}
}

func TestUnusableConfigurations(t *testing.T) {
	t.Parallel()
	codec := eventstore.NewCodec()
	for name, cfg := range map[string]eventstore.Config{
		"nothing":          {Codec: codec},
		"no codec":         {Socket: "/tmp/x"},
		"another scheme":   {URL: "http://localhost", Codec: codec},
		"negative timeout": {Socket: "/tmp/x", Codec: codec, CallTimeout: -1},
		"bad port":         {URL: "esdb://admin:geheim@localhost:nope", Codec: codec},
	} {
		_, err := eventstore.Open(cfg)
		if err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
