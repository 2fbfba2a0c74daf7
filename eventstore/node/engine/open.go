package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Memory and file bounds. The whole service is to fit 250 MB beside Postgres,
// so the store gets a small share of it.
const (
	cacheBytes    = 16 << 20
	memTableBytes = 8 << 20
	maxOpenFiles  = 256
	// queueLength is how many appends may wait for the writer; more wait in
	// their callers.
	queueLength = 1024
)

// formatVersion pins Pebble's file format, since going back is not possible.
// It is past FormatWALSyncChunks, with which damage inside the log is told
// from its unfinished end, and reported instead of cut off.
const formatVersion = pebble.FormatTableFormatV6

// Open opens or creates the event store in a directory. Errors wrap ErrLocked
// when it is open already and ErrUnreadable when its content is damaged, is
// not an event store or may not be read.
func Open(o Options) (*Engine, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.FS == nil {
		o.FS = vfs.Default
		dir, err := filepath.Abs(o.Dir)
		if err != nil {
			return nil, fmt.Errorf("open event store %s: %w", o.Dir, err)
		}
		o.Dir = dir
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := o.FS.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open event store %s: %w: %w", o.Dir, ErrUnreadable, err)
	}
	lock, err := pebble.LockDirectory(o.Dir, o.FS)
	if err != nil {
		reason := ErrLocked
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, os.ErrNotExist) {
			reason = ErrUnreadable
		}
		return nil, fmt.Errorf("open event store %s: %w: %w", o.Dir, reason, err)
	}
	e := &Engine{
		lock:    lock,
		log:     o.Logger,
		now:     o.Now,
		queue:   make(chan *write, queueLength),
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
		failed:  make(chan struct{}),
	}
	if err := e.openDB(o); err != nil {
		return nil, errors.Join(fmt.Errorf("open event store %s: %w", o.Dir, err), lock.Close())
	}
	go e.run()
	return e, nil
}

func (e *Engine) openDB(o Options) error {
	cache := pebble.NewCache(cacheBytes)
	defer cache.Unref()
	options := &pebble.Options{
		Cache:              cache,
		FS:                 o.FS,
		Lock:               e.lock,
		FormatMajorVersion: formatVersion,
		MemTableSize:       memTableBytes,
		MaxOpenFiles:       maxOpenFiles,
		Logger:             pebbleLog{e},
		EventListener:      e.listener(),
	}
	for i := range options.Levels {
		options.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := openPebble(o.Dir, options)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	e.db = db
	last, err := e.inspect()
	if err != nil {
		return errors.Join(err, db.Close())
	}
	e.durable.Store(last)
	return nil
}

// openPebble runs pebble.Open in a goroutine of its own: what Pebble finds
// broken while opening may end in a panic or in its logger's Fatalf, and
// neither may take the process along.
func openPebble(dir string, options *pebble.Options) (*pebble.DB, error) {
	var (
		db   *pebble.DB
		err  = errors.New("the files are damaged")
		done = make(chan struct{})
	)
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("the files are damaged: %v", r)
			}
		}()
		opened, openErr := pebble.Open(dir, options)
		db, err = opened, openErr
	}()
	<-done
	return db, err
}

// inspect checks that the directory is an event store of this format, marks a
// new one, and returns the position of the last event.
func (e *Engine) inspect() (last uint64, err error) {
	it, err := e.db.NewIter(nil)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	if !it.First() {
		if it.Error() != nil {
			return 0, fmt.Errorf("%w: %w", ErrUnreadable, it.Error())
		}
		return 0, e.db.Set(formatKey, []byte(format), pebble.Sync)
	}
	if !it.SeekGE(formatKey) || string(it.Key()) != string(formatKey) || string(it.Value()) != format {
		return 0, fmt.Errorf("%w: it is not an event store of format %q", ErrUnreadable, format)
	}
	if !it.SeekLT([]byte{'e' + 1}) || it.Key()[0] != 'e' {
		return 0, it.Error()
	}
	last = binary.BigEndian.Uint64(it.Key()[1:])
	if _, err := decode(it.Value()); err != nil {
		return 0, fmt.Errorf("event %d: %w", last, err)
	}
	return last, nil
}

// listener turns what goes wrong in the background into a failed engine:
// events that cannot be moved out of the log would sooner or later block
// every append without a word.
func (e *Engine) listener() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: func(err error) { e.fail(err) },
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			e.fail(fmt.Errorf("%w: %s: %w", ErrUnreadable, info.Path, info.Details))
		},
	}
}

// pebbleLog passes Pebble's messages on. Fatalf must not return: it fails the
// engine and ends only the goroutine that called, instead of the process.
type pebbleLog struct{ e *Engine }

func (l pebbleLog) Infof(format string, args ...any) {
	l.e.log.Debug("event store: " + fmt.Sprintf(format, args...))
}

func (l pebbleLog) Errorf(format string, args ...any) {
	l.e.log.Error("event store: " + fmt.Sprintf(format, args...))
}

func (l pebbleLog) Fatalf(format string, args ...any) {
	l.e.fail(fmt.Errorf(format, args...))
	runtime.Goexit()
}
