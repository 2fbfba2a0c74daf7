package projections_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"understudy/adapters/postgres/pgtest"
	"understudy/projections"
)

// histories is how many logs are generated; their seeds are 1, 2, ….
const histories = 10

// The rows that a log gives do not depend on how its events came: one at a
// time, in batches of any size, or all at once as in a rebuild.
func TestRowsDoNotDependOnBatches(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	for _, p := range every {
		if err := projections.Prepare(testContext(t), pool, p); err != nil {
			t.Fatal(err)
		}
	}
	rows, seen := map[string]int{}, map[string]int{}
	for seed := uint64(1); seed <= histories; seed++ {
		log := history(seed)
		for _, e := range log {
			seen[e.Event.EventType()]++
		}
		for _, p := range every {
			what := fmt.Sprintf("%s, log %d", p.Name, seed)
			events := followed(p, log)
			whole := apply(t, pool, p, events, len(events)+1)
			same(t, what+", one at a time", whole, apply(t, pool, p, events, 1))
			same(t, what+", in batches", whole, apply(t, pool, p, events, sizes(seed)...))
			rows[p.Name] += count(whole)
		}
	}
	for _, p := range every {
		if rows[p.Name] == 0 {
			t.Errorf("no log gave %s any row", p.Name)
		}
	}
	for _, entry := range catalogue {
		if seen[entry.Type] == 0 {
			t.Errorf("no log has a %s", entry.Type)
		}
	}
}

// sizes are those of a hundred batches.
func sizes(seed uint64) []int {
	chances := rand.New(rand.NewPCG(seed, 1))
	all := make([]int, 100)
	for i := range all {
		all[i] = 1 + chances.IntN(1+chances.IntN(40))
	}
	return all
}
