package worker

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"understudy/projections/worklist"
)

func TestAnItemIsHeldUntilTheListShowsWhatCameOfIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory("s1"), newJournal()
		defer start(t, m, "w1", 4, func(_ context.Context, i worklist.Item) (uint64, error) {
			j.note("do " + i.Stream)
			time.AfterFunc(2*time.Second, func() { m.remove(i.Stream) })
			return 1, nil // is on the list for two seconds more
		})()
		synctest.Wait()
		if m.holder("s1") != "w1" {
			t.Error("an item that still looks undone is let go of")
		}
		pass(2 * time.Second)
		if by := m.holder("s1"); by != "" {
			t.Errorf("an item that is done is held by %q", by)
		}
		pass(time.Minute)
		j.expect(t, line{"do s1", 0})
	})
}

func TestNewWorkBeginsAtOnceAndLaterWorkWhenItIsDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory(), newJournal()
		defer start(t, m, "w1", 4, func(_ context.Context, i worklist.Item) (uint64, error) {
			j.note(i.Stream)
			m.remove(i.Stream)
			return 0, nil
		})()
		pass(3300 * time.Millisecond)
		m.add("now", time.Now())
		m.add("later", time.Now().Add(30*time.Second))
		m.add("soon", time.Now().Add(50*time.Millisecond))
		pass(time.Minute)
		j.expect(t, line{"now", 3300 * time.Millisecond}, line{"soon", 3350 * time.Millisecond}, line{"later", 33300 * time.Millisecond})
	})
}

func TestNoMoreAtOnceThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory(), newJournal()
		for i := range 10 {
			m.add(fmt.Sprint("s", i), time.Now())
		}
		defer start(t, m, "w1", 3, func(_ context.Context, i worklist.Item) (uint64, error) {
			j.note("do")
			<-time.After(5 * time.Second)
			m.remove(i.Stream)
			return 0, nil
		})()
		pass(time.Minute)
		// Each next three begin when the three before them end, not at a later poll.
		var want []line
		for i := range 10 {
			want = append(want, line{"do", time.Duration(i/3) * 5 * time.Second})
		}
		j.expect(t, want...)
	})
}

func TestTheItemsOfALivingWorkerAreItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory("s1"), newJournal()
		do := func(_ context.Context, i worklist.Item) (uint64, error) {
			j.note("do")
			<-time.After(10 * TTL)
			m.remove(i.Stream)
			return 0, nil
		}
		defer start(t, m, "w1", 1, do)()
		defer start(t, m, "w2", 1, do)()
		pass(11 * TTL)
		j.expect(t, line{"do", 0})
	})
}

// A worker that cannot reach the database has lost its leases once they have
// run out: another takes over, and the first is stopped as soon as it hears.
func TestTheItemsOfALostWorkerAreTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory("s1"), newJournal()
		lost := &away{memory: m}
		do := func(owner string) work {
			return func(ctx context.Context, i worklist.Item) (uint64, error) {
				j.note(owner + " begins " + i.Stream)
				<-ctx.Done()
				j.note(owner + " is stopped")
				return 0, ctx.Err()
			}
		}
		first := &Loop{Name: "session", Owner: "w1", List: m, Leases: lost, Concurrency: 1, Do: do("w1"), Logger: silent}
		defer run(t, first)()
		synctest.Wait()
		lost.gone.Store(true)
		stop := start(t, m, "w2", 1, do("w2"))
		pass(TTL - time.Nanosecond)
		j.expect(t, line{"w1 begins s1", 0})
		pass(poll)
		if by := m.holder("s1"); by != "w2" {
			t.Fatalf("after %v the item is held by %q", TTL+poll, by)
		}
		lost.gone.Store(false)
		pass(TTL / 3)
		if got := j.all(); len(got) != 3 || got[1].what != "w2 begins s1" || got[2].what != "w1 is stopped" || got[2].after > got[1].after+TTL/3 {
			t.Errorf("what happened: %v", got)
		}
		if by := m.holder("s1"); by != "w2" {
			t.Errorf("the first worker's end gave the lease to %q", by)
		}
		m.remove("s1") // ends the second's work too
		stop()
	})
}

