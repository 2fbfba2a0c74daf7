package integrity_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// bytesOf is randomness that is the same every time.
type bytesOf struct{ *rand.Rand }

func (b bytesOf) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b.Uint32())
	}
	return len(p), nil
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func newKey(t testing.TB, r *rand.Rand) *integrity.Key {
	t.Helper()
	secret, err := integrity.NewKey(bytesOf{r})
	if err != nil {
		t.Fatal(err)
	}
	key, err := integrity.ParseKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// log is a log of some streams, a part of which belongs to a test.
type log struct {
	all  []eventstore.Raw
	tree integrity.Memory
	ours []integrity.Indexed
}

// newLog makes a log of n events in which every third or so is the test's.
func newLog(r *rand.Rand, n int) *log {
	l := &log{}
	revisions := map[string]uint64{}
	for i := range n {
		kind := []string{"testrun", "session", "session", "delivery", "webhook", "account"}[r.IntN(6)]
		stream := fmt.Sprintf("%s-%d", kind, r.IntN(4))
		e := eventstore.Raw{
			ID: uuid.UUID(uint128(r)), Stream: stream, Revision: revisions[stream], Position: uint64(3*i + r.IntN(3)),
			Created: time.Unix(0, int64(1_700_000_000_000_000_000)+int64(i)*100_000).UTC(), Type: kind + ".happened.v1",
			ContentType: "application/json",
			Data:        fmt.Appendf(nil, `{"n":%d,"text":"a <b> & \"c\" %c","more":[1, 2,  3]}`, i, rune('à'+r.IntN(20))),
			Metadata:    fmt.Appendf(nil, `{"organization_id":"org_%d"}`, r.IntN(3)),
		}
		switch r.IntN(12) {
		case 0: // not JSON, not even text
			e.ContentType, e.Data = "application/octet-stream", []byte{0xff, byte(r.IntN(256)), 0, '\n'}
		case 1:
			e.Metadata = nil
		}
		revisions[stream]++
		l.add(e, kind == "testrun" || kind == "session")
	}
	return l
}

func (l *log) add(e eventstore.Raw, ours bool) {
	if ours {
		l.ours = append(l.ours, integrity.Indexed{Index: int64(len(l.all)), Event: e})
	}
	l.all = append(l.all, e)
	l.tree.Append(integrity.Leaf(e))
}

func uint128(r *rand.Rand) (id [16]byte) {
	_, _ = bytesOf{r}.Read(id[:])
	return id
}

func (l *log) head(t testing.TB, key *integrity.Key) integrity.Head {
	t.Helper()
	root, err := l.tree.Root()
	if err != nil {
		t.Fatal(err)
	}
	return integrity.Head{Origin: key.Name(), Size: l.tree.Size(), Root: root}
}

func sign(t testing.TB, h integrity.Head, key *integrity.Key) []byte {
	t.Helper()
	signed, err := integrity.SignHead(h, key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// export is the history of the test as a file.
func (l *log) export(t testing.TB, key *integrity.Key) []byte {
	t.Helper()
	var file bytes.Buffer
	err := integrity.WriteExport(&file, integrity.Export{
		Test: "test_1", SignedHead: sign(t, l.head(t, key), key), Events: l.ours, Tree: &l.tree,
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// stored is tlog's own way to keep a tree, as an oracle.
type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		out[i] = s[index]
	}
	return out, nil
}
