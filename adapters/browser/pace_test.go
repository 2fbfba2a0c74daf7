package browser

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	bound "understudy/test/patience"
)

// beating is a pace whose last beats were late by so much.
func beating(now time.Time, lates ...time.Duration) *pace {
	p := &pace{due: now}
	for _, l := range lates {
		p.note(p.due.Add(l), 0)
	}
	return p
}

func TestWaitsGrowWithTheLatenessOfTheMachine(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	every := func(late time.Duration, n int) (out []time.Duration) {
		for range n {
			out = append(out, late)
		}
		return out
	}
	began := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		lates   []time.Duration
		overdue time.Duration
		last    time.Duration
		want    float64
	}{
		"nothing is known":               {nil, 0, time.Second, 1},
		"an idle machine":                {every(200*time.Microsecond, 40), 0, time.Second, 1},
		"beside work of lower priority":  {every(2*ms, 40), 0, time.Second, 1},
		"twice as late":                  {every(8*ms, 400), 0, 10 * time.Second, 2},
		"later than can be waited for":   {every(400*ms, 40), 0, time.Second, slowest},
		"what is long past":              {append(every(400*ms, 40), every(0, 100)...), 0, time.Second, 1},
		"what a long act has seen":       {append(every(80*ms, 30), every(0, 30)...), 0, 10 * time.Second, slowest},
		"a beat that has yet to come":    {every(0, 40), 3 * time.Second, time.Second, slowest},
		"more beats than are remembered": {every(0, 2000), 0, time.Hour, 1},
	} {
		p := beating(began, c.lates...)
		got := p.at(p.due.Add(c.overdue), c.last)
		if got < c.want*0.9 || got > c.want*1.1 {
			t.Errorf("%s: waits are %.2f times as long, not %v", name, got, c.want)
		}
	}
}

func TestACrowdLeavesEachAPartOfACore(t *testing.T) {
	t.Parallel()
	cores := runtime.NumCPU()
	for name, c := range map[string]struct {
		ready []int // newest last
		last  time.Duration
		want  float64
		share float64
	}{
		"nothing is known":         {nil, time.Second, 1, 1},
		"room for all":             {slices.Repeat([]int{cores}, 40), time.Second, 1, 1},
		"two for each core":        {slices.Repeat([]int{2 * cores}, 400), 10 * time.Second, 2, 0.5},
		"more than is waited for":  {slices.Repeat([]int{50 * cores}, 40), time.Second, tooLate, 0.02},
		"what is long past":        {append(slices.Repeat([]int{50 * cores}, 40), slices.Repeat([]int{0}, 40)...), time.Second, 1, 1},
		"half of a long act":       {append(slices.Repeat([]int{4 * cores}, 100), slices.Repeat([]int{0}, 100)...), 10 * time.Second, 2, 0.625},
		"more than are remembered": {slices.Repeat([]int{2 * cores}, 2000), time.Hour, 2, 0.5},
	} {
		p := &pace{}
		p.start.Do(func() {}) // only what is noted here
		for _, n := range c.ready {
			p.note(time.Time{}, n)
		}
		if got := p.crowd(c.last); got < c.want*0.9 || got > c.want*1.1 {
			t.Errorf("%s: %.2f share a core, not %v", name, got, c.want)
		}
		if got := p.share(c.last); got < c.share*0.9 || got > c.share*1.1 {
			t.Errorf("%s: each has %.3f of a core, not %v", name, got, c.share)
		}
	}
}

func TestWhatThePageIsNotToBlameForIsLeftOut(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		wait        waited
		pace, share float64
		want        time.Duration
	}{
		"an idle machine":                  {waited{300 * ms, 0, 0}, 1, 1, 300 * ms},
		"a page that waits for its server": {waited{6000 * ms, 40 * ms, 5500 * ms}, 1, 1, 5960 * ms},
		"a browser that waits for a core":  {waited{3296 * ms, 3139 * ms, 0}, 1, 1, 157 * ms},
		"timers that are late":             {waited{3000 * ms, 0, 0}, 3, 1, 1000 * ms},
		"both":                             {waited{3000 * ms, 2500 * ms, 0}, 3, 1, 500 * ms},
		"a page among others":              {waited{5000 * ms, 300 * ms, 80 * ms}, 1, 0.4, 2000 * ms},
		"its server among others":          {waited{6000 * ms, 300 * ms, 5200 * ms}, 1, 0.4, 5200 * ms},
	} {
		if got := c.wait.unhurried(c.pace, c.share); got != c.want {
			t.Errorf("%s: the page took %s, not %s", name, got, c.want)
		}
	}
}

func TestAProcessThatWaitsForACoreIsSeenTo(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip("this system does not tell: ", err)
	}
	var pids []int
	for range 2 * runtime.NumCPU() {
		busy := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = busy.Process.Kill(); _ = busy.Wait() })
		pids = append(pids, busy.Process.Pid)
	}
	bound.Eventually(t, 10*time.Second, "half a second in line", func() bool {
		return slices.ContainsFunc(pids, func(pid int) bool { return queued(pid) > 500*time.Millisecond })
	})
}

// PagesOf is how many processes of pages are known of a session's browser, for tests of what
// it shows.
func PagesOf(s *Session) int { return len(s.engine.queues()) - 2 }

// TooLate makes a browser take its machine for as late as can be, for tests of what is made of
// that.
func TooLate(b *Browser) { b.pace.start.Do(func() {}) }
