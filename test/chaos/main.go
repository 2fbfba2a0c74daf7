// Command chaos breaks parts of the service while they work hard, and checks
// that nothing that was promised is lost.
//
//	go run ./test/chaos [-only store|deliveries|split] [-kills N | -for 10m] [-within 1s] [-writers 64] [-deliveries 10000]
//		[-live 1] [-recovery 5s] [-binary BINARY] [-other BINARY] [-seed N]
//
// Trial "store" runs the embedded event store as a process of its own, kills
// it with SIGKILL at random moments of heavy appends, starts it again on the
// same directory, and holds what is there against what was acknowledged.
//
// Trial "deliveries" runs the whole service, kills it while it delivers webhooks
// to endpoints that answer late or refuse at times, and holds what arrived
// against what had happened.
//
// Trial "split" runs the service as nine processes over one event store and one
// Postgres, kills, pauses and restarts them, the store and Postgres, makes Postgres
// read-only, cuts, holds up and slows the lines to both, and sets the clock of one
// process, under load of its sandbox and of real browsers, at times two of it at once; it
// holds every acknowledged request, every verdict and every delivery against what is
// there, and measures how soon after a fault a new test has been walked. With -other the
// processes are of two releases.
//
// The service is built here, with clocks that can be set, unless a binary is named.
//
// The exit code is 1 when anything was lost, duplicated or torn, or a new test was
// walked later after a fault than -recovery.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"understudy/test/harness"
)

// settings of a run, the same for every trial.
type settings struct {
	kills   int
	lasts   time.Duration // is broken for so long instead, 0: as often as kills
	within  time.Duration // a kill comes this long after the start at most
	writers int           // the most writers at a time
	seed    uint64
	keep    bool // the directory stays, for looking at it

	deliveries int           // are begun at least
	live       int           // clients of real browsers
	recovery   time.Duration // a new test is to be walked so soon after a fault
	binary     string        // the service
	other      string        // another release of it, "" for none
}

// goesOn reports whether there is more to break after so many kills since the first.
func (s settings) goesOn(kills int, since time.Time) bool {
	if s.lasts > 0 {
		return time.Since(since) < s.lasts
	}
	return kills < s.kills
}

// of tells the n-th kill among all.
func (s settings) of(n int) string {
	if s.lasts > 0 {
		return fmt.Sprintf("%3d", n)
	}
	return fmt.Sprintf("%3d of %d", n, s.kills)
}

// trial is one way to break something. It returns an error when it could not
// be run, and errBroken, after saying what, when a promise was broken.
type trial struct {
	name   string
	kills  int  // unless told otherwise
	serves bool // runs the service
	run    func(ctx context.Context, s settings, out io.Writer) error
}

var trials = []trial{{"store", 300, false, tryStore}, {"deliveries", 100, true, tryDeliveries}, {"split", 120, true, trySplit}}

var (
	// errBroken says that something was lost, duplicated or torn.
	errBroken = errors.New("what was acknowledged is not what is there")
	// errSlow says that a recovery took too long.
	errSlow = errors.New("a new test was walked too late after a fault")
)

func main() {
	if dir := os.Getenv(nodeEnv); dir != "" {
		serveNode(dir)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	s, chosen, err := choose(args)
	if err != nil {
		return err
	}
	if s.binary == "" && slices.ContainsFunc(chosen, func(t trial) bool { return t.serves }) {
		dir, err := os.MkdirTemp("", "chaos")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		flags, err := clocked(ctx, dir)
		if err == nil {
			s.binary, err = harness.Build(ctx, dir, flags...)
		}
		if err != nil {
			return err
		}
	}
	for _, t := range chosen {
		s := s
		if s.kills == 0 {
			s.kills = t.kills
		}
		often := fmt.Sprintf("%d kills", s.kills)
		if s.lasts > 0 {
			often = s.lasts.String()
		}
		fmt.Fprintf(out, "%s: %s, seed %d (again with -seed %d; moments depend on the machine too)\n", t.name, often, s.seed, s.seed)
		if err := t.run(ctx, s, out); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// choose reads what the command line asks for.
func choose(args []string) (s settings, chosen []trial, err error) {
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	names := make([]string, len(trials))
	for i, t := range trials {
		names[i] = t.name
	}
	only := flags.String("only", "", "one trial instead of all: "+strings.Join(names, ", "))
	flags.IntVar(&s.kills, "kills", 0, "how often something is broken; 0 is 300 times for the store, 100 for deliveries, 120 for split")
	flags.DurationVar(&s.lasts, "for", 0, "break things for so long instead of so often")
	flags.IntVar(&s.deliveries, "deliveries", 10_000, "how many deliveries are begun at least")
	flags.IntVar(&s.live, "live", 1, "how many clients of split have pages walked in real browsers")
	flags.DurationVar(&s.recovery, "recovery", 5*time.Second, "how soon after a fault of split a new test is to be walked")
	flags.StringVar(&s.binary, "binary", "", "the service, instead of one that is built with clocks that can be set")
	flags.StringVar(&s.other, "other", "", "another release of the service, which about half of the processes of split are of")
	flags.DurationVar(&s.within, "within", time.Second, "a kill comes at a random moment up to this long after the start")
	flags.IntVar(&s.writers, "writers", 64, "the most writers at a time")
	flags.Uint64Var(&s.seed, "seed", 0, "what the load and the moments are drawn from; 0 draws one")
	flags.BoolVar(&s.keep, "keep", false, "leave the directory for a look")
	if err := flags.Parse(args); err != nil {
		return s, nil, err
	}
	if flags.NArg() > 0 {
		return s, nil, fmt.Errorf("%q is no flag: a trial is named with -only", flags.Arg(0))
	}
	if s.kills < 0 || s.lasts < 0 || s.live < 0 || s.writers < 1 || s.within <= 0 || s.deliveries < 1 || s.recovery <= 0 {
		return s, nil, errors.New("-writers, -within, -deliveries and -recovery are more than 0, and nothing is less")
	}
	if s.kills > 0 && s.lasts > 0 {
		return s, nil, errors.New("-kills and -for exclude each other")
	}
	for s.seed == 0 {
		s.seed = rand.Uint64() >> 32
	}
	for _, path := range []*string{&s.binary, &s.other} {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return s, nil, err
		}
	}
	chosen = slices.DeleteFunc(slices.Clone(trials), func(t trial) bool { return *only != "" && *only != t.name })
	if len(chosen) == 0 {
		return s, nil, fmt.Errorf("-only: there is no trial %q", *only)
	}
	return s, chosen, nil
}
