package service

import (
	"context"
	"log/slog"
	"time"
)

// followAgain is how long whoever follows the log waits, when that has failed, before
// it begins anew.
const followAgain = time.Second

// following follows the log until ctx ends, from the beginning again when that fails;
// what is so until then is told in the log.
func following(ctx context.Context, log *slog.Logger, untilThen string, follow func(context.Context) error) error {
	for {
		err := follow(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was to end
		}
		log.Error(untilThen, "error", err)
		select {
		case <-time.After(followAgain):
		case <-ctx.Done():
			return nil
		}
	}
}
