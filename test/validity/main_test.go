package validity

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// traceDir is where -trace puts the traces.
var traceDir = flag.String("trace", "", "a directory for one trace a walk in plain text, and for the last picture of each walk that ended short of its goal")

// walker is the browser of all tests.
var walker *Walker

// atOnce is how many walks run at a time: they wait for pages as much as they compute.
const atOnce = 5

// seedOf is the seed of the personas and of the walks.
const seedOf = 2026

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		var err error
		if walker, err = NewWalker(atOnce); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		code := m.Run()
		if err := walker.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

// keep writes the traces of results where -trace says.
func keep(t *testing.T, results []Result) {
	t.Helper()
	for i := range results {
		if *traceDir == "" {
			return
		}
		if err := results[i].Keep(*traceDir); err != nil {
			t.Error(err)
		}
	}
}
