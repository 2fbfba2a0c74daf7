package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// checkCacheBytes is the cache of a check, which looks two keys up for each
// event.
const checkCacheBytes = 64 << 20

// reportEvery is how often a check tells how far it is.
const reportEvery = 500 * time.Millisecond

// Checked is what a check has seen so far.
type Checked struct {
	// Files are the tables whose checksums were verified of TotalFiles.
	Files, TotalFiles int
	// Events are those looked at of Total, Streams the streams they are in.
	Events, Total uint64
	Streams       uint64
	// Bytes are those of the events looked at.
	Bytes uint64
}

// Check verifies a directory that nobody has open: every checksum of every
// file, positions and revisions without gaps, streams and event ids that agree
// with the events, archives that hold what was scavenged, and nothing acknowledged
// missing. It writes nothing. tell,
// which may be nil, is called about twice a second. Errors wrap ErrLocked,
// ErrUnreadable with the first finding, ErrArchive, ErrUnwritable, or are ctx's.
func Check(ctx context.Context, o Options, tell func(Checked)) (done Checked, err error) {
	if o, err = o.complete(); err != nil {
		return Checked{}, err
	}
	if made, err := alreadyMade(o.FS, o.Dir); err != nil || !made {
		if err == nil {
			err = fmt.Errorf("%w: there is no event store in it", ErrUnreadable)
		}
		return Checked{}, fmt.Errorf("check event store %s: %w", o.Dir, err)
	}
	lock, err := o.lock()
	if err != nil {
		return Checked{}, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	e := &Engine{lock: lock, log: o.Logger, failed: make(chan struct{})}
	newest, err := e.examine(o)
	if err != nil {
		return Checked{}, fmt.Errorf("check event store %s: %w", o.Dir, err)
	}
	db, err := e.openReadOnly(o, checkCacheBytes)
	if err != nil {
		return Checked{}, fmt.Errorf("check event store %s: %w", o.Dir, err)
	}
	c := &check{options: o, db: db, last: newest.position, archive: o.Archive, tell: tell, told: time.Now()}
	c.done.Total = newest.position
	err = c.run(ctx)
	if err == nil {
		err = e.Err() // what a listener has heard
	}
	if err = errors.Join(err, e.release(db)); err != nil {
		return c.done, fmt.Errorf("check event store %s: %w", o.Dir, err)
	}
	return c.done, nil
}

// check is one run of Check.
type check struct {
	options Options
	db      *pebble.DB
	last    uint64
	done    Checked
	archive Archive
	// own counts the events whose id key names them; the others share theirs
	// with a later event of the stream.
	own  uint64
	tell func(Checked)
	told time.Time
}

func (c *check) run(ctx context.Context) error {
	for _, pass := range []func(context.Context) error{c.tables, c.events, c.streams, c.ids, c.others} {
		if err := pass(ctx); err != nil {
			return err
		}
	}
	if c.tell != nil {
		c.tell(c.done)
	}
	return nil
}

// tables verifies the checksum of every block of every table.
func (c *check) tables(ctx context.Context) error {
	levels, err := c.db.SSTables()
	if err != nil {
		return refusal(err)
	}
	files := slices.Concat(levels...)
	c.done.TotalFiles = len(files)
	for _, table := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := c.options.FS.PathJoin(c.options.Dir, table.BackingSSTNum.String()+".sst")
		if err := c.table(ctx, path); err != nil {
			return fmt.Errorf("%s: %w", path, refusal(err))
		}
		c.done.Files++
		c.report()
	}
	return nil
}

func (c *check) table(ctx context.Context, path string) (err error) {
	f, err := c.options.FS.Open(path)
	if err != nil {
		return err
	}
	file, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	options := &pebble.Options{Filters: map[string]pebble.FilterPolicy{filter.Name(): filter}}
	options.EnsureDefaults()
	table, err := sstable.NewReader(ctx, file, options.MakeReaderOptions())
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return errors.Join(table.ValidateBlockChecksums(), table.Close())
}

// report tells how far the check is, about twice a second.
func (c *check) report() {
	if c.tell != nil && time.Since(c.told) > reportEvery {
		c.told = time.Now()
		c.tell(c.done)
	}
}

// each passes on every key of a kind.
func (c *check) each(ctx context.Context, kind byte, visit func(key, value []byte) error) (err error) {
	it, err := c.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}})
	if err != nil {
		return refusal(err)
	}
	defer closeIterator(it, &err)
	for ok := it.First(); ok; ok = it.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := visit(it.Key(), it.Value()); err != nil {
			return err
		}
	}
	if err := it.Error(); err != nil {
		return refusal(err)
	}
	return nil
}

