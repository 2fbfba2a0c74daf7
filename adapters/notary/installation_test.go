package notary_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/notary"
	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/integrity"
	"understudy/eventstore/node"
	"understudy/test/patience"
)

// limit bounds every wait of these tests, on an idle machine.
const limit = 30 * time.Second

// noted is the event of these tests.
type noted struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

func (noted) EventType() string { return "diary.noted.v1" }

var codec = eventstore.NewCodec([]domain.Entry{domain.Recordable[noted]()})

// keys is a keyring in memory.
type keys struct {
	mu                      sync.Mutex
	secret, rotations, next string
	startedOver             bool
	// broken: a rotation is written, and fails all the same.
	broken bool
}

func (k *keys) StartedOver() bool { return k.startedOver }

func (k *keys) AuditKey() (secret, rotations string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.secret, k.rotations, nil
}

func (k *keys) AddAuditKey(secret string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.secret == "" {
		k.secret = secret
	}
	return k.secret, nil
}

func (k *keys) NextAuditKey() (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.next, nil
}

func (k *keys) PrepareAuditKey(secret string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == "" {
		k.next = secret
	}
	return k.next, nil
}

func (k *keys) RotateAuditKey(next, rotations string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.secret, k.rotations, k.next = next, rotations, ""
	if k.broken {
		k.broken = false
		return errors.New("the disk is slow to say so")
	}
	return nil
}

// installation is a log, a database, a keyring and a directory of heads.
type installation struct {
	t     *testing.T
	dir   string
	store *eventstore.Store
	pool  *pgxpool.Pool
	keys  *keys
	node  *node.Node
	shelf *shelf
}

func install(t *testing.T) *installation {
	t.Helper()
	i := &installation{t: t, dir: t.TempDir(), pool: pgtest.Pool(t), keys: &keys{}, shelf: &shelf{}}
	i.newLog("log")
	return i
}

// newLog puts another, empty log in the place of the one there is.
func (i *installation) newLog(name string) {
	i.t.Helper()
	socket := filepath.Join(i.dir, name+".sock")
	n, err := node.Start(i.t.Context(), node.Options{Dir: filepath.Join(i.dir, name), Archive: i.shelf, Socket: socket})
	if err != nil {
		i.t.Fatal(err)
	}
	i.node = n
	i.store, err = eventstore.Open(eventstore.Config{Socket: socket, Codec: codec, CallTimeout: patience.Scaled(limit)})
	if err != nil {
		i.t.Fatal(err)
	}
	store := i.store
	i.t.Cleanup(func() {
		if err := errors.Join(store.Close(), n.Close()); err != nil {
			i.t.Error(err)
		}
	})
}

// record appends events to one stream, the first of revision from.
func (i *installation) record(stream string, from, count int) {
	i.t.Helper()
	for done := 0; done < count; {
		expected := eventstore.NoStream()
		if from+done > 0 {
			expected = eventstore.Revision(uint64(from + done - 1))
		}
		var events []eventstore.Pending
		for ; done < count && len(events) < 500; done++ {
			id := domain.DeriveUUID(stream, fmt.Sprint(from+done))
			events = append(events, eventstore.Pending{ID: id, Event: noted{N: from + done}, Meta: domain.Meta{OrganizationID: "org_1"}})
		}
		if _, err := i.store.Append(i.t.Context(), stream, expected, events); err != nil {
			i.t.Fatal(err)
		}
	}
}

func (i *installation) heads() string { return filepath.Join(i.dir, "audit", notary.HeadsName) }

func (i *installation) notary() *notary.Notary {
	return notary.New(i.pool, i.store, i.keys, filepath.Dir(i.heads()), slog.New(slog.DiscardHandler))
}

// signed runs a notary until it has signed a head of a size.
func (i *installation) signed(size int64) {
	i.t.Helper()
	ctx, cancel := patience.Context(i.t.Context(), limit)
	defer cancel()
	n := i.notary()
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	for s := n.Status(); s.Hashed < size || s.Signed < size || !s.Proven; s = n.Status() {
		select {
		case err := <-ended:
			i.t.Fatalf("the notary ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel() // it signs once more at the end
	if err := <-ended; !errors.Is(err, context.Canceled) {
		i.t.Fatalf("the notary ended with %v", err)
	}
	if head, err := (notary.Proofs{Pool: i.pool}).Head(i.t.Context()); err != nil || head.Size != size {
		i.t.Fatalf("the newest head is of %d, %v; want %d", head.Size, err, size)
	}
}

// refuses runs a notary that must end by itself, with an error with a text.
func (i *installation) refuses(target any, text ...string) {
	i.t.Helper()
	before, err := os.ReadFile(i.heads())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.t.Fatal(err)
	}
	ctx, cancel := patience.Context(i.t.Context(), limit)
	defer cancel()
	err = i.notary().Run(ctx)
	if !errors.As(err, target) {
		i.t.Fatalf("it ended with %v", err)
	}
	for _, part := range text {
		if !strings.Contains(err.Error(), part) {
			i.t.Errorf("%q is not in %q", part, err)
		}
	}
	after, err2 := os.ReadFile(i.heads())
	if err2 != nil && !errors.Is(err2, fs.ErrNotExist) {
		i.t.Fatal(err2)
	}
	if !bytes.Equal(before, after) {
		i.t.Error("the heads were changed")
	}
}

func (i *installation) key() *integrity.Key {
	i.t.Helper()
	key, err := notary.AuditKey(i.keys)
	if err != nil {
		i.t.Fatal(err)
	}
	return key
}

func (i *installation) count(stream string) (n int64) {
	i.t.Helper()
	err := i.store.ReadStreamRaw(i.t.Context(), stream, 0, 1<<30, func(eventstore.Raw) error { n++; return nil })
	if err != nil && !errors.Is(err, eventstore.ErrStreamNotFound) {
		i.t.Fatal(err)
	}
	return n
}
