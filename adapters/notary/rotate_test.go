package notary_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/adapters/notary"
	"understudy/eventstore/integrity"
	"understudy/test/patience"
)

func (i *installation) auditor(alone bool) notary.Auditor {
	return notary.Auditor{Log: i.store, Key: i.key(), Dir: filepath.Dir(i.heads()), Alone: alone, Progress: i.t.Output()}
}

// checked is every head that was signed, held against the log and the keys.
func (i *installation) checked(heads int) {
	i.t.Helper()
	c, err := i.auditor(true).Check(i.t.Context())
	if err != nil || c.Heads < heads {
		i.t.Errorf("%+v, %v", c, err)
	}
}

// row is what every process of the installation knows.
func (i *installation) row() notary.SignedHead {
	i.t.Helper()
	head, err := (notary.Proofs{Pool: i.pool}).Head(i.t.Context())
	if err != nil {
		i.t.Fatal(err)
	}
	return head
}

// A running notary takes the next key up, with the head that it has: the old
// key ends there, what it has signed holds, and it is forgotten.
func TestTheKeyIsRotatedWhileHeadsAreSigned(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, 30)
	i.signed(30)
	first, before := i.key(), &keys{secret: i.keys.secret}
	ctx, cancel := patience.Context(t.Context(), limit)
	defer cancel()
	ended := make(chan error, 1)
	n := i.notary()
	go func() { ended <- n.Run(ctx) }()
	<-n.Proven()
	second, err := i.auditor(false).Rotate(ctx, i.keys)
	if err != nil {
		t.Fatal(err)
	}
	patience.Eventually(t, limit, "a head by the new key", func() bool { return i.row().Key == second.Public().String() })
	if head := i.row(); head.Size != 30 || !head.Keys.Has(first.Public().String()) {
		t.Errorf("the first head by the new key is %+v", head)
	}
	i.record("diary-1", 30, 5)
	patience.Eventually(t, limit, "a head of what came", func() bool { return i.row().Size == 35 })
	third, err := i.auditor(false).Rotate(ctx, i.keys)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	i.signed(35)
	turns := i.row().Keys.Turns()
	if len(turns) != 3 || turns[0].Until != 30 || turns[1].Until != 35 || turns[2].Key.String() != third.Public().String() || i.row().Key != third.Public().String() {
		t.Errorf("the keys are %+v", turns)
	}
	if strings.Contains(i.keys.secret+i.keys.rotations+i.keys.next, "PRIVATE+KEY+"+strings.TrimPrefix(second.Public().String(), "understudy/")) {
		t.Error("the keyring has a key that was given up")
	}
	i.checked(5)

	// A keyring from before a rotation is not the one that goes on.
	newest := i.keys
	i.keys = before
	var wrong *notary.HeadsError
	i.refuses(&wrong, "the keyring is not the newest")
	i.keys = newest
	i.signed(35)
}

// However far a rotation came when everything ended, what is there is one key or
// the other.
func TestARotationThatIsCutOff(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, 10)
	i.signed(10)
	first := i.key()
	// The next key was kept, and nothing else.
	secret, err := first.Another(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i.keys.next = secret
	i.checked(2)
	i.signed(10)
	second := i.key()
	if second.Public().String() == first.Public().String() || i.row().Key != second.Public().String() {
		t.Errorf("the key is %s, and %s signs", second.Public(), i.row().Key)
	}
	// The keyring was written, and no head was signed.
	third, err := i.auditor(true).Rotate(t.Context(), i.keys)
	if err != nil {
		t.Fatal(err)
	}
	i.checked(3)
	i.record("diary-1", 10, 1)
	i.signed(11)
	if i.row().Key != third.Public().String() {
		t.Errorf("%s signs", i.row().Key)
	}
	// It was written, and whoever did it does not know: the old key must not
	// sign on.
	i.keys.broken = true
	if i.keys.next, err = third.Another(rand.Reader); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := patience.Context(t.Context(), limit)
	defer cancel()
	if err := i.notary().Run(ctx); err == nil || !strings.Contains(err.Error(), "slow to say so") {
		t.Fatalf("it ended with %v", err)
	}
	i.record("diary-1", 11, 1)
	i.signed(12)
	if turns := i.row().Keys.Turns(); len(turns) != 4 || turns[2].Until != 11 {
		t.Errorf("the keys are %+v", turns)
	}
	i.checked(5)
}

// The attack of who has found a key that was given up, and can write where the
// heads are: its heads are refused at the next start and by whoever checks.
func TestAHeadByAKeyThatWasGivenUpIsRefused(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.record("diary-1", 0, 10)
	i.signed(10)
	leaked := i.key()
	if _, err := i.auditor(true).Rotate(t.Context(), i.keys); err != nil {
		t.Fatal(err)
	}
	i.signed(10)
	whole, err := os.ReadFile(i.heads())
	if err != nil {
		t.Fatal(err)
	}
	note, err := integrity.SignHead(integrity.Head{Origin: leaked.Name(), Size: 11}, leaked)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(i.heads(), append(append(whole, note...), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	var wrong *notary.HeadsError
	i.refuses(&wrong, "given up")
	if _, err := i.auditor(true).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "given up") {
		t.Errorf("check: %v", err)
	}
}
