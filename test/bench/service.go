package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"understudy/test/harness"
)

// hookSecret signs what the bench's endpoints get.
const hookSecret = "known to the bench alone"

// service is the program under measurement, running.
type service struct{ *harness.Service }

// start runs the program on a data directory below the bench's, with arguments
// and settings, and returns when it serves.
func (b *bench) start(ctx context.Context, name string, args []string, env ...string) (*service, error) {
	s := &service{&harness.Service{
		Binary: b.binary, Dir: filepath.Join(b.dir, name), Args: args, Env: append([]string{harness.Loopback, harness.Quiet}, env...),
	}}
	return s, s.Start(ctx)
}

// with starts a service with settings, uses it and stops it.
func (b *bench) with(ctx context.Context, name string, use func(*service) error, env ...string) error {
	s, err := b.start(ctx, name, nil, env...)
	if err != nil {
		return err
	}
	return errors.Join(use(s), s.Stop())
}

// await polls a test until it is as wanted.
func await(ctx context.Context, c harness.Client, id string, every, within time.Duration, wanted func(harness.Test) bool) (harness.Test, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("it took longer than %s", within))
	defer cancel()
	return c.Await(ctx, id, every, wanted)
}

// completed waits for the end of a test, which must be a good one.
func completed(ctx context.Context, c harness.Client, id string, every, within time.Duration) error {
	t, err := await(ctx, c, id, every, within, harness.Test.Ended)
	if err == nil && t.Status != "completed" {
		err = fmt.Errorf("test %s is %s", id, t.Status)
	}
	return err
}

// latencies are the times from a test's events to their arrival so far.
func latencies(r *harness.Receiver, testID string) (out times) {
	for _, got := range r.Of(testID) {
		out = append(out, got.At.Sub(got.Timestamp))
	}
	return out
}

// register makes n endpoints of a receiver, below a path, and tells their ids.
func register(ctx context.Context, c harness.Client, to *harness.Receiver, path string, n int, events ...string) (ids []string, err error) {
	for i := range n {
		id, err := c.Register(ctx, fmt.Sprintf("%s%s/%d", to.URL, path, i), hookSecret, events...)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
