package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/test/harness"
	"understudy/test/sites"
)

const (
	// hourSeconds is how long the load lasts, hourMarks how often memory is weighed on
	// the way, evenly.
	hourSeconds = 3600
	hourMarks   = 6
	// Every hourEvery comes a test of hourSessions in the sandbox, of which webhooks tell,
	// and once a minute one of hourLive sessions in browsers.
	hourEvery    = 6 * time.Second
	hourSessions = 100
	hourLive     = 2
	// hourLimit bounds one of them.
	hourLimit = 5 * time.Minute
)

// measureHour keeps the service busy for an hour with all that it does, and weighs it on
// the way: what grows from mark to mark is lost for good, or remembered for too long.
func measureHour(ctx context.Context, b *bench) error {
	to := newSink()
	defer to.Close()
	address, stop, err := sites.Serve(ctx, sites.Docs, sites.Options{})
	if err != nil {
		return err
	}
	defer stop()
	live := harness.SignUp(hourLive)
	live["url"], live["task"], live["viewport"] = address+"/", "Find out how to restore a deleted file", []string{"desktop"}
	return b.with(ctx, "hour", func(s *service) error {
		if _, err := register(ctx, s.Sandbox(), to.Receiver, "/hour", 1); err != nil {
			return err
		}
		whole := time.Duration(b.n(hourSeconds)) * time.Second
		var tests, walks int
		began := time.Now()
		for mark := 1; mark <= hourMarks; mark++ {
			for until := began.Add(whole * time.Duration(mark) / hourMarks); time.Now().Before(until); {
				minute, err := hourMinute(ctx, s, live, until)
				if err != nil {
					return err
				}
				tests, walks = tests+minute, walks+hourLive
			}
			bytes, shares, err := s.memory()
			if err != nil {
				return err
			}
			b.table.add("an hour of load", fmt.Sprintf("memory after %s", short(whole*time.Duration(mark)/hourMarks)),
				fmt.Sprintf("%.0f MB", megabytes(bytes)), "flat",
				fmt.Sprintf("%s; %d sessions in the sandbox, %d in browsers, %d deliveries", shares, tests*hourSessions, walks, to.taken.Load()))
		}
		return nil
	})
}

// hourMinute is a minute of the load, or less when it has to end before; it tells how many
// tests of the sandbox came and went.
func hourMinute(ctx context.Context, s *service, live map[string]any, until time.Time) (tests int, err error) {
	if next := time.Now().Add(time.Minute); next.Before(until) {
		until = next
	}
	walked := make(chan error, 1)
	go func() { walked <- hourTest(ctx, s.Live(), live) }()
	turns := time.NewTicker(hourEvery)
	defer turns.Stop()
	for ; time.Now().Before(until) && err == nil; tests++ {
		if err = hourTest(ctx, s.Sandbox(), harness.SignUp(hourSessions)); err != nil {
			break
		}
		select {
		case <-turns.C:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return tests, errors.Join(err, <-walked)
}

func hourTest(ctx context.Context, c harness.Client, body map[string]any) error {
	t, _, err := c.Create(ctx, body)
	if err != nil {
		return err
	}
	return completed(ctx, c, t.ID, time.Second, hourLimit)
}
