package worker

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"understudy/adapters/postgres"
	"understudy/adapters/postgres/pgtest"
	"understudy/projections/worklist"
	"understudy/test/patience"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// The leases of Postgres, whose clock is real: two workers that look at the same
// list are never at one item together, and what a dead worker held is done when
// its lease has run out. A worker that was slow from its look to its claim may
// still get an item that is done: that it has no effect twice is for the append
// of its outcome to decide.
func TestLeasesOfPostgres(t *testing.T) {
	t.Parallel()
	leases := postgres.NewLeases(pgtest.Pool(t))
	dead := worklist.Item{Stream: "of the dead", Kind: worklist.Session}
	ends := time.Now().Add(300 * time.Millisecond) // or a little later
	claimed, err := leases.Claim(t.Context(), []string{dead.LeaseName()}, "dead", 300*time.Millisecond)
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %v: %v", claimed, err)
	}
	streams := []string{"of the dead", "s1", "s2", "s3", "s4", "s5", "s6"}
	m, done := newMemory(streams...), make(chan string, len(streams))
	var mu sync.Mutex
	at, was := map[string]bool{}, map[string]bool{}
	do := func(_ context.Context, i worklist.Item) (uint64, error) {
		if i.Stream == dead.Stream && time.Now().Before(ends) {
			t.Error("the dead worker's item was taken before its lease ended")
		}
		mu.Lock()
		if at[i.Stream] {
			t.Errorf("two workers are at %s together", i.Stream)
		}
		at[i.Stream] = true
		mu.Unlock()
		m.remove(i.Stream)
		mu.Lock()
		defer mu.Unlock()
		if !was[i.Stream] {
			done <- i.Stream
		}
		at[i.Stream], was[i.Stream] = false, true
		return 0, nil
	}
	var stops []func()
	for _, owner := range []string{"w1", "w2"} {
		stops = append(stops, run(t, &Loop{Name: "session", Owner: owner, List: m, Leases: leases, Concurrency: 2, Do: do, Logger: silent}))
	}
	var got []string
	for range streams {
		got = append(got, patience.Receive(t, time.Minute, "the next of the streams", done))
	}
	for _, stop := range stops {
		stop()
	}
	slices.Sort(got)
	if !slices.Equal(got, streams) {
		t.Errorf("done: %v", got)
	}
	var names []string
	for _, s := range streams {
		names = append(names, worklist.Item{Stream: s, Kind: worklist.Session}.LeaseName())
	}
	if free, err := leases.Claim(t.Context(), names, "another", time.Minute); err != nil || len(free) != len(names) {
		t.Errorf("after the end %v can be claimed: %v", free, err)
	}
}
