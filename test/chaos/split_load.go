package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"understudy/test/harness"
	"understudy/test/sites"
)

const (
	// tryLimit is after how long a client turns to another process.
	tryLimit = 3 * time.Second
	// settleEach bounds the wait for the end of a test, once all faults are over.
	settleEach = 3 * time.Minute
)

// verdict is what a test has come to.
type verdict struct {
	status    string
	completed int
	passed    bool
	scores    map[string]float64
}

// acknowledgement is a test that a client was told of.
type acknowledgement struct {
	id   string
	seed int64
	// asked: it was to be cancelled; cancelled: that was acknowledged.
	asked, cancelled bool
}

// splitLoad is clients that create tests at whichever process answers.
type splitLoad struct {
	name    string
	apis    []*harness.Service
	client  func(*harness.Service) harness.Client
	seed    uint64
	body    map[string]any // of every test, but for its seed
	seeds   []int64        // what a test comes to follows from its seed
	writers int            // create tests at the same time, each one after a pause
	pause   time.Duration
	waits   bool              // for the end of a test before the next one
	wanted  map[int64]verdict // by seed, as it is without faults

	mu     sync.Mutex
	made   []acknowledgement
	others []string // tests of its own, as probes
	probes int
	tries  int // that got no answer, or 5xx

	lost, wrong int
}

// sandboxLoad is three clients of the sandbox.
func sandboxLoad(apis []*harness.Service, seed uint64) *splitLoad {
	return &splitLoad{
		name: "chaos", apis: apis, client: (*harness.Service).Sandbox, seed: seed, body: harness.SignUp(5), seeds: []int64{3, 7, 11, 19},
		writers: 3, pause: 600 * time.Millisecond, wanted: map[int64]verdict{},
	}
}

// liveLoad is clients that have a shop walked in real browsers, one test after the other,
// scored by what is reached alone: how long it takes is the machine's.
func liveLoad(apis []*harness.Service, seed uint64, clients int, shop string) *splitLoad {
	returns := sites.Tasks[sites.Shop][slices.IndexFunc(sites.Tasks[sites.Shop], func(t sites.Task) bool { return t.Name == "returns" })]
	return &splitLoad{
		name: "live", apis: apis, client: (*harness.Service).Live, seed: seed, seeds: []int64{5},
		body:    map[string]any{"url": shop + returns.Start, "task": returns.Task, "success": returns.Success, "sessions": 2, "criteria": []string{"task_completion"}},
		writers: clients, pause: 5 * time.Second, waits: true, wanted: map[int64]verdict{},
	}
}

// request is the body for a test of a seed.
func (l *splitLoad) request(seed int64) map[string]any {
	body := maps.Clone(l.body)
	body["seed"] = seed
	return body
}

// verdict is what follows from a test's seed.
func (l *splitLoad) verdict(t harness.Test) verdict {
	v := verdict{status: t.Status, completed: t.SessionsCompleted, scores: t.Scores}
	if t.QualityGate != nil {
		v.passed = t.QualityGate.Passed
	}
	return v
}

// know walks every seed in peace.
func (l *splitLoad) know(ctx context.Context) error {
	if l.writers == 0 {
		return nil
	}
	for _, seed := range l.seeds {
		c := l.client(l.apis[0])
		made, _, err := c.Create(ctx, l.request(seed))
		if err != nil {
			return err
		}
		ended, err := c.Await(ctx, made.ID, 50*time.Millisecond, harness.Test.Ended)
		if err != nil {
			return err
		}
		l.wanted[seed] = l.verdict(ended)
		l.others = append(l.others, made.ID)
	}
	return nil
}

// begin lets the clients work until ctx ends.
func (l *splitLoad) begin(ctx context.Context) *sync.WaitGroup {
	var all sync.WaitGroup
	for w := range l.writers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(l.seed, uint64(w)))
			for n := 0; ctx.Err() == nil; n++ {
				made := l.work(ctx, random, fmt.Sprintf("%s-%d-%d-%d", l.name, l.seed, w, n), n%8 == 7)
				if l.waits && made.ID != "" {
					l.await(ctx, random, &made)
				}
				select {
				case <-time.After(time.Duration(random.Int64N(int64(2 * l.pause)))):
				case <-ctx.Done():
				}
			}
		})
	}
	return &all
}

// work creates a test, whatever it takes, and may cancel it again. What has begun is not
// broken off: nobody would know what came of it.
func (l *splitLoad) work(ctx context.Context, random *rand.Rand, key string, cancel bool) (made harness.Test) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), recoveryLimit)
	defer stop()
	a := acknowledgement{seed: l.seeds[random.IntN(len(l.seeds))], asked: cancel}
	if !l.insist(ctx, random, http.MethodPost, "/tests", l.request(a.seed), &made, "Idempotency-Key", key) {
		return made
	}
	a.id = made.ID
	if cancel {
		a.cancelled = l.insist(ctx, random, http.MethodDelete, "/tests/"+a.id, nil, nil)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made = append(l.made, a)
	return made
}

