// Package harness is the middle between the programs that test the service and
// the service: it starts and ends the real program, calls its interface and
// receives its webhooks. Its parts return errors, for programs; testing.go has
// what tests take on top.
package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// Loopback is the setting of make run: tests and webhooks may reach this
	// machine.
	Loopback = "UNDERSTUDY_EGRESS_ALLOW=127.0.0.0/8,::1/128"
	// Quiet is the setting of make run for the log.
	Quiet = "UNDERSTUDY_LOG_LEVEL=warn"
)

const (
	// StartLimit bounds a start: making the Postgres cluster takes a few
	// seconds.
	StartLimit = 90 * time.Second
	// StopLimit bounds the drain: requests, deliveries, sessions under way,
	// Postgres's last checkpoint.
	StopLimit = 60 * time.Second
	// buildLimit bounds the compilation on a machine without a build cache.
	buildLimit = 10 * time.Minute
)

// Root is the top of the checkout.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Build compiles the program into a directory, with flags of go build.
func Build(ctx context.Context, dir string, flags ...string) (binary string, err error) {
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	binary = filepath.Join(dir, "understudy")
	build := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-o", binary}, flags, []string{"./cmd/understudy"})...)
	build.Dir = Root()
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// BuildOnce is Build without flags, linked once for all programs of a run of the tests:
// that takes 15 s of a core.
func BuildOnce(ctx context.Context, dir string) (binary string, err error) {
	shared := filepath.Join(Root(), ".cache", "test")
	if err := os.MkdirAll(shared, 0o755); err != nil { //nolint:gosec // nothing secret
		return "", err
	}
	turn, err := os.Open(shared) //nolint:gosec // below the repository
	if err != nil {
		return "", err
	}
	defer func() { _ = turn.Close() }() // and so unlocks
	if err := syscall.Flock(int(turn.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	linked, err := Build(ctx, shared)
	if err != nil {
		return "", err
	}
	binary = filepath.Join(dir, filepath.Base(linked))
	if os.Link(linked, binary) == nil {
		return binary, nil
	}
	program, err := os.ReadFile(linked) //nolint:gosec // just built
	if err != nil {
		return "", err
	}
	return binary, os.WriteFile(binary, program, 0o755) //nolint:gosec // run by others, too
}

// Service is a data directory with, at times, a process that serves it.
type Service struct {
	Binary string
	Dir    string   // of everything; the data is in Dir/data
	Args   []string // after serve
	Env    []string // settings beside the necessary

	Addr string // from the first start on
	Keys struct{ Live, Test, Email, Password string }
	// Startup is how long the last start took, from exec to the line that says
	// ready.
	Startup time.Duration

	*Process // of the last start

	terminal terminal
	asked    bool // to end
}

// Data is the data directory.
func (s *Service) Data() string { return filepath.Join(s.Dir, "data") }

// Driver is where make setup puts the browser's.
func Driver() string { return filepath.Join(Root(), ".cache", "playwright") }

// OperatorToken is what the service tells of its inside for.
const OperatorToken = "token-of-the-operator"

// Environ is ours without settings of the machine's, and with those of the
// service that every command of the program needs.
func (s *Service) Environ() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "UNDERSTUDY_") {
			env = append(env, v)
		}
	}
	return append(env, "UNDERSTUDY_DATA_DIR="+s.Data(), "UNDERSTUDY_LISTEN="+s.Addr, "UNDERSTUDY_DEMO=0", "UNDERSTUDY_OPERATOR_TOKEN="+OperatorToken, "UNDERSTUDY_PLAYWRIGHT_DIR="+Driver())
}

// Command is another command of the program on the service's data.
func (s *Service) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.Binary, args...)
	cmd.Dir, cmd.Env = s.Dir, s.Environ()
	return cmd
}

