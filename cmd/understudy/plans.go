package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/postgres"
	"understudy/adapters/service"
	"understudy/domain/account"
	"understudy/domain/testrun"
	"understudy/eventstore"
)

// withoutLimit is how a setting says that a plan has no limit of sessions.
const withoutLimit = "unlimited"

// planSettings reads what plans allow, like "free=10/500, team=1000/unlimited".
// Those that are not mentioned stay as specified.
func planSettings(text string) (account.Plans, error) {
	plans := account.Specified()
	for _, one := range list(text) {
		name, limits, _ := strings.Cut(one, "=")
		rate, sessions, complete := strings.Cut(limits, "/")
		if _, known := plans[account.Plan(name)]; !known || !complete {
			return nil, fmt.Errorf("%q is not like free=10/500 or team=1000/%s", one, withoutLimit)
		}
		perMinute, err := strconv.ParseUint(rate, 10, 31)
		if err != nil || perMinute == 0 {
			return nil, fmt.Errorf("%q: %q is not a number of requests a minute", one, rate)
		}
		l := account.Limits{RequestsPerMinute: int(perMinute)}
		if sessions != withoutLimit {
			perMonth, err := strconv.ParseUint(sessions, 10, 31)
			if err != nil || perMonth == 0 {
				return nil, fmt.Errorf("%q: %q is not a number of sessions a month; without a limit it is %s", one, sessions, withoutLimit)
			}
			l.SessionsPerMonth = int(perMonth)
		}
		plans[account.Plan(name)] = l
	}
	return plans, nil
}

const (
	// returnEvery is how often reservations of tests that were never recorded are
	// looked for.
	returnEvery = time.Minute
	// abandonedAfter is how old they are then: no request takes nearly as long.
	abandonedAfter = 2 * time.Minute
)

// returning gives sessions back that were reserved for tests that were then never
// recorded, because the process was killed in between.
func returning(quotas *postgres.Quotas, streams *service.Streams, log *slog.Logger) func(context.Context) error {
	recorded := func(ctx context.Context, testID string) (bool, error) {
		_, err := streams.Store.LastRevision(ctx, testrun.Stream(testID))
		if errors.Is(err, eventstore.ErrStreamNotFound) {
			return false, nil
		}
		return err == nil, err
	}
	return func(ctx context.Context) error {
		ticks := time.NewTicker(returnEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-ticks.C:
			}
			if err := quotas.Sweep(ctx, abandonedAfter, recorded); err != nil && ctx.Err() == nil {
				log.Warn("reserved sessions are held for now", "error", err)
			}
		}
	}
}
