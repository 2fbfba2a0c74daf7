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

// bound ends, until the engine is lost, each process that shows a page, or a frame of another
// site in one, and holds more memory than is allowed: the page or frame has crashed then, and
// those of other sessions go on.
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
			if err := syscall.Kill(pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
				cfg.Logger.Warn("a page took too much memory and was ended", "bytes", held, "error", err)
			}
		}
	}
}
