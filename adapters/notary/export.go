package notary

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/tlog"

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

// Exported is what an export holds.
type Exported struct {
	Events, Streams int
	Head            integrity.Head
}

// Export writes the history of a test to a file: the streams whose first event
// begins says belong to it, under a signed head. The file appears when it is
// whole.
func (a Auditor) Export(ctx context.Context, testID, stream, path string, begins func(eventstore.Raw) bool) (Exported, error) {
	x := &exporting{begins: begins, streams: map[string]bool{}}
	head := &headSought{Auditor: a, tree: &x.tree}
	err := a.scan(ctx, x.add, func() (bool, error) {
		if !x.streams[stream] {
			return false, fmt.Errorf("there is no test %s in this log", testID)
		}
		return head.find(ctx)
	})
	if err != nil {
		return Exported{}, err
	}
	x.cut(head.Size)
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*") // mode 0600
	if err != nil {
		return Exported{}, err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone already when all went well
	err = integrity.WriteExport(f, integrity.Export{Test: testID, SignedHead: head.signed, Events: x.events, Tree: &x.tree}, a.Key)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	return Exported{Events: len(x.events), Streams: len(x.streams), Head: head.Head}, err
}

// exporting is a history that is being collected.
type exporting struct {
	begins  func(first eventstore.Raw) bool // a stream of the history
	streams map[string]bool                 // those of the history
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
	Auditor

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
	if h.Alone {
		err := h.sign()
		return err == nil, err
	}
	if h.needed == 0 {
		h.needed, h.deadline = h.tree.Size(), time.Now().Add(headLimit)
	}
	for {
		var newest integrity.Head
		err := ReadLastHeads(h.headsPath(), h.Key.Chain(), func(head integrity.Head, note []byte) error {
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
	file, err := OpenHeads(h.headsPath(), h.Key)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if h.Head = file.Last(); h.Size > h.tree.Size() {
		return fmt.Errorf("%w: it has only %s, and a head of size %d was signed", errChanged, Count(int(h.tree.Size()), "event"), h.Size)
	}
	if err := h.agrees(); err != nil {
		return err
	}
	h.Size = h.tree.Size()
	if h.Root, err = h.tree.Root(); err != nil {
		return err
	}
	h.signed, err = file.Add(h.Head, h.Key)
	return err
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
