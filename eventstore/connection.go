package eventstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

const (
	// searchTries and searchPause bound the client's own search for a server,
	// to about five seconds when connections are refused. Calls that it
	// catches wait inside the client, past their contexts, so it must be long
	// enough for a restart; and nothing can stop it, so it must end.
	searchTries = 100
	searchPause = 50 * time.Millisecond
	// retiredGrace is how long calls under way may keep a client that was put
	// away, before it is taken from them.
	retiredGrace = 30 * time.Second
)

// connections hands out the client that calls are made with and replaces it
// when it has died. The official client looks for its server when a call finds
// none; when that fails it refuses everything from then on, and calls that
// were queueing inside it never return. So a client serves calls only after it
// has proved itself, and it is put away as soon as a call says that the server
// is gone; whoever comes then waits, within its own bound, for the next client
// to prove itself and not inside one.
type connections struct {
	config *esdb.Configuration

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
	proved  bool // or not, but the client is not looking any more
	retired bool
}

func newConnections(config *esdb.Configuration) *connections {
	return &connections{
		config:  config,
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
		err = fmt.Errorf("no server found so far: %w", context.Cause(ctx))
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
	_, err := c.client.GetServerVersion()

	p.mu.Lock()
	defer p.mu.Unlock()
	c.err = err
	c.proved = true
	if err != nil {
		c.retired = true
		if p.current == c {
			p.current = nil
		}
	}
	if c.retired && (c.calls == 0 || err != nil) {
		p.shut(c)
	}
	close(c.ready)
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
		time.AfterFunc(retiredGrace, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.shut(c)
		})
	}
}

// shut closes a client, unless it is still proving itself: prove closes it
// then. Again is fine. The caller holds mu.
func (p *connections) shut(c *connection) {
	if _, ok := p.open[c]; ok && c.proved {
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
		c.retired = true
		p.shut(c)
	}
	if p.calls > 0 {
		return fmt.Errorf("eventstore: close: %d calls still wait inside the client after %s", p.calls, wait)
	}
	return nil
}
