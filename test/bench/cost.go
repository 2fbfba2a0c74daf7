package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"understudy/domain/stats"
)

// spent is what one program has spent on an errand.
type spent struct {
	sessions, steps, verified int
	cpu                       computed
}

func (s *spent) add(o spent) {
	s.sessions, s.steps, s.verified = s.sessions+o.sessions, s.steps+o.steps, s.verified+o.verified
	s.cpu = s.cpu.add(o.cpu)
}

// session and step are CPU seconds of one, with everything below the service.
func (s *spent) session() float64 { return s.cpu.sum().Seconds() / float64(max(1, s.sessions)) }
func (s *spent) step() float64    { return s.cpu.sum().Seconds() / float64(max(1, s.steps)) }

// measureCost has the same tests with the same seeds walked by the program and by
// that of -against, which both run all the time; they take turns, and who begins
// does, too. What is measured is what a service and all below it (Postgres,
// driver, browser, encoder) compute from POST until the report is there.
func measureCost(ctx context.Context, b *bench) (err error) {
	if b.against == "" {
		fmt.Fprintln(os.Stderr, "cost: left out, it needs -against")
		return nil
	}
	all, stop, err := b.errands(ctx)
	defer stop()
	if err != nil {
		return err
	}
	now, err := b.start(ctx, "cost", nil, noReplays)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, now.Stop()) }()
	other := *b
	other.binary = b.against
	before, err := other.start(ctx, "cost-against", nil, noReplays)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, before.Stop()) }()
	pair := [2]*service{before, now}
	for _, s := range pair { // the browser's start is nobody's
		if _, err := s.spend(ctx, all[0]); err != nil {
			return err
		}
	}
	var total [2]spent
	var sessions, steps [2][]float64 // CPU s, by errand
	for i, e := range all {
		var one [2]spent
		for turn := range pair {
			k := (i + turn) % len(pair)
			if one[k], err = pair[k].spend(ctx, e); err != nil {
				return err
			}
		}
		for k := range pair {
			total[k].add(one[k])
			sessions[k], steps[k] = append(sessions[k], one[k].session()), append(steps[k], one[k].step())
		}
		fmt.Fprintf(os.Stderr, "cost: %d of %d tests, %s: %.2f and %.2f CPU s a session\n", i+1, len(all), e.name, one[0].session(), one[1].session())
	}
	for k, name := range []string{"before", "now"} {
		t := &total[k]
		b.table.add("cost", name+": CPU s a session", fmt.Sprintf("%.3f", t.session()), "", fmt.Sprintf("%.4f a step, %.1f steps; %d of %d verified; %s",
			t.step(), float64(t.steps)/float64(t.sessions), t.verified, t.sessions, t.cpu.shares(t.sessions)))
	}
	b.addRatio("now ÷ before, a session", total[1].session()/total[0].session(), "≤ 1", sessions)
	b.addRatio("now ÷ before, a step", total[1].step()/total[0].step(), "", steps)
	return nil
}

// addRatio adds the ratio of sums, with the geometric mean of the errands' own
// ratios and its interval.
func (b *bench) addRatio(what string, whole float64, aim string, by [2][]float64) {
	r := stats.GeometricRatioPaired(by[0], by[1])
	b.table.add("cost", what, fmt.Sprintf("%.2f", whole), aim, fmt.Sprintf("of %d tests in pairs × %.2f, 95 %%: %.2f to %.2f", len(by[0]), r.Estimate, r.Low, r.High))
}

// spend has an errand walked and tells what it took.
func (s *service) spend(ctx context.Context, e errand) (spent, error) {
	before, err := s.cpu()
	if err != nil {
		return spent{}, err
	}
	sessions, err := e.run(ctx, s.Live())
	if err != nil {
		return spent{}, err
	}
	// What follows the end of a test (webhooks, read models) belongs to it.
	select {
	case <-time.After(500 * time.Millisecond):
	case <-ctx.Done():
		return spent{}, ctx.Err()
	}
	after, err := s.cpu()
	out := spent{sessions: len(sessions), cpu: after.minus(before)}
	for i := range sessions {
		out.steps += sessions[i].Steps
		if sessions[i].Verified.Status == "verified" {
			out.verified++
		}
	}
	return out, err
}
