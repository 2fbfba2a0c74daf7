package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"understudy/domain/stats"
	"understudy/test/harness"
)

// measureRepeat has the same tests with the same seeds walked by two processes,
// one after the other, each on a data directory of its own, the second beside
// -busy loops that compute, and compares the sessions step by step.
func measureRepeat(ctx context.Context, b *bench) error {
	all, stop, err := b.errands(ctx)
	defer stop()
	if err != nil {
		return err
	}
	first, err := b.walkAnew(ctx, "repeat-1", all)
	if err != nil {
		return err
	}
	still, err := busyLoops(b.busy)
	if err != nil {
		return err
	}
	second, err := b.walkAnew(ctx, "repeat-2", all)
	if err := errors.Join(err, still()); err != nil {
		return err
	}
	var acts, told share
	for i, e := range all {
		for j := range min(len(first[i]), len(second[i])) {
			x, y := &first[i][j], &second[i][j]
			acts.count(slices.Equal(x.acts, y.acts) && x.end() == y.end())
			told.count(slices.Equal(x.told, y.told) && x.Verified == y.Verified)
			if d := difference(x, y); d != "" {
				b.remarks = append(b.remarks, fmt.Sprintf("%s, session %d: %s", e.name, j, d))
			}
		}
	}
	load := "both processes undisturbed"
	if b.busy > 0 {
		load = fmt.Sprintf("%d busy loops beside the second process", b.busy)
	}
	b.table.add("repeat", "sessions that walk the same in two processes", acts.String(), "≥ 99 %", fmt.Sprintf("95 %%: %s; %d tests; %s", acts.wilson(), len(all), load))
	b.table.add("repeat", "  with the same thoughts, times, signals and evidence", told.String(), "", "95 %: "+told.wilson())
	return nil
}

// walkAnew starts the program on an empty data directory, has all errands walked
// and reads their sessions, by errand and index.
func (b *bench) walkAnew(ctx context.Context, name string, all []errand) (out [][]walked, err error) {
	s, err := b.start(ctx, name, nil, noReplays)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	for i, e := range all {
		sessions, err := e.run(ctx, s.Live())
		if err != nil {
			return nil, err
		}
		for j := range sessions {
			if err := sessions[j].follow(ctx, s.Live()); err != nil {
				return nil, err
			}
		}
		out = append(out, sessions)
		fmt.Fprintf(os.Stderr, "%s: %d of %d tests\n", name, i+1, len(all))
	}
	return out, nil
}

// difference is the first step that two walks do not share, of both; "" where
// they are alike.
func difference(x, y *walked) string {
	for i := range max(len(x.acts), len(y.acts)) {
		if a, b := at(x.acts, i), at(y.acts, i); a != b {
			return fmt.Sprintf("step %d\n  %s\n  %s", i, a, b)
		}
	}
	if x.end() != y.end() {
		return fmt.Sprintf("ends\n  %s: %s\n  %s: %s", x.end(), x.Verified.Evidence, y.end(), y.Verified.Evidence)
	}
	for i := range x.told {
		if x.told[i] != y.told[i] {
			return fmt.Sprintf("the same acts; step %d was told otherwise\n  %s\n  %s", i, x.told[i], y.told[i])
		}
	}
	if x.Verified != y.Verified {
		return fmt.Sprintf("the same acts; judged by\n  %s\n  %s", x.Verified.Evidence, y.Verified.Evidence)
	}
	return ""
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(it had ended)"
}

// busyLoops keeps n processes computing until still is called.
func busyLoops(n int) (still func() error, err error) {
	var running []*harness.Process
	still = func() (err error) {
		for _, p := range running {
			err = errors.Join(err, p.Kill())
		}
		return err
	}
	for range n {
		p, err := harness.Launch(exec.Command("sh", "-c", "while :; do :; done"))
		if err != nil {
			return nil, errors.Join(err, still())
		}
		running = append(running, p)
	}
	return still, nil
}

// share counts a proportion.
type share struct{ k, n int }

func (s *share) count(yes bool) {
	s.n++
	if yes {
		s.k++
	}
}

func (s share) String() string {
	return fmt.Sprintf("%d of %d = %.1f %%", s.k, s.n, 100*float64(s.k)/float64(max(1, s.n)))
}

// wilson is the 95 % interval of the proportion as text.
func (s share) wilson() string {
	low, high := stats.Wilson(s.k, s.n, stats.Z95)
	return fmt.Sprintf("%.1f–%.1f %%", 100*low, 100*high)
}
