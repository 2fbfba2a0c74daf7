package storetest

import (
	"context"
	"errors"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"understudy/domain"
	"understudy/eventstore"
)

func ignore(domain.Recorded) error { return nil }

func readOfMissingStream(s *suite) {
	if err := s.open().ReadStream(s.context(), s.stream("none"), 0, ignore); !errors.Is(err, eventstore.ErrStreamNotFound) {
		s.Fatalf("got %v", err)
	}
}

func readerCanStop(s *suite) {
	store, stream := s.open(), s.stream("1")
	s.append(store, stream, eventstore.NoStream(), notes(stream, 5))
	enough := errors.New("enough")
	calls := 0
	err := store.ReadStream(s.context(), stream, 0, func(domain.Recorded) error {
		calls++
		return enough
	})
	if !errors.Is(err, enough) || calls != 1 {
		s.Fatalf("got %v after %d calls", err, calls)
	}
}

// The program deletes nothing, but an operator's client may.
func deletedStreamsAreNotFound(s *suite) {
	store := s.open()
	kept, deleted, buried := s.stream("kept"), s.stream("deleted"), s.stream("buried")
	for _, stream := range []string{kept, deleted, buried} {
		s.append(store, stream, eventstore.NoStream(), notes(stream, 2))
	}
	s.foreign(func(ctx context.Context, client *esdb.Client) error {
		_, err := client.DeleteStream(ctx, deleted, esdb.DeleteStreamOptions{ExpectedRevision: esdb.Revision(1)})
		if err != nil {
			return err
		}
		_, err = client.TombstoneStream(ctx, buried, esdb.TombstoneStreamOptions{ExpectedRevision: esdb.Revision(1)})
		return err
	})
	for _, stream := range []string{deleted, buried} {
		if err := store.ReadStream(s.context(), stream, 0, ignore); !errors.Is(err, eventstore.ErrStreamNotFound) {
			s.Errorf("the read of %s said %v", stream, err)
		}
	}
	if _, err := store.Append(s.context(), buried, eventstore.Revision(1), notes("later", 1)); err == nil || errors.Is(err, eventstore.ErrUnavailable) {
		s.Errorf("an append to a tombstoned stream said %v", err)
	}
	if got := s.read(store, kept, 0); len(got) != 2 {
		s.Errorf("another stream has %d events, not 2", len(got))
	}
}

func metadataLimitsWhatIsRead(s *suite) {
	store, stream := s.open(), s.stream("1")
	s.append(store, stream, eventstore.NoStream(), notes(stream, 5))
	s.foreign(func(ctx context.Context, client *esdb.Client) error {
		var m esdb.StreamMetadata
		m.SetMaxCount(2)
		_, err := client.SetStreamMetadata(ctx, stream, esdb.AppendToStreamOptions{}, m)
		return err
	})
	if got := s.read(store, stream, 0); len(got) != 2 || got[0].Revision != 3 {
		s.Errorf("with $maxCount 2 there is %+v", got)
	}
	if at := s.append(store, stream, eventstore.Revision(4), notes(stream+"later", 1)); at.Revision != 5 {
		s.Errorf("the stream goes on at %d", at.Revision)
	}
}

func headPassesOverSystemEvents(s *suite) {
	store, stream := s.open(), s.stream("1")
	if !s.place.Shared {
		if head, err := store.Head(s.context()); err != nil || head != 0 {
			s.Fatalf("an empty log ends at %d (%v)", head, err)
		}
	}
	last := s.append(store, stream, eventstore.NoStream(), notes(stream, 2))
	for range 70 {
		s.record("$$"+stream, "$metadata", `{}`, `{}`)
	}
	if head, err := store.Head(s.context()); err != nil || head != last.Position {
		s.Fatalf("the log ends at %d (%v), not at %d", head, err, last.Position)
	}
}
