package patience

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPatienceIsAsLongAsTheMachineIsSlow(t *testing.T) {
	for pace, lasts := range map[float64]time.Duration{1: time.Second, 4: 4 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			measured.slowness, measured.at = pace, time.Now()
			p := For(time.Second)
			for range 3 {
				<-time.After(lasts / 4)
				if p.Lost() {
					t.Errorf("lost before %s at 1/%v of the speed", lasts, pace)
				}
			}
			<-time.After(lasts/4 + 1)
			if !p.Lost() {
				t.Errorf("not lost after %s at 1/%v of the speed", lasts, pace)
			}
		})
	}
	measured.slowness = 0
	if s := slowness(); s < 1 || s > slowest {
		t.Errorf("the machine is %v times slower than an idle one", s)
	}
}

func TestAWaitThatIsLostSaysSo(t *testing.T) {
	t.Parallel()
	if err := Until(t.Context(), time.Millisecond, func() bool { return false }); err == nil || !strings.Contains(err.Error(), "1ms on an idle machine") {
		t.Errorf("a wait for what never comes: %v", err)
	}
	ctx, cancel := Context(t.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the context ended with %v", err)
	}
}
