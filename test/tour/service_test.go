package tour_test

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// readyLimit bounds the start of the service; it takes seconds.
	readyLimit = 2 * time.Minute
	// stopLimit bounds its end.
	stopLimit = 90 * time.Second
)

// service is the program under test with its terminal.
type service struct {
	address string // host:port

	mu      sync.Mutex
	output  strings.Builder
	changed chan struct{}
}

// start runs the service in dir, with its data in dir/data as make run has it,
// until the test ends.
func start(t *testing.T, dir string) *service {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{address: listener.Addr().String(), changed: make(chan struct{})}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	driver, err := filepath.Abs(filepath.Join(root, ".cache", "playwright"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary, "serve")
	cmd.Dir = dir
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "UNDERSTUDY_") {
			cmd.Env = append(cmd.Env, setting)
		}
	}
	cmd.Env = append(cmd.Env, "UNDERSTUDY_LISTEN="+s.address, "UNDERSTUDY_PLAYWRIGHT_DIR="+driver,
		"UNDERSTUDY_EGRESS_ALLOW=127.0.0.0/8,::1/128", "UNDERSTUDY_LOG_LEVEL=warn")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.add(lines.Text())
		}
	}()
	t.Cleanup(func() {
		stop()
		<-read
		if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("the service ended badly: %v", err)
		}
		if t.Failed() {
			t.Logf("the service's terminal:\n%s", s.terminal())
		}
	})
	s.await(t, "\nready http://"+s.address, readyLimit)
	return s
}

func (s *service) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.output.WriteString(line + "\n")
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *service) terminal() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "\n" + s.output.String()
}

// await returns what the terminal shows once it shows text.
func (s *service) await(t *testing.T, text string, limit time.Duration) string {
	t.Helper()
	late := time.After(limit)
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if shown := s.terminal(); strings.Contains(shown, text) {
			return shown
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("the terminal does not show %q within %s", text, limit)
		}
	}
}