// A cancellation reaches what is running at the next comparison.
func TestACancellationReachesRunningWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory("s1", "s2"), newJournal()
		defer start(t, m, "w1", 2, func(ctx context.Context, i worklist.Item) (uint64, error) {
			select {
			case <-ctx.Done():
				j.note(i.Stream + " cancelled")
			case <-time.After(30 * time.Second):
				j.note(i.Stream + " done")
				m.remove(i.Stream)
			}
			return 0, ctx.Err()
		})()
		pass(10*time.Second + time.Millisecond)
		m.remove("s1")
		pass(watch)
		if by := m.holder("s1"); by != "" {
			t.Errorf("the cancelled item is held by %q", by)
		}
		pass(time.Minute)
		j.expect(t, line{"s1 cancelled", 10*time.Second + watch}, line{"s2 done", 30 * time.Second})
	})
}

func TestWorkThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]work{
		"an error": func(context.Context, worklist.Item) (uint64, error) { return 0, errors.New("no browser") },
		"a panic":  func(context.Context, worklist.Item) (uint64, error) { panic("no browser") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m, j := newMemory("bad", "good"), newJournal()
				tries := 0
				defer start(t, m, "w1", 1, func(ctx context.Context, i worklist.Item) (uint64, error) {
					j.note(i.Stream)
					if i.Stream == "bad" && tries < 2 {
						tries++
						return fail(ctx, i)
					}
					m.remove(i.Stream)
					return 0, nil
				})()
				pass(time.Minute)
				// Its one place is free for others in between.
				j.expect(t, line{"bad", 0}, line{"good", 0}, line{"bad", again}, line{"bad", 3 * again})
			})
		})
	}
}

func TestAnOutageOfTheDatabaseIsOutlived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory("s1"), newJournal()
		m.outage(errOutage)
		defer start(t, m, "w1", 2, func(_ context.Context, i worklist.Item) (uint64, error) {
			j.note("do " + i.Stream)
			<-time.After(5 * time.Second)
			m.remove(i.Stream)
			j.note("done " + i.Stream)
			return 0, nil
		})()
		pass(10500 * time.Millisecond)
		m.outage(nil)
		pass(time.Second)
		m.outage(errOutage) // work in hand goes on while nothing can be asked
		pass(time.Minute)
		j.expect(t, line{"do s1", 10750 * time.Millisecond}, line{"done s1", 15750 * time.Millisecond})
	})
}

// A worker keeps what it is at when the database comes back without its lease.
func TestWorkIsKeptWhoseLeaseTheDatabaseForgot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory("s1"), newJournal()
		defer start(t, m, "w1", 1, func(ctx context.Context, i worklist.Item) (uint64, error) {
			select {
			case <-ctx.Done():
				j.note("cancelled")
			case <-time.After(3 * TTL):
				j.note("done")
			}
			m.remove(i.Stream)
			return 0, nil
		})()
		pass(time.Second)
		m.forget()
		pass(TTL / 3)
		if by := m.holder("s1"); by != "w1" {
			t.Errorf("the lease is held by %q", by)
		}
		pass(3 * TTL)
		j.expect(t, line{"done", 3 * TTL})
	})
}

// What fails because the database is away goes on as soon as it is back.
func TestLeasesAreGivenUpWhenTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory("s1"), newJournal()
		do := func(_ context.Context, i worklist.Item) (uint64, error) {
			if _, err := m.Due(t.Context(), 1); err != nil {
				return 0, err
			}
			<-time.After(100 * time.Millisecond)
			if _, err := m.Due(t.Context(), 1); err != nil {
				return 0, err
			}
			j.note("done")
			m.remove(i.Stream)
			return 0, nil
		}
		defer start(t, m, "w1", 1, do)()
		pass(50 * time.Millisecond)
		m.outage(errOutage)
		pass(3 * time.Second)
		m.outage(nil)
		pass(watch + poll)
		if by := m.holder("s1"); len(j.all()) != 1 || by != "" {
			t.Errorf("after the outage: %v, and the lease is held by %q", j.all(), by)
		}
	})
}

