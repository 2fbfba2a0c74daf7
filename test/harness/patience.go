// Package harness is the middle between the programs that test the service and
// the service: it starts and ends the real program, calls its interface,
// receives its webhooks, and knows how long to wait for all of that on a
// machine that is slow or has other work. Its parts return errors, for
// programs; testing.go has what tests take on top.
package harness

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
)

const (
	// effort is the work that is timed, and idle how long it takes on an idle
	// core of the machine that the limits were written on.
	effort = 16 << 20
	idle   = 21 * time.Millisecond
	// slowest bounds the patience: a machine slower than that is broken.
	slowest = 12
	// measuredFor is how long a measurement is good for.
	measuredFor = 5 * time.Second
	// look is how often what is waited for is looked at, at most.
	look = 100 * time.Millisecond
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

// Lost reports whether the wait is over. It has to be asked again and again,
// and takes what passed since it was asked last for as slow as now.
func (p *Patience) Lost() bool {
	pace, now := slowness(), time.Now()
	p.left -= time.Duration(float64(now.Sub(p.last)) / pace)
	p.last = now
	return p.left <= 0
}

// Context ends with an error that says so when a patience is lost.
func Context(parent context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	began, patience := time.Now(), For(within)
	ticks := time.NewTicker(max(look, min(within/8, measuredFor)))
	go func() {
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				if patience.Lost() {
					cancel(fmt.Errorf("%w: %s here, %s on an idle machine", context.DeadlineExceeded, time.Since(began).Round(time.Second), within))
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Until waits until a condition holds, with the patience for within.
func Until(ctx context.Context, within time.Duration, cond func() bool) error {
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	for patience, began := For(within), time.Now(); !cond(); {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if patience.Lost() && !cond() {
			return fmt.Errorf("not within %s, for which an idle machine has %s", time.Since(began).Round(time.Second), within)
		}
	}
	return nil
}
