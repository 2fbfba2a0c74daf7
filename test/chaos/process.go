package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"understudy/eventstore/node"
	"understudy/test/harness"
)

// nodeEnv makes this program the store on a directory instead of its killer.
const nodeEnv = "UNDERSTUDY_CHAOS_NODE"

// serveNode is the process that is killed.
func serveNode(dir string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	n, err := node.Start(ctx, node.Options{Dir: eventsDir(dir), Socket: socketIn(dir)})
	if err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	select {
	case <-ctx.Done():
		err = n.Close()
	case <-n.Failed():
		err = n.Err()
	}
	if err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
}

func eventsDir(dir string) string { return filepath.Join(dir, "events") }
func socketIn(dir string) string  { return filepath.Join(dir, "s") }

// readyLimit bounds a start, drainLimit an orderly end.
const (
	readyLimit = 30 * time.Second
	drainLimit = 30 * time.Second
)

// process is a running store.
type process struct {
	*harness.Process
	socket string
	began  time.Time
}

// start runs the store on a directory and returns before it serves.
func start(dir string) (*process, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), nodeEnv+"="+dir)
	began := time.Now()
	p, err := harness.Launch(cmd)
	return &process{p, socketIn(dir), began}, err
}

// wait returns when the store serves, and how long its start took.
func (p *process) wait(ctx context.Context) (took time.Duration, err error) {
	said, err := p.Shows(ctx, readyLimit, "ready\n")
	if err != nil {
		return 0, fmt.Errorf("the store did not start: %w: %s", err, said)
	}
	return time.Since(p.began), nil
}

// end stops the process in good order.
func (p *process) end() error {
	code, err := p.Terminate(drainLimit)
	if err == nil && code != 0 {
		err = fmt.Errorf("the store ended with code %d: %s", code, p.Printed())
	}
	return err
}

// client is a connection for one life of the store: the official client, and
// a bare one for what that never sends.
type client struct {
	*esdb.Client
	bare *grpc.ClientConn
}

func (p *process) client() (*client, error) {
	config, err := esdb.ParseConnectionString("esdb://localhost:2113?tls=false&maxDiscoverAttempts=1")
	if err != nil {
		return nil, err
	}
	config.Address, config.Logger = "unix://"+p.socket, esdb.NoopLogging()
	official, err := esdb.NewClient(config)
	if err != nil {
		return nil, err
	}
	bare, err := grpc.NewClient("unix://"+p.socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, errors.Join(err, official.Close())
	}
	return &client{Client: official, bare: bare}, nil
}

// close leaves the official client to itself: one whose server is gone hangs
// in Close, or panics when a call is still under way.
func (c *client) close() { _ = c.bare.Close() }
