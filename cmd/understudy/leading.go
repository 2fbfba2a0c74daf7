package main

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"understudy/adapters/postgres"
)

const (
	// leadFor is how long the parts of a process that is gone, paused or cut off
	// wait for another one to take them over.
	leadFor = 2500 * time.Millisecond
	// leadEvery is how often a process asks for the parts that it could lead, and
	// keeps those that it leads.
	leadEvery = 500 * time.Millisecond
)

// leading runs each of the parts, which are named, on one process of the
// installation at a time, wherever there are several that could: the one that
// holds a lease on it.
//
// A process that was paused may go on with a part for a moment after its lease has
// run out and another process has begun. Nothing comes of that, because each part
// is fenced by what it writes: read models and checkpoints move on from the
// position that they stand at only, and commands are recorded at an expected
// revision.
func leading(leases *postgres.Leases, owner string, log *slog.Logger, parts map[string]func(context.Context) error) func(context.Context) error {
	l := &leader{leases: leases, owner: owner, log: log, parts: parts, leads: map[string]*background{}}
	return l.run
}

// leader is one process's share of the parts.
type leader struct {
	leases *postgres.Leases
	owner  string
	log    *slog.Logger
	parts  map[string]func(context.Context) error
	leads  map[string]*background
	// until is when the leases run out that were claimed last.
	until time.Time
}

func (l *leader) run(ctx context.Context) error {
	ticks := time.NewTicker(leadEvery)
	defer ticks.Stop()
	names := slices.Sorted(maps.Keys(l.parts))
	for ctx.Err() == nil {
		l.claim(ctx, names)
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
	}
	l.keep(nil)
	for _, part := range l.leads {
		<-part.ended
	}
	release, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingTimeout)
	defer cancel()
	if err := l.leases.Release(release, names, l.owner); err != nil {
		l.log.Warn("leases on what was led are left to run out", "error", err)
	}
	return nil
}

// claim takes what is free and keeps what this process has. Where Postgres does not
// answer, the parts go on until their leases have run out.
func (l *leader) claim(ctx context.Context, names []string) {
	until := time.Now().Add(leadFor)
	asking, cancel := context.WithDeadline(ctx, until.Add(-leadEvery))
	defer cancel()
	held, err := l.leases.Claim(asking, names, l.owner, leadFor)
	switch {
	case err == nil:
		l.until = until
		l.keep(held)
	case ctx.Err() == nil && time.Now().After(l.until) && len(l.leads) > 0:
		l.log.Warn("leadership ended", "error", err)
		l.keep(nil)
	}
}

// keep lets the named parts run, and those only. One that has ended begins anew.
func (l *leader) keep(held []string) {
	for name, part := range l.leads {
		if !slices.Contains(held, name) {
			part.cancel()
		}
		select {
		case <-part.ended:
			if !errors.Is(part.err, context.Canceled) {
				l.log.Warn("leadership ended", "of", name, "error", part.err)
			}
			delete(l.leads, name)
		default:
		}
	}
	for _, name := range held {
		if l.leads[name] == nil {
			l.leads[name] = inBackground([]func(context.Context) error{l.parts[name]})
		}
	}
}
