package node_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"understudy/eventstore/node"
	"understudy/eventstore/node/engine"
	"understudy/test/patience"
)

// childEnv makes the test binary a node under load instead of a test.
const childEnv = "UNDERSTUDY_NODE_TEST_CHILD"

const childWriters = 8

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		runChild(dir)
		return
	}
	os.Exit(m.Run())
}

// runChild appends from several writers, each to its own stream and to a
// common one, and prints what was acknowledged, until it is killed.
func runChild(dir string) {
	n, err := node.Start(context.Background(), node.Options{
		Dir: filepath.Join(dir, "events"), Socket: filepath.Join(dir, "s"),
	})
	if err != nil {
		fmt.Println("failed", err)
		return
	}
	config, err := esdb.ParseConnectionString(n.ConnectionString())
	if err != nil {
		fmt.Println("failed", err)
		return
	}
	config.Address, config.Logger = "unix://"+n.Socket(), esdb.NoopLogging()
	c, err := esdb.NewClient(config)
	if err != nil {
		fmt.Println("failed", err)
		return
	}
	var out sync.Mutex
	var wg sync.WaitGroup
	for w := range childWriters {
		wg.Go(func() {
			for i := 0; ; i++ {
				for _, stream := range []string{fmt.Sprintf("own-%d-%d", w, os.Getpid()), "common"} {
					text := fmt.Sprintf("%d/%d/%d", os.Getpid(), w, i)
					_, err := c.AppendToStream(context.Background(), stream, esdb.AppendToStreamOptions{}, event("a", text))
					if err != nil {
						return
					}
					out.Lock()
					fmt.Println("ack", stream, text)
					out.Unlock()
				}
			}
		})
	}
	wg.Wait()
}

func TestKilledNodeKeepsEveryAcknowledgedEventOnceInOrder(t *testing.T) {
	t.Parallel()
	dir := socketDir(t)
	acked := map[string][]string{} // stream and writer → texts in order
	total := 0
	for round := range 3 {
		// Kill at another moment each round, once the load is running.
		total += killUnderLoad(t, dir, 1000+700*round, acked)
	}
	c := connect(t, start(t, dir))
	recorded := map[string][]string{}
	for i, ev := range readAll(t, c, esdb.ReadAllOptions{}, 1<<30) {
		if ev.Position.Commit != uint64(i+1) {
			t.Fatalf("event %d is at position %d: the order has a gap", i, ev.Position.Commit)
		}
		key := ev.StreamID + " " + writerOf(string(ev.Data))
		recorded[key] = append(recorded[key], string(ev.Data))
	}
	for key, want := range acked {
		got := recorded[key]
		// The event under way at the kill may be there too, unacknowledged.
		if len(got) < len(want) || len(got) > len(want)+1 {
			t.Errorf("%s: %d acknowledged, %d recorded", key, len(want), len(got))
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: event %d is %s, acknowledged was %s", key, i, got[i], want[i])
				break
			}
		}
	}
	t.Logf("%d acknowledged appends over 3 kills", total)
}

// writerOf is process and writer of a text "process/writer/number".
func writerOf(text string) string { return text[:strings.LastIndexByte(text, '/')] }

func killUnderLoad(t *testing.T, dir string, after int, acked map[string][]string) (total int) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := patience.Context(context.Background(), limit)
	defer cancel()
	child := exec.CommandContext(ctx, binary)
	child.Env = append(os.Environ(), childEnv+"="+dir)
	child.WaitDelay = time.Second
	pipe, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(pipe)
	for {
		line, err := lines.ReadString('\n')
		if err != nil { // a line cut short was not printed whole
			break
		}
		var stream, text string
		if n, _ := fmt.Sscanf(line, "ack %s %s\n", &stream, &text); n != 2 {
			t.Fatalf("the child says %q", line)
		}
		key := stream + " " + writerOf(text)
		acked[key] = append(acked[key], text)
		switch total++; total {
		case after / 2:
			refusedBesides(t, dir)
		case after:
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // always an error: it was killed
	if total < after {
		t.Fatalf("the child ended by itself after %d appends", total)
	}
	return total
}

// refusedBesides tries to start a node on the child's directory.
func refusedBesides(t *testing.T, dir string) {
	t.Helper()
	second, err := node.Start(context.Background(), node.Options{Dir: filepath.Join(dir, "events")})
	if err == nil {
		_ = second.Close()
	}
	if !errors.Is(err, engine.ErrLocked) {
		t.Errorf("a second process on the directory got %v", err)
	}
}
