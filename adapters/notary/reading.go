package notary

import (
	"context"
	"sync"
	"time"

	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// reading is one reading of the log, from its start on or from where a head was signed.
type reading struct {
	*Notary
	key   *integrity.Key
	heads *HeadsFile
	// last is the newest signed head, known the one that the database has, if
	// it has one; both are proven.
	last  integrity.Head
	known SignedHead
	// end is the position of the last event there was at the start.
	end uint64
	// resumed is the head whose kept tree was taken up, nil for none.
	resumed *integrity.Head

	mu        sync.Mutex
	tree      integrity.Tree
	positions []byte // of the incomplete tile of level 0
	pending   []tile
	compare   comparison
	caughtUp  bool // with end
	proven    bool
	damaged   bool  // the kept hashes are not those of the log
	saved     int64 // size of the tree that is kept whole
	refused   error
}

func (r *reading) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refused
}

// batch hashes events.
func (r *reading) batch(ctx context.Context, b eventstore.RawBatch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range b.Events {
		if err := r.add(ctx, e); err != nil {
			return err
		}
	}
	arrived := !r.caughtUp && b.Checkpoint >= r.end
	if arrived && !r.proven {
		first, err := r.compare.missing(ctx, r.pool, r.tree.Size())
		if err != nil {
			return err
		}
		newest := r.last
		if r.known.Size > newest.Size {
			newest = r.known.Head
		}
		return r.refuse(&RefusedError{Size: newest.Size, Expected: newest.Root, Found: r.tree.Size(), First: first})
	}
	if r.proven && r.damaged {
		return errAgain
	}
	r.note(func(s *Status) { s.Hashed = r.tree.Size() })
	if arrived {
		r.caughtUp = true
		if err := r.signLocked(ctx); endsReading(err) {
			return err
		}
		if r.resumed == nil {
			r.note(func(s *Status) { s.Rechecked = true })
		}
		return nil // what else fails is tried again, and told then
	}
	if len(r.pending) >= mostPending {
		return r.flush(ctx, false)
	}
	return nil
}

// add hashes one event.
func (r *reading) add(ctx context.Context, e eventstore.Raw) error {
	leaf := integrity.Leaf(e)
	index := r.tree.Size()
	if err := r.compare.with(ctx, r.pool, index, leaf, e); err != nil {
		return err
	}
	r.positions = appendPosition(r.positions, e.Position)
	for _, t := range r.tree.Append(leaf) {
		complete := tile{Tile: t}
		if t.Level == 0 {
			complete.positions, r.positions = r.positions, nil
			if r.compare.has(complete) {
				continue // it is there
			}
		}
		r.pending = append(r.pending, complete)
	}
	return r.reach()
}

// reach proves the heads that the tree has come to.
func (r *reading) reach() error {
	size := r.tree.Size()
	if r.proven || (size != r.known.Size && size != r.last.Size) {
		return nil
	}
	root, err := r.tree.Root()
	if err != nil {
		return err
	}
	for _, head := range []integrity.Head{r.known.Head, r.last} {
		if head.Origin != "" && size == head.Size && root != head.Root {
			return r.refuse(&RefusedError{Size: size, Expected: head.Root, Found: size, Root: root, First: r.compare.first})
		}
	}
	if size == max(r.last.Size, r.known.Size) {
		r.proven = true
		// Hashes that differ now are not those of the log, nor of the head.
		r.damaged = r.damaged || r.compare.first != nil
		r.proof()
		r.logger.Info("the log extends the last signed head", "size", size, "root", root.String())
	}
	return nil
}

// flush saves what is pending, and with edge the incomplete tiles.
func (r *reading) flush(ctx context.Context, edge bool) error {
	tiles := r.pending
	if edge {
		for _, t := range r.tree.Edge() {
			incomplete := tile{Tile: t}
			if t.Level == 0 {
				incomplete.positions = r.positions
			}
			tiles = append(tiles, incomplete)
		}
	}
	same, err := saveTiles(ctx, r.pool, tiles)
	if err != nil {
		return err
	}
	r.damaged = r.damaged || !same
	r.pending = nil
	if edge {
		r.saved = r.tree.Size()
	}
	if r.proven && r.damaged {
		return errAgain
	}
	return nil
}

// sign signs a head of all events that were hashed, if there are new ones, and
// hands over to the next key, if there is one.
func (r *reading) sign(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.signLocked(ctx)
}

func (r *reading) signLocked(ctx context.Context) error {
	if !r.proven || r.refused != nil {
		return nil //nolint:nilerr // nothing new may be signed; refused is told by Run
	}
	if err := r.signHead(ctx); err != nil {
		return err
	}
	key, err := handOver(r.keys, r.key, r.last)
	if err != nil || key == r.key {
		return err
	}
	r.logger.Info("the key that signs heads of the log was rotated", "size", r.last.Size, "key", key.Public().String())
	r.key = key
	return r.signHead(ctx)
}

func (r *reading) signHead(ctx context.Context) error {
	if r.saved != r.tree.Size() { // also where there is no new head, for the kept tree may have been forgotten
		if err := r.flush(ctx, true); err != nil {
			return err
		}
	}
	if r.tree.Size() == r.last.Size && r.known.Head == r.last && r.known.Key == r.key.Public().String() {
		return nil
	}
	root, err := r.tree.Root()
	if err != nil {
		return err
	}
	head := integrity.Head{Origin: r.key.Name(), Size: r.tree.Size(), Root: root}
	signed, err := r.heads.Add(head, r.key)
	if err != nil {
		return err
	}
	r.last = head
	if err := saveRow(ctx, r.pool, r.key, head, signed); err != nil {
		return err
	}
	r.known = SignedHead{Head: head, Key: r.key.Public().String()}
	r.note(func(s *Status) { s.Signed = head.Size })
	return nil
}

// signNowAndThen signs while the log grows. What keeps it from signing is told
// and tried again, unless the reading has to begin anew.
func (r *reading) signNowAndThen(ctx context.Context, end context.CancelFunc) error {
	ticks := time.NewTicker(signEvery)
	defer ticks.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		err := r.sign(ctx)
		if endsReading(err) {
			end()
			return err
		}
		if err != nil && ctx.Err() == nil && !failing {
			r.logger.Error("no head of the log could be signed; trying again", "error", err)
		}
		if err == nil && failing {
			r.logger.Info("heads of the log are signed again")
		}
		failing = err != nil
	}
}
