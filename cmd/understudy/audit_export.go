package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"understudy/adapters/notary"
	"understudy/domain/comparison"
	"understudy/domain/delivery"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

const (
	// headLimit is how long an export waits for the running service to sign a
	// head that has everything that was there when it began.
	headLimit = 20 * time.Second
	// headPause is the time between two looks at the file of heads.
	headPause = 100 * time.Millisecond
)

// export writes the history of a test.
func (s *storage) export(ctx context.Context, testID, path string, out, show io.Writer) error {
	key, err := auditKey(s.cfg)
	if err != nil {
		return err
	}
	x := &exporting{test: testID, codec: codec(), streams: map[string]bool{}}
	head := &headSought{storage: s, key: key, tree: &x.tree}
	err = s.scan(ctx, newProgress(show), x.add, func() (bool, error) {
		if !x.streams[testrun.Stream(testID)] {
			return false, fmt.Errorf("there is no test %s in this log", testID)
		}
		return head.find(ctx)
	})
	if err != nil {
		return err
	}
	x.cut(head.Size)
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already when all went well
	err = integrity.WriteExport(f, integrity.Export{Test: testID, SignedHead: head.signed, Events: x.events, Tree: &x.tree}, key)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s in %s of %s\nHead: size %d, root %s\nSigned by %s\n",
		path, count(len(x.events), "event"), count(len(x.streams), "stream"), testID, head.Size, head.Root, key.Public())
	return nil
}

// exporting is a history that is being collected.
type exporting struct {
	test    string
	codec   *eventstore.Codec
	streams map[string]bool // those of the history
	events  []integrity.Indexed
	tree    integrity.Memory
}

func (x *exporting) add(index int64, e eventstore.Raw) error {
	x.tree.Append(integrity.Leaf(e))
	if e.Revision == 0 && x.begins(e) {
		x.streams[e.Stream] = true
	}
	if x.streams[e.Stream] {
		x.events = append(x.events, integrity.Indexed{Index: index, Event: e})
	}
	return nil
}

// begins reports whether an event is the first one of a stream of the test.
// Later events of a stream belong to it whether or not this program knows them.
func (x *exporting) begins(e eventstore.Raw) bool {
	decoded, err := x.codec.Decode(e.Type, e.Data)
	if err != nil {
		return false // what does not fit its type belongs to nothing
	}
	switch first := decoded.(type) {
	case testrun.Created:
		return first.TestID == x.test
	case session.Queued:
		return first.TestID == x.test
	case report.Generated:
		return first.TestID == x.test
	case delivery.Scheduled:
		return first.TestID == x.test
	case comparison.Created:
		return first.A.TestID == x.test || first.B.TestID == x.test
	}
	return false
}

// cut leaves out what is not under the head.
func (x *exporting) cut(size int64) {
	kept := x.events[:0]
	x.streams = map[string]bool{}
	for _, e := range x.events {
		if e.Index < size {
			kept = append(kept, e)
			x.streams[e.Event.Stream] = true
		}
	}
	x.events = kept
}

// headSought is the newest signed head that the hashed part of the log has.
type headSought struct {
	*storage
	key  *integrity.Key
	tree *integrity.Memory

	integrity.Head
	signed []byte
	// needed is the size of the log when the search began.
	needed   int64
	deadline time.Time
}

// find looks for a head that has all that was there when the search began. A
// running service signs one within a second; where none runs, it is signed
// here. It is not done when heads are ahead of what has been hashed so far.
func (h *headSought) find(ctx context.Context) (done bool, err error) {
	if !h.running && !h.cfg.shared() {
		err := h.sign()
		return err == nil, err
	}
	if h.needed == 0 {
		h.needed, h.deadline = h.tree.Size(), time.Now().Add(headLimit)
	}
	for {
		var newest integrity.Head
		err := notary.ReadLastHeads(headsPath(h.cfg), h.key.Public(), func(head integrity.Head, note []byte) error {
			if newest = head; head.Size <= h.tree.Size() {
				h.Head, h.signed = head, note
			}
			return nil
		})
		switch {
		case err != nil:
			return false, err
		case h.Size >= h.needed:
			return true, h.agrees()
		case newest.Size > h.tree.Size():
			return false, nil
		case time.Now().After(h.deadline):
			return false, fmt.Errorf("no head of size %d was signed within %s, the newest is of %d: does the process with the role projector run?",
				h.needed, headLimit, newest.Size)
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(headPause):
		}
	}
}

// sign takes the newest head of the file, or adds one to it.
func (h *headSought) sign() error {
	file, err := notary.OpenHeads(headsPath(h.cfg), h.key)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if h.Head = file.Last(); h.Size > h.tree.Size() {
		return fmt.Errorf("%w: it has only %s, and a head of size %d was signed", errChanged, count(int(h.tree.Size()), "event"), h.Size)
	}
	if err := h.agrees(); err != nil {
		return err
	}
	last := h.Size
	h.Size = h.tree.Size()
	if h.Root, err = h.tree.Root(); err != nil {
		return err
	}
	if h.signed, err = integrity.SignHead(h.Head, h.key); err != nil || h.Size == last {
		return err
	}
	return file.Append(h.Head, h.signed)
}

// agrees makes sure that the head is one of the log that was hashed.
func (h *headSought) agrees() error {
	root, err := tlog.TreeHash(h.Size, h.tree)
	if err != nil {
		return err
	}
	if root != h.Root {
		return fmt.Errorf("%w: at size %d its root is %s, and %s was signed; `understudy audit check` tells more", errChanged, h.Size, root, h.Root)
	}
	return nil
}
