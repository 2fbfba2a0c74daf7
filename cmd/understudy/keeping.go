package main

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"understudy/adapters/service"
	"understudy/projections/sessions"
)

const (
	// defaultKeepDays and defaultKeepGB are how long, and how much of an organization's,
	// pictures and films are kept.
	defaultKeepDays, defaultKeepGB = 90, 100
	// maxKeep is the most of either that can be set.
	maxKeep = 1_000_000
	// keepEvery is how often is looked for what is not to be kept.
	keepEvery = time.Hour
	gigabyte  = 1_000_000_000
)

// keepSettings reads how long and how much is kept; 0 is without a limit.
func keepSettings(getenv func(string) string, fault func(name string, err error)) service.Keeping {
	number := func(name string, n int) int {
		if v := getenv(name); v != "" {
			var err error
			if n, err = strconv.Atoi(v); err != nil || n < 0 || n > maxKeep {
				fault(name, fmt.Errorf("%q is not a number from 0 to %d", v, maxKeep))
			}
		}
		return n
	}
	return service.Keeping{
		For:   time.Duration(number("UNDERSTUDY_KEEP_DAYS", defaultKeepDays)) * 24 * time.Hour,
		Bytes: int64(number("UNDERSTUDY_KEEP_GB", defaultKeepGB)) * gigabyte,
	}
}

// keeping removes pictures and films that are not to be kept. While the read model
// does not have all sessions nothing is removed: a picture may be theirs as well.
func keeping(reads service.Reads, keep service.Keeping, ready *readiness, log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		ticks := time.NewTicker(keepEvery)
		defer ticks.Stop()
		for {
			if ready.Accepts(sessions.Projection.Name) == nil {
				swept, err := reads.Sweep(ctx, keep, time.Now())
				switch {
				case err != nil && ctx.Err() == nil:
					log.Warn("pictures and films are kept for now", "error", err)
				case swept > 0:
					log.Info("pictures and films are no longer kept", "sessions", swept)
				}
			}
			select {
			case <-ctx.Done():
				return nil
			case <-ticks.C:
			}
		}
	}
}
