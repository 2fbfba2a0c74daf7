package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"understudy/adapters/notary"
)

// quiet is a log that nobody reads.
var quiet = slog.New(slog.DiscardHandler)

func TestNothingIsDoneBeforeTheProof(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newProof(config{roles: allRoles}, notary.New(nil, nil, nil, "", quiet))
		began, done := time.Now(), make(chan time.Duration, 1)
		go func() {
			err := p.before(func(context.Context) error { done <- time.Since(began); return nil })(t.Context())
			if err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		select {
		case <-done:
			t.Fatal("it ran before")
		default:
		}
		if err := p.await(t.Context(), quiet); err != nil {
			t.Fatal(err)
		}
		if waited := <-done; waited != proofLimit {
			t.Errorf("it ran after %s", waited)
		}
	})
}

func TestAStartThatIsRefusedDoesNothing(t *testing.T) {
	t.Parallel()
	p := newProof(config{roles: allRoles}, notary.New(nil, nil, nil, "", quiet))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.await(ctx, quiet); !errors.Is(err, context.Canceled) {
		t.Errorf("the wait ended with %v", err)
	}
	ran := false
	if err := p.before(func(context.Context) error { ran = true; return nil })(ctx); err != nil || ran {
		t.Errorf("ran %t, %v", ran, err)
	}
}

// Others go on recording in a shared store, and only who signs can prove.
func TestWhoNeedNotWait(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]config{
		"in a shared store":  {eventStore: "esdb://somewhere", roles: allRoles},
		"without the signer": {roles: []string{roleAPI}},
	} {
		p := newProof(cfg, notary.New(nil, nil, nil, "", quiet))
		if err := p.await(t.Context(), quiet); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatEndsTheService(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		&notary.RefusedError{}: true,
		fmt.Errorf("wrapped: %w", &notary.HeadsError{Err: io.ErrUnexpectedEOF}): true,
		context.Canceled:            false,
		errors.New("no disk space"): false,
		nil:                         false,
	} {
		if got := refusedToSign(err); got != want {
			t.Errorf("%v: %t", err, got)
		}
	}
}
