// Command chaos breaks parts of the service while they work hard, and checks
// that nothing that was promised is lost.
//
//	go run ./test/chaos [-only store|deliveries|split] [-kills N] [-within 1s] [-writers 64] [-deliveries 10000] [-binary bin/understudy] [-other BINARY] [-seed N]
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
// read-only, and cuts, holds up and slows the lines to both, under load; it holds
// every acknowledged request, every verdict and every delivery against what is there,
// and measures how soon after a fault a new test has been walked. With -other the
// processes are of two releases.
//
// The exit code is 1 when anything was lost, duplicated or torn.
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
	"strings"
	"syscall"
	"time"
)

// settings of a run, the same for every trial.
type settings struct {
	kills   int
	within  time.Duration // a kill comes this long after the start at most
	writers int           // the most writers at a time
	seed    uint64
	keep    bool // the directory stays, for looking at it

	deliveries int    // are begun at least
	binary     string // the service
	other      string // another release of it, "" for none
}

// trial is one way to break something. It returns an error when it could not
// be run, and errBroken, after saying what, when a promise was broken.
type trial struct {
	name  string
	kills int // unless told otherwise
	run   func(ctx context.Context, s settings, out io.Writer) error
}

var trials = []trial{{"store", 300, tryStore}, {"deliveries", 100, tryDeliveries}, {"split", 120, trySplit}}

// errBroken says that something was lost, duplicated or torn.
var errBroken = errors.New("what was acknowledged is not what is there")

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

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	s := settings{}
	names := make([]string, len(trials))
	for i, t := range trials {
		names[i] = t.name
	}
	only := flags.String("only", "", "one trial instead of all: "+strings.Join(names, ", "))
	flags.IntVar(&s.kills, "kills", 0, "how often something is broken; 0 is 300 times for the store, 100 for deliveries, 120 for split")
	flags.IntVar(&s.deliveries, "deliveries", 10_000, "how many deliveries are begun at least")
	flags.StringVar(&s.binary, "binary", "bin/understudy", "the service, for the deliveries")
	flags.StringVar(&s.other, "other", "", "another release of the service, which about half of the processes of split are of")
	flags.DurationVar(&s.within, "within", time.Second, "a kill comes at a random moment up to this long after the start")
	flags.IntVar(&s.writers, "writers", 64, "the most writers at a time")
	flags.Uint64Var(&s.seed, "seed", 0, "what the load and the moments are drawn from; 0 draws one")
	flags.BoolVar(&s.keep, "keep", false, "leave the directory for a look")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if s.kills < 0 || s.writers < 1 || s.within <= 0 || s.deliveries < 1 {
		return errors.New("-kills, -writers, -within and -deliveries are more than 0")
	}
	for s.seed == 0 {
		s.seed = rand.Uint64() >> 32
	}
	binary, err := filepath.Abs(s.binary)
	if err != nil {
		return err
	}
	s.binary = binary
	if s.other != "" {
		if s.other, err = filepath.Abs(s.other); err != nil {
			return err
		}
	}
	known := *only == ""
	for _, t := range trials {
		if *only != "" && *only != t.name {
			continue
		}
		known = true
		s := s
		if s.kills == 0 {
			s.kills = t.kills
		}
		fmt.Fprintf(out, "%s: %d kills, seed %d (again with -seed %d; moments depend on the machine too)\n", t.name, s.kills, s.seed, s.seed)
		if err := t.run(ctx, s, out); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	if !known {
		return fmt.Errorf("-only: there is no trial %q", *only)
	}
	return nil
}
