package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"understudy/domain"
	"understudy/eventstore"
)

func whatIsAppendedIsRead(s *suite) {
	store, stream := s.open(), s.stream("1")
	meta := domain.Meta{
		CorrelationID: "c", CausationID: "d", Actor: "a", KeyID: "k", OrganizationID: "o",
		Environment: domain.Sandbox, RequestID: "r", Traceparent: "p",
	}
	before := time.Now().Add(-time.Millisecond)
	events := []eventstore.Pending{
		{ID: uuid.New(), Event: noted{Number: 3, Text: "drei €"}, Meta: meta},
		{ID: uuid.New(), Event: ended{}},
	}
	first := s.append(store, stream, eventstore.NoStream(), events)
	second := s.append(store, stream, eventstore.Revision(first.Revision), notes(stream, 1))

	got := s.read(store, stream, 0)
	if len(got) != 3 || !slices.Equal(ids(got)[:2], []uuid.UUID{events[0].ID, events[1].ID}) {
		s.Fatalf("read %+v", got)
	}
	if diff := cmp.Diff([]domain.Event{noted{Number: 3, Text: "drei €"}, ended{}, noted{Number: 1, Text: stream}},
		[]domain.Event{got[0].Event, got[1].Event, got[2].Event}); diff != "" {
		s.Error(diff)
	}
	if got[0].Meta != meta || got[1].Meta != (domain.Meta{}) {
		s.Errorf("metadata %+v, %+v", got[0].Meta, got[1].Meta)
	}
	for i, r := range got {
		if r.Stream != stream || r.Revision != uint64(i) {
			s.Errorf("event %d is at %s@%d", i, r.Stream, r.Revision)
		}
		if r.Time.Location() != time.UTC || !s.place.Shared && r.Time.Before(before) || (s.place.Shared && r.Time.Before(before.Add(-Patience))) || time.Until(r.Time) > Patience ||
			!r.Time.Equal(r.Time.Truncate(time.Millisecond)) {
			s.Errorf("event %d was recorded at %s", i, r.Time)
		}
	}
	if first != (eventstore.Appended{Revision: 1, Position: got[1].Position}) ||
		second != (eventstore.Appended{Revision: 2, Position: got[2].Position}) {
		s.Errorf("appended at %+v and %+v, read at %d and %d", first, second, got[1].Position, got[2].Position)
	}
	if tail := s.read(store, stream, 2); !slices.Equal(ids(tail), ids(got[2:])) {
		s.Errorf("the tail is %+v", tail)
	}
	if past := s.read(store, stream, 3); len(past) != 0 {
		s.Errorf("past the end there is %+v", past)
	}
}

func appendElsewhereIsRefused(s *suite) {
	store, stream := s.open(), s.stream("1")
	ctx := s.context()
	s.append(store, stream, eventstore.NoStream(), notes(stream, 2))
	for name, expected := range map[string]eventstore.Expected{
		"no stream": eventstore.NoStream(), "behind": eventstore.Revision(0), "ahead": eventstore.Revision(2),
	} {
		_, err := store.Append(ctx, stream, expected, notes(name, 1))
		if !errors.Is(err, eventstore.ErrWrongExpected) || errors.Is(err, eventstore.ErrUnavailable) {
			s.Errorf("%s: %v", name, err)
		}
	}
	if _, err := store.Append(ctx, s.stream("2"), eventstore.Revision(0), notes("b", 1)); !errors.Is(err, eventstore.ErrWrongExpected) {
		s.Errorf("missing stream: %v", err)
	}
	if got := s.read(store, stream, 0); len(got) != 2 {
		s.Errorf("refused appends wrote: %+v", got)
	}
}

func sameAppendAgainWritesNothing(s *suite) {
	store, stream := s.open(), s.stream("1")
	events := notes(stream, 3)
	first := s.append(store, stream, eventstore.NoStream(), events)
	later := s.append(store, stream, eventstore.Revision(2), notes(stream+"later", 1))
	if again := s.append(store, stream, eventstore.NoStream(), events); again != first {
		s.Errorf("the same append answered %+v, then %+v", first, again)
	}
	if head, err := store.Head(s.context()); err != nil || head != later.Position {
		s.Errorf("the log ends at %d (%v), not at %d", head, err, later.Position)
	}
	if got := s.read(store, stream, 0); len(got) != 4 {
		s.Errorf("there are %d events, not 4", len(got))
	}
}

func oneOfTwoAppendsIsWritten(s *suite) {
	store, stream := s.open(), s.stream("1")
	ctx := s.context()
	const writers, rounds = 8, 10
	for round := range rounds {
		expected := eventstore.NoStream()
		if round > 0 {
			expected = eventstore.Revision(uint64(round - 1))
		}
		var won atomic.Int64
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				_, err := store.Append(ctx, stream, expected, notes(fmt.Sprint(stream, round, w), 1))
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, eventstore.ErrWrongExpected):
					s.Error(err)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			s.Fatalf("%d of %d appends at one revision were written", won.Load(), writers)
		}
	}
	if got := s.read(store, stream, 0); len(got) != rounds {
		s.Errorf("there are %d events, not %d", len(got), rounds)
	}
}

func unusableAppends(s *suite) {
	store := s.open()
	for name, events := range map[string][]eventstore.Pending{
		"none":           nil,
		"without id":     {{Event: ended{}}},
		"without event":  {{ID: uuid.New()}},
		"not registered": {{ID: uuid.New(), Event: domain.Unknown{Type: "x"}}},
		"too large":      {{ID: uuid.New(), Event: noted{Text: strings.Repeat("x", 1<<20)}}},
	} {
		_, err := store.Append(s.context(), s.stream("1"), eventstore.NoStream(), events)
		if err == nil || errors.Is(err, eventstore.ErrUnavailable) {
			s.Errorf("%s: %v", name, err)
		}
	}
}
