package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// tailBytes is how much of the newest events is looked through for gaps when a
// store is opened. It is more than the log holds that is not in tables yet
// (twice the memtable, and one group): of tables Pebble knows which there have
// to be, of logs it does not.
const tailBytes = 4 * memTableBytes

// examine looks at the directory without changing anything in it and returns
// its newest event, position 0 when there is none. Errors wrap ErrUnreadable
// or ErrUnwritable.
func (e *Engine) examine(o Options) (newest mark, err error) {
	acknowledged, _, err := readMark(o.FS, o.Dir)
	if err != nil {
		return mark{}, err
	}
	made, err := alreadyMade(o.FS, o.Dir)
	if err != nil || !made {
		return mark{}, err
	}
	db, err := e.openReadOnly(o, cacheBytes)
	if err != nil {
		return mark{}, err
	}
	defer func() { err = errors.Join(err, e.release(db)) }()
	newest, err = inspect(db)
	if err != nil {
		return mark{}, refusal(err)
	}
	if err := checkTail(db, newest.position); err != nil {
		return mark{}, refusal(err)
	}
	if err := checkMark(db, acknowledged, newest); err != nil {
		return mark{}, err
	}
	// What a listener has heard while all this was read.
	return newest, e.Err()
}

// alreadyMade reports whether the directory holds a store, and refuses one
// whose list of files is gone: Pebble would begin an empty store there and
// remove the old one's tables.
func alreadyMade(disk vfs.FS, dir string) (bool, error) {
	names, err := disk.List(dir)
	if err != nil {
		return false, refusal(err)
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "marker.manifest.") }) {
		return true, nil
	}
	for _, name := range names {
		if name == markName || strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".log") {
			return false, fmt.Errorf("%w: there is %s, but no file marker.manifest.* that says which files belong together; "+
				"restore the directory from a backup", ErrUnreadable, name)
		}
	}
	return false, nil
}

// openReadOnly opens the database so that no file is written or removed.
func (e *Engine) openReadOnly(o Options, cacheSize int64) (*pebble.DB, error) {
	options := e.pebbleOptions(o, cacheSize)
	options.ReadOnly = true
	db, err := e.openPebble(o.Dir, options)
	if err != nil {
		if damaged := checkSettings(o, options); damaged != nil {
			return nil, damaged
		}
		return nil, refusal(err)
	}
	return db, nil
}

// checkSettings looks for the file that Pebble cannot read its old settings
// from, which it does not name.
func checkSettings(o Options, now *pebble.Options) error {
	names, err := o.FS.List(o.Dir)
	if err != nil {
		return nil //nolint:nilerr // the caller has a better error
	}
	now.EnsureDefaults()
	for _, name := range names {
		if !strings.HasPrefix(name, "OPTIONS-") {
			continue
		}
		path := o.FS.PathJoin(o.Dir, name)
		raw, err := readFile(o.FS, path)
		if err == nil {
			err = now.CheckCompatibility(o.Dir, string(raw))
		}
		if err != nil {
			return fmt.Errorf("%w: %s is damaged: %w; it holds settings only: remove it and start again", ErrUnreadable, path, err)
		}
	}
	return nil
}

// inspect checks that the database is an event store of this format and
// returns its newest event.
func inspect(db *pebble.DB) (newest mark, err error) {
	it, err := db.NewIter(nil)
	if err != nil {
		return mark{}, err
	}
	defer closeIterator(it, &err)
	if !it.First() {
		return mark{}, it.Error()
	}
	if !it.SeekGE(formatKey) || string(it.Key()) != string(formatKey) || string(it.Value()) != format {
		if err := it.Error(); err != nil {
			return mark{}, err
		}
		return mark{}, fmt.Errorf("%w: it is not an event store of format %q", ErrUnreadable, format)
	}
	if !it.SeekLT([]byte{'e' + 1}) || it.Key()[0] != 'e' {
		return mark{}, it.Error()
	}
	newest.position = binary.BigEndian.Uint64(it.Key()[1:])
	r, err := decode(it.Value())
	if err != nil {
		return mark{}, fmt.Errorf("event %d: %w", newest.position, err)
	}
	newest.id = r.id
	return newest, nil
}

// checkTail looks for gaps among the newest events.
func checkTail(db *pebble.DB, last uint64) (err error) {
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: eventKey(0), UpperBound: eventKey(last + 1)})
	if err != nil {
		return err
	}
	defer closeIterator(it, &err)
	seen := 0
	for ok := it.Last(); ok && seen < tailBytes; ok = it.Prev() {
		if position := binary.BigEndian.Uint64(it.Key()[1:]); position != last {
			return missingEvents(position+1, last)
		}
		if _, err := decode(it.Value()); err != nil {
			return fmt.Errorf("event %d: %w", last, err)
		}
		seen += len(it.Value())
		last--
	}
	if seen < tailBytes && last > 0 && it.Error() == nil {
		return missingEvents(1, last)
	}
	return it.Error()
}

// checkMark holds the store against what was acknowledged.
func checkMark(db *pebble.DB, acknowledged, newest mark) error {
	const wayOut = "restore the directory from a backup or, to go on with the events that are there, remove the file " + markName
	switch {
	case acknowledged.position == 0:
		return nil
	case acknowledged.position > newest.position:
		return fmt.Errorf("%w; %s", missingEvents(newest.position+1, acknowledged.position), wayOut)
	}
	body, ok, err := get(db, eventKey(acknowledged.position))
	if err != nil {
		return refusal(err)
	}
	if !ok {
		return missingEvents(acknowledged.position, acknowledged.position)
	}
	r, err := decode(body)
	if err != nil {
		return fmt.Errorf("event %d: %w", acknowledged.position, err)
	}
	if r.id != acknowledged.id {
		return fmt.Errorf("%w: event %d is not the one that was acknowledged; %s", ErrUnreadable, acknowledged.position, wayOut)
	}
	return nil
}

// missingEvents says which positions have no event.
func missingEvents(from, to uint64) error {
	if from == to {
		return fmt.Errorf("%w: event %d is missing", ErrUnreadable, from)
	}
	return fmt.Errorf("%w: the events %d to %d are missing", ErrUnreadable, from, to)
}
