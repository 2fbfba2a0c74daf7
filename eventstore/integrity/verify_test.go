package integrity_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore/integrity"
)

// history is an export with its lines by what they are.
type history struct {
	key   *integrity.Key
	log   *log
	file  []byte
	lines [][]byte // with their ends
	first int      // the line of the first event
}

func newHistory(t testing.TB, seed uint64, events int) *history {
	t.Helper()
	r := seeded(seed)
	h := &history{key: newKey(t, r), log: newLog(r, events)}
	h.file = h.log.export(t, h.key)
	h.lines = slices.Collect(bytes.Lines(h.file))
	h.first = len(h.lines) - len(h.log.ours)
	if !bytes.HasPrefix(h.lines[h.first], []byte(`{"event":`)) || bytes.HasPrefix(h.lines[h.first-1], []byte(`{"event":`)) {
		t.Fatal("the events are not the last lines of the file")
	}
	return h
}

// edit is a change of the file and the events it hits, one of which, or all,
// must be named.
type edit struct {
	what string
	file []byte
	hit  []int
	any  bool
}

// kinds of edits, each at a random place.
var kinds = map[string]func(h *history, r *rand.Rand) edit{
	"a byte": func(h *history, r *rand.Rand) edit {
		at := r.IntN(len(h.file))
		changed := bytes.Clone(h.file)
		changed[at] ^= byte(1 + r.IntN(255))
		e := edit{what: fmt.Sprintf("byte %d", at), file: changed}
		line := bytes.Count(h.file[:at], []byte("\n"))
		if n := line - h.first; n >= 0 {
			e.hit = []int{n}
		}
		return e
	},
	"a bit of an event": func(h *history, r *rand.Rand) edit {
		n := r.IntN(len(h.log.ours))
		return h.with(n, "a bit of it", func(line []byte) []byte {
			line[r.IntN(len(line)-1)] ^= 1 << r.IntN(8)
			return line
		})
	},
	"an event removed": func(h *history, r *rand.Rand) edit {
		n := r.IntN(len(h.log.ours))
		return edit{what: "removed", file: join(slices.Delete(slices.Clone(h.lines), h.first+n, h.first+n+1)), hit: []int{n}}
	},
	"an event twice": func(h *history, r *rand.Rand) edit {
		n := r.IntN(len(h.log.ours))
		to := h.first + r.IntN(len(h.log.ours)+1)
		return edit{what: "twice", file: join(slices.Insert(slices.Clone(h.lines), to, h.lines[h.first+n])), hit: []int{n}}
	},
	"two events in each other's place": func(h *history, r *rand.Rand) edit {
		a, b := r.IntN(len(h.log.ours)), r.IntN(len(h.log.ours)-1)
		if b >= a {
			b++
		}
		lines := slices.Clone(h.lines)
		lines[h.first+a], lines[h.first+b] = lines[h.first+b], lines[h.first+a]
		return edit{what: "swapped", file: join(lines), hit: []int{a, b}, any: true}
	},
	"the end cut off": func(h *history, r *rand.Rand) edit {
		n := r.IntN(len(h.log.ours))
		e := edit{what: "cut", file: join(h.lines[:h.first+n])}
		for ; n < len(h.log.ours); n++ {
			e.hit = append(e.hit, n)
		}
		return e
	},
	"the end cut off within a line": func(h *history, r *rand.Rand) edit {
		return edit{what: "cut", file: h.file[:r.IntN(len(h.file))]}
	},
	"a blank in an event's data": func(h *history, r *rand.Rand) edit {
		n := r.IntN(len(h.log.ours))
		return h.with(n, "a blank in its data", func(line []byte) []byte {
			at := bytes.Index(line, []byte(`"data":`)) + len(`"data":"`)
			return slices.Insert(line, at+1, ' ')
		})
	},
	"a blank between the fields of an event": func(h *history, r *rand.Rand) edit {
		n := r.IntN(len(h.log.ours))
		return h.with(n, "a blank", func(line []byte) []byte {
			return slices.Insert(line, bytes.Index(line, []byte(`"stream"`)), ' ')
		})
	},
	"a letter written otherwise": func(h *history, r *rand.Rand) edit {
		n := r.IntN(len(h.log.ours))
		return h.with(n, "an escape", func(line []byte) []byte {
			return bytes.Replace(line, []byte("happened"), []byte(`\u0068appened`), 1)
		})
	},
	"a line of the contents, proof or header": func(h *history, r *rand.Rand) edit {
		n := r.IntN(h.first)
		lines := slices.Clone(h.lines)
		line := bytes.Clone(lines[n])
		line[r.IntN(len(line)-1)] ^= 1 << r.IntN(8)
		lines[n] = line
		return edit{what: fmt.Sprintf("line %d", n), file: join(lines)}
	},
	"a line of the contents, proof or header removed": func(h *history, r *rand.Rand) edit {
		n := r.IntN(h.first)
		return edit{what: fmt.Sprintf("line %d", n), file: join(slices.Delete(slices.Clone(h.lines), n, n+1))}
	},
	"the header's case or blanks": func(h *history, r *rand.Rand) edit {
		lines := slices.Clone(h.lines)
		header := bytes.Clone(lines[0])
		at := r.IntN(len(header) - 1)
		if r.IntN(2) == 0 {
			header[at] ^= 0x20
		} else {
			header = slices.Insert(header, at, ' ')
		}
		lines[0] = header
		return edit{what: fmt.Sprintf("byte %d of the header", at), file: join(lines)}
	},
	"something at the end": func(h *history, r *rand.Rand) edit {
		return edit{what: "more", file: append(bytes.Clone(h.file), "\n \t{}"[r.IntN(5)])}
	},
}

