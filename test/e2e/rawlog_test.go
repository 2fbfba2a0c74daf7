package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/test/patience"
)

// verbatim is an event of any type with any data.
type verbatim struct {
	typ  string
	data json.RawMessage
}

func (v verbatim) EventType() string { return v.typ }

// MarshalJSON writes the data as it is.
func (v verbatim) MarshalJSON() ([]byte, error) { return v.data, nil }

// openLog attaches to an event store by its socket, as an auditor does, and
// records events of these types whatever their data.
func openLog(t *testing.T, socket string, types ...string) *eventstore.Store {
	t.Helper()
	var entries []domain.Entry
	for _, typ := range types {
		entries = append(entries, domain.Entry{Type: typ, Decode: func(data []byte) (domain.Event, error) { return verbatim{typ, data}, nil }})
	}
	store, err := eventstore.Open(eventstore.Config{Socket: socket, Codec: eventstore.NewCodec(entries)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func (s *service) socket() string { return filepath.Join(s.Data(), "events.sock") }

// wholeLog reads every event of a log, in the order of the log.
func wholeLog(t *testing.T, store *eventstore.Store) (all []eventstore.Raw) {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), time.Minute)
	defer cancel()
	head, err := store.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	errDone := errors.New("done")
	err = store.SubscribeRaw(ctx, eventstore.Subscription{Name: "auditor"}, func(_ context.Context, b eventstore.RawBatch) error {
		all = append(all, b.Events...)
		if len(all) > 0 && all[len(all)-1].Position >= head {
			return errDone
		}
		return nil
	})
	if !errors.Is(err, errDone) {
		t.Fatal(err)
	}
	return all
}

// record appends one event behind those that a stream has.
func record(t *testing.T, store *eventstore.Store, stream string, id uuid.UUID, typ, data string, meta domain.Meta) (position uint64) {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), time.Minute)
	defer cancel()
	expected := eventstore.NoStream()
	last, err := store.LastRevision(ctx, stream)
	if err == nil {
		expected = eventstore.Revision(last)
	} else if !errors.Is(err, eventstore.ErrStreamNotFound) {
		t.Fatal(err)
	}
	appended, err := store.Append(ctx, stream, expected, []eventstore.Pending{{ID: id, Event: verbatim{typ, json.RawMessage(data)}, Meta: meta}})
	if err != nil {
		t.Fatal(err)
	}
	return appended.Position
}

// recordAgain copies a log into a new store at dir, event by event, each as
// change makes it.
func recordAgain(t *testing.T, from []eventstore.Raw, dir string, change func(eventstore.Raw) (typ string, data []byte)) {
	t.Helper()
	socket := filepath.Join(filepath.Dir(dir), "copy.sock")
	n, err := node.Start(context.Background(), node.Options{Dir: dir, Socket: socket})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}()
	types := map[string]bool{}
	var list []string
	changed := make([]verbatim, len(from))
	for i, e := range from {
		changed[i].typ, changed[i].data = change(e)
		if typ := changed[i].typ; !types[typ] {
			types[typ], list = true, append(list, typ)
		}
	}
	store := openLog(t, socket, list...)
	for i, e := range from {
		var meta domain.Meta
		if err := json.Unmarshal(e.Metadata, &meta); err != nil {
			t.Fatal(err)
		}
		expected := eventstore.NoStream()
		if e.Revision > 0 {
			expected = eventstore.Revision(e.Revision - 1)
		}
		ctx, cancel := patience.Context(context.Background(), time.Minute)
		appended, err := store.Append(ctx, e.Stream, expected, []eventstore.Pending{{ID: e.ID, Event: changed[i], Meta: meta}})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if appended.Position != e.Position {
			t.Fatalf("%s@%d was at position %d and is at %d", e.Stream, e.Revision, e.Position, appended.Position)
		}
	}
}
