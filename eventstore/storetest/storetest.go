// Package storetest is the conformance suite of the product's port on an
// event store: what eventstore.Store promises has to hold whatever server is
// behind it. It runs against the embedded node and, when ESDB_URL names one,
// against an EventStoreDB cluster.
package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/test/patience"
)

// Patience bounds every wait of the suite, on an idle machine.
const Patience = 15 * time.Second

// Place is an event store to be tested.
type Place struct {
	// Config says how to reach it; codec and time limits are the suite's.
	Config eventstore.Config
	// Shared says that it holds other events too, of earlier runs and tests:
	// tests then take turns, and look at their own streams only.
	Shared bool
	// Stop and Start end the server and start it again on the same data. Both
	// are nil where that is not the suite's to do.
	Stop, Start func()
}

// Run runs the suite; open makes a place that serves, for one test.
func Run(t *testing.T, open func(t *testing.T) Place) {
	for _, test := range []struct {
		name     string
		run      func(s *suite)
		restarts bool
	}{
		{"what is appended is read", whatIsAppendedIsRead, false},
		{"append elsewhere is refused", appendElsewhereIsRefused, false},
		{"the same append again writes nothing", sameAppendAgainWritesNothing, false},
		{"of two appends at one revision one is written", oneOfTwoAppendsIsWritten, false},
		{"unusable appends", unusableAppends, false},
		{"read of a missing stream", readOfMissingStream, false},
		{"reader can stop", readerCanStop, false},
		{"deleted streams are not found", deletedStreamsAreNotFound, false},
		{"metadata limits what is read", metadataLimitsWhatIsRead, false},
		{"head passes over system events", headPassesOverSystemEvents, false},
		{"raw events are as recorded", rawEventsAreAsRecorded, false},
		{"subscription begins where it is told", subscriptionBeginsWhereItIsTold, false},
		{"subscription to prefixes", subscriptionToPrefixes, false},
		{"checkpoints advance without events", checkpointsAdvanceWithoutEvents, false},
		{"system events are not delivered", systemEventsAreNotDelivered, false},
		{"handler's error ends the subscription", handlersErrorEndsTheSubscription, false},
		{"handler's panic ends the subscription", handlersPanicEndsTheSubscription, false},
		{"batches are bounded and never wait to fill", batchesAreBounded, false},
		{"poison ends the subscription", poisonEndsTheSubscription, false},
		{"close ends everything", closeEndsEverything, false},
		{"calls while the store is down", callsWhileTheStoreIsDown, true},
		{"a restart shorter than the timeout goes unnoticed", shortRestartGoesUnnoticed, true},
		{"subscription survives restarts", subscriptionSurvivesRestarts, true},
		{"subscription from the end keeps its beginning over a restart", fromEndKeepsItsBeginning, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			place := open(t)
			if test.restarts && place.Stop == nil {
				t.Skip("this store is not the suite's to stop")
			}
			if !place.Shared {
				t.Parallel()
			}
			test.run(&suite{T: t, place: place, own: "storetest" + uuid.NewString()[:8]})
		})
	}
}

// suite is one test on a place, with streams of its own.
type suite struct {
	*testing.T
	place Place
	own   string
}

// Events of the suite's streams.
type (
	noted struct {
		Number int    `json:"number"`
		Text   string `json:"text,omitempty"`
	}
	ended struct{}
)

func (noted) EventType() string { return "storetest.noted.v1" }
func (ended) EventType() string { return "storetest.ended.v1" }

// stream is the name of a stream that is this test's alone.
func (s *suite) stream(name string) string { return s.own + "-" + name }

// mine are the streams of this test.
func (s *suite) mine() []string { return []string{s.own + "-"} }

// open opens a Store that is closed with the test.
func (s *suite) open(change ...func(*eventstore.Config)) *eventstore.Store {
	s.Helper()
	cfg := s.place.Config
	cfg.CallTimeout = patience.Scaled(Patience)
	cfg.Codec = eventstore.NewCodec([]domain.Entry{domain.Recordable[noted](), domain.Recordable[ended]()})
	for _, c := range change {
		c(&cfg)
	}
	store, err := eventstore.Open(cfg)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := store.Close(); err != nil {
			s.Error(err)
		}
	})
	return store
}

func (s *suite) context() context.Context {
	s.Helper()
	ctx, cancel := patience.Context(context.Background(), 4*Patience)
	s.Cleanup(cancel)
	return ctx
}

// notes makes n events with ids derived from the seed.
func notes(seed string, n int) []eventstore.Pending {
	events := make([]eventstore.Pending, n)
	for i := range events {
		events[i] = eventstore.Pending{ID: domain.DeriveUUID(seed, fmt.Sprint(i)), Event: noted{Number: i + 1, Text: seed}}
	}
	return events
}

func (s *suite) append(store *eventstore.Store, stream string, at eventstore.Expected, events []eventstore.Pending) eventstore.Appended {
	s.Helper()
	appended, err := store.Append(s.context(), stream, at, events)
	if err != nil {
		s.Fatal(err)
	}
	return appended
}

func (s *suite) read(store *eventstore.Store, stream string, from uint64) []domain.Recorded {
	s.Helper()
	var all []domain.Recorded
	err := store.ReadStream(s.context(), stream, from, func(r domain.Recorded) error {
		all = append(all, r)
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// foreign is a client as others have it, for what the port does not do.
func (s *suite) foreign(do func(ctx context.Context, client *esdb.Client) error) {
	s.Helper()
	url := s.place.Config.URL
	if url == "" {
		url = "esdb://localhost:2113?tls=false"
	}
	conf, err := esdb.ParseConnectionString(url)
	if err != nil {
		s.Fatal("the place's connection string cannot be read") // it may hold a password
	}
	if s.place.Config.Socket != "" {
		conf.Address = "unix://" + s.place.Config.Socket
	}
	conf.Logger = esdb.NoopLogging()
	client, err := esdb.NewClient(conf)
	if err != nil {
		s.Fatal(err)
	}
	defer client.Close()
	if err := do(s.context(), client); err != nil {
		s.Fatal(err)
	}
}

// record appends an event of any type and content.
func (s *suite) record(stream, typ, data, meta string) {
	s.Helper()
	s.foreign(func(ctx context.Context, client *esdb.Client) error {
		_, err := client.AppendToStream(ctx, stream, esdb.AppendToStreamOptions{}, esdb.EventData{
			EventType: typ, ContentType: esdb.ContentTypeJson, Data: []byte(data), Metadata: []byte(meta),
		})
		return err
	})
}

func ids(events []domain.Recorded) []uuid.UUID {
	out := make([]uuid.UUID, len(events))
	for i, e := range events {
		out[i] = e.ID
	}
	return out
}
