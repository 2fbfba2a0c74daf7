package projections

import (
	"context"
	"fmt"
	"sync"
	"time"

	"understudy/domain"
)

// Positions tells how far each projection has come, and lets callers wait for
// one, so that whoever has written also reads what he wrote.
type Positions struct {
	mu      sync.Mutex
	at      map[string]int64
	stopped map[string]error
	changed map[string]chan struct{}
	// Read asks the database for a position that a projector of another process
	// may keep; nil where every projector runs in this process.
	Read func(ctx context.Context, name string) (int64, error)
	// heard: what projectors of other processes commit is told here.
	heard bool
}

// NewPositions makes an empty table of positions.
func NewPositions() *Positions {
	return &Positions{
		at: map[string]int64{}, stopped: map[string]error{}, changed: map[string]chan struct{}{},
	}
}

// pollEvery is how often a position kept by another process is read while that cannot be
// heard, pollHeard while it can.
const (
	pollEvery = 20 * time.Millisecond
	pollHeard = time.Second
)

// Wait returns when the projection has committed position, or an unavailable
// error when it has stopped or ctx ends first.
func (p *Positions) Wait(ctx context.Context, name string, position uint64) error {
	for {
		at, changed, stopped := p.watch(name)
		if at >= 0 && uint64(at) >= position {
			return nil
		}
		if stopped != nil {
			return unavailable(name)
		}
		var poll <-chan time.Time
		if p.Read != nil {
			at, err := p.Read(ctx, name)
			if err == nil && at >= 0 && uint64(at) >= position {
				return nil
			}
			poll = time.After(p.pause())
		}
		select {
		case <-changed:
		case <-poll:
		case <-ctx.Done():
			return unavailable(name)
		}
	}
}

func (p *Positions) pause() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.heard {
		return pollHeard
	}
	return pollEvery
}

func unavailable(name string) error {
	return domain.Refuse(domain.CodeUnavailable, "the %s read model is behind the log; try again shortly", name)
}

// At is the last position that a projection is known to have committed, -1 for
// none. A projection kept by another process is asked for.
func (p *Positions) At(ctx context.Context, name string) int64 {
	at, _, _ := p.watch(name)
	if p.Read == nil {
		return at
	}
	elsewhere, err := p.Read(ctx, name)
	if err != nil {
		return at
	}
	return max(at, elsewhere)
}

// Changed returns a channel that is closed when the projection next advances
// or stops.
func (p *Positions) Changed(name string) <-chan struct{} {
	_, changed, _ := p.watch(name)
	return changed
}

// ChangedPart is Changed for one of the parts that the projection names.
func (p *Positions) ChangedPart(name, part string) <-chan struct{} {
	return p.Changed(partOf(name, part))
}

// partOf names a part; no projection has such a name.
func partOf(name, part string) string { return name + "/" + part }

func (p *Positions) wakeParts(name string, parts []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, part := range parts {
		p.wake(partOf(name, part))
	}
}

// Stopped returns why a projection has stopped, by name.
func (p *Positions) Stopped() map[string]error {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string]error{}
	for name, err := range p.stopped {
		out[name] = err
	}
	return out
}

// Advance records a committed position and wakes whoever waits.
func (p *Positions) Advance(name string, position int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at[name] = position
	p.wake(name)
}

func (p *Positions) stop(name string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped[name] = err
	p.wake(name)
}

func (p *Positions) wake(name string) {
	if c := p.changed[name]; c != nil {
		close(c)
		delete(p.changed, name)
	}
}

func (p *Positions) watch(name string) (at int64, changed <-chan struct{}, stopped error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.at[name]
	if !ok {
		at = -1
	}
	c := p.changed[name]
	if c == nil {
		c = make(chan struct{})
		p.changed[name] = c
	}
	return at, c, p.stopped[name]
}

// WaitTimeout bounds how long an answer waits for its own write.
const WaitTimeout = 5 * time.Second

// WaitOwnWrite is Wait with WaitTimeout.
func (p *Positions) WaitOwnWrite(ctx context.Context, name string, position uint64) error {
	ctx, cancel := context.WithTimeoutCause(ctx, WaitTimeout, fmt.Errorf("read model %s: no answer within %s", name, WaitTimeout))
	defer cancel()
	return p.Wait(ctx, name, position)
}
