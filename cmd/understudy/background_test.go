package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"
)

func TestStreamsFitIntoTheLimitOfOpenFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ wanted, files, want int }{
		{20_000, 1_048_576, 20_000}, {20_000, 0, 20_000}, {20_000, 20_000, 18_976}, {20_000, 1024, 512}, {100, 1024, 100}, {100, 65_536, 100},
	} {
		if got := streamLimit(c.wanted, c.files, slog.New(slog.DiscardHandler)); got != c.want {
			t.Errorf("%d wanted with %d files: %d, want %d", c.wanted, c.files, got, c.want)
		}
	}
}

// A process with --roles=api has no workers: that is no end of one.
func TestNoWorkIsNotWorkThatHasEnded(t *testing.T) {
	t.Parallel()
	none := inBackground(nil)
	cause := errors.New("it broke")
	broken := inBackground([]func(context.Context) error{func(context.Context) error { return cause }})
	<-broken.ended
	if err := broken.stop(); !errors.Is(err, cause) {
		t.Errorf("ended with %v", err)
	}
	select {
	case <-none.ended:
		t.Error("nothing to do counts as ended")
	default:
	}
	if err := none.stop(); err != nil {
		t.Error(err)
	}
}
