package e2e

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
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	// startLimit bounds a start: making the Postgres cluster takes a few
	// seconds, on a busy machine many.
	startLimit = 90 * time.Second
	// stopLimit bounds the drain: requests, deliveries, sessions under way,
	// Postgres's last checkpoint.
	stopLimit = 60 * time.Second
)

// service is a data directory with, at times, a process that serves it.
type service struct {
	dir  string // of everything; the data is in dir/data
	addr string
	env  []string
	keys struct{ Live, Test string }

	mu     sync.Mutex
	output bytes.Buffer
	cmd    *exec.Cmd
	exited chan struct{}
	code   int
	asked  bool // to end
}

func newService(dir string, env ...string) *service {
	return &service{dir: dir, env: env}
}

// own is a service of the test's own, started. It is stopped with SIGTERM at
// the end of the test and must then leave with 0.
func own(t *testing.T, env ...string) *service {
	t.Helper()
	dir, err := os.MkdirTemp("", "e2e-") //nolint:usetesting // its sockets' paths must stay short
	if err != nil {
		t.Fatal(err)
	}
	s := newService(dir, env...)
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("stop the service: %v", err)
		}
		if t.Failed() {
			t.Logf("the service's output:\n%s", s.tail())
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s.begin(t)
	return s
}

// begin starts the service again on its data and address.
func (s *service) begin(t *testing.T) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatalf("start the service: %v\n%s", err, s.tail())
	}
}

func (s *service) data() string { return filepath.Join(s.dir, "data") }

// environ is ours without settings of the machine's, and with the data directory.
func (s *service) environ() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "UNDERSTUDY_") || strings.HasPrefix(v, "UNDERSTUDY_PLAYWRIGHT_DIR=") {
			env = append(env, v)
		}
	}
	return append(env, "UNDERSTUDY_DATA_DIR="+s.data())
}

func (s *service) start() (err error) {
	if s.addr == "" {
		if s.addr, err = freeAddress(); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(context.Background(), binary, "serve") // ended by kill or terminate
	cmd.Dir = s.dir
	cmd.Env = append(s.environ(), "UNDERSTUDY_LISTEN="+s.addr, "UNDERSTUDY_DEMO=0")
	cmd.Env = append(cmd.Env, s.env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = writer{s}
	ready, exited, started := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	endWithTests(cmd)
	go func() {
		// What ties the service to the tests is tied to this thread.
		runtime.LockOSThread()
		err := cmd.Start()
		if started <- err; err != nil {
			return
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			fmt.Fprintln(writer{s}, lines.Text())
			if lines.Text() == "ready http://"+s.addr {
				close(ready)
			}
		}
		// The exit status says how it ended; Wait's error repeats it.
		_ = cmd.Wait()
		s.code = cmd.ProcessState.ExitCode()
		close(exited)
	}()
	if err := <-started; err != nil {
		return err
	}
	s.cmd, s.exited, s.asked = cmd, exited, false
	select {
	case <-ready:
	case <-exited:
		return fmt.Errorf("it ended with %d instead of serving", s.code)
	case <-time.After(startLimit):
		return errors.Join(fmt.Errorf("not ready within %s", startLimit), s.kill())
	}
	raw, err := os.ReadFile(filepath.Join(s.data(), "keys.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, &s.keys)
}

// kill ends the service's process, and only it, with SIGKILL.
func (s *service) kill() error {
	s.asked = true
	if err := s.cmd.Process.Kill(); err != nil {
		return err
	}
	<-s.exited
	return nil
}

// terminate sends SIGTERM and returns the exit code.
func (s *service) terminate() (code int, err error) {
	s.asked = true
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return -1, err
	}
	select {
	case <-s.exited:
		return s.code, nil
	case <-time.After(stopLimit):
		return -1, errors.Join(fmt.Errorf("still there %s after SIGTERM", stopLimit), s.kill())
	}
}

// stop terminates the service if it runs; it must leave with 0.
func (s *service) stop() error {
	if s.cmd == nil {
		return nil
	}
	select {
	case <-s.exited:
		if !s.asked {
			return fmt.Errorf("it had ended by itself, with %d", s.code)
		}
		return nil
	default:
	}
	code, err := s.terminate()
	if err == nil && code != 0 {
		err = fmt.Errorf("it left with %d after SIGTERM", code)
	}
	return err
}

// tail is the end of what the service has printed, without its access log.
func (s *service) tail() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	const most = 60
	var lines []string
	for line := range strings.Lines(s.output.String()) {
		if !strings.Contains(line, "msg=request ") || strings.Contains(line, "level=ERROR") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "")
}

type writer struct{ s *service }

func (w writer) Write(p []byte) (int, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.s.output.Write(p)
}

// Ports below those that the kernel gives to outgoing connections, so that
// nobody takes one while its service is down.
const firstPort, lastPort = 20000, 32000

var nextPort atomic.Int64

func freeAddress() (string, error) {
	for range 200 {
		n := int64(os.Getpid()) + nextPort.Add(1)
		addr := fmt.Sprintf("127.0.0.1:%d", firstPort+(n*7)%(lastPort-firstPort))
		if l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr); err == nil {
			return addr, l.Close()
		}
	}
	return "", errors.New("no free port")
}
