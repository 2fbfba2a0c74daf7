package postgres

import (
	"testing"
	"time"
)

// A server that is killed again and again, but answers in between, is started at once
// each time and never given up; one that dies before it answers, or soon after, is.
func TestOnlyWhatDiesSoonFailsInARow(t *testing.T) {
	t.Parallel()
	ended := time.Now()
	for _, c := range []struct {
		name     string
		answered time.Time
		want     int
	}{
		{"it never answered", time.Time{}, 5},
		{"it died soon", ended.Add(-healthyAfter + time.Millisecond), 5},
		{"it had answered for a while", ended.Add(-healthyAfter), 1},
	} {
		if got := inARow(4, c.answered, ended); got != c.want {
			t.Errorf("%s: %d failures in a row after four, want %d", c.name, got, c.want)
		}
	}
}
