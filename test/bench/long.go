package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"understudy/test/harness"
)

const (
	// longTest is how many sessions the tests have that make the log long.
	longTest = 10_000
	// longLimit bounds one of them, and the wait for who follows the log.
	longLimit = 10 * time.Minute
	longRuns  = 3
)

// measureLong times starts, the verification and an export on a long log of real tests in
// the sandbox.
func measureLong(ctx context.Context, b *bench) error {
	s, err := b.start(ctx, "long", nil)
	if err != nil {
		return err
	}
	defer func() { _ = s.Kill() }() // it has stopped when all went well
	events, last := 0, ""
	for wanted := b.n(history); events < wanted; {
		test, _, err := s.Sandbox().Create(ctx, harness.SignUp(b.n(longTest)))
		if err == nil {
			err = completed(ctx, s.Sandbox(), test.ID, time.Second, longLimit)
		}
		if err != nil {
			return err
		}
		if events, err = s.takenIn(ctx); err != nil {
			return err
		}
		last = test.ID
	}
	note := fmt.Sprintf("%d events, median of %d", events, longRuns)
	for _, end := range []struct {
		how string
		do  func() error
	}{{"a stop", s.Stop}, {"kill -9", s.Kill}} {
		var starts times
		for range longRuns {
			if err := errors.Join(end.do(), s.Start(ctx)); err != nil {
				return err
			}
			starts = append(starts, s.Startup)
		}
		b.table.add("long", "exec to ready after "+end.how, short(starts.at(0.5)), "< 1 s", note)
	}
	command := func(what, aim string, args ...string) error {
		began := time.Now()
		if out, err := s.Command(ctx, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", args, err, out)
		}
		took := time.Since(began)
		b.table.add("long", what, short(took), aim, fmt.Sprintf("%d events; %s", events, perSecond(events, took)))
		return nil
	}
	if err := command("audit check", "", "audit", "check"); err != nil {
		return err
	}
	file := filepath.Join(b.dir, "export")
	if err := command(fmt.Sprintf("audit export of a test of %d sessions", b.n(longTest)), "", "audit", "export", last, "-o", file); err != nil {
		return err
	}
	if err := command("audit verify of it", "", "audit", "verify", file); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	b.remarks = append(b.remarks, fmt.Sprintf("The export has %d MB.", info.Size()>>20))
	return s.Stop()
}

// takenIn waits until every read model and reactor has taken in the log, and tells how
// many events it has.
func (s *service) takenIn(ctx context.Context) (events int, err error) {
	ctx, cancel := context.WithTimeout(ctx, longLimit)
	defer cancel()
	for {
		events, all, err := s.TakenIn(ctx)
		if err != nil || all {
			return events, err
		}
		select {
		case <-ctx.Done():
			return events, context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
