package main

import (
	"context"
	"fmt"
	"time"

	"understudy/test/sites"
)

const (
	liveSessions = 10
	// liveLimit bounds the wait for a live test, far beyond the aim.
	liveLimit = 10 * time.Minute
	// browserIdle is longer than the 30 s after which the service ends an
	// unused browser.
	browserIdle = 40 * time.Second
)

// measureLive times a desktop test of a static page in real browsers, and then
// weighs the service when the browser has gone.
func measureLive(ctx context.Context, b *bench) error {
	return b.with(ctx, "live", func(s *service) error {
		const section = "live"
		if err := idleMemory(ctx, b, s, "idle memory, just started", 5*time.Second); err != nil {
			return err
		}
		address, stop, err := sites.Serve(ctx, sites.Docs, sites.Options{})
		if err != nil {
			return err
		}
		defer stop()
		body := map[string]any{
			"url": address + "/", "task": "Find out how to restore a deleted file", "sessions": liveSessions,
			"viewport": []string{"desktop"}, "seed": 20261121,
		}
		for _, what := range []string{"10 desktop sessions, first", "10 desktop sessions, again"} {
			cpu, err := s.cpu()
			if err != nil {
				return err
			}
			began := time.Now()
			t, _, err := s.Live().Create(ctx, body)
			if err != nil {
				return err
			}
			if err := completed(ctx, s.Live(), t.ID, 200*time.Millisecond, liveLimit); err != nil {
				return err
			}
			took := time.Since(began)
			after, err := s.cpu()
			if err != nil {
				return err
			}
			b.table.add(section, what, short(took), "≤ 60 s on 2 cores",
				fmt.Sprintf("%.0f sessions a minute; %.2f CPU s a session, browser included", liveSessions/took.Minutes(), after.minus(cpu).sum().Seconds()/liveSessions))
		}
		return idleMemory(ctx, b, s, "idle memory, 40 s after a live test", browserIdle)
	})
}

// idleMemory weighs the service after it had nothing to do for a time.
func idleMemory(ctx context.Context, b *bench, s *service, what string, idle time.Duration) error {
	select {
	case <-time.After(idle):
	case <-ctx.Done():
		return ctx.Err()
	}
	before, err := s.cpu()
	if err != nil {
		return err
	}
	bytes, shares, err := s.memory()
	if err != nil {
		return err
	}
	b.table.add("memory", what, fmt.Sprintf("%.0f MB", megabytes(bytes)), "< 250 MB", shares)
	const watched = 5 * time.Second
	select {
	case <-time.After(watched):
	case <-ctx.Done():
		return ctx.Err()
	}
	after, err := s.cpu()
	b.table.add("memory", "  CPU meanwhile", fmt.Sprintf("%.1f %% of a core", 100*after.minus(before).sum().Seconds()/watched.Seconds()), "", "")
	return err
}
