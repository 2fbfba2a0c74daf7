package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"understudy/eventstore"
)

func TestWhatIsAwayOrTooLateIsAnOutage(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		eventstore.ErrUnavailable: true, context.DeadlineExceeded: true,
		context.Canceled: false, errors.New("a mistake"): false,
	} {
		if got := isOutage(fmt.Errorf("read: %w", err)); got != want {
			t.Errorf("%v: %t", err, got)
		}
	}
}
