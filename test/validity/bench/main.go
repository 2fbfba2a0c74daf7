// Command bench measures how true the simulation is: every aim of the project,
// one row each, with the share or mean that was measured, its 95 % interval
// (Wilson's of a proportion, Student's of a mean) and whether the aim is met.
// It asserts nothing; progress goes to stderr, the table to stdout.
//
//	go run ./test/validity/bench [-only clean,defects,…] [-half test] [-people 10] [-case shop/] [-v]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"understudy/test/validity"
)

// section is a group of measurements.
type section struct {
	name, about string
	run         func(ctx context.Context, b *bench) error
}

// sections are in the order in which they run and are printed.
var sections = []section{
	{"clean", "tasks of sites without faults", measureClean},
	{"severity", "severe issues on sites without faults", measureSeverity},
	{"defects", "injected faults", measureDefects},
	{"repair", "the same after a repair", measureRepair},
	{"doses", "more of a fault is worse", measureDoses},
	{"impaired", "impairments and impatience", measureImpaired},
	{"facets", "the same people with one facet changed", measureFacets},
	{"sandbox", "the same on the sandbox's site", measureSandbox},
	{"repeat", "one seed twice", measureRepeat},
	{"seeds", "another seed", measureSeeds},
	{"foreign", "pages of others", measureForeign},
	{"study", "comparisons of scores drawn at random", measureStudy},
	{"ab", "comparisons of two designs, end to end", measureAB},
	{"cost", "what walking costs", measureCost},
}

// bench is one run.
type bench struct {
	walker  *validity.Walker
	half    string // of the cases: tuning, test or all
	people  int    // 0: as many as the section needs
	match   string // substring of the names of cases and errands
	levels  string // of facets: parts of their names, with commas between them
	seed    uint64
	verbose bool
	trace   string
	shelved string // a directory of walks that are kept
	runs    int    // of each simulation of the study
	table   table

	walks      int
	took, used time.Duration // for these walks: on the clock, and of all processors
	broken     []string
	remarks    []string         // printed below the table
	tests      map[string]*test // what was walked, by job.key
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	b := &bench{tests: map[string]*test{}}
	only := flag.String("only", "", "comma-separated sections instead of all: "+strings.Join(sectionNames(), ", "))
	flag.StringVar(&b.half, "half", "all", "which half of the cases: tuning, test or all (aims are those of the test half)")
	flag.IntVar(&b.people, "people", 0, "personas in each test; 0 is what the section needs (12 on clean sites, 10 elsewhere)")
	flag.StringVar(&b.match, "case", "", "only cases and errands whose name holds this text")
	flag.StringVar(&b.levels, "level", "", "facets, sandbox: only levels whose name holds one of these, separated by commas")
	workers := flag.Int("workers", max(4, 2*runtime.NumCPU()), "walks at a time")
	flag.Uint64Var(&b.seed, "seed", 2026, "draws other personas and walks")
	flag.BoolVar(&b.verbose, "v", false, "print breakdowns by kind and site, and what was missed, below the table")
	flag.StringVar(&b.trace, "trace", "", "a directory for the trace of each walk and the picture of each that fell short")
	flag.StringVar(&b.shelved, "keep", "", "a directory for the walks: those that it has are judged again, not walked, whatever code walked them")
	flag.IntVar(&b.runs, "runs", 10_000, "runs of each simulation of the study")
	flag.Parse()
	if b.runs < 1 {
		return fmt.Errorf("-runs: %d is not a number of runs: at least 1", b.runs)
	}
	wanted, err := choose(*only)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"tuning", "test", "all"}, b.half) {
		return fmt.Errorf("-half: %q is not tuning, test or all", b.half)
	}
	if b.walker, err = validity.NewWalker(*workers); err != nil {
		return err
	}
	defer func() {
		if closed := b.walker.Close(); err == nil {
			err = closed
		}
	}()
	for _, s := range wanted {
		fmt.Fprintf(os.Stderr, "%s: %s …\n", s.name, s.about)
		if err = s.run(ctx, b); err != nil {
			err = fmt.Errorf("%s: %w", s.name, err)
			break // an hour's measurements are shown all the same
		}
	}
	b.print()
	return err
}

func (b *bench) print() {
	fmt.Printf("seed %d, %s half of the cases, %d CPUs\n\n", b.seed, b.half, runtime.NumCPU())
	b.table.print(os.Stdout)
	for _, list := range [][]string{b.broken, b.remarks} {
		if len(list) > 0 {
			fmt.Printf("\n%s\n", strings.Join(list, "\n"))
		}
	}
}

// note keeps a line for below the table when that is asked for.
func (b *bench) note(format string, args ...any) {
	if b.verbose {
		b.remarks = append(b.remarks, fmt.Sprintf(format, args...))
	}
}

func sectionNames() []string {
	var out []string
	for _, s := range sections {
		out = append(out, s.name)
	}
	return out
}

func choose(only string) ([]section, error) {
	if only == "" {
		return sections, nil
	}
	names := strings.Split(only, ",")
	var out []section
	for _, s := range sections {
		if slices.Contains(names, s.name) {
			out = append(out, s)
		}
	}
	if len(out) != len(names) {
		return nil, fmt.Errorf("-only: %q names an unknown section; there are %s", only, strings.Join(sectionNames(), ", "))
	}
	return out, nil
}
