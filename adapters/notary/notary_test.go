package notary_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"understudy/adapters/notary"
	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/eventstore"
	"understudy/eventstore/integrity"
	"understudy/test/patience"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestHeadsGrowWithTheLogAndProofsHold(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.signed(0)
	i.record("diary-1", 0, 700)
	i.signed(700)
	i.record("diary-2", 0, 300)
	i.record("diary-1", 700, 1)
	i.signed(1001)
	i.signed(1001) // nothing new

	var heads []integrity.Head
	err := notary.ReadHeads(i.heads(), i.key().Chain(), func(h integrity.Head, _ []byte) error {
		heads = append(heads, h)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var last []integrity.Head
	err = notary.ReadLastHeads(i.heads(), i.key().Chain(), func(h integrity.Head, _ []byte) error {
		last = append(last, h)
		return nil
	})
	if err != nil || !slices.Equal(last, heads) {
		t.Errorf("the last heads are %v, %v; want %v", last, err, heads)
	}
	p := notary.Proofs{Pool: i.pool}
	for n, h := range heads[1:] {
		if h.Size <= heads[n].Size {
			t.Fatalf("a head of %d after one of %d", h.Size, heads[n].Size)
		}
		if n == 0 {
			continue // everything extends the empty log
		}
		proof, older, newer, err := p.Consistency(t.Context(), heads[n].Size, h.Size)
		if err != nil || older != heads[n].Root || newer != h.Root {
			t.Errorf("%d extends %d: %v", h.Size, heads[n].Size, err)
		}
		if err := tlog.CheckTree(proof, h.Size, h.Root, heads[n].Size, heads[n].Root); err != nil {
			t.Error(err)
		}
	}
	index := int64(0)
	err = i.store.ReadStreamRaw(t.Context(), "diary-2", 0, 300, func(e eventstore.Raw) error {
		in, err := p.Inclusion(t.Context(), e.Position, integrity.Leaf(e), 1001)
		if err != nil || in.Index != 700+index || in.Root != heads[len(heads)-1].Root {
			t.Errorf("event %d: %+v, %v", index, in, err)
		}
		if in, err := p.Inclusion(t.Context(), e.Position, integrity.Leaf(e), 700+index+1); err != nil || in.Index != 700+index {
			t.Errorf("event %d under the first head that has it: %+v, %v", index, in, err)
		}
		index++
		if _, err := p.Inclusion(t.Context(), e.Position, integrity.Leaf(e), 700); domain.CodeOf(err) != domain.CodeNotFound {
			t.Errorf("an event is proven under a head from before it: %v", err)
		}
		e.Data = append(e.Data, ' ')
		if _, err := p.Inclusion(t.Context(), e.Position, integrity.Leaf(e), 1001); err == nil {
			t.Error("an event that was changed is proven")
		}
		return nil
	})
	if err != nil || index != 300 {
		t.Errorf("%d events, %v", index, err)
	}
}

// Two processes may take themselves for the one that signs, for a moment: the
// second one waits until the first has closed the file of heads.
func TestOneAtATimeAddsHeads(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, 3)
	i.signed(3)
	key, err := integrity.ParseKey(i.keys.secret, "")
	if err != nil {
		t.Fatal(err)
	}
	h, err := notary.OpenHeads(i.heads(), key)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := patience.Context(t.Context(), limit)
	defer cancel()
	second := i.notary()
	var heads *notary.HeadsError
	if err := second.Run(ctx); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Fatalf("a second notary ended with %v", err)
	} else if errors.As(err, &heads) {
		t.Errorf("%v is no reason to end the process", err)
	}
	if s := second.Status(); s.Running || s.Proven {
		t.Errorf("it has ended, and its status is %+v", s)
	}

	// What a failed append has left behind the last head is not before the next.
	junk, err := os.OpenFile(i.heads(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = junk.WriteString(key.Name() + "\n4\nhalf")
	if err := errors.Join(err, junk.Close()); err != nil {
		t.Fatal(err)
	}
	next := integrity.Head{Origin: key.Name(), Size: 4}
	_, err = h.Add(next, key)
	if err := errors.Join(err, h.Close()); err != nil {
		t.Fatal(err)
	}
	h, err = notary.OpenHeads(i.heads(), key)
	if err != nil || h.Last() != next {
		t.Fatalf("the last head is %+v, %v", h.Last(), err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// A file without heads is never one in which all heads hold.
func TestAFileWithoutHeads(t *testing.T) {
	t.Parallel()
	secret, err := integrity.NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := integrity.ParseKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	each := func(integrity.Head, []byte) error { return nil }
	for _, path := range []string{empty, filepath.Join(dir, "none")} {
		for _, err := range []error{notary.ReadHeads(path, key.Chain(), each), notary.ReadLastHeads(path, key.Chain(), each)} {
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "UNDERSTUDY_AUDIT_DIR") {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// Another log of the same length, or a shorter one, is refused with the first
// event that differs.
func TestALogThatIsAnotherOneIsRefused(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, 600)
	i.signed(600)
	before, err := (notary.Proofs{Pool: i.pool}).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	i.newLog("forged")
	i.record("diary-1", 0, 300)
	forged := eventstore.Pending{ID: uuid.New(), Event: noted{N: -1}}
	if _, err := i.store.Append(t.Context(), "diary-1", eventstore.Revision(299), []eventstore.Pending{forged}); err != nil {
		t.Fatal(err)
	}
	i.record("diary-1", 301, 299)
	var refused *notary.RefusedError
	i.refuses(&refused, "head of size 600 with the root "+before.Root.String(), "root "+refusedRoot(t, i))
	// The time of every append is another one in the log made later.
	if d := refused.First; d == nil || d.Index != 0 || d.Event.Stream != "diary-1" {
		t.Errorf("the first difference: %v", d)
	}

	i.newLog("short")
	i.record("diary-1", 0, 10)
	i.refuses(&refused, "the log has only 10 events")
	i.newLog("empty")
	i.refuses(&refused, "the log has only 0 events", "the first event that is missing is number 0")

	// Without the kept hashes it is refused as well, only less precisely.
	if _, err := i.pool.Exec(t.Context(), `DROP SCHEMA audit_v1 CASCADE`); err != nil {
		t.Fatal(err)
	}
	i.refuses(&refused, "the log has only 0 events")
	if refused.First != nil {
		t.Errorf("it makes up %v", refused.First)
	}
}

// refusedRoot is the root that the log has now.
func refusedRoot(t *testing.T, i *installation) string {
	t.Helper()
	var tree integrity.Tree
	err := i.store.ReadStreamRaw(t.Context(), "diary-1", 0, 1000, func(e eventstore.Raw) error {
		tree.Append(integrity.Leaf(e))
		return nil
	})
	root, rootErr := tree.Root()
	if err := errors.Join(err, rootErr); err != nil {
		t.Fatal(err)
	}
	return root.String()
}

func TestHeadsAreNeverMadeAnew(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, 20)
	i.signed(20)
	whole, err := os.ReadFile(i.heads())
	if err != nil {
		t.Fatal(err)
	}
	var wrong *notary.HeadsError
	put := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(i.heads(), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(i.heads()); err != nil {
		t.Fatal(err)
	}
	i.refuses(&wrong, i.heads(), "never made anew", "backup")
	put(nil)
	i.refuses(&wrong, "never made anew")
	first := bytes.Index(whole, []byte("\n\n—"))
	first += bytes.Index(whole[first+2:], []byte("\n\n")) + 4
	put(whole[:first])
	i.refuses(&wrong, "ends with the head of size 0", "knows of one of size 20")
	changed := bytes.Clone(whole)
	changed[len(changed)-10] ^= 1
	put(changed)
	i.refuses(&wrong, "damaged")
	changed = bytes.Clone(whole)
	changed[first] ^= 1 // the name of the log in the newest head
	put(changed)
	i.refuses(&wrong, "damaged")
	put(whole)
	lost := i.keys.secret
	i.keys.secret = ""
	i.refuses(&wrong, "keyring")
	i.keys.secret = lost

	// The way out: a head that was kept elsewhere, as the interface gives it.
	head, err := (notary.Proofs{Pool: i.pool}).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put([]byte(head.Note + "\n"))
	i.signed(20)
	// Half of a head is what a crash leaves; nobody was told of it.
	for _, cut := range []int{1, 7, 60, len(head.Note) - 1, len(head.Note)} {
		put(append(bytes.Clone(whole), strings.ReplaceAll(head.Note, "\n20\n", "\n21\n")[:cut]...))
		i.signed(20)
		if now, err := os.ReadFile(i.heads()); err != nil || !bytes.Equal(now, whole) {
			t.Errorf("cut at %d: %q", cut, now)
		}
	}
	// A database that was lost knows of no head; the file does.
	if _, err := i.pool.Exec(t.Context(), `TRUNCATE ops.audit_head; DROP SCHEMA audit_v1 CASCADE`); err != nil {
		t.Fatal(err)
	}
	i.record("diary-1", 20, 5)
	i.signed(25)
}

// A keyring that is lost for good costs the key, but neither the heads that it
// has signed nor the proof that the log extends them.
func TestAKeyThatIsLostForGood(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, 30)
	i.signed(30)
	before, err := os.ReadFile(i.heads())
	if err != nil {
		t.Fatal(err)
	}
	lost := i.key()
	var wrong *notary.HeadsError
	i.keys = &keys{}
	i.refuses(&wrong, "put the keyring there")
	i.keys = &keys{startedOver: true}
	var refused *notary.RefusedError
	log := i.store
	i.newLog("forged")
	i.record("diary-1", 0, 30)
	ctx, cancel := patience.Context(t.Context(), limit)
	defer cancel()
	if err := i.notary().Run(ctx); !errors.As(err, &refused) {
		t.Errorf("another log: %v", err)
	}
	i.store = log
	i.signed(30)
	if i.key().Public().String() == lost.Public().String() {
		t.Error("the lost key signs")
	}
	i.record("diary-1", 30, 2)
	i.signed(32)
	kept, err := os.ReadFile(i.heads() + "-of-" + filepath.Base(lost.Name()))
	if err != nil || !bytes.Equal(kept, before) {
		t.Errorf("the heads before: %q, %v", kept, err)
	}
}

// Kept hashes are derived: damage is repaired from the log, once it is proven.
func TestDamagedHashesAreMadeAgain(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, 600)
	i.signed(600)
	for _, damage := range []string{
		`UPDATE audit_v1.tiles SET hashes = set_byte(hashes, 40, 255 - get_byte(hashes, 40)) WHERE level = 0 AND n = 1`,
		`UPDATE audit_v1.tiles SET hashes = set_byte(hashes, 40, 255 - get_byte(hashes, 40)) WHERE level = 0 AND n = 2`,
		`UPDATE audit_v1.tiles SET hashes = set_byte(hashes, 4, 255 - get_byte(hashes, 4)) WHERE level = 1`,
		`DELETE FROM audit_v1.tiles WHERE level = 0 AND n = 0`,
		`UPDATE audit_v1.tiles SET positions = set_byte(positions, 255 * 8, 1) WHERE level = 0 AND n = 0`,
		`UPDATE audit_v1.tiles SET first = first + 1, positions = set_byte(positions, 0, 1) WHERE level = 0 AND n = 1`,
	} {
		if tag, err := i.pool.Exec(t.Context(), damage); err != nil || tag.RowsAffected() != 1 {
			t.Fatalf("%v, %v", tag, err)
		}
		i.record("diary-2", int(i.count("diary-2")), 1)
		size := 600 + i.count("diary-2")
		i.signed(size)
		p := notary.Proofs{Pool: i.pool}
		for _, revision := range []uint64{0, 255, 256, 511, 512, 599} {
			err := i.store.ReadStreamRaw(t.Context(), "diary-1", revision, 1, func(e eventstore.Raw) error {
				_, err := p.Inclusion(t.Context(), e.Position, integrity.Leaf(e), size)
				return err
			})
			if err != nil {
				t.Errorf("after %s: event %d: %v", damage, revision, err)
			}
		}
	}
}

// The end of a file of thousands of heads is read from its first whole one.
func TestTheEndOfManyHeads(t *testing.T) {
	t.Parallel()
	secret, err := integrity.NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := integrity.ParseKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "heads")
	var text []byte
	for n := range int64(1000) {
		signed, err := integrity.SignHead(integrity.Head{Origin: key.Name(), Size: n}, key)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, signed...), '\n')
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	first, next := int64(-1), int64(-1)
	err = notary.ReadLastHeads(path, key.Chain(), func(h integrity.Head, _ []byte) error {
		if first < 0 {
			first, next = h.Size, h.Size
		}
		if h.Size != next {
			t.Errorf("head %d where %d was due", h.Size, next)
		}
		next++
		return nil
	})
	if err != nil || next != 1000 || first < 600 || first > 990 {
		t.Errorf("heads %d to %d, %v", first, next-1, err)
	}
	h, err := notary.OpenHeads(path, key)
	if err != nil || h.Last().Size != 999 {
		t.Fatalf("the last head: %+v, %v", h, err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