func join(lines [][]byte) []byte { return bytes.Join(lines, nil) }

// with changes the line of the n-th event.
func (h *history) with(n int, what string, change func([]byte) []byte) edit {
	lines := slices.Clone(h.lines)
	lines[h.first+n] = change(bytes.Clone(lines[h.first+n]))
	return edit{what: fmt.Sprintf("%s, event %d", what, n), file: join(lines), hit: []int{n}}
}

func TestAThousandEditsAreFoundAndNamed(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 7, 150)
	r := seeded(8)
	names := slices.Sorted(maps.Keys(kinds))
	for i := range 1000 {
		kind := names[i%len(names)]
		e := kinds[kind](h, r)
		if bytes.Equal(e.file, h.file) {
			t.Fatalf("%s: nothing was changed", kind)
		}
		known := integrity.Known{Keys: h.key.Chain()}
		if i%2 == 0 {
			known.Keys = nil // the verdict may be weaker, but finds a single edit
		}
		v := integrity.Verify(e.file, known)
		if len(v.Faults) == 0 {
			t.Errorf("%d, %s (%s): not found", i, kind, e.what)
			continue
		}
		named := 0
		for _, n := range e.hit {
			if h.named(v, n) {
				named++
			}
		}
		if named < len(e.hit) && (!e.any || named == 0) {
			t.Errorf("%d, %s (%s): %d of %d events that were hit are named in %.600v", i, kind, e.what, named, len(e.hit), v.Faults)
		}
		// Who is told of an event that is whole looks in the wrong place.
		if wrong := len(eventsOf(v)) - named; wrong > 1 && !strings.Contains(kind, "cut off within") {
			t.Errorf("%d, %s (%s): %d whole events are named in %.600v", i, kind, e.what, wrong, v.Faults)
		}
	}
}

// named reports whether a verdict names the n-th event of the history.
func (h *history) named(v integrity.Verdict, n int) bool {
	e := h.log.ours[n]
	return eventsOf(v)[integrity.EventName{
		Index: e.Index, Stream: e.Event.Stream, Revision: e.Event.Revision, Type: e.Event.Type, Position: e.Event.Position,
	}]
}

func eventsOf(v integrity.Verdict) map[integrity.EventName]bool {
	out := map[integrity.EventName]bool{}
	for _, f := range v.Faults {
		if f.Event != nil {
			out[*f.Event] = true
		}
	}
	return out
}

// Whoever can sign cannot make another history of a log whose head somebody
// else has kept.
func TestAForgeryWithTheKeyShowsAgainstAKeptHead(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 9, 80)
	kept := h.log.head(t, h.key)
	forged := &log{}
	for i, e := range h.log.all {
		if e.Stream == h.log.ours[3].Event.Stream && e.Revision == h.log.ours[3].Event.Revision {
			e.Data = []byte(`{"passed":true}`)
		}
		ours := slices.ContainsFunc(h.log.ours, func(x integrity.Indexed) bool { return x.Index == int64(i) })
		forged.add(e, ours)
	}
	file := forged.export(t, h.key)
	if v := integrity.Verify(file, integrity.Known{Keys: h.key.Chain()}); len(v.Faults) != 0 {
		t.Fatalf("the forgery is not well made: %v", v.Faults)
	}
	v := integrity.Verify(file, integrity.Known{Keys: h.key.Chain(), Head: &kept})
	if len(v.Faults) != 1 || !strings.Contains(v.Faults[0].Text, "two histories") {
		t.Errorf("faults: %v", v.Faults)
	}
	// The same with a head of another size and a proof that cannot be there.
	for range 5 {
		more := newLog(seeded(10), 1).all[0]
		forged.add(more, false)
	}
	file = forged.export(t, h.key)
	proof, err := tlog.ProveTree(forged.tree.Size(), kept.Size, &forged.tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, consistency := range []tlog.TreeProof{nil, proof} {
		if v := integrity.Verify(file, integrity.Known{Keys: h.key.Chain(), Head: &kept, Consistency: consistency}); len(v.Faults) != 1 {
			t.Errorf("faults: %v", v.Faults)
		}
	}
}

func TestAnExportOfSomebodyElse(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 11, 30)
	other := newKey(t, seeded(12))
	v := integrity.Verify(h.file, integrity.Known{Keys: other.Chain()})
	if len(v.Faults) == 0 || !strings.Contains(v.Faults[0].Text, "not by "+other.Public().String()) {
		t.Errorf("faults: %v", v.Faults)
	}
}

func FuzzVerify(f *testing.F) {
	h := newHistory(f, 13, 12)
	f.Add(h.file)
	f.Add(h.file[:len(h.file)/2])
	f.Add(join(h.lines[1:]))
	f.Add([]byte("{}\n{\"event\":1}\n"))
	key, r := h.key, seeded(14)
	for range 2 {
		key = handedOver(f, key, r, h.log.head(f, key))
	}
	later := h.log.export(f, key)
	f.Add(later)
	f.Fuzz(func(t *testing.T, file []byte) {
		v := integrity.Verify(file, integrity.Known{Keys: h.key.Chain()})
		if len(v.Faults) == 0 && !bytes.Equal(file, h.file) && !bytes.Equal(file, later) {
			t.Errorf("another file than those that were signed passes: %q", file)
		}
		integrity.Verify(file, integrity.Known{})
	})
}