// events looks at every event, and at the keys by which its stream and its id
// lead to it.
func (c *check) events(ctx context.Context) error {
	next := uint64(1)
	err := c.each(ctx, 'e', func(key, value []byte) error {
		if len(key) != len(eventKey(0)) {
			return fmt.Errorf("%w: the key %q is none of an event", ErrUnreadable, key)
		}
		if position := binary.BigEndian.Uint64(key[1:]); position != next {
			return missingEvents(next, position-1)
		}
		if err := c.event(next, value); err != nil {
			return fmt.Errorf("event %d: %w", next, err)
		}
		next++
		c.done.Events++
		c.done.Bytes += uint64(len(value))
		c.report()
		return nil
	})
	if err == nil && next != c.last+1 {
		return missingEvents(next, c.last)
	}
	return err
}

func (c *check) event(position uint64, value []byte) error {
	r, err := decode(value)
	if err != nil {
		return err
	}
	if r, err = whole(c.archive, r); err != nil {
		return err
	}
	if r.revision < 0 {
		return fmt.Errorf("%w: its revision is %d", ErrUnreadable, r.revision)
	}
	stream := string(r.stream)
	at, ok, err := c.number(streamKey(stream, uint64(r.revision)))
	if err != nil {
		return err
	}
	if !ok || at != position {
		return fmt.Errorf("%w: revision %d of stream %q leads to event %d instead", ErrUnreadable, r.revision, stream, at)
	}
	named, ok, err := c.number(idKey(stream, r.id))
	if err != nil {
		return err
	}
	// Under an exact revision an id may come again; its key names the newest.
	if !ok || int64(named) < r.revision {
		return fmt.Errorf("%w: its id does not lead to it in stream %q", ErrUnreadable, stream)
	}
	if int64(named) == r.revision {
		c.own++
	}
	return nil
}

// streams looks at every stream's revisions: 0, 1, 2 …, perhaps the tombstone,
// at growing positions, and no more of them than events.
func (c *check) streams(ctx context.Context) error {
	var (
		stream   string
		revision uint64
		position uint64
		entries  uint64
	)
	err := c.each(ctx, 's', func(key, value []byte) error {
		if len(key) < len(streamKey("", 0)) || len(value) != 8 {
			return fmt.Errorf("%w: the key %q is none of a stream", ErrUnreadable, key)
		}
		name := key[1 : len(key)-9]
		if entries == 0 || string(name) != stream {
			stream, revision, position = string(name), 0, 0
			c.done.Streams++
		}
		entries++
		at := binary.BigEndian.Uint64(key[len(key)-8:])
		if at != revision && at != uint64(tombstoneRevision) {
			return missing(stream, int64(revision), false)
		}
		if now := binary.BigEndian.Uint64(value); now <= position {
			return fmt.Errorf("%w: revision %d of stream %q is event %d, and the one before it event %d", ErrUnreadable, at, stream, now, position)
		}
		revision, position = at+1, binary.BigEndian.Uint64(value)
		return nil
	})
	if err != nil {
		return err
	}
	return counted("stream entries", entries, c.done.Events)
}

// ids looks at the keys of event ids: each event that has one has its own, and
// there are no others.
func (c *check) ids(ctx context.Context) error {
	var entries uint64
	err := c.each(ctx, 'i', func(key, value []byte) error {
		if len(key) < len(idKey("", [16]byte{})) || len(value) != 8 {
			return fmt.Errorf("%w: the key %q is none of an event id", ErrUnreadable, key)
		}
		entries++
		return nil
	})
	if err != nil {
		return err
	}
	return counted("event ids", entries, c.own)
}

func counted(what string, entries, events uint64) error {
	if entries == events {
		return nil
	}
	return fmt.Errorf("%w: there are %d %s for %d events", ErrUnreadable, entries, what, events)
}

// others looks for keys that no event store writes.
func (c *check) others(context.Context) (err error) {
	it, err := c.db.NewIter(nil)
	if err != nil {
		return refusal(err)
	}
	defer closeIterator(it, &err)
	for ok := it.First(); ok; {
		switch kind := it.Key()[0]; {
		case kind == 'e' || kind == 's' || kind == 'i':
			ok = it.SeekGE([]byte{kind + 1})
		case string(it.Key()) == string(formatKey):
			ok = it.Next()
		default:
			return fmt.Errorf("%w: there is a key %q that no event store writes", ErrUnreadable, it.Key())
		}
	}
	if err := it.Error(); err != nil {
		return refusal(err)
	}
	return nil
}

// number reads a number by its key.
func (c *check) number(key []byte) (n uint64, ok bool, err error) {
	value, ok, err := get(c.db, key)
	if err != nil || !ok {
		return 0, false, err
	}
	if len(value) != 8 {
		return 0, false, fmt.Errorf("%w: the key %q holds no number", ErrUnreadable, key)
	}
	return binary.BigEndian.Uint64(value), true, nil
}
