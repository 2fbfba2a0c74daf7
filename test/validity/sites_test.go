package validity

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/persona"
)

// shared is the browser of all walks.
var shared *browser.Browser

// proxy is the address of the fence around it.
var proxy string

// atOnce is how many walks run at a time: they wait for pages rather than compute.
const atOnce = 6

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		cfg, err := browser.Locate(browser.Config{MaxContexts: atOnce})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		shared = browser.New(cfg)
		outer := fence()
		defer outer.Close()
		proxy = outer.URL
		code := m.Run()
		if err := shared.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

// seedOf is the seed of the personas and of the walks.
const seedOf = 2026

// TestSites walks every task of every site and holds the bounds that make the
// simulation worth reading: most personas can do what can be done, and the
// oracle tells the truth.
func TestSites(t *testing.T) {
	n := 6
	if v, err := strconv.Atoi(os.Getenv("VALIDITY_PERSONAS")); err == nil && v > 0 {
		n = v
	}
	seed := uint64(seedOf)
	if v, err := strconv.ParseUint(os.Getenv("VALIDITY_SEED"), 10, 64); err == nil {
		seed = v
	}
	people := persona.AutoDiverse(seed, n)
	var chosen []errand
	for _, e := range errands() {
		if strings.Contains(e.name, os.Getenv("VALIDITY_ONLY")) {
			chosen = append(chosen, e)
		}
	}
	results := make([][]walk, len(chosen))
	var jobs sync.WaitGroup
	seats := make(chan struct{}, atOnce)
	for i, e := range chosen {
		results[i] = make([]walk, n)
		for j, who := range people {
			seats <- struct{}{}
			jobs.Go(func() {
				defer func() { <-seats }()
				w, err := take(t, e, who, viewOf(j), seed+uint64(j))
				if err != nil {
					t.Errorf("%s, persona %d: %v", e.name, j, err)
				}
				results[i][j] = w
				keep(t, w, j)
			})
		}
	}
	jobs.Wait()
	if t.Failed() {
		return
	}
	hold(t, chosen, results)
}

// viewOf gives every other persona a phone.
func viewOf(persona int) string {
	if persona%2 == 1 {
		return browser.Mobile
	}
	return browser.Desktop
}

// The bounds of the regression test. What is doable can be done by people as
// different as the personas, yet not every one of them keeps at it.
const (
	leastCompletion = 0.80 // over all walks of doable tasks
	leastAgreement  = 0.95 // over all walks
)

// hold prints the table and checks the bounds.
func hold(t *testing.T, chosen []errand, results [][]walk) {
	t.Helper()
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-18s %6s %6s %6s %6s %8s  %s\n", "task", "truth", "oracle", "agree", "steps", "seconds", "outcomes")
	doable, done, agreed, all, besides, wrong := 0, 0, 0, 0, 0, 0
	kinds := map[string][2]int{}
	for i, e := range chosen {
		truth, verified, agree := 0, 0, 0
		var steps, seconds []float64
		outcomes := map[string]int{}
		for _, w := range results[i] {
			truth += count(w.truth)
			verified += count(w.walked.Outcome == "succeeded")
			agree += count(w.agrees())
			steps = append(steps, float64(len(w.walked.Steps)))
			seconds = append(seconds, float64(w.walked.SimulatedMS)/1000)
			outcomes[w.walked.Outcome]++
			besides, wrong = besides+w.besides, wrong+len(w.wrong)
			if e.doable {
				k := kinds[kindOf(w)]
				kinds[kindOf(w)] = [2]int{k[0] + count(w.truth), k[1] + 1}
			}
		}
		n := len(results[i])
		all, agreed = all+n, agreed+agree
		if e.doable {
			doable, done = doable+n, done+truth
		}
		fmt.Fprintf(&table, "%-18s %3d/%-2d %3d/%-2d %3d/%-2d %6.1f %8.1f  %v\n", e.name, truth, n, verified, n, agree, n,
			median(steps), median(seconds), outcomes)
	}
	fmt.Fprintf(&table, "doable tasks completed: %d of %d; the oracle agrees with the truth: %d of %d\n", done, doable, agreed, all)
	fmt.Fprintf(&table, "oracles for tasks that nobody was sent to do: %d of %d agree with the truth\n", besides-wrong, besides)
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&table, "%-14s %3d of %3d\n", k, kinds[k][0], kinds[k][1])
	}
	t.Log(table.String())
	if float64(done) < leastCompletion*float64(doable) {
		t.Errorf("%d of %d walks of doable tasks reached their goal, at least %.0f %% should", done, doable, 100*leastCompletion)
	}
	if float64(wrong) > (1-leastAgreement)*float64(besides) {
		t.Errorf("oracles for other tasks are mistaken in %d of %d walks, at most %.0f %% may be", wrong, besides, 100*(1-leastAgreement))
	}
	if float64(agreed) < leastAgreement*float64(all) {
		t.Errorf("the oracle agrees with the truth in %d of %d walks, it should in %.0f %%", agreed, all, 100*leastAgreement)
	}
}

// kindOf sorts personas by how they use a page.
func kindOf(w walk) string {
	f := w.who.Facets
	switch {
	case f.ScreenReader:
		return "screen reader"
	case f.KeyboardOnly:
		return "keyboard"
	case f.Zoom > 1:
		return "zoom"
	}
	return w.view
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// keep writes a walk's trace where VALIDITY_TRACE says.
func keep(t *testing.T, w walk, persona int) {
	t.Helper()
	dir := os.Getenv("VALIDITY_TRACE")
	if dir == "" || w.trace == "" {
		return
	}
	name := filepath.Join(dir, fmt.Sprintf("%s-%02d", strings.ReplaceAll(w.errand, "/", "-"), persona))
	if err := os.WriteFile(name+".txt", []byte(w.trace), 0o600); err != nil {
		t.Error(err)
	}
	if len(w.picture) > 0 {
		if err := os.WriteFile(name+".jpg", w.picture, 0o600); err != nil {
			t.Error(err)
		}
	}
}
