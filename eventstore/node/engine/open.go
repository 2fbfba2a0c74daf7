package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime"
	"syscall"
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

// filter tells most keys that a table does not hold, 10 bits a key.
var filter = bloom.FilterPolicy(10)

// Open opens or creates the event store in a directory. Errors wrap ErrLocked
// when it is open already, ErrUnreadable when its content is damaged, is not
// an event store, may not be read, or lacks events that were acknowledged, and
// ErrUnwritable when the disk is full or read-only. A directory that is refused
// is left as it was, unless the error is ErrUnwritable or also wraps ErrFailed:
// then the first write met it, and no event was changed.
func Open(o Options) (*Engine, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := o.FS.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open event store %s: %w", o.Dir, refusal(err))
	}
	lock, err := o.lock()
	if err != nil {
		return nil, err
	}
	e := &Engine{
		lock:    lock,
		disk:    o.FS,
		dir:     o.Dir,
		log:     o.Logger,
		now:     o.Now,
		archive: o.Archive,
		queue:   make(chan *write, queueLength),
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
		failed:  make(chan struct{}),
	}
	if err := e.open(o); err != nil {
		return nil, errors.Join(fmt.Errorf("open event store %s: %w", o.Dir, err), lock.Close())
	}
	go e.run()
	return e, nil
}

// complete fills in the defaults.
func (o Options) complete() (Options, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.FS == nil {
		o.FS = vfs.Default
		dir, err := filepath.Abs(o.Dir)
		if err != nil {
			return o, fmt.Errorf("event store %s: %w", o.Dir, err)
		}
		o.Dir = dir
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Archive == nil {
		o.Archive = noArchive{}
	}
	return o, nil
}

// lock keeps every other process out of the directory.
func (o Options) lock() (*pebble.Lock, error) {
	lock, err := pebble.LockDirectory(o.Dir, o.FS)
	if err == nil {
		return lock, nil
	}
	reason := refusal(err)
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(reason, ErrUnwritable) {
		reason = fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return nil, fmt.Errorf("open event store %s: %w", o.Dir, reason)
}

// refusal tells why a directory cannot be used from the error that it gave.
func refusal(err error) error {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS} {
		if errors.Is(err, full) {
			return fmt.Errorf("%w: %w", ErrUnwritable, err)
		}
	}
	if errors.Is(err, ErrUnreadable) {
		return err
	}
	if errors.Is(err, pebble.ErrDBNotPristine) {
		return fmt.Errorf("%w: there is no file marker.format-version.* that says in which format it is; "+
			"restore the directory from a backup: %w", ErrUnreadable, err)
	}
	if damage := pebble.ExtractDataCorruptionInfo(err); damage != nil {
		return fmt.Errorf("%w: %s: %w", ErrUnreadable, damage.Path, damage.Details)
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, err)
}

// open looks at what is there without changing it, and only then opens it for
// writing: Pebble removes what it takes for left-overs when it opens, which
// in a damaged directory may be the events.
func (e *Engine) open(o Options) error {
	newest, err := e.examine(o)
	if err != nil {
		return err
	}
	db, err := e.openPebble(o.Dir, e.pebbleOptions(o, cacheBytes))
	if err != nil {
		return refusal(err)
	}
	e.db = db
	if newest.position == 0 {
		if err := db.Set(formatKey, []byte(format), pebble.Sync); err != nil {
			return errors.Join(refusal(err), e.release(db))
		}
	}
	if e.mark, err = openMark(o.FS, o.Dir, newest); err != nil {
		return errors.Join(refusal(err), e.release(db))
	}
	e.durable.Store(newest.position)
	return nil
}

// release closes a database that is not used any longer. One that met a disk
// error may be stuck in it and is left alone.
func (e *Engine) release(db *pebble.DB) error {
	if e.Err() != nil {
		return nil //nolint:nilerr // told already
	}
	return db.Close()
}

func (e *Engine) pebbleOptions(o Options, cacheSize int64) *pebble.Options {
	options := &pebble.Options{
		CacheSize:          cacheSize,
		FS:                 o.FS,
		Lock:               e.lock,
		FormatMajorVersion: formatVersion,
		MemTableSize:       memTableBytes,
		MaxOpenFiles:       maxOpenFiles,
		Logger:             pebbleLog{e},
		EventListener:      e.listener(),
	}
	for i := range options.Levels {
		options.Levels[i].FilterPolicy = filter
	}
	return options
}

// openPebble runs pebble.Open in a goroutine of its own: what Pebble finds
// broken while opening may end in a panic or in its logger's Fatalf, and
// neither may take the process along. Where it waits for a table that could
// not be written, because the disk is full, it is left waiting, and keeps the
// directory locked until the process ends.
func (e *Engine) openPebble(dir string, options *pebble.Options) (*pebble.DB, error) {
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
	select {
	case <-done:
		return db, err
	case <-e.failed:
		return nil, e.failure
	}
}

// listener turns what goes wrong in the background into a failed engine:
// events that cannot be moved out of the log would sooner or later block
// every append without a word.
func (e *Engine) listener() *pebble.EventListener {
	return &pebble.EventListener{
		// Pebble would try again at once and for ever, a core of the machine
		// at it; nobody waits for the goroutine any more.
		BackgroundError: func(err error) {
			e.fail(err)
			runtime.Goexit()
		},
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
