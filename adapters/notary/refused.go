package notary

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// RefusedError says that the log is not the one whose head was signed.
type RefusedError struct {
	// Size and Expected are those of the signed head.
	Size     int64
	Expected tlog.Hash
	// Found is how many events the log has, at most Size, and Root the hash of
	// its first Size ones if it has as many.
	Found int64
	Root  tlog.Hash
	// First is the first event that is not as it was, nil when nothing tells.
	First *Difference
}

// Difference is an event that is not as it was when a head was signed.
type Difference struct {
	// Index is its number in the log, Position where it was recorded.
	Index    int64
	Position uint64
	// Event is what stands there now, nil for nothing.
	Event *eventstore.Raw
}

// Error tells what was expected, what was found and what to do.
func (e *RefusedError) Error() string {
	found := fmt.Sprintf("its first %d events have the root %s", e.Size, e.Root)
	if e.Found < e.Size {
		found = fmt.Sprintf("the log has only %d events", e.Found)
	}
	text := fmt.Sprintf("the event log was changed: a head of size %d with the root %s was signed, but %s", e.Size, e.Expected, found)
	if e.First != nil {
		text += "; " + e.First.String()
	}
	return text + ". Nothing more is signed. Put the log back from a backup that has these events, or, where none has, " +
		"log, heads and keyring together from one backup; `understudy audit check` compares the log with every head"
}

// String names the event.
func (d *Difference) String() string {
	if d.Event == nil {
		return fmt.Sprintf("the first event that is missing is number %d, which stood at position %d", d.Index, d.Position)
	}
	text := fmt.Sprintf("the first event that differs is number %d: there is now %s of stream %s, revision %d, position %d",
		d.Index, d.Event.Type, d.Event.Stream, d.Event.Revision, d.Event.Position)
	if d.Position != d.Event.Position {
		text += fmt.Sprintf(", where one of position %d stood", d.Position)
	}
	return text
}

// comparison holds the log against the hashes that were kept of it, to name
// the first event that differs. They prove nothing: only heads do.
type comparison struct {
	kept  map[int64]tile
	until int64 // the first tile behind those that kept may have
	ended bool  // nothing is kept from here on
	first *Difference
}

// keptAtOnce is how many tiles are read at once, 2.5 MB.
const keptAtOnce = 256

// with compares one event.
func (c *comparison) with(ctx context.Context, pool *pgxpool.Pool, index int64, leaf tlog.Hash, e eventstore.Raw) error {
	n, at := index/integrity.TileWidth, int(index%integrity.TileWidth)
	if err := c.load(ctx, pool, n); err != nil || c.ended {
		return err
	}
	t := c.kept[n]
	if at >= t.Width() {
		return nil
	}
	if bytes.Equal(t.Hashes[at*tlog.HashSize:(at+1)*tlog.HashSize], leaf[:]) {
		return nil
	}
	if c.first == nil {
		c.first = &Difference{Index: index, Position: t.position(at), Event: &e}
	}
	return nil
}

// load reads on until the tile with a number is there, if it is kept.
func (c *comparison) load(ctx context.Context, pool *pgxpool.Pool, n int64) (err error) {
	if c.ended || n < c.until {
		return nil
	}
	c.until = n + keptAtOnce
	c.kept, err = storedTiles(ctx, pool, n, keptAtOnce)
	c.ended = err == nil && len(c.kept) == 0
	return err
}

// has reports whether a complete tile of level 0 is kept as it is.
func (c *comparison) has(t tile) bool {
	kept := c.kept[t.N]
	return !c.ended && bytes.Equal(kept.Hashes, t.Hashes) && bytes.Equal(kept.positions, t.positions)
}

// missing is the event with a number as it was kept, or the first one that
// differs before it.
func (c *comparison) missing(ctx context.Context, pool *pgxpool.Pool, index int64) (*Difference, error) {
	if c.first != nil {
		return c.first, nil
	}
	if err := c.load(ctx, pool, index/integrity.TileWidth); err != nil || c.ended {
		return nil, err
	}
	t, at := c.kept[index/integrity.TileWidth], int(index%integrity.TileWidth)
	if at >= t.Width() {
		return nil, nil
	}
	return &Difference{Index: index, Position: t.position(at)}, nil
}

func (t tile) position(at int) uint64 {
	if len(t.positions) < (at+1)*positionBytes {
		return 0
	}
	return binary.BigEndian.Uint64(t.positions[at*positionBytes:])
}

func appendPosition(positions []byte, position uint64) []byte {
	return binary.BigEndian.AppendUint64(positions, position)
}
