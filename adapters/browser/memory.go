package browser

import (
	"errors"
	"strings"
	"syscall"
	"time"
)

// weighing is how often it is asked what pages hold in memory: one that takes all it gets
// was seen to take 0.5 GB meanwhile.
const weighing = 500 * time.Millisecond

// servants is how many times as much as a page each of Chromium's other processes may hold,
// all of which serve every page: the first one, the network's, the painter's. An assumption:
// they hold 100 to 300 MiB beside a dozen pages of the web.
const servants = 4

// Held is how many bytes the processes that show pages hold in memory, and how many
// sessions are open.
func (b *Browser) Held() (bytes int64, sessions int) {
	b.mu.Lock()
	drivers := map[int]bool{}
	for s := range b.sessions {
		drivers[s.engine.driverPID] = true
	}
	sessions = len(b.sessions)
	b.mu.Unlock()
	if sessions == 0 {
		return 0, 0
	}
	of := parents()
	for pid := range of {
		for driver := range drivers {
			if below(pid, driver, of) && showsPage(pid) {
				bytes += memoryOf(pid)
			}
		}
	}
	return bytes, sessions
}

// showsPage reports whether a process is one of Chromium's that show pages.
func showsPage(pid int) bool { return strings.Contains(commandLine(pid), "--type=renderer") }

// bound ends, until the engine is lost, each process of Chromium's that holds more memory
// than is allowed. One that shows a page, or a frame of another site in one: the page or
// frame has crashed then, and those of other sessions go on. The first one: the engine is
// lost. Others Chromium starts again.
func (e *engine) bound(cfg Config) {
	every := time.NewTicker(weighing)
	defer every.Stop()
	for {
		select {
		case <-e.lost:
			return
		case <-every.C:
		}
		for _, pid := range processes() {
			held := memoryOf(pid)
			if held <= cfg.PageMemory || !below(pid, e.driverPID, parents()) {
				continue
			}
			page := showsPage(pid)
			if !page && held <= servants*cfg.PageMemory {
				continue
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
				cfg.Logger.Warn("a process of the browser took too much memory and was ended", "page", page, "bytes", held, "error", err)
			}
		}
	}
}
