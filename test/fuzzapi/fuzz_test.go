package fuzzapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

var (
	requests = flag.Int("requests", 3000, "how many requests are sent, after some for each operation to begin with")
	seed     = flag.Uint64("seed", 1, "what requests are made of; 0: others each time")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(harness.Main(m, "node"))
}

// callers is how many ask at a time.
const callers = 6

// TestNoRequestMakesTheServiceFail: whatever is sent, the service answers as its
// document says, never with a failure, and goes on as before.
func TestNoRequestMakesTheServiceFail(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano()) //nolint:gosec // any number will do
	}
	t.Logf("%d requests of the seed %d: go test ./test/fuzzapi -args -requests %d -seed %d", *requests, *seed, *requests, *seed)
	const rate = "10000000"
	s := harness.Run(t, harness.Loopback, harness.Quiet,
		"UNDERSTUDY_PLANS=free="+rate+"/2,starter="+rate+"/2,pro="+rate+"/2,team="+rate+"/2",
		"UNDERSTUDY_CAPS=tests=40, sessions=120, webhooks=12, personas=60, streams=50")
	hook := harness.Receive("", nil)
	t.Cleanup(hook.Close)
	f := newFuzz(t, s, hook.URL)
	f.begin(t, s)

	var next atomic.Int64
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for i := next.Add(1); int(i) <= *requests; i = next.Add(1) {
				m := f.maker(uint64(i)) //nolint:gosec // it counts
				op := f.doc.operations[int(i)%len(f.doc.operations)]
				f.send(m.request(op, f.caller(m), pick(m, valid, valid, valid, nearly, nearly, wrong)))
			}
		})
	}
	all.Wait()
	f.report(t)
	f.secondOpinion(t)
	f.goesOn(t, s)
}

// fuzz is a run.
type fuzz struct {
	ctx      context.Context
	service  *harness.Service
	doc      *document
	world    *world
	loopback string
	client   *http.Client

	mu     sync.Mutex
	counts map[string]map[int]int // by operation and status
	faults map[string]found       // by what is wrong
	slow   time.Duration
	// samples are answers to be held against their schemas once more.
	samples map[string][]sample // by schema
	served  json.RawMessage     // the document
}

// found is a fault with the first request that met it.
type found struct {
	times   int
	example string
}

func newFuzz(t *testing.T, s *harness.Service, loopback string) *fuzz {
	t.Helper()
	a, err := s.Sandbox().Send(t.Context(), http.MethodGet, "/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := readDocument(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	f := &fuzz{
		ctx: t.Context(), service: s, doc: doc, world: newWorld(), loopback: loopback,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers, DisableCompression: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: harness.RequestLimit},
		counts: map[string]map[int]int{}, faults: map[string]found{}, samples: map[string][]sample{}, served: a.Body,
	}
	t.Cleanup(f.client.CloseIdleConnections)
	// The keys that the run itself uses stay as they are.
	for _, c := range []harness.Client{s.Live(), s.Sandbox()} {
		a, err := c.Send(t.Context(), http.MethodGet, "/keys", nil)
		if err != nil {
			t.Fatal(err)
		}
		f.world.learn("/keys", nil, a.Body)
	}
	f.world.keep("key")
	return f
}

// caller is who makes a request: mostly the owner in the sandbox.
func (f *fuzz) caller(m maker) caller {
	switch n := m.IntN(100); {
	case n < 76:
		return caller{"Bearer " + f.service.Keys.Test, false}
	case n < 90:
		return caller{"Bearer " + f.service.Keys.Live, true}
	case n < 95:
		if key, ok := f.world.key(m.Rand); ok {
			return caller{"Bearer " + key, false}
		}
		return caller{}
	case n < 97:
		return caller{}
	default:
		return caller{pick(m, "Bearer", "Bearer x", "Basic Og==", "Bearer svc_test_"+strings.Repeat("a", 43), "Bearer "+strings.Repeat("é", 500), f.service.Keys.Test), false}
	}
}

