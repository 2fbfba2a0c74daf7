package main

import (
	"context"
	"log/slog"
	"os"

	"understudy/adapters/telemetry"
)

// trace sends traces where the environment asks for them, from before the first part of
// the service is built until after the last has ended.
func (a *app) trace(ctx context.Context, log *slog.Logger) error {
	if !telemetry.Wanted(os.Getenv) {
		return nil
	}
	stop, err := telemetry.Start(ctx, buildVersion().Version, log)
	if err == nil {
		a.closes = append(a.closes, stop)
	}
	return err
}
