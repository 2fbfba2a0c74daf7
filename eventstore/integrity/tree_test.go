package integrity_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// What is hashed of an event is for ever: heads that were signed depend on it.
func TestRecordOfAnEvent(t *testing.T) {
	t.Parallel()
	e := eventstore.Raw{
		ID:     uuid.MustParse("00112233-4455-6677-8899-aabbccddeeff"),
		Stream: "testrun-1", Revision: 2, Position: 258, Created: time.Unix(1_700_000_000, 100).UTC(),
		Type: "testrun.started.v1", ContentType: "application/json", Data: []byte(`{"a": 1}`), Metadata: []byte(`{}`),
	}
	want := "understudy event v1\n" +
		"\x00\x00\x00\x00\x00\x00\x01\x02" + "\x00\x00\x00\x00\x00\x00\x00\x02" + "\x17\x97\x9c\xfe\x36\x2a\x00\x64" +
		"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff" +
		"\x00\x00\x00\x00\x00\x00\x00\x09testrun-1" +
		"\x00\x00\x00\x00\x00\x00\x00\x12testrun.started.v1" +
		"\x00\x00\x00\x00\x00\x00\x00\x10application/json" +
		"\x00\x00\x00\x00\x00\x00\x00\x08{\"a\": 1}" +
		"\x00\x00\x00\x00\x00\x00\x00\x02{}"
	if got := integrity.Record(e); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", hex.Dump(got), hex.Dump([]byte(want)))
	}
	const leaf = "Nk2z73n96RwHSe1tHCAgJykGAeqpxFCXYsgrWejI780="
	if got := integrity.Leaf(e); got.String() != leaf {
		t.Errorf("leaf %s, want %s", got, leaf)
	}
}

// Every field is in the record: another value makes another leaf.
func TestEveryFieldCounts(t *testing.T) {
	t.Parallel()
	base := newLog(seeded(1), 1).all[0]
	base.Metadata = []byte("{}")
	seen := map[tlog.Hash]string{integrity.Leaf(base): "nothing"}
	for name, change := range map[string]func(*eventstore.Raw){
		"id":           func(e *eventstore.Raw) { e.ID[15] ^= 1 },
		"stream":       func(e *eventstore.Raw) { e.Stream += "x" },
		"revision":     func(e *eventstore.Raw) { e.Revision++ },
		"position":     func(e *eventstore.Raw) { e.Position++ },
		"created":      func(e *eventstore.Raw) { e.Created = e.Created.Add(100) },
		"type":         func(e *eventstore.Raw) { e.Type += "x" },
		"content type": func(e *eventstore.Raw) { e.ContentType += "x" },
		"data":         func(e *eventstore.Raw) { e.Data = append(bytes.Clone(e.Data), ' ') },
		"metadata":     func(e *eventstore.Raw) { e.Metadata = append(bytes.Clone(e.Metadata), ' ') },
		"a byte over the border of two fields": func(e *eventstore.Raw) {
			e.Data, e.Metadata = append(bytes.Clone(e.Data), e.Metadata[0]), e.Metadata[1:]
		},
	} {
		e := base
		change(&e)
		if other, known := seen[integrity.Leaf(e)]; known {
			t.Errorf("changing %s gives the leaf of changing %s", name, other)
		}
		seen[integrity.Leaf(e)] = name
	}
}

// The tree that grows in tiles is tlog's tree: same roots at every size, and
// the proofs out of its tiles hold.
func TestTreeIsTheOneOfRFC6962(t *testing.T) {
	t.Parallel()
	var oracle stored
	var tree integrity.Memory
	roots := map[int64]tlog.Hash{0: {}}
	sizes := map[int64]bool{1: true, 2: true, 3: true, 255: true, 256: true, 257: true, 511: true, 512: true, 65535: true, 65536: true, 65537: true, 66000: true}
	for n := int64(0); n < 66000; n++ {
		leaf := tlog.RecordHash([]byte{byte(n), byte(n >> 8), byte(n >> 16)})
		hashes, err := tlog.StoredHashesForRecordHash(n, leaf, oracle)
		if err != nil {
			t.Fatal(err)
		}
		oracle = append(oracle, hashes...)
		tree.Append(leaf)
		if size := n + 1; sizes[size] || size%4099 == 0 {
			want, err := tlog.TreeHash(size, oracle)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tree.Root()
			if err != nil || got != want {
				t.Fatalf("root of %d is %s, %v; want %s", size, got, err, want)
			}
			roots[size] = want
		}
	}
	delete(roots, 0)
	for size, root := range roots {
		for _, n := range []int64{0, size / 3, size - 1} {
			proof, err := tlog.ProveRecord(size, n, &tree)
			if err != nil {
				t.Fatal(err)
			}
			leaf := tlog.RecordHash([]byte{byte(n), byte(n >> 8), byte(n >> 16)})
			if err := tlog.CheckRecord(proof, size, root, n, leaf); err != nil {
				t.Errorf("event %d of %d: %v", n, size, err)
			}
		}
		for older, was := range roots {
			if older > size {
				continue
			}
			proof, err := tlog.ProveTree(size, older, &tree)
			if err == nil {
				err = tlog.CheckTree(proof, size, root, older, was)
			}
			if err != nil {
				t.Errorf("%d extends %d: %v", size, older, err)
			}
		}
	}
}