func TestShutdownWaitsForWorkInHandAndTakesNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory("s1", "s2", "s3"), newJournal()
		stop := start(t, m, "w1", 2, func(ctx context.Context, i worklist.Item) (uint64, error) {
			<-time.After(15 * time.Second)
			if ctx.Err() == nil {
				j.note("done")
				m.remove(i.Stream)
			}
			return 0, ctx.Err()
		})
		synctest.Wait()
		stop() // 15 s is longer than a lease and shorter than the drain
		j.note("stopped")
		j.expect(t, line{"done", 15 * time.Second}, line{"done", 15 * time.Second}, line{"stopped", 15 * time.Second})
		if by := m.holder("s3"); by != "" {
			t.Errorf("what had not begun is held by %q", by)
		}
	})
}

func TestShutdownCancelsWhatTakesTooLongAndLetsItGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory("long", "off the list"), newJournal()
		stop := start(t, m, "w1", 2, func(ctx context.Context, i worklist.Item) (uint64, error) {
			<-ctx.Done()
			j.note(i.Stream)
			return 0, ctx.Err()
		})
		pass(100 * time.Millisecond)
		time.AfterFunc(3*time.Second, func() { m.remove("off the list") })
		stop()
		got := j.all()
		if len(got) != 2 || got[0].what != "off the list" || got[0].after > 3100*time.Millisecond+watch ||
			got[1] != (line{"long", drain + 100*time.Millisecond}) {
			t.Errorf("what was cancelled: %v", got)
		}
		if by := m.holder("long"); by != "" {
			t.Errorf("what was cut off is held by %q: nobody can take it over", by)
		}
	})
}

func TestNothingBeginsWithoutRoomForMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory(), newJournal()
		for i := range 4 {
			m.add(fmt.Sprint("s", i), time.Now())
		}
		var underWay atomic.Int64
		began := time.Now()
		l := &Loop{Name: "session", Owner: "w1", List: m, Leases: m, Concurrency: 4, Logger: silent, Do: func(_ context.Context, i worklist.Item) (uint64, error) {
			j.note("do")
			underWay.Add(1)
			<-time.After(time.Minute)
			m.remove(i.Stream)
			return 0, nil
		}}
		// One more has room every ten seconds.
		l.More = func() int { return int(time.Since(began)/(10*time.Second)) - int(underWay.Load()) }
		defer run(t, l)()
		pass(15 * time.Second)
		if by := m.holder("s3"); by != "" {
			t.Errorf("what there is no room for is held by %q", by)
		}
		pass(2 * time.Minute)
		j.expect(t, line{"do", 10 * time.Second}, line{"do", 20 * time.Second}, line{"do", 30 * time.Second}, line{"do", 40 * time.Second})
	})
}

func TestALateMachineDoesLessAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, j := newMemory(), newJournal()
		for i := range 6 {
			m.add(fmt.Sprint("s", i), time.Now())
		}
		began := time.Now()
		l := &Loop{Name: "session", Owner: "w1", List: m, Leases: m, Concurrency: 4, Logger: silent, Do: func(_ context.Context, i worklist.Item) (uint64, error) {
			j.note("do")
			<-time.After(20 * time.Second)
			m.remove(i.Stream)
			return 0, nil
		}}
		l.Width = func() int {
			if time.Since(began) < 10*time.Second {
				return 0 // one is always done
			}
			return 9 // no more than there are places
		}
		defer run(t, l)()
		pass(time.Minute)
		j.expect(t, line{"do", 0}, line{"do", 10 * time.Second}, line{"do", 10 * time.Second}, line{"do", 10 * time.Second}, line{"do", 20 * time.Second}, line{"do", 30 * time.Second})
	})
}
