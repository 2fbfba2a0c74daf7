package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"understudy/test/harness"
	"understudy/test/sites"
)

const (
	postAim = "p99 < 50 ms"
	// oneLimit bounds a test of one session.
	oneLimit = time.Minute
)

// measureRequests times POST /tests beside what it is made of: a request that
// does nothing, and one durable append.
func measureRequests(ctx context.Context, b *bench) error {
	return b.with(ctx, "requests", func(s *service) error {
		const section = "requests"
		var health times
		for range b.n(1000) {
			took, err := harness.Client{}.Call(ctx, http.MethodGet, "http://"+s.Addr+"/healthz", nil, nil)
			if err != nil {
				return err
			}
			health = append(health, took)
		}
		b.table.add(section, "GET /healthz", health.spread(), "", "the baseline of a request")

		quiet, err := postOneByOne(ctx, s.Sandbox(), harness.SignUp(1), b.n(300))
		if err != nil {
			return err
		}
		b.table.add(section, "POST /tests, sandbox, one at a time", quiet.spread(), postAim, b.ratio(quiet, health))
		burst, err := postBackToBack(ctx, s.Sandbox(), harness.SignUp(1), b.n(300))
		if err != nil {
			return err
		}
		b.table.add(section, "POST /tests, sandbox, back to back", burst.spread(), "", "the sessions of the earlier ones run meanwhile")

		address, stop, err := sites.Serve(ctx, sites.SaaS, sites.Options{})
		if err != nil {
			return err
		}
		defer stop()
		live, err := postOneByOne(ctx, s.Live(), map[string]any{"url": address + "/", "task": "Sign up for a free trial", "sessions": 1}, b.n(100))
		if err != nil {
			return err
		}
		b.table.add(section, "POST /tests, live, one at a time", live.spread(), postAim, b.ratio(live, health))
		return nil
	})
}

// ratio tells how many times the baselines a median is.
func (b *bench) ratio(t, health times) string {
	note := fmt.Sprintf("n=%d; p50 is %.1f× GET /healthz", len(t), float64(t.at(0.5))/float64(health.at(0.5)))
	if b.appendP50 > 0 {
		note += fmt.Sprintf(", %.1f× one durable append", float64(t.at(0.5))/float64(b.appendP50))
	}
	return note
}

// postOneByOne times n POSTs, each made when the test of the one before is
// over: a live one is cancelled at once, for its walk is not what is measured.
func postOneByOne(ctx context.Context, c harness.Client, body map[string]any, n int) (out times, err error) {
	for range n {
		t, took, err := c.Create(ctx, body)
		if err != nil {
			return nil, err
		}
		out = append(out, took)
		if body["url"] != harness.SignUp(1)["url"] {
			if _, err := c.Call(ctx, http.MethodDelete, "/tests/"+t.ID, nil, nil); err != nil {
				return nil, err
			}
		}
		if _, err := await(ctx, c, t.ID, 100*time.Millisecond, oneLimit, harness.Test.Ended); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// postBackToBack times n POSTs, each made when the answer of the one before is
// there, and waits for the last one's test.
func postBackToBack(ctx context.Context, c harness.Client, body map[string]any, n int) (out times, err error) {
	var last harness.Test
	for range n {
		t, took, err := c.Create(ctx, body)
		if err != nil {
			return nil, err
		}
		out, last = append(out, took), t
	}
	_, err = await(ctx, c, last.ID, 100*time.Millisecond, oneLimit, harness.Test.Ended)
	return out, err
}
