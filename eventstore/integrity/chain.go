package integrity

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// rotationTitle begins the notes in which keys hand over.
const rotationTitle = "understudy key rotation v1"

// Chain is the keys that have signed for one log, the oldest first. Each has
// handed over to the next at a head, in a note that both have signed: whoever
// knows one of them to be the log's can rely on all. A key signs from the head
// at which it took over to the one at which it handed over.
type Chain struct {
	keys []*PublicKey
	// turns are the heads at which they handed over, notes how.
	turns []Head
	notes []string
}

// ChainOf is the chain of which one key is known.
func ChainOf(key *PublicKey) *Chain { return &Chain{keys: []*PublicKey{key}} }

// ParseChain reads what Rotations writes, of a chain that ends in a key.
func ParseChain(newest *PublicKey, rotations string) (*Chain, error) {
	if rotations == "" {
		return ChainOf(newest), nil
	}
	c, err := ParseRotations(rotations)
	if err == nil && c.Newest().text != newest.text {
		return nil, fmt.Errorf("rotation: they lead to the key %s, not to %s", c.Newest(), newest)
	}
	return c, err
}

// ParseRotations reads what Rotations writes, of a chain of two keys or more.
func ParseRotations(rotations string) (*Chain, error) {
	c := &Chain{}
	for {
		signed, rest, whole := cutNote(rotations)
		if !whole {
			return nil, errors.New("rotation: it is not whole")
		}
		old, next, at, err := openRotation(signed)
		if err != nil {
			return nil, fmt.Errorf("rotation: %w", err)
		}
		if n := len(c.turns); n == 0 {
			c.keys = append(c.keys, old)
		} else if c.Newest().text != old.text || at.Size < c.turns[n-1].Size {
			return nil, fmt.Errorf("rotation: the key %s does not hand over what %s took over", old, c.Newest())
		}
		c.keys, c.turns, c.notes = append(c.keys, next), append(c.turns, at), append(c.notes, signed)
		if rotations = rest; rest == "" {
			return c, nil
		}
	}
}

// cutNote cuts a signed note with the empty line behind it off a text.
func cutNote(text string) (signed, rest string, whole bool) {
	body, rest, _ := strings.Cut(text, "\n\n")
	signatures, rest, whole := strings.Cut(rest, "\n\n")
	return body + "\n\n" + signatures + "\n", rest, whole
}

// CutRotations cuts the rotations that a text begins with off it.
func CutRotations(text string) (rotations, rest string) {
	rest = text
	for strings.HasPrefix(rest, rotationTitle+"\n") {
		_, rest, _ = cutNote(rest)
	}
	return text[:len(text)-len(rest)], rest
}

// rotationText is what both keys sign.
func rotationText(old, next *PublicKey, at Head) string {
	return fmt.Sprintf("%s\nfrom %s\nto %s\nat\n%s", rotationTitle, old, next, at.text())
}

func openRotation(signed string) (old, next *PublicKey, at Head, err error) {
	lines := strings.SplitN(signed, "\n", 5)
	if len(lines) < 5 {
		return nil, nil, at, errors.New("it is not whole")
	}
	if old, err = ParsePublicKey(strings.TrimPrefix(lines[1], "from ")); err != nil {
		return nil, nil, at, err
	}
	if next, err = ParsePublicKey(strings.TrimPrefix(lines[2], "to ")); err != nil {
		return nil, nil, at, err
	}
	text, err := open([]byte(signed), old, next)
	if err != nil {
		return nil, nil, at, err
	}
	head, _, _ := strings.Cut(lines[4], "\n\n")
	if at, err = parseHead(head + "\n"); err != nil {
		return nil, nil, at, err
	}
	if text != rotationText(old, next, at) || old.Name() != at.Origin || next.Name() != at.Origin {
		return nil, nil, at, errors.New("it is not in its canonical form, or not of one log")
	}
	return old, next, at, nil
}