// maker makes the nth request.
func (f *fuzz) maker(n uint64) maker {
	return maker{rand.New(rand.NewPCG(*seed, n)), f.doc, f.world, f.loopback}
}

// begin makes requests as the document allows them for every operation, until one
// of each has succeeded: what comes later then meets what is there.
func (f *fuzz) begin(t *testing.T, s *harness.Service) {
	t.Helper()
	owner := caller{"Bearer " + s.Keys.Test, false}
	n := uint64(1) << 32
	try := func(op *operation, times int) (done bool) {
		for ; times > 0 && !done; times-- {
			n++
			m := f.maker(n)
			status := f.send(m.request(op, owner, valid))
			done = status > 0 && status < http.StatusMultipleChoices
		}
		return done
	}
	create := f.doc.operations[slices.IndexFunc(f.doc.operations, func(op *operation) bool { return op.id == "createTest" })]
	creates := func(op *operation) bool { return op.method == http.MethodPost && !strings.Contains(op.path, "{") }
	left := slices.DeleteFunc(slices.Clone(f.doc.operations), func(op *operation) bool { return unreachable[op.id] })
	rank := func(op *operation) int {
		return slices.Index([]string{"POST", "GET", "PUT", "PATCH", "DELETE"}, op.method)
	}
	slices.SortStableFunc(left, func(a, b *operation) int { return cmp.Compare(rank(a), rank(b)) })
	const rounds = 80
	for range rounds {
		for _, op := range f.doc.operations {
			switch { // again, for what has happened meanwhile
			case creates(op):
				try(op, 3)
			case op.method == http.MethodGet:
				try(op, 1)
			}
		}
		f.settled(t, s)
		waiting := slices.ContainsFunc(left, func(op *operation) bool { return op.method != http.MethodDelete })
		left = slices.DeleteFunc(left, func(op *operation) bool {
			if op.method != http.MethodDelete {
				return try(op, 4)
			}
			for range 4 {
				if waiting {
					return false
				}
				try(create, 2) // which cannot have ended yet
				if try(op, 2) {
					return true
				}
			}
			return false
		})
		if len(left) == 0 {
			return
		}
	}
	for _, op := range left {
		t.Errorf("%s: some %d requests that the document allows, and none has succeeded", op.id, 4*rounds)
	}
}

// unreachable are operations that succeed only on what people make on pages: a
// second member, an application that was allowed something. The last ends it all.
var unreachable = map[string]bool{"changeMember": true, "removeMember": true, "revokeOAuthGrant": true, "deleteOrganization": true}

// settled waits until a test has a report.
func (f *fuzz) settled(t *testing.T, s *harness.Service) {
	t.Helper()
	test, _, err := s.Sandbox().Create(t.Context(), harness.SignUp(2))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := patience.Context(t.Context(), settleLimit)
	defer cancel()
	if test, err = s.Sandbox().Await(ctx, test.ID, 50*time.Millisecond, harness.Test.Ended); err != nil || test.Status != "completed" {
		t.Fatalf("an ordinary test in the sandbox: %+v: %v", test, err)
	}
	raw, err := json.Marshal(object{"id": test.ID})
	if err != nil {
		t.Fatal(err)
	}
	f.world.learn("", http.Header{}, raw)
}

// settleLimit bounds a test of two sessions in the sandbox.
const settleLimit = 30 * time.Second

