package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/test/patience"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(nodeEnv); dir != "" {
		serveNode(dir)
		return
	}
	os.Exit(m.Run())
}

// TestAFewKills is the short form of make chaos.
func TestAFewKills(t *testing.T) {
	t.Parallel()
	ctx, cancel := patience.Context(context.Background(), 2*time.Minute)
	defer cancel()
	var out strings.Builder
	err := run(ctx, []string{"-only", "store", "-kills", "8", "-within", "400ms", "-writers", "24"}, &out)
	t.Log(out.String())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"kills                          8 (", "lost                           0\n", "duplicated                     0\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the end does not say %q", line)
		}
	}
}

// history is a life of the store as it should be: a writer appends to a,
// another one to b and a; the last call gets no answer.
func history() ([]recorded, *journal) {
	var log []recorded
	j := &journal{}
	revisions := map[string]int64{}
	id := uint64(0)
	do := func(stream string, expected int64, n int, at time.Duration) *operation {
		o := &operation{kind: kindAppend, stream: stream, expected: expected, call: at, ret: at + 5, outcome: acknowledged}
		for range n {
			id++
			o.ids = append(o.ids, newID(id, id))
			revision, ok := revisions[stream]
			if ok {
				revision++
			}
			revisions[stream] = revision
			log = append(log, recorded{uint64(len(log) + 1), stream, revision, o.ids[len(o.ids)-1], "chaos", body(o.ids[len(o.ids)-1])})
			o.revision, o.position = revision, uint64(len(log))
		}
		j.add(o)
		return o
	}
	do("a", expectNoStream, 1, 10)
	do("b", expectAny, 3, 20)
	do("a", 0, 2, 30)
	again := *do("a", 2, 1, 40)
	again.repeat, again.call, again.ret = true, 50, 55
	j.add(&again)
	j.add(&operation{kind: kindAppend, stream: "a", expected: 1, ids: []uuid.UUID{newID(100, 1)}, call: 60, ret: 65, outcome: refused})
	j.add(&operation{kind: kindRead, stream: "a", call: 70, ret: 75, outcome: acknowledged, revision: 3, found: again.ids[0]})
	do("b", expectAny, 2, 80).outcome = unknown
	j.add(&operation{kind: kindAppend, stream: "b", expected: expectAny, ids: []uuid.UUID{newID(101, 1)}, call: 80, ret: 90, outcome: unknown})
	for _, e := range log[:4] {
		j.saw(sight{e.position, e.id})
	}
	return log, j
}

func TestTheLedgerBelievesAGoodHistory(t *testing.T) {
	t.Parallel()
	l := newLedger()
	log, j := history()
	l.extend(log)
	l.settle(j, 100)
	l.again(log)
	want := counts{acknowledged: 4, events: 7, present: 1, absent: 1, refused: 1, repeats: 1, checked: 8}
	if l.counts != want || len(l.findings) > 0 {
		t.Errorf("counted %+v, want %+v\n%s", l.counts, want, strings.Join(l.findings, "\n"))
	}
}

func TestTheLedgerFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	renumber := func(log []recorded) []recorded {
		last := map[string]int64{}
		for i := range log {
			log[i].position = uint64(i + 1)
			log[i].revision = last[log[i].stream]
			last[log[i].stream]++
		}
		return log
	}
	for name, c := range map[string]struct {
		breaks func(log []recorded, j *journal) []recorded
		found  func(c counts) int
	}{
		"the newest acknowledged append lost": {
			func(log []recorded, _ *journal) []recorded { return log[:6] },
			func(c counts) int { return c.lost },
		},
		"an append in the middle lost": {
			func(log []recorded, _ *journal) []recorded { return renumber(append(log[:4:4], log[6:]...)) },
			func(c counts) int { return c.lost },
		},
		"an append half there": {
			func(log []recorded, _ *journal) []recorded { return log[:len(log)-1] },
			func(c counts) int { return c.torn },
		},
		"an append not together": {
			func(log []recorded, _ *journal) []recorded { log[2], log[4] = log[4], log[2]; return renumber(log) },
			func(c counts) int { return c.torn },
		},
		"an event twice": {
			func(log []recorded, _ *journal) []recorded { return renumber(append(log, log[0])) },
			func(c counts) int { return c.duplicated },
		},
		"a gap in the positions": {
			func(log []recorded, _ *journal) []recorded { log[5].position++; return log },
			func(c counts) int { return c.misplaced },
		},
		"a gap in the revisions": {
			func(log []recorded, _ *journal) []recorded { log[5].revision++; return log },
			func(c counts) int { return c.misplaced },
		},
		"a changed byte": {
			func(log []recorded, _ *journal) []recorded { log[3].data[2] ^= 1; return log },
			func(c counts) int { return c.strange },
		},
		"an event of nobody": {
			func(log []recorded, _ *journal) []recorded {
				id := newID(999, 9)
				return renumber(append(log, recorded{0, "b", 0, id, "chaos", body(id)}))
			},
			func(c counts) int { return c.strange },
		},
		"a refused append that is there": {
			func(log []recorded, j *journal) []recorded { j.operations[1].outcome = refused; return log },
			func(c counts) int { return c.strange },
		},
		"an event that was read and is another now": {
			func(log []recorded, j *journal) []recorded { j.read[3].id = newID(998, 9); return log },
			func(c counts) int { return c.lost },
		},
		"another place than was said": {
			func(log []recorded, j *journal) []recorded { j.operations[2].position--; return log },
			func(c counts) int { return c.misplaced },
		},
		"acknowledged before, recorded after": {
			func(log []recorded, j *journal) []recorded {
				j.operations[1].call, j.operations[1].ret = 91, 92
				return log
			},
			func(c counts) int { return c.misplaced },
		},
		"a refusal that nothing explains": {
			func(log []recorded, j *journal) []recorded { j.operations[5].expected = 3; return log },
			func(c counts) int { return c.misplaced },
		},
		"a read that misses what was acknowledged": {
			func(log []recorded, j *journal) []recorded {
				j.operations[6].revision, j.operations[6].found = 2, log[5].id
				return log
			},
			func(c counts) int { return c.misplaced },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger()
			log, j := history()
			l.extend(c.breaks(log, j))
			l.settle(j, 100)
			if c.found(l.counts) == 0 || !l.broken() || len(l.findings) == 0 {
				t.Errorf("counted %+v", l.counts)
			}
		})
	}
}

func TestTheLedgerFindsWhatChangesLater(t *testing.T) {
	t.Parallel()
	l := newLedger()
	log, j := history()
	l.extend(log)
	l.settle(j, 100)
	log[1].kind = "changed"
	l.again(log)
	if l.strange != 1 {
		t.Errorf("counted %+v", l.counts)
	}
}

func TestATombstoneThatGotNoAnswerIsBelieved(t *testing.T) {
	t.Parallel()
	l := newLedger()
	id := newID(1, 1)
	l.extend([]recorded{
		{1, "m", 0, id, "chaos", body(id)},
		{2, "m", tombstone, newID(7, 7), "$streamDeleted", nil},
	})
	l.settle(&journal{operations: []*operation{
		{kind: kindAppend, stream: "m", expected: expectAny, ids: []uuid.UUID{id}, call: 1, ret: 2, outcome: acknowledged, position: 1},
		{kind: kindTombstone, stream: "m", expected: expectAny, call: 3, ret: 4},
	}}, 10)
	if l.broken() || l.present != 1 {
		t.Errorf("counted %+v: %v", l.counts, l.findings)
	}
}
