package eventstore

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"understudy/domain"
)

// Without a provider nothing is recorded, and traces are handed on as they came.
func TestCommandsGoOnWithTheTraceOfTheirCause(t *testing.T) {
	t.Parallel()
	const ofClient, ofCause = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	for name, c := range map[string]struct{ within, cause, want string }{
		"no trace":                        {"", "", ""},
		"the client's":                    {ofClient, "", ofClient},
		"the cause's":                     {"", ofCause, ofCause},
		"what is under way goes before":   {ofClient, ofCause, ofClient},
		"a malformed one names none":      {"00-zz", "00-1-2-01", "00-1-2-01"},
		"zeros name none":                 {"00-00000000000000000000000000000000-00f067aa0ba902b7-01", "", ""},
		"a malformed one is not the last": {"00-zz", ofCause, ofCause},
	} {
		ctx, span, meta := beginCommand(Continue(t.Context(), c.within), "counter-1", struct{}{}, domain.Meta{Actor: "a", Traceparent: c.cause})
		endCommand(span, 1, nil)
		if meta != (domain.Meta{Actor: "a", Traceparent: c.want}) {
			t.Errorf("%s: %+v", name, meta)
		}
		if got := Traceparent(ctx); got != c.want && c.cause != c.want {
			t.Errorf("%s: within %q", name, got)
		}
	}
}

func TestErrorsHaveAWordInTraces(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"canceled":            fmt.Errorf("read: %w", context.Canceled),
		"deadline_exceeded":   fmt.Errorf("read: %w", context.DeadlineExceeded),
		"unavailable":         fmt.Errorf("read: %w", ErrUnavailable),
		"*errors.errorString": fmt.Errorf("read: %w", errors.New("somebody@example.com")),
	} {
		if got := errorType(err); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}

// Without a provider a command costs a few small allocations more, beside an append to disk.
func TestSpansThatNobodyRecordsAreCheap(t *testing.T) {
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		_, span, _ := beginCommand(ctx, "counter-1", struct{}{}, domain.Meta{})
		endCommand(span, 1, nil)
	}); n > 4 {
		t.Errorf("%.0f allocations", n)
	}
}
