package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRecordsReadBackAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := Event{
			Position: rapid.Uint64().Draw(t, "position"),
			Stream:   rapid.String().Draw(t, "stream"),
			Revision: rapid.Int64Min(0).Draw(t, "revision"),
			ID:       [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id")),
			Type:     rapid.String().Draw(t, "type"),
			JSON:     rapid.Bool().Draw(t, "json"),
			Data:     rapid.SliceOf(rapid.Byte()).Draw(t, "data"),
			Metadata: rapid.SliceOf(rapid.Byte()).Draw(t, "metadata"),
			Created:  time.Unix(rapid.Int64Range(0, 1<<34).Draw(t, "s"), rapid.Int64Range(0, 9_999_999).Draw(t, "ticks")*100).UTC(),
		}
		r, err := decode(encode(want.Stream, want.Revision, NewEvent{
			ID: want.ID, Type: want.Type, JSON: want.JSON, Data: want.Data, Metadata: want.Metadata,
		}, want.Created))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.event(want.Position)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestDamagedRecordsAreErrors(t *testing.T) {
	t.Parallel()
	whole := encode("s", 1, NewEvent{Type: "t", Data: []byte("data"), Metadata: []byte("m")}, time.Now())
	for n := range whole {
		if _, err := decode(whole[:n]); !errors.Is(err, ErrUnreadable) {
			t.Errorf("the first %d bytes decode with error %v", n, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := append([]byte(nil), whole...)
		b = append(b[:headerSize], rapid.SliceOf(rapid.Byte()).Draw(t, "rest")...)
		if r, err := decode(b); err == nil && r.size() > len(b) {
			t.Fatalf("%d bytes decode to %d", len(b), r.size())
		}
	})
}
