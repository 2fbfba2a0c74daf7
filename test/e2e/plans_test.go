package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/adapters/postgres"
	"understudy/test/harness"
	"understudy/test/patience"
)

// limitsLimit bounds each wait for what nodes tell each other.
const limitsLimit = 30 * time.Second

// quotaNow is what GET /usage says of a quota.
type quotaNow struct {
	Quota struct {
		Plan           string
		Limit, Left    *int
		Used, Reserved int
		ResetsAt       time.Time `json:"resets_at"`
	}
	Data []struct {
		Group                                     string
		Tests, Sessions, Used, Reserved, Returned int
	}
}

// nodes are two processes on one event store and one Postgres. The second can be killed.
// Nobody runs sessions: what is reserved stays so.
func nodes(t *testing.T, env ...string) (all [2]*service) {
	t.Helper()
	all, _ = nodesApart(t, env...)
	return all
}

// nodesApart are two whose second one reaches the event store by a line of its own.
func nodesApart(t *testing.T, env ...string) (all [2]*service, second *harness.Line) {
	t.Helper()
	_, address := startNode(t, nil, "--data-dir", t.TempDir(), "--insecure")
	dir, err := os.MkdirTemp("", "e2e-") //nolint:usetesting // its sockets' paths must stay short
	if err != nil {
		t.Fatal(err)
	}
	server, err := postgres.StartPrivate(context.Background(), postgres.PrivateOptions{
		DataDir: filepath.Join(dir, "postgres"), Logger: slog.New(slog.DiscardHandler),
		Settings: map[string]string{"max_connections": "200"}, // each process takes 33
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	env = append(env, harness.Loopback, "UNDERSTUDY_DATABASE_URL="+server.URL())
	second = harness.Lead(t, address)
	for i, store := range []string{address, second.Address} {
		s := harness.Prepare(t, append(env, "UNDERSTUDY_EVENTSTORE=esdb://"+store+"?tls=false")...)
		s.Args = []string{"--roles", "api,projector,reactors"}
		if i > 0 {
			s.Args[1] = "api" // the first leads the rest
			if err := all[0].Share(s); err != nil {
				t.Fatal(err)
			}
		}
		s.Begin(t)
		all[i] = &service{s}
	}
	return all, second
}

// atOnce lets n clients do something at once and waits for all of them.
func atOnce(n int, do func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { do(i) })
	}
	wg.Wait()
}

const clients = 100

