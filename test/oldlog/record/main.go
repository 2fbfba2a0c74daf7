// Command record makes the fixture of test/golden/log with the program of a
// version: an installation in which a bit of everything happens, and what it
// answers afterwards.
//
//	go run ./test/oldlog/record -binary bin/understudy -out test/golden/log
//
// It takes some eight minutes: deliveries are given up no earlier. With -dir it
// only asks, and makes the fixture of an installation that it has made before.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"understudy/test/harness"
	"understudy/test/oldlog"
)

func main() {
	binary := flag.String("binary", "bin/understudy", "the program")
	out := flag.String("out", filepath.Join("test", "golden", "log"), "directory of the fixture")
	kept := flag.String("dir", "", "a whole installation of before, its data in a folder of that name, to be asked again; empty: one is made")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *binary, *kept, *out); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, kept, out string) (err error) {
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "oldlog-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if kept == "" {
		kept = dir
		if err := begin(ctx, binary, kept); err != nil {
			return err
		}
	}
	all, pictures, position, err := record(ctx, binary, kept)
	if err != nil {
		return err
	}
	fmt.Printf("%d answers; the log ends at %d\n", len(all), position)
	archive := filepath.Join(out, oldlog.Installation)
	if err := errors.Join(oldlog.Pack(archive, filepath.Join(kept, "data"), needed(slices.Concat(all, pictures))), oldlog.WriteAnswers(filepath.Join(out, oldlog.Answers), position, all)); err != nil {
		return err
	}
	for i := range 2 {
		if err := verify(ctx, binary, archive, filepath.Join(dir, fmt.Sprint("again", i)), all, position); err != nil {
			return err
		}
		fmt.Println("a copy answers the same")
	}
	return nil
}

// begin lets everything happen. Read models and checkpoints are removed: what
// reactors that begin anew decide differently about the past (failures of an
// endpoint that was disabled then) has to be in the log before it is asked about.
func begin(ctx context.Context, binary, dir string) error {
	s, err := start(ctx, binary, dir)
	if err != nil {
		return err
	}
	var failure error
	live, sandbox := clients(ctx, s, &failure)
	if err := errors.Join(happens(ctx, live, sandbox), s.Stop()); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(s.Data(), "postgres"))
}

// record asks about everything. pictures are files that answers are made of.
func record(ctx context.Context, binary, dir string) (all, pictures []oldlog.Answer, position int, err error) {
	s, err := start(ctx, binary, dir)
	if err != nil {
		return nil, nil, 0, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	var failure error
	live, sandbox := clients(ctx, s, &failure)
	position = live.quiet()
	questions, shown := nobody(), []oldlog.Ask{}
	for _, c := range []client{live, sandbox} {
		a := &asks{client: c}
		if err := a.everything(); err != nil {
			return nil, nil, 0, err
		}
		fmt.Printf("%s: %d questions\n", c.key, len(a.all))
		questions, shown = append(questions, a.all...), append(shown, a.pictures...)
	}
	if failure != nil {
		return nil, nil, 0, failure
	}
	if pictures, err = answers(ctx, s, shown); err != nil {
		return nil, nil, 0, err
	}
	all, err = answers(ctx, s, questions)
	return all, pictures, position, err
}

// nextMinute is when a key may ask again.
func nextMinute(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute))):
		return nil
	}
}

// answers asks, and again in the next minute where the limit is reached.
func answers(ctx context.Context, s *harness.Service, questions []oldlog.Ask) (all []oldlog.Answer, err error) {
	keys := map[string]string{"live": s.Keys.Live, "test": s.Keys.Test}
	for _, ask := range questions {
		a, err := oldlog.Get(ctx, s.Addr, keys, ask)
		for err == nil && a.Status == http.StatusTooManyRequests {
			if err = nextMinute(ctx); err == nil {
				a, err = oldlog.Get(ctx, s.Addr, keys, ask)
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// verify starts the program on a copy, which has to answer the same and to
// record nothing.
func verify(ctx context.Context, binary, archive, dir string, want []oldlog.Answer, position int) (err error) {
	if err := oldlog.Unpack(archive, filepath.Join(dir, "data")); err != nil {
		return err
	}
	s, err := start(ctx, binary, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	var failure error
	c, _ := clients(ctx, s, &failure)
	c.quiet()
	questions := make([]oldlog.Ask, len(want))
	for i, w := range want {
		questions[i] = w.Ask
	}
	got, err := answers(ctx, s, questions)
	if err != nil {
		return err
	}
	var faults []error
	for i, w := range want {
		if difference := oldlog.Difference(w, got[i]); difference != "" {
			faults = append(faults, fmt.Errorf("%s: %s", w.Ask, difference))
		}
	}
	if now := c.quiet(); now != position {
		faults = append(faults, fmt.Errorf("the log has grown from %d to %d", position, now))
	}
	return errors.Join(append(faults, failure)...)
}

var digestTag = regexp.MustCompile(`^"([0-9a-f]{64})"$`)

// needed is which files answers are made of: read models are built again, and
// of the files that sessions left those are kept that somebody asks for.
func needed(all []oldlog.Answer) func(name string) bool {
	blobs := map[string]bool{}
	for _, a := range all {
		if tag := digestTag.FindStringSubmatch(a.Header["ETag"]); tag != nil && a.Status < 300 {
			blobs[tag[1]] = true
		}
	}
	return func(name string) bool {
		top, _, _ := strings.Cut(name, "/")
		switch top {
		case "events", "audit", "keyring.json", "keys.json":
			return true
		case "blobs":
			return blobs[filepath.Base(name)]
		}
		return false
	}
}
