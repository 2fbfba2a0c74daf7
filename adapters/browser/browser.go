// Package browser drives Chromium for simulated users: it opens pages, perceives
// them as walk.Page, carries out walk.Action with real input events and tells
// what came of it as walk.Effect.
//
// One Browser serves a process. Chromium and its driver run only while there are
// sessions (and a little longer); each session has a context of its own, so that
// nothing is shared between two simulated users. Every call takes a context:
// when it ends, the session is closed at once.
package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Browser opens sessions on one Chromium, which it starts when needed.
type Browser struct {
	cfg   Config
	seats chan struct{}
	// press is held while something is printed (see PDF).
	press chan struct{}
	// turn is held while the engine is started, stopped or replaced: a lock
	// that can be waited for with a deadline.
	turn   chan struct{}
	engine *engine
	// launches are the starts under way, also those that nobody waits for any more.
	launches sync.WaitGroup
	idle     *time.Timer
	pace     pace

	mu        sync.Mutex
	closed    bool
	axeSource string // 650 KB, "" until it is needed
	sessions  map[*Session]struct{}
}

// New returns a Browser on the programs of cfg (see Locate). It starts nothing.
func New(cfg Config) *Browser {
	cfg = cfg.withDefaults()
	return &Browser{
		cfg:      cfg,
		seats:    make(chan struct{}, cfg.MaxContexts),
		press:    make(chan struct{}, 1),
		turn:     make(chan struct{}, 1),
		sessions: map[*Session]struct{}{},
	}
}

// Open starts a session: a browser context of its own with one empty page. It
// waits for a free place (Config.MaxContexts) until ctx ends. The caller must
// Close the session. ctx bounds Open alone.
func (b *Browser) Open(ctx context.Context, o SessionOptions) (*Session, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	select {
	case b.seats <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// A browser that died unnoticed shows at the first call: once more, afresh.
	var s *Session
	err := ErrBrowserLost
	for attempt := 0; attempt < 2 && errors.Is(err, ErrBrowserLost); attempt++ {
		var e *engine
		if e, err = b.acquire(ctx); err != nil {
			break
		}
		if s, err = newSession(ctx, b, e, o); err != nil {
			b.release(e)
		}
	}
	if err != nil {
		<-b.seats
		return nil, fmt.Errorf("open a browser session: %w", err)
	}
	b.mu.Lock()
	closed := b.closed
	b.sessions[s] = struct{}{}
	b.mu.Unlock()
	if closed {
		return nil, errors.Join(ErrClosed, s.Close())
	}
	return s, nil
}

// Running says whether Chromium or its driver is being held in memory.
func (b *Browser) Running() bool {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	return b.engine != nil
}

// Close ends all sessions and stops Chromium and the driver. Sessions have 4 s,
// Chromium, its driver and what they leave behind 4 s each; a browser that is
// being started or stopped just then is waited for before (see startLimit).
func (b *Browser) Close() error {
	b.pace.end()
	b.mu.Lock()
	b.closed = true
	open := make([]*Session, 0, len(b.sessions))
	for s := range b.sessions {
		open = append(open, s)
	}
	b.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range open {
		wg.Go(func() { _ = s.Close() })
	}
	wg.Wait()
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	if b.idle != nil {
		b.idle.Stop()
	}
	_ = within(startLimit, func() error { b.launches.Wait(); return nil })
	e := b.engine
	b.engine = nil
	if e == nil {
		return nil
	}
	return e.stop()
}

// acquire returns a running engine with one more user.
func (b *Browser) acquire(ctx context.Context) (*engine, error) {
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-b.turn }()
	b.mu.Lock()
	closed := b.closed
	b.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	if b.idle != nil {
		b.idle.Stop()
		b.idle = nil
	}
	if e := b.engine; e != nil && (e.isLost() || e.sick.Load() || e.served >= b.cfg.RenewAfter) {
		b.engine = nil
		if e.users == 0 {
			b.retire(e)
		}
	}
	if b.engine == nil {
		e, err := b.startEngine(ctx)
		if err != nil {
			return nil, err
		}
		b.engine = e
	}
	b.engine.users++
	b.engine.served++
	return b.engine, nil
}

// release gives an engine back. The last user of the current engine starts the
// idle clock; the last user of an abandoned one ends it.
func (b *Browser) release(e *engine) {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	e.users--
	if e.users > 0 {
		return
	}
	if e != b.engine || e.isLost() || e.sick.Load() {
		if e == b.engine {
			b.engine = nil
		}
		b.retire(e)
		return
	}
	b.idle = time.AfterFunc(b.cfg.IdleTimeout, func() { b.stopIdle(e) })
}

func (b *Browser) stopIdle(e *engine) {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	if b.engine == e && e.users == 0 {
		b.engine = nil
		b.retire(e)
	}
}

// retire stops an engine that nobody uses any more. There is no caller to tell.
func (b *Browser) retire(e *engine) {
	if err := e.stop(); err != nil {
		b.cfg.Logger.Warn("browser did not stop cleanly", "error", err)
	}
}

func (b *Browser) forget(s *Session) {
	b.mu.Lock()
	delete(b.sessions, s)
	b.mu.Unlock()
	b.release(s.engine)
	<-b.seats
}
