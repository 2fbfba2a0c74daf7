package node_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"

	"understudy/eventstore/node"
	"understudy/eventstore/node/engine"
	"understudy/test/patience"
)

func TestSocketIsTheOwnersAlone(t *testing.T) {
	t.Parallel()
	n := start(t, socketDir(t))
	info, err := os.Stat(n.Socket())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("the socket has mode %v", info.Mode())
	}
}

func TestEventsSurviveACloseAndASocketLeftBehindIsReplaced(t *testing.T) {
	t.Parallel()
	dir := socketDir(t)
	n := start(t, dir)
	appendTo(t, connect(t, n), "s", esdb.NoStream{}, event("a", "0"))
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(n.Socket()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("closing left the socket behind (%v)", err)
	}
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: n.Socket()})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	c := connect(t, start(t, dir))
	appendTo(t, c, "s", esdb.Revision(0), event("a", "1"))
	got, err := readStream(t, c, "s", esdb.ReadStreamOptions{}, 9)
	if diff := cmp.Diff([]string{"0", "1"}, datas(got)); diff != "" || err != nil {
		t.Fatalf("stream holds (error %v):\n%s", err, diff)
	}
}

func TestStartRefusesClearly(t *testing.T) {
	t.Parallel()
	dir := socketDir(t)
	start(t, dir)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	events := func(name string) string { return filepath.Join(dir, name) }
	for name, tc := range map[string]struct {
		o    node.Options
		want error
	}{
		"a directory in use":      {node.Options{Dir: events("events"), Socket: events("s2")}, engine.ErrLocked},
		"a socket in use":         {node.Options{Dir: events("events2"), Socket: events("s")}, node.ErrSocketInUse},
		"a file instead":          {node.Options{Dir: events("events3"), Socket: file}, node.ErrSocketInUse},
		"a path too long":         {node.Options{Dir: events("events4"), Socket: "/tmp/" + strings.Repeat("x", 103)}, node.ErrSocketPath},
		"a file as the directory": {node.Options{Dir: file, Socket: events("s3")}, engine.ErrUnreadable},
	} {
		n, err := node.Start(context.Background(), tc.o)
		if err == nil {
			_ = n.Close()
		}
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if kept, err := os.ReadFile(file); err != nil || string(kept) != "mine" {
		t.Errorf("the file holds %q, error %v", kept, err)
	}
}

// closes closes a node, which must be done in time.
func closes(t *testing.T, n *node.Node, within time.Duration) {
	t.Helper()
	left := patience.For(within)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if left.Lost() {
		t.Errorf("closing took more than the %v of an idle machine", within)
	}
}

// The goroutines of other tests would be counted: not parallel.
func TestCloseEndsSubscriptionsAndLeavesNothingRunning(t *testing.T) {
	before := runtime.NumGoroutine()
	dir := socketDir(t)
	n := start(t, dir)
	c := connect(t, n)
	follows := make([]*follow, 0, 40)
	for range 20 {
		follows = append(follows,
			followAll(t, c, esdb.SubscribeToAllOptions{From: esdb.Start{}}),
			followStream(t, c, esdb.SubscribeToStreamOptions{From: esdb.Start{}}))
	}
	for _, f := range follows {
		f.expect("caught up")
	}
	closes(t, n, 4*time.Second)
	for _, f := range follows {
		f.expect("dropped")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for left := patience.For(limit); runtime.NumGoroutine() > before; {
		if left.Lost() {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}

func TestNodeWithoutASocketKeepsItsDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(socketDir(t), "events")
	n, err := node.Start(context.Background(), node.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if n.ConnectionString() != "" || n.Socket() != "" {
		t.Errorf("a node that does not listen names %q and %q", n.ConnectionString(), n.Socket())
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func TestCloseDoesNotWaitForAStuckSubscriber(t *testing.T) {
	t.Parallel()
	n := start(t, socketDir(t))
	c := connect(t, n)
	followAll(t, c, esdb.SubscribeToAllOptions{From: esdb.Start{}}) // and never read
	body := strings.Repeat("x", 900_000)
	for range 20 { // far more than the connection holds
		appendTo(t, c, "s", esdb.Any{}, event("a", body))
	}
	closes(t, n, 10*time.Second)
}
