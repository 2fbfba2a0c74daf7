package eventstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"google.golang.org/grpc/metadata"

	"understudy/domain"
)

const (
	// wholeLog is the count of a read that goes on to the end.
	wholeLog = math.MaxInt64
	// readAhead is how many events of a read may wait for the caller.
	readAhead = 128
)

// ReadStream passes the events of a stream to each, in their order, from the
// revision from (inclusive) to the end. An error of each ends the read and is
// returned as it is. ErrStreamNotFound: there is no such stream;
// ErrUnavailable: nothing came for the call timeout; *PoisonError: an event
// does not fit its type.
func (s *Store) ReadStream(ctx context.Context, stream string, from uint64, each func(domain.Recorded) error) error {
	return readStream(ctx, s, stream, from, func(e *esdb.RecordedEvent) error {
		recorded, err := s.decode(e)
		if err != nil {
			return err
		}
		return each(recorded)
	})
}

// readStream is ReadStream with the events as the client has them.
func readStream(ctx context.Context, s *Store, stream string, from uint64, each func(*esdb.RecordedEvent) error) error {
	ctx, cancel := s.bind(ctx)
	defer cancel()
	r := streamRead{store: s, stream: stream, next: from, each: each}
	pause := backoff{first: firstPause, longest: longestPause}
	r.progress()
	for {
		next := r.next
		err := r.run(ctx)
		if err == nil || r.stopped != nil {
			return r.stopped
		}
		if r.next != next {
			pause.reset()
		}
		if !retryable(err) || !time.Now().Before(r.deadline) || !pause.wait(ctx) {
			return outcome(ctx, "read "+stream, err)
		}
	}
}

// streamRead is one read of a stream, which a lost connection does not end.
type streamRead struct {
	store  *Store
	stream string
	each   func(*esdb.RecordedEvent) error
	// next is the revision of the next event.
	next uint64
	// deadline is when the next event must have come.
	deadline time.Time
	// stopped is what ended the read from the caller's side.
	stopped error
}

func (r *streamRead) progress() { r.deadline = time.Now().Add(r.store.timeout) }

// run reads on from r.next until the end of the stream or an error.
func (r *streamRead) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from := r.next
	items, failure := flow(ctx, r.store, readAhead, func(client *esdb.Client, emit func(*esdb.RecordedEvent) error) error {
		read, err := client.ReadStream(leaderOnly(ctx), r.stream, esdb.ReadStreamOptions{
			Direction: esdb.Forwards,
			From:      esdb.Revision(from),
		}, wholeLog)
		if err != nil {
			return err
		}
		defer read.Close()
		for {
			e, err := read.Recv()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := emit(e.OriginalEvent()); err != nil {
				return err
			}
		}
	})
	timer := time.NewTimer(time.Until(r.deadline))
	defer timer.Stop()
	for {
		select {
		case e, ok := <-items:
			if !ok {
				return failure()
			}
			if r.stopped = r.take(e); r.stopped != nil {
				return r.stopped
			}
			r.progress()
			timer.Reset(r.store.timeout)
		case <-timer.C:
			return fmt.Errorf("%w: no event for %s", ErrUnavailable, r.store.timeout)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (r *streamRead) take(e *esdb.RecordedEvent) error {
	if err := r.each(e); err != nil {
		return err
	}
	r.next = e.EventNumber + 1
	return nil
}

// readOne is the first event that a read of a stream gives.
func (s *Store) readOne(ctx context.Context, stream string, options esdb.ReadStreamOptions) (*esdb.RecordedEvent, error) {
	return call(ctx, s, "read "+stream, func(ctx context.Context, client *esdb.Client) (*esdb.RecordedEvent, error) {
		read, err := client.ReadStream(leaderOnly(ctx), stream, options, 1)
		if err != nil {
			return nil, err
		}
		defer read.Close()
		e, err := read.Recv()
		if err != nil {
			return nil, err
		}
		return e.OriginalEvent(), nil
	})
}

// decode makes a recorded event of what the store sent. The error is a
// *PoisonError.
func (s *Store) decode(e *esdb.RecordedEvent) (domain.Recorded, error) {
	return s.codec.Recorded(raw(e))
}

// position is the commit position of an event. Servers before 22.6 leave it
// out of stream reads, which shows as the highest number; that becomes 0.
func position(e *esdb.RecordedEvent) uint64 {
	if e.Position.Commit == math.MaxUint64 {
		return 0
	}
	return e.Position.Commit
}

// leaderOnly asks a cluster to answer from its leader, so that a read sees
// what was just written. The client means to send this header but does not.
func leaderOnly(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "requires-leader", "true")
}
