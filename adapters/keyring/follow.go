package keyring

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// followPause is how long a change of the file may go unnoticed.
const followPause = time.Second

// Follow takes over changes of the keyring's file until ctx ends, and then
// returns nil. A file that is missing, damaged, or lacks keys that are in use
// is told in the log, and the keys that were read last stay in use.
func (k *Keyring) Follow(ctx context.Context, log *slog.Logger) error {
	told := ""
	tick := time.NewTicker(followPause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		changed, err := k.reload()
		switch {
		case err == nil:
			told = ""
		case err.Error() != told:
			told = err.Error()
			log.Error("the keyring's file cannot be taken over; the keys read before stay in use", "error", err)
		}
		if changed {
			log.Info("keyring taken over", "primary", k.keys.Load().primary())
		}
	}
}

// reload reads the file again and reports whether there was a change.
func (k *Keyring) reload() (changed bool, err error) {
	next, err := load(k.path)
	if err != nil {
		return false, err
	}
	now := k.keys.Load()
	if next.print == now.print {
		return false, nil
	}
	if lost := next.lacks(now); len(lost) > 0 {
		return false, fmt.Errorf("%s lacks keys that are in use: %v", k.path, lost)
	}
	k.keys.Store(next)
	return true, nil
}
