package notary_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"understudy/adapters/notary"
	"understudy/eventstore/integrity"
)

// FuzzKnown: of any file, an auditor takes no head for the log's but those that its keys have
// signed, and the hashes of a proof as they are.
func FuzzKnown(f *testing.F) {
	random := rand.NewChaCha8([32]byte{}) // the same in each process that fuzzes
	must := func(err error) {
		if err != nil {
			f.Fatal(err)
		}
	}
	secret, err := integrity.NewKey(random)
	must(err)
	first, err := integrity.ParseKey(secret, "")
	must(err)
	var tree integrity.Memory
	head := func() integrity.Head {
		root, err := tree.Root()
		must(err)
		return integrity.Head{Origin: first.Name(), Size: tree.Size(), Root: root}
	}
	empty := head()
	tree.Append(tlog.RecordHash([]byte("a")))
	one := head()
	secret, err = first.Another(random)
	must(err)
	next, err := first.HandOver(secret, empty)
	must(err)
	signed := func(h integrity.Head, k *integrity.Key) string {
		text, err := integrity.SignHead(h, k)
		must(err)
		return string(text)
	}
	early, late, rotations := signed(empty, first), signed(one, next), next.Chain().Rotations()
	var export bytes.Buffer
	must(integrity.WriteExport(&export, integrity.Export{Test: "test_1", SignedHead: []byte(late), Tree: &tree}, next))
	answer, err := json.Marshal(map[string]any{"note": late, "keys": []any{map[string]any{}, map[string]any{"rotation": strings.TrimSuffix(rotations, "\n")}}})
	must(err)

	f.Add(early, `{"hashes":["`+one.Root.String()+`"]}`)
	f.Add(rotations+early+"\n"+late, `{"hashes":null}`)
	f.Add(string(answer), `{"hashes":["AAAA"]}`)
	f.Add(early+"\n"+strings.Replace(late, "\n1\n", "\n2\n", 1), `[]`)
	f.Add(`{"note":"","keys":[{},{}]}`, `{"hashes":[""],"Hashes":[]}`)
	headFile, proofFile := filepath.Join(f.TempDir(), "head"), filepath.Join(f.TempDir(), "consistency")
	f.Fuzz(func(t *testing.T, heads, proof string) {
		if err := errors.Join(os.WriteFile(headFile, []byte(heads), 0o600), os.WriteFile(proofFile, []byte(proof), 0o600)); err != nil {
			t.Fatal(err)
		}
		known, err := notary.ReadKnown(first.Public().String(), headFile, "", export.Bytes())
		if err == nil && (!slices.Contains([]integrity.Head{empty, one}, *known.Head) || !strings.HasPrefix(next.Chain().String(), known.Keys.String())) {
			t.Errorf("%q is the head %+v of %s", heads, known.Head, known.Keys)
		}
		if known, err = notary.ReadKnown("", "", proofFile, nil); err != nil {
			return
		}
		var answer struct{ Hashes []string }
		if err := json.Unmarshal([]byte(proof), &answer); err != nil || !slices.EqualFunc(known.Consistency, answer.Hashes, func(h tlog.Hash, text string) bool {
			raw, err := base64.StdEncoding.DecodeString(text)
			return err == nil && bytes.Equal(raw, h[:])
		}) {
			t.Errorf("%q is the proof %v", proof, known.Consistency)
		}
	})
}