// insist makes a request at one process after the other until it is answered, and reports
// whether it was carried out.
func (l *splitLoad) insist(ctx context.Context, random *rand.Rand, method, path string, body, into any, headers ...string) bool {
	for ctx.Err() == nil {
		c := l.client(l.apis[random.IntN(len(l.apis))])
		trying, stop := context.WithTimeout(ctx, tryLimit)
		err := once(trying, c, method, path, body, into, headers...)
		stop()
		var refused *harness.Refused
		switch {
		case err == nil:
			return true
		case errors.As(err, &refused) && refused.StatusCode < http.StatusInternalServerError && refused.Header.Get("Retry-After") == "":
			return false // 429, and 409 of a key whose first request still runs, are to be sent again
		}
		l.mu.Lock()
		l.tries++
		l.mu.Unlock()
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return false
}

// once makes a request one time.
func once(ctx context.Context, c harness.Client, method, path string, body, into any, headers ...string) error {
	a, err := c.Send(ctx, method, path, body, headers...)
	if err != nil {
		return err
	}
	if a.StatusCode >= http.StatusMultipleChoices {
		return &harness.Refused{Answer: a}
	}
	return a.Decode(into)
}

// probe returns once a test that is created now has been walked and judged.
func (l *splitLoad) probe(ctx context.Context) error {
	random := rand.New(rand.NewPCG(l.seed, uint64(1000+l.probes)))
	l.probes++
	body := harness.SignUp(1)
	var test harness.Test
	if !l.insist(ctx, random, http.MethodPost, "/tests", body, &test, "Idempotency-Key", fmt.Sprintf("probe-%d-%d", l.seed, l.probes)) {
		return errors.Join(context.Cause(ctx), errors.New("no new test is taken"))
	}
	l.others = append(l.others, test.ID)
	if !l.await(ctx, random, &test) {
		return fmt.Errorf("%w: a new test, %s, is not walked: %s", context.Cause(ctx), test.ID, test.Status)
	}
	if test.Status != "completed" {
		return fmt.Errorf("a new test, %s, is %s", test.ID, test.Status)
	}
	return nil
}

// await asks one process after the other for a test until it has ended, and reports whether
// it has.
func (l *splitLoad) await(ctx context.Context, random *rand.Rand, test *harness.Test) bool {
	for !test.Ended() {
		if !l.insist(ctx, random, http.MethodGet, "/tests/"+test.ID, nil, test) {
			return false
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return true
}

func (l *splitLoad) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.made)
}

// acknowledged are the tests that anybody was told of.
func (l *splitLoad) acknowledged() (ids []string) {
	ids = append(ids, l.others...)
	for _, a := range l.made {
		ids = append(ids, a.id)
	}
	return ids
}

func (l *splitLoad) figures() (tests, cancelled, tries int) {
	for _, a := range l.made {
		if a.cancelled {
			cancelled++
		}
	}
	return len(l.made), cancelled, l.tries
}

// settle waits for the end of every test, and finds what was lost or is not what it comes
// to without faults.
func (l *splitLoad) settle(ctx context.Context) (findings []string, err error) {
	c := l.client(l.apis[0])
	seen := map[string]bool{}
	for _, a := range l.made {
		if seen[a.id] {
			findings = append(findings, fmt.Sprintf("test %s was acknowledged under two keys", a.id))
		}
		seen[a.id] = true
		waiting, cancel := context.WithTimeout(ctx, settleEach)
		ended, err := c.Await(waiting, a.id, 100*time.Millisecond, harness.Test.Ended)
		cancel()
		var refused *harness.Refused
		switch {
		case errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound, err != nil && ctx.Err() == nil:
			l.lost++
			findings = append(findings, fmt.Sprintf("test %s was acknowledged: %v", a.id, err))
			continue
		case err != nil:
			return findings, err
		}
		got := l.verdict(ended)
		switch {
		case a.cancelled && got.status == "cancelled":
		case a.asked && !a.cancelled && got.status == "cancelled": // it was carried out, and the answer lost
		case a.cancelled:
			l.lost++
			findings = append(findings, fmt.Sprintf("test %s is %s, and that it was cancelled was acknowledged", a.id, got.status))
		case !reflect.DeepEqual(got, l.wanted[a.seed]):
			l.wrong++
			findings = append(findings, fmt.Sprintf("test %s of seed %d came to %+v, and without faults to %+v", a.id, a.seed, got, l.wanted[a.seed]))
		}
	}
	return findings, nil
}
