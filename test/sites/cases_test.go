package sites

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// quick lets slow pages be slow for a moment only.
func quick(faults []Fault) []Fault {
	out := slices.Clone(faults)
	for i := range out {
		if out[i].Kind == "slow_page" {
			out[i].Dose = 30
		}
	}
	return out
}

func TestNormalWaysReachTheirGoals(t *testing.T) {
	t.Parallel()
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site, task, _ := strings.Cut(name, "/")
			w := newWalker(t, site, Options{})
			if err := w.walk(way); err != nil {
				t.Fatalf("stuck at %s with %d: %v", w.path, w.status, err)
			}
			if goal := taskOf(t, site, task).Truth; !w.reached(goal) || w.refused > 0 {
				t.Errorf("the way does not reach %s, or was refused %d times", goal, w.refused)
			}
		})
	}
}

func TestCasesBlockOnlyWhatTheyShould(t *testing.T) {
	t.Parallel()
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			way := ways[c.Site+"/"+c.Task]
			if len(way) == 0 {
				t.Fatal("nobody has described the way of this task")
			}
			w := newWalker(t, c.Site, Options{Faults: quick(c.Faults), Decoys: c.Decoys})
			err := w.walk(way)
			if err != nil && !errors.Is(err, errStuck) {
				t.Fatal(err)
			}
			blocked := slices.IndexFunc(c.Faults, func(f Fault) bool { return f.Effect() == Blocking })
			done := w.reached(taskOf(t, c.Site, c.Task).Truth)
			switch {
			case blocked >= 0 && (err == nil || done):
				t.Errorf("the way goes through %s", c.Faults[blocked].Kind)
			case blocked >= 0 && w.path != c.Faults[blocked].Path:
				t.Errorf("the way ends at %s rather than at %s", w.path, c.Faults[blocked].Path)
			case blocked < 0 && (err != nil || !done):
				t.Errorf("the way ends at %s with %d: %v", w.path, w.status, err)
			}
		})
	}
}

func TestCasesAreManyAndNamedOnce(t *testing.T) {
	t.Parallel()
	single, several := 0, 0
	names := map[string]bool{}
	sitesOf := map[string]map[string]bool{}
	halves := map[string]int{}
	for _, c := range Cases() {
		if names[c.Name] {
			t.Errorf("two cases are called %s", c.Name)
		}
		names[c.Name] = true
		halves[c.Half()]++
		if len(c.Faults) > 1 {
			several++
			if len(c.Faults) > 5 || len(c.Decoys) == 0 {
				t.Errorf("%s has %d faults and %d decoys", c.Name, len(c.Faults), len(c.Decoys))
			}
			continue
		}
		single++
		k := c.Faults[0].Kind
		if sitesOf[k] == nil {
			sitesOf[k] = map[string]bool{}
		}
		sitesOf[k][c.Site] = true
	}
	if single < 130 || several < 12 {
		t.Errorf("%d cases with one fault and %d with several", single, several)
	}
	for _, k := range FaultKinds() {
		if len(sitesOf[k]) < 5 {
			t.Errorf("%s is tried on %d sites", k, len(sitesOf[k]))
		}
	}
	t.Logf("%d single, %d mixed, halves %v", single, several, halves)
}
