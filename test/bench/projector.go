package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"understudy/adapters/postgres"
	"understudy/domain"
	"understudy/domain/session"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/sessions"
)

const (
	// rebuilt is how many sessions a read model is built of, each with
	// stepsEach steps.
	rebuilt   = 2000
	stepsEach = 10
	// rebuildLimit bounds the building.
	rebuildLimit = 10 * time.Minute
)

// measureProjector builds the read model of sessions from a log, in a Postgres
// like the service's own.
func measureProjector(ctx context.Context, b *bench, store *eventstore.Store) (err error) {
	before, err := store.Head(ctx)
	if err != nil {
		return err
	}
	n := b.n(rebuilt)
	if err := recordWalks(ctx, store, n); err != nil {
		return err
	}
	head, err := store.Head(ctx)
	if err != nil {
		return err
	}
	quiet := slog.New(slog.DiscardHandler)
	server, err := postgres.StartPrivate(ctx, postgres.PrivateOptions{DataDir: filepath.Join(b.dir, "postgres"), Logger: quiet})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	pool, err := postgres.Connect(ctx, server.URL(), postgres.PoolOptions{})
	if err != nil {
		return err
	}
	defer pool.Close()
	ctx, cancel := context.WithTimeout(ctx, rebuildLimit)
	defer cancel()
	// Only the walks: what the other measurements have appended are no
	// sessions.
	if err := projections.Prepare(ctx, pool, sessions.Projection); err != nil {
		return err
	}
	schema := projections.PostgresSchema(sessions.Projection.Name, sessions.Projection.Version)
	if _, err := pool.Exec(ctx, `UPDATE `+schema+`.projector SET position = $1`, int64(before)); err != nil {
		return err
	}
	positions := projections.NewPositions()
	projector := &projections.Projector{Projection: sessions.Projection, Pool: pool, Log: store, Positions: positions, Logger: quiet}
	running, end := context.WithCancel(ctx)
	stopped := make(chan error, 1)
	began := time.Now()
	go func() { stopped <- projector.Run(running) }()
	err = positions.Wait(ctx, sessions.Projection.Name, head)
	took := time.Since(began)
	end()
	if err := errors.Join(err, <-stopped); err != nil {
		return err
	}
	events := int(head - before)
	b.table.add("projector", "building the read model of sessions", perSecond(events, took)+" events", "",
		fmt.Sprintf("%d events of %d sessions in %s", events, n, short(took)))
	return nil
}

// recordWalks appends what sessions of a usual length leave in the log, each
// walk at once, as the sandbox does.
func recordWalks(ctx context.Context, store *eventstore.Store, n int) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(32)
	for i := range n {
		g.Go(func() error {
			at := domain.At(time.Now())
			id := domain.DeriveID(domain.PrefixSession, at.Time, "bench", fmt.Sprint(i))
			testID := domain.DeriveID(domain.PrefixTest, time.Unix(0, 0), "bench")
			events := []session.Event{
				session.Queued{
					SessionID: id, TestID: testID, OrganizationID: "org_bench", Environment: domain.Sandbox, Index: i,
					Persona: session.Persona{Name: "Ada", Facets: json.RawMessage(`{}`)}, Viewport: "desktop", Model: "forager-1", At: at,
				},
				session.Started{TestID: testID, Attempt: 1, Worker: "bench", At: at},
			}
			for s := range stepsEach {
				step := stepped(s)
				step.TestID = testID
				shot := session.ScreenshotTaken{TestID: testID, Attempt: 1, Step: s, Width: 1280, Height: 800, At: at}
				shot.ID = domain.DeriveID(domain.PrefixArtifact, at.Time, id, fmt.Sprint(s))
				events = append(events, shot, step)
			}
			events = append(events, session.Completed{TestID: testID, Index: i, Attempt: 1, Outcome: "succeeded", Steps: stepsEach, At: at})
			pending := make([]eventstore.Pending, len(events))
			for k, e := range events {
				pending[k] = eventstore.Pending{ID: uuid.New(), Event: e}
			}
			_, err := store.Append(ctx, session.Stream(id), eventstore.NoStream(), pending)
			return err
		})
	}
	return g.Wait()
}
