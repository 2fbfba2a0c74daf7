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
			page := strings.Contains(commandLine(pid), "--type=renderer")
			if !page && held <= servants*cfg.PageMemory {
				continue
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
				cfg.Logger.Warn("a process of the browser took too much memory and was ended", "page", page, "bytes", held, "error", err)
			}
		}
	}
}
