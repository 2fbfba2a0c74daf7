package eventstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

// connections hands out the client that calls are made with and replaces it
// when it has died. The official client is good for as long as it finds its
// server: when a search fails it refuses everything from then on, and calls
// that were queueing inside it never return. So a client serves calls only
// after one of them has proved it, and it is put away as soon as a call says
// that the server is gone.
type connections struct {
	config *esdb.Configuration
	// grace is how long calls under way may keep a client that was put away.
	grace time.Duration

	mu      sync.Mutex
	current *connection
	open    map[*connection]struct{}
	calls   int
	closed  bool
	drained chan struct{}
}

// connection is one client. Its fields but client, ready and err are guarded
// by connections.mu.
type connection struct {
	client *esdb.Client
	// ready is closed when the client has, or has not (err), reached a server.
	ready   chan struct{}
	err     error
	calls   int
	retired bool
}

func newConnections(config *esdb.Configuration, grace time.Duration) *connections {
	return &connections{
		config:  config,
		grace:   grace,
		open:    make(map[*connection]struct{}),
		drained: make(chan struct{}),
	}
}

// acquire returns a client that has reached the server. The caller releases it.
func (p *connections) acquire(ctx context.Context) (*connection, error) {
	c, err := p.enter()
	if err != nil {
		return nil, err
	}
	select {
	case <-c.ready:
		err = c.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		p.release(c)
		return nil, err
	}
	return c, nil
}

// enter counts a call on the current client and makes one when there is none.
func (p *connections) enter() (*connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if p.current == nil {
		client, err := esdb.NewClient(p.config)
		if err != nil {
			return nil, fmt.Errorf("eventstore: %w", err)
		}
		c := &connection{client: client, ready: make(chan struct{})}
		p.current = c
		p.open[c] = struct{}{}
		go p.prove(c)
	}
	p.current.calls++
	p.calls++
	return p.current, nil
}

// prove lets a new client look for its server, once and alone, so that no
// call can be queueing inside the client when that fails.
func (p *connections) prove(c *connection) {
	defer close(c.ready)
	_, c.err = c.client.GetServerVersion()
	if c.err != nil {
		p.retire(c, true)
	}
}

// release ends a call.
func (p *connections) release(c *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.calls--
	p.calls--
	if c.retired && c.calls == 0 {
		p.shut(c)
	}
	if p.closed && p.calls == 0 {
		close(p.drained)
	}
}

// retire takes a client out of use. Calls under way keep it for the grace,
// unless it is dead: then closing it frees those that wait inside it.
func (p *connections) retire(c *connection, dead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == c {
		p.current = nil
	}
	first := !c.retired
	c.retired = true
	switch {
	case dead || c.calls == 0:
		p.shut(c)
	case first:
		time.AfterFunc(p.grace, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.shut(c)
		})
	}
}

// shut closes a client. Again is fine. The caller holds mu.
func (p *connections) shut(c *connection) {
	if _, ok := p.open[c]; ok {
		delete(p.open, c)
		_ = c.client.Close() // has no failure to tell
	}
}

// shutdown refuses further calls, waits for those under way and closes every
// client, after the wait in any case.
func (p *connections) shutdown(wait time.Duration) error {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		if p.calls == 0 {
			close(p.drained)
		}
	}
	p.mu.Unlock()

	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-p.drained:
	case <-timer.C:
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = nil
	for c := range p.open {
		p.shut(c)
	}
	if p.calls > 0 {
		return fmt.Errorf("eventstore: close: %d calls still wait inside the client after %s", p.calls, wait)
	}
	return nil
}