func TestHeadsAreWhatTheirSignerSigned(t *testing.T) {
	t.Parallel()
	r := seeded(3)
	key, other := newKey(t, r), newKey(t, r)
	head := newLog(r, 9).head(t, key)
	signed := sign(t, head, key)
	if !bytes.Equal(signed, sign(t, head, key)) {
		t.Error("the same head is signed in two ways")
	}
	lines := strings.Split(string(signed), "\n")
	if len(lines) != 6 || lines[0] != key.Name() || lines[1] != "9" || lines[3] != "" || !strings.HasPrefix(lines[4], "— "+key.Name()+" ") {
		t.Errorf("not a checkpoint: %q", signed)
	}
	if got, _, err := key.Chain().OpenHead(signed); err != nil || got != head {
		t.Errorf("read %+v, %v", got, err)
	}
	if _, _, err := other.Chain().OpenHead(signed); err == nil {
		t.Error("it opened with another's key")
	}
	for i := range signed {
		for bit := range 8 {
			changed := bytes.Clone(signed)
			changed[i] ^= 1 << bit
			if _, _, err := key.Chain().OpenHead(changed); err == nil {
				t.Errorf("it opened with bit %d of byte %d changed: %q", bit, i, changed)
			}
		}
	}
}

// Laws over any history: head n extends head m, and an export of it is whole.
func TestLawsOfHistories(t *testing.T) {
	t.Parallel()
	key := newKey(t, seeded(4))
	rapid.Check(t, func(rt *rapid.T) {
		r := seeded(rapid.Uint64().Draw(rt, "seed"))
		size := rapid.IntRange(1, 700).Draw(rt, "size")
		early := newLog(r, size)
		first := early.head(t, key)
		for range rapid.IntRange(0, 300).Draw(rt, "more") {
			more := newLog(r, 1).all[0]
			more.Stream = "account-" + more.ID.String()
			early.add(more, false)
		}
		last := early.head(t, key)
		proof, err := tlog.ProveTree(last.Size, first.Size, &early.tree)
		if err != nil {
			rt.Fatal(err)
		}
		if err := tlog.CheckTree(proof, last.Size, last.Root, first.Size, first.Root); err != nil {
			rt.Fatalf("the head of %d does not extend that of %d: %v", last.Size, first.Size, err)
		}
		if len(early.ours) == 0 {
			return
		}
		known := integrity.Known{Keys: key.Chain(), Head: &first, Consistency: proof}
		v := integrity.Verify(early.export(t, key), known)
		if len(v.Faults) != 0 {
			rt.Fatalf("a true export has faults: %v", v.Faults)
		}
		if len(v.Events) != len(early.ours) {
			rt.Fatalf("%d events, want %d", len(v.Events), len(early.ours))
		}
		for i, e := range v.Events {
			if integrity.Leaf(e) != integrity.Leaf(early.ours[i].Event) {
				rt.Fatalf("event %d is read as %+v", i, e)
			}
		}
	})
}

// TestATreeIsTakenUpFromItsTiles: at every size it is the one that grew there, and grows on alike.
func TestATreeIsTakenUpFromItsTiles(t *testing.T) {
	t.Parallel()
	leaf := func(n int64) (h tlog.Hash) {
		h[0], h[1], h[2] = byte(n), byte(n>>8), byte(n>>16)
		return h
	}
	wanted := map[int64]bool{0: true, 1: true, 255: true, 256: true, 257: true, 511: true, 65535: true, 65536: true, 65537: true, 65792: true}
	var grown integrity.Tree
	tiles := map[integrity.TileID]integrity.Tile{}
	for n := int64(0); n <= 66000; n++ {
		if wanted[n] || n%997 == 0 {
			for _, tile := range grown.Edge() {
				tiles[tile.TileID] = tile
			}
			taken, err := integrity.TreeOf(n, func(ids []integrity.TileID) (out []integrity.Tile, err error) {
				for _, id := range ids {
					if tile, ok := tiles[id]; ok {
						out = append(out, tile)
					}
				}
				return out, nil
			})
			if err != nil {
				t.Fatalf("at %d: %v", n, err)
			}
			want, err := grown.Root()
			got, err2 := taken.Root()
			if err != nil || err2 != nil || got != want || taken.Size() != n {
				t.Errorf("at %d: root %s, %v; want %s, %v", n, got, err2, want, err)
			}
			if got, want := taken.Append(leaf(n)), n%256 == 255; (len(got) > 0) != want {
				t.Errorf("at %d: its next leaf completes %d tiles", n, len(got))
			}
		}
		for _, tile := range grown.Append(leaf(n)) {
			tiles[tile.TileID] = tile
		}
	}
	if _, err := integrity.TreeOf(300, func([]integrity.TileID) ([]integrity.Tile, error) { return nil, nil }); err == nil {
		t.Error("a tree is taken up from no tiles")
	}
}
