package postgres_test

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"understudy/adapters/postgres"
	"understudy/adapters/postgres/pgtest"
	"understudy/test/patience"
)

func TestMigrateTogetherAndAgain(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	exec1(t, pool, "drop schema ops cascade")
	errs := make(chan error)
	for range 4 {
		go func() { errs <- postgres.Migrate(t.Context(), pool) }()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	exec1(t, pool, "select 1 from ops.leases, ops.quota_reservations, ops.idempotency, ops.rate_windows, ops.reactor_checkpoints")
}

func TestASchemaOfANewerProgram(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	exec1(t, pool, "update ops.schema_version set version = version + 1")
	if err := postgres.Migrate(t.Context(), pool); err != nil {
		t.Errorf("that it can work with: %v", err)
	}
	exec1(t, pool, "update ops.compatible set since = (select version from ops.schema_version)")
	if err := postgres.Migrate(t.Context(), pool); err == nil || !strings.Contains(err.Error(), "start the newer program") {
		t.Errorf("that it cannot work with: %v", err)
	}
}

func TestLeasesHaveOneOwner(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	leases := postgres.NewLeases(pgtest.Pool(t))
	claim := func(owner string, ttl time.Duration, names ...string) []string {
		t.Helper()
		got, err := leases.Claim(ctx, names, owner, ttl)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Sorted(slices.Values(got))
	}
	want := func(what string, got []string, names ...string) {
		t.Helper()
		if !slices.Equal(got, names) {
			t.Errorf("%s: %v, want %v", what, got, names)
		}
	}
	want("free names", claim("a", time.Minute, "s1", "s2", "s1"), "s1", "s2")
	want("some taken", claim("b", time.Minute, "s1", "s2", "s3"), "s3")
	want("own again", claim("a", time.Minute, "s1"), "s1")
	want("own ones and another's", claim("a", time.Minute, "s1", "s2", "s3"), "s1", "s2")
	if err := leases.Release(ctx, []string{"s1", "s3"}, "a"); err != nil {
		t.Fatal(err)
	}
	want("released, and another's not", claim("c", time.Minute, "s1", "s3"), "s1")
	// A lease of no length has run out at once.
	want("run out", claim("a", 0, "s9"), "s9")
	want("taken over", claim("b", time.Minute, "s9"), "s9")
	want("no longer one's own", claim("a", time.Minute, "s9"))
	if err := leases.Sweep(ctx); err != nil {
		t.Fatal(err)
	}
	want("live after the sweep", claim("z", time.Minute, "s1", "s2", "s3", "s9"))
}

// TestLeasesUnderContention has workers claim overlapping names in opposite
// orders: every name ends with one owner and nothing deadlocks.
func TestLeasesUnderContention(t *testing.T) {
	t.Parallel()
	leases := postgres.NewLeases(pgtest.Pool(t))
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf("session-%03d", i))
	}
	owners := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range 6 {
		mine := slices.Clone(names)
		if w%2 == 1 {
			slices.Reverse(mine)
		}
		wg.Go(func() {
			owner := fmt.Sprint("worker-", w)
			for part := range slices.Chunk(mine, 50) {
				got, err := leases.Claim(t.Context(), part, owner, time.Minute)
				if err != nil {
					t.Error(err)
				}
				if _, err := leases.Claim(t.Context(), got, owner, time.Minute); err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, n := range got {
					owners[n]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, n := range names {
		if owners[n] != 1 {
			t.Errorf("%s was claimed by %d workers", n, owners[n])
		}
	}
}

func TestWhoHasStoppedIsKnownUntilTheyGoOn(t *testing.T) {
	t.Parallel()
	checkpoints := postgres.NewCheckpoints(pgtest.Pool(t))
	for _, begun := range []string{"begun", "fresh"} {
		if begun == "begun" {
			if err := checkpoints.Save(t.Context(), begun, 7); err != nil {
				t.Fatal(err)
			}
		}
		if err := checkpoints.Stop(t.Context(), begun, "at an event \x00\xff"); err != nil {
			t.Fatal(err)
		}
		if _, known, err := checkpoints.Load(t.Context(), begun); err != nil || known != (begun == "begun") {
			t.Errorf("%s: a checkpoint %t, %v", begun, known, err)
		}
		stopped, err := checkpoints.Stopped(t.Context())
		if err != nil || stopped[begun] != "at an event ??" {
			t.Errorf("stopped: %q, %v", stopped, err)
		}
		if err := checkpoints.Save(t.Context(), begun, 8); err != nil {
			t.Fatal(err)
		}
		if stopped, err = checkpoints.Stopped(t.Context()); err != nil || len(stopped) > 0 {
			t.Errorf("still stopped: %q, %v", stopped, err)
		}
	}
}

func TestCheckpointsOnlyGrow(t *testing.T) {
	t.Parallel()
	checkpoints := postgres.NewCheckpoints(pgtest.Pool(t))
	if _, found, err := checkpoints.Load(t.Context(), "lifecycle"); found || err != nil {
		t.Fatalf("a new reactor: found %v, %v", found, err)
	}
	for _, step := range []struct{ save, want uint64 }{{0, 0}, {7, 7}, {5, 7}, {1 << 60, 1 << 60}} {
		if err := checkpoints.Save(t.Context(), "lifecycle", step.save); err != nil {
			t.Fatal(err)
		}
		got, found, err := checkpoints.Load(t.Context(), "lifecycle")
		if err != nil || !found || got != step.want {
			t.Errorf("after saving %d: %d, %v, %v; want %d", step.save, got, found, err, step.want)
		}
	}
	if err := checkpoints.Save(t.Context(), "lifecycle", 1<<63); err == nil {
		t.Error("a position beyond bigint was taken")
	}
}

func TestRateWindowsCountEveryRequestOnce(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	windows := postgres.NewRateWindows(pool)
	now := time.Date(2026, 3, 1, 12, 0, 59, 0, time.UTC)
	const limit, requests = 30, 40
	var mu sync.Mutex
	seen := map[int]int{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range requests / 8 {
				used, reset, err := windows.Take(t.Context(), "key_1", limit, now)
				if err != nil || !reset.Equal(now.Add(time.Second)) {
					t.Errorf("take: reset %s, %v", reset, err)
				}
				mu.Lock()
				seen[used]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for n := 1; n <= limit; n++ {
		if seen[n] != 1 {
			t.Errorf("count %d was given %d times", n, seen[n])
		}
	}
	if seen[limit+1] != requests-limit {
		t.Errorf("beyond the limit: %v", seen)
	}
	if !windows.Full("key_1", limit, now) || windows.Full("key_1", requests, now) || windows.Full("key_1", limit, now.Add(time.Minute)) || windows.Full("key_2", limit, now) {
		t.Error("it is not told which window is full")
	}
	if used, _, err := windows.Take(t.Context(), "key_2", limit, now); used != 1 || err != nil {
		t.Errorf("another bucket: %d, %v", used, err)
	}
	if used, _, err := windows.Take(t.Context(), "key_1", limit, now.Add(3*time.Minute)); used != 1 || err != nil {
		t.Errorf("a later window: %d, %v", used, err)
	}
	var left int
	if err := pool.QueryRow(t.Context(), "select count(*) from ops.rate_windows").Scan(&left); err != nil || left != 1 {
		t.Errorf("%d windows left, %v; want only the current one", left, err)
	}
}

func TestRateWindowsAreSharedBetweenNodesAndOutliveThem(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	now := time.Date(2026, 3, 1, 12, 0, 59, 0, time.UTC)
	const limit = 1000
	take := func(node *postgres.RateWindows) int {
		t.Helper()
		used, _, err := node.Take(t.Context(), "key_1", limit, now)
		if err != nil {
			t.Fatal(err)
		}
		return used
	}
	one, other := postgres.NewRateWindows(pool), postgres.NewRateWindows(pool)
	for n := 1; n <= 10; n++ {
		if used := take(one); used != n {
			t.Fatalf("request %d is counted as %d", n, used)
		}
	}
	take(other)
	// Ten times a second each node tells what it has counted: soon both know of
	// all, whoever asks.
	requests := 11
	for left := patience.For(20 * time.Second); ; {
		a, b := take(one), take(other)
		requests += 2
		if a >= 12 && b == requests {
			break
		}
		if a > requests-1 || b > requests || left.Lost() || requests > limit {
			t.Fatalf("after %d requests the nodes count %d and %d", requests, a, b)
		}
		select {
		case <-time.After(120 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
	if used := take(postgres.NewRateWindows(pool)); used < requests-5 {
		t.Errorf("a new node counts the %d-th request as %d", requests+1, used)
	}
}

func TestIdempotencyRemembersTheFirstAnswer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	requests := postgres.NewIdempotency(pgtest.Pool(t))
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	begin := func(idemKey, resource string, at time.Time) (postgres.IdempotencyRow, bool) {
		t.Helper()
		row, fresh, err := requests.Begin(ctx, "key_1", idemKey, "POST /v1/tests", []byte{1, 2}, resource, at)
		if err != nil {
			t.Fatal(err)
		}
		return row, fresh
	}
	if _, fresh := begin("k", "test_a", now); !fresh {
		t.Fatal("the first request is not fresh")
	}
	row, fresh := begin("k", "test_b", now.Add(time.Hour))
	if fresh || row.ResourceID != "test_a" || row.State != postgres.RequestStarted {
		t.Errorf("while it runs: %+v, fresh %v", row, fresh)
	}
	headers := map[string]string{"Location": "/v1/tests/test_a"}
	for _, status := range []int{201, 500} { // the second answer comes too late
		if err := requests.Finish(ctx, "key_1", "k", status, headers, []byte("sealed")); err != nil {
			t.Fatal(err)
		}
		headers = nil
	}
	if err := requests.Release(ctx, "key_1", "k"); err != nil {
		t.Fatal(err)
	}
	row, fresh = begin("k", "test_b", now.Add(23*time.Hour))
	if fresh || row.State != postgres.RequestFinished || row.Status != 201 || string(row.Response) != "sealed" ||
		!maps.Equal(row.Headers, map[string]string{"Location": "/v1/tests/test_a"}) || row.MethodPath != "POST /v1/tests" ||
		string(row.BodyHash) != "\x01\x02" || !row.CreatedAt.Equal(now) {
		t.Errorf("finished: %+v, fresh %v", row, fresh)
	}
	row, fresh = begin("k", "test_c", now.Add(24*time.Hour))
	if !fresh || row.ResourceID != "test_c" || row.Status != 0 || row.Response != nil {
		t.Errorf("after a day: %+v, fresh %v", row, fresh)
	}

	begin("refused", "test_d", now)
	if err := requests.Release(ctx, "key_1", "refused"); err != nil {
		t.Fatal(err)
	}
	if _, fresh = begin("refused", "test_e", now); !fresh {
		t.Error("a refused request stands in the way of its retry")
	}
	if err := requests.Finish(ctx, "key_1", "never", 201, nil, nil); !errors.Is(err, postgres.ErrNoRequest) {
		t.Errorf("finish without begin: %v", err)
	}
	if n, err := requests.Sweep(ctx, now.Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("swept %d, %v; want the one old row", n, err)
	}
}

func TestIdempotencyLetsOneOfManyThrough(t *testing.T) {
	t.Parallel()
	requests := postgres.NewIdempotency(pgtest.Pool(t))
	fresh := make(chan bool)
	for n := range 8 {
		go func() {
			_, ok, err := requests.Begin(t.Context(), "key_1", "same", "POST /v1/tests", nil, fmt.Sprint("test_", n), time.Now())
			if err != nil {
				t.Error(err)
			}
			fresh <- ok
		}()
	}
	through := 0
	for range 8 {
		if <-fresh {
			through++
		}
	}
	if through != 1 {
		t.Errorf("%d requests were fresh, want 1", through)
	}
}

func TestConnectGivesUpOnWhatCannotHelp(t *testing.T) {
	t.Parallel()
	cfg := pgtest.Pool(t).Config().ConnConfig
	url := fmt.Sprintf("postgres://%s:%s@/nowhere?host=%s&port=%d", cfg.User, cfg.Password, cfg.Host, cfg.Port)
	if _, err := postgres.Connect(t.Context(), url, postgres.PoolOptions{Wait: time.Hour}); err == nil {
		t.Error("connected to a database that does not exist")
	}
	left := patience.For(10 * time.Second)
	_, err := postgres.Connect(t.Context(), "postgres:///x?host="+t.TempDir(), postgres.PoolOptions{Wait: 200 * time.Millisecond})
	if late := left.Lost(); err == nil || late {
		t.Errorf("no server: %v, late %v", err, late)
	}
}

// A server that has just said that it takes no connections yet is left alone for a moment.
func TestAServerThatStartsIsNotPressed(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	pauses := make(chan time.Duration, 1000)
	go func() {
		for refused := (time.Time{}); ; {
			conn, err := l.Accept()
			if err != nil {
				close(pauses)
				return
			}
			if !refused.IsZero() {
				pauses <- time.Since(refused)
			}
			server := pgproto3.NewBackend(conn, conn)
			_, _ = server.ReceiveStartupMessage()
			refused = time.Now()
			server.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "57P03", Message: "the database system is starting up"})
			_ = server.Flush()
			_ = conn.Close()
		}
	}()
	_, err = postgres.Connect(t.Context(), "postgres://u@"+l.Addr().String()+"/d?sslmode=disable", postgres.PoolOptions{Wait: time.Second})
	if !postgres.IsOutage(err) {
		t.Errorf("a server that starts is no outage: %v", err)
	}
	_ = l.Close()
	asked := 0
	for pause := range pauses {
		if asked++; pause < 100*time.Millisecond {
			t.Errorf("it is asked again after %v", pause)
		}
	}
	if asked == 0 {
		t.Error("it is not asked again")
	}
}

// A server that only reads is as good as none: the connection to it is given up.
func TestAServerThatOnlyReadsIsLeft(t *testing.T) {
	t.Parallel()
	pool, err := postgres.Connect(t.Context(), pgtest.URL(t), postgres.PoolOptions{MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(t.Context(), "SET default_transaction_read_only TO on"); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), "CREATE TABLE kept (n int)"); !postgres.IsOutage(err) {
		t.Errorf("a write is answered with %v", err)
	}
	if _, err := pool.Exec(t.Context(), "CREATE TABLE kept (n int)"); err != nil {
		t.Errorf("the next one with %v", err)
	}
}

// Long values are compressed with LZ4 by every connection of the pool, where the
// server knows it; one that does not is connected to all the same.
func TestLongValuesAreCompressedWithLZ4(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	var known bool
	if err := pool.QueryRow(t.Context(), `select exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals))`).Scan(&known); err != nil {
		t.Fatal(err)
	}
	if !known {
		t.Skip("this server has no LZ4")
	}
	exec1(t, pool, "create table long_values (v text)")
	exec1(t, pool, "insert into long_values select repeat('a walk of many steps ', 1000)")
	var method string
	if err := pool.QueryRow(t.Context(), "select pg_column_compression(v) from long_values").Scan(&method); err != nil || method != "lz4" {
		t.Errorf("compressed with %q: %v", method, err)
	}
}
