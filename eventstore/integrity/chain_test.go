package integrity_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"understudy/eventstore/integrity"
)

// handedOver is the key after one, from a head on.
func handedOver(t testing.TB, key *integrity.Key, r *rand.Rand, at integrity.Head) *integrity.Key {
	t.Helper()
	secret, err := key.Another(bytesOf{r})
	if err != nil {
		t.Fatal(err)
	}
	next, err := key.HandOver(secret, at)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// rotated is a log whose key was rotated twice, at 100 and at 150 events of 200.
type rotated struct {
	*log
	keys  []*integrity.Key
	heads []integrity.Head // at both, and the newest
}

func newRotated(t testing.TB) rotated {
	t.Helper()
	r := seeded(21)
	l := rotated{log: newLog(r, 100), keys: []*integrity.Key{newKey(t, r)}}
	for range 2 {
		head := l.head(t, l.keys[0])
		l.heads = append(l.heads, head)
		l.keys = append(l.keys, handedOver(t, l.keys[len(l.keys)-1], r, head))
		for _, e := range newLog(r, 50).all {
			l.add(e, false)
		}
	}
	l.heads = append(l.heads, l.head(t, l.keys[0]))
	return l
}

func (l rotated) newest() *integrity.Key { return l.keys[len(l.keys)-1] }

// Whoever knows any key of a log can follow to the newest one, and what was
// signed before stays signed.
func TestOneKnownKeyLeadsToAll(t *testing.T) {
	t.Parallel()
	l := newRotated(t)
	file := l.export(t, l.newest())
	for i, key := range l.keys {
		v := integrity.Verify(file, integrity.Known{Keys: integrity.ChainOf(key.Public()), Head: &l.heads[2]})
		if len(v.Faults) != 0 || v.Key.String() != l.newest().Public().String() {
			t.Errorf("known key %d: signed by %v, %v", i, v.Key, v.Faults)
		}
		if i == 2 {
			break
		}
		// An older key's heads, of its time, hold under all keys.
		head, by, err := l.newest().Chain().OpenHead(sign(t, l.heads[i], key))
		if err != nil || head != l.heads[i] || by.String() != key.Public().String() {
			t.Errorf("head %d: %+v by %v, %v", i, head, by, err)
		}
	}
	turns := l.newest().Chain().Turns()
	for i, want := range [][2]int64{{0, 100}, {100, 150}, {150, -1}} {
		turn := turns[i]
		if turn.From != want[0] || turn.Until != want[1] || turn.Key.String() != l.keys[i].Public().String() || (turn.Rotation == "") != (i == 0) {
			t.Errorf("turn %d: %+v", i, turn)
		}
	}
	// An export from before, and the keys as they are known today.
	before := &log{}
	for _, e := range l.all[:90] {
		before.add(e, e.Stream == l.ours[0].Event.Stream)
	}
	if v := integrity.Verify(before.export(t, l.keys[0]), integrity.Known{Keys: l.newest().Chain()}); len(v.Faults) != 0 {
		t.Errorf("an export from before: %v", v.Faults)
	}
}

// The attack of who has found a key that was given up: heads and exports beyond
// its end, and keys of their own.
func TestAKeyThatWasGivenUpSignsNothingMore(t *testing.T) {
	t.Parallel()
	l := newRotated(t)
	leaked, known := l.keys[0], integrity.Known{Keys: l.newest().Chain()}
	forged := sign(t, l.head(t, leaked), leaked)
	if head, _, err := known.Keys.OpenHead(forged); err == nil || !strings.Contains(err.Error(), "given up") {
		t.Errorf("a head of size %d passes: %v", head.Size, err)
	}
	refuses := func(what string, file []byte, known integrity.Known, says string) {
		t.Helper()
		v := integrity.Verify(file, known)
		for _, f := range v.Faults {
			if strings.Contains(f.Text, says) {
				return
			}
		}
		t.Errorf("%s: %q is not in %v", what, says, v.Faults)
	}
	refuses("an export", l.export(t, leaked), known, "given up")
	// A true head of today, over a list of streams of the thief's.
	line := func(key *integrity.Key) []byte {
		return []byte(strings.ReplaceAll(string(sign(t, l.heads[2], key)), "\n", `\n`))
	}
	refuses("a true head", bytes.Replace(l.export(t, leaked), line(leaked), line(l.newest()), 1), known, "given up")
	// The second key has no business before its turn.
	if _, _, err := known.Keys.OpenHead(sign(t, integrity.Head{Origin: leaked.Name(), Size: 99}, l.keys[1])); err == nil || !strings.Contains(err.Error(), "from size 100 on") {
		t.Errorf("a head from before its turn: %v", err)
	}
	other := l.heads[0]
	other.Root[0] ^= 1
	if _, _, err := known.Keys.OpenHead(sign(t, other, leaked)); err == nil || !strings.Contains(err.Error(), "at which the key was rotated") {
		t.Errorf("another tree at its end: %v", err)
	}
	// A chain of the thief's own.
	theirs := handedOver(t, leaked, seeded(22), l.heads[0])
	refuses("another successor", l.export(t, theirs), known, "not by")
	refuses("another successor, to who knows the second key only", l.export(t, theirs), integrity.Known{Keys: integrity.ChainOf(l.keys[1].Public())}, "not by")
	// Nobody becomes the one before a key that does not say so as well.
	stranger := newKey(t, seeded(23))
	note := strings.Replace(l.keys[1].Chain().Rotations(), "from "+leaked.Public().String(), "from "+stranger.Public().String(), 1)
	if _, err := integrity.ParseChain(l.keys[1].Public(), note); err == nil {
		t.Error("a stranger hands over")
	}
}

// Rotations have one spelling, in one order, and lead to the key that they are
// said to.
func TestRotationsAreReadStrictly(t *testing.T) {
	t.Parallel()
	l := newRotated(t)
	rotations, newest := l.newest().Chain().Rotations(), l.newest().Public()
	c, err := integrity.ParseChain(newest, rotations)
	if err != nil || c.Rotations() != rotations || c.String() != l.newest().Chain().String() {
		t.Fatalf("%v, %v", c, err)
	}
	for i := range rotations {
		changed := []byte(rotations)
		changed[i] ^= 1
		if _, err := integrity.ParseChain(newest, string(changed)); err == nil {
			t.Errorf("byte %d changed: %q", i, changed)
		}
		if _, err := integrity.ParseChain(newest, rotations[:i]); err == nil && i > 0 {
			t.Errorf("cut at %d", i)
		}
	}
	first := l.keys[1].Chain().Rotations()
	second := strings.TrimPrefix(rotations, first)
	for what, text := range map[string]string{"reversed": second + first, "twice": rotations + second, "the first only": first, "a blank": rotations + "\n"} {
		if _, err := integrity.ParseChain(newest, text); err == nil {
			t.Errorf("%s: it is read", what)
		}
	}
	if _, err := integrity.ParseChain(newest, ""); err != nil {
		t.Error(err)
	}
	notes, rest := integrity.CutRotations(rotations + "understudy/1\n5\n")
	if notes != rotations || rest != "understudy/1\n5\n" {
		t.Errorf("cut into %q and %q", notes, rest)
	}
}
