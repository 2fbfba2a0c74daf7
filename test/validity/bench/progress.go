package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// progress tells on stderr how far a section is.
type progress struct {
	mu    sync.Mutex
	what  string
	total int
	done  int
	began time.Time
	told  time.Time
}

// tellEvery is the least time between two lines.
const tellEvery = 10 * time.Second

func newProgress(what string, total int) *progress {
	return &progress{what: what, total: total, began: time.Now(), told: time.Now()}
}

// step counts one walk.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if now := time.Now(); now.Sub(p.told) >= tellEvery || p.done == p.total {
		p.told = now
		took := now.Sub(p.began)
		left := time.Duration(float64(took) / float64(p.done) * float64(p.total-p.done))
		fmt.Fprintf(os.Stderr, "%s: %d of %d walks, %s gone, about %s left\n", p.what, p.done, p.total,
			took.Round(time.Second), left.Round(time.Second))
	}
}
