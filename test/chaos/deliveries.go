package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

const (
	// hookEndpoints is how many endpoints every event is delivered to.
	hookEndpoints = 20
	// hookSessions is the number of sessions of a test: so many progress
	// messages at most, beside those of its start, its gate and its end.
	hookSessions = 5
	// settleLimit bounds the wait for the last deliveries, some of which are
	// refused twice and so take 35 s.
	settleLimit = 3 * time.Minute
)

// deliveriesTrial is one run of the trial "deliveries".
type deliveriesTrial struct {
	settings
	out     io.Writer
	random  *rand.Rand
	began   time.Time
	service *harness.Service
	starts  []time.Duration
	hook    *hook

	endpoints map[string]string // path by webhook id
	tests     []string
	asked     int // tests, those included whose creation was not answered
	killed    int
}

// tryDeliveries kills the whole service again and again while it delivers, and
// holds what arrived against what happened.
func tryDeliveries(ctx context.Context, s settings, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		return err
	}
	t := &deliveriesTrial{
		settings: s, out: out, random: rand.New(rand.NewPCG(s.seed, 1)), began: time.Now(), hook: newHook(), endpoints: map[string]string{},
		service: &harness.Service{Binary: s.binary, Dir: dir, Env: []string{harness.Loopback, harness.Quiet}},
	}
	defer t.hook.Close()
	defer func() {
		err = errors.Join(err, t.service.Kill())
		if s.keep || errors.Is(err, errBroken) {
			fmt.Fprintln(out, "the directory stays:", dir)
			return
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	if err := t.service.Start(ctx); err != nil {
		return err
	}
	if err := t.register(ctx); err != nil {
		return err
	}
	for began := time.Now(); s.goesOn(t.killed, began); {
		if err := t.life(ctx); err != nil {
			return err
		}
	}
	r, err := t.settle(ctx)
	if err != nil {
		return err
	}
	t.report(r)
	if len(r.findings) > 0 || t.hook.Forged() > 0 {
		return errBroken
	}
	return nil
}

func (t *deliveriesTrial) register(ctx context.Context) error {
	for i := range hookEndpoints {
		path := fmt.Sprintf("/endpoint/%d", i)
		id, err := t.service.Sandbox().Register(ctx, t.hook.URL+path, hookSecret)
		if err != nil {
			return err
		}
		t.endpoints[id] = path
	}
	return nil
}

// life lets the service work, kills it at a random moment and starts it again.
func (t *deliveriesTrial) life(ctx context.Context) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	var failed error
	was := t.hook.seen()
	want := was + (t.deliveries+t.kills-1)/t.kills // so that no life is idle, however fast the one before was
	group.Go(func() { failed = t.work(working, want) })
	lasted := time.Duration(t.random.Int64N(int64(t.within)))
	select {
	case <-time.After(lasted):
	case <-t.service.Exited():
		return fmt.Errorf("the service ended by itself: %s", t.service.Tail())
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := t.service.Kill(); err != nil {
		return err
	}
	stop()
	group.Wait()
	if failed != nil {
		return failed
	}
	t.killed++
	if err := t.hook.nextLife(ctx); err != nil {
		return err
	}
	if err := t.service.Start(ctx); err != nil {
		return err
	}
	t.starts = append(t.starts, t.service.Startup)
	fmt.Fprintf(t.out, "kill %s, %4d ms after the start: %5d deliveries begun, %d in all; %d tests; started again in %s\n", t.of(t.killed),
		lasted.Milliseconds(), t.hook.seen()-was, t.hook.seen(), len(t.tests), t.service.Startup.Round(time.Millisecond))
	return nil
}

// work creates tests until so many deliveries have begun in all, or ctx ends. A test
// whose creation got no answer is asked for again, with the same key, however many have.
func (t *deliveriesTrial) work(ctx context.Context, deliveries int) error {
	for ctx.Err() == nil && (t.hook.seen() < deliveries || t.asked > len(t.tests)) {
		if t.asked == len(t.tests) {
			t.asked++
		}
		made, _, err := t.service.Sandbox().Create(ctx, harness.SignUp(hookSessions), "Idempotency-Key", fmt.Sprintf("chaos-%d-%d", t.seed, t.asked))
		var refused *harness.Refused
		switch {
		case errors.As(err, &refused) && ctx.Err() == nil:
			return err
		case err != nil:
			return nil //nolint:nilerr // killed meanwhile: the next life asks again
		}
		t.tests = append(t.tests, made.ID)
		if err := t.begun(ctx, len(t.tests)); err != nil {
			return nil //nolint:nilerr // the end of ctx
		}
	}
	return nil
}

// begun waits until the last of n tests has begun to be delivered to everyone, so that the next
// one is created only when it is needed.
func (t *deliveriesTrial) begun(ctx context.Context, n int) error {
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for t.hook.seen() < n*hookEndpoints {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// settle lets the service finish in peace, reads what it has recorded and
// judges what arrived.
func (t *deliveriesTrial) settle(ctx context.Context) (*receipts, error) {
	ctx, cancel := patience.Context(ctx, settleLimit)
	defer cancel()
	if err := t.work(ctx, t.deliveries); err != nil {
		return nil, err
	}
	promised := map[promise]int{}
	for _, id := range t.tests {
		if err := promises(ctx, t.service.Sandbox(), id, t.endpoints, promised); err != nil {
			return nil, err
		}
	}
	recorded, err := settled(ctx, t.service.Sandbox(), t.endpoints, t.out)
	if err != nil {
		return nil, err
	}
	if err := t.service.Stop(); err != nil {
		return nil, err
	}
	t.hook.mu.Lock()
	defer t.hook.mu.Unlock()
	return judge(promised, recorded, t.hook.requests), nil
}

// report tells the figures of the run.
func (t *deliveriesTrial) report(r *receipts) {
	for i, f := range r.findings {
		if i == 50 {
			fmt.Fprintf(t.out, "BROKEN: and %d more\n", len(r.findings)-i)
			break
		}
		fmt.Fprintln(t.out, "BROKEN:", f)
	}
	starts := slices.Sorted(slices.Values(t.starts))
	fmt.Fprintf(t.out, `
kills                          %d
deliveries                     %d (%d tests, %d endpoints)
requests                       %d, %d of them retries of what was refused
lost                           %d
duplicated                     %d, with the same webhook-id and body
  in flight at a kill          %d of them
without a valid signature      %d
start after a kill             median %s, longest %s
seed                           %d, took %s
`, t.killed, r.deliveries, len(t.tests), hookEndpoints, r.requests, r.retries, r.lost, r.duplicated, r.inFlight, t.hook.Forged(),
		starts[len(starts)/2].Round(time.Millisecond), starts[len(starts)-1].Round(time.Millisecond),
		t.seed, time.Since(t.began).Round(time.Second))
}
