package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"understudy/test/patience"
)

// terminal keeps what programs print, one after the other.
type terminal struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
}

func (o *terminal) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
	return len(p), nil
}

// shows is the text so far, and when there is more.
func (o *terminal) shows() (text string, more <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.text.String(), o.changed
}

// Process is a program that runs beside this one, and ends with it.
type Process struct {
	cmd      *exec.Cmd
	terminal *terminal
	from     int // where its text begins on the terminal
	began    time.Time
	exited   chan struct{}
}

// Launch starts a program. What it prints is kept.
func Launch(cmd *exec.Cmd) (*Process, error) { return launch(cmd, &terminal{}) }

func launch(cmd *exec.Cmd, on *terminal) (*Process, error) {
	before, _ := on.shows()
	p := &Process{cmd: cmd, terminal: on, from: len(before), began: time.Now(), exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = on, on
	endWithUs(cmd)
	started := make(chan error, 1)
	go func() {
		// What ties the program to this one is tied to this thread.
		runtime.LockOSThread()
		err := cmd.Start()
		if started <- err; err != nil {
			return
		}
		_ = cmd.Wait() // the exit status says how it ended
		close(p.exited)
	}()
	return p, <-started
}

// PID is its number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Printed is what it has printed so far, on either stream.
func (p *Process) Printed() string {
	text, _ := p.terminal.shows()
	return text[p.from:]
}

// Exited is closed when it has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Code is its exit code, once it has ended; -1 when a signal has ended it.
func (p *Process) Code() int { return p.cmd.ProcessState.ExitCode() }

// Shows waits until it has printed a text, and returns what it has printed.
func (p *Process) Shows(ctx context.Context, within time.Duration, text string) (string, error) {
	ctx, cancel := patience.Context(ctx, within)
	defer cancel()
	for {
		_, more := p.terminal.shows()
		printed := p.Printed()
		if strings.Contains(printed, text) {
			return printed, nil
		}
		select {
		case <-more:
			continue
		case <-ctx.Done():
			return printed, fmt.Errorf("it does not say %q: %w", text, context.Cause(ctx))
		case <-p.exited:
		}
		if printed = p.Printed(); strings.Contains(printed, text) {
			return printed, nil
		}
		return printed, fmt.Errorf("it ended with %d and did not say %q", p.Code(), text)
	}
}

// Kill ends it with SIGKILL and returns when it is gone.
func (p *Process) Kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.exited
	return nil
}

// End asks it to leave with a signal, kills it when it does not, and returns
// its exit code.
func (p *Process) End(with os.Signal, within time.Duration) (code int, err error) {
	if err := p.cmd.Process.Signal(with); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return -1, err
	}
	ctx, cancel := patience.Context(context.Background(), within)
	defer cancel()
	select {
	case <-p.exited:
		return p.Code(), nil
	case <-ctx.Done():
		return -1, errors.Join(fmt.Errorf("still there after the signal %s: %w", with, context.Cause(ctx)), p.Kill())
	}
}

// Terminate is End with what an operator sends.
func (p *Process) Terminate(within time.Duration) (code int, err error) {
	return p.End(syscall.SIGTERM, within)
}

// LaunchNode starts an event store by itself, on a port of its choice, and tells
// where it serves. It ends with ctx at the latest.
func LaunchNode(ctx context.Context, binary string, env []string, args ...string) (n *Process, address string, err error) {
	cmd := exec.CommandContext(ctx, binary, append([]string{"node", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	if n, err = Launch(cmd); err != nil {
		return nil, "", err
	}
	said, err := n.Shows(ctx, StartLimit, "?tls=")
	_, ready, _ := strings.Cut(said, "ready esdb://")
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("the node does not serve: %w\n%s", err, said), n.Kill())
	}
	address, _, _ = strings.Cut(ready, "?")
	return n, address, nil
}
