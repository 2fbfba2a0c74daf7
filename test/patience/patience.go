// Package patience knows how long to wait on a machine that is slow or has
// other work: a bound is what an idle machine may take, and is multiplied by
// how much slower this one is found to be when the time comes.
package patience

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

const (
	// effort is the work that is timed, and idle how long it takes on an idle
	// core of the machine that the limits were written on.
	effort = 16 << 20
	idle   = 21 * time.Millisecond
	// slowest bounds the patience: a machine slower than that is broken.
	slowest = 25
	// measuredFor is how long a measurement is good for.
	measuredFor = 5 * time.Second
	// soonest and latest bound how often what is waited for is looked at; between
	// them it is an eighth of the time that has passed.
	soonest, latest = time.Millisecond, 100 * time.Millisecond
)

var measured struct {
	sync.Mutex
	slowness float64
	at       time.Time
}

// slowness is how many times longer than on an idle machine work takes now,
// from asking for it on every core to having it: what else runs counts, and
// what the cores are. It is never below 1.
func slowness() float64 {
	measured.Lock()
	defer measured.Unlock()
	if measured.slowness > 0 && time.Since(measured.at) < measuredFor {
		return measured.slowness
	}
	began := time.Now()
	var cores sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		cores.Go(toil)
	}
	cores.Wait()
	measured.at = time.Now()
	measured.slowness = min(max(1, float64(measured.at.Sub(began))/float64(idle)), slowest)
	return measured.slowness
}

// toil reads and writes memory, so that under the race detector it is as much
// slower as the rest.
func toil() {
	var table [4096]uint32
	for i, x := 0, uint32(1); i < effort; i++ {
		x = x*1664525 + 1013904223
		table[x>>20] += x
	}
}

// Scaled is what the machine, as slow as it is now, may take for what an idle one
// does within a time. To be asked before what is measured begins.
func Scaled(within time.Duration) time.Duration {
	return time.Duration(float64(within) * slowness())
}

// Patience is what is left of a wait. Time counts for less while the machine is
// slow: what would be there within a second on an idle one gets a second's
// worth of work, however long that takes.
type Patience struct {
	left time.Duration
	last time.Time
}

// For is the patience for what an idle machine does within a time.
func For(within time.Duration) *Patience { return &Patience{within, time.Now()} }

// Lost reports whether the wait is over. It has to be asked again and again, or
// once at the end, and takes what passed since it looked last for as slow as
// now. Where nothing can have been lost yet it does not look: to measure is work.
func (p *Patience) Lost() bool {
	if time.Since(p.last) < min(p.left, measuredFor) {
		return false
	}
	pace, now := slowness(), time.Now()
	p.left -= time.Duration(float64(now.Sub(p.last)) / pace)
	p.last = now
	return p.left <= 0
}

// Context ends with an error that says so when a patience is lost. It has no
// deadline, because nobody knows it yet, and no goroutine of its own.
func Context(parent context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	began, patience := time.Now(), For(within)
	every := max(latest, min(within/8, measuredFor))
	var again *time.Timer
	again = time.AfterFunc(time.Hour, func() {
		switch {
		case ctx.Err() != nil:
		case patience.Lost():
			cancel(lost(began, within))
		default:
			again.Reset(every)
		}
	})
	again.Reset(every)
	return ctx, func() { again.Stop(); cancel(nil) }
}

func lost(began time.Time, within time.Duration) error {
	return fmt.Errorf("%w: %s here, %s on an idle machine", context.DeadlineExceeded, time.Since(began).Round(time.Second), within)
}

// Until waits until a condition holds, with the patience for within.
func Until(ctx context.Context, within time.Duration, cond func() bool) error {
	again := time.NewTimer(soonest)
	defer again.Stop()
	for patience, began := For(within), time.Now(); !cond(); {
		select {
		case <-again.C:
			again.Reset(min(max(soonest, time.Since(began)/8), latest))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if patience.Lost() && !cond() {
			return lost(began, within)
		}
	}
	return nil
}

// Eventually is Until that must succeed. The condition may end the test itself.
func Eventually(t testing.TB, within time.Duration, what string, cond func() bool) {
	t.Helper()
	if err := Until(context.Background(), within, cond); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// Receive is what comes over a channel, or its zero value once it is closed, and
// must come with the patience for within.
func Receive[T any](t testing.TB, within time.Duration, what string, from <-chan T) (v T) {
	t.Helper()
	again := time.NewTicker(latest)
	defer again.Stop()
	for patience, began := For(within), time.Now(); ; {
		select {
		case v = <-from:
			return v
		case <-again.C:
		}
		if patience.Lost() {
			t.Fatalf("%s: %v", what, lost(began, within))
		}
	}
}
