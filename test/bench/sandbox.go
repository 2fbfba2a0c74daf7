package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"understudy/domain/scoring"
	"understudy/test/harness"
)

const (
	fewSessions  = 100
	manySessions = 10_000
	// manyLimit bounds the wait for a test of many sessions.
	manyLimit = 20 * time.Minute
	// pollEvery keeps well within the 1,000 requests a minute of the Team plan.
	pollEvery = 100 * time.Millisecond
)

// measureSandbox finds out what a simulated session costs, whether it costs
// more in a large test, and what such a test does to everything beside it.
func measureSandbox(ctx context.Context, b *bench) error {
	return b.with(ctx, "sandbox", func(s *service) error {
		c := s.Sandbox()
		hook := harness.Receive(hookSecret, nil)
		defer hook.Close()
		if _, err := c.Register(ctx, hook.URL, hookSecret, "test.started", "test.progress"); err != nil {
			return err
		}
		// The first test draws the pictures and films that all share.
		if _, err := walkAll(ctx, s, fewSessions); err != nil {
			return err
		}
		var small cost
		const repeats = 5
		for range repeats {
			one, err := walkAll(ctx, s, fewSessions)
			if err != nil {
				return err
			}
			small.add(one)
		}
		b.table.add("sandbox", "session in a test of 100", small.each(repeats*fewSessions), "", fmt.Sprintf("mean of %d tests; %s", repeats, small.cpu.shares(repeats*fewSessions)))
		many := b.n(manySessions)
		large, err := walkAll(ctx, s, many)
		if err != nil {
			return err
		}
		b.table.add("sandbox", fmt.Sprintf("session in a test of %d", many), large.each(many), "no higher than at 100",
			fmt.Sprintf("%.2f× the wall time, %.2f× the CPU; %s; the test took %s",
				large.wall.Seconds()/float64(many)/small.wall.Seconds()*repeats*fewSessions,
				large.cpu.sum().Seconds()/float64(many)/small.cpu.sum().Seconds()*repeats*fewSessions,
				large.cpu.shares(many), short(large.wall)))
		late := latencies(hook, large.testID)
		b.table.add("sandbox", "  its webhooks, from event to receiver", late.spread(), "not behind its sessions", fmt.Sprintf("%d deliveries of test.started and test.progress", len(late)))
		if err := reportOn(ctx, b, s, large.testID, many); err != nil {
			return err
		}
		if err := measureBeside(ctx, b, s, large.testID, many); err != nil {
			return err
		}
		return cancelInTheMiddle(ctx, b, s, hook, many)
	}, "UNDERSTUDY_PLANS=team=1000000/unlimited") // who waits for a session to be shown asks often
}

// reportOn times the report of a large test: the one that is there, and others
// that are made of all its sessions again, by every criterion.
func reportOn(ctx context.Context, b *bench, s *service, testID string, sessions int) error {
	const repeats = 5
	var made, read times
	for range repeats {
		took, err := s.Sandbox().Call(ctx, http.MethodPost, "/tests/"+testID+"/reports", map[string]any{"criteria": scoring.Criteria}, nil)
		if err != nil {
			return err
		}
		made = append(made, took)
		if took, err = s.Sandbox().Call(ctx, http.MethodGet, "/tests/"+testID+"/report", nil, nil); err != nil {
			return err
		}
		read = append(read, took)
	}
	b.table.add("sandbox", fmt.Sprintf("a report of %d sessions made anew", sessions), short(made.at(0.5)), "< 2 s",
		fmt.Sprintf("median of %d, the longest %s; %d criteria; GET of the test's report %s", repeats, short(made.at(1)), len(scoring.Criteria), short(read.at(0.5))))
	return nil
}

// cost is what something took.
type cost struct {
	testID string
	wall   time.Duration
	cpu    computed
}

func (c *cost) add(other cost) { c.wall, c.cpu = c.wall+other.wall, c.cpu.add(other.cpu) }

// each is the cost of one of n.
func (c *cost) each(n int) string {
	return fmt.Sprintf("%s wall, %s CPU", short(c.wall/time.Duration(n)), short(c.cpu.sum()/time.Duration(n)))
}

// walkAll runs a test to its report, and others beside it until then.
func walkAll(ctx context.Context, s *service, sessions int, beside ...func(context.Context, harness.Test) error) (cost, error) {
	before, err := s.cpu()
	if err != nil {
		return cost{}, err
	}
	began := time.Now()
	t, _, err := s.Sandbox().Create(ctx, harness.SignUp(sessions))
	if err != nil {
		return cost{}, err
	}
	g, gctx := errgroup.WithContext(ctx)
	meanwhile, stop := context.WithCancel(gctx)
	for _, work := range beside {
		g.Go(func() error { return work(meanwhile, t) })
	}
	g.Go(func() error {
		defer stop()
		return completed(gctx, s.Sandbox(), t.ID, pollEvery, manyLimit)
	})
	if err := g.Wait(); err != nil {
		return cost{}, err
	}
	took := time.Since(began)
	after, err := s.cpu()
	return cost{t.ID, took, after.minus(before)}, err
}

// cancelInTheMiddle ends a large test when a third of its sessions have been
// walked, and starts a small one at once: what it waits for is what the
// cancellation of the many keeps busy.
func cancelInTheMiddle(ctx context.Context, b *bench, s *service, hook *harness.Receiver, many int) error {
	c := s.Sandbox()
	large, _, err := c.Create(ctx, harness.SignUp(many))
	if err != nil {
		return err
	}
	if _, err := await(ctx, c, large.ID, pollEvery, manyLimit, func(t harness.Test) bool {
		return t.Ended() || 3*t.SessionsCompleted >= t.SessionsTotal
	}); err != nil {
		return err
	}
	began := time.Now()
	answered, err := c.Call(ctx, http.MethodDelete, "/tests/"+large.ID, nil, nil)
	if err != nil {
		return err
	}
	at, err := await(ctx, c, large.ID, pollEvery, manyLimit, harness.Test.Ended)
	if err != nil {
		return err
	}
	shown := time.Since(began)
	beside, _, err := c.Create(ctx, harness.SignUp(1))
	if err != nil {
		return err
	}
	posted := time.Now()
	if err := completed(ctx, c, beside.ID, pollEvery, manyLimit); err != nil {
		return err
	}
	done := time.Since(posted)
	if err := nothingQueued(ctx, c, large.ID); err != nil {
		return err
	}
	const section = "sandbox"
	b.table.add(section, "DELETE in the middle, until GET says cancelled", short(shown), "< 1 s",
		fmt.Sprintf("answered in %s, at %d of %d sessions", short(answered), at.SessionsCompleted, many))
	b.table.add(section, "  until its last session is cancelled", short(time.Since(began)), "", "")
	b.table.add(section, "  a test of 1 session posted right after", short(done), "", "until it is completed")
	b.table.add(section, "  its webhooks, from event to receiver", latencies(hook, beside.ID).spread(), "not behind the sessions", "")
	return nil
}

// nothingQueued waits until no session of a test is left to be walked.
func nothingQueued(ctx context.Context, c harness.Client, testID string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, manyLimit, fmt.Errorf("sessions of %s are still not cancelled", testID))
	defer cancel()
	for _, status := range []string{"running", "queued"} {
		for {
			var page struct{ Data []struct{} }
			if _, err := c.Call(ctx, http.MethodGet, "/tests/"+testID+"/sessions?limit=1&status="+status, nil, &page); err != nil {
				return err
			}
			if len(page.Data) == 0 {
				break
			}
			select {
			case <-time.After(pollEvery):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}
