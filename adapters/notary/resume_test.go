package notary_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"understudy/adapters/notary"
	"understudy/eventstore"
	"understudy/eventstore/integrity"
	"understudy/test/patience"
)

// watched is a log of which is noted how much is read, and of which somebody may have
// changed one event.
type watched struct {
	*eventstore.Store
	changed int64 // the number of the event, -1 for none

	mu    sync.Mutex
	first []uint64 // the first position of each reading
}

func (w *watched) SubscribeRaw(ctx context.Context, sub eventstore.Subscription, handle func(context.Context, eventstore.RawBatch) error) error {
	index, begun := int64(0), sub.From != nil
	w.mu.Lock()
	if begun {
		w.first = append(w.first, *sub.From)
	} else {
		w.first = append(w.first, 0)
	}
	w.mu.Unlock()
	return w.Store.SubscribeRaw(ctx, sub, func(ctx context.Context, b eventstore.RawBatch) error {
		for n := range b.Events {
			if !begun && index == w.changed {
				b.Events[n].Data = append([]byte(" "), b.Events[n].Data...)
			}
			index++
		}
		return handle(ctx, b)
	})
}

const long = 5000

// TestALongLogIsTakenUpWhereItWasSigned: a start does not wait for all of it to be hashed,
// which goes on beside.
func TestALongLogIsTakenUpWhereItWasSigned(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, long)
	i.signed(long)
	i.record("diary-2", 0, 300)
	log := &watched{Store: i.store, changed: -1}
	n := notary.New(i.pool, log, i.keys, filepath.Dir(i.heads()), slog.New(slog.DiscardHandler))
	ctx, cancel := patience.Context(t.Context(), limit)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	patience.Eventually(t, limit, "every event is hashed again and a head signed", func() bool {
		s := n.Status()
		return s.Rechecked && s.Signed == long+300
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if len(log.first) != 2 || max(log.first[0], log.first[1]) == 0 {
		t.Errorf("readings from the positions %v: one from where it was signed, one from the start", log.first)
	}
	p := notary.Proofs{Pool: i.pool}
	for _, one := range []struct {
		stream   string
		revision uint64
	}{{"diary-1", 0}, {"diary-1", long - 2}, {"diary-1", long - 1}, {"diary-2", 0}, {"diary-2", 299}} {
		err := i.store.ReadStreamRaw(t.Context(), one.stream, one.revision, 1, func(e eventstore.Raw) error {
			_, err := p.Inclusion(t.Context(), e.Position, integrity.Leaf(e), long+300)
			return err
		})
		if err != nil {
			t.Errorf("%v: %v", one, err)
		}
	}
}

// TestALongLogThatWasChangedIsRefused, as soon as the event is come to.
func TestALongLogThatWasChangedIsRefused(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, long)
	i.signed(long)
	for _, changed := range []int64{0, 1234, long - 1} {
		log := &watched{Store: i.store, changed: changed}
		n := notary.New(i.pool, log, i.keys, filepath.Dir(i.heads()), slog.New(slog.DiscardHandler))
		ctx, cancel := patience.Context(t.Context(), limit)
		err := n.Run(ctx)
		cancel()
		var refused *notary.RefusedError
		if !errors.As(err, &refused) || refused.First == nil || refused.First.Index != changed {
			t.Errorf("event %d was changed: %v", changed, err)
		}
	}
	i.record("diary-1", long, 1)
	i.signed(long + 1) // the log itself was not
}

// TestALongLogWithDamagedHashes has them made again, wherever they are.
func TestALongLogWithDamagedHashes(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, long)
	i.signed(long)
	size := int64(long)
	for _, damage := range []string{
		`UPDATE audit_v1.tiles SET hashes = set_byte(hashes, 40, 255 - get_byte(hashes, 40)) WHERE level = 0 AND n = 1`,
		`UPDATE audit_v1.tiles SET hashes = set_byte(hashes, 40, 255 - get_byte(hashes, 40)) WHERE level = 0 AND n = 19`,
		`UPDATE audit_v1.tiles SET hashes = set_byte(hashes, 4, 255 - get_byte(hashes, 4)) WHERE level = 1`,
		`DELETE FROM audit_v1.tiles WHERE level = 0 AND n = 19`,
		`UPDATE audit_v1.tiles SET positions = set_byte(positions, 8, 1) WHERE level = 0 AND n = 19`,
	} {
		if tag, err := i.pool.Exec(t.Context(), damage); err != nil || tag.RowsAffected() != 1 {
			t.Fatalf("%v, %v", tag, err)
		}
		i.record("diary-2", int(size)-long, 1)
		size++
		n := i.notary()
		ctx, cancel := patience.Context(t.Context(), limit)
		ended := make(chan error, 1)
		go func() { ended <- n.Run(ctx) }()
		p := notary.Proofs{Pool: i.pool}
		patience.Eventually(t, limit, "proofs after "+damage, func() bool {
			select {
			case err := <-ended:
				t.Fatalf("after %s it has ended: %v", damage, err)
			default:
			}
			for _, revision := range []uint64{0, 257, 4870, long - 1} {
				err := i.store.ReadStreamRaw(t.Context(), "diary-1", revision, 1, func(e eventstore.Raw) error {
					_, err := p.Inclusion(t.Context(), e.Position, integrity.Leaf(e), size)
					return err
				})
				if err != nil {
					return false
				}
			}
			s := n.Status()
			return s.Signed == size && s.Rechecked
		})
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("after %s: %v", damage, err)
		}
	}
}
