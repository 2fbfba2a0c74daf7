package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"understudy/eventstore/node"
)

// nodeEnv makes this program the store on a directory instead of its killer.
const nodeEnv = "UNDERSTUDY_CHAOS_NODE"

// serveNode is the process that is killed.
func serveNode(dir string) {
	ctx := context.Background()
	n, err := node.Start(ctx, node.Options{Dir: eventsDir(dir), Socket: socketIn(dir)})
	if err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	// Its input ends when its killer stops it or is gone.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	select {
	case <-ended:
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
	cmd    *exec.Cmd
	input  io.Closer
	socket string
	ready  chan error // closed once it serves; an error when it ended instead
	gone   chan struct{}
	began  time.Time
	// served is how long the start took, once it is ready.
	served time.Duration
	stderr bytes.Buffer
}

// start runs the store on a directory and returns before it serves.
func start(dir string) (*process, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(binary), socket: socketIn(dir), ready: make(chan error, 1), gone: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), nodeEnv+"="+dir)
	p.cmd.Stderr = &p.stderr
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.gone)
		lines := bufio.NewScanner(out)
		said := ""
		for lines.Scan() {
			if said = lines.Text(); said == "ready" {
				p.served = time.Since(p.began)
				close(p.ready)
			}
		}
		_ = p.cmd.Wait() // an error in most cases: it was killed
		if p.served == 0 {
			p.ready <- fmt.Errorf("the store did not start: %s %s", strings.TrimPrefix(said, "failed "), p.stderr.String())
			close(p.ready)
		}
	}()
	return p, nil
}

// wait returns when the store serves.
func (p *process) wait(ctx context.Context) error {
	select {
	case err := <-p.ready:
		return err
	case <-time.After(readyLimit):
		return fmt.Errorf("the store did not serve within %s", readyLimit)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// kill ends the process at once and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be gone already
	<-p.gone
}

// end stops the process in good order.
func (p *process) end() error {
	if err := p.input.Close(); err != nil {
		return err
	}
	select {
	case <-p.gone:
	case <-time.After(drainLimit):
		p.kill()
		return fmt.Errorf("the store was still there %s after it was told to end", drainLimit)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the store ended with code %d %s", code, p.stderr.String())
	}
	return nil
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
