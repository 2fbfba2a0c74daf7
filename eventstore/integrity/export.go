package integrity

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
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
	entries := make([]entry, len(x.Events))
	leaves := make([]int64, len(x.Events))
	for i, e := range x.Events {
		if strings.ContainsAny(e.Event.Stream, " \n") {
			return fmt.Errorf("integrity: the stream %q cannot be exported: its name has blanks", e.Event.Stream)
		}
		entries[i], leaves[i] = entryOf(e.Index, e.Event), e.Index
	}
	siblings, err := subsetProof(head.Size, leaves, x.Tree)
	if err != nil {
		return err
	}
	sections := []section{
		sectionOf(entries, func(e entry) any { return e }),
		sectionOf(siblings, func(s sibling) any { return s }),
		sectionOf(x.Events, func(e Indexed) any { return lineOf(e.Index, e.Event) }),
	}
	for i, p := range m.parts() {
		if *p.part, err = sections[i].part(); err != nil {
			return err
		}
	}
	m.Streams = streamLengths(entries)
	signed, err := key.sign(m.text())
	if err != nil {
		return err
	}
	first, err := encodeLine(header{exportVersion, key.public.text, key.chain.Rotations(), string(x.SignedHead), string(signed)})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	_, err = out.Write(append(first, '\n'))
	for _, s := range sections {
		_, writeErr := s.write(out)
		err = errors.Join(err, writeErr)
	}
	return errors.Join(err, out.Flush())
}

// section is the lines of a part of the file. They are made each time they are needed:
// together they may be more than the events in memory.
type section iter.Seq[any]

func sectionOf[T any](all []T, line func(T) any) section {
	return func(yield func(any) bool) {
		for _, one := range all {
			if !yield(line(one)) {
				return
			}
		}
	}
}

func (s section) write(w io.Writer) (lines int, err error) {
	for v := range s {
		line, err := encodeLine(v)
		if err != nil {
			return lines, err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return lines, err
		}
		lines++
	}
	return lines, nil
}

// part counts and hashes the lines.
func (s section) part() (p Part, err error) {
	hash := sha256.New()
	p.Lines, err = s.write(hash)
	hash.Sum(p.SHA256[:0])
	return p, err
}
