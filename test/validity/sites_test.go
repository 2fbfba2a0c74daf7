package validity

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The bounds of the regression test, below the aims that the command in bench
// measures with more walks. What is doable can be done by people as different as
// the personas, yet not every one of them keeps at it.
const (
	people          = 3
	leastCompletion = 0.70 // over all walks of doable tasks
	leastAgreement  = 0.80 // over all walks
	mostMistaken    = 0.08 // of the verdicts on tasks that somebody else was given
)

// TestSites walks every task of every site and holds the bounds that make the
// simulation worth reading: most personas can do what can be done, and the
// oracle tells the truth.
func TestSites(t *testing.T) {
	var parties []Party
	for _, e := range SiteErrands() {
		parties = append(parties, Party{Errand: e, Cast: Cast(seedOf, people), Options: Options{Picture: *traceDir != ""}})
	}
	lines := make([]string, len(parties))
	done, agreed, all, watched, mistaken := 0, 0, 0, 0, 0
	err := walker.Parties(t.Context(), parties, nil, func(i int, results []Result) error {
		truth, agree := 0, 0
		var seconds []float64
		var outcomes []string
		for j := range results {
			r := &results[j]
			truth, agree = truth+count(r.Reached), agree+count(r.Agrees())
			seconds = append(seconds, float64(r.Walked.SimulatedMS)/1000)
			outcomes = append(outcomes, r.Walked.Outcome)
			watched, mistaken = watched+r.Watched, mistaken+len(r.Mistaken)
		}
		keep(t, results)
		n := len(results)
		done, agreed, all = done+truth, agreed+agree, all+n
		slices.Sort(seconds)
		lines[i] = fmt.Sprintf("%-24s truth %d/%d, oracle agrees %d/%d, %5.1f–%5.1f s, %v", parties[i].Errand.Name, truth, n, agree, n,
			seconds[0], seconds[n-1], outcomes)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d completed, oracle agrees in %d, oracles for other tasks are mistaken in %d of %d\n%s",
		done, all, agreed, mistaken, watched, strings.Join(lines, "\n"))
	if float64(done) < leastCompletion*float64(all) {
		t.Errorf("%d of %d walks of doable tasks reached their goal, at least %.0f %% should", done, all, 100*leastCompletion)
	}
	if float64(agreed) < leastAgreement*float64(all) {
		t.Errorf("the oracle agrees with the truth in %d of %d walks, it should in %.0f %%", agreed, all, 100*leastAgreement)
	}
	if float64(mistaken) > mostMistaken*float64(watched) {
		t.Errorf("oracles for other tasks are mistaken in %d of %d walks, at most %.0f %% may be", mistaken, watched, 100*mostMistaken)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
