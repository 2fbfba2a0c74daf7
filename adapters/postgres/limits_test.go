package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"understudy/adapters/postgres"
	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/account"
	"understudy/projections"
	"understudy/projections/usage"
)

// TestAFullWindowIsNotTheNextOne: who is refused as a window ends is not told, nor does a
// node remember, that the next one is full. It waits for the end of a minute.
func TestAFullWindowIsNotTheNextOne(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	const limit = 100_000
	var end time.Time
	full := func() (left time.Duration) {
		err := pool.QueryRow(t.Context(), `insert into ops.rate_windows as w (bucket, window_start, used) values ('key_1', date_trunc('minute', clock_timestamp()), $1)
			on conflict (bucket) do update set window_start = excluded.window_start returning w.window_start + interval '1 minute'`, limit).Scan(&end)
		if err != nil {
			t.Fatal(err)
		}
		return time.Until(end)
	}
	for left := full(); left > time.Second; left = full() {
		<-time.After(left - time.Second/2)
	}
	var wg sync.WaitGroup
	var refused, taken atomic.Int64
	for range 12 {
		wg.Go(func() {
			for time.Until(end) > -time.Second/2 {
				used, reset, err := postgres.NewSharedWindows(pool).Take(t.Context(), "key_1", limit, time.Time{})
				switch {
				case err != nil:
					t.Error(err)
					return
				case reset.After(end) && used > limit:
					refused.Add(1)
				case reset.After(end):
					taken.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if refused.Load() > 0 || taken.Load() == 0 {
		t.Errorf("of a window that had just begun %d were admitted and %d refused", taken.Load(), refused.Load())
	}
}

// TestSharedWindowsAdmitExactlyTheLimit: whatever nodes and windows requests fall
// into, each window that was full has admitted exactly its limit.
func TestSharedWindowsAdmitExactlyTheLimit(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	const limit = 50
	nodes := []*postgres.SharedWindows{postgres.NewSharedWindows(pool), postgres.NewSharedWindows(pool), postgres.NewSharedWindows(pool)}
	var mu sync.Mutex
	admitted, refused := map[time.Time]map[int]int{}, map[time.Time]int{}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			for range 20 {
				used, reset, err := nodes[i%len(nodes)].Take(t.Context(), "key_1", limit, time.Time{})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if admitted[reset] == nil {
					admitted[reset] = map[int]int{}
				}
				if used <= limit {
					admitted[reset][used]++
				} else {
					refused[reset]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	full := 0
	for reset, counts := range admitted {
		if reset.Sub(reset.Truncate(postgres.RateWindow)) != 0 || len(counts) > limit || refused[reset] > 0 && len(counts) != limit {
			t.Errorf("the window until %s has admitted %d and refused %d", reset, len(counts), refused[reset])
		}
		for n, times := range counts {
			if times != 1 {
				t.Errorf("count %d was given %d times", n, times)
			}
		}
		if refused[reset] > 0 {
			full++
		}
	}
	if full == 0 {
		t.Error("no window was full")
	}
}

func TestSharedWindowsEnd(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	node := postgres.NewSharedWindows(pool)
	take := func(bucket string, limit int) int {
		t.Helper()
		used, _, err := node.Take(t.Context(), bucket, limit, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return used
	}
	// Windows of before count for nothing, full ones included, and are swept.
	exec1(t, pool, `insert into ops.rate_windows values ('key_1', date_trunc('minute', clock_timestamp()) - interval '1 minute', 2), ('key_2', date_trunc('minute', clock_timestamp()) - interval '5 minutes', 1)`)
	if used := take("key_1", 2); used != 1 {
		t.Errorf("the first request of a window is counted as %d", used)
	}
	var left int
	if err := pool.QueryRow(t.Context(), "select count(*) from ops.rate_windows").Scan(&left); err != nil || left != 1 {
		t.Errorf("%d windows left, %v; want only the current one", left, err)
	}
	// A larger plan counts at once, also where the bucket was full.
	bucket := "key_3"
	for range 3 {
		take(bucket, 1)
	}
	if !node.Full(bucket, 1, time.Time{}) || node.Full(bucket, 100, time.Time{}) || node.Full("key_1", 2, time.Time{}) {
		t.Error("it is not told which window is full")
	}
	if used := take(bucket, 100); used > 3 {
		t.Errorf("under the larger limit a request is counted as %d", used)
	}
	// A window that this node thinks is in the past, because another has a newer one.
	exec1(t, pool, `insert into ops.rate_windows values ('key_4', date_trunc('minute', clock_timestamp()) + interval '1 minute', 7)`)
	if used := take("key_4", 100); used != 8 {
		t.Errorf("in another node's newer window a request is counted as %d", used)
	}
}

// ledger is the read model's table without its projector.
func ledger(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool := pgtest.Pool(t)
	if err := projections.Prepare(t.Context(), pool, usage.Projection); err != nil {
		t.Fatal(err)
	}
	return pool
}

// record adds a test to the read model.
func record(pool *pgxpool.Pool, id, organization string, env domain.Environment, month account.Month, used, reserved int) error {
	_, err := pool.Exec(context.Background(), `insert into `+usage.Tests+` (id, revision, position, organization_id, environment, key_id, month, created_at,
			sessions, made, started, ended, over, failed, used, reserved, returned)
		values ($1, 0, 0, $2, $3, '', $4, now(), 0, 0, 0, 0, false, false, $5, $6, 0)`, id, organization, string(env), string(month), used, reserved)
	return err
}

const november account.Month = "2026-11"

func TestQuotasAdmitWhatIsLeft(t *testing.T) {
	t.Parallel()
	pool := ledger(t)
	quotas := postgres.NewQuotas(pool)
	for id, row := range map[string]struct {
		org            string
		env            domain.Environment
		month          account.Month
		used, reserved int
	}{
		"test_1": {"org_a", domain.Live, november, 3, 2}, "test_sandbox": {"org_a", domain.Sandbox, november, 50, 50},
		"test_other": {"org_b", domain.Live, november, 50, 50}, "test_before": {"org_a", domain.Live, "2026-10", 50, 50},
	} {
		if err := record(pool, id, row.org, row.env, row.month, row.used, row.reserved); err != nil {
			t.Fatal(err)
		}
	}
	reserve := func(month account.Month, tests map[string]int) error {
		return quotas.Reserve(t.Context(), "org_a", account.Quota{Plan: account.Free, Limit: 20, Month: month}, tests)
	}
	is := func(month account.Month, used, reserved int) {
		t.Helper()
		if u, r, err := quotas.Counted(t.Context(), "org_a", month); err != nil || u != used || r != reserved {
			t.Errorf("%s: %d used, %d reserved, %v; want %d and %d", month, u, r, err, used, reserved)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(reserve(november, map[string]int{"test_2": 10}))
	must(reserve(november, map[string]int{"test_2": 10})) // the same request again
	is(november, 3, 12)
	var exceeded *account.QuotaExceeded
	if err := reserve(november, map[string]int{"test_3": 3, "test_4": 3}); !errors.As(err, &exceeded) || exceeded.Left() != 5 || exceeded.Wanted != 6 {
		t.Errorf("6 of 5 that are left: %v", err)
	}
	is(november, 3, 12)
	must(reserve(november, map[string]int{"test_3": 3, "test_4": 2}))
	if err := reserve(november, map[string]int{"test_5": 1}); !errors.As(err, &exceeded) || exceeded.Left() != 0 {
		t.Errorf("when nothing is left: %v", err)
	}
	must(reserve("2026-12", map[string]int{"test_6": 20}))
	is("2026-12", 0, 20)
	// Tried again in the next month, it counts for that one.
	must(reserve("2027-01", map[string]int{"test_6": 20}))
	is("2026-12", 0, 0)
	// Once it is recorded, the read model counts it.
	must(record(pool, "test_3", "org_a", domain.Live, november, 1, 0))
	is(november, 4, 14)
	must(reserve(november, map[string]int{"test_3": 3}))
	must(reserve(november, map[string]int{"test_5": 2}))
	// Those of tests that were never recorded come back, and no others.
	lost := func(_ context.Context, id string) (bool, error) { return id != "test_5", nil }
	must(quotas.Sweep(t.Context(), time.Hour, lost))
	is(november, 4, 16)
	must(quotas.Sweep(t.Context(), 0, lost))
	is(november, 4, 14)
	exec1(t, pool, `update ops.quota_reservations set reserved_at = reserved_at - interval '2 hours'`)
	must(quotas.Sweep(t.Context(), 3*time.Hour, lost))
	is(november, 4, 14)
	var left int
	must(pool.QueryRow(t.Context(), `select count(*) from ops.quota_reservations where test_id = 'test_3'`).Scan(&left))
	if left != 0 {
		t.Error("the reservation of a test that is long recorded is kept")
	}
}

// TestQuotasAreNeverExceeded: nodes reserve side by side while tests are recorded,
// give sessions back, and others are never recorded. The month never has more than
// its limit, and who is refused was right to be.
func TestQuotasAreNeverExceeded(t *testing.T) {
	t.Parallel()
	pool := ledger(t)
	var round atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		org := fmt.Sprint("org_", round.Add(1))
		limit := rapid.IntRange(1, 40).Draw(rt, "limit")
		wishes := rapid.SliceOfN(rapid.IntRange(1, 12), 1, 16).Draw(rt, "sessions")
		fate := rapid.SliceOfN(rapid.IntRange(0, 2), len(wishes), len(wishes)).Draw(rt, "fate")
		quota := account.Quota{Plan: account.Free, Limit: limit, Month: november}
		var mu sync.Mutex
		held := map[string]int{} // what those that were admitted have not given back
		var wg sync.WaitGroup
		for i, sessions := range wishes {
			id := fmt.Sprintf("%s_%d", org, i)
			wg.Go(func() {
				node := postgres.NewQuotas(pool)
				err := node.Reserve(t.Context(), org, quota, map[string]int{id: sessions})
				if refused := (*account.QuotaExceeded)(nil); errors.As(err, &refused) {
					if refused.Used+refused.Reserved > limit || refused.Left() >= sessions {
						t.Errorf("%d were refused with %+v", sessions, refused.Quota)
					}
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				left := sessions
				switch fate[i] {
				case 0:
					err = record(pool, id, org, domain.Live, november, sessions/2, sessions-sessions/2)
				case 1:
					left = sessions / 2
					err = record(pool, id, org, domain.Live, november, left, 0)
				}
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				held[id] = left
			})
		}
		wg.Wait()
		sum := 0
		for _, sessions := range held {
			sum += sessions
		}
		used, reserved, err := postgres.NewQuotas(pool).Counted(t.Context(), org, november)
		if err != nil || used+reserved != sum || sum > limit {
			rt.Fatalf("%d used and %d reserved of %d, %v; admitted were %v", used, reserved, limit, err, slices.Sorted(maps.Values(held)))
		}
	})
}
