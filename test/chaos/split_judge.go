package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// judge lets the service finish in peace and holds it against what was acknowledged.
func (t *splitTrial) judge(ctx context.Context) error {
	for _, m := range t.members {
		if err := m.clock.set(0); err != nil {
			return err
		}
	}
	findings, err := t.load.settle(ctx)
	of, failed := t.live.settle(ctx)
	if err := errors.Join(t.nodeClock.set(0), err, failed); err != nil {
		return err
	}
	findings = append(findings, of...)
	c := t.apis[0].Sandbox()
	promised := map[promise]int{}
	for _, id := range t.load.acknowledged() {
		if err := promises(ctx, c, id, t.endpoints, promised); err != nil {
			return err
		}
	}
	records, err := settled(ctx, c, t.endpoints, t.out)
	if err != nil {
		return err
	}
	t.hook.mu.Lock()
	r := (&receipts{several: true}).judge(promised, records, t.hook.requests)
	t.hook.mu.Unlock()
	findings = append(findings, r.findings...)
	leader := t.members[len(t.apis)]
	check := leader.Command(ctx, "audit", "check")
	check.Env = append(check.Env, leader.Env...)
	if said, err := check.CombinedOutput(); err != nil {
		findings = append(findings, fmt.Sprintf("audit check: %v: %s", err, said))
	}
	findings = append(findings, t.stop()...)
	for i, f := range findings {
		if i == 50 {
			fmt.Fprintf(t.out, "BROKEN: and %d more\n", len(findings)-i)
			break
		}
		fmt.Fprintln(t.out, "BROKEN:", f)
	}
	t.report(r)
	if len(findings) > 0 || t.hook.Forged() > 0 {
		return errBroken
	}
	return t.slowness()
}

// recovered notes how long after the n-th fault, of so many parts, a new test was walked.
func (t *splitTrial) recovered(n int, name string, parts int, took time.Duration) {
	if took > t.recovery {
		t.slow = append(t.slow, fmt.Sprintf("fault %d, %s: a new test was walked %s after it", n, name, took.Round(time.Millisecond)))
	}
	if parts > 1 {
		t.twice++
		name = "two at once"
	}
	t.recoveries[name] = append(t.recoveries[name], took)
}

// slowness is an error where a recovery took too long.
func (t *splitTrial) slowness() error {
	if len(t.slow) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", errSlow, strings.Join(t.slow, "; "))
}

// stop ends every process in good order, and finds those that do not leave so.
func (t *splitTrial) stop() (findings []string) {
	ends := make([]error, len(t.members))
	var all sync.WaitGroup
	for i, m := range t.members {
		all.Go(func() { ends[i] = m.Stop() })
	}
	all.Wait()
	for i, err := range ends {
		if err != nil {
			findings = append(findings, fmt.Sprintf("%v: %v", t.members[i].Args, err))
		}
	}
	return findings
}

// report tells the figures of the run.
func (t *splitTrial) report(r *receipts) {
	var all []time.Duration
	fmt.Fprintln(t.out)
	for _, name := range slices.Sorted(maps.Keys(t.recoveries)) {
		some := slices.Sorted(slices.Values(t.recoveries[name]))
		all = append(all, some...)
		fmt.Fprintf(t.out, "%-30s %3d times, a new test is walked after %s (median), %s (longest)\n", name, len(some),
			some[len(some)/2].Round(10*time.Millisecond), some[len(some)-1].Round(10*time.Millisecond))
	}
	slices.Sort(all)
	if t.other != "" {
		fmt.Fprintf(t.out, "\n%d starts of %s, %d of %s\n", t.starts[t.binary], t.binary, t.starts[t.other], t.other)
	}
	tests, cancelled, tries := t.load.figures()
	live, liveCancelled, liveTries := t.live.figures()
	fmt.Fprintf(t.out, `
faults                         %d
  two parts at once            %d of them
tests acknowledged             %d, %d of them cancelled; %d requests got no answer or 5xx and were made again
tests in real browsers         %d, %d of them cancelled; %d requests were made again
deliveries                     %d, in %d requests, %d of them retries of what was refused
lost                           %d
wrong verdicts                 %d
sent again                     %d, with the same webhook-id and body
without a valid signature      %d
recovery                       median %s, p95 %s, longest %s; %d of %d over %s
seed                           %d, took %s
`, len(all), t.twice, tests, cancelled, tries, live, liveCancelled, liveTries, r.deliveries, r.requests, r.retries,
		r.lost+t.load.lost+t.live.lost, t.load.wrong+t.live.wrong, r.duplicated, t.hook.Forged(),
		all[len(all)/2].Round(10*time.Millisecond), all[len(all)*95/100].Round(10*time.Millisecond), all[len(all)-1].Round(10*time.Millisecond),
		len(t.slow), len(all), t.recovery, t.seed, time.Since(t.began).Round(time.Second))
}
