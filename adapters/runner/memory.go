package runner

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	"understudy/projections/worklist"
)

const (
	// believed is for how long what was found of the memory is taken to be so.
	believed = 2 * time.Second
	// remembered is for how long, at least, it counts what a session has held; it
	// is forgotten after twice that.
	remembered = 5 * time.Minute
	// tellEvery is the least time between two lines of the log about it.
	tellEvery = 10 * time.Minute
)

// Memory tells how many more live sessions this machine has the memory for. Each,
// however little it holds yet, is reckoned at the most that a session has held in the
// mean of those that were open together lately.
type Memory struct {
	// Free is how many bytes may be taken yet; false where the system does not tell.
	Free func() (bytes int64, told bool)
	// Held is how many bytes the pages of open sessions hold, and how many those are.
	Held func() (bytes int64, sessions int)
	// Least is what a session is reckoned at however little one has held, in bytes.
	Least  int64
	Logger *slog.Logger

	mu       sync.Mutex
	underWay int
	// free and held are as of at.
	free, held int64
	told       bool
	at         time.Time
	// most is what a session has held since begun, and in the span before.
	most  [2]int64
	begun time.Time
	// said is when the log last had a line.
	said time.Time
}

// Walk is do, which counts as a session while it is under way.
func (m *Memory) Walk(do func(context.Context, worklist.Item) (uint64, error)) func(context.Context, worklist.Item) (uint64, error) {
	return func(ctx context.Context, item worklist.Item) (uint64, error) {
		m.count(1)
		defer m.count(-1)
		return do(ctx, item)
	}
}

func (m *Memory) count(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.underWay += n
}

// More is how many sessions may begin beside those under way. Where none may, the log
// says so.
func (m *Memory) More() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.look()
	if !m.told {
		return math.MaxInt
	}
	more := max(0, int((m.free+m.held)/m.needs())-m.underWay)
	if more == 0 && time.Since(m.said) > tellEvery {
		m.said = time.Now()
		m.Logger.Warn("memory is short: no more live sessions until some is free",
			"free_mb", m.free>>20, "session_mb", m.needs()>>20, "under_way", m.underWay)
	}
	return more
}

// Needs is what a session is reckoned at, in bytes.
func (m *Memory) Needs() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.look()
	return m.needs()
}

func (m *Memory) needs() int64 { return max(m.Least, m.most[0], m.most[1]) }

// look finds out how the memory is, unless that was just done.
func (m *Memory) look() {
	now := time.Now()
	if now.Sub(m.at) < believed {
		return
	}
	m.at = now
	m.free, m.told = m.Free()
	if now.Sub(m.begun) > remembered {
		m.most, m.begun = [2]int64{0, m.most[0]}, now
	}
	var sessions int
	if m.held, sessions = m.Held(); sessions > 0 {
		m.most[0] = max(m.most[0], m.held/int64(sessions))
	}
}
