// Package pgtest gives tests a real Postgres: one private server for the
// process, started when first needed, and a database of its own for each test.
//
// With UNDERSTUDY_TEST_DATABASE_URL set (a role that may create databases)
// that server is used instead.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres"
	"understudy/test/patience"
)

const (
	// The limits are those of an idle machine.
	startLimit = time.Minute
	stopLimit  = 20 * time.Second
	stepLimit  = 30 * time.Second
	// testConns is a test's pool size. Many tests run side by side on one
	// server of 200 connections.
	testConns = 8
)

var (
	start   sync.Once
	server  *postgres.Private
	dataDir string
	baseURL string
	model   string // a migrated database that those of the tests are copies of
	failed  error
	count   atomic.Int64
)

// Main runs the tests, stops the server and exits. Packages that use this one
// have it as their TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Pool is a pool on an empty database with schema ops, dropped after the test.
func Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), stepLimit)
	defer cancel()
	pool, err := postgres.Connect(ctx, URL(t), postgres.PoolOptions{MaxConns: testConns, Name: t.Name()})
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// URL is the connection string of an empty database with schema ops, dropped
// after the test.
func URL(t testing.TB) string {
	t.Helper()
	start.Do(func() { failed = begin() })
	if failed != nil {
		t.Fatalf("pgtest: %v", failed)
	}
	name := fmt.Sprintf("understudy_test_%d_%d", os.Getpid(), count.Add(1))
	if err := admin("create database " + name + " template " + model); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if err := admin("drop database if exists " + name + " with (force)"); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return urlOf(name)
}

func begin() error {
	ctx, cancel := patience.Context(context.Background(), startLimit)
	defer cancel()
	if baseURL = os.Getenv("UNDERSTUDY_TEST_DATABASE_URL"); baseURL == "" {
		var err error
		if dataDir, err = os.MkdirTemp("", "understudy-pgtest-"); err != nil {
			return err
		}
		server, err = postgres.StartPrivate(ctx, postgres.PrivateOptions{
			DataDir: filepath.Join(dataDir, "postgres"),
			// The data is thrown away: no test waits for the disk.
			Settings: map[string]string{"fsync": "off", "max_connections": "200"},
		})
		if err != nil {
			return errors.Join(err, os.RemoveAll(dataDir))
		}
		baseURL = server.URL()
	}
	model = fmt.Sprintf("understudy_test_%d_model", os.Getpid())
	if err := admin("create database " + model); err != nil {
		return err
	}
	pool, err := postgres.Connect(ctx, urlOf(model), postgres.PoolOptions{MaxConns: 1})
	if err != nil {
		return err
	}
	defer pool.Close()
	return postgres.Migrate(ctx, pool)
}

func stop() error {
	if server == nil {
		if model == "" {
			return nil
		}
		return admin("drop database if exists " + model)
	}
	ctx, cancel := patience.Context(context.Background(), stopLimit)
	defer cancel()
	return errors.Join(server.Stop(ctx), os.RemoveAll(dataDir))
}

func urlOf(database string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return baseURL // Connect says what is wrong with it
	}
	u.Path = "/" + database
	return u.String()
}

func admin(statement string) error {
	ctx, cancel := patience.Context(context.Background(), stepLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, baseURL)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}
