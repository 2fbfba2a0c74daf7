package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/adapters/httpapi"
	"understudy/adapters/notary"
	"understudy/adapters/postgres"
	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/apikey"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/test/patience"
)

// TestAStoppedReactorIsNotReady: what keeps the service from answering names the reactor, the
// event at which it has stopped, and the way out.
func TestAStoppedReactorIsNotReady(t *testing.T) {
	t.Parallel()
	pool, store := pgtest.Pool(t), emptyLog(t)
	reactor := eventstore.Reactor{
		Name: "fan-out", Prefixes: []string{apikey.StreamPrefix}, Checkpoints: postgres.NewCheckpoints(pool), Logger: slog.New(slog.DiscardHandler),
		React: func(context.Context, domain.Recorded) error { panic("no such key") },
	}
	ready, err := newReadiness(t.Context(), &lagReader{store: store, pool: pool, reactors: []eventstore.Reactor{reactor}}, projections.NewPositions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ready.proof = &proof{sealing: &notary.Notary{}}
	ready.started.Store(true)
	if out := ready.Ready(t.Context()); len(out) != 0 {
		t.Errorf("before anything has happened: %+v", out)
	}
	if _, err := store.Append(t.Context(), apikey.Stream("key_1"), eventstore.NoStream(), []eventstore.Pending{{ID: uuid.New(), Event: apikey.Revoked{}}}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- store.RunReactor(ctx, reactor) }()
	var out []httpapi.NotReady
	patience.Eventually(t, 30*time.Second, "the reactor has stopped", func() bool {
		out = ready.Ready(t.Context())
		return len(out) > 0
	})
	if len(out) != 1 || out[0].Component != "reactor_fan-out" || !strings.Contains(out[0].Message, "event apikey-key_1@0") || !strings.Contains(out[0].Message, "goes on from there at its next start") {
		t.Errorf("%+v", out)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
