package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// serviceReadyLimit bounds a start of the whole service, whose first makes
	// its database; serviceDrainLimit its orderly end.
	serviceReadyLimit = 2 * time.Minute
	serviceDrainLimit = time.Minute
	// requestLimit bounds one request.
	requestLimit = 30 * time.Second
)

// service is the real program on a data directory, with its own Postgres.
type service struct {
	binary, dir, addr string
	key               string // of the sandbox

	cmd    *exec.Cmd
	stderr *bytes.Buffer
	gone   chan struct{}
	starts []time.Duration // from exec to the line that says ready
}

// newService prepares a service below dir; nothing runs yet.
func newService(ctx context.Context, binary, dir string) (*service, error) {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("-binary: %w (make build makes it)", err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &service{binary: binary, dir: dir, addr: l.Addr().String()}, l.Close()
}

// start runs the program and returns when it serves.
func (s *service) start(ctx context.Context) error {
	s.cmd = exec.Command(s.binary, "serve") // ended by kill or end
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "UNDERSTUDY_") {
			s.cmd.Env = append(s.cmd.Env, v)
		}
	}
	s.cmd.Env = append(s.cmd.Env, "UNDERSTUDY_LISTEN="+s.addr, "UNDERSTUDY_DATA_DIR="+filepath.Join(s.dir, "data"), "UNDERSTUDY_DEMO=0",
		"UNDERSTUDY_EGRESS_ALLOW=127.0.0.0/8,::1/128", "UNDERSTUDY_LOG_LEVEL=warn")
	s.stderr, s.gone = &bytes.Buffer{}, make(chan struct{})
	s.cmd.Stderr = s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ready := make(chan struct{})
	go func(cmd *exec.Cmd, gone chan struct{}) {
		defer close(gone)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "ready ") {
				close(ready)
			}
		}
		_ = cmd.Wait() // an error in most cases: it was killed
	}(s.cmd, s.gone)
	select {
	case <-ready:
		s.starts = append(s.starts, time.Since(began))
	case <-s.gone:
		return fmt.Errorf("the service ended instead of serving: %s", s.stderr)
	case <-time.After(serviceReadyLimit):
		s.kill()
		return fmt.Errorf("the service was not ready within %s", serviceReadyLimit)
	case <-ctx.Done():
		s.kill()
		return ctx.Err()
	}
	var keys struct{ Test string }
	raw, err := os.ReadFile(filepath.Join(s.dir, "data", "keys.json"))
	if err == nil {
		err = json.Unmarshal(raw, &keys)
	}
	s.key = keys.Test
	return err
}

// kill ends the program, if it runs, with SIGKILL and returns when it is gone.
func (s *service) kill() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may be gone already
	<-s.gone
}

// end stops the program as an operator would.
func (s *service) end() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-s.gone:
	case <-time.After(serviceDrainLimit):
		s.kill()
		return fmt.Errorf("the service was still there %s after SIGTERM", serviceDrainLimit)
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the service ended with code %d: %s", code, s.stderr)
	}
	return nil
}

// errAnswer is an answer that is not what was asked for.
type errAnswer struct {
	status int
	retry  string // Retry-After
	text   string
}

func (e *errAnswer) Error() string { return fmt.Sprintf("%d %.300s", e.status, e.text) }

// call makes one request. An error that is no *errAnswer says that nobody
// knows whether it was carried out.
func (s *service) call(ctx context.Context, method, path, idempotencyKey string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr+"/v1"+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	if idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", idempotencyKey)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %w", method, path, &errAnswer{res.StatusCode, res.Header.Get("Retry-After"), string(answer)})
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

// patiently makes a request again for as long as the service asks for patience.
func (s *service) patiently(ctx context.Context, method, path, idempotencyKey string, body, into any) error {
	for {
		err := s.call(ctx, method, path, idempotencyKey, body, into)
		var answer *errAnswer
		if !errors.As(err, &answer) || answer.status != http.StatusTooManyRequests && answer.status != http.StatusServiceUnavailable {
			return err
		}
		pause := 200 * time.Millisecond
		if seconds, err := time.ParseDuration(answer.retry + "s"); err == nil {
			pause = max(pause, seconds)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// list reads a whole list, page by page.
func list[T any](ctx context.Context, s *service, path string) (out []T, err error) {
	for cursor := ""; ; {
		var page struct {
			Data       []T
			HasMore    bool    `json:"has_more"`
			NextCursor *string `json:"next_cursor"`
		}
		if err := s.patiently(ctx, http.MethodGet, path+"?limit=100"+cursor, "", nil, &page); err != nil {
			return nil, err
		}
		out = append(out, page.Data...)
		if !page.HasMore {
			return out, nil
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}
