package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"time"
)

// ledger is what runs of a simulation come to.
type ledger struct {
	tallies []tally
	seen    moments
}

// count tallies the answers of a run, which are the same questions every time.
func (l *ledger) count(answers ...bool) {
	if l.tallies == nil {
		l.tallies = make([]tally, len(answers))
	}
	for i, yes := range answers {
		l.tallies[i].count(yes)
	}
}

func (l *ledger) add(o *ledger) {
	if l.tallies == nil {
		l.tallies = make([]tally, len(o.tallies))
	}
	for i := range o.tallies {
		l.tallies[i].add(o.tallies[i])
	}
	l.seen.merge(o.seen)
}

// simulate does -runs runs on all processors. Each run has chance of its own,
// by -seed, what is simulated and its number, so that the answers do not depend
// on how many processors there are.
func (b *bench) simulate(ctx context.Context, what string, run func(chance *rand.Rand, run int, l *ledger) error) (*ledger, error) {
	began := time.Now()
	h := fnv.New64a()
	fmt.Fprint(h, b.seed, " ", what)
	seed := h.Sum64()
	n := runtime.GOMAXPROCS(0)
	ledgers, failed := make([]ledger, n), make([]error, n)
	var workers sync.WaitGroup
	for w := range n {
		workers.Go(func() {
			for i := w; i < b.runs && failed[w] == nil; i += n {
				if failed[w] = ctx.Err(); failed[w] == nil {
					failed[w] = run(rand.New(rand.NewPCG(seed, uint64(i))), i, &ledgers[w])
				}
			}
		})
	}
	workers.Wait()
	var all ledger
	for w := range n {
		if failed[w] != nil {
			return nil, fmt.Errorf("%s: %w", what, failed[w])
		}
		if ledgers[w].tallies != nil {
			all.add(&ledgers[w])
		}
	}
	fmt.Fprintf(os.Stderr, "%s: %d runs, %s\n", what, b.runs, time.Since(began).Round(time.Second))
	return &all, nil
}

// moments are sums over pairs of values.
type moments struct{ n, a, b, aa, bb, ab float64 }

func (m *moments) add(a, b float64) {
	m.n, m.a, m.b, m.aa, m.bb, m.ab = m.n+1, m.a+a, m.b+b, m.aa+a*a, m.bb+b*b, m.ab+a*b
}

func (m *moments) merge(o moments) {
	m.n, m.a, m.b, m.aa, m.bb, m.ab = m.n+o.n, m.a+o.a, m.b+o.b, m.aa+o.aa, m.bb+o.bb, m.ab+o.ab
}

// effect is Cohen's d, the difference of the means in units of the standard
// deviation of one side (the root of the mean of both variances), and the
// correlation of the pairs.
func (m *moments) effect() (d, rho float64) {
	a, b := m.a/m.n, m.b/m.n
	varA, varB, both := m.aa/m.n-a*a, m.bb/m.n-b*b, m.ab/m.n-a*b
	return (b - a) / math.Sqrt((varA+varB)/2), both / math.Sqrt(varA*varB)
}
