package service

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"understudy/eventstore"
)

const (
	// askEvery is how often a node asks where the log ends.
	askEvery = 400 * time.Millisecond
	// currentFor is how long what a node has taken in counts as all there is.
	currentFor = time.Second
)

// pulse knows as of when a node has taken in all of the log. A subscription says
// nothing while the event store is out of reach, and what others end meanwhile would
// count here for as long as that lasts.
type pulse struct {
	mu sync.Mutex
	// at is how far the log was taken in.
	at int64
	// asOf is the newest time from before which nothing is missing.
	asOf time.Time
	// due is since when head has not been reached yet; zero: it has.
	due  time.Time
	head int64
	lost bool
}

// begin forgets what was, from a position on.
func (p *pulse) begin(at int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.asOf, p.due = at, time.Time{}, time.Time{}
}

// reached notes how far the log was taken in.
func (p *pulse) reached(position uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = max(p.at, int64(position)) //nolint:gosec // positions of a log fit
	if !p.due.IsZero() && p.at >= p.head {
		p.asOf, p.due = p.due, time.Time{}
	}
}

// current reports whether nothing older than currentFor can be missing.
func (p *pulse) current() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.asOf) < currentFor
}

// run asks again and again where the log ends, until ctx does.
func (p *pulse) run(ctx context.Context, log *eventstore.Store, of string, logger *slog.Logger) {
	ticks := time.NewTicker(askEvery)
	defer ticks.Stop()
	for {
		p.ask(ctx, log, of, logger)
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

func (p *pulse) ask(ctx context.Context, log *eventstore.Store, of string, logger *slog.Logger) {
	asked := time.Now()
	limited, cancel := context.WithTimeout(ctx, currentFor)
	defer cancel()
	head, err := log.Head(limited)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		if !p.lost && ctx.Err() == nil {
			p.lost = true
			logger.Warn("the event store is out of reach; until it is back the database is asked about each credential", "of", of, "error", err)
		}
		return
	}
	p.lost = false
	switch position := int64(head); { //nolint:gosec // as above
	case p.at >= position:
		p.asOf, p.due = asked, time.Time{}
	case p.due.IsZero():
		p.due, p.head = asked, position
	}
}

const (
	// missedFor is how long a secret that is nobody's is remembered as that.
	missedFor = 10 * time.Second
	// maxMisses is how many, some 150 bytes each.
	maxMisses = 16384
)

// misses remembers the hashes of secrets that are nobody's, so that trying one again
// asks the database nothing. One that is made later is never among them: it is made by
// chance, and nobody can have tried it.
type misses struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (m *misses) has(hash string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, missed := m.at[hash]
	return missed && time.Since(at) < missedFor
}

func (m *misses) add(hash string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.at == nil || len(m.at) >= maxMisses {
		m.at = map[string]time.Time{}
	}
	m.at[hash] = time.Now()
}