// TestPlansHoldOverNodes: a hundred clients at two nodes get exactly what the plan
// allows, in requests a minute and in sessions a month; a change of the plan counts
// on both, and what never ran comes back.
func TestPlansHoldOverNodes(t *testing.T) {
	t.Parallel()
	all := nodes(t, "UNDERSTUDY_PLANS=free=30/500, pro=20000/50")
	// The rate of the live key is counted from its first request on.
	owner, key := [2]client{all[0].sandbox(), all[1].sandbox()}, [2]client{all[0].live(), all[1].live()}
	onPlan := func(plan string, rate string) {
		t.Helper()
		owner[0].send(t, http.MethodPut, "/organization/plan", map[string]any{"plan": plan}).wants(t, 200, "")
		changed := time.Now()
		for _, c := range owner {
			if err := patience.Until(t.Context(), time.Second, func() bool {
				return c.send(t, http.MethodGet, "/plans", nil).Header.Get("X-RateLimit-Limit") == rate
			}); err != nil {
				t.Errorf("%s after the plan was changed %s does not know: %v", time.Since(changed), c.Addr, err)
			}
		}
	}
	onPlan("free", "30")

	var mu sync.Mutex
	admitted, refused := map[string]int{}, map[string]int{}
	atOnce(clients, func(i int) {
		for range 3 {
			a := key[i%2].send(t, http.MethodGet, "/tests", nil)
			window := a.Header.Get("X-RateLimit-Reset")
			mu.Lock()
			if a.StatusCode == http.StatusTooManyRequests {
				refused[window]++
			} else {
				admitted[window]++
			}
			mu.Unlock()
			if a.StatusCode == http.StatusTooManyRequests && (a.Header.Get("Retry-After") == "" || a.Header.Get("X-RateLimit-Remaining") != "0") {
				t.Errorf("429 with %v", a.Header)
			}
		}
	})
	t.Logf("admitted by window: %v, refused: %v", admitted, refused)
	if len(refused) == 0 {
		t.Errorf("%d requests at 30 a minute and none was refused", 3*clients)
	}
	for window, n := range admitted {
		if n > 30 || refused[window] > 0 && n != 30 {
			t.Errorf("in the window until %s %d were admitted and %d refused", window, n, refused[window])
		}
	}

	onPlan("pro", "20000")
	one := map[string]any{"url": "http://127.0.0.1:31999/", "task": "Find the price", "sessions": 1}
	made := ask(t, key, one, nil)
	if len(made) != 50 {
		t.Errorf("%d sessions were admitted of 50", len(made))
	}
	standsAt(t, key[1], 50)
	more := key[0].send(t, http.MethodPost, "/tests", one).wants(t, http.StatusPaymentRequired, "session_quota_exceeded")
	if told := read[quotaNow](t, more).Quota; told.Left == nil || *told.Left != 0 || told.Limit == nil || *told.Limit != 50 || told.ResetsAt.Before(time.Now()) || told.ResetsAt.Day() != 1 {
		t.Errorf("402: %s", more.Body)
	}
	owner[1].send(t, http.MethodPost, "/tests", one).wants(t, http.StatusCreated, "") // the sandbox is free
	for i, id := range made {
		key[i%2].send(t, http.MethodDelete, "/tests/"+id, nil).wants(t, 200, "")
	}
	standsAt(t, key[0], 0)
	byDay := get[quotaNow](t, key[0], "/usage")
	if len(byDay.Data) == 0 || byDay.Data[0].Tests == 0 || byDay.Data[0].Returned != byDay.Data[0].Sessions {
		t.Errorf("the usage by day: %+v", byDay.Data)
	}

	// A node dies among them: nobody gets what there is not, and what was asked for
	// again under the same Idempotency-Key counts once.
	var done atomic.Int64
	made = ask(t, key, one, func() {
		if done.Add(1) == 15 {
			all[1].Killed(t)
		}
	})
	all[1].Begin(t)
	if len(made) != 50 {
		t.Errorf("with a node killed among them %d sessions were admitted of 50", len(made))
	}
	standsAt(t, key[0], 50)
	key[1].send(t, http.MethodPost, "/tests", one).wants(t, http.StatusPaymentRequired, "session_quota_exceeded")
}

// ask lets every client ask for a test, at the other node when its own has gone, and
// lists the tests that were made.
func ask(t *testing.T, at [2]client, body map[string]any, made func()) (ids []string) {
	t.Helper()
	round := time.Now().UnixNano()
	var mu sync.Mutex
	atOnce(clients, func(i int) {
		idempotency := fmt.Sprintf("client-%d-%d", round, i)
		for left, node := patience.For(limitsLimit), i; !left.Lost(); {
			a, err := at[node%2].try(t, http.MethodPost, "/tests", body, "Idempotency-Key", idempotency)
			switch {
			case err != nil:
				node++
				continue
			case a.StatusCode == http.StatusServiceUnavailable || a.StatusCode == http.StatusConflict:
				continue
			case a.StatusCode == http.StatusCreated:
				mu.Lock()
				ids = append(ids, read[harness.Test](t, a).ID)
				mu.Unlock()
				if made != nil {
					made()
				}
			default:
				a.wants(t, http.StatusPaymentRequired, "session_quota_exceeded")
			}
			return
		}
		t.Errorf("client %d got no answer", i)
	})
	return ids
}

// standsAt waits until so many sessions are held, and no more were.
func standsAt(t *testing.T, c client, held int) {
	t.Helper()
	var now quotaNow
	if err := patience.Until(t.Context(), limitsLimit, func() bool {
		now = get[quotaNow](t, c, "/usage?group_by=test&limit=100")
		if now.Quota.Used+now.Quota.Reserved > 50 {
			t.Errorf("more is held than there is: %+v", now.Quota)
		}
		return now.Quota.Used+now.Quota.Reserved == held
	}); err != nil {
		t.Errorf("%+v, want %d to be held: %v", now.Quota, held, err)
	}
}
