package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"understudy/eventstore/node/engine"
)

// storeTrial is one run of the trial "store".
type storeTrial struct {
	settings
	dir    string
	out    io.Writer
	random *rand.Rand
	began  time.Time
	ledger *ledger
	nextID atomic.Uint64
	// last is the life that was killed and not judged yet; retries are calls
	// of it that got no answer and are made again.
	last    *life
	retries []*operation
	starts  []time.Duration
	killed  int
	early   int // of them before the store served
}

// life is what happened between a start of the store and its end by a kill.
type life struct {
	journal *journal
	writers int
	lasted  time.Duration
	ended   time.Duration // since the run began
}

// tryStore kills the store again and again and judges what it kept.
func tryStore(ctx context.Context, s settings, out io.Writer) (err error) {
	// A short path: it holds a socket.
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		return err
	}
	t := &storeTrial{settings: s, dir: dir, out: out, random: rand.New(rand.NewPCG(s.seed, 0)), began: time.Now(), ledger: newLedger()}
	defer func() {
		if s.keep || errors.Is(err, errBroken) {
			fmt.Fprintln(out, "the directory stays:", dir)
			return
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	for s.goesOn(t.killed, t.began) && !t.ledger.broken() {
		if err := t.life(ctx); err != nil {
			return err
		}
	}
	if err := t.finish(ctx); err != nil {
		return err
	}
	t.report()
	if t.ledger.broken() {
		return errBroken
	}
	return nil
}

// life starts the store, lets writers work, and kills it.
func (t *storeTrial) life(ctx context.Context) (err error) {
	p, err := start(t.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Kill()) }()
	if t.random.IntN(10) == 0 {
		return t.killEarly(ctx, p)
	}
	served, err := p.wait(ctx)
	if err != nil {
		return err
	}
	t.starts = append(t.starts, served)
	c, err := p.client()
	if err != nil {
		return err
	}
	defer c.close()
	if err := t.judge(ctx, c); err != nil || t.ledger.broken() {
		return err
	}
	work := &load{c: c, journal: &journal{}, began: t.began, nextID: &t.nextID, known: t.revisions()}
	working, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	now := &life{journal: work.journal, writers: 1 + t.random.IntN(t.writers), lasted: time.Duration(t.random.Int64N(int64(t.within)))}
	if t.random.IntN(3) == 0 {
		now.writers = 1 + t.random.IntN(min(4, t.writers))
	}
	group.Go(func() { work.run(working, t.seed, t.killed, now.writers, t.retries, uint64(len(t.ledger.log))) })
	select {
	case <-time.After(now.lasted):
	case <-p.Exited():
		return fmt.Errorf("the store ended by itself: %s", p.Printed())
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := p.Kill(); err != nil {
		return err
	}
	now.ended = time.Since(t.began)
	stop()
	group.Wait()
	work.journal.close()
	t.killed++
	t.last = now
	if failure := work.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

// killEarly kills the store while it starts, when it reads its log again.
func (t *storeTrial) killEarly(ctx context.Context, p *process) error {
	select {
	case <-time.After(time.Duration(t.random.Int64N(int64(60 * time.Millisecond)))):
	case <-ctx.Done():
		return ctx.Err()
	}
	t.killed++
	t.early++
	return p.Kill()
}

// judge reads what the store has beyond what was known, and holds it against
// the journal of the life that was killed.
func (t *storeTrial) judge(ctx context.Context, c *client) error {
	tail, err := read(ctx, c, uint64(len(t.ledger.log)))
	if err != nil {
		return err
	}
	last := t.last
	if last == nil {
		if len(tail) > 0 {
			t.ledger.find(&t.ledger.strange, "%d events appeared while nobody wrote", len(tail))
		}
		return nil
	}
	t.last, t.retries = nil, nil
	for _, o := range last.journal.operations {
		// Half of the callers that got no answer ask again, the others give up.
		if o.outcome == unknown && o.kind == kindAppend && t.random.IntN(2) == 0 {
			t.retries = append(t.retries, o)
		}
	}
	was := t.ledger.counts
	t.ledger.extend(tail)
	t.ledger.settle(last.journal, last.ended)
	now := t.ledger.counts
	fmt.Fprintf(t.out, "kill %s, %4d ms after the start, %2d writers: %5d acknowledged, unanswered %2d there and %2d not; %d events in all\n",
		t.of(t.killed), last.lasted.Milliseconds(), last.writers,
		now.acknowledged-was.acknowledged, now.present-was.present, now.absent-was.absent, len(t.ledger.log))
	return nil
}

// revisions answers for streams as they were before this life.
func (t *storeTrial) revisions() func(string) int64 {
	streams := t.ledger.streams // nobody changes it while writers run
	return func(stream string) int64 { return streams[stream].last() }
}

// finish stops the store in good order, reads everything once more, and has
// the directory checked.
func (t *storeTrial) finish(ctx context.Context) (err error) {
	p, err := start(t.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Kill()) }()
	if _, err := p.wait(ctx); err != nil {
		return err
	}
	c, err := p.client()
	if err != nil {
		return err
	}
	defer c.close()
	if err := t.judge(ctx, c); err != nil {
		return err
	}
	log, err := read(ctx, c, 0)
	if err != nil {
		return err
	}
	t.ledger.again(log)
	if err := p.end(); err != nil {
		return err
	}
	done, err := engine.Check(ctx, engine.Options{Dir: eventsDir(t.dir)}, nil)
	if err != nil {
		t.ledger.find(&t.ledger.strange, "the check of the directory: %v", err)
	}
	fmt.Fprintf(t.out, "node check: %d events in %d streams, %d files\n", done.Events, done.Streams, done.TotalFiles)
	return nil
}

// read reads everything behind a position.
func read(ctx context.Context, c *client, after uint64) (out []recorded, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	events, err := c.ReadAll(ctx, esdb.ReadAllOptions{From: esdb.Position{Commit: after + 1, Prepare: after + 1}}, 1<<40)
	if err != nil {
		return nil, fmt.Errorf("read all: %w", err)
	}
	defer events.Close()
	for {
		got, err := events.Recv()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read all: %w", err)
		}
		e := got.Event
		out = append(out, recorded{
			position: e.Position.Commit, stream: e.StreamID, revision: int64(e.EventNumber), id: e.EventID, kind: e.EventType, data: e.Data,
		})
	}
}

// report tells the figures of the run.
func (t *storeTrial) report() {
	l := t.ledger
	slices.Sort(t.starts)
	for _, f := range l.findings {
		fmt.Fprintln(t.out, "BROKEN:", f)
	}
	fmt.Fprintf(t.out, `
kills                          %d (%d of them during the start)
acknowledged                   %d appends and deletions, %d events
refused, repeated              %d, %d
unacknowledged but present     %d (whole)
unacknowledged and not there   %d
lost                           %d
duplicated                     %d
half-written                   %d
misplaced or out of order      %d
altered or appended by nobody  %d
linearizable, by porcupine     %d operations, %d undecided
start after a kill             median %s, longest %s
seed                           %d, took %s
`, t.killed, t.early, l.acknowledged, l.events, l.refused, l.repeats, l.present, l.absent, l.lost, l.duplicated, l.torn, l.misplaced, l.strange,
		l.checked, l.undecided, t.starts[len(t.starts)/2].Round(time.Millisecond), t.starts[len(t.starts)-1].Round(time.Millisecond),
		t.seed, time.Since(t.began).Round(time.Second))
}
