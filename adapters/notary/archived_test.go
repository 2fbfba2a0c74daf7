package notary_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"understudy/domain"
	"understudy/eventstore"
	"understudy/test/patience"
)

// shelf is the archive of one event.
type shelf struct {
	mu    sync.Mutex
	of    eventstore.Raw
	state error // why it cannot be read
	asked int
}

func (s *shelf) Each(_ string, each func(position uint64, ref string, data, metadata []byte) error) error {
	return each(s.of.Position, "it", s.of.Data, s.of.Metadata)
}

func (s *shelf) Read(string) (data, metadata []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return s.of.Data, s.of.Metadata, s.state
}

func (s *shelf) put(state error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.asked = state, 0
}

// TestALongLogWithAnArchive is signed on while the archive is away, and refused when it is
// damaged; what lies in it is hashed again as all else.
func TestALongLogWithAnArchive(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, long)
	event := eventstore.Pending{ID: domain.DeriveUUID("archived"), Event: noted{Text: strings.Repeat("dear diary ", 50)}}
	if _, err := i.store.Append(t.Context(), "diary-2", eventstore.NoStream(), []eventstore.Pending{event}); err != nil {
		t.Fatal(err)
	}
	i.record("diary-1", long, 10)
	size := int64(long + 11)
	i.signed(size)
	if err := i.store.ReadStreamRaw(t.Context(), "diary-2", 0, 1, func(e eventstore.Raw) error { i.shelf.of = e; return nil }); err != nil {
		t.Fatal(err)
	}
	if done, err := i.node.Scavenge(t.Context(), "all"); err != nil || done.Events != 1 {
		t.Fatalf("%+v, %v", done, err)
	}

	i.shelf.put(&fs.PathError{Op: "open", Path: "diary", Err: fs.ErrNotExist})
	ctx, cancel := patience.Context(t.Context(), limit)
	defer cancel()
	n, ended := i.notary(), make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	i.record("diary-3", 0, 1)
	size++
	patience.Eventually(t, limit, "a head while the archive is away", func() bool {
		i.shelf.mu.Lock()
		defer i.shelf.mu.Unlock()
		return i.shelf.asked > 2 && n.Status().Signed == size
	})
	if n.Status().Rechecked {
		t.Error("what is away was hashed again")
	}
	i.shelf.put(nil)
	patience.Eventually(t, limit, "every event hashed again once it is back", func() bool { return n.Status().Rechecked })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}

	i.shelf.put(errors.New("a page is torn"))
	ctx, cancel = patience.Context(t.Context(), limit)
	defer cancel()
	if err := i.notary().Run(ctx); !errors.Is(err, eventstore.ErrDamaged) || !strings.Contains(err.Error(), "a page is torn") {
		t.Errorf("of a damaged archive it says %v", err)
	}
	i.shelf.put(nil)
	i.shelf.of.Data = append([]byte(" "), i.shelf.of.Data...)
	ctx, cancel = patience.Context(t.Context(), limit)
	defer cancel()
	if err := i.notary().Run(ctx); !errors.Is(err, eventstore.ErrDamaged) {
		t.Errorf("of another text in it it says %v", err)
	}
}
