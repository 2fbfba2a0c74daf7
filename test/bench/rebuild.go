package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"understudy/adapters/postgres"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/persona"
	domainprocess "understudy/domain/process"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/projections"
	"understudy/projections/readmodels"
)

const (
	// history is how many events every read model is built of; rates are also
	// told at a quarter and at the half, for the cost has to grow as they do.
	history    = 1_000_000
	rebuildAim = "≥ 50,000 events/s, the same at each length"
	// A test has perTest sessions of stepsEach steps, and hooks deliveries.
	perTest   = 10
	stepsEach = 10
	hooks     = 4
	// buildLimit bounds the building of one read model.
	buildLimit = 10 * time.Minute
)

// measureRebuild builds every read model, each by itself, from one log of
// finished tests.
func measureRebuild(ctx context.Context, b *bench) (err error) {
	quiet := slog.New(slog.DiscardHandler)
	n, err := node.Start(ctx, node.Options{Dir: filepath.Join(b.dir, "history"), Socket: filepath.Join(b.dir, "history.sock"), Logger: quiet})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	store, err := eventstore.Open(eventstore.Config{
		URL: n.ConnectionString(), Socket: n.Socket(), Codec: eventstore.NewCodec(domainprocess.Catalogue()),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	var lengths []uint64
	for i, part := 0, 4; part > 0; part /= 2 {
		if i, err = recordTests(ctx, store, i, b.n(history)/part); err != nil {
			return err
		}
		head, err := store.Head(ctx)
		if err != nil {
			return err
		}
		lengths = append(lengths, head)
	}
	server, err := postgres.StartPrivate(ctx, postgres.PrivateOptions{DataDir: filepath.Join(b.dir, "rebuild"), Logger: quiet})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	pool, err := postgres.Connect(ctx, server.URL(), postgres.PoolOptions{})
	if err != nil {
		return err
	}
	defer pool.Close()
	for _, p := range readmodels.All() {
		took, err := rebuild(ctx, pool, store, p, lengths)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		var at []string
		for i, t := range took[:len(took)-1] {
			at = append(at, fmt.Sprintf("%s of the first %d", perSecond(int(lengths[i]), t), lengths[i]))
		}
		last := len(took) - 1
		b.table.add("rebuild", p.Name, perSecond(int(lengths[last]), took[last]), rebuildAim,
			fmt.Sprintf("%d events in %s; %s", lengths[last], short(took[last]), strings.Join(at, ", ")))
	}
	return nil
}

// rebuild builds one read model and tells how long each length of the log has
// taken, from the start.
func rebuild(ctx context.Context, pool *pgxpool.Pool, store *eventstore.Store, p projections.Projection, lengths []uint64) (took []time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	positions := projections.NewPositions()
	projector := &projections.Projector{Projection: p, Pool: pool, Log: store, Positions: positions, Logger: slog.New(slog.DiscardHandler)}
	running, end := context.WithCancel(ctx)
	stopped := make(chan error, 1)
	began := time.Now()
	go func() { stopped <- projector.Run(running) }()
	for _, length := range lengths {
		if err = positions.Wait(ctx, p.Name, length); err != nil {
			break
		}
		took = append(took, time.Since(began))
	}
	end()
	return took, errors.Join(err, <-stopped)
}

// recordTests records finished tests, from the first-th on, until the log has
// the given length, and returns which comes next.
func recordTests(ctx context.Context, store *eventstore.Store, first, length int) (next int, err error) {
	for next = first; ; {
		head, err := store.Head(ctx)
		if err != nil || head >= uint64(length) {
			return next, err
		}
		g, each := errgroup.WithContext(ctx)
		g.SetLimit(32)
		for range 50 {
			i := next
			next++
			g.Go(func() error { return recordTest(each, store, i) })
		}
		if err := g.Wait(); err != nil {
			return next, err
		}
	}
}

// recordTest records what a test of ten sessions leaves in the log: its own
// events, ten walks, a report and the deliveries to one endpoint.
func recordTest(ctx context.Context, store *eventstore.Store, i int) error {
	at := domain.At(time.Now())
	meta := domain.Meta{OrganizationID: fmt.Sprintf("org_%d", i%10), Environment: domain.Sandbox, Actor: "bench"}
	id := func(prefix string, n int) string {
		return domain.DeriveID(prefix, at.Time, "rebuild", fmt.Sprint(i), fmt.Sprint(n))
	}
	testID, reportID := id(domain.PrefixTest, 0), id(domain.PrefixReport, 0)
	score := 0.8
	test := []domain.Event{
		testrun.Created{
			TestID: testID, OrganizationID: meta.OrganizationID, Environment: meta.Environment, URL: "https://shop.example.com/",
			Task: "Buy a lamp", Sessions: perTest, Model: "forager-2", Personas: testrun.Personas{Source: "auto-diverse"},
			Criteria: []string{"task_completion", "cta_findability"}, Viewports: []string{"desktop"}, Seed: int64(i), MaxSteps: 25,
			Gate: testrun.Gate{Threshold: 0.7}, CreatedAt: at, EstimatedCompletion: at,
		},
		testrun.Started{URL: "https://shop.example.com/", Task: "Buy a lamp", SessionsTotal: perTest, At: at},
	}
	for n := range perTest {
		sessionID := id(domain.PrefixSession, n)
		if err := record(ctx, store, session.Stream(sessionID), meta, eventsOf(testID, sessionID, n, meta, at)); err != nil {
			return err
		}
		test = append(test, testrun.SessionEnded{SessionID: sessionID, Index: n, Usable: true, At: at},
			testrun.Progressed{SessionsCompleted: n + 1, SessionsTotal: perTest, Percent: 10 * (n + 1), At: at})
	}
	test = append(test, testrun.SessionsFinished{SessionsCompleted: perTest, At: at},
		testrun.GateJudged{Passed: true, Threshold: 0.7, Score: &score, FailedCriteria: []string{}, ReportID: reportID, At: at},
		testrun.Completed{
			URL: "https://shop.example.com/", Task: "Buy a lamp", SessionsTotal: perTest, SessionsCompleted: perTest, DurationSeconds: 60,
			AggregateScores: map[string]float64{"overall": score}, GatePassed: true, GateThreshold: 0.7, ReportID: reportID, At: at,
		})
	if err := record(ctx, store, testrun.Stream(testID), meta, test); err != nil {
		return err
	}
	document := report.Document{Measures: report.Measures{ID: reportID, TestID: testID, CreatedAt: at}}
	for range 10 {
		document.Issues = append(document.Issues, report.Issue{Description: strings.Repeat("what ten people met on a page ", 10)})
	}
	if err := record(ctx, store, report.Stream(reportID), meta, []domain.Event{report.Generated{
		ReportID: reportID, TestID: testID, OrganizationID: meta.OrganizationID, Environment: meta.Environment, Document: document, At: at,
	}}); err != nil {
		return err
	}
	webhookID := id(domain.PrefixWebhook, 0)
	if err := record(ctx, store, webhook.Stream(webhookID), meta, []domain.Event{webhook.Registered{
		WebhookID: webhookID, OrganizationID: meta.OrganizationID, Environment: meta.Environment,
		URL: "https://hooks.example.com/", Secret: "ciphertext", At: at,
	}}); err != nil {
		return err
	}
	for n := range hooks {
		deliveryID := id(domain.PrefixDelivery, n)
		if err := record(ctx, store, delivery.Stream(deliveryID), meta, []domain.Event{
			delivery.Scheduled{
				DeliveryID: deliveryID, WebhookID: webhookID, OrganizationID: meta.OrganizationID, Environment: meta.Environment,
				EventName: "test.progress", TestID: testID, Body: `{"data":"` + strings.Repeat("a body of the usual size ", 20) + `"}`, At: at,
			},
			delivery.Attempted{Attempt: 1, StatusCode: 204, LatencyMS: 12, At: at},
			delivery.Delivered{WebhookID: webhookID, Attempts: 1, At: at},
		}); err != nil {
			return err
		}
	}
	return nil
}

// eventsOf is what a session of a usual length leaves in the log.
func eventsOf(testID, sessionID string, index int, meta domain.Meta, at domain.Time) []domain.Event {
	events := []domain.Event{
		session.Queued{
			SessionID: sessionID, TestID: testID, OrganizationID: meta.OrganizationID, Environment: meta.Environment, Index: index,
			Persona: persona.Persona{Name: "Ada"}, Viewport: "desktop", Model: "forager-2", At: at,
		},
		session.Started{TestID: testID, Attempt: 1, Worker: "bench", At: at},
	}
	for s := range stepsEach {
		step := stepped(s)
		step.TestID = testID
		shot := session.ScreenshotTaken{TestID: testID, Attempt: 1, Step: s, Width: 1280, Height: 800, At: at}
		shot.ID = domain.DeriveID(domain.PrefixArtifact, at.Time, sessionID, fmt.Sprint(s))
		events = append(events, shot, step)
	}
	return append(events, session.Completed{
		TestID: testID, Index: index, Attempt: 1, Outcome: "succeeded", Steps: stepsEach, At: at,
		Scores: map[string]float64{"task_completion": 1, "cta_findability": 0.8}, Findings: &session.Findings{},
	})
}

// record appends the events of a new stream.
func record(ctx context.Context, store *eventstore.Store, stream string, meta domain.Meta, events []domain.Event) error {
	pending := make([]eventstore.Pending, len(events))
	for i, e := range events {
		pending[i] = eventstore.Pending{ID: uuid.New(), Event: e, Meta: meta}
	}
	_, err := store.Append(ctx, stream, eventstore.NoStream(), pending)
	return err
}
