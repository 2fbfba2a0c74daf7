package notary

import (
	"context"
	"errors"
	"time"

	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// resumable is how many events a log has at least whose tree is taken up as it is kept.
// Fewer are hashed before anybody notices.
const resumable = 4096

// errNotKept: the tree that was kept does not lead to the signed head.
var errNotKept = errors.New("notary: the kept tree does not lead to the signed head")

// resume takes up the tree as it is kept of all events but the last one that a head was
// signed of, and returns the position after which to read on; nil: from the start. That
// event, which is read first, has to lead to the root of the head: then the kept tree is
// the one that was signed. Whether the events before it are still those of the tree is for
// recheck to find out.
func (r *reading) resume(ctx context.Context) *uint64 {
	head := r.last
	if r.known.Origin != "" && r.known.Size < head.Size {
		head = r.known.Head
	}
	size := head.Size
	if size < resumable {
		return nil
	}
	tree, err := integrity.TreeOf(size-1, keptTiles(ctx, r.pool))
	if err != nil {
		r.logger.Warn("the log is hashed from its start", "error", err)
		return nil
	}
	before := size - 2 // the last event of the tree
	tiles, err := storedTiles(ctx, r.pool, before/integrity.TileWidth, 2)
	if err != nil {
		return nil
	}
	after := tiles[before/integrity.TileWidth].position(int(before % integrity.TileWidth))
	edge := tiles[(size-1)/integrity.TileWidth].positions
	width := int((size-1)%integrity.TileWidth) * positionBytes
	if after == 0 || len(edge) < width {
		return nil
	}
	r.tree, r.positions, r.resumed = tree, append([]byte(nil), edge[:width]...), &head
	return &after
}

// refuse ends the reading. What the kept tree has led to proves nothing yet.
func (r *reading) refuse(why *RefusedError) error {
	if r.resumed != nil && !r.proven {
		return errNotKept
	}
	r.refused = why
	return why
}

// errRechecked ends the second reading.
var errRechecked = errors.New("notary: every event was hashed again")

// recheck hashes all events again that a tree was taken up of, on half of a core at most,
// once it is proven that the tree is the signed one. A log that was changed ends the
// reading with a *RefusedError, a kept tree that was with errAgain.
func (r *reading) recheck(ctx context.Context, end context.CancelFunc) error {
	select {
	case <-r.Proven():
	case <-ctx.Done():
	}
	if r.resumed == nil || ctx.Err() != nil || r.Status().Rechecked {
		return nil //nolint:nilerr // there is nothing to do, or no more time
	}
	head := *r.resumed
	var tree integrity.Tree
	var compare comparison
	sub := eventstore.Subscription{Name: "notary, from the start", MaxBatch: batchSize}
	batch := func(ctx context.Context, b eventstore.RawBatch) error {
		began := time.Now()
		for _, e := range b.Events {
			if tree.Size() == head.Size {
				break
			}
			leaf := integrity.Leaf(e)
			if err := compare.with(ctx, r.pool, tree.Size(), leaf, e); err != nil {
				return err
			}
			tree.Append(leaf)
			sub.From = &e.Position
		}
		if tree.Size() == head.Size {
			return errRechecked
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Since(began)):
		}
		return nil
	}
	for {
		err := r.source.SubscribeRaw(ctx, sub, batch)
		if errors.Is(err, errRechecked) {
			break
		}
		if errors.Is(err, eventstore.ErrDamaged) {
			return r.ended(err, end)
		}
		select { // Postgres may be away
		case <-ctx.Done():
			return nil
		case <-time.After(signEvery):
		}
	}
	root, err := tree.Root()
	switch {
	case err != nil:
		return err
	case root != head.Root:
		err = &RefusedError{Size: head.Size, Expected: head.Root, Found: head.Size, Root: root, First: compare.first}
	case compare.first != nil:
		err = errAgain
	default:
		r.note(func(s *Status) { s.Rechecked = true })
		r.logger.Info("every event of the log is as it was signed", "size", head.Size, "root", root.String())
		return nil
	}
	return r.ended(err, end)
}

// ended has the reading end with an error that does not pass.
func (r *reading) ended(err error, end context.CancelFunc) error {
	r.mu.Lock()
	r.refused = err
	r.mu.Unlock()
	end()
	return err
}
