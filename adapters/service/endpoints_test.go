package service

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
)

// TestRevisionsAreReadAfterTheyAreAskedFor, one question for all who ask
// while another is under way.
func TestRevisionsAreReadAfterTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan []string), make(chan map[string]uint64)
	r := revisions{ask: func(_ context.Context, ids []string) (map[string]uint64, error) {
		asked <- ids
		if of := <-answer; of != nil {
			return of, nil
		}
		return nil, errors.New("away")
	}}
	type told struct {
		revision uint64
		known    bool
		err      error
	}
	get := func(id string) <-chan told {
		out := make(chan told, 1)
		go func() {
			revision, known, err := r.of(t.Context(), id)
			out <- told{revision, known, err}
		}()
		return out
	}
	first := get("a")
	if ids := <-asked; !slices.Equal(ids, []string{"a"}) {
		t.Fatalf("asked for %v", ids)
	}
	later := make([]<-chan told, 8)
	for i := range later {
		later[i] = get([]string{"a", "b"}[i%2])
	}
	// All of them wait for the next question, which has not begun.
	for waiting := 0; waiting < len(later); {
		r.mu.Lock()
		if r.next != nil {
			waiting = len(r.next.ids)
		}
		r.mu.Unlock()
		runtime.Gosched()
	}
	answer <- map[string]uint64{"a": 1}
	if got := <-first; got != (told{1, true, nil}) {
		t.Errorf("the first was told %+v", got)
	}
	if ids := <-asked; len(ids) != len(later) {
		t.Errorf("asked for %v, want all %d at once", ids, len(later))
	}
	answer <- map[string]uint64{"a": 2}
	for i, c := range later {
		want := told{2, true, nil}
		if i%2 == 1 {
			want = told{} // nobody knows it
		}
		if got := <-c; got != want {
			t.Errorf("the %d. was told %+v, want %+v", i, got, want)
		}
	}
	failing := get("a")
	<-asked
	answer <- nil
	if got := <-failing; got.err == nil {
		t.Error("a failure was told as an answer")
	}
}

func TestWhoAsksForARevisionMayLeave(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	r := revisions{ask: func(context.Context, []string) (map[string]uint64, error) { <-release; return nil, nil }}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := r.of(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(release)
}
