package domaintest

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"understudy/domain"
)

// longest is how many commands or events a generated stream has at most.
const longest = 40

// Laws checks on generated streams what holds of every decider:
//
//   - a command told again right away changes nothing;
//   - a refusal is coded and yields no events;
//   - a stream that is done yields no more events;
//   - deciding and evolving leave earlier states as they were.
func Laws[S, C any, E domain.Event](t *testing.T, d domain.Decider[S, C, E], commands *rapid.Generator[C]) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		state := d.Initial
		states, history := []S{state}, []E{}
		for _, c := range rapid.SliceOfN(commands, 0, longest).Draw(t, "commands") {
			events, err := d.Decide(state, c)
			if err != nil && (domain.CodeOf(err) == "" || len(events) > 0) {
				t.Fatalf("%#v: refused without a code or with events: %v %v", c, err, events)
			}
			if d.Done(state) && len(events) > 0 {
				t.Fatalf("%#v: the stream was done, and yet there is %v", c, events)
			}
			for _, e := range events {
				state = d.Evolve(state, e)
				states, history = append(states, state), append(history, e)
			}
			if again, _ := d.Decide(state, c); len(again) > 0 {
				t.Fatalf("%#v told again: %v", c, again)
			}
		}
		for i, kept := range states {
			if anew := d.Fold(d.Initial, history[:i]); !reflect.DeepEqual(kept, anew) {
				t.Fatalf("the state after %d events was changed later:\n%s", i, cmp.Diff(anew, kept, cmp.Exporter(all)))
			}
		}
	})
}

// Total checks that Evolve takes whatever was recorded, in any order, and that
// Done has an answer for it.
func Total[S, C any, E domain.Event](t *testing.T, d domain.Decider[S, C, E], catalogue []domain.Entry) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		state := d.Initial
		for _, e := range rapid.SliceOfN(Arbitrary(catalogue), 0, longest).Draw(t, "events") {
			state = d.Evolve(state, e.(E))
		}
		d.Done(state)
	})
}

// RoundTrips checks that every event of a catalogue, whatever it holds, is
// read back as what was written. An older shape, which nothing is written as,
// must be lifted to one of the catalogue.
func RoundTrips(t *testing.T, catalogue []domain.Entry) {
	t.Helper()
	for _, entry := range catalogue {
		t.Run(entry.Type, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				written := Arbitrary([]domain.Entry{entry}).Draw(t, "event")
				if newest := written.EventType(); newest != entry.Type {
					if !slices.Contains(Types(catalogue), newest) {
						t.Fatalf("entry %s decodes to a %s, which nobody reads", entry.Type, newest)
					}
					return
				}
				data, err := json.Marshal(written)
				if err != nil {
					t.Fatal(err)
				}
				read, err := entry.Decode(data)
				if err != nil {
					t.Fatalf("%v\n%s", err, data)
				}
				if diff := cmp.Diff(written, read, cmpopts.EquateEmpty(), sameJSON); diff != "" {
					t.Fatalf("read back otherwise (-written +read):\n%s", diff)
				}
			})
		})
	}
}

// sameJSON compares raw JSON by what it says, not by its spelling.
var sameJSON = cmp.Comparer(func(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
})

func all(reflect.Type) bool { return true }
