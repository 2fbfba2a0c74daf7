package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"understudy/adapters/browser"
	"understudy/domain/walk"
	"understudy/test/sites"
)

const (
	// memorySessions is how many short sessions run, memoryAtOnce of them at a
	// time: what the runner does by default on two cores.
	memorySessions = 500
	memoryAtOnce   = 6
)

// memoryMarks are the numbers of sessions after which memory is weighed.
var memoryMarks = []int{50, 250, memorySessions}

// measureMemory runs short sessions on one browser adapter and weighs this
// process, the driver and Chromium on the way, when no session is open: what
// grows from mark to mark is lost for good.
func measureMemory(ctx context.Context, b *bench) (err error) {
	const section = "memory of the runner"
	address, stop, err := sites.Serve(ctx, sites.Shop, sites.Options{})
	if err != nil {
		return err
	}
	defer stop()
	programs, err := browser.Locate(browser.Config{MaxContexts: memoryAtOnce})
	if err != nil {
		return err
	}
	shared := browser.New(programs)
	defer func() { err = errors.Join(err, shared.Close()) }()
	done := 0
	for _, mark := range memoryMarks {
		if mark = b.n(mark); mark <= done {
			continue
		}
		if err := runSessions(ctx, shared, address, mark-done); err != nil {
			return err
		}
		done = mark
		debug.FreeOSMemory()
		own, driver, chromium, err := weigh()
		if err != nil {
			return err
		}
		b.table.add(section, fmt.Sprintf("after %d sessions", done), fmt.Sprintf("%.0f MB", megabytes(own+driver+chromium)), "flat",
			fmt.Sprintf("runner %.0f MB, driver %.0f MB, Chromium %.0f MB (anonymous memory)", megabytes(own), megabytes(driver), megabytes(chromium)))
	}
	return nil
}

// runSessions runs n sessions and returns the first error.
func runSessions(ctx context.Context, shared *browser.Browser, address string, n int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	turns := make(chan struct{}, n)
	for range n {
		turns <- struct{}{}
	}
	close(turns)
	var workers sync.WaitGroup
	for range memoryAtOnce {
		workers.Go(func() {
			for range turns {
				if err := shortSession(ctx, shared, address); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// shortSession visits a page, looks, takes pictures and follows a link.
func shortSession(ctx context.Context, shared *browser.Browser, address string) (err error) {
	s, err := shared.Open(ctx, browser.SessionOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.Goto(ctx, address+"/"); err != nil {
		return err
	}
	for range 2 {
		page, err := s.Look(ctx)
		if err != nil {
			return err
		}
		if _, _, _, err := s.Screenshot(ctx); err != nil {
			return err
		}
		for _, e := range page.Elements {
			if e.Role == "link" && e.InViewport && e.CoveredBy == "" {
				if _, err := s.Act(ctx, walk.Action{Type: walk.Click, Ref: e.Ref}, ""); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// weigh sums the memory of this process and of what it started.
func weigh() (own, driver, chromium int64, err error) {
	all, err := tree(os.Getpid())
	if err != nil {
		return 0, 0, 0, err
	}
	for _, p := range all {
		// Programs and libraries are shared with whatever else runs on the machine
		// and do not grow.
		bytes, err := rollup(p.pid, "Pss_Anon:")
		if err != nil {
			continue // it ended meanwhile
		}
		switch {
		case p.pid == os.Getpid():
			own += bytes
		case strings.HasPrefix(p.name, "node"), p.name == "MainThread":
			driver += bytes
		default:
			chromium += bytes
		}
	}
	return own, driver, chromium, nil
}
