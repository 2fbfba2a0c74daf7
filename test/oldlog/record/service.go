package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"understudy/test/harness"
	"understudy/test/oldlog"
	"understudy/test/patience"
)

// quietLimit is more than the 5 min 35 s after which a delivery is given up.
const quietLimit = 9 * time.Minute

// start starts the program on an installation, whose data is in dir/data, and
// waits until it serves.
func start(ctx context.Context, binary, dir string) (*harness.Service, error) {
	s := &harness.Service{Binary: binary, Dir: dir, Env: append([]string{harness.Loopback, harness.Quiet}, oldlog.Settings...)}
	return s, s.Start(ctx)
}

// client uses the service with one key. Its first failure is kept, and nothing
// is sent after it.
type client struct {
	harness.Client
	service *harness.Service
	ctx     context.Context
	key     string // live or test
	err     *error
}

// clients are one for each environment.
func clients(ctx context.Context, s *harness.Service, failure *error) (live, sandbox client) {
	return client{s.Live(), s, ctx, "live", failure}, client{s.Sandbox(), s, ctx, "test", failure}
}

func (c client) send(method, path string, body any) (out map[string]any) {
	if *c.err != nil {
		return nil
	}
	if body == nil {
		body = object{}
	}
	_, *c.err = c.Call(c.ctx, method, path, body, &out)
	return out
}

// make creates something and tells its id.
func (c client) make(path string, body any) string {
	id, _ := c.send(http.MethodPost, path, body)["id"].(string)
	return id
}

// list reads a whole list.
func (c client) list(path string) (items []map[string]any) {
	if *c.err == nil {
		items, *c.err = harness.All[map[string]any](c.ctx, c.Client, path)
	}
	return items
}

// until waits for something that the service does.
func (c client) until(what string, done func() bool) {
	err := patience.Until(c.ctx, quietLimit, func() bool { return *c.err != nil || done() })
	if err != nil && *c.err == nil {
		*c.err = fmt.Errorf("%s: %w", what, err)
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
	c.until("all have taken in the log", func() (all bool) {
		position, all, *c.err = c.service.TakenIn(c.ctx)
		return all
	})
	return position
}
