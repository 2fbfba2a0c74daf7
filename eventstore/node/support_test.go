package node_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"understudy/eventstore/node"
	"understudy/test/patience"
)

// limit bounds every wait of these tests, on an idle machine.
const limit = 20 * time.Second

// socketDir is a directory with a path short enough for sockets; t.TempDir
// contains the test's name.
func socketDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "node") //nolint:usetesting // the path of t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func start(t testing.TB, dir string) *node.Node {
	t.Helper()
	n, err := node.Start(context.Background(), node.Options{
		Dir:    filepath.Join(dir, "events"),
		Socket: filepath.Join(dir, "s"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Errorf("close node: %v", err)
		}
	})
	return n
}

func connect(t testing.TB, n *node.Node) *esdb.Client {
	t.Helper()
	config, err := esdb.ParseConnectionString(n.ConnectionString())
	if err != nil {
		t.Fatal(err)
	}
	config.Address = "unix://" + n.Socket()
	config.Logger = esdb.NoopLogging()
	client, err := esdb.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// fresh is a client of a node of its own.
func fresh(t testing.TB) *esdb.Client {
	t.Helper()
	return connect(t, start(t, socketDir(t)))
}

func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

func event(kind, data string) esdb.EventData {
	return esdb.EventData{
		EventID:     uuid.New(),
		EventType:   kind,
		ContentType: esdb.ContentTypeJson,
		Data:        []byte(data),
		Metadata:    []byte(`{"actor":"test"}`),
	}
}

func appendTo(t testing.TB, c *esdb.Client, stream string, expected esdb.ExpectedRevision, events ...esdb.EventData) *esdb.WriteResult {
	t.Helper()
	done, err := c.AppendToStream(within(t), stream, esdb.AppendToStreamOptions{ExpectedRevision: expected}, events...)
	if err != nil {
		t.Fatalf("append to %s: %v", stream, err)
	}
	return done
}

// code is the client's classification of an error, or nil's.
func code(err error) esdb.ErrorCode {
	var e *esdb.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return -1
}

func drain(t testing.TB, s *esdb.ReadStream) ([]*esdb.RecordedEvent, error) {
	t.Helper()
	defer s.Close()
	var out []*esdb.RecordedEvent
	for {
		got, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, got.Event)
	}
}

func readStream(t testing.TB, c *esdb.Client, stream string, o esdb.ReadStreamOptions, count uint64) ([]*esdb.RecordedEvent, error) {
	t.Helper()
	s, err := c.ReadStream(within(t), stream, o, count)
	if err != nil {
		t.Fatalf("read %s: %v", stream, err)
	}
	return drain(t, s)
}

func readAll(t testing.TB, c *esdb.Client, o esdb.ReadAllOptions, count uint64) []*esdb.RecordedEvent {
	t.Helper()
	s, err := c.ReadAll(within(t), o, count)
	if err != nil {
		t.Fatalf("read $all: %v", err)
	}
	out, err := drain(t, s)
	if err != nil {
		t.Fatalf("read $all: %v", err)
	}
	return out
}

func datas(events []*esdb.RecordedEvent) []string {
	out := make([]string, 0, len(events))
	for _, ev := range events {
		out = append(out, string(ev.Data))
	}
	return out
}
