package session_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/session"
)

func entry(t *testing.T, typ string) domain.Entry {
	t.Helper()
	for _, e := range session.Catalogue {
		if e.Type == typ {
			return e
		}
	}
	t.Fatalf("nobody reads %s", typ)
	return domain.Entry{}
}

// What was recorded as version 1 reads as what version 2 would have recorded of
// the same walk, and tells the same seconds, to the last bit.
func TestCompletedIsLiftedWithoutLoss(t *testing.T) {
	t.Parallel()
	v1, v2 := entry(t, "session.completed.v1"), entry(t, "session.completed.v2")
	walks := domaintest.Arbitrary([]domain.Entry{v2})
	rapid.Check(t, func(t *rapid.T) {
		walk := walks.Draw(t, "walk").(session.Completed)
		walk.SimulatedMS = rapid.IntRange(0, 1<<40).Draw(t, "ms")
		seconds := float64(walk.SimulatedMS) / 1000
		data, err := json.Marshal(walk)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "simulated_ms")
		if fields["simulated_seconds"], err = json.Marshal(seconds); err != nil {
			t.Fatal(err)
		}
		old, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		lifted, err := v1.Decode(old)
		if err != nil {
			t.Fatal(err)
		}
		newest, err := v2.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(lifted, newest) {
			t.Fatalf("%s\nread as %+v\nwant    %+v", old, lifted, newest)
		}
		if got := lifted.(session.Completed).SimulatedSeconds(); got != seconds {
			t.Fatalf("%v s became %v s", seconds, got)
		}
	})
	if _, err := v1.Decode([]byte(`{"simulated_seconds":"long"}`)); err == nil {
		t.Error("what is no number was taken for one")
	}
	if got := fmt.Sprint(lifted(t, v1, `{"simulated_seconds":31.5}`).SimulatedMS); got != "31500" {
		t.Errorf("31.5 s are %s ms", got)
	}
}

func lifted(t *testing.T, e domain.Entry, data string) session.Completed {
	t.Helper()
	event, err := e.Decode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return event.(session.Completed)
}
