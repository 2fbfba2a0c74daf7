package browser

import (
	"strings"
	"syscall"
	"time"
)

// weighing is how often it is asked what pages hold in memory: one that takes all it gets
// was seen to take 0.5 GB meanwhile.
const weighing = 500 * time.Millisecond

// bound ends, until the engine is lost, what shows a page and holds more memory than is
// allowed: that page has crashed then, and those of other sessions go on.
func (e *engine) bound(cfg Config) {
	every := time.NewTicker(weighing)
	defer every.Stop()
	for {
		select {
		case <-e.lost:
			return
		case <-every.C:
		}
		all := parents()
		for pid := range all {
			held := memoryOf(pid)
			if held <= cfg.PageMemory || !below(pid, e.driverPID, all) || !strings.Contains(commandLine(pid), "--type=renderer") {
				continue
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
				cfg.Logger.Warn("a page took too much memory and was ended", "bytes", held)
			}
		}
	}
}
