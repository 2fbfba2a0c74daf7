package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"understudy/adapters/postgres/pgtest"
	"understudy/projections"
	"understudy/projections/readmodels"
	"understudy/projections/tests"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// Nothing is dropped that was not agreed to, and what is dropped is told.
func TestCollectAsks(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	s := &storage{pool: pool}
	if err := projections.Prepare(t.Context(), pool, tests.Projection); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), `CREATE SCHEMA rm_tests_v0; CREATE TABLE rm_tests_v0.t AS SELECT generate_series(1, 100000)`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		yes        bool
		in         string
		says, not  string
		schemasNow int
	}{
		{in: "", says: "nothing was dropped", not: "dropped rm_", schemasNow: 2},
		{in: "n\n", says: "nothing was dropped", not: "dropped rm_", schemasNow: 2},
		{in: "y\n", says: "dropped rm_tests_v0\nfreed 3.", not: "nothing", schemasNow: 1},
		{yes: true, says: "nothing to drop", not: "dropped rm_", schemasNow: 1},
	} {
		var out strings.Builder
		if err := collect(t.Context(), s, c.yes, strings.NewReader(c.in), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), c.says) || strings.Contains(out.String(), c.not) {
			t.Errorf("after %q: %s", c.in, out.String())
		}
		if stored, err := projections.ReadStored(t.Context(), pool); err != nil || len(stored) != c.schemasNow {
			t.Errorf("after %q: %v: %v", c.in, stored, err)
		}
	}
}

func TestReadModelsAreChosenByName(t *testing.T) {
	t.Parallel()
	if all, err := choose(nil, false); err != nil || len(all) != len(readmodels.All()) {
		t.Errorf("%d of %d: %v", len(all), len(readmodels.All()), err)
	}
	if some, err := choose([]string{"worklist", "tests"}, false); err != nil || len(some) != 2 || some[0].Name != "worklist" {
		t.Errorf("%v: %v", some, err)
	}
	if _, err := choose([]string{"test"}, false); err == nil || !strings.Contains(err.Error(), "accounts, clients") {
		t.Errorf("an unknown name: %v", err)
	}
	if _, err := choose([]string{"tests"}, true); err == nil {
		t.Error("names and --all were taken")
	}
}

// Without a terminal, a line now and then tells how far a rebuild is.
func TestProgressIsToldInLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	tell := newTeller(&out, projections.Projection{Name: "tests", Version: 4})
	tell.begin()
	tell.progress(projections.Progress{Events: 10, From: -1, Position: 10, Head: 1000})
	if out.String() != "" {
		t.Errorf("told at once: %s", out.String())
	}
	tell.began = time.Now().Add(-10 * time.Second)
	tell.told = tell.began
	tell.progress(projections.Progress{Events: 5000, From: 99, Position: 349, Head: 1099})
	if !strings.HasPrefix(out.String(), "tests v4: 25 % of the log, 5000 events, ") || !strings.Contains(out.String(), " a second, 30s left\n") {
		t.Errorf("after 10 s: %s", out.String())
	}
	out.Reset()
	tell.end(projections.Rebuilt{Events: 20000, Position: 1099, Took: 10 * time.Second, Replaced: true}, nil)
	tell.end(projections.Rebuilt{}, errors.New("told by main"))
	if out.String() != "tests v4: replaced with 20000 events in 10s, 2000 a second, at position 1099\n" {
		t.Errorf("at the end: %s", out.String())
	}
}
