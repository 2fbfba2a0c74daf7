package archive

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// exported makes an archive of events with any bytes, more than is kept in memory, and
// tells what the export was.
func exported(t *testing.T, f *Folder, name string) (events []eventstore.Raw, export []byte) {
	t.Helper()
	chances := mathrand.New(mathrand.NewPCG(1, 2))
	var tree integrity.Memory
	var all []integrity.Indexed
	for i := range 3000 {
		data := make([]byte, chances.IntN(3000))
		for n := range data {
			data[n] = byte(' ' + chances.IntN(90))
			if i%7 == 0 {
				data[n] = byte(chances.IntN(256)) // no text
			}
		}
		e := eventstore.Raw{
			ID: uuid.New(), Stream: "testrun-test_1", Revision: uint64(i), Position: uint64(2*i + 1), Created: time.Unix(int64(i), 100).UTC(),
			Type: "noted", ContentType: "application/json", Data: data, Metadata: []byte(fmt.Sprint(`{"n":`, i, `}`)),
		}
		tree.Append(integrity.Leaf(e))
		events, all = append(events, e), append(all, integrity.Indexed{Index: int64(i), Event: e})
	}
	secret, err := integrity.NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := integrity.ParseKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	root, err := tree.Root()
	if err != nil {
		t.Fatal(err)
	}
	head, err := integrity.SignHead(integrity.Head{Origin: key.Name(), Size: tree.Size(), Root: root}, key)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := integrity.WriteExport(&text, integrity.Export{Test: "test_1", SignedHead: head, Events: all, Tree: &tree}, key); err != nil {
		t.Fatal(err)
	}
	export = text.Bytes()
	path := filepath.Join(f.dir, ".export")
	if err := os.WriteFile(path, export, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.add(name, path); err != nil {
		t.Fatal(err)
	}
	return events, export
}

func TestEachEventOfAnArchiveIsReadByItself(t *testing.T) {
	t.Parallel()
	f, name := NewFolder(t.TempDir()), "test_1"+suffix
	events, export := exported(t, f, name)
	var refs []string
	pieces := map[string]bool{}
	err := f.Each(name, func(position uint64, ref string, data, metadata []byte) error {
		e := events[len(refs)]
		if position != e.Position || !bytes.Equal(data, e.Data) || !bytes.Equal(metadata, e.Metadata) {
			t.Fatalf("event %d is passed as %d: %.60q %s", e.Position, position, data, metadata)
		}
		refs = append(refs, ref)
		var at int64
		_, err := fmt.Sscanf(ref, name+" %d", &at)
		pieces[fmt.Sprint(at)] = true
		return err
	})
	if err != nil || len(refs) != len(events) {
		t.Fatalf("%d events of %d are passed, %v", len(refs), len(events), err)
	}
	if len(pieces) <= keptPieces {
		t.Fatalf("there are only %d pieces", len(pieces))
	}
	for _, i := range mathrand.Perm(len(refs)) {
		if data, metadata, err := f.Read(refs[i]); err != nil || !bytes.Equal(data, events[i].Data) || !bytes.Equal(metadata, events[i].Metadata) {
			t.Fatalf("event %d reads as %.60q %s, %v", i, data, metadata, err)
		}
	}

	path := filepath.Join(f.dir, name)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range [][]byte{file, export} {
		if plain, err := Plain(given); err != nil || !bytes.Equal(plain, export) {
			t.Errorf("as plain text it is another export, %v", err)
		}
	}
	if len(file) > len(export)*9/10 {
		t.Errorf("of %d bytes it has %d", len(export), len(file))
	}
	if names, err := os.ReadDir(f.dir); err != nil || len(names) != 1 {
		t.Errorf("beside it there is %v, %v", names, err)
	}

	// What is away is told from what is damaged.
	away := (*fs.PathError)(nil)
	for at, damage := range map[string][]byte{
		"changed": append(append(bytes.Clone(file[:len(file)/2]), file[len(file)/2]^1), file[len(file)/2+1:]...),
		"cut off": file[:len(file)/2],
	} {
		if err := os.WriteFile(path, damage, 0o600); err != nil {
			t.Fatal(err)
		}
		unread := 0
		for _, ref := range refs {
			if _, _, err := NewFolder(f.dir).Read(ref); err != nil {
				unread++
				if errors.As(err, &away) {
					t.Fatalf("%s, it says %v", at, err)
				}
			}
		}
		if unread == 0 || unread == len(refs) {
			t.Errorf("%s, %d events of %d cannot be read", at, unread, len(refs))
		}
		if err := f.Each(name, func(uint64, string, []byte, []byte) error { return nil }); err == nil || errors.As(err, &away) {
			t.Errorf("%s, all pass: %v", at, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := NewFolder(f.dir).Read(refs[0]); !errors.As(err, &away) {
		t.Errorf("away, it says %v", err)
	}
	for _, ref := range []string{"", "it", "../" + refs[0], name + " 0", name + " -1 0", name + " 0 -1"} {
		if _, _, err := f.Read(ref); err == nil {
			t.Errorf("%q names an event", ref)
		}
	}
}