// Share gives another process of the installation what an operator has to: keyring and
// keys.
func (s *Service) Share(with *Service) error {
	if err := os.MkdirAll(with.Data(), 0o700); err != nil {
		return err
	}
	for _, name := range []string{"keyring.json", "keys.json"} {
		raw, err := os.ReadFile(filepath.Join(s.Data(), name))
		if err == nil {
			err = os.WriteFile(filepath.Join(with.Data(), name), raw, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Start runs the program, at the address of its last start, and returns when it
// serves.
func (s *Service) Start(ctx context.Context) (err error) {
	if s.Addr == "" {
		if s.Addr, err = FreeAddress(ctx); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	cmd := exec.Command(s.Binary, append([]string{"serve"}, s.Args...)...)
	cmd.Dir = s.Dir
	cmd.Env = append(s.Environ(), s.Env...)
	p, err := launch(cmd, &s.terminal)
	if err != nil {
		return err
	}
	s.Process, s.asked = p, false
	if _, err := p.Shows(ctx, StartLimit, "ready http://"+s.Addr+"\n"); err != nil {
		return errors.Join(fmt.Errorf("the service does not serve: %w\n%s", err, s.Tail()), s.Kill())
	}
	s.Startup = time.Since(p.began)
	raw, err := os.ReadFile(filepath.Join(s.Data(), "keys.json"))
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, &s.Keys)
}

// Kill ends the service's process, and only it, with SIGKILL.
func (s *Service) Kill() error {
	if s.Process == nil {
		return nil
	}
	s.asked = true
	return s.Process.Kill()
}

// Terminate sends SIGTERM and returns the exit code.
func (s *Service) Terminate() (code int, err error) {
	s.asked = true
	return s.Process.Terminate(StopLimit)
}

// Stop ends the service, if it runs, as an operator would; it must leave with 0,
// and not by itself.
func (s *Service) Stop() error {
	if s.Process == nil {
		return nil
	}
	select {
	case <-s.Exited():
		if !s.asked {
			return fmt.Errorf("the service had ended by itself, with %d\n%s", s.Code(), s.Tail())
		}
		return nil
	default:
	}
	code, err := s.Terminate()
	if err == nil && code != 0 {
		tail := s.Tail()
		why := tail[strings.LastIndexByte(strings.TrimSpace(tail), '\n')+1:]
		err = fmt.Errorf("the service left with %d after SIGTERM: %s\n%s", code, strings.TrimSpace(why), tail)
	}
	return err
}

// Output is what the service has printed at all its starts.
func (s *Service) Output() string {
	text, _ := s.terminal.shows()
	return text
}

// Tail is the end of the output, without the access log.
func (s *Service) Tail() string {
	const most = 60
	var lines []string
	for line := range strings.Lines(s.Output()) {
		if !strings.Contains(line, "msg=request ") || strings.Contains(line, "level=ERROR") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "")
}

// Ports below those that the kernel gives to outgoing connections, so that
// nobody takes one while its service is down.
const firstPort, lastPort = 20000, 32000

var nextPort atomic.Int64

// FreeAddress is one on loopback where nobody listens, for one who may go away
// and come back. Until this process ends, no other is given it: packages are tested
// side by side.
func FreeAddress(ctx context.Context) (string, error) {
	claims := filepath.Join(os.TempDir(), "understudy-test-ports-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(claims, 0o700); err != nil {
		return "", err
	}
	for range 200 {
		n := int64(os.Getpid()) + nextPort.Add(1)
		port := firstPort + (n*7)%(lastPort-firstPort)
		claim, err := os.OpenFile(filepath.Join(claims, strconv.FormatInt(port, 10)), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // a number below our own folder
		if err != nil {
			return "", err
		}
		addr := fmt.Sprintf("127.0.0.1:%d", port)
		if syscall.Flock(int(claim.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			if l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr); err == nil {
				claimed.Store(addr, claim) // an open file that nothing holds is closed
				return addr, l.Close()
			}
		}
		_ = claim.Close()
	}
	return "", errors.New("no free port")
}

// claimed are the locked files of the addresses that were given.
var claimed sync.Map