// HandOver makes the key that signs from a head on, the last one that k has
// signed.
func (k *Key) HandOver(secret string, at Head) (*Key, error) {
	next, err := ParseKey(secret, "")
	if err != nil {
		return nil, err
	}
	signed, err := note.Sign(&note.Note{Text: rotationText(k.public, next.public, at)}, k.signer, next.signer)
	if err != nil {
		return nil, err
	}
	next.chain, err = ParseChain(next.public, k.chain.Rotations()+string(signed)+"\n")
	return next, err
}

// Newest is the key that signs.
func (c *Chain) Newest() *PublicKey { return c.keys[len(c.keys)-1] }

// Has reports whether a key, in text form, is one of them.
func (c *Chain) Has(key string) bool { return c.number(key) >= 0 }

func (c *Chain) number(key string) int {
	return slices.IndexFunc(c.keys, func(k *PublicKey) bool { return k.text == key })
}

// String is all keys in text form.
func (c *Chain) String() string {
	texts := make([]string, len(c.keys))
	for i, k := range c.keys {
		texts[i] = k.text
	}
	return strings.Join(texts, " ")
}

// Rotations are the notes in which the keys have handed over, each with an
// empty line behind it; "" for one key.
func (c *Chain) Rotations() string {
	var b strings.Builder
	for _, signed := range c.notes {
		b.WriteString(signed + "\n")
	}
	return b.String()
}

// Turn is a key and when it signed.
type Turn struct {
	Key *PublicKey
	// From and Until are the sizes of the first and last head that it may sign;
	// Until is -1 while it signs.
	From, Until int64
	// Rotation is the note by which it took over, "" for the first one.
	Rotation string
}

// Turns are the keys, the oldest first.
func (c *Chain) Turns() []Turn {
	all := make([]Turn, len(c.keys))
	for i, k := range c.keys {
		all[i].Key, all[i].Until = k, -1
		if i > 0 {
			all[i].From, all[i].Rotation = c.turns[i-1].Size, c.notes[i-1]
			all[i-1].Until = all[i].From
		}
	}
	return all
}

// OpenHead reads a signed note that the holder of one of the keys made of a
// head in its turn, and tells which; any other text, be it in one bit, is
// refused.
func (c *Chain) OpenHead(signed []byte) (Head, *PublicKey, error) {
	var fault error
	for i, key := range slices.Backward(c.keys) {
		text, err := open(signed, key)
		if err != nil {
			if fault == nil {
				fault = err
			}
			continue
		}
		h, err := parseHead(text)
		if err == nil && h.Origin != key.Name() {
			err = fmt.Errorf("it is of the log %q, the key of %q", h.Origin, key.Name())
		}
		if err == nil {
			err = c.inTurn(i, h)
		}
		if err != nil {
			return Head{}, nil, fmt.Errorf("head: %w", err)
		}
		return h, key, nil
	}
	return Head{}, nil, fmt.Errorf("head: %w", fault)
}

// inTurn refuses what a key has signed of heads that were not its to sign.
func (c *Chain) inTurn(number int, h Head) error {
	key := c.keys[number]
	if number > 0 && h.Size < c.turns[number-1].Size {
		return fmt.Errorf("it is of size %d and signed by %s, which signs from size %d on", h.Size, key, c.turns[number-1].Size)
	}
	if number < len(c.turns) && h.Size > c.turns[number].Size {
		return fmt.Errorf("it is of size %d and signed by %s, which has signed nothing since it handed over at size %d: whoever signed it has a key that was given up",
			h.Size, key, c.turns[number].Size)
	}
	for _, at := range c.turns {
		if at.Size == h.Size && at.Root != h.Root {
			return fmt.Errorf("its root %s is not the one of size %d at which the key was rotated, %s", h.Root, h.Size, at.Root)
		}
	}
	return nil
}

// join is the longer of two chains when it has the whole other, else nil.
func (c *Chain) join(other *Chain) *Chain {
	longer, shorter := c, other
	if len(c.keys) < len(other.keys) {
		longer, shorter = other, c
	}
	i := longer.number(shorter.keys[0].text)
	if i < 0 || i+len(shorter.keys) > len(longer.keys) || !slices.Equal(longer.notes[i:i+len(shorter.notes)], shorter.notes) {
		return nil
	}
	return longer
}
