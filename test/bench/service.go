package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// startLimit bounds a start.
	startLimit = 2 * time.Minute
	// stopLimit bounds the drain after SIGTERM.
	stopLimit = time.Minute
)

// service is the program under measurement, running.
type service struct {
	dir, addr string
	keys      struct{ Live, Test string }
	cmd       *exec.Cmd
	stderr    *bytes.Buffer
	exited    chan error
	// startup is the time from exec to the line that says ready.
	startup time.Duration
}

// start runs the program on a data directory below the bench's and returns
// when it serves.
func (b *bench) start(ctx context.Context, name string) (*service, error) {
	return b.startAs(ctx, name, nil)
}

// startAs is start with arguments and settings.
func (b *bench) startAs(ctx context.Context, name string, args []string, env ...string) (*service, error) {
	s := &service{dir: filepath.Join(b.dir, name), stderr: &bytes.Buffer{}, exited: make(chan error, 1)}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.addr = l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	s.cmd = exec.Command(b.binary, append([]string{"serve"}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "UNDERSTUDY_") {
			s.cmd.Env = append(s.cmd.Env, v)
		}
	}
	s.cmd.Env = append(s.cmd.Env, "UNDERSTUDY_LISTEN="+s.addr, "UNDERSTUDY_DATA_DIR="+s.dir, "UNDERSTUDY_DEMO=0",
		"UNDERSTUDY_EGRESS_ALLOW=127.0.0.0/8,::1/128", "UNDERSTUDY_LOG_LEVEL=warn")
	s.cmd.Env = append(s.cmd.Env, env...)
	s.cmd.Stderr = s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "ready ") {
				close(ready)
			}
		}
		s.exited <- s.cmd.Wait()
	}()
	select {
	case <-ready:
		s.startup = time.Since(began)
	case err := <-s.exited:
		return nil, fmt.Errorf("the service ended instead of serving: %w\n%s", err, s.stderr)
	case <-time.After(startLimit):
		return nil, errors.Join(fmt.Errorf("the service was not ready within %s", startLimit), s.cmd.Process.Kill())
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), s.stop())
	}
	raw, err := os.ReadFile(filepath.Join(s.dir, "keys.json"))
	if err == nil {
		err = json.Unmarshal(raw, &s.keys)
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// stop ends the service as an operator would.
func (s *service) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-s.exited:
		if err != nil {
			return fmt.Errorf("the service did not end well: %w\n%s", err, s.stderr)
		}
		return nil
	case <-time.After(stopLimit):
		return errors.Join(fmt.Errorf("the service was still there %s after SIGTERM", stopLimit), s.cmd.Process.Kill())
	}
}

// with starts a service, uses it and stops it.
func (b *bench) with(ctx context.Context, name string, use func(*service) error) error {
	s, err := b.start(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(use(s), s.stop())
}