// send sends a request and looks at the answer, whose status it returns, 0 for none.
func (f *fuzz) send(q *request) (status int) {
	r, err := http.NewRequestWithContext(f.ctx, q.method, "http://"+f.service.Addr, bytes.NewReader(q.body))
	if err != nil {
		f.fault(q, "the client cannot make it: "+err.Error(), "")
		return 0
	}
	r.URL.Opaque, r.URL.RawQuery = "//"+f.service.Addr+"/v1"+q.path, q.query
	r.Header = q.header
	began := time.Now()
	res, err := f.client.Do(r)
	if err != nil {
		f.fault(q, "no answer", err.Error())
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	var raw []byte
	if res.StatusCode != http.StatusSwitchingProtocols {
		if raw, err = io.ReadAll(res.Body); err != nil {
			f.fault(q, "half an answer", err.Error())
			return 0
		}
	}
	f.count(q.op.id, res.StatusCode, time.Since(began))
	for _, fault := range f.doc.faults(q, res, raw) {
		f.fault(q, fmt.Sprintf("%s %d: %s", q.op.id, res.StatusCode, fault), fmt.Sprintf("%v %.1500s", res.Header, raw))
	}
	f.sample(q, res, raw)
	if res.StatusCode < http.StatusMultipleChoices && q.method != http.MethodHead {
		f.world.learn(q.path, res.Header, raw)
	}
	return res.StatusCode
}

func (f *fuzz) count(id string, status int, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts[id] == nil {
		f.counts[id] = map[int]int{}
	}
	f.counts[id][status]++
	f.slow = max(f.slow, took)
}

func (f *fuzz) fault(q *request, what, answer string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.faults[what]
	if was.times++; was.times == 1 {
		was.example = fmt.Sprintf("%v\nanswered %s", q, answer)
	}
	f.faults[what] = was
}

// report prints what was asked and answered, and tells what was wrong.
func (f *fuzz) report(t *testing.T) {
	t.Helper()
	var b strings.Builder
	total := map[int]int{}
	line := func(name string, counts map[int]int) {
		sum := 0
		for _, n := range counts {
			sum += n
		}
		fmt.Fprintf(&b, "%-26s %7d ", name, sum)
		for _, status := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(&b, "  %d: %d", status, counts[status])
		}
		b.WriteByte('\n')
	}
	for _, op := range f.doc.operations {
		line(op.id, f.counts[op.id])
		for status, n := range f.counts[op.id] {
			total[status] += n
		}
	}
	line("all", total)
	t.Logf("requests and statuses by operation; the slowest answer took %v\n%s", f.slow.Round(time.Millisecond), b.String())
	const shown = 40
	kinds := slices.SortedFunc(maps.Keys(f.faults), func(a, b string) int {
		return cmp.Or(-cmp.Compare(f.faults[a].times, f.faults[b].times), cmp.Compare(a, b))
	})
	for i, what := range kinds {
		if i == shown {
			t.Errorf("and %d faults of other kinds", len(kinds)-shown)
			break
		}
		t.Errorf("%s times %s\n%s", strconv.Itoa(f.faults[what].times), what, f.faults[what].example)
	}
}

// goesOn: afterwards the service works, has nothing to tell, and deletes the
// organization when it is asked to by its name.
func (f *fuzz) goesOn(t *testing.T, s *harness.Service) {
	t.Helper()
	tests, err := harness.All[harness.Test](t.Context(), s.Sandbox(), "/tests?status=running")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if a, err := s.Sandbox().Send(t.Context(), http.MethodDelete, "/tests/"+test.ID, nil); err != nil || a.StatusCode != http.StatusOK && a.StatusCode != http.StatusConflict {
			t.Errorf("cancel %s: %v %s", test.ID, err, a.Body)
		}
	}
	f.settled(t, s)
	if err := patience.Until(t.Context(), settleLimit, func() bool { _, all, err := s.TakenIn(t.Context()); return err == nil && all }); err != nil {
		t.Errorf("read models and reactors do not catch up: %v", err)
	}
	var organization struct{ Name string }
	if _, err := s.Sandbox().Call(t.Context(), http.MethodGet, "/organization", nil, &organization); err != nil {
		t.Fatal(err)
	}
	a, err := s.Live().Send(t.Context(), http.MethodDelete, "/organization?organization="+url.QueryEscape(organization.Name), nil)
	if err != nil || a.StatusCode != http.StatusNoContent {
		t.Errorf("delete %q: %v %s", organization.Name, err, a.Body)
	}
	warned := 0
	for line := range strings.Lines(s.Output()) {
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "panic") {
			t.Errorf("the log says: %.2000s", line)
		}
		if strings.Contains(line, "level=WARN") {
			if warned++; warned <= 5 {
				t.Logf("a warning: %.500s", line)
			}
		}
	}
	t.Logf("%d warnings in the log", warned)
}
