// Package engine is an append-only event store on one directory: streams of
// events with optimistic concurrency and idempotent appends, and one order of
// all events without gaps.
//
// It knows nothing of the network; package node puts EventStoreDB's protocol
// on top, and where behaviour is a choice it is EventStoreDB's.
//
// Guarantees: an append is acknowledged only once it is on disk; readers see
// only what is on disk; after a crash every acknowledged event is there
// exactly once, in its order.
package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options says where and how an engine keeps its events.
type Options struct {
	// Dir is the directory; it is created when missing (mode 0700).
	Dir string
	// Logger gets what happens in the background; nil discards it.
	Logger *slog.Logger
	// FS is the file system, the machine's when nil.
	FS vfs.FS
	// Now is the clock that stamps events, time.Now when nil.
	Now func() time.Time
	// Archive has data and metadata of events that were scavenged; without one they
	// cannot be read.
	Archive Archive
}

// Engine is an open event store. All methods may be called concurrently.
type Engine struct {
	db   *pebble.DB
	lock *pebble.Lock
	disk vfs.FS
	dir  string
	log  *slog.Logger
	now  func() time.Time
	hub  hub

	archive Archive

	// mark is the open high-water mark; only the writer uses it.
	mark vfs.File

	// durable is the position of the newest event known to be on disk; reads
	// never look past it.
	durable atomic.Uint64

	queue   chan *write
	closing chan struct{} // closed by Close
	stopped chan struct{} // closed when the writer has ended

	// failed is closed by the first disk error; failure is written before.
	failed  chan struct{}
	failOne sync.Once
	failure error

	// use is held for reading during every access to db, so that Close waits
	// for them.
	use    sync.RWMutex
	closed bool

	closeOnce sync.Once
	closeErr  error
}

// Last is the position of the newest durable event, 0 when there is none.
func (e *Engine) Last() uint64 { return e.durable.Load() }

// Err is nil while the engine accepts events, else an error that wraps
// ErrFailed and says which disk error it met.
func (e *Engine) Err() error {
	select {
	case <-e.failed:
		return e.failure
	default:
		return nil
	}
}

// Failed is closed when the engine stops accepting events; Err says why.
func (e *Engine) Failed() <-chan struct{} { return e.failed }

// fail makes the engine refuse every further append.
func (e *Engine) fail(cause error) {
	e.failOne.Do(func() {
		e.failure = fmt.Errorf("%w: %w", ErrFailed, cause)
		e.log.Error("event store failed; no further events are accepted", "error", cause)
		close(e.failed)
	})
}

// acquire keeps the database open until release is called.
func (e *Engine) acquire() (release func(), err error) {
	e.use.RLock()
	if e.closed {
		e.use.RUnlock()
		return nil, ErrClosed
	}
	return e.use.RUnlock, nil
}

// closeWait bounds Close: a database that met a disk error may be stuck in it.
const closeWait = 15 * time.Second

// Close finishes the appends that were accepted, then closes the directory.
// Reads that run meanwhile finish; later calls get ErrClosed. It returns
// within 15 seconds; after a disk error it may leave the directory locked
// until the process ends.
func (e *Engine) Close() error {
	e.closeOnce.Do(func() {
		close(e.closing)
		done := make(chan error, 1)
		go func() { done <- e.closeDB() }()
		timer := time.NewTimer(closeWait)
		defer timer.Stop()
		select {
		case err := <-done:
			if err != nil {
				e.closeErr = fmt.Errorf("close event store: %w", err)
			}
		case <-timer.C:
			e.closeErr = fmt.Errorf("close event store: not done after %s", closeWait)
		}
	})
	return e.closeErr
}

func (e *Engine) closeDB() error {
	<-e.stopped
	e.use.Lock()
	defer e.use.Unlock()
	e.closed = true
	if err := e.Err(); err != nil {
		// Pebble's own locks may be held for ever by the goroutine that met
		// the error, and all that was acknowledged is on disk already.
		return err
	}
	return errors.Join(e.db.Close(), e.mark.Sync(), e.mark.Close(), e.lock.Close())
}
