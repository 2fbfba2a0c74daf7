package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres"
	"understudy/eventstore/node"
)

// appendAims are what the store has to reach through its client, as multiples
// of the Postgres table, by the number of writers.
var appendAims = []struct {
	writers int
	aim     float64
}{{1, 0.6}, {8, 2}, {64, 4}}

// tailSafe is a table of events as one would make it in Postgres: a stream's
// revisions are unique, and whoever follows it by position misses nothing. A
// sequence alone is not safe to follow, for a transaction with a lower number
// may commit after one with a higher; so an append takes its number under a
// lock that it holds until it has committed.
const tailSafe = `
	CREATE TABLE events (
		position bigint PRIMARY KEY,
		stream   text NOT NULL,
		revision bigint NOT NULL,
		id       uuid NOT NULL UNIQUE,
		type     text NOT NULL,
		data     json NOT NULL,
		metadata json NOT NULL,
		created  timestamptz NOT NULL DEFAULT now(),
		UNIQUE (stream, revision)
	);
	CREATE SEQUENCE event_positions;
	CREATE FUNCTION append_event(text, bigint, uuid, text, json, json) RETURNS bigint LANGUAGE plpgsql AS $$
	DECLARE at bigint;
	BEGIN
		PERFORM pg_advisory_xact_lock(1);
		at := nextval('event_positions');
		INSERT INTO events (position, stream, revision, id, type, data, metadata) VALUES (at, $1, $2, $3, $4, $5, $6);
		RETURN at;
	END $$;`

// connections is how many writers of Postgres share their connections; above
// it they wait for one, which costs nothing beside the lock.
const connections = 40

// measureAppends appends the same events to a table in Postgres and, through
// the official client, to the embedded store. Both sync before they answer.
// Turn and turn about, so that both meet the same machine.
func measureAppends(ctx context.Context, b *bench, data []byte, engine map[int]float64) (err error) {
	quiet := slog.New(slog.DiscardHandler)
	server, err := postgres.StartPrivate(ctx, postgres.PrivateOptions{DataDir: filepath.Join(b.dir, "table"), Logger: quiet})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	pool, err := postgres.Connect(ctx, server.URL(), postgres.PoolOptions{MaxConns: connections})
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := durable(ctx, pool); err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, tailSafe); err != nil {
		return err
	}
	n, err := node.Start(ctx, node.Options{Dir: filepath.Join(b.dir, "client"), Socket: filepath.Join(b.dir, "client.sock"), Logger: quiet})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	client, err := official(n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	for _, a := range appendAims {
		inTable, each, err := appendAll(ctx, a.writers, func(ctx context.Context, writer, i int) error {
			_, err := pool.Exec(ctx, `SELECT append_event($1, $2, $3, $4, $5, $6)`,
				fmt.Sprintf("session-%d-%d", a.writers, writer), i, uuid.New(), "session.stepped", data, `{}`)
			return err
		})
		if err != nil {
			return err
		}
		table := float64(inTable) / appending.Seconds()
		b.table.add("event store", fmt.Sprintf("Postgres table, %d writers", a.writers), perSecond(inTable, appending), "", "same durability, order safe to follow, "+each.spread())
		inStore, each, err := appendAll(ctx, a.writers, func(ctx context.Context, writer, i int) error {
			var expected esdb.ExpectedRevision = esdb.NoStream{}
			if i > 0 {
				expected = esdb.Revision(uint64(i - 1))
			}
			_, err := client.AppendToStream(ctx, fmt.Sprintf("session-%d-%d", a.writers, writer),
				esdb.AppendToStreamOptions{ExpectedRevision: expected},
				esdb.EventData{EventID: uuid.New(), EventType: "session.stepped", ContentType: esdb.ContentTypeJson, Data: data, Metadata: []byte(`{}`)})
			return err
		})
		if err != nil {
			return err
		}
		store := float64(inStore) / appending.Seconds()
		b.table.add("event store", fmt.Sprintf("official client, %d writers", a.writers), perSecond(inStore, appending),
			fmt.Sprintf("≥ %.1f × the table", a.aim), fmt.Sprintf("%.2f × the table, %.2f × the engine, %s", store/table, store/engine[a.writers], each.spread()))
	}
	return nil
}

// durable makes sure that Postgres answers as late as the store does.
func durable(ctx context.Context, pool *pgxpool.Pool) error {
	for _, setting := range []string{"fsync", "synchronous_commit"} {
		var value string
		if err := pool.QueryRow(ctx, `SELECT current_setting($1)`, setting).Scan(&value); err != nil {
			return err
		}
		if value != "on" {
			return fmt.Errorf("%s is %s in Postgres", setting, value)
		}
	}
	return nil
}

// official is the vendor's client, connected to a node's socket.
func official(n *node.Node) (*esdb.Client, error) {
	config, err := esdb.ParseConnectionString(n.ConnectionString())
	if err != nil {
		return nil, err
	}
	config.Address, config.Logger = "unix://"+n.Socket(), esdb.NoopLogging()
	return esdb.NewClient(config)
}
