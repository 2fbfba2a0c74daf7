package runner

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/projections/worklist"
)

const mb = 1 << 20

// machine has so much memory, of which sessions hold what they hold.
type machine struct {
	free, held int64
	sessions   int
	silent     bool
}

func (m *machine) memory(log *bytes.Buffer) *Memory {
	return &Memory{
		Free: func() (int64, bool) { return m.free, !m.silent }, Held: func() (int64, int) { return m.held, m.sessions },
		Least: 100 * mb, Logger: slog.New(slog.NewTextHandler(log, nil)),
	}
}

// walking begins n sessions that go on until the test ends.
func walking(t *testing.T, m *Memory, n int) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	do := m.Walk(func(ctx context.Context, _ worklist.Item) (uint64, error) {
		<-ctx.Done()
		return 0, nil
	})
	for range n {
		go func() { _, _ = do(ctx, worklist.Item{}) }()
	}
	synctest.Wait()
	t.Cleanup(end)
}

func TestSessionsBeginOnlyWhereThereIsMemoryForThem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		machine
		underWay, want int
	}{
		"none under way":              {machine{free: 450 * mb}, 0, 4},
		"too little for one":          {machine{free: 99 * mb}, 0, 0},
		"begun, and nothing held yet": {machine{free: 450 * mb}, 3, 1},
		"what they hold is theirs":    {machine{free: 150 * mb, held: 300 * mb, sessions: 3}, 3, 1},
		"more than is reckoned":       {machine{free: 450 * mb, held: 600 * mb, sessions: 3}, 3, 2},
		"short since they began":      {machine{free: 50 * mb, held: 60 * mb, sessions: 3}, 3, 0},
		"the system does not tell":    {machine{silent: true}, 3, math.MaxInt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				m := c.memory(&log)
				walking(t, m, c.underWay)
				if got := m.More(); got != c.want {
					t.Errorf("%d more may begin, want %d", got, c.want)
				}
			})
		})
	}
}

func TestWhatASessionHasHeldIsRememberedForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		on := &machine{free: 1000 * mb, held: 1000 * mb, sessions: 2}
		m := on.memory(&log)
		if got := m.Needs(); got != 500*mb {
			t.Errorf("a session needs %d MB where two hold 1000", got/mb)
		}
		on.held, on.sessions = 0, 0
		for range 5 {
			<-time.After(time.Minute)
			if got := m.More(); got != 2 {
				t.Errorf("%d may begin where the last held 500 of 1000 MB each", got)
			}
		}
		for range 7 {
			<-time.After(time.Minute)
			m.More()
		}
		if got := m.Needs(); got != 100*mb {
			t.Errorf("a session needs %d MB long after the heavy ones", got/mb)
		}
	})
}

func TestTheLogTellsOfALackOfMemoryOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		on := &machine{free: 30 * mb}
		m := on.memory(&log)
		for range 100 {
			m.More()
			<-time.After(5 * time.Second)
		}
		if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "memory is short") || !strings.Contains(said, "free_mb=30") {
			t.Errorf("the log says %s", said)
		}
	})
}
