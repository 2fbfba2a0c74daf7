package integrity

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore"
)

// Indexed is an event with its number in the log, from 0, among those that are
// not the store's own.
type Indexed struct {
	Index int64
	Event eventstore.Raw
}

// Export is a history to write down.
type Export struct {
	// Test is the id of the test whose history it is.
	Test string
	// SignedHead is the head that the events are proven to be under, signed
	// by the same key or one before it.
	SignedHead []byte
	// Events are all events of the test's streams up to the head, in the
	// order of the log.
	Events []Indexed
	// Tree has at least the head's size.
	Tree tlog.HashReader
}

// WriteExport writes an export and signs it.
func WriteExport(w io.Writer, x Export, key *Key) error {
	head, _, err := key.chain.OpenHead(x.SignedHead)
	if err != nil {
		return err
	}
	m := Manifest{Test: x.Test, Keys: key.chain.String(), Head: head}
	if strings.ContainsAny(x.Test, " \n") || x.Test == "" {
		return fmt.Errorf("integrity: %q is no test's id", x.Test)
	}
	var contents, proof, events section
	entries := make([]entry, len(x.Events))
	leaves := make([]int64, len(x.Events))
	for i, e := range x.Events {
		if strings.ContainsAny(e.Event.Stream, " \n") {
			return fmt.Errorf("integrity: the stream %q cannot be exported: its name has blanks", e.Event.Stream)
		}
		entries[i], leaves[i] = entryOf(e.Index, e.Event), e.Index
		contents.add(entries[i])
		events.add(lineOf(e.Index, e.Event))
	}
	siblings, err := subsetProof(head.Size, leaves, x.Tree)
	if err != nil {
		return err
	}
	for _, s := range siblings {
		proof.add(s)
	}
	if err := errors.Join(contents.err, proof.err, events.err); err != nil {
		return err
	}
	m.Contents, m.Proof, m.Events = contents.part(), proof.part(), events.part()
	m.Streams = streamLengths(entries)
	signed, err := key.sign(m.text())
	if err != nil {
		return err
	}
	first, err := encodeLine(header{exportVersion, key.public.text, key.chain.Rotations(), string(x.SignedHead), string(signed)})
	if err != nil {
		return err
	}
	for _, part := range [][]byte{append(first, '\n'), contents.text, proof.text, events.text} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// section is a part of the file that is being made.
type section struct {
	text  []byte
	lines int
	err   error
}

func (s *section) add(v any) {
	line, err := encodeLine(v)
	s.err = errors.Join(s.err, err)
	s.text = append(append(s.text, line...), '\n')
	s.lines++
}

func (s *section) part() Part { return Part{s.lines, sha256.Sum256(s.text)} }
