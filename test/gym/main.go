// Command gym measures simulated users on websites and applications that nobody
// here wrote. README.md says what it is for and who may look at which half.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"understudy/test/gym/ground"
	"understudy/test/harness"
)

type options struct {
	half, only, name   string
	base, key, keys    string
	viewport           string
	sessions, parallel int
	timeout            time.Duration
}

func main() {
	var o options
	setup := flag.Bool("setup", false, "install the sites")
	verify := flag.Bool("verify", false, "have scripted users prove every task")
	serve := flag.Bool("serve", false, "serve the one task that -only names, to be looked at")
	flag.StringVar(&o.half, "half", "a", "which half: a, b or both; b is not to be looked at by who tunes")
	flag.StringVar(&o.only, "only", "", "only tasks whose site/name contains one of these, separated by commas")
	flag.StringVar(&o.name, "name", "last", "of the results in .cache/gym/results")
	flag.StringVar(&o.base, "base", "http://127.0.0.1:8080/v1", "where Understudy serves")
	flag.StringVar(&o.key, "key", os.Getenv("UNDERSTUDY_KEY"), "a live key of it (else the one in -keys)")
	flag.StringVar(&o.keys, "keys", filepath.Join(harness.Root(), "data", "keys.json"), "the file in which the service keeps its first keys")
	flag.StringVar(&o.viewport, "viewport", "desktop", "desktop, tablet or mobile")
	flag.IntVar(&o.sessions, "sessions", 5, "sessions of a test")
	flag.IntVar(&o.parallel, "parallel", 1, "tests at a time")
	flag.DurationVar(&o.timeout, "timeout", 15*time.Minute, "how long a test may take")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	run := measure
	switch {
	case *setup:
		run = install
	case *verify:
		run = prove
	case *serve:
		run = show
	}
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "gym:", err)
		os.Exit(1)
	}
}

// errand is a task on its site.
type errand struct {
	site ground.Site
	task ground.Task
	half string
}

func (e errand) name() string { return e.site.Name + "/" + e.task.Name }

// chosen are the errands of the wanted half that the filter lets through.
func (o options) chosen() (all []errand, err error) {
	if !slices.Contains([]string{"a", "b", "both"}, o.half) {
		return nil, fmt.Errorf("there is no half %q", o.half)
	}
	for _, half := range []string{"a", "b"} {
		if o.half != half && o.half != "both" {
			continue
		}
		for _, site := range halves[half] {
			for _, task := range site.Tasks {
				e := errand{site, task, half}
				if slices.ContainsFunc(strings.Split(o.only, ","), func(f string) bool { return strings.Contains(e.name(), f) }) {
					all = append(all, e)
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no such task in this half")
	}
	return all, nil
}

// show keeps a ground open until it is interrupted.
func show(ctx context.Context, o options) error {
	all, err := o.chosen()
	if err != nil {
		return err
	}
	g, err := ground.Prepare(ctx, all[0].site, all[0].task, 1)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n%s\n", all[0].task.Text, g.URL)
	<-ctx.Done()
	truths, err := g.Truths()
	for _, t := range truths {
		fmt.Println(t.First.Format("15:04:05"), len(t.Pages), "pages, done:", t.Done)
	}
	return errors.Join(err, g.Close())
}
