package eventstore_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"understudy/eventstore"
	"understudy/eventstore/storetest"
)

// vault is the archive of one event, which may be away or damaged.
type vault struct {
	mu      sync.Mutex
	of      eventstore.Raw
	away    bool
	damaged bool
	asked   int
}

func (v *vault) Each(_ string, each func(position uint64, ref string, data, metadata []byte) error) error {
	return each(v.of.Position, "it", v.of.Data, v.of.Metadata)
}

func (v *vault) Read(string) (data, metadata []byte, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.damaged {
		return nil, nil, errors.New("it is torn")
	}
	v.asked++
	if v.asked == 5 {
		v.away = false
	}
	if v.away {
		return nil, nil, &fs.PathError{Op: "find", Path: "archive", Err: errors.New("it is on another shelf")}
	}
	return v.of.Data, v.of.Metadata, nil
}

// Who follows the log waits for an archive that is away, and tells it once.
func TestASubscriptionWaitsForAnArchive(t *testing.T) {
	t.Parallel()
	v := &vault{away: true}
	srv := newServer(t)
	srv.archive = v
	srv.start()
	var said bytes.Buffer
	store := srv.open(func(c *eventstore.Config) { c.Logger = slog.New(slog.NewTextHandler(&said, nil)) })
	mustAppend(t, store, "till-1", eventstore.NoStream(), pendingPaid(strings.Repeat("note ", 100), 3))
	err := store.ReadStreamRaw(t.Context(), "till-1", 1, 1, func(e eventstore.Raw) error { v.of = e; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if done, err := srv.node.Scavenge(t.Context(), "one"); err != nil || done.Events != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	enough := errors.New("enough")
	var archived eventstore.Raw
	ended := make(chan error, 1)
	go func() {
		ended <- store.SubscribeRaw(t.Context(), eventstore.Subscription{}, func(_ context.Context, b eventstore.RawBatch) error {
			for _, e := range b.Events {
				if e.Revision == v.of.Revision {
					archived = e
					return enough
				}
			}
			return nil
		})
	}()
	if err := storetest.Wait(t, "the archived event", ended); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	if !bytes.Equal(archived.Data, v.of.Data) {
		t.Errorf("it has the data %s", archived.Data)
	}
	if n := strings.Count(said.String(), "on another shelf"); n != 1 {
		t.Errorf("it was told %d times:\n%s", n, said.String())
	}

	// Who reads is told to come again.
	v.mu.Lock()
	v.away = true
	v.mu.Unlock()
	err = store.ReadStreamRaw(t.Context(), "till-1", 1, 1, func(eventstore.Raw) error { return nil })
	if !errors.Is(err, eventstore.ErrUnavailable) || !strings.Contains(err.Error(), "an archive of events is away") {
		t.Errorf("who reads what is away is told %v", err)
	}

	// What is not as it was recorded is not waited for.
	v.mu.Lock()
	v.damaged = true
	v.mu.Unlock()
	go func() {
		ended <- store.SubscribeRaw(t.Context(), eventstore.Subscription{}, func(context.Context, eventstore.RawBatch) error { return nil })
	}()
	if err := storetest.Wait(t, "a damaged archive", ended); !errors.Is(err, eventstore.ErrDamaged) || !strings.Contains(err.Error(), "it is torn") {
		t.Errorf("who follows is told %v", err)
	}
	if err := store.ReadStreamRaw(t.Context(), "till-1", 1, 1, func(eventstore.Raw) error { return nil }); !errors.Is(err, eventstore.ErrDamaged) {
		t.Errorf("who reads is told %v", err)
	}
}
