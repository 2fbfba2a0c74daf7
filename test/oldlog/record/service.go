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

	"understudy/test/oldlog"
)

const (
	startLimit = 90 * time.Second
	stopLimit  = time.Minute
	// quietLimit is more than the 5 min 35 s after which a delivery is given up.
	quietLimit = 9 * time.Minute
)

// service is the program at work on a data directory.
type service struct {
	cmd  *exec.Cmd
	addr string
	keys map[string]string
}

// start starts the program and waits until it serves.
func start(ctx context.Context, binary, dir string) (*service, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &service{addr: l.Addr().String()}
	if err := l.Close(); err != nil {
		return nil, err
	}
	driver, err := filepath.Abs(filepath.Join(".cache", "playwright"))
	if err != nil {
		return nil, err
	}
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), binary, "serve")
	s.cmd.Env = append(os.Environ(), "UNDERSTUDY_DATA_DIR="+dir, "UNDERSTUDY_LISTEN="+s.addr, "UNDERSTUDY_DEMO=0", "UNDERSTUDY_LOG_LEVEL=warn",
		"UNDERSTUDY_EGRESS_ALLOW=127.0.0.0/8,::1/128", "UNDERSTUDY_PLAYWRIGHT_DIR="+driver)
	s.cmd.Env = append(s.cmd.Env, oldlog.Settings...)
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan bool, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "ready ") {
				ready <- true
			}
		}
		ready <- false
	}()
	select {
	case serves := <-ready:
		if !serves {
			return nil, errors.Join(errors.New("the program ended instead of serving"), s.cmd.Wait())
		}
	case <-time.After(startLimit):
		return nil, errors.Join(fmt.Errorf("not ready within %s", startLimit), s.cmd.Process.Kill())
	}
	raw, err := os.ReadFile(filepath.Join(dir, "keys.json"))
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, json.Unmarshal(raw, &s.keys)
}

// stop ends the program, which has to leave with 0.
func (s *service) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	late := time.AfterFunc(stopLimit, func() { _ = s.cmd.Process.Kill() })
	defer late.Stop()
	return s.cmd.Wait()
}

// client uses the service with one key. Its first failure is kept, and nothing
// is sent after it.
type client struct {
	*service
	ctx context.Context
	key string // live or test
	err *error
}

func (c client) send(method, path string, body any) (out map[string]any) {
	if *c.err != nil {
		return nil
	}
	out, err := c.try(method, path, body)
	if err != nil {
		*c.err = fmt.Errorf("%s %s: %w", method, path, err)
	}
	return out
}

func (c client) try(method, path string, body any) (out map[string]any, err error) {
	if body == nil {
		body = object{}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(c.ctx, method, "http://"+c.addr+"/v1"+path, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+c.keys[c.key])
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusTooManyRequests {
		if err := nextMinute(c.ctx); err != nil {
			return nil, err
		}
		return c.try(method, path, body)
	}
	if res.StatusCode >= 300 {
		return nil, fmt.Errorf("%d: %s", res.StatusCode, answer)
	}
	if len(answer) == 0 {
		return nil, nil
	}
	return out, json.Unmarshal(answer, &out)
}

// make creates something and tells its id.
func (c client) make(path string, body any) string {
	id, _ := c.send(http.MethodPost, path, body)["id"].(string)
	return id
}

// list reads a whole list.
func (c client) list(path string) (items []map[string]any) {
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	for next := path + sep + "limit=100"; *c.err == nil; {
		page := c.send(http.MethodGet, next, nil)
		data, _ := page["data"].([]any)
		for _, item := range data {
			items = append(items, item.(map[string]any))
		}
		cursor, more := page["next_cursor"].(string)
		if !more {
			break
		}
		next = path + sep + "limit=100&cursor=" + cursor
	}
	return items
}

// until waits for something that the service does.
func (c client) until(what string, done func() bool) {
	for deadline := time.Now().Add(quietLimit); *c.err == nil && !done(); {
		if time.Now().After(deadline) {
			*c.err = fmt.Errorf("not within %s: %s", quietLimit, what)
		}
		time.Sleep(300 * time.Millisecond)
	}
}

// ended waits for the end of tests or comparisons.
func (c client) ended(kind string, ids ...string) {
	for _, id := range ids {
		c.until("the end of "+id, func() bool { return c.send(http.MethodGet, kind+id, nil)["status"] != "running" })
	}
}

// quiet waits until everybody has taken in the log, and tells where it ends.
func (c client) quiet() (position int) {
	c.until("all have taken in the log", func() bool {
		r, err := http.NewRequestWithContext(c.ctx, http.MethodGet, "http://"+c.addr+"/readyz", nil)
		if err != nil {
			*c.err = err
			return false
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			*c.err = err
			return false
		}
		defer func() { _ = res.Body.Close() }()
		var is struct {
			LogPosition int `json:"log_position"`
			ReadModels  []struct {
				LagEvents int `json:"lag_events"`
			} `json:"read_models"`
			Reactors []struct {
				LagEvents int `json:"lag_events"`
			}
		}
		if *c.err = json.NewDecoder(res.Body).Decode(&is); *c.err != nil {
			return false
		}
		position = is.LogPosition
		for _, f := range append(is.ReadModels, is.Reactors...) {
			if f.LagEvents > 0 {
				return false
			}
		}
		return res.StatusCode == http.StatusOK && len(is.ReadModels) > 0 && len(is.Reactors) > 0
	})
	return position
}
