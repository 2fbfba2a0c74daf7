package integrity

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// originPrefix begins the name of every log.
const originPrefix = "understudy/"

// Key signs heads and exports of one log, whose name it has.
type Key struct {
	signer note.Signer
	public *PublicKey
	chain  *Chain
}

// PublicKey checks them.
type PublicKey struct {
	text     string
	verifier note.Verifier
}

// NewKey makes a key with a name of its own out of a source of randomness, in
// the text form that ParseKey reads. The text is a secret.
func NewKey(random io.Reader) (string, error) {
	name := make([]byte, 8)
	if _, err := io.ReadFull(random, name); err != nil {
		return "", err
	}
	secret, _, err := note.GenerateKey(random, originPrefix+hex.EncodeToString(name))
	return secret, err
}

// Another makes another key of the same log, as NewKey does.
func (k *Key) Another(random io.Reader) (string, error) {
	secret, _, err := note.GenerateKey(random, k.Name())
	return secret, err
}

// ParseKey reads a key in the form of golang.org/x/mod/sumdb/note, with the
// rotations that have led to it. The text does not show in the error.
func ParseKey(secret, rotations string) (*Key, error) {
	signer, err := note.NewSigner(secret)
	if err != nil {
		return nil, errors.New("the audit key is malformed")
	}
	// PRIVATE+KEY+<name>+<hash>+<base64 of the algorithm and the seed>
	encoded := secret[strings.LastIndexByte(secret, '+')+1:]
	if parts := strings.SplitN(secret, "+", 5); len(parts) == 5 {
		encoded = parts[4]
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(raw) != 1+ed25519.SeedSize {
		return nil, errors.New("the audit key is malformed")
	}
	public, ok := ed25519.NewKeyFromSeed(raw[1:]).Public().(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("the audit key is malformed")
	}
	text, err := note.NewEd25519VerifierKey(signer.Name(), public)
	if err != nil {
		return nil, err
	}
	verifier, err := ParsePublicKey(text)
	if err != nil {
		return nil, err
	}
	chain, err := ParseChain(verifier, rotations)
	return &Key{signer: signer, public: verifier, chain: chain}, err
}

// Name is the name of the log.
func (k *Key) Name() string { return k.signer.Name() }

// Public is the key that checks what this one signs.
func (k *Key) Public() *PublicKey { return k.public }

// Chain is the keys that have signed for the log, up to this one.
func (k *Key) Chain() *Chain { return k.chain }

// ParsePublicKey reads a public key: name, hash and key with "+" between them.
func ParsePublicKey(text string) (*PublicKey, error) {
	verifier, err := note.NewVerifier(text)
	if err != nil {
		return nil, fmt.Errorf("public key: %q is not one of the form name+hash+key", text)
	}
	return &PublicKey{text: text, verifier: verifier}, nil
}

// Name is the name of the log.
func (k *PublicKey) Name() string { return k.verifier.Name() }

// String is the key in the form that ParsePublicKey reads.
func (k *PublicKey) String() string { return k.text }

func (k *Key) sign(text string) ([]byte, error) {
	return note.Sign(&note.Note{Text: text}, k.signer)
}

// open checks that a note is signed by all of the keys and returns its text.
// Nothing but the one form that signing makes passes: no signature more, no
// other order, no other spelling of the same one.
func open(signed []byte, keys ...*PublicKey) (string, error) {
	verifiers := make([]note.Verifier, len(keys))
	for i, k := range keys {
		verifiers[i] = k.verifier
	}
	n, err := note.Open(signed, note.VerifierList(verifiers...))
	if err != nil {
		var other *note.UnverifiedNoteError
		if errors.As(err, &other) {
			return "", fmt.Errorf("it is not signed by the key %s", keys[0])
		}
		return "", errors.New("its signature does not hold")
	}
	if len(n.Sigs) != len(keys) || len(n.UnverifiedSigs) != 0 {
		return "", fmt.Errorf("it does not have the signatures of the keys alone, of which there are %d", len(keys))
	}
	canonical := n.Text + "\n"
	for i, s := range n.Sigs {
		if _, err := base64.StdEncoding.Strict().DecodeString(s.Base64); err != nil || s.Hash != keys[i].verifier.KeyHash() {
			return "", errors.New("its signature is not in its canonical form")
		}
		canonical += "— " + s.Name + " " + s.Base64 + "\n"
	}
	if string(signed) != canonical {
		return "", errors.New("its signature is not in its canonical form")
	}
	return n.Text, nil
}
