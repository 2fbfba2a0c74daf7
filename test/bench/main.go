// Command bench measures the service on this machine: the program itself, its
// own Postgres and Chromium, from outside, and the event store and the
// projector by themselves. It prints one table and asserts nothing; the aims
// stand beside what was measured.
//
//	go run ./test/bench -binary bin/understudy [-against OTHER] [-busy N] [-only events,rebuild,start,long,requests,reads,auth,live,sessions,repeat,cost,sandbox,deliveries,retries,streams,memory,hour]
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// section is a group of measurements that share their parts.
type section struct {
	name string
	run  func(ctx context.Context, b *bench) error
	// long: it runs only when it is named.
	long bool
}

// sections are in the order in which they run. The event store comes first:
// its append is the baseline of the requests.
var sections = []section{
	{name: "events", run: measureEvents},
	{name: "rebuild", run: measureRebuild},
	{name: "start", run: measureStart},
	{name: "long", run: measureLong},
	{name: "requests", run: measureRequests},
	{name: "reads", run: measureReads},
	{name: "auth", run: measureAuth},
	{name: "live", run: measureLive},
	{name: "sessions", run: measureSessions},
	{name: "repeat", run: measureRepeat},
	{name: "cost", run: measureCost},
	{name: "sandbox", run: measureSandbox},
	{name: "deliveries", run: measureDeliveries},
	{name: "retries", run: measureRetries},
	{name: "streams", run: measureStreams},
	{name: "memory", run: measureMemory},
	{name: "hour", run: measureHour, long: true},
}

// bench is one run.
type bench struct {
	binary string
	// against is another program to hold reads and costs against, "" for none.
	against string
	// pages is a file of tests to walk in place of those of our own sites, ""
	// for none; match a part of the names of those that are wanted.
	pages, match string
	busy         int    // loops beside the second process of repeat
	dir          string // of everything it writes
	scale        int    // percent of the large numbers
	table        table
	remarks      []string // printed below the table
	// appendP50 is one durable append through the port, by itself; 0 until it
	// was measured.
	appendP50 time.Duration
}

// n is a number of things at the run's scale.
func (b *bench) n(full int) int { return max(1, full*b.scale/100) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if database := os.Getenv(bareEnv); database != "" {
		if err := bareHandler(ctx, database); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		return
	}
	work := run
	if n, is := socketsWanted(os.Args); is {
		work = func(ctx context.Context) error { return runCrowd(ctx, n, os.Stdin, os.Stdout) }
	}
	if err := work(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// socketsWanted reports whether the program is to be the crowd of a bench.
func socketsWanted(args []string) (n int, is bool) {
	if len(args) != 3 || args[1] != crowdCommand {
		return 0, false
	}
	n, err := strconv.Atoi(args[2])
	return n, err == nil
}

func run(ctx context.Context) (err error) {
	binary := flag.String("binary", "bin/understudy", "the program to measure")
	against := flag.String("against", "", "another program of the service, such as one of an older version: reads prints its ratio to it as well, from rounds in turn, and cost is measured")
	only := flag.String("only", "", "comma-separated sections instead of all: events, rebuild, start, long (a log of a million events), requests, reads, auth, live (with idle memory), sessions, repeat (one seed in two processes), cost (CPU of sessions, with -against), sandbox, deliveries, retries, streams, memory (of 500 sessions), hour (memory over an hour of load; only when named)")
	pages := flag.String("pages", "", "repeat and cost: a file with a list of bodies of POST /tests to walk, instead of all tasks of our own sites; seed, sessions and viewport stay as they are unless given")
	match := flag.String("case", "", "repeat and cost: only tests whose name (shop/order) holds this text")
	busy := flag.Int("busy", 0, "repeat: how many loops compute beside the second process")
	scale := flag.Int("scale", 100, "percent of the large numbers (a million events, 10,000 sessions, 10,000 sockets, 10,000 deliveries, 10,000 retries, 300 requests, 6 people on an errand)")
	flag.Parse()
	if *scale < 1 || *scale > 100 {
		return fmt.Errorf("-scale: %d is not a number from 1 to 100", *scale)
	}
	wanted, err := choose(*only)
	if err != nil {
		return err
	}
	b := &bench{scale: *scale, pages: *pages, match: *match, busy: *busy}
	if b.binary, err = filepath.Abs(*binary); err != nil {
		return err
	}
	if *against != "" {
		if b.against, err = filepath.Abs(*against); err != nil {
			return err
		}
	}
	if b.dir, err = os.MkdirTemp("", "understudy-bench-"); err != nil {
		return err
	}
	defer func() {
		if removed := os.RemoveAll(b.dir); err == nil {
			err = removed
		}
	}()
	before := load()
	for _, s := range wanted {
		fmt.Fprintf(os.Stderr, "measuring %s …\n", s.name)
		began := time.Now()
		if err := s.run(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(os.Stderr, "measured %s in %s\n", s.name, time.Since(began).Round(time.Second))
	}
	fmt.Printf("\n%s; load before the start %.1f\n", machine(), before)
	if before > float64(runtime.NumCPU())/2 {
		fmt.Println("The machine was busy with other work: times are longer than they need be.")
	}
	fmt.Println()
	b.table.print(os.Stdout)
	if len(b.remarks) > 0 {
		fmt.Printf("\n%s\n", strings.Join(b.remarks, "\n"))
	}
	return nil
}

func choose(only string) ([]section, error) {
	names := strings.Split(only, ",")
	var out []section
	for _, s := range sections {
		if slices.Contains(names, s.name) || only == "" && !s.long {
			out = append(out, s)
		}
	}
	if only != "" && len(out) != len(names) {
		return nil, fmt.Errorf("-only: %q names an unknown section", only)
	}
	return out, nil
}

// machine is what the numbers were measured on.
func machine() string {
	model, memory := field("/proc/cpuinfo", "model name"), field("/proc/meminfo", "MemTotal")
	if model == "" {
		model = runtime.GOARCH
	}
	return fmt.Sprintf("%d cores, %s, memory %s, %s/%s, %s",
		runtime.NumCPU(), model, memory, runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// field is the first value of a "name : value" file of /proc.
func field(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// load is the machine's load of the last minute: what else ran while it was
// measured; 0 where the system does not tell.
func load() float64 {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(raw), " ")
	minute, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0
	}
	return minute
}
