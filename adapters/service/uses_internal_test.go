package service

import (
	"context"
	"maps"
	"testing"
	"time"
)

// written are rows of uses; while they are written, a client reads.
type written struct {
	rows      map[string]time.Time
	meanwhile func()
}

func (w *written) Record(_ context.Context, at map[string]time.Time) error {
	w.meanwhile()
	w.rows = at
	return nil
}

func (w *written) Read(context.Context, []string) (map[string]time.Time, error) {
	if w.rows == nil {
		return map[string]time.Time{}, nil
	}
	return maps.Clone(w.rows), nil
}

// TestAUseIsToldWhileItIsWritten: a key that was used never reads as one that was not.
func TestAUseIsToldWhileItIsWritten(t *testing.T) {
	t.Parallel()
	at := time.Now()
	rows := &written{}
	d := &Directory{Uses: rows, used: map[string]time.Time{"key_a": at}}
	told := func(when string) {
		t.Helper()
		if uses, err := d.lastUses(t.Context(), []string{"key_a", "key_b"}); err != nil || len(uses) != 1 || !uses["key_a"].Equal(at) {
			t.Errorf("%s: %v, %v", when, uses, err)
		}
	}
	told("before")
	rows.meanwhile = func() { told("meanwhile") }
	d.flush(t.Context())
	told("after")
	if len(d.used) > 0 {
		t.Errorf("%v is written again", d.used)
	}
}
