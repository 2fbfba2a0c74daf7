package eventstore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/eventstore/node/engine"
	"understudy/eventstore/storetest"
	"understudy/test/patience"
)

// Events of a till, the stream kind of these tests.
type (
	tillEvent interface {
		domain.Event
		till()
	}
	paid struct {
		Amount int    `json:"amount"`
		Note   string `json:"note,omitempty"`
	}
	closed struct{}
	opened struct{}
)

func (paid) EventType() string   { return "till.paid.v1" }
func (closed) EventType() string { return "till.closed.v1" }
func (opened) EventType() string { return "till.opened.v1" }
func (paid) till()               {}
func (closed) till()             {}
func (opened) till()             {}

var tillCatalogue = []domain.Entry{
	domain.Recordable[paid](), domain.Recordable[closed](), domain.Recordable[opened](),
}

type tillState struct {
	Sum    int
	Paid   int
	Closed bool
}

// Commands of a till.
type (
	pay       struct{ Amount int }
	payTwice  struct{ Amount int }
	closeTill struct{}
	openTill  struct{}
)

var tillDecider = domain.Decider[tillState, any, tillEvent]{
	Decide: func(s tillState, cmd any) ([]tillEvent, error) {
		switch c := cmd.(type) {
		case pay:
			if s.Closed {
				return nil, domain.Refuse(domain.CodeWrongState, "the till is closed")
			}
			return []tillEvent{paid{Amount: c.Amount}}, nil
		case payTwice:
			return []tillEvent{paid{Amount: c.Amount}, paid{Amount: c.Amount}}, nil
		case closeTill:
			if s.Closed {
				return nil, nil
			}
			return []tillEvent{closed{}}, nil
		case openTill:
			return []tillEvent{opened{}}, nil
		}
		return nil, domain.Refuse(domain.CodeValidationFailed, "unknown command %T", cmd)
	},
	Evolve: func(s tillState, e tillEvent) tillState {
		switch e := e.(type) {
		case paid:
			s.Sum += e.Amount
			s.Paid++
		case closed:
			s.Closed = true
		case opened:
			s.Closed = false
		}
		return s
	},
}

// server is a node that can be stopped and started on the same files.
type server struct {
	t           *testing.T
	dir, socket string
	archive     engine.Archive
	node        *node.Node
}

func newServer(t *testing.T) *server {
	t.Helper()
	base := t.TempDir()
	s := &server{t: t, dir: filepath.Join(base, "log"), socket: filepath.Join(base, "es.sock")}
	t.Cleanup(s.stop)
	return s
}

func startServer(t *testing.T) *server {
	t.Helper()
	s := newServer(t)
	s.start()
	return s
}

func (s *server) start() {
	s.t.Helper()
	n, err := node.Start(context.Background(), node.Options{Dir: s.dir, Archive: s.archive, Socket: s.socket})
	if err != nil {
		s.t.Fatal(err)
	}
	s.node = n
}

func (s *server) stop() {
	if s.node == nil {
		return
	}
	if err := s.node.Close(); err != nil {
		s.t.Error(err)
	}
	s.node = nil
}

func (s *server) open(change ...func(*eventstore.Config)) *eventstore.Store {
	s.t.Helper()
	cfg := eventstore.Config{Socket: s.socket, Codec: eventstore.NewCodec(tillCatalogue), CallTimeout: patience.Scaled(storetest.Patience)}
	for _, c := range change {
		c(&cfg)
	}
	store, err := eventstore.Open(cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := store.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return store
}

// record appends an event of any type and content the way foreign programs do.
func (s *server) record(stream, typ, data, meta string) {
	s.t.Helper()
	conf, err := esdb.ParseConnectionString(s.node.ConnectionString())
	if err != nil {
		s.t.Fatal(err)
	}
	conf.Address = "unix://" + s.socket
	conf.Logger = esdb.NoopLogging()
	client, err := esdb.NewClient(conf)
	if err != nil {
		s.t.Fatal(err)
	}
	defer client.Close()
	_, err = client.AppendToStream(context.Background(), stream, esdb.AppendToStreamOptions{}, esdb.EventData{
		EventType: typ, ContentType: esdb.ContentTypeJson, Data: []byte(data), Metadata: []byte(meta),
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), 4*storetest.Patience)
	t.Cleanup(cancel)
	return ctx
}

// pendingPaid makes n payments of 1, 2, … with ids derived from the seed.
func pendingPaid(seed string, n int) []eventstore.Pending {
	events := make([]eventstore.Pending, n)
	for i := range events {
		events[i] = eventstore.Pending{
			ID:    domain.DeriveUUID(seed, fmt.Sprint(i)),
			Event: paid{Amount: i + 1, Note: seed},
		}
	}
	return events
}

func mustAppend(t *testing.T, store *eventstore.Store, stream string, at eventstore.Expected, events []eventstore.Pending) eventstore.Appended {
	t.Helper()
	appended, err := store.Append(testContext(t), stream, at, events)
	if err != nil {
		t.Fatal(err)
	}
	return appended
}

func readAll(t *testing.T, store *eventstore.Store, stream string, from uint64) []domain.Recorded {
	t.Helper()
	var all []domain.Recorded
	err := store.ReadStream(testContext(t), stream, from, func(r domain.Recorded) error {
		all = append(all, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
